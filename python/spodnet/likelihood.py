"""Rows with gaps under a Gaussian: each row by the values it has."""
from __future__ import annotations

import numpy as np


def _patterns(rows):
    """Rows that miss the same columns, with these columns' places: (rows, columns) each, without empty ones."""
    known = ~np.isnan(rows)
    _, group = np.unique(known, axis=0, return_inverse=True)
    group = np.ravel(group)
    for k in range(group.max() + 1 if len(group) else 0):
        members = np.flatnonzero(group == k)
        columns = np.flatnonzero(known[members[0]])
        if len(columns):
            yield members, columns


def _whitened(rows, W):
    """(members, columns, sum of squares, log det W) of each pattern; rows are about their mean."""
    for members, columns in _patterns(rows):
        L = np.linalg.cholesky(W[np.ix_(columns, columns)])
        z = np.linalg.solve(L, rows[np.ix_(members, columns)].T)
        yield members, columns, (z * z).sum(0), 2 * np.log(np.diagonal(L)).sum()


def row_distances(rows, W) -> np.ndarray:
    """x' W^-1 x of the values observed; 0 for a row without one."""
    out = np.zeros(len(rows))
    for members, _, squares, _ in _whitened(rows, W):
        out[members] = squares
    return out


def row_log_likelihoods(rows, W) -> np.ndarray:
    """log N(x; 0, W) of the values observed, of the rows that have one."""
    out = np.full(len(rows), np.nan)
    for members, columns, squares, log_det in _whitened(rows, W):
        out[members] = -0.5 * (squares + log_det + len(columns) * np.log(2 * np.pi))
    out = out[~np.isnan(out)]
    if not len(out):
        raise ValueError("score: no row has a value")
    return out
