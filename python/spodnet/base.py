"""What the estimators share: scikit-learn's EmpiricalCovariance with the core behind it."""
from __future__ import annotations

import warnings

import numpy as np
from sklearn.covariance import EmpiricalCovariance, log_likelihood
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from .counts import number, truth
from .likelihood import row_distances, row_log_likelihoods
from .tables import array_of


class CovarianceEstimator(EmpiricalCovariance):
    """fit() leaves location_, covariance_, precision_ (exact zeros, SPD), partial_correlation_, residual_
    (the Frobenius norm of precision_ @ covariance_ - I) and status_ ("ok", "replaced" where the data contradict a
    learned estimate and another took its place, or what went wrong).

    The table is made ready by the library, as the command does it. A column that is left out (constant, without a
    value, or a function of others) is named in a warning; left_out_ has the numbers. Its rows and columns of
    covariance_ and precision_ are 0, as the pseudo-inverse of scikit-learn's EmpiricalCovariance has them: SPD is
    the rest."""

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

    def _validated(self, X, reset=True):
        values = validate_data(
            self, array_of(X), reset=reset, dtype=np.float64, order="C", ensure_min_features=2 if reset else 1,
            ensure_min_samples=1 if self._given_covariance() or not reset else 2,
            ensure_all_finite="allow-nan" if self._allow_nan() else True)
        if reset:
            self._frames = "polars" if hasattr(X, "get_column") else "pandas"
            if hasattr(X, "get_column") and not hasattr(self, "feature_names_in_"):
                self.feature_names_in_ = np.array(X.columns, dtype=object)  # scikit-learn 1.6 asks polars in vain
        return values

    def _read(self, X, **words):
        """X as the library makes it ready (words: of TableRequest); sets location_, left_out_ and n_samples_."""
        given = self._given_covariance()
        X = self._validated(X)
        if given and X.shape[0] != X.shape[1]:
            raise ValueError(f"a precomputed covariance is square, not {X.shape[0]} x {X.shape[1]}")
        if given:
            words = {"n": self._samples_count(), "keep_dependent": words.get("keep_dependent", False)}
        names = getattr(self, "feature_names_in_", [f"column {k} of X" for k in range(X.shape[1])])
        data = _core.prepare(X, [str(name) for name in names], {"diagnose": False, **words})
        for kind, text in data.notes:
            if kind == "warning":
                warnings.warn(text, UserWarning, stacklevel=3)
        kept = np.array(data.kept)
        self.left_out_ = np.delete(np.arange(X.shape[1]), kept)
        self.n_samples_ = data.n
        self.location_ = np.zeros(X.shape[1])
        if not given and not self.assume_centered:
            self.location_[self.left_out_] = plain_means(X[:, self.left_out_])
            self.location_[kept] = data.mean
        return data

    def _kept(self):
        """Numbers of the columns that the estimate has."""
        return np.delete(np.arange(self.n_features_in_), self.left_out_)

    def _samples_count(self) -> float:
        n = getattr(self, "n_samples", None)
        return float("nan") if n is None else number(n, "n_samples", above=0)

    def _uncentred(self) -> bool:
        return truth(self.assume_centered, "assume_centered") and not self._given_covariance()

    def _keep(self, result):
        """Leaves the result of the core as attributes."""
        Theta, W = result["Theta"], result["W"]
        if self.left_out_.size:
            Theta, W = (np.insert(np.insert(A, at := self.left_out_ - np.arange(self.left_out_.size), 0, 0), at, 0, 1)
                        for A in (Theta, W))
        self.covariance_ = W
        self.precision_ = Theta if self.store_precision else None
        self.partial_correlation_ = partial_correlations(Theta)
        self.residual_ = float(result["residual"])
        self.status_ = result["status"]
        if self.status_ == "ok" and not (np.isfinite(Theta).all() and np.isfinite(W).all()):
            self.status_ = "not_finite"
        if self.status_ != "ok":
            warnings.warn(result.get("message") or f"{type(self).__name__}: {self.status_}", ConvergenceWarning,
                          stacklevel=3)
        elif result.get("message"):
            warnings.warn(result["message"], UserWarning, stacklevel=3)  # of a model file that the data contradict
        return self

    def get_precision(self):
        """The precision matrix, exact zeros where there is no edge."""
        if self.store_precision:
            return self.precision_
        kept = np.ix_(self._kept(), self._kept())
        precision = np.zeros_like(self.covariance_)
        precision[kept] = np.linalg.inv(self.covariance_[kept])
        return precision

    def to_frame(self, what="precision"):
        """precision, covariance or partial_correlation with the names of the columns: a polars frame (first column
        "variable") where one was fitted, else a pandas frame."""
        check_is_fitted(self)
        if what not in ("precision", "covariance", "partial_correlation"):
            raise ValueError(f"to_frame({what!r}): it is precision, covariance or partial_correlation")
        values = self.get_precision() if what == "precision" else getattr(self, what + "_")
        names = [str(name) for name in getattr(self, "feature_names_in_", range(self.n_features_in_))]
        if self._frames == "polars":
            import polars as pl

            return pl.DataFrame({"variable": names, **dict(zip(names, values.T))})
        import pandas as pd

        return pd.DataFrame(values, index=names, columns=names)

    def _rows(self, X):
        """Rows as fit took them, about the mean, of the columns that were not left out."""
        check_is_fitted(self)
        X, kept = self._validated(X, reset=False), self._kept()
        return X[:, kept] - self.location_[kept], self.covariance_[np.ix_(kept, kept)]

    def score(self, X_test, y=None):
        """The mean log-likelihood of rows, each of the values it has (NaN: not observed), in the columns that were not
        left out. With covariance="precomputed" X_test is a covariance, too."""
        if not self._given_covariance():
            return float(np.mean(row_log_likelihoods(*self._rows(X_test))))
        kept = np.ix_(self._kept(), self._kept())
        S = self._validated(X_test, reset=False)
        if S.shape[0] != S.shape[1]:
            raise ValueError(f"covariance='precomputed': score takes a covariance, not {S.shape[0]} x {S.shape[1]} numbers")
        return float(log_likelihood(S[kept], self.get_precision()[kept]))

    def mahalanobis(self, X):
        """The squared Mahalanobis distance of each row, of the values it has (NaN: not observed)."""
        return row_distances(*self._rows(X))


def plain_means(X: np.ndarray) -> np.ndarray:
    """Means of the values observed; 0 of a column without one."""
    known = ~np.isnan(X)
    return np.where(known, X, 0.0).sum(0) / np.maximum(known.sum(0), 1)


def partial_correlations(Theta: np.ndarray) -> np.ndarray:
    """-Theta_ij / sqrt(Theta_ii Theta_jj), 1 on the diagonal; exact zeros stay."""
    d = np.sqrt(np.diagonal(Theta))
    d = np.where(d > 0, d, 1.0)  # of columns left out
    R = -Theta / np.outer(d, d) + 0.0  # no negative zeros
    np.fill_diagonal(R, 1.0)
    return R
