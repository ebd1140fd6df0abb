"""The graphical lasso with scikit-learn's names; every fit is converged and certified by its duality gap."""
from __future__ import annotations

import numbers

import numpy as np
from sklearn import covariance as theirs
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval
from sklearn.utils.metadata_routing import (MetadataRouter, MethodMapping, _raise_for_params, _routing_enabled,
                                            process_routing)

from . import _core
from .base import CovarianceEstimator
from .counts import threads_of

TOLERANCE = 1e-8  # of the duality gap, at least
SMALLEST_SHARE = 0.01  # of the largest alpha in the first round; below the smallest, as far again


class _Lasso(CovarianceEstimator):
    def _sharp(self) -> float:
        if not self.tol > 0:
            raise ValueError(f"tol={self.tol!r}: it is a number above 0")
        return min(float(self.tol), TOLERANCE)


class GraphicalLasso(_Lasso):
    """Minimises -log det Theta + tr(S Theta) + alpha * sum of |Theta_ij|, i != j.

    As sklearn.covariance.GraphicalLasso: alpha, covariance ("precomputed"), tol, max_iter,
    assume_centered; leaves n_iter_ and costs_ [(objective, duality gap)]. mode, enet_tol, eps and
    verbose are taken and not needed: the duality gap is at most 1e-8 whatever tol allows.
    """

    _parameter_constraints = theirs.GraphicalLasso._parameter_constraints  # and their errors

    def __init__(self, alpha=0.01, *, mode="cd", covariance=None, tol=1e-4, enet_tol=1e-4, max_iter=100,
                 verbose=False, eps=np.finfo(np.float64).eps, assume_centered=False, store_precision=True):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.alpha, self.mode, self.covariance, self.tol, self.enet_tol = alpha, mode, covariance, tol, enet_tol
        self.max_iter, self.verbose, self.eps = max_iter, verbose, eps

    def fit(self, X, y=None):
        self._validate_params()
        S = self._read(X, keep_dependent=True).S(self._uncentred())
        fit = _core.glasso_path(S, [float(self.alpha)], self._sharp(), max_iterations=int(self.max_iter))[0]
        return self._keep_fit(fit)

    def _keep_fit(self, fit):
        self.n_iter_ = fit["iterations"]
        self.costs_ = [(fit["objective"], fit["duality_gap"])]
        fit["message"] = (
            f"graphical lasso: after {fit['iterations']} sweeps the duality gap is {fit['duality_gap']:.2g}; "
            "raise alpha (the covariance may be singular) or max_iter")
        return self._keep(fit)


class GraphicalLassoCV(GraphicalLasso):
    """alpha by cross-validation, as sklearn.covariance.GraphicalLassoCV: alphas (how many, or which),
    n_refinements, cv, n_jobs; leaves alpha_, cv_results_, n_iter_, costs_.

    A fold is scored by the log-likelihood of its held-out rows given the mean and the precision of the
    others. The folds' fits do not fail, so that the choice is an optimum.
    """

    _parameter_constraints = {**theirs.GraphicalLassoCV._parameter_constraints,
                              "n_refinements": [Interval(numbers.Integral, 0, None, closed="left")]}

    def __init__(self, *, alphas=4, n_refinements=4, cv=None, tol=1e-4, enet_tol=1e-4, max_iter=100, mode="cd",
                 n_jobs=None, verbose=False, eps=np.finfo(np.float64).eps, assume_centered=False,
                 store_precision=True):
        super().__init__(mode=mode, tol=tol, enet_tol=enet_tol, max_iter=max_iter, verbose=verbose, eps=eps,
                         assume_centered=assume_centered, store_precision=store_precision)
        self.alphas, self.n_refinements, self.cv, self.n_jobs = alphas, n_refinements, cv, n_jobs

    def get_metadata_routing(self):
        return MetadataRouter(owner=self).add(splitter=check_cv(self.cv),
                                              method_mapping=MethodMapping().add(callee="split", caller="fit"))

    def fit(self, X, y=None, **params):
        """params: the splitter's, as groups, where scikit-learn's metadata routing is enabled."""
        self._validate_params()
        _raise_for_params(params, self, "fit")
        data = self._read(X, keep_dependent=True)
        grid = isinstance(self.alphas, (int, np.integer))
        if grid and (self.cv is None or isinstance(self.cv, (int, np.integer))) and not self.assume_centered:
            folds = 5 if self.cv is None else int(self.cv)
            text = f"glasso-cv:folds={folds},grid={int(self.alphas)},refinements={int(self.n_refinements)},tol={self.tol}"
            result = _core.estimate(data, text, False, folds_in_order=True, threads=threads_of(self.n_jobs))
            scores = result["scores"]
            self._cv_results(scores[:, 0], scores[:, 2:])
            self.alpha_ = result["details"]["lambda"]
            self.costs_ = [(result["details"]["objective"], result["details"]["duality_gap"])]
            self.n_iter_ = int(result["details"]["iterations"])
            return self._keep(result)
        S = data.S(self._uncentred())
        self._search(S, data.X, y, process_routing(self, "fit", **params).splitter.split if _routing_enabled() else {})
        fit = _core.glasso_path(S, [self.alpha_], self._sharp(), max_iterations=int(self.max_iter))[0]
        return self._keep_fit(fit)

    def _search(self, S, samples, y, params):
        """Any splitter of scikit-learn, given alphas, or data without a mean to remove; refined as the core does."""
        parts = list(check_cv(self.cv, y, classifier=False).split(samples, y, **params))
        given = not isinstance(self.alphas, (int, np.integer))
        top = max(np.abs(S - np.diag(np.diagonal(S))).max(), 1e-12)
        alphas = np.sort(np.asarray(self.alphas, float))[::-1] if given else np.geomspace(top, SMALLEST_SHARE * top, self.alphas)
        if given and not (len(alphas) and alphas[-1] > 0):
            raise ValueError("alphas: they are numbers above 0")
        found: dict[float, list[float]] = {}
        for _ in range(1 if given else 1 + int(self.n_refinements)):
            new = [a for a in alphas if a not in found]
            for a, row in zip(new, np.transpose([self._scores(samples, train, test, new) for train, test in parts])):
                found[a] = list(row)
            order = sorted(found, reverse=True)
            best = max(order, key=lambda a: np.mean(found[a]))
            k, last = order.index(best), len(order) - 1
            high = best if k in (0, last) else order[k - 1]
            low = SMALLEST_SHARE * best if k == last else order[k + 1]
            if not given:
                alphas = np.geomspace(high, low, int(self.alphas) + 2)[1:-1]
        self._cv_results(np.array(order), np.array([found[a] for a in order]))
        self.alpha_ = float(best)

    def _scores(self, samples, train, test, alphas):
        """Mean log-likelihood of the held-out rows at each alpha."""
        rows, held = np.ascontiguousarray(samples[train]), samples[test]
        mean = np.zeros(rows.shape[1]) if self.assume_centered else rows.mean(0)
        S_train = _core.covariance(rows, not self.assume_centered)
        S_test = (held - mean).T @ (held - mean) / len(held)
        p = len(S_test)
        path = _core.glasso_path(S_train, [float(a) for a in alphas], float(self.tol), np.inf)
        return [0.5 * (np.linalg.slogdet(fit["Theta"])[1] - np.sum(S_test * fit["Theta"]) - p * np.log(2 * np.pi))
                for fit in path]

    def _cv_results(self, alphas, scores):
        self.cv_results_ = {"alphas": np.array(alphas)}
        for k in range(scores.shape[1]):
            self.cv_results_[f"split{k}_test_score"] = np.array(scores[:, k])
        self.cv_results_["mean_test_score"] = scores.mean(1)
        self.cv_results_["std_test_score"] = scores.std(1)


class _Chosen(_Lasso):
    """A criterion of the command line: one call of the core."""

    def _settings(self) -> str:
        raise AssertionError

    def fit(self, X, y=None):
        if self._given_covariance() and np.isnan(self._samples_count()):
            raise ValueError("covariance='precomputed' does not say of how many samples: give n_samples=")
        data = self._read(X, keep_dependent=True)
        result = _core.estimate(data, self._settings(), False, self._uncentred(), folds_in_order=True,
                                threads=threads_of(self.n_jobs))
        details = result["details"]
        self.alpha_, self.n_iter_ = details["lambda"], int(details["iterations"])
        self.costs_ = [(details["objective"], details["duality_gap"])]
        self.path_ = {name: result["scores"][:, k].copy() for k, name in enumerate(result["score_columns"])}
        self.path_["alphas"] = self.path_.pop("lambda")
        return self._keep(result)


class GraphicalLassoEBIC(_Chosen):
    """alpha by the extended Bayesian information criterion, -2 log-likelihood + edges log n + 4 gamma edges
    log p, over n_alphas values from alpha_max to ratio * alpha_max; leaves alpha_ and path_."""

    def __init__(self, *, gamma=0.5, n_alphas=30, ratio=0.01, covariance=None, n_samples=None, tol=1e-6,
                 n_jobs=None, assume_centered=False, store_precision=True):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.gamma, self.n_alphas, self.ratio, self.tol = gamma, n_alphas, ratio, tol
        self.covariance, self.n_samples, self.n_jobs = covariance, n_samples, n_jobs

    def _settings(self):
        return f"glasso-ebic:gamma={self.gamma},count={self.n_alphas},ratio={self.ratio},tol={self.tol}"


class GraphicalLassoStARS(_Chosen):
    """alpha by stability of the graph over subsamples (StARS); leaves alpha_ and path_."""

    def __init__(self, *, subsamples=20, threshold=0.1, n_alphas=30, ratio=0.01, random_state=0, tol=1e-6,
                 n_jobs=None, assume_centered=False, store_precision=True):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.subsamples, self.threshold, self.n_alphas, self.ratio = subsamples, threshold, n_alphas, ratio
        self.random_state, self.tol, self.n_jobs = random_state, tol, n_jobs

    def _settings(self):
        seed = 0 if self.random_state is None else int(self.random_state)
        return (f"glasso-stars:subsamples={self.subsamples},threshold={self.threshold},count={self.n_alphas},"
                f"ratio={self.ratio},seed={seed},tol={self.tol}")
