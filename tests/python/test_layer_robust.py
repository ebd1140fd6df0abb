"""SpodLayer: SPD for whatever f and g return; one clear error for each wrong argument."""
import warnings

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

import modules as m  # noqa: E402
from layers import F64, SCALINGS, is_spd, problem, start  # noqa: E402
from spodnet.torch import NumericalWarning, SpodLayer  # noqa: E402


GARBAGE = {
    "noise": lambda x: torch.randn_like(x) * 10.0 ** torch.randint(-9, 9, x.shape).double(),
    "huge": lambda x: torch.full_like(x, 1e200),
    "infinite": lambda x: torch.full_like(x, float("inf")),
    "nan": lambda x: torch.full_like(x, float("nan")),
    "zero": lambda x: torch.zeros_like(x),
    "negative": lambda x: -1e6 * torch.ones_like(x),
    "some nan": lambda x: torch.where(torch.rand(x.size(0), 1) < 0.2, x * float("nan"), x),
}


@pytest.mark.parametrize("mode", ("fast", "autograd"))
@pytest.mark.parametrize("scaling", SCALINGS)
def test_spd_for_any_f_and_g(scaling, mode):
    S, _ = problem(4, 9)
    for bad_f in GARBAGE.values():
        for bad_g in GARBAGE.values():
            torch.manual_seed(3)

            def f(theta_12):
                return bad_f(theta_12)

            layer = SpodLayer(f, lambda x: bad_g(x[:, :1]), scaling=scaling, mode=mode)
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore", NumericalWarning)
                Theta, W = layer(start(S), S=S)
                assert torch.isfinite(Theta).all() and is_spd(Theta)
                Theta, W = layer(Theta, S=S)
            assert is_spd(Theta)


@pytest.mark.parametrize("mode", ("fast", "autograd"))
@pytest.mark.parametrize("v_min", (1e-8, 0.0))
def test_spd_for_any_threshold(v_min, mode):
    """lambda of any size or sign, and margins of 0 that nothing lifts."""
    S, _ = problem(3, 7)

    class Threshold(nn.Module):
        entrywise = False

        def forward(self, z):
            return self.bad(z)

    threshold = Threshold()
    for threshold.bad in GARBAGE.values():
        for bad_g in GARBAGE.values():
            for scaling in SCALINGS:
                torch.manual_seed(3)
                layer = SpodLayer(lambda theta, w, solve: w - solve(10 * theta), lambda x: bad_g(x[:, :1]), threshold=threshold,
                                  g_inputs=("w_22", "q"), scaling=scaling, mode=mode, v_min=v_min)
                with torch.no_grad(), warnings.catch_warnings():
                    warnings.simplefilter("ignore", NumericalWarning)
                    Theta, W = layer(start(S))
                assert torch.isfinite(Theta).all() and torch.isfinite(W).all() and is_spd(Theta)


@pytest.mark.parametrize("mode", ("fast", "autograd"))
def test_matrices_are_named_as_the_caller_counts(mode):
    S, _ = problem(6, 5)
    S = S.view(2, 3, 5, 5)
    Theta = start(S)
    layer = SpodLayer(m.Gradient(5), m.Margin(), mode=mode)
    layer(Theta, S=S)
    S[1, 2, 0, 1] = S[1, 2, 1, 0] = float("inf")
    with pytest.warns(NumericalWarning, match=r"matrix \(1, 2\) "):
        layer(Theta, S=S)
    crooked, negative = Theta.clone(), Theta.clone()
    crooked[0, 1, 0, 1] += 1
    negative[1, 0] *= -1
    for bad, words in ((crooked, r"Theta\[0, 1\] is not symmetric"), (negative, r"Theta\[1, 0\] is not positive definite"),
                       (crooked[0, 1], "Theta is not symmetric")):
        with pytest.raises(ValueError, match=words):
            layer(bad, S=torch.eye(5, dtype=F64).expand_as(bad))


@pytest.mark.parametrize("mode", ("fast", "autograd"))
@pytest.mark.parametrize("where", ("S", "Theta", "f"))
def test_a_nan_names_its_matrix_and_leaves_the_others_right(where, mode):
    p = 6
    S, T = problem(4, p)
    Theta = start(S)
    torch.manual_seed(0)
    inner = m.Gradient(p)

    class F(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = inner

        def forward(self, theta_12, w_12, s_12, index):
            z = self.inner(theta_12, w_12, s_12)
            if where == "f" and z.size(0) > 3:
                bad = (torch.arange(z.size(0)) == 2).unsqueeze(1) & (index == 3).unsqueeze(1)
                z = torch.where(bad, torch.full_like(z, float("nan")), z)
            return z

    layer = SpodLayer(F(), m.Margin(), threshold=m.Entrywise(), mode=mode)
    keep = torch.tensor([0, 1, 3])
    right, _ = layer(Theta[keep], S=S[keep])
    (right - T[keep]).square().sum().backward()
    wanted = {k: x.grad.clone() for k, x in layer.named_parameters()}
    layer.zero_grad(set_to_none=True)
    if where == "S":
        S[2, 1, 4] = S[2, 4, 1] = float("nan")
    if where == "Theta":
        Theta[2, 1, 4] = Theta[2, 4, 1] = float("nan")
    with pytest.warns(NumericalWarning, match="matrix 2 "):
        got, _ = layer(Theta, S=S)
    assert torch.allclose(got[keep], right, rtol=1e-12, atol=0)
    (got[keep] - T[keep]).square().sum().backward()
    for k, x in layer.named_parameters():
        assert torch.allclose(x.grad, wanted[k], rtol=1e-8, atol=1e-12), k
    if where != "Theta":
        assert is_spd(got.detach())


def test_wrong_arguments_are_one_clear_error():
    S, _ = problem(2, 5)
    Theta = start(S)
    layer = SpodLayer(m.Gradient(5), m.Margin())
    for call, error, words in (
        (lambda: layer(Theta[:, :3], S=S), ValueError, r"\(..., p, p\)"),
        (lambda: layer(Theta, S=S.repeat(2, 1, 1)), ValueError, "must be alike"),
        (lambda: layer(Theta, S=S[:, :1, :1]), ValueError, "must be alike"),
        (lambda: layer(Theta, S=S.float()), ValueError, r"dtype.*pass S.to\(Theta.dtype\)"),
        (lambda: layer(Theta.half(), S=S.half()), ValueError, r"float64 or float32: pass Theta.double\(\)"),
        (lambda: layer(Theta.float(), S=S.float()), RuntimeError, r"weights of f \(f.gamma.0.weight\) are float64.*layer.to\(torch.float32\)"),
        (lambda: SpodLayer(m.Gradient(5), nn.Linear(3, 1, dtype=torch.float32))(Theta, S=S), RuntimeError, r"layer.double\(\)"),
        (lambda: layer(Theta), ValueError, "give S="),
        (lambda: layer(Theta.numpy(), S=S), TypeError, "not a tensor"),
        (lambda: layer(Theta + torch.triu(Theta, 1), S=S), ValueError, r"Theta\[0\] is not symmetric"),
        (lambda: layer(Theta, S=S + torch.triu(S, 1)), ValueError, r"S\[0\] is not symmetric"),
        (lambda: layer(-Theta, S=S), ValueError, "not positive definite"),
        (lambda: layer(Theta, S=S.to("meta")), ValueError, "device"),
        (lambda: SpodLayer(m.Attention(5), m.Margin())(Theta, S=S), ValueError, "give n="),
        (lambda: SpodLayer(nn.Linear(4, 4), m.Margin()), ValueError, "names no field"),
        (lambda: SpodLayer(m.Free(5), m.Margin(), f_inputs=("theta_21",)), ValueError, "theta_21"),
        (lambda: SpodLayer(m.Free(5), m.Margin(), f_inputs=("theta_12", "w")), ValueError, "two widths"),
        (lambda: SpodLayer(m.Free(5), m.Margin(), scaling="no"), ValueError, "scaling"),
        (lambda: SpodLayer(m.Free(5), m.Margin(), mode="x"), ValueError, "mode"),
        (lambda: SpodLayer(lambda theta_12: theta_12[:, 1:], m.Margin())(Theta, S=S), ValueError, "as wide as"),
        (lambda: SpodLayer(m.Free(5), lambda x: x)(Theta, S=S), ValueError, "one number a row"),
        (lambda: SpodLayer(m.Free(5), nn.Sequential(m.Margin(), nn.Dropout()))(Theta, S=S), ValueError, "g has"),
        (lambda: SpodLayer(m.Gradient(7), m.Margin())(Theta, S=S), RuntimeError, "shapes"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_g_that_mixes_rows_is_found():
    S, _ = problem(3, 5)

    def g(x):
        return x[:, :1].abs() + x.mean() ** 2 + 0.1

    Theta, _ = SpodLayer(m.Gradient(5), g)(start(S), S=S)
    with pytest.raises(RuntimeError, match="each row by itself"):
        Theta.sum().backward()


def test_a_captured_tensor_is_refused_and_a_context_is_not():
    S, _ = problem(2, 5)
    b = torch.full((4,), 0.3, dtype=F64, requires_grad=True)
    plain = {"f": lambda theta_12: theta_12, "g": lambda x: x[:, 0].exp(), "threshold": None}
    captures = {"f": lambda theta_12: theta_12 * b, "g": lambda x: x[:, 0] + b[0].exp(), "threshold": lambda z: b * z.abs()}
    for name, part in captures.items():
        remedy = "context" if name == "f" else "parameter of a module"
        for others in ({}, {"g": m.Margin()} if name != "g" else {"f": m.Gradient(5)}):
            with pytest.raises(RuntimeError, match=f"{name} uses a tensor.*{remedy}"):
                SpodLayer(**{**plain, **others, name: part}, mode="fast")(start(S), S=S)
            with torch.no_grad():
                SpodLayer(**{**plain, **others, name: part}, mode="fast")(start(S), S=S)
    g, grads = m.SmoothMargin(), []
    for mode in ("fast", "autograd"):
        layer = SpodLayer(lambda theta_12, scale, power: theta_12 * scale.tanh() ** power, g, scaling="clip", mode=mode)
        Theta, _ = layer(start(S), S=S, context=(b.sin().asin(), 2))  # not only tensors; one with a history
        grads.append(torch.autograd.grad(Theta.square().sum(), b)[0])
    assert torch.allclose(*grads, rtol=1e-10) and grads[0].abs().min() > 0
