"""What the estimators share: scikit-learn's EmpiricalCovariance with the core behind it."""
from __future__ import annotations

import warnings
from numbers import Real

import numpy as np
from sklearn.covariance import EmpiricalCovariance, empirical_covariance, log_likelihood
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from . import _core
from .tables import array_of


class CovarianceEstimator(EmpiricalCovariance):
    """fit() leaves location_, covariance_, precision_ (exact zeros, SPD), partial_correlation_, residual_
    (the Frobenius norm of precision_ @ covariance_ - I) and status_ ("ok", or what went wrong).

    A column that is constant or has no value is left out, with a warning; left_out_ has their numbers. Its
    rows and columns of covariance_ and precision_ are 0, as the pseudo-inverse of scikit-learn's
    EmpiricalCovariance has them: SPD is the rest."""

    def __init__(self, *, store_precision=True, assume_centered=False):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)

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
        values = validate_data(
            self, array_of(X), dtype=np.float64, order="C", ensure_min_features=2,
            ensure_min_samples=1 if self._given_covariance() else 2,
            ensure_all_finite="allow-nan" if self._allow_nan() else True)
        if hasattr(X, "get_column") and not hasattr(self, "feature_names_in_"):
            self.feature_names_in_ = np.array(X.columns, dtype=object)  # scikit-learn 1.6 asks polars in vain
        return values

    def _read(self, X):
        """X validated; sets location_ and n_samples_ and returns S, n and, unless only S is known, the samples:
        all of the columns that are kept."""
        self._incomplete, self._apart = False, []  # S is the covariance of the samples
        S, n, X = self._covariance_of(X) if self._given_covariance() else self._moments(self._validated(X))
        self.n_samples_ = n
        return S, n, X

    def _covariance_of(self, S):
        S = self._validated(S)
        if S.shape[0] != S.shape[1]:
            raise ValueError(f"a precomputed covariance is square, not {S.shape[0]} x {S.shape[1]}")
        self.location_ = np.zeros(S.shape[1])
        kept = self._leave_out(np.diagonal(S) == 0, "has no variance")
        return S if kept is None else np.ascontiguousarray(S[np.ix_(kept, kept)]), self._samples_count(), None

    def _moments(self, X):
        gaps = self._allow_nan() and np.isnan(X).any()
        if gaps and self.assume_centered:
            raise ValueError("assume_centered=True: data with missing values are centred by their means")
        if gaps and self.missing == "drop":
            empty = np.isnan(X).all(0)
            X, gaps = X[~np.isnan(X[:, ~empty]).any(1)], False
            X[:, empty] = 0
            if len(X) < 2:
                raise ValueError(f"{len(X)} rows have all values, at least 2 are needed: missing='pairwise' keeps the others")
        if gaps:
            return self._incomplete_moments(X[~np.isnan(X).all(1)])
        self.location_ = np.zeros(X.shape[1]) if self.assume_centered else X.mean(0)
        S = _core.covariance(X, not self.assume_centered)
        kept = self._leave_out(~(np.diagonal(S) > 0), "is constant or has no value")
        if kept is not None:
            S, X = np.ascontiguousarray(S[np.ix_(kept, kept)]), np.ascontiguousarray(X[:, kept])
        return S, float(X.shape[0]), X

    def _incomplete_moments(self, X):
        least = np.fmin.reduce(X, 0)
        kept = self._leave_out(~(least < np.fmax.reduce(X, 0)), "is constant or has no value")
        self.location_ = np.nan_to_num(least)  # 0 where there is no value
        X = X if kept is None else np.ascontiguousarray(X[:, kept])
        found = _core.moments(X, self.missing)
        self.location_[self._kept()] = found["mean"]
        self._incomplete, self._apart = True, hardly_together(X)
        return found["S"], found["n"], found["X"]

    def _leave_out(self, bad, why):
        """Keeps the numbers of these columns in left_out_; returns those of the others, None where that is all."""
        self.left_out_ = np.flatnonzero(bad)
        if not self.left_out_.size:
            return None
        if len(bad) - self.left_out_.size < 2:
            raise ValueError(f"column {self.left_out_[0]} of X {why}: fewer than 2 columns are left, at least 2 are needed")
        more = self.left_out_.size - 1
        warnings.warn(f"column {self.left_out_[0]} of X {why}{f', and {more} more' if more else ''}: left out, 0 in "
                      "precision_ and covariance_", UserWarning, stacklevel=5)
        return np.flatnonzero(~np.asarray(bad))

    def _kept(self):
        """Numbers of the columns that the estimate has."""
        return np.delete(np.arange(self.n_features_in_), self.left_out_)

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
        if self.left_out_.size:
            Theta, W = (np.insert(np.insert(A, at := self.left_out_ - np.arange(self.left_out_.size), 0, 0), at, 0, 1)
                        for A in (Theta, W))
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
        if self.store_precision:
            return self.precision_
        kept = np.ix_(self._kept(), self._kept())
        precision = np.zeros_like(self.covariance_)
        precision[kept] = np.linalg.inv(self.covariance_[kept])
        return precision

    def score(self, X_test, y=None):
        """The mean log-likelihood of rows, of the columns that were not left out."""
        if not self.left_out_.size:
            return super().score(X_test, y)
        X = validate_data(self, array_of(X_test), dtype=np.float64, reset=False)
        kept = self._kept()
        S = empirical_covariance(X[:, kept] - self.location_[kept], assume_centered=True)
        return log_likelihood(S, self.get_precision()[np.ix_(kept, kept)])


def hardly_together(X: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of columns with fewer common rows than a correlation needs (half of the rows, at least 3 and at most
    10): nothing is known of a link between them, so they get no edge."""
    known = (~np.isnan(X)).astype(np.float64)
    enough = min(max(len(X) // 2, 3), 10)
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(known.T @ known < enough, 1))]
    if pairs:
        warnings.warn(f"{len(pairs)} pairs of columns have fewer than {enough} rows in common and get no edge", UserWarning,
                      stacklevel=6)
    return pairs


def partial_correlations(Theta: np.ndarray) -> np.ndarray:
    """-Theta_ij / sqrt(Theta_ii Theta_jj), 1 on the diagonal; exact zeros stay."""
    d = np.sqrt(np.diagonal(Theta))
    d = np.where(d > 0, d, 1.0)  # of columns left out
    R = -Theta / np.outer(d, d) + 0.0  # no negative zeros
    np.fill_diagonal(R, 1.0)
    return R
