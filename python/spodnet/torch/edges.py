"""How well a support is found: AUC and F1 of precision matrices and of DeepGraph's probabilities, side by side."""
from __future__ import annotations

import time
from typing import Mapping

import numpy as np

from ..model import Model
from .deepgraph import DeepGraph
from .core_module import CoreModule


def compare_edges(methods: Mapping[str, object], S, Theta_true, n: int, X=None):
    """A pandas frame, best F1 first: method, auc, f1 (means over the matrices) and seconds a matrix.

    Args:
        methods: By the name of their row a DeepGraph, a Model, a module of this package (UBG, ...), a method of the
            command line as text ("glasso-ebic", "pretrained"), or a function S [count, p, p] -> strengths.
        S: [count, p, p].
        Theta_true: [count, p, p].
        n: Samples behind each S.
        X: [count, n, p], for methods that read samples.
    """
    import pandas as pd

    S, Theta_true = (np.ascontiguousarray(A, dtype=np.float64) for A in (S, Theta_true))
    rows = []
    for name, method in methods.items():
        started = time.perf_counter()
        strength, threshold = strengths(method, S, n, X)
        seconds = (time.perf_counter() - started) / len(S)
        rows.append({"method": name, **edge_scores(strength, Theta_true, threshold), "seconds": seconds})
    return pd.DataFrame(rows).sort_values("f1", ascending=False, ignore_index=True)


def strengths(method, S, n, X):
    """[count, p, p] and the threshold above which a pair is an edge (None: not 0)."""
    if isinstance(method, DeepGraph):
        return method.probabilities(S).cpu().numpy(), 0.5
    if isinstance(method, Model):
        return method.estimate_all(S, n)["Theta"], None
    if isinstance(method, CoreModule):
        return Model(method.sync()).estimate_all(S, n)["Theta"], None
    if isinstance(method, str):
        return np.stack([of_text(method, S[k], n, None if X is None else X[k]) for k in range(len(S))]), None
    return np.asarray(method(S)), None


def of_text(method, S, n, X):
    from ..precision import SpodPrecision

    if X is not None:
        return SpodPrecision(method=method).fit(X).precision_
    return SpodPrecision(method=method, covariance="precomputed", n_samples=n).fit(S).precision_


def edge_scores(strength, Theta_true, threshold: float | None = None) -> dict[str, float]:
    """AUC and F1 of the pairs i < j, the mean over matrices [count, p, p].

    Args:
        strength: Probabilities or |Theta|.
        Theta_true: Its entries that are not 0 are the edges.
        threshold: An edge is what lies above; None: what is not 0.
    """
    strength, Theta_true = np.asarray(strength), np.asarray(Theta_true)
    i, j = np.triu_indices(Theta_true.shape[-1], 1)
    aucs, f1s = [], []
    for s, T in zip(np.abs(strength)[:, i, j], Theta_true[:, i, j] != 0):
        found = s > (0 if threshold is None else threshold)
        hits = np.count_nonzero(found & T)
        f1s.append(2 * hits / max(1, np.count_nonzero(found) + np.count_nonzero(T)))
        if T.any() and not T.all():
            aucs.append(auc(s, T))
    return {"auc": float(np.mean(aucs)) if aucs else float("nan"), "f1": float(np.mean(f1s))}


def auc(score, truth) -> float:
    """The chance that a true pair scores above a false one; ties count half."""
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    values, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    mean_rank = np.bincount(inverse, ranks) / counts
    ranks = mean_rank[inverse]
    positive = np.count_nonzero(truth)
    return float((ranks[truth].sum() - positive * (positive + 1) / 2) / (positive * (len(score) - positive)))
