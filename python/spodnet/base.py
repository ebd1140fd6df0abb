"""What the estimators share: scikit-learn's EmpiricalCovariance with the core behind it."""
from __future__ import annotations

import warnings
from numbers import Real

import numpy as np
from sklearn.covariance import EmpiricalCovariance
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from . import _core


class CovarianceEstimator(EmpiricalCovariance):
    """fit() leaves location_, covariance_, precision_ (exact zeros, SPD), partial_correlation_, residual_
    (the Frobenius norm of precision_ @ covariance_ - I) and status_ ("ok", or what went wrong)."""

    def __init__(self, *, store_precision=True, assume_centered=False):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)

    # How much an estimator's own _samples() asks of the data.
    _missing = "error"
    _covariance = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allow_nan()
        return tags

    def _allow_nan(self) -> bool:
        return getattr(self, "missing", "error") != "error"

    def _given_covariance(self) -> bool:
        covariance = getattr(self, "covariance", None)
        if covariance not in (None, "precomputed"):
            raise ValueError(f"covariance={covariance!r}: it is None or 'precomputed'")
        return covariance == "precomputed"

    def _validated(self, X):
        return validate_data(
            self, X, dtype=np.float64, order="C", ensure_min_features=2,
            ensure_min_samples=1 if self._given_covariance() else 2,
            ensure_all_finite="allow-nan" if self._allow_nan() else True)

    def _read(self, X):
        """X validated; sets location_ and n_samples_ and returns S, n and, unless only S is known, the samples."""
        S, n, X = self._moments(self._validated(X))
        self.n_samples_ = n
        return S, n, X

    def _moments(self, X):
        if self._given_covariance():
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"a precomputed covariance is square, not {X.shape[0]} x {X.shape[1]}")
            self.location_ = np.zeros(X.shape[1])
            return X, self._samples_count(), None
        if self._allow_nan() and np.isnan(X).any():
            if self.assume_centered:
                raise ValueError("assume_centered=True: data with missing values are centred by their means")
            refuse_columns(np.isnan(X).all(0), "has no value")
            refuse_columns(np.nanmin(X, 0) == np.nanmax(X, 0), "is constant")
            found = _core.moments(X, self.missing, True)
            refuse_columns(np.diagonal(found["S"]) == 0, "is constant in the rows without a missing value")
            self.location_ = found["mean"]
            return found["S"], found["n"], found["X"]
        self.location_ = np.zeros(X.shape[1]) if self.assume_centered else X.mean(0)
        S = _core.covariance(X, not self.assume_centered)
        refuse_columns(np.diagonal(S) == 0, "is constant")
        return S, float(X.shape[0]), X

    def _samples_count(self) -> float:
        n = getattr(self, "n_samples", None)
        if n is None:
            return float("nan")
        if not isinstance(n, Real) or not n > 0:
            raise ValueError(f"n_samples={n!r}: it is the number of samples behind the covariance")
        return float(n)

    def _keep(self, result, scale=None):
        """Leaves the result of the core as attributes, in units of `scale`."""
        Theta, W = result["Theta"], result["W"]
        if scale is not None:  # the core's arrays are ours alone
            unit = np.outer(scale, scale)
            Theta, W = np.divide(Theta, unit, out=Theta), np.multiply(W, unit, out=W)
        self.covariance_ = W
        self.precision_ = Theta if self.store_precision else None
        self.partial_correlation_ = partial_correlations(Theta)
        self.residual_ = float(result["residual"])
        self.status_ = result["status"]
        if self.status_ != "ok":
            warnings.warn(result.get("message") or f"{type(self).__name__}: {self.status_}", ConvergenceWarning,
                          stacklevel=3)
        return self

    def get_precision(self):
        """The precision matrix, exact zeros where there is no edge."""
        return self.precision_ if self.store_precision else np.linalg.inv(self.covariance_)


def refuse_columns(bad: np.ndarray, why: str) -> None:
    """What the command leaves out with a note: an estimator has as many variables as X."""
    columns = np.flatnonzero(bad)
    if columns.size:
        raise ValueError(f"column {columns[0]} of X {why}: it has no place in a graph; remove it")


def partial_correlations(Theta: np.ndarray) -> np.ndarray:
    """-Theta_ij / sqrt(Theta_ii Theta_jj), 1 on the diagonal; exact zeros stay."""
    d = np.sqrt(np.diagonal(Theta))
    R = -Theta / np.outer(d, d) + 0.0  # no negative zeros
    np.fill_diagonal(R, 1.0)
    return R
