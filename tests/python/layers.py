"""Problems and layers for the tests of SpodLayer."""
import modules as m
import pytest
import torch
from spodnet.torch import SpodLayer
from support import covariances
from torch import nn

F64 = torch.float64
SCALINGS = ("normalize", "clip", "none", "relative")


@pytest.fixture(autouse=True)
def float64():
    """Of each test in a module that imports it: float64 by default, and a seed."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(F64)
    torch.manual_seed(3)
    yield
    torch.set_default_dtype(before)


def problem(count, p, seed=0):
    S, T = covariances(count, p, seed=seed)
    return torch.from_numpy(S), torch.from_numpy(T)


def start(S, a=1.0):
    W = S + a * torch.eye(S.size(-1), dtype=S.dtype)
    Theta = torch.linalg.inv(W)
    return (Theta + Theta.mT) / 2


CASES = {
    "ubg": lambda p: dict(f=m.Gradient(p), g=m.Margin(), threshold=m.Entrywise()),
    "pnp": lambda p: dict(f=m.Plug(p), g=m.Margin(), threshold=m.Entrywise(0.1)),
    "full": lambda p: dict(f=m.FullWidth(p), g=m.SmoothMargin(4), threshold=None,
                           g_inputs=("q", "w_22", "theta_22", "s_22")),
    "attention": lambda p: dict(f=m.Attention(p), g=m.SmoothMargin(), threshold=m.Coupled()),
    "free": lambda p: dict(f=m.Free(p, 7), g=m.SmoothMargin(2), threshold=m.Coupled(), g_inputs=("n", "q")),
}


def layers_of(case, p, K, **options):
    torch.manual_seed(p + K)
    layers = nn.ModuleList(SpodLayer(**CASES[case](p), **options) for _ in range(K))
    if options.get("scaling") == "none":  # nothing else keeps a column from growing from step to step
        with torch.no_grad():
            for layer in layers:
                for x in layer.f.parameters():
                    x.mul_(0.4)
    return layers


def run(layers, S, Theta, mode, n=40.0):
    W = None
    for layer in layers:
        layer.mode = mode
        Theta, W = layer(Theta, W, S=S, n=n)
    return Theta, W


def is_spd(Theta):
    assert torch.equal(Theta, Theta.mT)
    return int(torch.linalg.cholesky_ex(Theta)[1].abs().sum()) == 0
