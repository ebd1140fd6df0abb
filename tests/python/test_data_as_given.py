"""Data as they come: what the command line does with them, the estimators do, or say in one line why not."""
import multiprocessing
import subprocess

import numpy as np
import pytest

pytest.importorskip("sklearn")
import spodnet  # noqa: E402
from spodnet.__main__ import command  # noqa: E402
from support import read_safetensors, samples  # noqa: E402


def of_the_command(folder, array, *options):
    np.save(folder / "in.npy", array)
    out = folder / "out.safetensors"
    subprocess.run([command(), "estimate", str(folder / "in.npy"), "-o", str(out), *options], check=True, capture_output=True)
    _, arrays = read_safetensors(out)
    return np.squeeze(arrays["Theta"])


@pytest.mark.parametrize("missing", ["pairwise", "em", "drop"])
def test_missing_values(missing, tmp_path):
    X, _ = samples(70, 6, seed=1)
    X[::8, 2] = X[1::9, 4] = np.nan
    theirs = of_the_command(tmp_path, X, "--missing", missing, "--method", "glasso:lambda=0.2", "--no-standardize")
    fit = spodnet.SpodPrecision(method="glasso:lambda=0.2", missing=missing, standardize=False).fit(X)
    assert np.allclose(fit.precision_, theirs, rtol=1e-13, atol=1e-14) and np.array_equal(fit.precision_ == 0, theirs == 0)


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


def test_what_has_no_place_is_named():
    X, _ = samples(30, 5, seed=3)
    flat, empty, late = X.copy(), X.copy(), X.copy()
    flat[:, 3] = 0.1  # not exact in binary
    empty[:, 1] = np.nan
    late[:, 2] = 7.3
    late[:9, 2], late[:9, 4] = np.arange(9), np.nan
    holes = flat.copy()
    holes[4, 0] = np.nan
    for data, missing, words in ((flat, "error", "column 3 of X is constant"), (holes, "em", "column 3 of X is constant"),
                                 (holes, "pairwise", "column 3 of X is constant"), (empty, "em", "column 1 of X has no value"),
                                 (late, "drop", "column 2 of X is constant in the rows")):
        with pytest.raises(ValueError, match=words):
            spodnet.SpodPrecision(missing=missing).fit(data)
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
    torch = pytest.importorskip("torch")
    assert np.array_equal(spodnet.SpodPrecision().fit(torch.from_numpy(X)).precision_, wanted)


def fit_in_a_process(X):
    return spodnet.GraphicalLassoCV(n_jobs=2).fit(X).precision_


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes(way):
    X, _ = samples(60, 8, seed=5)
    wanted = fit_in_a_process(X)  # threads have run here before
    with multiprocessing.get_context(way).Pool(2) as pool:
        for got in pool.map_async(fit_in_a_process, [X, X]).get(timeout=120):
            assert np.array_equal(got, wanted)


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
