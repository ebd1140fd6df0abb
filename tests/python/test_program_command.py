"""The command with model files of SpodLayers: constraints, sparsity, layers tied or not, graph and compare. Second route: torch."""
import json
import subprocess

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import modules as m  # noqa: E402
import spodnet  # noqa: E402
import zoo  # noqa: E402
from layers import float64, problem  # noqa: E402, F401 (a fixture)
from spodnet.__main__ import command  # noqa: E402
from spodnet.torch import SpodLayer, save_model  # noqa: E402
from torch import nn  # noqa: E402

P = 7
WORDS = {"nothing": [], "forbid": ["--forbid", "pairs.csv"], "sign": ["--sign", "positive"], "sparsity": ["--sparsity", "1.7"],
         "all": ["--forbid", "pairs.csv", "--sign", "positive", "--sparsity", "1.7"]}


class Whole(nn.Module):
    """p wide, so that a mask may stand beside it."""

    def __init__(self):
        super().__init__()
        self.gamma = nn.Parameter(torch.tensor(0.2))

    def forward(self, theta, w, s):
        return theta - self.gamma * (s - w)


class Entries(Whole):
    """Another program: each entry through a network."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 5), nn.Linear(5, 1)

    def forward(self, theta, w, s):
        x = torch.tanh(self.a(torch.stack((theta, w, s), -1)))
        return super().forward(theta, w, s) + 0.1 * self.b(x).squeeze(-1)


class Constrained(nn.Module):
    """What a constraint is to a rule: 0 where an edge is forbidden, and no positive entry (partial correlations >= 0)."""

    def __init__(self, f, words, pairs):
        super().__init__()
        self.f, self.positive = f, "--sign" in words
        self.free = torch.ones(P, P)
        for i, j in pairs if "--forbid" in words else ():
            self.free[i, j] = self.free[j, i] = 0

    def forward(self, theta, w, s, index):
        z = self.f(theta, w, s) * self.free[index]
        return torch.minimum(z, torch.zeros(())) if self.positive else z


def constrained(layer, words, pairs):
    factor = 1.7 if "--sparsity" in words else 1.0
    return SpodLayer(Constrained(layer.f, words, pairs), layer.g, threshold=lambda z: factor * layer.threshold(z), scaling="clip", mode="fast")


def by_torch(layers, S, offset):
    W = S + offset * torch.eye(P)
    Theta = torch.linalg.inv(W)
    with torch.no_grad():
        for layer in layers:
            Theta, W = layer((Theta + Theta.mT) / 2, (W + W.mT) / 2, S=S)
    return Theta.numpy()


def layer_of(f):
    return SpodLayer(f, m.SmoothMargin(), threshold=m.Entrywise(0.1), scaling="clip")


def spodnet_says(folder, *words):
    done = subprocess.run([command(), *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("tied", (True, False))
def test_estimates(tied, tmp_path):
    first = layer_of(Whole())
    layers = [first, first] if tied else [first, layer_of(Entries()), layer_of(Whole())]
    S = problem(1, P)[0]
    np.savetxt(tmp_path / "S.csv", S[0].numpy(), delimiter=",", fmt="%.17g")
    free = by_torch(layers, S, 0.7)[0]
    pairs = np.argwhere(np.tril(free != 0, -1))[::3]  # each third edge is forbidden
    (tmp_path / "pairs.csv").write_text("source,target\n" + "".join(f"{i + 1},{j + 1}\n" for i, j in pairs))
    save_model(layers, tmp_path / "rule.safetensors", offset=0.7)
    zeros = {}
    for name, words in WORDS.items():
        spodnet_says(tmp_path, "estimate", "S.csv", "--input", "covariance", "--samples-count", 30, "--no-standardize",
                     "--method", "rule.safetensors", *words, "-o", "out.npy")
        got, expected = np.load(tmp_path / "out.npy"), by_torch([constrained(x, words, pairs) for x in layers], S, 0.7)[0]
        assert np.abs(got - expected).max() <= 1e-10 * np.abs(expected).max(), name
        assert np.array_equal(got == 0, expected == 0), name
        zeros[name] = (got == 0).sum()
    assert len(pairs) > 1 and min(zeros["forbid"], zeros["sparsity"]) > zeros["nothing"]


def test_graph_and_compare(tmp_path):
    layer = layer_of(Entries())
    save_model(layer, tmp_path / "rule.safetensors")
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, P)) @ np.linalg.inv(np.linalg.cholesky(spodnet.generate(P, 50, alpha=0.8, count=1, seed=2)["Theta_true"][0]))
    np.savetxt(tmp_path / "table.csv", X, delimiter=",", fmt="%.17g", header="a,b,c,d,e,f,g", comments="")
    np.savetxt(tmp_path / "R.csv", np.corrcoef(X.T), delimiter=",", fmt="%.17g")
    expected = partial(by_torch([layer], torch.from_numpy(np.corrcoef(X.T))[None], 1.0)[0])

    spodnet_says(tmp_path, "graph", "table.csv", "--method", "rule.safetensors", "-o", "graph", "--no-cache")
    rows = np.genfromtxt(tmp_path / "graph" / "precision.csv", delimiter=",", skip_header=1)
    got = partial(rows[:, -P:])
    assert np.abs(got - expected).max() < 1e-10 and np.array_equal(got == 0, expected == 0)
    chosen, = [x for x in json.loads((tmp_path / "graph" / "summary.json").read_text())["candidates"] if x["chosen"]]
    assert chosen["method"] == "rule.safetensors" and chosen["edges"] == (expected != 0).sum() / 2 - P / 2

    told = spodnet_says(tmp_path, "compare", "table.csv", "--method", "rule.safetensors", "-o", "compare", "--json")
    mine, = [x for x in json.loads(told)["methods"] if x["method"] == "rule.safetensors"]
    assert mine["edges"] == chosen["edges"] and abs(mine["held_out"]["mean"] - chosen["held_out"]) < 1e-10


def partial(Theta):
    """Partial correlations, which do not depend on units."""
    d = 1 / np.sqrt(np.diag(Theta))
    return -Theta * np.outer(d, d)
