#!/usr/bin/python3
"""Graphical lasso and its cross-validation beside scikit-learn, one thread each.

    cmake --preset bench && cmake --build build --target glasso_bench
    bench/compare_sklearn.py [--seconds 1] [--blas DIR]

n = 100 samples of sparse precision matrices (alpha 0.95). A fit is compared at equal accuracy: both stop at a
duality gap of 1e-4. For cross-validation, both choices of lambda are scored by the exact solver's mean held-out
log-likelihood on the same folds (ours from the training mean's covariance is scored the same way for both).
--blas names a folder with a libblas.so.3 for scikit-learn to use, such as /usr/lib/x86_64-linux-gnu/openblas-serial.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from sklearn.covariance import GraphicalLassoCV, empirical_covariance, graphical_lasso, log_likelihood  # noqa: E402
from sklearn.datasets import make_sparse_spd_matrix  # noqa: E402

warnings.filterwarnings("ignore")
OURS = Path(__file__).resolve().parent.parent / "build/bin/glasso_bench"


def samples(p, n, seed):
    rng = np.random.RandomState(seed)
    Theta = make_sparse_spd_matrix(p, alpha=0.95, random_state=rng) + 0.1 * np.eye(p)
    return rng.multivariate_normal(np.zeros(p), np.linalg.inv(Theta), size=n)


def ours(path, *arguments):
    return json.loads(subprocess.run([OURS, path, *map(str, arguments)], check=True, capture_output=True, text=True).stdout)


def least_seconds(budget, call):
    best, start = np.inf, time.perf_counter()
    while True:
        before = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - before)
        if time.perf_counter() - start > budget:
            return best, result


def held_out(X, lam, folds=5):
    """Mean held-out log-likelihood of accurate fits; the test covariance is taken about the training mean."""
    scores = []
    for test in np.array_split(np.arange(len(X)), folds):
        train = np.setdiff1d(np.arange(len(X)), test)
        mean = X[train].mean(0)
        Theta = graphical_lasso(empirical_covariance(X[train]), lam, tol=1e-4, max_iter=300)[1]
        difference = X[test] - mean
        scores.append(log_likelihood(difference.T @ difference / len(test), Theta))
    return np.mean(scores)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="per contender")
    parser.add_argument("--blas", help="folder with a libblas.so.3")
    args = parser.parse_args()
    if args.blas and os.environ.get("LD_LIBRARY_PATH") != args.blas:  # read by the loader, before Python starts
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "LD_LIBRARY_PATH": args.blas})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.npy"
        for p in (20, 100, 500):
            X = samples(p, 100, p)
            np.save(path, X)
            S = empirical_covariance(X)
            lam = 0.2 * np.abs(S - np.diag(np.diag(S))).max() if p < 500 else 0.4 * np.abs(S - np.diag(np.diag(S))).max()
            theirs, _ = least_seconds(args.seconds, lambda: graphical_lasso(S, lam, tol=1e-4, max_iter=500))
            mine = ours(path, "fit", lam, 1e-4, args.seconds)
            print(f"fit p={p} lambda={lam:.3g}: scikit-learn {1e3 * theirs:.2f} ms, ours {1e3 * mine['seconds']:.3f} ms, "
                  f"ratio {theirs / mine['seconds']:.1f} (our gap {mine['gap']:.1e}, {mine['edges']} edges)", flush=True)
        for p in (20, 100):
            X = samples(p, 100, p)
            np.save(path, X)
            theirs, model = least_seconds(args.seconds, lambda: GraphicalLassoCV().fit(X))
            mine = ours(path, "cv", args.seconds)
            print(f"cv p={p}: scikit-learn {theirs:.3f} s (lambda {model.alpha_:.4g}, held out {held_out(X, model.alpha_):.4f}), "
                  f"ours {mine['seconds']:.4f} s (lambda {mine['lambda']:.4g}, held out {held_out(X, mine['lambda']):.4f}), "
                  f"ratio {theirs / mine['seconds']:.1f}", flush=True)


if __name__ == "__main__":
    main()
