"""What people do with modules of torch: precisions, checkpoints, hooks, other devices, compilers, torch.func."""
import copy
import io
import warnings

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

import modules as m  # noqa: E402
from layers import F64, problem, start  # noqa: E402
from spodnet.torch import UBG, SpodLayer, UBGAny  # noqa: E402
from spodnet.torch.matrices import faults_by_torch, faults_of  # noqa: E402

MODES = ("fast", "autograd")


def gradients(layer, Theta, S, W=None, **options):
    """The layer's Theta and the gradients of Theta, S and all weights."""
    layer.zero_grad(set_to_none=True)
    Theta, S = Theta.detach().clone().requires_grad_(), S.clone().requires_grad_()
    out, _ = layer(Theta, W, S=S, **options)
    out.square().sum().backward()
    d_S = torch.zeros_like(S) if S.grad is None else S.grad
    return out.detach(), Theta.grad + Theta.grad.mT, d_S + d_S.mT, *(x.grad.clone() for x in layer.parameters())


def both_modes(make, **options):
    S, _ = problem(4, 6)
    results = []
    for mode in MODES:
        torch.manual_seed(0)
        results.append(gradients(make(mode), start(S), S, **options))
    for a, b in zip(*results):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("f", [lambda theta_12: theta_12, lambda theta: theta, lambda s_12: s_12, lambda theta_12: theta_12.detach(),
                               lambda theta_12: theta_12.clone().mul_(0.5), lambda w_12: w_12.round().long()])
def test_an_f_that_hardly_does_anything(f):
    both_modes(lambda mode: SpodLayer(f, m.SmoothMargin(), threshold=lambda z: 0.1 * z, scaling="clip", mode=mode))


def test_the_gradient_is_total_where_the_inverse_is_given():
    S, _ = problem(4, 6)
    both_modes(lambda mode: SpodLayer(m.Gradient(6), m.Margin(), mode=mode), W=S + torch.eye(6, dtype=F64))


def test_a_threshold_that_learns_to_mix_entries():
    """It reads each entry alone while its first weight is 0."""
    threshold = m.Coupled()

    def make(mode):
        layer = SpodLayer(m.Gradient(6), m.SmoothMargin(), threshold=threshold, scaling="clip", mode=mode)
        with torch.no_grad():
            threshold.a[0] = 0
        S, _ = problem(2, 6)
        gradients(layer, start(S), S)
        assert layer._entrywise == ({5: True} if mode == "fast" else {})
        with torch.no_grad():
            threshold.a[0] = 0.3
        return layer

    both_modes(make)


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_batch(mode):
    S = torch.zeros(0, 6, 6, dtype=F64)
    layer = SpodLayer(m.Gradient(6), m.Margin(), threshold=m.Entrywise(), mode=mode)
    assert gradients(layer, S, S)[2].shape == (0, 6, 6) and layer(S.view(2, 0, 6, 6), S=S.view(2, 0, 6, 6))[0].shape == (2, 0, 6, 6)
    net = UBG(6)
    net(S)[0].sum().backward()
    assert not any(x.grad.any() for x in net.parameters())


@pytest.mark.parametrize("mode", MODES)
def test_float32_is_walked_in_float64(mode):
    """Two layers in float32 differ from those in float64 by one rounding of what lies between, not by a walk's."""
    S, _ = problem(3, 30)
    S = S.float().double()
    layer = SpodLayer(lambda theta_12, w_12, s_12: theta_12 - 0.2 * (s_12 - w_12), lambda x: 0.1 + x[:, :1], scaling="clip", mode=mode)
    Theta = start(S).float()
    narrow, W = layer(*layer(Theta, S=S.float()), S=S.float())
    middle = layer(Theta.double(), S=S)[0].float().double()
    wide, _ = layer(middle, S=S)
    assert narrow.dtype == W.dtype == torch.float32
    assert (narrow - wide).abs().max() <= 2e-6 * wide.abs().max()


@pytest.mark.parametrize("recompute", (False, True))
@pytest.mark.parametrize("inside", (False, True))
def test_autocast(recompute, inside):
    """f and g in bfloat16, in the backward as in the forward."""
    S, _ = problem(4, 6)
    S, Theta = S.float(), start(S).float()
    torch.manual_seed(0)
    layer = SpodLayer(m.Gradient(6), m.Margin(), threshold=m.Entrywise(), scaling="clip", recompute=recompute).float()
    exact = gradients(layer, Theta, S)
    layer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out, _ = layer(Theta, S=S)
        loss = out.float().square().sum()
        if inside:
            loss.backward()
    if not inside:
        loss.backward()
    total = torch.cat([x.reshape(-1) for x in exact[3:]]).norm()
    assert out.dtype == torch.float32 and 0 < (out - exact[0]).norm() <= 0.05 * exact[0].norm()
    for x, d in zip(layer.parameters(), exact[3:]):
        assert x.grad is not None and (x.grad - d).norm() <= 0.2 * max(d.norm(), 0.1 * total)




@pytest.mark.parametrize("around", ("checkpoint", "saved tensors", "inference"))
def test_around_a_layer_and_a_model(around):
    from torch.utils.checkpoint import checkpoint

    S, _ = problem(3, 6)
    torch.manual_seed(0)
    layer, net = SpodLayer(m.Gradient(6), m.Margin(), threshold=m.Entrywise()), UBG(6, seed=0)

    def call(S):
        return layer(*net(S), S=S)[0]

    call(S).square().sum().backward()
    parameters = [*layer.parameters(), *net.parameters()]
    wanted = [x.grad.clone() for x in parameters]
    layer.zero_grad(set_to_none=True), net.zero_grad(set_to_none=True)
    if around == "inference":
        with torch.inference_mode():
            assert torch.equal(call(S), call(S.clone()))
        return
    if around == "checkpoint":
        out = checkpoint(call, S.clone().requires_grad_(), use_reentrant=False)
    else:
        with torch.autograd.graph.save_on_cpu():
            out = call(S)
    out.square().sum().backward()
    assert all(torch.allclose(x.grad, d, rtol=1e-12, atol=1e-14) for x, d in zip(parameters, wanted))


def test_copies_lie_in_one_block_again():
    S, _ = problem(2, 6)
    for net in (UBG(6, seed=0), UBG(6, seed=0, flat=True)):
        file = io.BytesIO()
        torch.save(net, file)
        file.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded = torch.load(file, weights_only=False) if hasattr(torch, "compile") else torch.load(file)
        for other in (loaded, copy.deepcopy(net)):
            assert not other._moved(other._weights()) and torch.equal(other(S)[0], net(S)[0])
            with torch.no_grad():
                next(other.parameters()).add_(1)
            assert not torch.equal(other(S)[0], net(S)[0])


def test_pruned_and_parametrized_weights():
    from torch.nn.utils import parametrize, prune

    class Negative(nn.Module):
        def forward(self, x):
            return -x

    S, T = problem(3, 6)
    reference, pruned, negative = UBG(6, seed=0), UBG(6, seed=0), UBG(6, seed=0)
    linear = [net.get_submodule("layers.0.f.gamma.0") for net in (reference, pruned, negative)]
    prune.l1_unstructured(linear[1], "weight", 0.5)
    parametrize.register_parametrization(linear[2], "weight", Negative())
    for net, factor in ((pruned, linear[1].weight_mask), (negative, -torch.ones(()))):
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
        for _ in range(2):  # the second time with other weights
            optimizer.zero_grad()
            (net(S)[0] - T).square().sum().backward()
            optimizer.step()
        source = net.get_submodule("layers.0.f.gamma.0")
        weight = source.weight_orig if net is pruned else source.parametrizations.weight.original
        state = {name.replace("weight_orig", "weight").replace("parametrizations.weight.original", "weight"): x
                 for name, x in net.state_dict().items() if "mask" not in name}
        reference.load_state_dict({**state, "layers.0.f.gamma.0.weight": (weight * factor).detach()})
        assert torch.equal(reference(S)[0], net(S)[0]) and weight.grad is not None


def test_one_matrix_that_cannot_be_inverted_is_named():
    S, _ = problem(4, 5)
    S[2] = -5 * torch.eye(5)
    for net, n in ((UBG(5), None), (UBGAny(scaling="relative"), 30)):
        with pytest.raises(ValueError, match=r"S\[2\]: .*positive definite"):
            net(S, n)
        with pytest.raises(ValueError, match=r"S\[1, 0\]: "):
            net(S.view(2, 2, 5, 5), n)
        with pytest.raises(ValueError, match="to_dense"):
            net(S[:2].to_sparse(), n)
    for n in (0, -3, float("nan"), [10, 10, 0, 5]):
        with pytest.raises(ValueError, match="above 0"):
            net(S, n)


@pytest.mark.parametrize("mode", MODES)
def test_wrong_parts_of_a_layer(mode):
    S, _ = problem(2, 5)
    for make, error, words in (
        (lambda: SpodLayer(3, m.Margin()), TypeError, "f is a int"),
        (lambda: SpodLayer(m.Free(5), None), TypeError, "g is a NoneType"),
        (lambda: SpodLayer(m.Free(5), m.Margin(), threshold=0.1), TypeError, "threshold is a float"),
        (lambda: SpodLayer(lambda theta_12: theta_12 * 1j, m.Margin(), mode=mode)(start(S), S=S), ValueError, "f returned complex"),
        (lambda: SpodLayer(lambda theta_12: theta_12, lambda x: x[:, 0] * 1j, mode=mode)(start(S), S=S), ValueError, "g returned complex"),
    ):
        with pytest.raises(error, match=words):
            make()


def test_faults_on_any_device_are_the_cores():
    S, _ = problem(5, 4)
    S[1, 0, 2] = float("nan")
    S[2, 0, 3] += 1e-3
    S[3, 0, 3] *= 1 + 1e-13
    assert faults_by_torch(S, 1e-6) == faults_of(S, F64) == [0, 1, 2, 3, 0]
    assert faults_by_torch(S[4:], 1e-6) == faults_of(S[4:], F64) == []


@pytest.mark.skipif(not hasattr(torch, "set_default_device"), reason="this torch has no default device")
def test_a_default_device_does_not_reach_the_core():
    """Neither a module's weights nor the core's own memory may lie where it cannot read."""
    S, _ = problem(3, 6)
    Theta = start(S)
    torch.manual_seed(0)
    layer, net = SpodLayer(m.Gradient(6), m.Margin(), threshold=m.Entrywise()), UBG(6, seed=0)
    wanted = gradients(layer, Theta, S), net(S, 30)[0].detach()
    with torch.device("meta"):
        got = gradients(layer, Theta, S), net(S, 30)[0]
        got[1].sum().backward()
        skeleton = UBG(6)
    assert all(torch.equal(a, b) for a, b in zip(wanted[0], got[0])) and torch.equal(wanted[1], got[1])
    assert all(x.is_meta for x in skeleton.parameters())
    skeleton.to_empty(device="cpu").load_state_dict(net.state_dict())
    assert torch.equal(skeleton(S)[0], wanted[1])


@pytest.mark.skipif(not hasattr(torch, "func"), reason="this torch has no torch.func")
def test_torch_func():
    S, _ = problem(3, 5)
    Theta = start(S)
    torch.manual_seed(0)
    layer = SpodLayer(m.Free(5, 6), m.SmoothMargin(), scaling="clip")  # takes plain operations by itself

    def loss(parameters, Theta, S):
        out, _ = torch.func.functional_call(layer, parameters, (Theta,), dict(S=S))
        return out.square().sum()

    parameters = {k: x.detach() for k, x in layer.named_parameters()}
    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(parameters, Theta, S)
    whole = torch.func.grad(loss)(parameters, Theta, S)
    for k in parameters:
        assert torch.allclose(each[k].sum(0), whole[k], rtol=1e-9, atol=1e-11)
    step = torch.func.jvp(lambda x: layer(x, S=S)[0], (Theta,), (Theta,))[1]
    ahead, back = (layer(Theta * (1 + e), S=S)[0] for e in (1e-6, -1e-6))
    assert torch.allclose(step, (ahead - back) / 2e-6, atol=1e-6)
    with pytest.raises(RuntimeError, match="torch.func"):
        torch.func.vmap(UBG(5))(S)
    net, other = UBG(5, seed=0), UBG(5, seed=1)
    assert torch.equal(torch.func.functional_call(net, dict(other.named_parameters()), (S,))[0], other(S)[0])


def test_tensors_without_numbers():
    """FakeTensors, as torch.export has them, walk in plain operations; the core, which reads addresses, would crash."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    S, _ = problem(2, 4)
    Theta = start(S)
    layer = SpodLayer(m.Gradient(4), m.Margin(), threshold=m.Entrywise())
    wanted = layer(Theta, S=S)[0]
    twin = copy.deepcopy(layer)
    with FakeTensorMode() as fake:
        for module in twin.modules():
            module._parameters.update({name: nn.Parameter(fake.from_tensor(x)) for name, x in module._parameters.items()})
        out, W = twin(fake.from_tensor(Theta), S=fake.from_tensor(S))
        assert out.shape == W.shape == (2, 4, 4)
    with pytest.raises(RuntimeError, match="torch.export"):
        UBG(4)(fake.from_tensor(S))
    recorded = make_fx(lambda Theta, S: layer(Theta, S=S)[0])(Theta, S)
    assert torch.allclose(recorded(Theta, S), wanted, rtol=1e-10)
    other = start(problem(2, 4, seed=9)[0])
    assert torch.allclose(recorded(other, S), layer(other, S=S)[0], rtol=1e-10)


@pytest.mark.skipif(not hasattr(torch, "export"), reason="this torch has no torch.export")
def test_exported():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = SpodLayer(m.Gradient(4), m.Margin(), threshold=m.Entrywise())

        def forward(self, Theta, S):
            return self.layer(Theta, S=S)[0] * 2

    S, _ = problem(2, 4)
    net = Net()
    exported = torch.export.export(net, (start(S), S), strict=False).module()
    other = problem(2, 4, seed=9)[0]
    assert torch.allclose(exported(start(other), other), net(start(other), other), rtol=1e-10)


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="this torch has no compiler")
def test_compiled():
    S, _ = problem(3, 6)
    torch.manual_seed(0)
    f, g, threshold = m.Gradient(6), m.Margin(), m.Entrywise()
    wanted = gradients(SpodLayer(f, g, threshold=threshold), start(S), S)
    parts = [torch.compile(part, backend="aot_eager") for part in (f, g, threshold)]
    inner = SpodLayer(parts[0], parts[1], threshold=parts[2])
    outer = torch.compile(SpodLayer(f, g, threshold=threshold), backend="aot_eager")
    for layer in (inner, outer):
        assert all(torch.allclose(a, b, rtol=1e-10, atol=1e-12) for a, b in zip(wanted, gradients(layer, start(S), S)))
    net, grads = UBG(6, seed=0), []
    for each in (net, torch.compile(net, backend="aot_eager")):
        Theta, _ = each(S)
        grads.append((Theta, *torch.autograd.grad(Theta.square().sum(), list(net.parameters()))))
    assert all(torch.equal(a, b) for a, b in zip(*grads))


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="this torch has no compiler")
def test_plain_operations_compiled():
    S, _ = problem(2, 3)
    layer = SpodLayer(m.Gradient(3), m.Margin(), mode="autograd")
    wanted = gradients(layer, start(S), S)
    got = gradients(torch.compile(layer, backend="aot_eager"), start(S), S)
    assert all(torch.allclose(a, b, rtol=1e-10, atol=1e-12) for a, b in zip(wanted, got))
