"""SpodPrecision and GraphicalFactorModel."""
from __future__ import annotations

import math

import numpy as np

from . import _core
from .base import CovarianceEstimator
from .counts import threads_of
from .rules import among, pairs_of, signs_of


class SpodPrecision(CovarianceEstimator):
    """Sparse precision matrix by a learned network (the models that come with spodnet), or any of its methods.

    Args:
        method: "pretrained", a model file (.safetensors), or any method of the command line, as "glasso-ebic" or
            "glasso:lambda=0.1".
        sparsity: Factor of the networks' thresholds: above 1 fewer edges.
        target: What "pretrained" is set for: nmse, f1 or precision (fewer edges, of which more are true).
        standardize: Estimate from correlations, answer in the data's units; False: as `spodnet estimate`.
        covariance: "precomputed" when fit() is given a covariance.
        n_samples: Of how many samples that covariance is.
        forbid: Pairs without an edge, by column number or name.
        sign: (a, b, +1 or -1) for the sign of a partial correlation, or "positive" / "negative" for all.
        missing: What is done with NaN: "pairwise" (as the command does), "em", "drop" (rows) or "error".
        store_precision: Keep precision_, as in scikit-learn.
        assume_centered: The columns have mean 0.
        n_jobs: Threads; the result does not depend on it.
    """

    def __init__(self, *, method="pretrained", sparsity=1.0, target="nmse", standardize=True, covariance=None,
                 n_samples=None, forbid=None, sign=None, missing="pairwise", store_precision=True,
                 assume_centered=False, n_jobs=None):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.method, self.sparsity, self.target, self.standardize = method, sparsity, target, standardize
        self.covariance, self.n_samples, self.forbid, self.sign = covariance, n_samples, forbid, sign
        self.missing, self.n_jobs = missing, n_jobs

    def _method_text(self) -> str:
        if self.target == "nmse":
            return str(self.method)
        if str(self.method).split(":")[0] != "pretrained":
            raise ValueError(f"target={self.target!r} is for method='pretrained': use sparsity")
        return f"{self.method}{',' if ':' in str(self.method) else ':'}target={self.target}"

    def fit(self, X, y=None):
        """X: samples, one a row (or a covariance, if precomputed)."""
        if not float(self.sparsity) >= 0:
            raise ValueError(f"sparsity={self.sparsity!r}: it is a factor of at least 0, 1 for the model as it was trained")
        if self.missing not in ("error", "pairwise", "em", "drop"):
            raise ValueError(f"missing={self.missing!r}: it is pairwise, em, drop or error")
        S, n, samples = self._read(X)
        if math.isnan(n):
            raise ValueError("covariance='precomputed' does not say of how many samples: give n_samples=")
        scale = None
        if self.standardize:
            scale = np.sqrt(np.diagonal(S))
            R = np.outer(scale, scale)
            S = np.divide(S, R, out=R)
            np.fill_diagonal(S, 1.0)
        names = getattr(self, "feature_names_in_", None)
        forbid, signs = (among(rules, self._kept()) for rules in (pairs_of(self.forbid, names, self.n_features_in_),
                                                                  signs_of(self.sign, names, self.n_features_in_)))
        forbid += self._apart
        mean = None if scale is None else np.zeros(len(scale)) if self._incomplete else self.location_[self._kept()]
        result = _core.estimate(self._method_text(), S, n, samples, float(self.sparsity), forbid, signs,
                                threads_of(self.n_jobs), mean, scale, True, self._incomplete)
        self.details_ = result["details"]
        return self._keep(result, scale)


class GraphicalFactorModel(CovarianceEstimator):
    """Elliptical and Gaussian graphical models of Hippert-Ferrer and others (2023), fitted to the samples.

    The precision matrix has small entries rather than exact zeros. None takes the model's own setting.

    Args:
        model: "egfm", "ggfm" (covariance of low rank plus diagonal), "egm" or "ggm" (any covariance); e is
            Student's t with nu degrees of freedom, g the Gaussian.
        rank: Of the low-rank part.
        alpha: The penalty, or several.
        nu: Degrees of freedom.
        max_iter: Steps at most.
        standardize: Estimate from columns of unit variance, answer in the data's units.
    """

    def __init__(self, *, model="egfm", rank=None, alpha=None, nu=None, max_iter=1000, standardize=True,
                 store_precision=True, assume_centered=False):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.model, self.rank, self.alpha, self.nu = model, rank, alpha, nu
        self.max_iter, self.standardize = max_iter, standardize

    def fit(self, X, y=None):
        if self.model not in ("egfm", "ggfm", "egm", "ggm"):
            raise ValueError(f"model={self.model!r}: it is egfm, ggfm, egm or ggm")
        S, n, samples = self._read(X)
        settings = {"iterations": int(self.max_iter)}
        if self.model in ("egfm", "ggfm"):
            settings["rank"] = min(10, S.shape[0]) if self.rank is None else int(self.rank)
        if self.alpha is not None:
            settings["lambda"] = "/".join(repr(float(a)) for a in np.atleast_1d(self.alpha))
        if self.nu is not None:
            settings["nu"] = repr(float(self.nu))
        scale = np.sqrt(np.diagonal(S)) if self.standardize else None
        text = f"{self.model}:" + ",".join(f"{k}={v}" for k, v in settings.items())
        result = _core.estimate(text, S, n, samples, mean=self.location_[self._kept()] if self.standardize else None, scale=scale)
        self.n_iter_ = int(result["details"]["steps"])
        self.objective_ = result["details"]["objective"]
        return self._keep(result, scale)
