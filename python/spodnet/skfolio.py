"""SpodCovariance: the library's estimates as a covariance estimator of skfolio, for portfolios."""
from __future__ import annotations

import numpy as np
from sklearn.utils.validation import validate_data
from skfolio.moments.covariance import BaseCovariance

from .precision import SpodPrecision


class SpodCovariance(BaseCovariance):
    """The inverse of a sparse precision matrix, as skfolio's optimizers take it.

    Assets without a price or without variance are left out: NaN in covariance_ and location_, as skfolio has it, and
    so are assets that follow exactly from others. precision_ and partial_correlation_ have NaN there, too.

    Args:
        method: As SpodPrecision's: "pretrained", a model file, a Model, "nonlinear-shrinkage", "glasso-ebic", ...
        sparsity: Factor of the networks' thresholds.
        target: What "pretrained" is set for: nmse, f1 or precision.
        standardize: Estimate from correlations where the method has no units of its own.
        missing: What is done with NaN: "pairwise", "em", "drop" (rows) or "error".
        n_jobs: Threads; the result does not depend on it.
        assume_centered: The returns have mean 0.
        nearest: skfolio's; the estimate is positive definite without it.
        higham: skfolio's.
        higham_max_iteration: skfolio's.
    """

    def __init__(self, method="pretrained", sparsity=1.0, target="nmse", standardize=True, missing="pairwise", n_jobs=None,
                 assume_centered=False, nearest=True, higham=False, higham_max_iteration=100):
        super().__init__(assume_centered=assume_centered, nearest=nearest, higham=higham,
                         higham_max_iteration=higham_max_iteration)
        self.method, self.sparsity, self.target, self.standardize = method, sparsity, target, standardize
        self.missing, self.n_jobs = missing, n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def fit(self, X, y=None, **fit_params):
        """X: returns, one row a period. fit_params: sample_weight, as SpodPrecision's."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2, ensure_min_features=2,
                          ensure_all_finite=True if self.missing == "error" else "allow-nan")
        found = SpodPrecision(method=self.method, sparsity=self.sparsity, target=self.target, standardize=self.standardize,
                              missing=self.missing, assume_centered=self.assume_centered, n_jobs=self.n_jobs).fit(X, **fit_params)
        self.left_out_, self.status_ = found.left_out_, found.status_
        self.location_ = found.location_.copy()
        self.precision_, self.partial_correlation_ = found.precision_.copy(), found.partial_correlation_.copy()
        covariance = found.covariance_.copy()
        for values in (self.location_, covariance, self.precision_, self.partial_correlation_):
            values[self.left_out_] = np.nan
        for values in (covariance, self.precision_, self.partial_correlation_):
            values[:, self.left_out_] = np.nan
        self._set_covariance(covariance)
        return self
