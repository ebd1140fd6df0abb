"""SpodCovariance in skfolio's hands."""
import numpy as np
import pytest

pytest.importorskip("skfolio", reason="skfolio is not installed: pip install skfolio")
import spodnet  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402
from skfolio.optimization import MeanRisk  # noqa: E402
from skfolio.prior import EmpiricalPrior  # noqa: E402
from spodnet.skfolio import SpodCovariance  # noqa: E402
from support import samples  # noqa: E402


def returns(n=120, p=6, seed=1):
    return 0.01 * samples(n, p, seed=seed)[0]


@pytest.mark.filterwarnings("ignore")
def test_check_estimator():
    results = check_estimator(SpodCovariance(), on_fail=None)
    assert len(results) >= 38
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


def test_the_estimate_is_the_librarys():
    X = returns()
    fit, plain = SpodCovariance().fit(X), spodnet.SpodPrecision().fit(X)
    assert np.array_equal(fit.covariance_, plain.covariance_) and np.array_equal(fit.precision_, plain.precision_)
    assert fit.score(X) == pytest.approx(plain.score(X), abs=1e-8)
    assert clone(fit).set_params(method="glasso-ebic").fit(X).status_ == "ok"


def test_assets_left_out_are_nan():
    X = returns()
    X[:, 2], X[5, 0] = np.nan, np.nan
    X[:, 4] = 0.0
    with pytest.warns(UserWarning, match="left out"):
        fit = SpodCovariance().fit(X)
    kept = [0, 1, 3, 5]
    assert list(fit.left_out_) == [2, 4] and np.isnan(fit.location_[[2, 4]]).all()
    assert np.isnan(fit.covariance_[[2, 4]]).all() and np.isnan(fit.covariance_[:, [2, 4]]).all()
    np.linalg.cholesky(fit.covariance_[np.ix_(kept, kept)])
    assert np.isfinite(fit.score(X))


@pytest.mark.filterwarnings("ignore")
def test_a_portfolio_of_least_variance():
    X = returns(seed=3)
    model = MeanRisk(prior_estimator=EmpiricalPrior(covariance_estimator=SpodCovariance())).fit(X)
    weights = np.asarray(model.weights_)
    W = SpodCovariance().fit(X).covariance_
    equal = np.full(6, 1 / 6)
    assert weights.sum() == pytest.approx(1) and weights @ W @ weights <= equal @ W @ equal
