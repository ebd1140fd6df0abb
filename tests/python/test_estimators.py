"""The estimators: scikit-learn's contract, the command line's numbers, certificates by a second route."""
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import config_context  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.covariance import GraphicalLasso as SklearnLasso  # noqa: E402
from sklearn.covariance import GraphicalLassoCV as SklearnLassoCV  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

import spodnet  # noqa: E402
from spodnet.__main__ import command  # noqa: E402
from support import read_safetensors, samples  # noqa: E402

ESTIMATORS = ("SpodPrecision", "GraphicalLasso", "GraphicalLassoCV", "GraphicalLassoEBIC", "GraphicalLassoStARS",
              "GraphicalFactorModel")


def make(name, **options):
    return getattr(spodnet, name)(**options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_check_estimator(name):
    results = check_estimator(make(name), on_fail=None)
    assert len(results) >= 40 - 2
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("name", ESTIMATORS)
def test_certificate(name):
    X, _ = samples(60, 12, seed=1)
    fit = make(name).fit(X)
    Theta, W = fit.precision_, fit.covariance_
    assert np.array_equal(Theta, Theta.T) and np.array_equal(W, W.T)
    np.linalg.cholesky(Theta)
    residual = np.linalg.norm(Theta @ W - np.eye(12))
    assert fit.status_ == "ok" and residual < 1e-8 and fit.residual_ < 1e-8
    R = fit.partial_correlation_
    assert np.array_equal(R == 0, Theta == 0) and np.allclose(np.diagonal(R), 1)
    assert np.allclose(R[0, 1], -Theta[0, 1] / np.sqrt(Theta[0, 0] * Theta[1, 1]), atol=1e-15)
    assert fit.n_features_in_ == 12 and np.isfinite(fit.score(X)) and fit.mahalanobis(X).shape == (60,)
    if name != "GraphicalFactorModel":
        assert (Theta == 0).any()
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.precision_, Theta)
    assert np.array_equal(clone(fit).fit(X).precision_, Theta)


@pytest.mark.parametrize("method", ["pretrained", "glasso:lambda=0.1", "glasso-cv", "glasso-ebic", "oas", "ledoit-wolf"])
def test_the_command_line_says_the_same_bit_for_bit(method, tmp_path):
    X, _ = samples(50, 9, seed=2)
    np.save(tmp_path / "X.npy", X)
    out = tmp_path / "out.safetensors"
    more = [] if method == "pretrained" else ["--no-standardize"]  # as the fit below
    subprocess.run([command(), "estimate", str(tmp_path / "X.npy"), "--method", method, "-o", str(out), *more], check=True,
                   capture_output=True)
    _, arrays = read_safetensors(out)
    fit = spodnet.SpodPrecision(method=method, standardize=False).fit(X)
    assert np.array_equal(np.squeeze(arrays["Theta"]), fit.precision_)
    assert np.array_equal(np.squeeze(arrays["W"]), fit.covariance_)


def objective(Theta, S, alpha):
    off = np.abs(Theta).sum() - np.abs(np.diagonal(Theta)).sum()
    return -np.linalg.slogdet(Theta)[1] + np.sum(S * Theta) + alpha * off


@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.5])
def test_graphical_lasso_is_scikit_learns_and_converged(alpha):
    X, _ = samples(80, 15, seed=3)
    ours, theirs = spodnet.GraphicalLasso(alpha).fit(X), SklearnLasso(alpha, tol=1e-6, max_iter=500).fit(X)
    S = np.cov(X.T, bias=True)
    assert objective(ours.precision_, S, alpha) <= objective(theirs.precision_, S, alpha) + 1e-9
    assert np.allclose(ours.precision_, theirs.precision_, atol=5e-3)
    assert np.allclose(ours.location_, theirs.location_)
    assert {x for x in vars(theirs) if x.endswith("_")} <= {x for x in vars(ours) if x.endswith("_")}
    given = spodnet.GraphicalLasso(alpha, covariance="precomputed").fit(S)
    assert np.allclose(given.precision_, ours.precision_, atol=1e-6)
    assert set(SklearnLasso().get_params()) <= set(spodnet.GraphicalLasso().get_params())


@pytest.mark.filterwarnings("ignore")
def test_cross_validation_has_scikit_learns_shape():
    X, _ = samples(60, 8, seed=4)
    ours, theirs = spodnet.GraphicalLassoCV().fit(X), SklearnLassoCV().fit(X)
    keys = {k for k in theirs.cv_results_ if "time" not in k}
    assert keys <= set(ours.cv_results_)
    assert len(ours.cv_results_["alphas"]) >= 8 and ours.alpha_ in ours.cv_results_["alphas"]
    best = ours.cv_results_["alphas"][np.argmax(ours.cv_results_["mean_test_score"])]
    assert ours.alpha_ == best
    assert set(SklearnLassoCV().get_params()) <= set(spodnet.GraphicalLassoCV().get_params())
    for options in (dict(alphas=[0.5, 0.1, 0.02]), dict(cv=KFold(4, shuffle=True, random_state=0)), dict(cv=3, alphas=5)):
        fit = spodnet.GraphicalLassoCV(**options).fit(X)
        assert fit.status_ == "ok" and fit.alpha_ > 0


def test_both_roads_through_the_folds_agree():
    rng = np.random.RandomState(0)
    for X in (samples(60, 8, seed=4)[0], rng.randn(60, 6) @ rng.randn(6, 6)):  # the second wants less than the first grid has
        core, python = spodnet.GraphicalLassoCV(cv=5, tol=1e-8).fit(X), spodnet.GraphicalLassoCV(cv=KFold(5), tol=1e-8).fit(X)
        assert np.allclose(core.cv_results_["alphas"], python.cv_results_["alphas"], rtol=1e-9)
        assert np.allclose(core.cv_results_["mean_test_score"], python.cv_results_["mean_test_score"], rtol=1e-5)
        assert core.alpha_ == pytest.approx(python.alpha_)


def test_groups_for_the_splitter():
    X, _ = samples(60, 5, seed=4)
    groups = np.arange(60) % 3
    lasso = spodnet.GraphicalLassoCV(cv=GroupKFold(3))
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        lasso.fit(X, groups=groups)
    with config_context(enable_metadata_routing=True):
        routed = lasso.fit(X, groups=groups).alpha_
    parts = [(np.flatnonzero(groups != k), np.flatnonzero(groups == k)) for k in range(3)]
    assert routed == pytest.approx(spodnet.GraphicalLassoCV(cv=parts).fit(X).alpha_)


def test_names_frames_and_constraints():
    pd = pytest.importorskip("pandas")
    X, _ = samples(60, 6, seed=5)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    free = spodnet.SpodPrecision(method="glasso:lambda=0.01").fit(frame)
    assert list(free.feature_names_in_) == list("abcdef")
    held = spodnet.SpodPrecision(method="glasso:lambda=0.01", forbid=[("a", "d"), (1, 5)]).fit(frame)
    assert held.precision_[0, 3] == 0 == held.precision_[1, 5] and free.precision_[0, 3] != 0 != free.precision_[1, 5]
    held = spodnet.SpodPrecision(method="glasso:lambda=0.01", sign="negative").fit(frame)
    off = held.partial_correlation_[~np.eye(6, dtype=bool)]
    assert (off <= 0).all() and (free.partial_correlation_[~np.eye(6, dtype=bool)] > 0).any()
    with pytest.raises(ValueError, match="no such column"):
        spodnet.SpodPrecision(forbid=[("a", "z")]).fit(frame)
    polars = pytest.importorskip("polars")
    same = spodnet.SpodPrecision(method="glasso:lambda=0.01").fit(polars.DataFrame(X, schema=list("abcdef")))
    assert np.array_equal(same.precision_, free.precision_) and list(same.feature_names_in_) == list("abcdef")


def test_units_do_not_matter_when_standardized():
    X, _ = samples(80, 7, seed=6)
    units = 2.0 ** np.array([-3, 0, 5, 1, -8, 2, 0])
    for method in ("pretrained:form=tables", "glasso-ebic"):  # "pretrained" alone finds out by the scale what data are like
        a, b = (spodnet.SpodPrecision(method=method).fit(x) for x in (X, X * units))
        assert np.allclose(b.precision_ * np.outer(units, units), a.precision_, rtol=1e-10, atol=0)


def test_missing_values_and_constant_columns():
    X, _ = samples(90, 6, seed=7)
    gaps = X.copy()
    gaps[::9, 2] = np.nan
    for refusing in (spodnet.SpodPrecision(missing="error"), spodnet.GraphicalLassoEBIC()):
        with pytest.raises(ValueError, match="NaN"):
            refusing.fit(gaps)
    whole = spodnet.SpodPrecision().fit(X)
    for missing in ("pairwise", "em", "drop"):
        fit = spodnet.SpodPrecision(missing=missing).fit(gaps)
        assert fit.status_ == "ok" and np.abs(fit.partial_correlation_ - whole.partial_correlation_).max() < 0.3
    dropped = spodnet.SpodPrecision(missing="drop").fit(gaps)
    assert np.allclose(dropped.precision_, spodnet.SpodPrecision().fit(gaps[~np.isnan(gaps).any(1)]).precision_)
    X[:, 3] = 2.5
    for name in ESTIMATORS:
        with pytest.warns(UserWarning, match="'column 3 of X' is constant .*: left out"):
            fit = make(name).fit(X)
        assert fit.precision_.shape == (6, 6) and not fit.precision_[3].any() and not fit.covariance_[:, 3].any()


def test_wrong_settings_are_value_errors():
    X, _ = samples(40, 5)
    S = np.cov(X.T)
    for estimator, data, words in (
        (spodnet.SpodPrecision(method="nothing"), X, "nothing"),
        (spodnet.SpodPrecision(covariance="precomputed"), S, "n_samples"),
        (spodnet.SpodPrecision(covariance="precomputed", n_samples=20), X, "square"),
        (spodnet.SpodPrecision(covariance="other"), X, "precomputed"),
        (spodnet.SpodPrecision(missing="maybe"), X, "missing"),
        (spodnet.SpodPrecision(target="f1", method="oas"), X, "target"),
        (spodnet.SpodPrecision(sparsity=2, method="oas"), X, "sparsity"),
        (spodnet.SpodPrecision(sparsity=float("nan")), X, "sparsity"),
        (spodnet.SpodPrecision(forbid=[(0, 5)]), X, "column 5"),
        (spodnet.SpodPrecision(sign=[(-1, 0, 1)]), X, "column -1"),
        (spodnet.SpodPrecision(forbid=[(1,)]), X, "pairs"),
        (spodnet.GraphicalFactorModel(model="x"), X, "egfm"),
        (spodnet.GraphicalLasso(tol=0), X, "tol"),
        (spodnet.GraphicalLasso(-1), X, "'alpha' parameter of GraphicalLasso"),
        (spodnet.GraphicalLasso(mode="x"), X, "'mode' parameter of GraphicalLasso"),
        (spodnet.GraphicalLassoCV(cv=1), X, "'cv' parameter of GraphicalLassoCV"),
        (spodnet.GraphicalLassoCV(n_jobs=0), X, "n_jobs"),
        (spodnet.GraphicalLassoCV(alphas=[-1.0]), X, "alphas"),
        (spodnet.GraphicalLassoEBIC(covariance="precomputed"), S, "n_samples"),
    ):
        with pytest.raises(ValueError, match=words):
            estimator.fit(data)
    given = spodnet.SpodPrecision(covariance="precomputed", n_samples=40).fit(S)
    assert given.status_ == "ok"
    with pytest.warns(ConvergenceWarning):
        spodnet.GraphicalLasso(1e-3, max_iter=1).fit(X)


def test_grid_search_pipeline_and_joblib():
    joblib = pytest.importorskip("joblib")
    X, _ = samples(60, 8, seed=8)
    search = GridSearchCV(spodnet.SpodPrecision(), {"sparsity": [0.5, 1.0, 2.0]}, cv=3).fit(X)
    assert search.best_params_["sparsity"] in (0.5, 1.0, 2.0) and np.isfinite(search.best_score_)
    pipeline = make_pipeline(StandardScaler(), spodnet.GraphicalLassoEBIC()).fit(X)
    assert pipeline[-1].status_ == "ok"
    alone = spodnet.SpodPrecision().fit(X).precision_
    for backend in ("threading", "loky"):
        fits = joblib.Parallel(2, backend=backend)(joblib.delayed(spodnet.SpodPrecision().fit)(X) for _ in range(4))
        assert all(np.array_equal(f.precision_, alone) for f in fits)
    assert np.array_equal(spodnet.GraphicalLassoCV(n_jobs=2).fit(X).precision_, spodnet.GraphicalLassoCV().fit(X).precision_)


def test_the_gil_is_released():
    """This thread gets several turns within one fit of another thread."""
    X, _ = samples(400, 60, seed=9)
    fit, enough = 0, threading.Event()

    def work():
        nonlocal fit
        while fit < 200 and not enough.is_set():  # a busy machine may give no turn in one fit
            fit += 1
            spodnet.GraphicalLassoStARS().fit(X)

    thread = threading.Thread(target=work)
    thread.start()
    turns = last = 0
    while thread.is_alive() and turns < 8:
        turns = turns + 1 if fit == last else 0
        last = fit
        enough.wait(0.0005)
    enough.set()
    thread.join()
    assert turns == 8


def test_fork_and_exit_during_a_fit():
    X, _ = samples(300, 40, seed=10)
    spodnet.GraphicalLassoCV(n_jobs=2).fit(X)
    pid = os.fork()
    if pid == 0:
        ok = spodnet.GraphicalLassoCV(n_jobs=2).fit(X).status_ == "ok"
        os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0
    script = ("import threading, time, numpy as np, spodnet\n"
              "X = np.random.RandomState(0).randn(300, 120)\n"
              "fit = lambda: [spodnet.GraphicalLassoStARS().fit(X) for _ in range(99)]\n"
              "threading.Thread(target=fit, daemon=True).start(); time.sleep(0.3)\n")
    subprocess.run([sys.executable, "-c", script], check=True, timeout=600)


@pytest.mark.filterwarnings("ignore")
def test_nilearn_and_pyriemann():
    connectome = pytest.importorskip("nilearn.connectome")
    series = [samples(60, 6, seed=k)[0] for k in range(3)]
    for kind in ("covariance", "correlation", "partial correlation", "precision", "tangent"):
        measure = connectome.ConnectivityMeasure(cov_estimator=spodnet.SpodPrecision(), kind=kind)
        assert measure.fit_transform(series).shape == (3, 6, 6)
    estimation = pytest.importorskip("pyriemann.estimation")
    epochs = np.stack([x.T for x in series])  # epochs, channels, times

    def estimator(x, **_):
        return spodnet.SpodPrecision().fit(x.T).covariance_

    out = estimation.Covariances(estimator=estimator).fit_transform(epochs)
    assert np.allclose(out[0], spodnet.SpodPrecision().fit(series[0]).covariance_)
