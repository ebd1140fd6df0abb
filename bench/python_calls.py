#!/usr/bin/env python3
"""The Python package around its core: GraphicalLassoCV beside scikit-learn's, the overhead of a call, threads, memory.

    python bench/python_calls.py [cv] [call] [threads] [team] [memory]      in an environment with spodnet and scikit-learn

Times are CPU seconds of this process, the least of several rounds; threads: wall clock.
"""
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from compare_python import least, peak_of
from sklearn.base import clone

import spodnet
from spodnet.__main__ import command as spodnet_command


def bench_cv(p=100, n=100):
    from sklearn.covariance import GraphicalLassoCV

    X = spodnet.generate(p, n, count=1, seed=1, samples=True)["X"][0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = least([lambda: spodnet.GraphicalLassoCV().fit(X), lambda: GraphicalLassoCV().fit(X)], 2, 0.0)
    print(f"GraphicalLassoCV, p = {p}, n = {n}: {1e3 * ours:.1f} ms, scikit-learn's {1e3 * theirs:.0f} ms: {theirs / ours:.0f} times")


def bench_call(p=20):
    """What lies around the core's own work: Python's part, and a call of the core that does next to nothing."""
    S = np.ascontiguousarray(np.eye(p) + 0.1)
    model = spodnet.Model.make("ubg", p)
    tiny = np.eye(2)
    whole, core, empty = least([lambda: model.estimate(S, 100), lambda: model._core.estimate(S[None], [100.0], 1.0),
                                lambda: spodnet._core.covariance(tiny, True)], 7, 0.2)
    print(f"Model.estimate, p = {p}: {1e6 * whole:.1f} us, over C++ {1e6 * (whole - core + empty):.1f} us (Python "
          f"{1e6 * (whole - core):.1f}, an empty call of the core {1e6 * empty:.1f})")


def bench_threads(count=4):
    """Four fits at once in threads and in processes: the same wall time where the GIL is no hindrance."""
    X = spodnet.generate(60, 200, count=1, samples=True)["X"][0]

    def fit():
        spodnet.GraphicalLassoStARS().fit(X)

    def in_threads(k):
        team = [threading.Thread(target=fit) for _ in range(k)]
        for x in team:
            x.start()
        for x in team:
            x.join()

    def in_processes(k):
        children = []
        for _ in range(k):
            children.append(os.fork())
            if children[-1] == 0:
                fit()
                os._exit(0)
        for child in children:
            os.waitpid(child, 0)

    def wall(body, k):
        t = time.perf_counter()
        body(k)
        return time.perf_counter() - t

    fit()
    best = {(body, k): min(wall(body, k) for _ in range(3)) for k in (1, count) for body in (in_threads, in_processes)}
    speed = {body: count * best[body, 1] / best[body, count] for body in (in_threads, in_processes)}
    print(f"threads: {count} fits at once, speed-up {speed[in_threads]:.2f} in threads, {speed[in_processes]:.2f} in processes, "
          f"on {os.cpu_count()} cores")


def bench_team(count=4, problems=32, p=120):
    """Fits by the pretrained models in `count` Python threads, and the command's C++ threads on the same problems."""
    data = list(spodnet.generate(p, 2 * p, count=problems, samples=True, generator="bands")["X"])
    one = spodnet.SpodPrecision(method="pretrained:form=standardized", standardize=False)

    def fits(k):
        with ThreadPoolExecutor(k) as team:
            return list(team.map(lambda X: clone(one).fit(X).precision_, data))

    def command(k):
        subprocess.run([spodnet_command(), "estimate", file, "--method", "pretrained:form=standardized", "--threads", str(k),
                        "-o", file + ".out.safetensors", "--quiet"], check=True)

    def wall(body, k):
        t = time.perf_counter()
        body(k)
        return time.perf_counter() - t

    with tempfile.TemporaryDirectory() as folder:
        file = folder + "/data.safetensors"
        subprocess.run([spodnet_command(), "generate", "--p", str(p), "--n", str(2 * p), "--count", str(problems), "--generator", "bands",
                        "-o", file, "--quiet"], check=True)
        same = all(np.array_equal(a, b) for a, b in zip(fits(1), fits(count)))
        best = {(body, k): min(wall(body, k) for _ in range(5)) for body in (fits, command) for k in (1, count)}
    print(f"threads: {problems} fits at p = {p}, {count} threads on {os.cpu_count()} cores, speed-up "
          f"{best[fits, 1] / best[fits, count]:.2f} in Python ({best[fits, count]:.3f} s), {best[command, 1] / best[command, count]:.2f} "
          f"in C++ ({best[command, count]:.3f} s); the same bits: {same}")


def bench_memory():
    X = np.random.RandomState(0).standard_normal((200000, 100))
    Z = np.random.RandomState(0).standard_normal((3000, 1500))
    S = Z.T @ Z / 3000
    spodnet.SpodPrecision().fit(X[:500])
    base = peak_of(lambda: None)
    for name, estimator, data, unit in (
            ("SpodPrecision()", spodnet.SpodPrecision(), X, "X"),
            ("SpodPrecision(method='glasso-cv')", spodnet.SpodPrecision(method="glasso-cv:folds=2,grid=2,refinements=0"), X, "X"),
            ("GraphicalLassoCV()", spodnet.GraphicalLassoCV(cv=2, alphas=2, n_refinements=0), X, "X"),
            ("SpodPrecision(covariance='precomputed', standardize=False, method='oas')",
             spodnet.SpodPrecision(covariance="precomputed", n_samples=9, standardize=False, method="oas"), S, "S")):
        peak = peak_of(lambda: estimator.fit(data)) - base
        print(f"memory: {name}.fit({unit} of {data.nbytes / 2**20:.0f} MB): {peak:.0f} MB more at its peak")


if __name__ == "__main__":
    for word in sys.argv[1:] or ["cv", "call", "threads", "team", "memory"]:
        {"cv": bench_cv, "call": bench_call, "threads": bench_threads, "team": bench_team, "memory": bench_memory}[word]()
