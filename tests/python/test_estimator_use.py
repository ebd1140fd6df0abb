"""Estimators in the hands of scikit-learn's users: searches, gaps, models, weights, odd covariances, odd scales, words."""
import signal
import threading
import time

import numpy as np
import pytest

pytest.importorskip("sklearn")
import spodnet  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from support import samples  # noqa: E402


def gappy(n=80, p=6, seed=1):
    X = samples(n, p, seed=seed)[0]
    X[::5, 1] = X[2::7, 4] = np.nan
    return X


def test_a_search_over_data_with_gaps():
    X = gappy()
    search = GridSearchCV(spodnet.SpodPrecision(), {"sparsity": [0.5, 1.0, 2.0], "missing": ["pairwise", "em"]}, cv=3,
                          error_score="raise").fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert np.isfinite(search.score(X))


def test_the_likelihood_is_that_of_what_was_observed():
    from scipy.stats import multivariate_normal

    X = gappy(40)
    X[7] = np.nan
    fit = spodnet.SpodPrecision().fit(X)
    scores, distances = [], []
    for x in X:
        seen = ~np.isnan(x)
        if not seen.any():
            distances.append(0)
            continue
        W = fit.covariance_[np.ix_(seen, seen)]
        scores.append(multivariate_normal(fit.location_[seen], W).logpdf(x[seen]))
        d = x[seen] - fit.location_[seen]
        distances.append(d @ np.linalg.inv(W) @ d)
    assert fit.score(X) == pytest.approx(np.mean(scores), abs=1e-9)
    np.testing.assert_allclose(fit.mahalanobis(X), distances, atol=1e-9)
    whole = samples(40, 6, seed=3)[0]
    fit = spodnet.SpodPrecision().fit(whole)
    base = super(type(fit).__mro__[1], fit)  # EmpiricalCovariance's own
    assert fit.score(whole) == pytest.approx(base.score(whole), abs=1e-9)
    np.testing.assert_allclose(fit.mahalanobis(whole), base.mahalanobis(whole), rtol=1e-9)


def test_a_model_as_the_method(tmp_path):
    X = samples(60, 6, seed=4)[0]
    model = spodnet.train("ubg", p=6, n=60, count=30, epochs=2)
    model.save(tmp_path / "m.safetensors")
    fit = spodnet.SpodPrecision(method=model).fit(X)
    assert np.array_equal(fit.precision_, spodnet.SpodPrecision(method=str(tmp_path / "m.safetensors")).fit(X).precision_)
    fewer = spodnet.SpodPrecision(method=model, sparsity=4.0).fit(X)
    assert (fewer.precision_ == 0).sum() >= (fit.precision_ == 0).sum()
    assert clone(fit).fit(X).precision_.shape == (6, 6)


@pytest.mark.parametrize("estimator", [
    spodnet.SpodPrecision(covariance="precomputed", n_samples=50),
    spodnet.SpodPrecision(covariance="precomputed", n_samples=50, method="glasso:lambda=0.1"),
    spodnet.GraphicalLasso(0.1, covariance="precomputed"), spodnet.GraphicalLassoEBIC(covariance="precomputed", n_samples=50)])
def test_an_indefinite_covariance_is_repaired_with_a_warning(estimator):
    S = np.full((4, 4), -0.5)
    np.fill_diagonal(S, 1)
    with pytest.warns(UserWarning, match="negative eigenvalues.*made positive definite"):
        fit = clone(estimator).fit(S)
    np.linalg.cholesky(fit.precision_)
    assert fit.status_ == "ok" and np.isfinite(fit.score(np.eye(4)))
    beyond = np.eye(4)
    beyond[0, 1] = beyond[1, 0] = 3
    with pytest.raises(ValueError, match="correlation of 3"):
        clone(estimator).fit(beyond)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scale", [1e160, 1e-160, 1e-155, 1e100, 1e-100, 1e-70])
@pytest.mark.parametrize("estimator", [
    spodnet.SpodPrecision(), spodnet.SpodPrecision(standardize=False, method="glasso-ebic"), spodnet.GraphicalLasso(0.1),
    spodnet.GraphicalLassoCV(), spodnet.GraphicalLassoEBIC(), spodnet.GraphicalFactorModel(max_iter=5)])
def test_extreme_scales_are_refused_or_marked(estimator, scale):
    X = samples(40, 4, seed=5)[0] * scale
    try:
        fit = clone(estimator).fit(X)
    except ValueError as error:
        assert "\n" not in str(error) and any(word in str(error) for word in ("rescale", "square", "range"))
        return
    finite = np.isfinite(fit.precision_).all() and np.isfinite(fit.covariance_).all()
    assert finite or fit.status_ != "ok"


def test_weights_count_rows():
    X = samples(60, 5, seed=6)[0]
    weight = np.random.default_rng(0).integers(0, 3, 60).astype(float)
    fit = spodnet.SpodPrecision(method="ledoit-wolf", standardize=False)
    with pytest.warns(UserWarning, match="without a weight"):
        weighted = clone(fit).fit(X, sample_weight=weight)
    repeated = np.repeat(X, weight.astype(int), 0)
    np.testing.assert_allclose(weighted.location_, repeated.mean(0), atol=1e-12)
    assert weighted.n_samples_ == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    equal = clone(fit).fit(X, sample_weight=np.full(60, 3.0))
    np.testing.assert_allclose(equal.covariance_, clone(fit).fit(X).covariance_, atol=1e-10)
    for bad, match in ((weight[:-1], "59 numbers, X has 60 rows"), (-weight, "weights are 0 or more"), (weight[:, None], "one number")):
        with pytest.raises(ValueError, match=match):
            clone(fit).fit(X, sample_weight=bad)


def test_frames_with_labels():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X = samples(50, 4, seed=7)[0]
    for frame in (pd.DataFrame(X, columns=list("wxyz")), pl.DataFrame(X, schema=list("wxyz"))):
        fit = spodnet.SpodPrecision().fit(frame)
        for what in ("precision", "covariance", "partial_correlation"):
            out = fit.to_frame(what)
            assert type(out).__module__.split(".")[0] == type(frame).__module__.split(".")[0]
            assert np.array_equal(out["y"].to_numpy(), getattr(fit, what + "_")[:, 2])
    assert list(spodnet.SpodPrecision().fit(X).to_frame().columns) == list("0123")
    with pytest.raises(ValueError, match="precision, covariance or partial_correlation"):
        fit.to_frame("x")


@pytest.mark.parametrize("words, match", [
    (dict(standardize="yes"), "standardize='yes': it is True or False"), (dict(standardize=None), "standardize=None"),
    (dict(forbid=5), "forbid: pairs"), (dict(forbid="ab"), "forbid: pairs"), (dict(forbid=[(0, 1.5)]), "variable 1.5"),
    (dict(forbid=[(0, 9)]), "column 9: there are 5"), (dict(forbid=[(2, 2)]), "stands twice"), (dict(forbid=[(0, "n")]), "'n'"),
    (dict(sparsity="much"), "sparsity='much': it is a number"), (dict(sparsity=None), "sparsity=None"),
    (dict(sparsity=float("nan")), "sparsity=nan"), (dict(sparsity=-1), "at least 0"), (dict(sparsity=True), "sparsity=True"),
    (dict(target="best"), "target='best'"), (dict(kind="counts"), "kind='counts'"), (dict(missing="mean"), "missing='mean'"),
    (dict(robust="pearson"), "robust='pearson'"), (dict(log_ratios="log"), "clr"), (dict(assume_centered="no"), "assume_centered"),
    (dict(method="nothing"), "nothing"), (dict(method=5), "method=5: it is a name"), (dict(sign="up"), "sign='up'"), (dict(sign=[(0, 1, 2)]), "sign 2"),
    (dict(n_jobs=1.5), "n_jobs=1.5"), (dict(covariance="given"), "covariance='given'")])
def test_wrong_words_are_refused_in_one_line(words, match):
    with pytest.raises(ValueError, match=match) as error:
        spodnet.SpodPrecision(**words).fit(samples(30, 5, seed=8)[0])
    assert "\n" not in str(error.value)


LONG_CALLS = {
    "generate": lambda: spodnet.generate(20, 4000, count=50000),
    "GraphicalLassoCV": lambda: spodnet.GraphicalLassoCV(alphas=400, n_refinements=40).fit(samples(300, 150, seed=9)[0]),
    "GraphicalLassoStARS": lambda: spodnet.GraphicalLassoStARS(subsamples=10**5).fit(samples(100, 40, seed=9)[0]),
    "kendall": lambda: spodnet.SpodPrecision(robust="kendall").fit(samples(3000, 400, seed=9)[0]),
    "graph": lambda: spodnet.graph(samples(100, 30, seed=9)[0], method="glasso-cv", bootstrap=10**6, cache=False),
    "difference": lambda: spodnet.difference(samples(100, 10, seed=9)[0], np.arange(100) % 2, permutations=10**6),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LONG_CALLS)
def test_control_c_ends_a_long_call(name):
    """Each takes minutes to years. How soon is said in bench/python_calls.py: no verdict here depends on a clock."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.4, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        LONG_CALLS[name]()
        time.sleep(600)  # a call that was over before: the signal is still to come
    timer.join()


@pytest.mark.filterwarnings("ignore")
def test_paired_groups():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    common, X = rng.normal(size=(60, 3)), samples(120, 3, seed=2)[0]
    frame = pd.DataFrame(X + np.vstack([common, common]), columns=list("abc"))
    group, person = np.repeat(["before", "after"], 60), np.tile(np.arange(60), 2)
    found = spodnet.difference(frame, group, paired=person, permutations=19)
    again = spodnet.difference(frame.assign(g=group, who=person), "g", paired="who", permutations=19)
    assert found.groups == ["after", "before"] and found.summary == again.summary
    assert any("60 persons are in every group" in note["text"] for note in found.summary["notes"])
    assert list(found.pairs["source"]) == ["a", "a", "b"] and len(found.verdicts) == 1
    assert found.partial_correlations["after"].shape == (3, 3)
    for words, match in ((dict(group=group[:-1]), "labels for"), (dict(group=group, paired=np.arange(120)), "persons have a row"),
                         (dict(group="nothing"), "no column 'nothing'"), (dict(group=group, permutations=3), "permutations=3")):
        with pytest.raises(ValueError, match=match):
            spodnet.difference(frame, **words)


def test_training_refuses_what_it_does_not_know_and_takes_long_seeds():
    data = dict(p=4, n=20, count=20, epochs=1)
    with pytest.raises(TypeError, match="learning_rate"):
        spodnet.train("ubg", learning_rate=0.1, **data)
    model = spodnet.train("ubg", **data)
    with pytest.raises(ValueError, match="layers"):
        spodnet.train(model, layers=3, **data)
    made = spodnet.generate(4, 20, count=20)
    weights = []
    for seed in (2**53, 2**53 + 1, 2**64 - 1):  # as a double the first two are one
        start = spodnet.Model.make("ubg", 4)
        spodnet.train(start, S=made["S"], Theta_true=made["Theta_true"], n=20, epochs=2, batch=3, seed=seed)
        weights.append(np.concatenate([w.ravel() for w in start.parameters.values()]))
    assert not np.array_equal(weights[0], weights[1])
    assert spodnet.Model.make("consistent-any").config["model"] == "consistent-any"
