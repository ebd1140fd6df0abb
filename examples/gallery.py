"""Structures beyond sparsity: nine rules of a few lines of torch, each trained in seconds on matrices that have its structure, beside methods
that know nothing of it.

    python examples/gallery.py [--picture gallery.png] [--quick] [name ...]     in an environment with spodnet and torch

Mean over ten test matrices (p = 20, n = 60) of NMSE = |Theta - truth|^2 / |truth|^2 and of F1 of the edges.
"""
import argparse
import time

import numpy as np
import torch
from torch import nn

import spodnet
from spodnet.torch import SpodLayer

P, N = 20, 60
I, J = np.meshgrid(np.arange(P), np.arange(P), indexing="ij")
torch.set_default_dtype(torch.float64)


class Step(nn.Module):
    """A gradient step, theta - gamma (s - w): what all rules below begin with."""

    def __init__(self):
        super().__init__()
        self.log_gamma = nn.Parameter(torch.tensor(-1.0))

    def forward(self, theta, w, s):
        return theta - self.log_gamma.exp() * (s - w)


class Constant(nn.Module):
    """One threshold for all entries."""

    def __init__(self):
        super().__init__()
        self.log_lambda = nn.Parameter(torch.tensor(-2.5))

    def forward(self, z):
        return self.log_lambda.exp().expand_as(z)


class Ubg(nn.Module):
    """The paper's UBG: the step's length is a network of the column."""

    def __init__(self):
        super().__init__()
        self.gamma = nn.Sequential(nn.Linear(P - 1, P // 2), nn.ReLU(), nn.Linear(P // 2, 1))

    def forward(self, theta_12, w_12, s_12):
        return theta_12 - self.gamma(theta_12).abs() * (s_12 - w_12)


class DeepSets(nn.Module):
    """Each entry with the mean of all: for any p."""

    def __init__(self, width=16):
        super().__init__()
        self.step, self.phi, self.out = Step(), nn.Linear(3, width), nn.Linear(2 * width, 1)

    def forward(self, theta_12, w_12, s_12):
        x = torch.relu(self.phi(torch.stack((theta_12, w_12, s_12), -1)))
        x = torch.cat((x, x.mean(1, keepdim=True).expand_as(x)), -1)
        return self.step(theta_12, w_12, s_12) + 0.1 * self.out(x).squeeze(-1)


class Attention(nn.Module):
    """Entries look at each other: for any p."""

    def __init__(self, d=8):
        super().__init__()
        self.step, self.embed, self.out = Step(), nn.Linear(3, d), nn.Linear(d, 1)
        self.attention = nn.MultiheadAttention(d, 2, batch_first=True)

    def forward(self, theta_12, w_12, s_12):
        x = self.embed(torch.stack((theta_12, w_12, s_12), -1))
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return self.step(theta_12, w_12, s_12) + 0.1 * self.out(x).squeeze(-1)


class Masked(nn.Module):
    """Zero where the mask is: a band, a grid."""

    def __init__(self, mask):
        super().__init__()
        self.step = Step()
        self.register_buffer("mask", torch.tensor(mask, dtype=torch.float64))

    def forward(self, theta, w, s, index):
        return self.step(theta, w, s) * self.mask[index]


class Attractive(nn.Module):
    """M-matrices: no entry off the diagonal is positive."""

    def __init__(self):
        super().__init__()
        self.step = Step()

    def forward(self, theta, w, s):
        return torch.minimum(self.step(theta, w, s), torch.zeros(()))


class Blocks(nn.Module):
    """A block of four variables enters a column or it does not."""

    def __init__(self):
        super().__init__()
        self.step, self.log_lambda = Step(), nn.Parameter(torch.tensor(-2.0))

    def forward(self, theta, w, s):
        z = self.step(theta, w, s).view(-1, P // 4, 4)
        size = torch.sqrt((z * z).sum(2, keepdim=True) + 1e-12)
        return (z * torch.relu(1 - self.log_lambda.exp() / size)).view(-1, P)


class NodePenalties(nn.Module):
    """A threshold of its own for each variable: hubs get a small one."""

    def __init__(self):
        super().__init__()
        self.log_lambda = nn.Parameter(torch.full((P,), -2.5))

    def forward(self, z):
        return self.log_lambda.exp().expand_as(z)


class KnownGroups(nn.Module):
    """Reads which variable a column is: one threshold within its group, another one beyond."""

    def __init__(self, group):
        super().__init__()
        self.step, self.log_lambda = Step(), nn.Parameter(torch.tensor([-2.5, -2.5]))
        self.register_buffer("same", torch.tensor(group[:, None] == group[None, :], dtype=torch.float64))

    def forward(self, theta, w, s, index):
        z, same, lam = self.step(theta, w, s), self.same[index], self.log_lambda.exp()
        return torch.sign(z) * torch.relu(z.abs() - (same * lam[0] + (1 - same) * lam[1]))


def margin():
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1), nn.Softplus())


def layers_of(f, threshold=Constant, count=2):
    return [SpodLayer(f(), margin(), threshold=threshold() if threshold else None, scaling="clip") for _ in range(count)]


def precision(random, edges, sign=None):
    """A precision matrix with these edges."""
    A = np.where(edges, random.uniform(0.3, 1, (P, P)) * (random.choice((-1, 1), (P, P)) if sign is None else sign), 0)
    A = np.tril(A, -1)
    A = A + A.T
    A[np.diag_indices(P)] = max(0.3, 0.3 - np.linalg.eigvalsh(A)[0])
    d = 1 / np.sqrt(np.diag(np.linalg.inv(A)))  # variances of 1
    return A / np.outer(d, d)


def symmetric(random, share):
    lower = np.tril(random.uniform(size=(P, P)) < share, -1)
    return lower | lower.T


GROUP = np.arange(P) // 5
BAND = (np.abs(I - J) <= 2) & (I != J)
GRID = ((np.abs(I // 5 - J // 5) + np.abs(I % 5 - J % 5)) == 1)
HUBS = (I < 2) | (J < 2)


def blocks(random):
    pairs = np.tril(random.uniform(size=(P // 4, P // 4)) < 0.3)
    return np.kron(pairs | pairs.T, np.ones((4, 4))).astype(bool) & (I != J)


RULES = {
    "UBG": (lambda: layers_of(Ubg), lambda r: precision(r, symmetric(r, 0.1))),
    "DeepSets": (lambda: layers_of(DeepSets), lambda r: precision(r, symmetric(r, 0.1))),
    "attention": (lambda: layers_of(Attention), lambda r: precision(r, symmetric(r, 0.1))),
    "band": (lambda: layers_of(lambda: Masked(BAND)), lambda r: precision(r, BAND & symmetric(r, 0.7))),
    "grid": (lambda: layers_of(lambda: Masked(GRID)), lambda r: precision(r, GRID & symmetric(r, 0.8))),
    "M-matrix": (lambda: layers_of(Attractive), lambda r: precision(r, symmetric(r, 0.15), -1)),
    "blocks": (lambda: layers_of(Blocks, None), lambda r: precision(r, blocks(r), -1)),
    "hubs": (lambda: layers_of(Step, NodePenalties), lambda r: precision(r, symmetric(r, 0.6) & HUBS | symmetric(r, 0.02))),
    "known groups": (lambda: layers_of(lambda: KnownGroups(GROUP), None),
                     lambda r: precision(r, np.where(GROUP[:, None] == GROUP, symmetric(r, 0.6), symmetric(r, 0.02)))),
}


def problems(make, count, seed):
    random = np.random.default_rng(seed)
    truth = np.stack([make(random) for _ in range(count)])
    X = np.stack([random.standard_normal((N, P)) @ np.linalg.inv(np.linalg.cholesky(T)) for T in truth])
    S = np.einsum("kni,knj->kij", X, X) / N
    return X, (S + S.transpose(0, 2, 1)) / 2, truth


def scores(estimates, truth):
    nmse, f1 = [], []
    for A, T in zip(estimates, truth):
        nmse.append(np.square(A - T).sum() / np.square(T).sum())
        a, t = (np.abs(B[np.tril_indices(P, -1)]) > 1e-10 for B in (A, T))
        f1.append(2 * (a & t).sum() / max(1, a.sum() + t.sum()))
    return np.mean(nmse), np.mean(f1)


def run(name, quick=False):
    """Scores by method, processor seconds of training, the first test matrix with its estimates, and the layers."""
    torch.manual_seed(0)
    layers, make = RULES[name]
    layers = layers()
    _, S, truth = problems(make, 40 if quick else 600, 1)
    begin = time.process_time()
    model = spodnet.train(rule=layers, S=S, Theta_true=truth, n=N, epochs=2 if quick else 40, lr=1e-2, loss="nmse",
                          schedule="cosine", clip_grad=1.0, valid=0.1, seed=0)
    seconds = time.process_time() - begin
    X, S, truth = problems(make, 2 if quick else 10, 2)
    estimates = {"rule": model.estimate_all(S, N)["Theta"]}
    for method in () if quick else ("glasso-cv", "pretrained"):
        estimates[method] = np.stack([spodnet.SpodPrecision(method=method, assume_centered=True).fit(x).precision_ for x in X])
    shown = {"truth": truth[0], **{k: x[0] for k, x in estimates.items()}}
    return {k: scores(x, truth) for k, x in estimates.items()}, seconds, shown, layers


def picture(shown):
    """The off-diagonal entries of {name: matrices}, a row for each; white is an exact zero."""
    from matplotlib import pyplot as plt

    columns = ("truth", "rule", "glasso-cv", "pretrained")
    figure, axes = plt.subplots(len(shown), 4, figsize=(7.2, 1.8 * len(shown)), squeeze=False)
    for row, (name, matrices) in zip(axes, shown.items()):
        top = np.abs(matrices["truth"] - np.diag(np.diag(matrices["truth"]))).max()
        for axis, column in zip(row, columns):
            A = matrices[column] - np.diag(np.diag(matrices[column]))
            axis.imshow(np.where(A == 0, np.nan, A), cmap="RdBu", vmin=-top, vmax=top)
            axis.set_xticks([]), axis.set_yticks([])
        row[0].set_ylabel(name)
    for axis, column in zip(axes[0], columns):
        axis.set_title(column, fontsize=10)
    figure.tight_layout()
    return figure


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--picture")
    arguments = arguments.parse_args()
    shown = {}
    print("structure      rule: NMSE   F1   glasso-cv: NMSE   F1   pretrained: NMSE   F1   trained in")
    for name in arguments.names or RULES:
        found, seconds, shown[name], _ = run(name, arguments.quick)
        print(f"{name:13}" + "".join(f"      {a:8.3f} {b:6.2f}" for a, b in found.values()) + f"   {seconds:6.1f} s", flush=True)
    if arguments.picture:
        picture(shown).savefig(arguments.picture, dpi=90)


if __name__ == "__main__":
    main()
