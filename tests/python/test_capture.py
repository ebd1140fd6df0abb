"""Modules of torch as programs: the text computed by a second route gives torch's numbers and gradients."""
import json

import pytest

torch = pytest.importorskip("torch")

import modules as m  # noqa: E402
import zoo  # noqa: E402
from program_evaluator import F64, evaluate  # noqa: E402
from spodnet.torch import SpodLayer  # noqa: E402
from spodnet.torch.capture import Refused, numbers_for  # noqa: E402
from spodnet.torch.program_text import capture  # noqa: E402
from torch import nn  # noqa: E402


@pytest.fixture(autouse=True)
def float64():
    before = torch.get_default_dtype()
    torch.set_default_dtype(F64)
    torch.manual_seed(3)
    yield
    torch.set_default_dtype(before)


def layer_of(f, **options):
    return SpodLayer(f, m.SmoothMargin(), threshold=m.Entrywise(), **options)


def same_as_torch(layer, captured, B=4, p=7):
    """z and all gradients of f, threshold and g, at numbers with and without exact zeros."""
    width = p if "theta" in layer.f_inputs else p - 1
    A = torch.randn(B, width, width)
    A = A @ A.mT + torch.eye(width)
    solve = lambda x: torch.matmul(A, x.unsqueeze(2)).squeeze(2)
    for zeros in (False, True):
        generator = torch.Generator().manual_seed(int(zeros))
        for part in ("f", "threshold", "g"):
            names = {"f": layer.f_inputs, "threshold": ("z",), "g": layer.g_inputs}[part]
            x = {n: numbers_for("theta" if n == "z" and width == p else "theta_12" if n == "z" else n, B, p, 2, F64, generator,
                                zeros) for n in names if n != "solve"}
            leaves = [y.requires_grad_() for y in x.values() if y.is_floating_point()]
            arguments = [torch.cat(list(x.values()), 1)] if part == "g" else [x.get(n, solve) for n in names]
            want = getattr(layer, part)(*arguments)
            got = evaluate(captured.text, part, B, p, 2, x, captured.weights, A)
            leaves += [w for w in captured.weights.values() if w.requires_grad]
            d = torch.randn_like(want)
            assert torch.allclose(got, want, rtol=1e-12, atol=1e-13)
            for u, v in zip(*[torch.autograd.grad(y, leaves, d, allow_unused=True) if y.requires_grad else () for y in (want, got)]):
                u, v = (torch.zeros(1) if y is None else y for y in (u, v))
                assert torch.allclose(u, v, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("name", zoo.ANY_P)
def test_one_text_serves_any_p(name):
    layer = layer_of(zoo.ANY_P[name]())
    captured = capture(layer, 7, F64)
    assert "p" not in json.loads(captured.text)
    for B, p in ((4, 7), (1, 5), (3, 20)):
        same_as_torch(layer, captured, B, p)


@pytest.mark.parametrize("name", zoo.ONE_P)
def test_weights_that_know_p(name):
    layer = layer_of(zoo.ONE_P[name](7))
    captured = capture(layer, 7, F64)
    assert json.loads(captured.text)["p"] == 7
    for B in (1, 4):
        same_as_torch(layer, captured, B, 7)


@pytest.mark.parametrize("number", range(len(zoo.OPERATIONS)))
def test_operation(number):
    operation = zoo.OPERATIONS[number]
    layer = layer_of(lambda theta_12, s_12: (operation(theta_12, 1) if "softmax" in str(operation) else operation(theta_12)) * s_12)
    captured = capture(layer, 7, F64)
    assert "p" not in json.loads(captured.text)
    same_as_torch(layer, captured, 3, 9)


@pytest.mark.parametrize("operation", (lambda x: torch.cat((x[:, ::2], x[:, 1::2]), 1), lambda x: x * torch.arange(6),
                                       lambda x: x / x.size(1) ** 0.3))
def test_sizes_that_are_no_sum_of_B_and_p_are_captured_for_one(operation):
    layer = layer_of(lambda theta_12: operation(theta_12))
    captured = capture(layer, 7, F64)
    assert json.loads(captured.text)["p"] == 7
    same_as_torch(layer, captured)


@pytest.mark.parametrize("name", zoo.REFUSED)
def test_refusal_names_its_reason(name):
    make, reason = zoo.REFUSED[name]
    with pytest.raises(Refused, match="f uses .*" + reason):
        capture(layer_of(make()), 7, F64)


def test_a_tensor_that_would_lose_its_gradient_is_refused():
    scale = torch.ones(1, requires_grad=True)
    with pytest.raises(Refused, match="requires a gradient"):
        capture(layer_of(lambda theta_12: theta_12 * scale), 7, F64)


def test_tensors_that_are_no_parameters_are_fixed_weights():
    mask = (torch.rand(6) < 0.5).double()
    layer = layer_of(lambda theta_12: theta_12 * mask)
    captured = capture(layer, 7, F64)
    fixed = [n["name"] for n in json.loads(captured.text)["nodes"] if n.get("fixed")]
    assert fixed == ["f.constant0"] and captured.weights["f.constant0"] is mask
    same_as_torch(layer, captured)


def test_frozen_and_shared_parameters():
    shared = nn.Linear(1, 1)
    shared.bias.requires_grad_(False)
    f = zoo.With(lambda x: shared(x.unsqueeze(2)).squeeze(2))
    f.shared = shared
    layer = SpodLayer(f, nn.Sequential(nn.Linear(3, 1), shared), threshold=lambda z: 0.1 * z.abs())
    captured = capture(layer, 7, F64)
    nodes = {n["name"]: n for n in json.loads(captured.text)["nodes"] if n["op"] == "weight"}
    assert sorted(nodes) == ["f.shared.bias", "f.shared.weight", "g.0.bias", "g.0.weight"]  # one name for both
    assert nodes["f.shared.bias"]["fixed"] and "fixed" not in nodes["f.shared.weight"]
    assert captured.weights["f.shared.weight"] is shared.weight


def test_context_and_random_state():
    scale = torch.rand(4, 1)
    layer = layer_of(lambda theta_12, scale, power: theta_12 * scale**power)
    state = torch.get_rng_state()
    captured = capture(layer, 7, F64, (scale, 2), 4)
    assert torch.equal(state, torch.get_rng_state())
    node = next(n for n in json.loads(captured.text)["nodes"] if n.get("name") == "context0")
    assert node["shape"] == [[0, 1, 0, 0], 1]
