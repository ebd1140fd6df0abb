"""examples/series_network.py: a SpodLayer between a covariance and the layers of spd-learn, as a program, with all gradients."""
import sys
import warnings

import pytest
from conftest import ROOT

torch = pytest.importorskip("torch")
pytest.importorskip("spd_learn")
sys.path.insert(0, str(ROOT / "examples"))
before = torch.get_default_dtype()
import series_network  # noqa: E402

torch.set_default_dtype(before)


@pytest.fixture(autouse=True)
def float64():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)


def test_gradients_reach_every_weight_and_are_those_of_plain_operations():
    network = series_network.Network("SpodLayer")
    X, y = series_network.series(6, 20, 0)
    results = []
    for mode in ("auto", "autograd"):
        for layer in network.layers:
            layer.mode = mode
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it is a program
            loss = torch.nn.functional.cross_entropy(network(X), y)
        results.append([loss, *torch.autograd.grad(loss, list(network.parameters()))])
    for a, b in zip(*results):
        assert b.norm() > 0 and (a - b).norm() <= 1e-8 * max(1, b.norm())


@pytest.mark.parametrize("first", series_network.FIRST)
def test_it_learns(first):
    assert series_network.accuracy(first, 48, 0, epochs=20) > 0.5  # a third by chance
