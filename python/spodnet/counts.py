"""Whole numbers as they come: threads, counts, seeds."""
from __future__ import annotations

import operator
import os


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
