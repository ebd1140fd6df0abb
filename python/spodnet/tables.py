"""Turns users' data (frames, arrays, tensors, files) into numbers and names."""
from __future__ import annotations

import os
import warnings

import numpy as np

from . import _core


def table_of(data) -> tuple[np.ndarray, list[str], str]:
    """Values (n x p, float64, NaN where missing), column names (empty: none) and a title.

    data: a pandas or polars frame, an array, a tensor, or the path of a .csv, .tsv, .npy (or .gz) file.
    Columns that are not numbers are left out with a warning.
    """
    if isinstance(data, (str, os.PathLike)):
        values, names, text = _core.read_table(os.fspath(data))
        _left_out(text, 4)
        return values, list(names), os.path.basename(os.fspath(data))
    if hasattr(data, "select_dtypes") or hasattr(data, "get_column"):
        return *_frame(data), "data"
    values = np.asarray(array_of(data))
    if values.ndim == 0:
        raise ValueError(f"data is a {type(data).__name__}: a frame, an array, a tensor or a file is needed")
    if values.dtype.kind == "c":
        raise ValueError("data are complex numbers: a graph is of real ones")
    if values.ndim != 2:
        raise ValueError(f"data have {values.ndim} dimensions: a table has rows and columns")
    return np.ascontiguousarray(values, dtype=np.float64), [], "data"


def array_of(data):
    """Tensors and objects with DLPack alone as arrays, masked values as NaN; everything else as it is."""
    if isinstance(data, np.ma.MaskedArray):
        return data.astype(np.float64).filled(np.nan)
    if hasattr(data, "detach"):
        return np.asarray(data.detach().cpu())
    if hasattr(data, "__dlpack__") and not hasattr(data, "__array__"):
        return np.from_dlpack(data)
    return data


def without_columns(frame, name: str):
    """The frame without a column, and that column."""
    if not hasattr(frame, "columns") or name not in list(frame.columns):
        raise ValueError(f"there is no column {name!r}: give a frame that has it, or a label for each row")
    column = np.asarray(frame[name])
    return (frame.drop(columns=name) if hasattr(frame, "iloc") else frame.drop(name)), column


def _frame(data) -> tuple[np.ndarray, list[str]]:
    columns, names, text = [], [], []
    for k, name in enumerate(data.columns):
        values = (data.iloc[:, k] if hasattr(data, "iloc") else data[name]).to_numpy()
        try:
            if values.dtype.kind in "mMc":  # dates, times and complex numbers are no measurements
                raise TypeError
            columns.append(np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError):
            text.append(str(name))
            continue
        names.append(str(name))  # the core numbers equal names
    _left_out(text, 5)
    if not columns:
        raise ValueError("the frame has no column of numbers")
    return np.ascontiguousarray(np.column_stack(columns)), names


def _left_out(names, depth: int) -> None:
    """depth: how far up the caller of graph or compare is."""
    if names:
        warnings.warn(f"columns that are not numbers are left out: {', '.join(map(repr, names[:5]))}"
                      + (f" and {len(names) - 5} more" if len(names) > 5 else ""), stacklevel=depth)
