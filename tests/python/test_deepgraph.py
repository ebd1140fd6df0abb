"""DeepGraph: equivariance where it is promised, learning, and its scores by a second route."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import spodnet  # noqa: E402
from spodnet.torch import UBG, DeepGraph, compare_edges, edge_scores, train_deepgraph  # noqa: E402
from spodnet.torch.edges import auc  # noqa: E402


def test_logits_are_symmetric_and_free_of_units():
    torch.manual_seed(0)
    network = DeepGraph(8, 4)
    S = torch.from_numpy(spodnet.generate(8, 40, alpha=0.7, count=3)["S"])
    logits = network(S)
    assert logits.shape == S.shape and torch.equal(logits, logits.mT)
    units = 2.0 ** torch.arange(8, dtype=torch.float64)
    assert torch.allclose(network(S * units * units.unsqueeze(1)), logits)
    P = network.probabilities(S, 6)
    assert torch.allclose(P, P.mT, atol=1e-15) and P.diagonal(0, 1, 2).abs().max() == 0 and 0 < P.max() < 1


def test_it_learns_edges_and_is_compared_like_the_others():
    data = spodnet.generate(8, 60, alpha=0.8, count=40, seed=7)
    network = train_deepgraph(8, 60, alpha=0.8, count=150, epochs=4, batch=10, lr=5e-3, channels=8)
    ours = edge_scores(network.probabilities(data["S"], 4), data["Theta_true"], 0.5)
    precision = np.stack([spodnet.Model.pretrained("standardized").estimate(S, 60)["Theta"] for S in data["S"]])
    model = edge_scores(precision, data["Theta_true"])
    assert ours["auc"] > 0.7 and 0 <= ours["f1"] <= 1 and model["auc"] > 0.6 and model["f1"] > 0.3


def test_a_row_beside_other_methods():
    data = spodnet.generate(6, 50, alpha=0.7, count=6, seed=1, samples=True)
    torch.manual_seed(0)
    methods = {"DeepGraph": DeepGraph(6, 4), "glasso-ebic": "glasso-ebic", "UBG": UBG(6, seed=0),
               "pretrained": spodnet.Model.pretrained("standardized"), "truth": lambda S: data["Theta_true"]}
    table = compare_edges(methods, data["S"], data["Theta_true"], 50)
    assert set(table["method"]) == set(methods) and list(table["f1"]) == sorted(table["f1"], reverse=True)
    assert table.iloc[0]["method"] == "truth" and table.iloc[0]["auc"] == table.iloc[0]["f1"] == 1
    by_samples = compare_edges({"x": "glasso-cv"}, data["S"], data["Theta_true"], 50, X=data["X"])
    assert 0 < by_samples["auc"][0] <= 1


def test_auc_by_its_definition():
    rng = np.random.RandomState(0)
    score, truth = rng.randint(0, 5, 40).astype(float), rng.rand(40) < 0.4
    pairs = [(a > b) + 0.5 * (a == b) for a in score[truth] for b in score[~truth]]
    assert auc(score, truth) == pytest.approx(np.mean(pairs))
