"""SpodLayer inside a network for SPD matrices: which of three kinds a short series of several channels is.

    python examples/series_network.py [--seeds 10] [--lengths 20 48]     in an environment with spodnet and spd-learn (torch 2)

covariance -> (SpodLayer) -> BiMap -> ReEig -> LogEig -> linear, the last four by spd-learn; trained on 150 series, tried on 600
others. What goes into BiMap: S + 0.1 I ("covariance"), its inverse ("inverse"), or the inverse after two layers ("SpodLayer").
"""
import argparse

import numpy as np
import torch
from spd_learn.modules import BiMap, LogEig, ReEig
from torch import nn

from gallery import Step, layers_of

P, KINDS, WIDTH = 16, 3, 8
FIRST = ("covariance", "inverse", "SpodLayer")
torch.set_default_dtype(torch.float64)


class Network(nn.Module):
    """Scores of the kinds for series [B, P, length]."""

    def __init__(self, first):
        super().__init__()
        self.first = first
        self.layers = nn.ModuleList(layers_of(Step, count=2 if first == "SpodLayer" else 0))
        self.rest = nn.Sequential(BiMap(P, WIDTH), ReEig(), LogEig(), nn.Linear(WIDTH * (WIDTH + 1) // 2, KINDS))

    def forward(self, X):
        X = X - X.mean(2, keepdim=True)
        S = X @ X.mT / X.size(2)
        S = (S + S.mT) / 2
        A = S + 0.1 * torch.eye(P)
        if self.first != "covariance":
            A = torch.linalg.inv(A)
            A = (A + A.mT) / 2
        for layer in self.layers:
            A, _ = layer(A, S=S)
        return self.rest(A)


def precision(random, edges, signs):
    """Partial correlations of 0.15 to 0.35 on the edges, made SPD, and a random scale for each channel."""
    A = np.where(edges, random.uniform(0.15, 0.35, (P, P)) * signs, 0)
    A = np.tril(A, -1)
    A = A + A.T
    A[np.diag_indices(P)] = max(1.0, 0.1 - np.linalg.eigvalsh(A)[0])
    gain = np.exp(random.normal(0, 0.2, P))
    return A / np.outer(gain, gain)


def series(count, length, seed):
    """X [count, P, length] and the kind of each: 14 edges that all kinds share and 5 of its own; each series has weights, scales
    and noise of its own and depends on its past (0.5)."""
    graph = np.random.default_rng([seed, 0])
    lower = np.argwhere(np.tril(np.ones((P, P)), -1))
    order = graph.permutation(len(lower))
    signs = graph.choice((-1, 1), (P, P))
    random, X, y = np.random.default_rng([seed, count]), [], np.arange(count) % KINDS
    for kind in y:
        edges = np.zeros((P, P), bool)
        edges[tuple(lower[[*order[:14], *order[14 + 5 * kind:19 + 5 * kind]]].T)] = True
        noise = np.linalg.solve(np.linalg.cholesky(precision(random, edges, signs)).T, random.normal(size=(P, length + 20)))
        for t in range(1, length + 20):
            noise[:, t] += 0.5 * noise[:, t - 1]
        X.append(noise[:, 20:])
    return torch.from_numpy(np.stack(X)), torch.from_numpy(y)


def accuracy(first, length, seed, epochs=60):
    """Share of right kinds among 600 series, after training on 150."""
    torch.manual_seed(seed)
    network = Network(first)
    X, y = series(150, length, seed)
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    for _ in range(epochs):
        for which in torch.randperm(len(X)).split(50):
            loss = nn.functional.cross_entropy(network(X[which]), y[which])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    X, y = series(600, length, seed)
    with torch.no_grad():
        return (network(X).argmax(1) == y).double().mean().item()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seeds", type=int, default=10)
    arguments.add_argument("--lengths", type=int, nargs="*", default=(20, 48))
    arguments = arguments.parse_args()
    print("length  into BiMap   accuracy  spread  by seed")
    for length in arguments.lengths:
        for first in FIRST:
            found = [accuracy(first, length, seed) for seed in range(arguments.seeds)]
            print(f"{length:6}  {first:10}   {np.mean(found):8.3f}  {np.std(found, ddof=1):6.3f}  " + " ".join(f"{x:.3f}" for x in found), flush=True)


if __name__ == "__main__":
    main()
