"""Checks settings that users give: threads, counts, seeds, numbers, truth values and words."""
from __future__ import annotations

import math
import operator
import os
from numbers import Real

import numpy as np


def threads_of(n_jobs: int | None) -> int:
    """scikit-learn's n_jobs: None is 1, negative is counted from all cores. No result depends on it."""
    if n_jobs is None:
        return 1
    n_jobs = whole(n_jobs, "n_jobs", least=None)
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: it is a number of threads, or -1 for all cores")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else n_jobs


def whole(value, name: str, least: int | None = 0) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}={value!r}: it is a whole number") from None
    if least is not None and number < least:
        raise ValueError(f"{name}={value!r}: it is at least {least}")
    return number


def number(value, name: str, *, least: float | None = None, above: float | None = None) -> float:
    """A number as float; words, truth values, NaN and infinity are refused."""
    if isinstance(value, (bool, str)) or not isinstance(value, Real):
        raise ValueError(f"{name}={value!r}: it is a number")
    if not math.isfinite(value) or (least is not None and value < least) or (above is not None and value <= above):
        limit = f" of at least {least:g}" if least is not None else f" above {above:g}" if above is not None else ""
        raise ValueError(f"{name}={value!r}: it is a number{limit}")
    return float(value)


def truth(value, name: str) -> bool:
    """True or False, also NumPy's; not a word, which would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={value!r}: it is True or False")
    return bool(value)


def one_of(value, name: str, words) -> str:
    if value not in words:
        raise ValueError(f"{name}={value!r}: it is {', '.join(words[:-1])} or {words[-1]}")
    return value
