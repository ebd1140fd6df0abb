"""What several tests share: recorded files, problems, modules of torch."""
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench" / "peers"))
from problem import read_safetensors  # noqa: E402, F401 (for the tests)


def under(arrays, prefix):
    return {name[len(prefix):]: x for name, x in arrays.items() if name.startswith(prefix)}


def sparse_precision(p, rng, density=0.2):
    A = np.tril(rng.uniform(0.1, 0.9, (p, p)) * (rng.uniform(size=(p, p)) < density), -1)
    L = A - np.eye(p)
    return L.T @ L + 0.1 * np.eye(p)


def samples(n, p, seed=0, density=0.2):
    """X of n Gaussian rows and the precision behind them."""
    rng = np.random.RandomState(seed)
    Theta = sparse_precision(p, rng, density)
    return rng.standard_normal((n, p)) @ np.linalg.inv(np.linalg.cholesky(Theta)), Theta


def covariances(count, p, n=60, seed=0):
    """S and Theta_true, [count, p, p] each."""
    S, T = [], []
    for k in range(count):
        X, Theta = samples(n, p, seed + k)
        X = X - X.mean(0)
        S.append(X.T @ X / n)
        T.append(Theta)
    return np.stack(S), np.stack(T)
