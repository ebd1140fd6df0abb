"""SpodPrecision and GraphicalFactorModel."""
from __future__ import annotations

import os

import numpy as np

from . import _core
from .base import CovarianceEstimator
from .counts import number, one_of, threads_of, truth
from .rules import pairs_of, signs_of
from .tables import array_of


class SpodPrecision(CovarianceEstimator):
    """Sparse precision matrix by a learned network (the models that come with spodnet), or any of its methods.

    The same numbers as `spodnet estimate` gives with the same options, bit for bit.

    Args:
        method: "pretrained", a model file (.safetensors), a Model, or any method of the command line, as "glasso-ebic"
            or "glasso:lambda=0.1".
        sparsity: Factor of the networks' thresholds: above 1 fewer edges.
        target: What "pretrained" is set for: nmse, f1 or precision (fewer edges, of which more are true).
        standardize: Estimate from correlations where the method has no units of its own (learned models have); False:
            from covariances.
        covariance: "precomputed" when fit() is given a covariance, which is taken as it is.
        n_samples: Of how many samples that covariance is.
        forbid: Pairs without an edge, by column number or name.
        sign: (a, b, +1 or -1) for the sign of a partial correlation, or "positive" / "negative" for all.
        missing: What is done with NaN: "pairwise" (as the command does), "em", "drop" (rows) or "error".
        kind: What columns are taken for: "gaussian" (the numbers as they are), "auto" (few different values: ordered
            levels), "ordinal" or "ranks".
        robust: Correlations from ranks, "spearman" or "kendall".
        log_ratios: "clr" or "clr:COLUMNS": parts of a whole become centred log-ratios (docs/graph_statistics.md).
            score and mahalanobis then take such log-ratios.
        store_precision: Keep precision_, as in scikit-learn.
        assume_centered: The columns have mean 0.
        n_jobs: Threads; the result does not depend on it.
    """

    def __init__(self, *, method="pretrained", sparsity=1.0, target="nmse", standardize=True, covariance=None,
                 n_samples=None, forbid=None, sign=None, missing="pairwise", kind="gaussian", robust=None,
                 log_ratios=None, store_precision=True, assume_centered=False, n_jobs=None):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.method, self.sparsity, self.target, self.standardize = method, sparsity, target, standardize
        self.covariance, self.n_samples, self.forbid, self.sign = covariance, n_samples, forbid, sign
        self.missing, self.kind, self.robust, self.log_ratios, self.n_jobs = missing, kind, robust, log_ratios, n_jobs

    def _method(self):
        """What the core takes: a method's text or a model."""
        one_of(self.target, "target", ("nmse", "f1", "precision"))
        if not (hasattr(self.method, "_core") or isinstance(self.method, (str, os.PathLike))):
            raise ValueError(f"method={self.method!r}: it is a name, a model file or a Model")
        text = getattr(self.method, "_core", None) or os.fspath(self.method)
        if self.target == "nmse":
            return text
        if str(self.method).split(":")[0] != "pretrained":
            raise ValueError(f"target={self.target!r} is for method='pretrained': use sparsity")
        return f"{text}{',' if ':' in text else ':'}target={self.target}"

    def _words(self, sample_weight, X) -> dict:
        words = {"missing": "pairwise" if self.missing == "error" else self.missing, "kind": self.kind}
        for name, value in (("robust", self.robust), ("transform", self.log_ratios)):
            if value is not None:
                words[name] = value
        if sample_weight is not None:
            words["weights"] = np.ascontiguousarray(sample_weight, dtype=np.float64)
            if words["weights"].ndim != 1:
                raise ValueError(f"sample_weight has shape {words['weights'].shape}: it has one number for each row")
            rows = np.asarray(array_of(X)).shape[:1]
            if rows and rows != words["weights"].shape:
                raise ValueError(f"sample_weight has {words['weights'].size} numbers, X has {rows[0]} rows")
            if not words["weights"].any():
                raise ValueError("sample_weight: all weights are zero")
        return words

    def fit(self, X, y=None, sample_weight=None):
        """X: samples, one a row (or a covariance, if precomputed). sample_weight: how many times a row counts."""
        sparsity = number(self.sparsity, "sparsity", least=0)
        standardize = truth(self.standardize, "standardize")
        one_of(self.missing, "missing", ("pairwise", "em", "drop", "error"))
        one_of(self.kind, "kind", ("gaussian", "auto", "ordinal", "ranks"))
        if self.robust is not None:
            one_of(self.robust, "robust", ("spearman", "kendall"))
        method, threads = self._method(), threads_of(self.n_jobs)
        if self._given_covariance() and sample_weight is not None:
            raise ValueError("sample_weight is for samples, a covariance has none")
        if self._given_covariance() and np.isnan(self._samples_count()):
            raise ValueError("covariance='precomputed' does not say of how many samples: give n_samples=")
        data = self._read(X, **self._words(sample_weight, X))
        names = getattr(self, "feature_names_in_", None)
        forbid = pairs_of(self.forbid, names, self.n_features_in_)
        signs = signs_of(self.sign, names, self.n_features_in_)
        result = _core.estimate(data, method, standardize, self._uncentred(), sparsity, forbid, signs, False, threads)
        self.details_ = result["details"]
        return self._keep(result)


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
        data = self._read(X)
        settings = {"iterations": int(self.max_iter)}
        if self.model in ("egfm", "ggfm"):
            settings["rank"] = min(10, len(data.names)) if self.rank is None else int(self.rank)
        if self.alpha is not None:
            settings["lambda"] = "/".join(repr(float(a)) for a in np.atleast_1d(self.alpha))
        if self.nu is not None:
            settings["nu"] = repr(float(self.nu))
        text = f"{self.model}:" + ",".join(f"{k}={v}" for k, v in settings.items())
        result = _core.estimate(data, text, truth(self.standardize, "standardize"), self._uncentred())
        self.n_iter_ = int(result["details"]["steps"])
        self.objective_ = result["details"]["objective"]
        return self._keep(result)
