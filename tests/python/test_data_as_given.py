"""Data as users have them: the estimators do with them what the command line does, or say in one line why not."""
import multiprocessing
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("sklearn")
import spodnet  # noqa: E402
from sklearn.base import clone  # noqa: E402
from spodnet.__main__ import command  # noqa: E402
from support import read_safetensors, samples  # noqa: E402


def of_the_command(folder, array, *options):
    np.save(folder / "in.npy", array)
    out = folder / "out.safetensors"
    subprocess.run([command(), "estimate", str(folder / "in.npy"), "-o", str(out), *options], check=True, capture_output=True)
    _, arrays = read_safetensors(out)
    return np.squeeze(arrays["Theta"])


@pytest.mark.parametrize("method", ["pretrained", "glasso:lambda=0.2", "glasso-cv"])
@pytest.mark.parametrize("missing", ["pairwise", "em", "drop"])
def test_missing_values(missing, method, tmp_path):
    X, _ = samples(70, 6, seed=1)
    X[::8, 2] = X[1::9, 4] = np.nan
    theirs = of_the_command(tmp_path, X, "--missing", missing, "--method", method, "--no-standardize", "--kind", "gaussian")
    fit = spodnet.SpodPrecision(method=method, missing=missing, standardize=False).fit(X)
    assert np.array_equal(fit.precision_, theirs)
    if missing == "pairwise":  # the command's default
        assert np.array_equal(spodnet.SpodPrecision(method=method, standardize=False).fit(X).precision_, theirs)


def test_columns_hardly_ever_seen_together(tmp_path):
    X, _ = samples(40, 5, seed=8)
    X[:17, 1] = X[20:, 3] = np.nan
    with pytest.warns(UserWarning, match="column 1 of X - column 3 of X.*observed together in fewer than 10 rows"):
        fit = spodnet.SpodPrecision(method="glasso:lambda=0.05", standardize=False).fit(X)
    theirs = of_the_command(tmp_path, X, "--method", "glasso:lambda=0.05", "--no-standardize", "--kind", "gaussian")
    assert fit.precision_[1, 3] == 0 and np.array_equal(fit.precision_, theirs)


def test_heavy_tails_count_as_in_the_command(tmp_path):
    X = np.random.RandomState(9).standard_t(2, (60, 8)) * 100
    theirs = of_the_command(tmp_path, X, "--kind", "gaussian")
    assert np.array_equal(spodnet.SpodPrecision(standardize=False).fit(X).precision_, theirs)


def test_a_covariance_and_its_sample_count(tmp_path):
    X, _ = samples(40, 7, seed=2)
    S = np.cov(X.T, bias=True)
    for n in (12, 4000):
        theirs = of_the_command(tmp_path, S, "--input", "covariance", "--samples-count", str(n), "--method", "glasso-ebic",
                                "--no-standardize")
        fit = spodnet.SpodPrecision(method="glasso-ebic", covariance="precomputed", n_samples=n, standardize=False).fit(S)
        assert np.array_equal(fit.precision_, theirs) and fit.n_samples_ == n
        ebic = spodnet.GraphicalLassoEBIC(covariance="precomputed", n_samples=n).fit(S)
        assert np.array_equal(ebic.precision_ == 0, theirs == 0)


@pytest.mark.parametrize("estimator", [
    spodnet.SpodPrecision(standardize=False), spodnet.SpodPrecision(), spodnet.GraphicalLasso(0.1), spodnet.GraphicalLassoCV(),
    spodnet.GraphicalLassoEBIC(), spodnet.GraphicalLassoStARS(), spodnet.GraphicalFactorModel(rank=2, max_iter=20)])
def test_columns_without_variance_are_left_out(estimator):
    X, _ = samples(40, 6, seed=3)
    wanted = clone(estimator).fit(X[:, [0, 1, 3, 5]])
    X[:, 2], X[:, 4] = 0.1, 7  # the first is not exact in binary
    with pytest.warns(UserWarning, match="'column 2 of X' and 'column 4 of X' are constant .* left out"):
        fit = clone(estimator).fit(X)
    kept = np.ix_([0, 1, 3, 5], [0, 1, 3, 5])
    assert list(fit.left_out_) == [2, 4] and fit.location_.shape == (6,) and fit.status_ == wanted.status_
    for got, of_the_rest in ((fit.precision_, wanted.precision_), (fit.covariance_, wanted.covariance_)):
        assert got.shape == (6, 6) and np.array_equal(got[kept], of_the_rest)
        assert not got[[2, 4]].any() and not got[:, [2, 4]].any()
    assert np.isfinite(fit.partial_correlation_).all() and fit.mahalanobis(X).shape == (40,)


def test_scores_and_precision_without_the_columns_left_out():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 5))
    X[:, 2] = 7
    with pytest.warns(UserWarning, match="left out"):
        fit = spodnet.SpodPrecision(store_precision=False).fit(X)
    kept = [0, 1, 3, 4]
    whole = spodnet.SpodPrecision().fit(X[:, kept])
    np.testing.assert_allclose(fit.get_precision()[np.ix_(kept, kept)], whole.precision_, atol=1e-10)
    assert not fit.get_precision()[2].any()
    assert fit.score(X) == pytest.approx(whole.score(X[:, kept]), abs=1e-9)


def test_left_out_with_gaps_and_as_the_command_does(tmp_path):
    X, _ = samples(40, 6, seed=3)
    X[:, 1], X[:, 4], X[4, 0] = np.nan, 0.1, np.nan
    X[5, 4] = np.nan
    for missing in ("pairwise", "em", "drop"):
        with pytest.warns(UserWarning, match="column 1 of X"):
            fit = spodnet.SpodPrecision(missing=missing, standardize=False, forbid=[(0, 5), (1, 2)]).fit(X)
        pairs = tmp_path / "pairs.csv"
        pairs.write_text("source,target\n1,6\n")
        theirs = of_the_command(tmp_path, X, "--missing", missing, "--kind", "gaussian", "--forbid", str(pairs))
        kept = np.ix_([0, 2, 3, 5], [0, 2, 3, 5])
        assert list(fit.left_out_) == [1, 4] and np.array_equal(fit.precision_[kept], theirs)
        assert fit.precision_[0, 5] == 0 and fit.precision_.shape == (6, 6)


def test_what_has_no_place_is_named():
    flat = np.ones((9, 3))
    flat[:, 1] = np.arange(9)
    with pytest.raises(ValueError, match="1 variable is left, a graph needs at least two"):
        spodnet.SpodPrecision().fit(flat)
    holes = samples(30, 5, seed=3)[0]
    holes[2, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        spodnet.SpodPrecision(missing="error").fit(holes)
    crooked = np.eye(5)
    crooked[0, 1] = 0.5
    for estimator in (spodnet.SpodPrecision(covariance="precomputed", n_samples=9),
                      spodnet.SpodPrecision(covariance="precomputed", n_samples=9, method="glasso:lambda=0.1"),
                      spodnet.GraphicalLasso(covariance="precomputed")):
        with pytest.raises(ValueError, match="symmetric"):
            estimator.fit(crooked)


def test_whole_numbers_lists_and_other_orders():
    rng = np.random.RandomState(4)
    X = rng.poisson(20, (60, 5))
    wanted = spodnet.SpodPrecision().fit(X.astype(float)).precision_
    for same in (X, X.tolist(), np.asfortranarray(X), X.astype(np.float32), np.repeat(X, 2, 1)[:, ::2]):
        assert np.array_equal(spodnet.SpodPrecision().fit(same).precision_, wanted)
    assert np.array_equal(spodnet.SpodPrecision().fit(DLPackAlone(X.astype(float))).precision_, wanted)
    graphs = [spodnet.graph(x, method="glasso-ebic", cache=False).precision.to_numpy() for x in (X, DLPackAlone(X.astype(float)))]
    assert np.array_equal(*graphs)
    torch = pytest.importorskip("torch")
    assert np.array_equal(spodnet.SpodPrecision().fit(torch.from_numpy(X)).precision_, wanted)
    learned = torch.from_numpy(X.astype(float)).requires_grad_()
    assert np.array_equal(spodnet.SpodPrecision().fit(learned).precision_, wanted)


class DLPackAlone:
    """An array of another library, without __array__."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def fit_in_a_process(X):
    return spodnet.GraphicalLassoCV(n_jobs=2).fit(X).precision_


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes(way):
    X, _ = samples(60, 8, seed=5)
    wanted = fit_in_a_process(X)  # threads have run here before
    with multiprocessing.get_context(way).Pool(2) as pool:
        for got in pool.map_async(fit_in_a_process, [X, X]).get(timeout=600):
            assert np.array_equal(got, wanted)


def test_four_threads_at_once():
    data = [samples(60, 12, seed=k)[0] for k in range(8)]
    alone = [fit_one(X) for X in data]
    with ThreadPoolExecutor(4) as team:
        for _ in range(5):
            for got, wanted in zip(team.map(fit_one, data), alone):
                assert all(np.array_equal(a, b) for a, b in zip(got, wanted))


def fit_one(X):
    return [estimator.fit(X).precision_ for estimator in
            (spodnet.SpodPrecision(), spodnet.GraphicalLassoEBIC(), spodnet.GraphicalLassoCV(), spodnet.SpodPrecision(n_jobs=2))]


def test_mne():
    mne = pytest.importorskip("mne")
    X, _ = samples(80, 4, seed=6)
    info = mne.create_info(["Fz", "Cz", "Pz", "Oz"], 100.0, "eeg", verbose=False)
    fit = spodnet.SpodPrecision().fit(X)
    cov = spodnet.mne_covariance(fit, info)
    assert cov.ch_names == info.ch_names and cov["nfree"] == 80 and np.array_equal(cov.data, fit.covariance_)
    assert mne.cov.compute_whitener(cov, info, verbose=False)[0].shape == (4, 4)
    with pytest.raises(ValueError, match="3 channels"):
        spodnet.mne_covariance(fit, ["a", "b", "c"])
