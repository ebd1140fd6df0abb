"""UBG, PNP, E2E, UBGAny, PNPAny: the core's networks as modules."""
import copy
import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import modules as m  # noqa: E402
import spodnet  # noqa: E402
from spodnet.torch import (E2E, PNP, UBG, NumericalWarning, PNPAny, SpodLayer, UBGAny, load_model,  # noqa: E402
                           load_reference_state_dict, save_model)
from support import covariances, read_safetensors, under  # noqa: E402

F64 = torch.float64
KINDS = {"ubg": (UBG, m.Gradient, 1.0), "pnp": (PNP, m.Plug, 0.1), "e2e": (E2E, m.Free, 0.1)}


def problem(count, p, seed=0):
    S, T = covariances(count, p, seed=seed)
    return torch.from_numpy(S), torch.from_numpy(T)


def reference_state(weights):
    """Weights under the names of the authors' program."""
    parts = {"gamma": "gamma_learner", "psi": "psi_learner", "phi": "phi_learner", "lambda": "st_param_learner"}
    state = {}
    for name, x in weights.items():
        kind, *rest = name.split(".")
        if kind == "g":
            x = x[:, [2, 1, 0]] if rest == ["0", "weight"] else x
            state[f"forward_stack.alpha_learner.{2 * int(rest[0])}.{rest[1]}"] = torch.from_numpy(x)
        else:
            state[f"forward_stack.theta_12_generator.{parts[rest[0]]}.{2 * int(rest[1])}.{rest[2]}"] = torch.from_numpy(x)
    state["forward_stack.st_params"] = torch.zeros(1)
    return state


@pytest.mark.parametrize("name", ["ubg_p5", "ubg_p20", "pnp_p5", "pnp_p20", "e2e_p5", "e2e_p20", "ubg_p12_k2"])
def test_golden_through_the_authors_weights(golden, name):
    metadata, data = read_safetensors(golden / "spodnet" / f"{name}.safetensors")
    weights, K = under(data, "param."), int(metadata["layers"])
    module = load_reference_state_dict(reference_state(weights), layers=K)
    S, T = torch.from_numpy(data["S"]), torch.from_numpy(data["Theta_true"])
    Theta, W = module(S)
    loss = (Theta - T).square().sum((1, 2)).mean()
    loss.backward()
    out, grad = (1e-9, 1e-9) if K == 1 else (1e-8, 1e-6)

    def close(a, b, tolerance, floor=0.0):
        return np.linalg.norm(a.detach().numpy() - b.reshape(a.shape)) <= tolerance * max(np.linalg.norm(b), floor)

    assert close(Theta, data["Theta_out"], out) and close(W, data["W_out"], out) and close(loss, data["loss"], out)
    grads = under(data, "grad.")
    floor = 1e-6 * sum((x**2).sum() for x in grads.values()) ** 0.5
    for key, d in grads.items():
        assert close(dict(module.named_parameters())["layers.0." + key].grad, d, grad, floor), key


@pytest.mark.parametrize("K", (1, 2))
@pytest.mark.parametrize("scaling", ("normalize", "clip", "relative", "none"))
@pytest.mark.parametrize("kind", KINDS)
def test_module_is_the_layer_written_in_torch(kind, scaling, K):
    p = 7
    cls, f, factor = KINDS[kind]
    S, T = problem(4, p)
    module = cls(p, layers=K, scaling=scaling, seed=1)
    if scaling == "none":
        with torch.no_grad():
            for x in module.parameters():
                x.mul_(0.5)
    layers, names = [], {}
    for k in range(K):
        layer = SpodLayer(f(p), m.Margin(), threshold=m.Entrywise(factor), scaling=scaling)
        for name, x in layer.named_parameters():
            key = name.replace("threshold.layers", "f.lambda").replace("g.layers", "g")
            source = dict(module.named_parameters())[f"layers.{k}.{key}"]
            with torch.no_grad():
                x.copy_(source)
            names[f"layers.{k}.{key}"] = x
        layers.append(layer)
    S1, S2 = S.clone().requires_grad_(), S.clone().requires_grad_()
    Theta, W = module(S1)
    W_ = S2 + torch.eye(p, dtype=F64)
    Theta_ = torch.linalg.inv(W_)
    Theta_, W_ = (Theta_ + Theta_.mT) / 2, W_
    for layer in layers:
        Theta_, W_ = layer(Theta_, W_, S=S2)
    assert torch.allclose(Theta, Theta_, rtol=1e-8, atol=1e-9)
    for X, Y in ((Theta, W), (Theta_, W_)):
        ((X - T).square().sum() + 0.1 * (Y * Y.detach().sin()).sum()).backward()
    total = torch.sqrt(sum(x.grad.square().sum() for x in names.values()))
    for name, x in module.named_parameters():
        assert (x.grad - names[name].grad).norm() <= 1e-7 * max(x.grad.norm(), 1e-5 * total), name
    d, d_ = S1.grad + S1.grad.mT, S2.grad + S2.grad.mT
    assert (d - d_).norm() <= 1e-7 * d.norm()


def test_tied_weights_and_a_learned_offset():
    S, T = problem(3, 6)
    module = UBG(6, layers=2, tied=True, scaling="clip", init_offset="learned", seed=0)
    names = [name for name, _ in module.named_parameters()]
    assert "init_offset" in names and not any(name.startswith("layers.1") for name in names)
    parameters = [dict(module.named_parameters())[x] for x in ("init_offset", "layers.0.g.0.bias")]

    def outputs(A, *_):
        return module((A + A.mT) / 2)

    assert torch.autograd.gradcheck(outputs, (S.clone().requires_grad_(), *parameters), eps=1e-6, atol=1e-4, rtol=1e-3,
                                    fast_mode=True)


@pytest.mark.parametrize("cls", (UBGAny, PNPAny))
def test_models_for_any_size(cls):
    module = cls(scaling="relative", seed=2)
    for p in (3, 6):
        S, T = problem(3, p)
        Theta, W = module(S, n=60)
        assert torch.equal(Theta, Theta.mT) and int(torch.linalg.cholesky_ex(Theta)[1].sum()) == 0
        x = next(iter(module.parameters()))
        loss = (Theta - T).square().sum()
        d, = torch.autograd.grad(loss, x)
        step = torch.randn(x.shape, dtype=F64, generator=torch.Generator().manual_seed(0)) * 1e-6
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                x.add_(sign * step)
                values.append((module(S, n=60)[0] - T).square().sum())
                x.sub_(sign * step)
        assert float((values[0] - values[1]) / 2) == pytest.approx(float((d * step).sum()), rel=1e-4, abs=1e-11)
    with pytest.raises(ValueError, match="give n="):
        module(S)


def test_one_model_file_everywhere(tmp_path):
    S, _ = problem(2, 6)
    module = UBG(6, layers=2, scaling="clip", seed=3)
    save_model(module, tmp_path / "ubg.safetensors")
    again = load_model(tmp_path / "ubg.safetensors")
    assert type(again) is UBG and torch.equal(again(S)[0], module(S)[0])
    model = spodnet.Model.load(tmp_path / "ubg.safetensors")
    out = model.estimate_all(S.numpy(), 50)
    assert np.allclose(out["Theta"], module(S)[0].detach().numpy(), rtol=1e-9, atol=1e-10)
    _, tensors = read_safetensors(tmp_path / "ubg.safetensors")
    assert set(tensors) == {name for name, _ in module.named_parameters()} == set(module.state_dict())
    with pytest.raises(TypeError, match="state_dict"):
        save_model(torch.nn.Linear(2, 2), tmp_path / "x.safetensors")


def test_modules_are_ordinary():
    S, T = problem(4, 6)
    module = UBG(6, seed=4)
    twin = UBG(6, seed=5)
    twin.load_state_dict(module.state_dict())
    Theta, W = module(S)
    for other in (twin, copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(other(S)[0], Theta)
    assert torch.equal(module(S.view(2, 2, 6, 6))[0].view(4, 6, 6), Theta)
    small = copy.deepcopy(module).float()
    Theta32, _ = small(S.float())
    assert Theta32.dtype == torch.float32 and torch.allclose(Theta32.double(), Theta, atol=1e-3)
    Theta32.sum().backward()
    assert all(x.grad.dtype == torch.float32 for x in small.parameters())
    loss = (Theta - T).square().sum() + W.sum()
    first = torch.autograd.grad(loss, list(module.parameters()), retain_graph=True)
    module(2 * S)
    second = torch.autograd.grad(loss, list(module.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(first, second))
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = (module(S)[0] - T).square().sum((1, 2)).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert min(losses[20:]) < losses[0]


def test_all_weights_as_one_parameter(tmp_path):
    S, T = problem(4, 6)
    module, flat = UBG(6, layers=2, scaling="clip", seed=4), UBG(6, layers=2, scaling="clip", seed=5, flat=True)
    flat.load_state_dict(module.state_dict())
    assert list(flat.state_dict()) == list(module.state_dict()) and [n for n, _ in flat.named_parameters()] == ["weights"]
    grads = []
    for each in (module, flat):
        (each(S)[0] - T).square().sum().backward()
        grads.append(torch.cat([x.grad.reshape(-1) for x in each.parameters()]))
    assert torch.equal(*grads)
    optimizer = torch.optim.SGD(flat.parameters(), lr=1e-3)
    optimizer.step()
    assert not torch.equal(flat(S)[0], module(S)[0])
    for other in (copy.deepcopy(flat), pickle.loads(pickle.dumps(flat)), torch.nn.Sequential(copy.deepcopy(flat))[0]):
        assert torch.equal(other(S)[0], flat(S)[0])
    save_model(flat, tmp_path / "flat.safetensors")
    assert torch.equal(load_model(tmp_path / "flat.safetensors", flat=True)(S)[0], flat(S)[0])
    state = module.state_dict()
    for change, words in (({"x": S}, "Unexpected"), ({"layers.0.g.2.bias": torch.zeros(7)}, "shape")):
        with pytest.raises(RuntimeError, match=words):
            flat.load_state_dict({**state, **change})
    state.pop("layers.1.g.0.bias")
    with pytest.raises(RuntimeError, match="Missing"):
        flat.load_state_dict(state)


@pytest.mark.parametrize("p", (5, 64, 70))
def test_the_gradient_of_S_does_not_change_the_others(p):
    """Small UBG runs in lanes; with a gradient of S, or above p = 64, by the layer."""
    S, T = problem(9, p)
    module, grads = UBG(p, seed=2), []
    for needed in (False, True):
        module.zero_grad(set_to_none=True)
        Theta, W = module(S.clone().requires_grad_(needed))
        assert torch.equal(Theta, Theta.mT) and torch.equal(W, W.mT)
        assert torch.allclose(Theta @ W, torch.eye(p, dtype=F64).expand_as(W), atol=1e-7)
        (Theta - T).square().sum().backward()
        grads.append(torch.cat([x.grad.reshape(-1) for x in module.parameters()]))
    assert (grads[0] - grads[1]).norm() <= 1e-9 * grads[1].norm()


def test_a_bad_matrix_is_named():
    S, T = problem(3, 5)
    module = UBG(5, seed=0)
    right = module(S)[0].detach()
    S[1, 0, 2] = S[1, 2, 0] = float("nan")
    with pytest.warns(NumericalWarning, match="matrix 1 "):
        Theta, _ = module(S)
    assert torch.equal(Theta[[0, 2]], right[[0, 2]])
    (Theta[[0, 2]] - T[[0, 2]]).square().sum().backward()
    assert all(torch.isfinite(x.grad).all() for x in module.parameters())
    with pytest.warns(NumericalWarning, match=r"UBG: .*matrix \(1, 0\) "):
        module(S[[0, 2, 1, 0]].view(2, 2, 5, 5))
    for call, words in ((lambda: module(torch.eye(4, dtype=F64)), "p = 4"),
                        (lambda: module(T + torch.triu(T, 1)), r"UBG: S\[0\] is not symmetric"),
                        (lambda: module(T.half()), "UBG: S has dtype torch.float16"),
                        (lambda: module(T.to("meta")), "UBG: S is on the device meta"),
                        (lambda: module(T[:, :2]), "p, p"),
                        (lambda: module(T, n=[1, 2]), "n has 2 numbers"),
                        (lambda: UBG(5, scaling="x"), "scaling")):
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("dtype", (F64, torch.float32))
def test_rounding_does_not_make_S_asymmetric(dtype):
    """A product X'X need not be symmetric in its last digits."""
    S = problem(3, 6)[0].to(dtype)
    unequal = S.clone()
    unequal[1, 0, 3] *= 1 + 8 * torch.finfo(dtype).eps
    module = UBG(6, seed=0)
    assert not torch.equal(unequal, unequal.mT)
    Theta, W = module(unequal)
    assert torch.equal(Theta, Theta.mT) and torch.allclose(Theta, module(S)[0], rtol=1e-4 if dtype != F64 else 1e-12)
    unequal[1, 0, 3] *= 1.1
    with pytest.raises(ValueError, match=r"S\[1\] is not symmetric"):
        module(unequal)


@pytest.mark.parametrize("p", (6, 70))
def test_a_gradient_that_is_not_symmetric_counts_by_its_symmetric_part(p):
    S, T = problem(3, p)
    module, grads = UBG(p, seed=1), []
    A = torch.randn(3, p, p, dtype=F64, generator=torch.Generator().manual_seed(0))
    for weight in (A, (A + A.mT) / 2):
        module.zero_grad(set_to_none=True)
        Theta, _ = module(S)
        Theta.backward(weight)
        grads.append(torch.cat([x.grad.reshape(-1) for x in module.parameters()]))
    assert grads[0].norm() > 0 and torch.allclose(*grads, rtol=1e-12, atol=1e-12 * float(grads[0].norm()))
