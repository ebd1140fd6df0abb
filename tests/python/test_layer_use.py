"""SpodLayer as a module among others: shapes, precisions, recomputing, sharing, freezing."""
import copy

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

import modules as m  # noqa: E402
from layers import F64, layers_of, problem, start  # noqa: E402
from spodnet.torch import SpodLayer  # noqa: E402


def test_batch_shapes_and_float32():
    S, _ = problem(6, 5)
    torch.manual_seed(0)
    layer = SpodLayer(m.Gradient(5), m.Margin(), threshold=m.Entrywise())
    Theta, W = layer(start(S), S=S)
    Theta_, W_ = layer(start(S).view(2, 3, 5, 5), S=S.view(2, 3, 5, 5))
    assert torch.equal(Theta_.view(6, 5, 5), Theta) and torch.equal(W_.view(6, 5, 5), W)
    one, _ = layer(start(S)[0], S=S[0])  # its program is planned for one matrix: other sums
    assert (one - Theta[0]).abs().max() <= 1e-14 * Theta[0].abs().max()
    layer.mode = "fast"
    assert torch.equal(layer(start(S)[0], S=S[0])[0], layer(start(S), S=S)[0][0])
    layer.mode = "auto"

    small = copy.deepcopy(layer).float()
    S32 = S.float().requires_grad_()
    Theta32, W32 = small(start(S).float(), S=S32)
    assert Theta32.dtype == torch.float32 and torch.allclose(Theta32.double(), Theta, atol=1e-4)
    Theta32.square().sum().backward()
    Theta.square().sum().backward()
    assert S32.grad.dtype == torch.float32
    for x, y in zip(small.parameters(), layer.parameters()):
        assert x.grad.dtype == torch.float32
        assert (x.grad.double() - y.grad).norm() <= 1e-2 * max(y.grad.norm(), 1e-2)


@pytest.mark.parametrize("mode", ("fast", "autograd"))
def test_one_matrix_serves_a_batch(mode):
    S, T = problem(3, 5)
    layer = SpodLayer(m.Gradient(5), m.Margin(), mode=mode)
    one, results = S[0].clone().requires_grad_(), []
    for S_, Theta in ((one, start(S)), (one.expand(3, 5, 5), start(S)), (S[:1], start(S))):
        Theta, _ = layer(Theta, S=S_)
        results.append((Theta.detach(), *torch.autograd.grad((Theta - T).square().sum(), list(layer.parameters()))))
    assert all(torch.equal(a, b) for other in results[1:] for a, b in zip(results[0], other))
    Theta, W = layer(start(S[0]), S=S)  # one start for several S
    assert Theta.shape == W.shape == (3, 5, 5)
    each = [torch.autograd.grad(layer(start(S)[k], S=one)[0].square().sum(), one)[0] for k in range(3)]
    whole, = torch.autograd.grad(layer(start(S), S=one)[0].square().sum(), one)
    assert torch.allclose(whole, sum(each), rtol=1e-10)


def test_one_variable():
    S = torch.tensor([[[2.0]], [[0.5]]], dtype=F64, requires_grad=True)
    layer, results = SpodLayer(m.Gradient(2), m.Margin()), []
    for mode in ("fast", "autograd"):
        layer.mode = mode
        Theta, W = layer(1 / (S + 1), S=S)
        assert torch.allclose(Theta * W, torch.ones_like(W))
        results.append((Theta.detach(), *torch.autograd.grad((Theta**2).sum(), [S, *layer.g.parameters()])))
    for a, b in zip(*results):
        assert torch.allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("case", ("ubg", "attention"))
def test_recompute_gives_the_same(case):
    S, T = problem(2, 8)
    layer = layers_of(case, 8, 1)[0]
    grads = []
    for recompute in (False, True):
        layer.recompute = recompute
        S_ = S.clone().requires_grad_()
        Theta, _ = layer(start(S_), S=S_, n=20)
        grads.append(torch.autograd.grad((Theta - T).square().sum(), [S_, *layer.parameters()]))
    assert all(torch.allclose(a, b, rtol=1e-10, atol=1e-12) for a, b in zip(*grads))


@pytest.mark.parametrize("mixing", (False, True))
def test_weights_of_f_by_one_call_for_all_columns(mixing):
    """f's weights get their gradients by one call of f, unless f gives a row something else among others."""
    S, T = problem(3, 6)
    calls = []

    class F(m.Gradient):
        def forward(self, theta_12, w_12, s_12, index):
            calls.append(len(index))
            z = super().forward(theta_12, w_12, s_12) * (1 + index.unsqueeze(1))
            return z - z.mean(0) if mixing else z

    torch.manual_seed(1)
    layer, grads = SpodLayer(F(6), m.SmoothMargin(), scaling="clip"), []
    for mode in ("fast", "autograd"):
        layer.mode = mode
        calls.clear()
        Theta, _ = layer(start(S), S=S)
        grads.append(torch.autograd.grad((Theta - T).square().sum(), list(layer.f.parameters())))
        assert calls == [3] * 6 + [18] * (mode == "fast")
    assert all(torch.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in zip(*grads))


def test_recompute_restores_the_random_numbers():
    S, T = problem(3, 6)
    torch.manual_seed(0)

    class F(m.Gradient):
        def forward(self, theta_12, w_12, s_12):
            return nn.functional.dropout(super().forward(theta_12, w_12, s_12), 0.4)

    layer, grads = SpodLayer(F(6), m.Margin()), []
    for recompute in (False, True):
        layer.recompute = recompute
        torch.manual_seed(5)
        Theta, _ = layer(start(S), S=S)
        grads.append((*torch.autograd.grad((Theta - T).square().sum(), list(layer.parameters())), torch.rand(1)))
    assert all(torch.equal(a, b) for a, b in zip(*grads))
    norm = SpodLayer(m.Free(6), m.Margin(), recompute=True)
    norm.f.add_module("norm", nn.BatchNorm1d(5))
    with pytest.raises(ValueError, match="twice"):
        norm(start(S), S=S)


def test_a_graph_may_be_walked_twice():
    S, T = problem(2, 7)
    layer = layers_of("attention", 7, 1)[0]
    Theta, W = layer(start(S), S=S, n=30)
    loss = (Theta - T).square().sum() + W.sum()
    first = torch.autograd.grad(loss, list(layer.parameters()), retain_graph=True)
    layer(start(S) * 2, S=S, n=30)  # takes another workspace
    second = torch.autograd.grad(loss, list(layer.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(first, second))


def test_a_parameter_may_serve_f_and_g():
    S, _ = problem(2, 5)
    shared = nn.Parameter(torch.tensor(0.4, dtype=F64))

    class F(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = shared

        def forward(self, theta_12, s_12):
            return theta_12 - self.a * s_12

    class G(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = shared

        def forward(self, x):
            return self.a.exp() + x[:, 2:] ** 2

    layer, grads = SpodLayer(F(), G(), scaling="clip"), []
    for mode in ("fast", "autograd"):
        layer.mode = mode
        grads.append(torch.autograd.grad(layer(start(S), S=S)[0].square().sum(), shared)[0])
    assert torch.allclose(*grads, rtol=1e-12)


def test_state_dict_and_frozen_parts():
    S, _ = problem(2, 5)
    layer = SpodLayer(m.Gradient(5), m.Margin(), threshold=m.Entrywise())
    twin = SpodLayer(m.Gradient(5), m.Margin(), threshold=m.Entrywise())
    twin.load_state_dict(layer.state_dict())
    assert torch.equal(layer(start(S), S=S)[0], twin(start(S), S=S)[0])
    for part in ("f", "g", "threshold"):
        for x in layer.parameters():
            x.requires_grad_(True)
        for x in getattr(layer, part).parameters():
            x.requires_grad_(False)
        layer.zero_grad(set_to_none=True)
        layer(start(S), S=S)[0].square().sum().backward()
        assert all((x.grad is None) == name.startswith(part + ".") for name, x in layer.named_parameters())
    for x in layer.parameters():
        x.requires_grad_(False)
    assert not layer(start(S), S=S)[0].requires_grad
