"""scikit-learn's n_jobs as a number of threads."""
from __future__ import annotations

import os


def threads_of(n_jobs: int | None) -> int:
    """None: 1; negative: counted from all cores. No result depends on it."""
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: it is a number of threads, or -1 for all cores")
    if n_jobs is None:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else max(1, int(n_jobs))
