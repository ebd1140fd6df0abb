"""Sparse symmetric positive-definite matrices by construction: precision matrices and graphs from data.

Everything is computed by the C++ library; what needs scikit-learn, pandas or torch imports it when it is
first used.
"""
from __future__ import annotations

import importlib

from ._core import Error, version as _version

__version__ = _version()
Error.__doc__ = "Bad input: one line with the place, the cause and the remedy."

_WHERE = {
    "SpodPrecision": "precision",
    "GraphicalFactorModel": "precision",
    "GraphicalLasso": "graphical_lasso",
    "GraphicalLassoCV": "graphical_lasso",
    "GraphicalLassoEBIC": "graphical_lasso",
    "GraphicalLassoStARS": "graphical_lasso",
    "Difference": "differences",
    "difference": "differences",
    "Graph": "graphs",
    "compare": "graphs",
    "graph": "graphs",
    "Model": "model",
    "generate": "model",
    "mne_covariance": "mne",
    "train": "model",
}

__all__ = ["Error", "__version__", *_WHERE]


def __getattr__(name: str):
    if name in _WHERE:
        return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    if name == "torch":
        return importlib.import_module(f"{__name__}.torch")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_WHERE, "torch"])
