"""Lists of matrices of different p: what each gives alone, with all gradients, and messages that name the matrix."""
import warnings

import pytest

torch = pytest.importorskip("torch")

import modules as m  # noqa: E402
import zoo  # noqa: E402
from layers import float64, problem, start  # noqa: E402, F401 (a fixture)
from spodnet.torch import NumericalWarning, SpodLayer, UBGAny  # noqa: E402
from spodnet.torch.program import MOST_SIZES  # noqa: E402

SIZES = (5, 3, 5, 8, 1, 3)
N = torch.tensor([20.0, 30.0, 40.0, 50.0, 60.0, 70.0])


def covariances():
    return [problem(1, p, seed=10 * k)[0][0] for k, p in enumerate(SIZES)]


def layer_of(name="deep sets", **options):
    return SpodLayer(zoo.ANY_P[name](), m.SmoothMargin(), threshold=m.Entrywise(), scaling="clip", **options)


def expect_same(listed, alone):
    assert len(listed) == len(alone)
    for a, b in zip(listed, alone):
        assert a.shape == b.shape and (a - b).norm() <= 1e-10 * max(1, b.norm())


@pytest.mark.parametrize("mode", ("auto", "fast", "autograd"))
@pytest.mark.parametrize("name", ("deep sets", "solve"))
def test_a_list_is_its_matrices_one_by_one(name, mode):
    layer = layer_of(name, mode=mode)
    S = [x.requires_grad_() for x in covariances()]
    Theta_in = [start(x.detach()).requires_grad_() for x in S]
    leaves, results = [*Theta_in, *S, *layer.parameters()], []
    for listed in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if listed:
                Theta, W = layer(*layer(Theta_in, S=S, n=N), S=S, n=N)
            else:
                pairs = [layer(*layer(A, S=s, n=n), S=s, n=n) for A, s, n in zip(Theta_in, S, N)]
                Theta, W = zip(*pairs)
        loss = sum((A**3).sum() + 0.3 * B.square().sum() for A, B in zip(Theta, W))
        grads = torch.autograd.grad(loss, leaves, allow_unused=True)
        results.append([*Theta, *W, *[torch.zeros(()) if g is None else g for g in grads]])
    expect_same(*results)


def test_context_and_dtypes():
    S = covariances()
    Theta = [start(x) for x in S]
    layer = SpodLayer(lambda theta_12, shift: 0.5 * theta_12 + shift, lambda rows: 1 + rows[:, 1], g_inputs=("theta_22", "q"))
    shift = torch.randn(len(S), 1, requires_grad=True)  # a row for each matrix
    listed, _ = layer(Theta, context=shift)
    alone = [layer(A, context=(row,))[0] for A, row in zip(Theta, shift.split(1))]
    expect_same(listed, alone)
    total = lambda out: torch.autograd.grad(sum(A.square().sum() for A in out), shift)[0]
    expect_same([total(listed)], [total(alone)])
    mixed, _ = layer([Theta[0], Theta[2].float()], context=torch.zeros(1))
    assert mixed[0].dtype == torch.float64 and mixed[1].dtype == torch.float32
    assert layer([]) == ([], [])


def test_messages_name_the_matrix():
    layer, S = layer_of(), covariances()
    Theta = [start(x) for x in S]
    bad = list(S)
    bad[3] = S[3].clone()
    bad[3][0, 0] = float("nan")
    with pytest.warns(NumericalWarning, match=r"matrix 3 \("):
        out, _ = layer(Theta, S=bad)
    assert torch.equal(out[3], Theta[3]) and all(not torch.equal(out[k], Theta[k]) for k in (0, 1, 2, 4, 5))
    lopsided = list(S)
    lopsided[5] = S[5] + torch.eye(3).roll(1, 0)
    with pytest.raises(ValueError, match=r"S\[5\] is not symmetric"):
        layer(Theta, S=lopsided)
    with pytest.raises(ValueError, match=r"Theta\[2\] is not positive definite"):
        layer([-A if k == 2 else A for k, A in enumerate(Theta)], S=S)
    with pytest.raises(ValueError, match="S is a list of 5, Theta a list of 6"):
        layer(Theta, S=S[:5])
    with pytest.raises(ValueError, match="S is a Tensor"):
        layer(Theta, S=S[0])
    with pytest.raises(ValueError, match=r"S\[1\] is \(5, 5\)"):
        layer(Theta, S=[S[0], S[0], *S[2:]])
    with pytest.raises(ValueError, match="n has 2 numbers for 6 matrices"):
        layer(Theta, S=S, n=[1, 2])


def test_many_sizes_keep_few_workspaces():
    layer = layer_of()
    for p in range(2, 2 * MOST_SIZES):
        layer([start(problem(1, p)[0][0])], S=[problem(1, p)[0][0]])[0][0].sum().backward()
    rule, = [rule for rules in layer._programs.values() for rule in rules.values()]
    assert len(rule.free) <= MOST_SIZES


def test_models_for_any_size():
    net, S = UBGAny(layers=2), covariances()
    Theta, W = net(S, n=N)
    expect_same([*Theta, *W], [A[0] for A in [*[net(x[None], n=k)[0] for x, k in zip(S, N)],
                                              *[net(x[None], n=k)[1] for x, k in zip(S, N)]]])
    with pytest.raises(ValueError, match=r"S\[4\] is not symmetric"):
        net([*S[:4], torch.tensor([[1.0, 0.5], [0.0, 1.0]]), S[5]], n=N)
