"""SpodLayer: gradients by two routes and by differences, recorded vectors."""
import pytest

torch = pytest.importorskip("torch")

import modules as m  # noqa: E402
from layers import CASES, F64, SCALINGS, layers_of, problem, run, start  # noqa: E402
from spodnet.torch import UBG, SpodLayer  # noqa: E402
from support import read_safetensors, under  # noqa: E402


@pytest.mark.parametrize("K", (1, 2))
@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("case", CASES)
def test_fast_and_the_program_are_plain(case, scaling, K):
    p = 7
    S, T = problem(3, p)
    layers = layers_of(case, p, K, scaling=scaling, zeta=0.7)
    results = []
    for mode in ("autograd", "fast", "auto"):
        S_, a = S.clone().requires_grad_(), torch.tensor(1.0, dtype=F64, requires_grad=True)
        Theta, W = run(layers, S_, start(S_, a), mode)
        loss = (Theta - T).square().sum() + 0.3 * (W * torch.sin(W.detach())).sum()
        d = list(torch.autograd.grad(loss, [a, S_, *layers.parameters()], allow_unused=True))
        d[1] = d[1] + d[1].mT  # of a symmetric argument only this is defined
        results.append((Theta, W, d))
    (Theta, W, d), *others = results
    total = torch.sqrt(sum(x.square().sum() for x in d if x is not None))
    for Theta_, W_, d_ in others:
        assert torch.allclose(Theta, Theta_, rtol=1e-11, atol=1e-12) and torch.allclose(W, W_, rtol=1e-10, atol=1e-11)
        for x, y in zip(d, d_):
            x, y = (torch.zeros(1) if z is None else z for z in (x, y))
            assert (x - y).norm() <= 1e-8 * max(x.norm(), 1e-6 * total)


@pytest.mark.parametrize("K", (1, 2))
@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("case", CASES)
def test_gradcheck(case, scaling, K):
    p = 3
    S, _ = problem(2, p)
    layers = layers_of(case, p, K, scaling=scaling, zeta=0.8)
    def outputs(A, B, *_):
        sym = (B + B.mT) / 2
        return run(layers, (A + A.mT) / 2, sym, "fast")

    inputs = (S.clone().requires_grad_(), start(S).requires_grad_(), *layers.parameters())
    assert torch.autograd.gradcheck(outputs, inputs, eps=1e-6, atol=2e-5, rtol=1e-4, fast_mode=True)


def test_gradgradcheck_in_autograd_mode():
    S, _ = problem(1, 3)
    layer = SpodLayer(m.Free(3, 4), m.SmoothMargin(), scaling="clip", mode="autograd")

    def outputs(B):
        return layer((B + B.mT) / 2, S=S)[0]

    assert torch.autograd.gradgradcheck(outputs, (start(S).requires_grad_(),), atol=1e-4)


def test_fast_mode_has_first_derivatives_only():
    S, _ = problem(1, 3)
    layer = SpodLayer(m.Gradient(3), m.Margin())
    Theta = start(S).requires_grad_()
    d, = torch.autograd.grad(layer(Theta, S=S)[0].square().sum(), Theta, create_graph=True)
    with pytest.raises(RuntimeError, match="first derivatives only"):
        d.sum().backward()


@pytest.mark.parametrize("kind", ("layer", "model", "solve"))
def test_a_gradient_penalty_is_never_dropped(kind):
    """Of a loss that is linear in the outputs the incoming gradient is constant."""
    S, T = problem(2, 4)
    Theta = start(S).requires_grad_()
    if kind == "model":
        net = UBG(4)
        x, parameters, out = S.requires_grad_(), list(net.parameters()), net(S)[0]
    else:
        f = m.Gradient(4) if kind == "layer" else (lambda theta_12, solve: solve(theta_12))
        layer = SpodLayer(f, m.Margin())
        x, parameters, out = Theta, list(layer.parameters()), layer(Theta, S=S)[0]
    d, *others = torch.autograd.grad((out * T).sum(), [x, *parameters], create_graph=True)
    for target in (d.square().sum(), out.sum() + d.square().sum(), others[0].sum()):
        with pytest.raises(RuntimeError, match="first derivatives only.*mode="):
            torch.autograd.grad(target, [x, *parameters], retain_graph=True, allow_unused=True)


@pytest.mark.parametrize("name", ["ubg_p5", "ubg_p20", "pnp_p5", "pnp_p20", "e2e_p5", "e2e_p20", "ubg_p12_k2"])
@pytest.mark.parametrize("mode", ("fast", "autograd"))
def test_golden(golden, name, mode):
    metadata, data = read_safetensors(golden / "spodnet" / f"{name}.safetensors")
    weights, p, K = under(data, "param."), int(metadata["p"]), int(metadata["layers"])
    kind = metadata["model"]
    hidden = weights["f.gamma.0.bias"].size if kind != "e2e" else weights["f.phi.0.bias"].size
    f = {"ubg": m.Gradient, "pnp": m.Plug, "e2e": m.Free}[kind](p, hidden)
    layer = SpodLayer(f, m.Margin(), threshold=m.Entrywise(1.0 if kind == "ubg" else 0.1), v_min=0.0, mode=mode)
    names = {x: x.replace("f.lambda.", "threshold.layers.").replace("g.", "g.layers.") if not x.startswith("f.") or
             x.startswith("f.lambda") else x for x in weights}
    layer.load_state_dict({names[x]: torch.from_numpy(weights[x]) for x in weights})
    S, T = torch.from_numpy(data["S"]), torch.from_numpy(data["Theta_true"])
    W = S + torch.eye(p, dtype=F64)
    Theta = torch.linalg.inv(W)
    Theta = (Theta + Theta.mT) / 2
    for _ in range(K):
        Theta, W = layer(Theta, W, S=S)
    loss = (Theta - T).square().sum((1, 2)).mean()
    loss.backward()
    out, grad = (1e-9, 1e-9) if K == 1 else (1e-8, 1e-6)

    def close(a, b, tolerance, floor=0.0):
        b = torch.from_numpy(b).view_as(a)
        return (a - b).norm() <= tolerance * max(b.norm(), floor)

    assert close(Theta, data["Theta_out"], out) and close(W, data["W_out"], out)
    assert close(loss.detach(), data["loss"], out)
    grads = under(data, "grad.")
    floor = 1e-6 * sum((x**2).sum() for x in grads.values()) ** 0.5
    mine = dict(layer.named_parameters())
    for x, d in grads.items():
        assert close(mine[names[x]].grad, d, grad, floor), x
