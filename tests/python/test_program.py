"""SpodLayer by a program: torch's numbers and gradients, model files that every program reads, training without torch."""
import copy
import subprocess
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import modules as m  # noqa: E402
import spodnet  # noqa: E402
import zoo  # noqa: E402
from layers import float64, problem, start  # noqa: E402, F401 (a fixture)
from spodnet.torch import SpodLayer, load_model, save_model  # noqa: E402
from spodnet.torch.capture import Refused  # noqa: E402
from spodnet.__main__ import command  # noqa: E402
from torch import nn  # noqa: E402


def layer_of(f, **options):
    return SpodLayer(f, m.SmoothMargin(), threshold=m.Entrywise(), scaling="clip", **options)


def answers(layer, S, mode, context=(), loss=lambda Theta, W: (Theta ** 3).sum() + 0.3 * (W ** 2).sum()):
    layer.mode = mode
    S, Theta = S.clone().requires_grad_(), start(S).requires_grad_()
    out = layer((Theta + Theta.mT) / 2, S=S, n=30, context=context)
    leaves = [Theta, S, *layer.parameters(), *[x for x in context if x.requires_grad]]
    grads = torch.autograd.grad(loss(*out), leaves, allow_unused=True)
    return [*out, *[torch.zeros(()) if g is None else g for g in grads]]


def expect_same(layer, S, context=()):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no warning: it is the program that runs
        got = answers(layer, S, "auto", context)
    for a, b in zip(got, answers(layer, S, "fast", context)):
        assert (a - b).norm() <= 1e-9 * max(1, b.norm())


@pytest.mark.parametrize("name", zoo.ANY_P)
def test_any_p(name):
    layer = layer_of(zoo.ANY_P[name]())
    for count, p in ((3, 7), (1, 2), (2, 12)):
        expect_same(layer, problem(count, p)[0])
    assert len(layer._programs) == 1


@pytest.mark.parametrize("name", zoo.ONE_P)
def test_weights_that_know_p(name):
    expect_same(layer_of(zoo.ONE_P[name](7)), problem(3, 7)[0])


def test_context_and_solve():
    layer = layer_of(lambda theta_12, solve, shift: theta_12 - 0.1 * torch.tanh(solve(theta_12)) + shift)
    shift = torch.randn(3, 1).requires_grad_()
    expect_same(layer, problem(3, 6)[0], (shift,))


def test_what_a_program_has_not_is_said_once():
    layer = layer_of(lambda theta_12, s_12: torch.sin(theta_12) - s_12)
    S = problem(2, 5)[0]
    with pytest.warns(UserWarning, match="aten.sin"):
        layer(start(S), S=S)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        layer(start(S), S=S)
    with pytest.raises(Refused, match="aten.sin"):
        layer.compile(5)


def test_a_changed_attribute_is_captured_again():
    class Scaled(nn.Module):
        factor = 1.0

        def __init__(self):
            super().__init__()
            self.factor = 0.5

        def forward(self, theta_12, s_12):
            return theta_12 - self.factor * s_12

    layer, S = layer_of(Scaled()), problem(2, 5)[0]
    expect_same(layer, S)
    layer.f.factor = 0.1
    expect_same(layer, S)
    layer.f.factor = torch.tensor(0.3)
    expect_same(layer, S)
    expect_same(copy.deepcopy(layer), S)


def test_optimizers_change_what_runs():
    layer, S = layer_of(zoo.DeepSets()), problem(3, 6)[0]
    optimizer, losses = torch.optim.Adam(layer.parameters(), 1e-2), []
    for _ in range(5):
        loss = (layer(start(S), S=S)[0] - start(S)).square().sum()
        optimizer.zero_grad(), loss.backward(), optimizer.step()
        losses.append(float(loss))
    assert losses[-1] < losses[0]
    expect_same(layer, S)


def test_a_matrix_that_stops_takes_nothing_from_the_others():
    layer = layer_of(lambda theta_12, s_12: theta_12 - s_12 / (s_12.abs().sum(1, keepdim=True) - 0.0))
    S = problem(3, 5)[0]
    S[1] = torch.eye(5)  # 0 / 0
    results = []
    for mode in ("auto", "fast"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            layer.mode = mode
            Theta = start(S).requires_grad_()
            out = layer(Theta, S=S)[0]
            d, = torch.autograd.grad(out[::2].sum(), Theta)
        results.append((out, d))
    assert torch.isfinite(results[0][0]).all()
    for k in (0, 2):
        assert torch.allclose(results[0][0][k], results[1][0][k]) and torch.allclose(results[0][1][k], results[1][1][k])


@pytest.mark.parametrize("tied", (False, True))
def test_a_file_gives_what_torch_gave(tied, tmp_path):
    first = layer_of(zoo.DeepSets())
    layers = [first, first] if tied else [first, layer_of(zoo.Attention())]
    S = problem(1, 8)[0]
    W = S + 0.7 * torch.eye(8)
    Theta = torch.linalg.inv(W)
    for layer in layers:
        Theta, W = layer((Theta + Theta.mT) / 2, (W + W.mT) / 2, S=S)
    path = tmp_path / "rule.safetensors"
    save_model(layers, path, offset=0.7)
    module = load_model(path)
    assert torch.allclose(module(S, n=30)[0], Theta, rtol=1e-10, atol=1e-12) and "theta_12" in module.formulas
    assert np.allclose(spodnet.Model.load(path).estimate(S[0].numpy(), 30)["Theta"], Theta[0].detach().numpy(), rtol=1e-10)
    table, out = tmp_path / "S.csv", tmp_path / "out.npy"
    np.savetxt(table, S[0].numpy(), delimiter=",", fmt="%.17g")
    run = subprocess.run([command(), "estimate", table, "--input", "covariance", "--samples-count", "30", "--no-standardize",
                          "--method", path, "-o", out], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert np.allclose(np.load(out), Theta[0].detach().numpy(), rtol=1e-10, atol=1e-12)
    shown = subprocess.run([command(), "info", path], capture_output=True, text=True).stdout
    assert "relu" in shown and "f.phi.weight [16, 3]" in shown and (tied or "the program of layer 1, for column i" in shown)


def test_trained_without_torch_in_the_loop(tmp_path):
    layer = layer_of(zoo.DeepSets())
    model = spodnet.train(rule=layer, p="5:9", n="20:60", fresh=True, count=40, epochs=4, lr=3e-3, seed=1, n_jobs=2)
    again = copy.deepcopy(layer)
    assert model.history["train_nmse"][-1] < model.history["train_nmse"][0]
    S = problem(1, 6)[0]
    path = tmp_path / "trained.safetensors"
    save_model(layer, path)
    assert np.allclose(spodnet.Model.load(path).estimate(S[0].numpy(), 30)["Theta"], model.estimate(S[0].numpy(), 30)["Theta"])
    assert torch.allclose(again(start(S), S=S)[0], load_model(path)(S, n=30)[0])


def test_a_layer_in_float32_has_a_file(tmp_path):
    layer, S = layer_of(zoo.DeepSets()).float(), problem(1, 6)[0]
    save_model(layer, tmp_path / "rule.safetensors")
    Theta = load_model(tmp_path / "rule.safetensors")(S, n=30)[0]
    assert (layer(start(S).float(), S=S.float())[0] - Theta).norm() < 1e-5 * Theta.norm()


def test_what_has_no_file():
    with pytest.raises(ValueError, match="no program"):  # its gradient is not the program's
        save_model(layer_of(lambda theta_12: theta_12 * theta_12.data), "x.safetensors")
    with pytest.raises(ValueError, match="give p="):
        save_model(layer_of(zoo.Indexed(9)), "x.safetensors")
    with pytest.raises(ValueError, match="aten.sin"):
        save_model(layer_of(lambda theta_12: torch.sin(theta_12)), "x.safetensors")
    with pytest.raises(TypeError, match="state_dict"):
        save_model(nn.Linear(2, 2), "x.safetensors")
