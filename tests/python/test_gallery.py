"""examples/gallery.py: every rule runs as a program, and its structure holds exactly."""
import sys
import warnings

import numpy as np
import pytest
from conftest import ROOT

torch = pytest.importorskip("torch")
sys.path.insert(0, str(ROOT / "examples"))
before = torch.get_default_dtype()
import gallery  # noqa: E402

torch.set_default_dtype(before)

HOLDS = {
    "band": lambda A: not A[~gallery.BAND & (gallery.I != gallery.J)].any(),
    "grid": lambda A: not A[~gallery.GRID & (gallery.I != gallery.J)].any(),
    "M-matrix": lambda A: (A[gallery.I != gallery.J] <= 0).all(),
}


@pytest.mark.parametrize("name", gallery.RULES)
def test_rule(name):
    torch.set_default_dtype(torch.float64)
    try:
        scores, _, shown, layers = gallery.run(name, quick=True)
        _, S, _ = gallery.problems(gallery.RULES[name][1], 3, 5)
        S = torch.from_numpy(S)
        W = S + torch.eye(gallery.P)
        Theta = torch.linalg.inv(W)
        Theta, results = ((Theta + Theta.mT) / 2).requires_grad_(), []
        for mode in ("auto", "fast"):
            layers[0].mode = mode
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # it has a program
                out = layers[0](Theta, S=S)[0]
            results.append((out, *torch.autograd.grad((out ** 3).sum(), [Theta, *layers[0].parameters()], allow_unused=True)))
        for a, b in zip(*results):
            assert (a is None) == (b is None) and (a is None or (a - b).norm() <= 1e-8 * max(1.0, float(b.norm())))
    finally:
        torch.set_default_dtype(before)
    A = shown["rule"]
    assert np.array_equal(A, A.T) and np.linalg.eigvalsh(A)[0] > 0 and np.isfinite(scores["rule"]).all()
    assert HOLDS.get(name, lambda A: True)(A)
