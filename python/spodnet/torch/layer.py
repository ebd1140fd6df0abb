"""SpodLayer: Algorithm 1 around any two modules f and g."""
from __future__ import annotations

import contextlib
import warnings
from typing import Callable, Sequence

import torch
from torch import nn

from .answers import mixes_rows, trained
from .capture import Refused
from .fields import OF_S, fields_of, fields_of_g
from .matrices import F64, check_square, inverse, not_compiled, place_in, traced, usable_matrices
from .plain import plain_layer
from .program import Rule, rule_for, run_program
from .program_text import capture
from .sizes import by_size
from .walk import Run, Walk, autocast_of_now

SCALINGS = ("normalize", "clip", "none", "relative")


class NumericalWarning(UserWarning):
    """A matrix of a batch could not be walked to its end."""


class SpodLayer(nn.Module):
    """One layer of the paper's Algorithm 1: rewrites each column of Theta by f and g and keeps it SPD.

    For column i, theta_12 (the column without its diagonal entry) becomes soft_threshold(z, lambda)
    with z = f(fields), scaled, and lambda = threshold(z); theta_22 becomes v + q with q = theta_12'
    inv_theta_11 theta_12 and v = g(theta_22, s_22, q) > 0. Whatever f and g return, Theta stays SPD.

    Args:
        f: A module (or function) that returns z, [B, p - 1] or [B, p] as wide as the vectors it reads. It is
            given the fields named in f_inputs, and after them what a call gives as `context`.
        g: A module that maps rows (theta_22, s_22, q), [N, k] by g_inputs, to one number each, row by row.
            A number that is not positive is raised to v_min * max(1, q).
        f_inputs: By default the names of f's arguments: theta_12 w_12 s_12 [B, p - 1]; theta w s [B, p], 0 at entry
            i; theta_22 w_22 s_22 n [B, 1]; diag_Theta diag_S [B, p]; index [B]; solve, the function
            x -> inv_theta_11 x.
        g_inputs: Of theta_22, w_22, s_22, q and n.
        threshold: A module that gives lambda >= 0 of the scaled z, same shape; None: no soft threshold.
        scaling: normalize (to z' inv_theta_11 z = zeta), clip (at most zeta), relative (at most zeta theta_22) or
            none.
        recompute: Run f again in the backward instead of keeping its graphs: less memory.
        mode: "auto" (f, threshold and g are captured once as a program that the core runs, checked against torch at
            first use; where that cannot be, one warning says why, and it is "fast"), "fast" (f is called at each
            column; the core's O(p^2) memory; first derivatives, CPU) or "autograd" (plain operations: double
            backward, torch.func, any device). CUDA tensors and torch.func always take the last.
    """

    def __init__(self, f: Callable, g: Callable, *, f_inputs: Sequence[str] | None = None,
                 g_inputs: Sequence[str] = ("theta_22", "s_22", "q"), threshold: Callable | None = None,
                 scaling: str = "normalize", zeta: float = 1.0, v_min: float = 1e-8, recompute: bool = False,
                 mode: str = "auto"):
        super().__init__()
        if scaling not in SCALINGS:
            raise ValueError(f"SpodLayer: scaling {scaling!r}: it is one of {', '.join(SCALINGS)}")
        if mode not in ("auto", "fast", "autograd"):
            raise ValueError(f"SpodLayer: mode {mode!r}: it is auto, fast or autograd")
        if not zeta > 0 or not v_min >= 0:
            raise ValueError(f"SpodLayer: zeta = {zeta} must be above 0 and v_min = {v_min} not below")
        for name, part in (("f", f), ("g", g), ("threshold", threshold)):
            if not callable(part) and (part is not None or name != "threshold"):
                raise TypeError(f"SpodLayer: {name} is a {type(part).__name__}, not a module or a function")
        self.f_inputs, self.g_inputs = fields_of(f, f_inputs), fields_of_g(g_inputs)
        self.f, self.g, self.threshold = f, g, threshold
        self.scaling, self.zeta, self.v_min = scaling, float(zeta), float(v_min)
        self.recompute, self.mode = recompute, mode
        self._entrywise: dict[int, bool] = {}
        self._programs: dict = {}
        self._snapshot, self._state = None, ()
        self._said = False

    def extra_repr(self) -> str:
        return (f"f_inputs={self.f_inputs}, g_inputs={self.g_inputs}, scaling={self.scaling!r}, "
                f"zeta={self.zeta:g}, v_min={self.v_min:g}, mode={self.mode!r}")

    def forward(self, Theta, W=None, S=None, n=None, context=()):
        """Theta and W = Theta^{-1}, [..., p, p] each, after the layer.

        Args:
            Theta: SPD, [..., p, p]. Theta, W and S are broadcast: one matrix may serve a batch. Or a list of matrices
                [p, p] whose p may differ, where f, threshold and g take any; W and S, too, and the answers.
            W: The inverse of Theta, where it is known; gradients go through Theta alone, whose gradient is total (W
                follows Theta).
            S: What the fields s_12, s_22 and diag_S are taken from.
            n: The number of samples, or one for each matrix.
            context: Further arguments of f; a tensor f uses that is neither its parameter nor an argument would lose
                its gradient, and is refused.
        """
        context = (context,) if isinstance(context, torch.Tensor) else tuple(context)
        if isinstance(Theta, (list, tuple)):
            return by_size(self._of_one_size, "SpodLayer", n, context, Theta=Theta, W=W, S=S)
        return self._of_one_size(Theta, W, S, n, context)

    def _of_one_size(self, Theta, W=None, S=None, n=None, context=(), places=None):
        """forward for a stack; places: what its matrices are called in messages (None: by their place in it)."""
        check_square(Theta, "Theta", "SpodLayer")
        if S is None and (any(x in OF_S for x in self.f_inputs) or "s_22" in self.g_inputs):
            raise ValueError("SpodLayer: f or g reads fields of S: give S=")
        shape, dtype = common_shape(Theta, W=W, S=S), Theta.dtype
        p = shape[-1]
        Theta, W, S = (None if A is None else A.expand(shape).reshape(-1, p, p).to(F64) for A in (Theta, W, S))  # the walk itself is float64
        n = self._samples(n, Theta, dtype)
        places = shape[:-2] if places is None else places
        self._check_modules()
        fast = self.mode != "autograd" and Theta.device.type == "cpu" and not traced(Theta, W, S)
        usable = usable_matrices("SpodLayer", places, dtype, Theta=Theta, W=W, S=S)
        if W is None or dtype != F64 or not fast:  # W in float32 is not sharp enough; plain operations go through Theta
            W = inverse(Theta.detach() if fast else Theta, usable, not fast, "SpodLayer", places)
        S = torch.zeros_like(Theta) if S is None else S
        run = self._fast if fast else self._plain
        try:
            Theta, W, stopped = run(Theta, W, S, n, context, usable, dtype)
        except RuntimeError as error:
            raise self._with_hint(error, dtype) from error.__cause__
        if stopped:
            warn(stopped, places)
        return Theta.to(dtype).reshape(shape), W.to(dtype).reshape(shape)

    def compile(self, p: int, dtype=F64, context=()) -> Rule:
        """The program that mode="auto" runs for p variables, checked against torch; its `formulas` say what was
        captured. Raises where there is none, with the operation that a program has not."""
        from .program import difference

        rule = Rule(capture(self, int(p), dtype, tuple(context)))
        wrong = difference(self, rule, int(p), dtype, tuple(context), None) if p > 1 else None
        if wrong is not None:
            raise Refused(wrong)
        return rule

    def __getstate__(self):
        return {**self.__dict__, "_programs": {}, "_snapshot": None}

    @not_compiled
    def _fast(self, Theta, W, S, n, context, usable, dtype):
        B, p = Theta.shape[:2]
        if self.mode == "auto" and not self.recompute and not autocast():
            rule = rule_for(self, B, p, dtype, context)
            if rule is not None:
                return run_program(self, rule, Theta, W, S, n, context, usable)
        weights = {part: trained(getattr(self, part)) for part in ("f", "threshold", "g")}
        parameters = unique([x for part in weights.values() for x in part])
        if usable is not None:
            S = torch.where(usable.view(-1, 1, 1), S, torch.zeros_like(S))
            usable = usable.to(torch.uint8)
        keep = torch.is_grad_enabled() and any(
            x.requires_grad for x in (Theta, S, *parameters, *context) if isinstance(x, torch.Tensor))
        run = Run(self, B, p, dtype, usable, n, len(context), weights)
        Theta, W = Walk.apply(run, keep, Theta.contiguous(), W.detach().contiguous(), S.contiguous(), *context, *parameters)
        return Theta, W, run.stopped

    def _plain(self, Theta, W, S, n, context, usable, dtype):
        Theta, W, done = plain_layer(self, Theta, W, S, n, context, usable, dtype)
        return Theta, W, stopped_early(done, Theta.size(1))

    def entrywise(self, width: int) -> bool:
        """Whether each lambda_j reads z_j alone (threshold.entrywise, or found by trying; the backward checks it)."""
        if width not in self._entrywise:
            said = getattr(self.threshold, "entrywise", None)
            self._entrywise[width] = seems_entrywise(self.threshold, width) if said is None else bool(said)
        return self._entrywise[width]

    def _samples(self, n, Theta, dtype):
        if n is None:
            if "n" in (*self.f_inputs, *self.g_inputs):
                raise ValueError("SpodLayer: f or g reads n: give n=, the number of samples")
            return None
        n = torch.as_tensor(n, dtype=dtype, device=Theta.device).detach().reshape(-1)
        if n.numel() not in (1, Theta.size(0)):
            raise ValueError(f"SpodLayer: n has {n.numel()} numbers for {Theta.size(0)} matrices")
        return n.expand(Theta.size(0)).contiguous()

    def _with_hint(self, error, dtype):
        """The error of f, g or threshold; where their weights have another type than the matrices, said with the remedy."""
        for part in ("f", "g", "threshold"):
            for name, x in [(k, x) for k, x in self.named_parameters() if k.startswith(part + ".")]:
                if x.is_floating_point() and x.dtype != dtype and "type" in str(error):
                    here, there = str(x.dtype).removeprefix("torch."), str(dtype).removeprefix("torch.")
                    remedy = "layer.double()" if there == "float64" else f"layer.to(torch.{there})"
                    return RuntimeError(f"SpodLayer: the weights of {part} ({name}) are {here}, Theta and S {there}: call "
                                        f"{remedy}, or pass matrices in {here} (torch said: {error})")
        return error

    def _check_modules(self):
        if isinstance(self.g, nn.Module) and mixes_rows(self.g):
            raise ValueError("SpodLayer: g has batch norm or dropout in training: it must treat each row by itself")
        if self.recompute and isinstance(self.f, nn.Module) and any(
                isinstance(m, nn.modules.batchnorm._BatchNorm) and m.training for m in self.f.modules()):
            raise ValueError("SpodLayer: f has batch norm, whose statistics recompute=True would count twice")


def common_shape(Theta, **others):
    """The shape of all together: one matrix may serve a whole batch."""
    shape = Theta.shape
    for name, A in others.items():
        if A is None:
            continue
        if not isinstance(A, torch.Tensor):
            raise ValueError(f"SpodLayer: {name} is a {type(A).__name__}, not a tensor")
        try:
            shape = torch.broadcast_shapes(shape, A.shape)
        except RuntimeError:
            shape = None
        if shape is None or A.shape[-2:] != Theta.shape[-2:]:
            raise ValueError(f"SpodLayer: {name} is {tuple(A.shape)}, Theta {tuple(Theta.shape)}: they must be alike, or "
                             "one of them a single matrix")
        for what, remedy in (("dtype", f"pass {name}.to(Theta.dtype)"), ("device", f"pass {name}.to(Theta.device)")):
            if getattr(A, what) != getattr(Theta, what):
                raise ValueError(f"SpodLayer: {name} has {what} {getattr(A, what)}, Theta {getattr(Theta, what)}: {remedy}")
    return shape


def autocast() -> bool:
    """Whether torch would compute f in another type than its arguments have."""
    return autocast_of_now() is not contextlib.nullcontext


def unique(tensors):
    seen: set[int] = set()
    return [x for x in tensors if not (id(x) in seen or seen.add(id(x)))]


def seems_entrywise(threshold, width: int) -> bool:
    """Tries rows a, b and a mixture of both, alone and together."""
    if isinstance(threshold, nn.Module) and mixes_rows(threshold):
        return False
    parameters = list(threshold.parameters()) if isinstance(threshold, nn.Module) else []
    generator = torch.Generator().manual_seed(1)
    a, b = torch.randn(2, width, generator=generator, dtype=F64, device="cpu").to(parameters[0].dtype if parameters else F64)
    take = torch.rand(width, generator=generator, device="cpu") < 0.5
    rows = torch.stack((a, b, torch.where(take, a, b)))
    state = torch.get_rng_state()
    with torch.no_grad():
        together = threshold(rows)
        alone = torch.cat([threshold(rows[k : k + 1]) for k in range(3)])
    torch.set_rng_state(state)
    mixed = torch.where(take, together[0], together[1])
    close = dict(rtol=1e-6, atol=1e-9)
    return together.shape == rows.shape and torch.allclose(together, alone, **close) and torch.allclose(
        together[2], mixed, **close)


@not_compiled
def stopped_early(done, p):
    return [] if traced(done) else [(k, "not_finite", columns) for k, columns in enumerate(done.tolist()) if columns < p]


def warn(stopped, batch_shape):
    parts = []
    for k, status, done in stopped[:5]:
        reason = "a value that is not finite" if status == "not_finite" else "rounding (not positive definite)"
        parts.append(f"{place_in(k, batch_shape)} (column {done}: {reason})")
    more = f" and {len(stopped) - 5} more" if len(stopped) > 5 else ""
    warnings.warn(
        f"SpodLayer: {len(stopped)} of the batch stopped early and have no gradient: matrix "
        f"{', '.join(parts)}{more}; each keeps what it was before that column",
        NumericalWarning, stacklevel=3)
