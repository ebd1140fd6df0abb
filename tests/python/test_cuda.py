"""Tensors on a GPU: the same numbers as on the CPU; torch.func where torch has it.

    python tests/python/test_cuda.py       without pytest
"""
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import pytest
except ImportError:
    pytest = None

if pytest:
    torch = pytest.importorskip("torch")
    pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
else:
    import torch

import modules as m  # noqa: E402
from spodnet import _core  # noqa: E402
from spodnet.torch import E2E, PNP, UBG, NumericalWarning, PNPAny, SpodLayer, UBGAny  # noqa: E402
from support import covariances  # noqa: E402

F64 = torch.float64


class Skipped(Exception):
    """Without pytest."""


def skip(why):
    if pytest:
        pytest.skip(why)
    raise Skipped(why)


def problem(count, p):
    S, T = map(torch.from_numpy, covariances(count, p))
    Theta = torch.linalg.inv(S + torch.eye(p, dtype=F64))
    return S, T, (Theta + Theta.mT) / 2


def gradients(layer, Theta, S, T):
    layer.zero_grad(set_to_none=True)
    S = S.clone().requires_grad_()
    out, W = layer(Theta, S=S, n=50.0)
    ((out - T).square().sum() + W.sum()).backward()
    return out.detach().cpu(), (S.grad + S.grad.mT).cpu(), [x.grad.detach().clone().cpu() for x in layer.parameters()]


def test_layer_on_the_gpu_is_the_cpus():
    for p, f, g, threshold in ((12, m.Gradient(12), m.Margin(), m.Entrywise()), (8, m.Attention(8), m.SmoothMargin(), m.Coupled())):
        S, T, Theta = problem(5, p)
        layer = SpodLayer(f, g, threshold=threshold, scaling="clip")
        cpu = gradients(layer, Theta, S, T)
        layer.cuda()
        gpu = gradients(layer, Theta.cuda(), S.cuda(), T.cuda())
        assert torch.allclose(cpu[0], gpu[0], rtol=1e-10, atol=1e-11)
        assert torch.allclose(cpu[1], gpu[1], rtol=1e-7, atol=1e-8)
        for a, b in zip(cpu[2], gpu[2]):
            assert (a - b).norm() <= 1e-7 * max(float(a.norm()), 1e-3)


def test_a_bad_matrix_and_a_wrong_device_on_the_gpu():
    S, T, Theta = problem(3, 6)
    layer = SpodLayer(m.Gradient(6), m.Margin()).cuda()
    right = layer(Theta.cuda(), S=S.cuda())[0]
    S[1, 0, 2] = S[1, 2, 0] = float("nan")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        got = layer(Theta.cuda(), S=S.cuda())[0]
    assert any(isinstance(w.message, NumericalWarning) and "matrix 1 " in str(w.message) for w in seen)
    assert torch.equal(got[[0, 2]], right[[0, 2]])
    try:
        layer(Theta.cuda(), S=S)
    except ValueError as error:
        assert "device" in str(error)
    else:
        raise AssertionError("a tensor on another device was taken")


def test_models_take_tensors_of_the_gpu():
    S, T, _ = problem(4, 7)
    net = UBG(7, seed=0)
    Theta, _ = net(S)
    net.cuda()
    on_gpu, W = net(S.cuda())
    assert on_gpu.device.type == W.device.type == "cuda"
    assert torch.allclose(on_gpu.cpu(), Theta, rtol=1e-12, atol=1e-13)
    (on_gpu - T.cuda()).square().sum().backward()
    assert all(x.grad.device.type == "cuda" and torch.isfinite(x.grad).all() for x in net.parameters())


def needs_engine():
    """Says why there is nothing to test where the core was built without CUDA."""
    if not _core.gpu_count():
        skip("the core has no engine for GPUs: built without SPODNET_CUDA")


def model_gradients(net, S, T, n):
    """Theta, W and the gradients of a loss that reads both."""
    net.zero_grad(set_to_none=True)
    Theta, W = net(S, n)
    ((Theta - T).square().sum() + W.sin().sum()).backward()
    return [Theta.detach().cpu(), W.detach().cpu(), *(x.grad.clone().cpu() for x in net.parameters())]


def test_models_are_the_cpus_on_the_gpus_engine():
    needs_engine()
    for p in (1, 6, 40, 100, 110):
        S, T, _ = problem(9, p)
        n = torch.arange(60.0, 69.0)
        for net in (UBG(p, seed=1), PNP(p, 2, seed=2), E2E(p, 2, True, "clip", seed=3),
                    UBGAny(2, scaling="clip", seed=4), PNPAny(2, scaling="relative", standardized=True, summary=True, seed=5)):
            on_cpu = model_gradients(net, S, T, n)
            net.cuda()
            on_gpu = model_gradients(net, S.cuda(), T.cuda(), n)
            assert list(net._walks) == ["cpu", "cuda:0"]
            for a, b in zip(on_cpu, on_gpu):
                assert (a - b).norm() <= 1e-9 * max(float(a.norm()), 1e-3), (type(net).__name__, p)
            again = model_gradients(net, S.cuda(), T.cuda(), n)
            assert all(torch.equal(a, b) for a, b in zip(on_gpu, again)), "the same bits from run to run"


def test_the_engine_walks_again_for_a_second_backward():
    needs_engine()
    S, T, _ = problem(5, 20)
    net = UBG(20, seed=1).cuda()
    Theta, _ = net(S.cuda())
    loss = (Theta - T.cuda()).square().sum()
    first = torch.autograd.grad(loss, list(net.parameters()), retain_graph=True)
    Theta, _ = net(S.cuda() + torch.eye(20, device="cuda", dtype=F64))  # another walk in between
    second = torch.autograd.grad(loss, list(net.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(first, second))


def test_a_bad_matrix_on_the_gpus_engine():
    needs_engine()
    S, _, _ = problem(3, 6)
    net = UBG(6, seed=1).cuda()
    right = net(S.cuda())[0]
    S[1, 0, 2] = S[1, 2, 0] = float("nan")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        got = net(S.cuda())[0]
    assert any("matrix 1 " in str(w.message) for w in seen)
    assert torch.equal(got[[0, 2]], right[[0, 2]]) and got[1].isnan().all()


def test_the_gradient_of_s_and_other_types():
    S, T, _ = problem(3, 6)
    net = UBG(6, seed=1).cuda()
    x = S.cuda().requires_grad_()
    net(x)[0].square().sum().backward()
    assert x.grad.device.type == "cuda" and torch.isfinite(x.grad).all()
    half = net(S.float().cuda())[0]
    assert half.dtype == torch.float32 and torch.allclose(half.double(), net(S.cuda())[0], atol=1e-4)
    with torch.cuda.stream(torch.cuda.Stream()):
        assert torch.equal(net((2 * S.cuda()) / 2)[0], net(S.cuda())[0])


def test_torch_func():
    if not hasattr(torch, "func"):
        skip("this torch has no torch.func")
    S, T, Theta = (x.cuda() for x in problem(3, 5))
    layer = SpodLayer(m.Free(5, 6), m.SmoothMargin(), scaling="clip").cuda()

    def loss(parameters, Theta, S):
        out, _ = torch.func.functional_call(layer, parameters, (Theta,), dict(S=S))
        return out.square().sum()

    parameters = {k: x.detach() for k, x in layer.named_parameters()}
    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(parameters, Theta.unsqueeze(1), S.unsqueeze(1))
    whole = torch.func.grad(loss)(parameters, Theta, S)
    for k in parameters:
        assert torch.allclose(each[k].sum(0), whole[k], rtol=1e-9, atol=1e-11)


if __name__ == "__main__":
    if not torch.cuda.is_available():
        sys.exit("skipped: no GPU")
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
                print(name, "ok", flush=True)
            except Skipped as why:
                print(name, "skipped:", why, flush=True)
