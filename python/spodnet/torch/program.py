"""SpodLayer by a program: f, threshold and g captured once, checked against torch, and run by the core."""
from __future__ import annotations

import math
import operator
import warnings

import torch
from torch import nn

from .. import _core
from .capture import OtherSize, Refused, numbers_for
from .derivatives import first_derivatives_only
from .fields import FULL
from .matrices import F64, HERE
from .program_text import PARTS, capture
from .walk_back import total_gradient

once = first_derivatives_only('SpodLayer(..., mode="autograd") has the second')
CLOSE = {F64: 1e-8, torch.float32: 1e-3}
MOST_FREE = 4  # workspaces of one size
MOST_SIZES = 32


class Rule:
    """A captured program, the tensors of its weights in its order, and workspaces of the core by size."""

    def __init__(self, captured):
        self.program = _core.Program.parse(captured.text)
        self.weights = [captured.weights[name] for name, _ in self.program.weights]
        self.sizes = [x.numel() for x in self.weights]
        self.trained = [x for x in self.weights if x.requires_grad]
        self.checked: set = set()
        self.free: dict[tuple, list] = {}

    @property
    def formulas(self) -> str:
        return self.program.formulas

    def flat(self) -> torch.Tensor:
        if not self.weights:
            return torch.zeros(1, **HERE)
        return torch.cat([x.detach().reshape(-1) for x in self.weights]).to(F64)

    def borrow(self, *key):
        free = self.free.pop(key, [])
        self.free[key] = free  # the last used is the last
        while len(self.free) > MOST_SIZES:
            del self.free[next(iter(self.free))]
        return Lease(free.pop() if free else _core.ProgramLayer(self.program, *key), free)


class Lease:
    """A workspace, back in its pool when the graph that needs it is gone."""

    __slots__ = ("walk", "pool")

    def __init__(self, walk, pool):
        self.walk, self.pool = walk, pool

    def __del__(self):
        if len(self.pool) < MOST_FREE:
            self.pool.append(self.walk)


def state_of(part) -> list:
    """What a capture depends on and may change: numbers, flags and tensors that a module or a function holds."""
    known = (int, float, bool, str, type(None), torch.dtype)

    def plain(value):
        if isinstance(value, torch.Tensor):
            return id(value), value.requires_grad
        if isinstance(value, (tuple, list)):
            return tuple(map(plain, value))
        return value if isinstance(value, known) else id(value)

    if not isinstance(part, nn.Module):
        cells = [c.cell_contents for c in getattr(part, "__closure__", None) or ()]
        return [id(part), *map(plain, cells), *map(plain, getattr(part, "__defaults__", None) or ())]
    out = []
    for m in part.modules():
        out.append(id(m))
        for name, value in m.__dict__.items():
            if name in ("_parameters", "_buffers", "_modules"):
                out += [plain(x) for x in value.values()]
            elif name[0] != "_" or name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks"):
                out.append(len(value) if isinstance(value, dict) else plain(value))
    return out


class Snapshot:
    """Whether anything that a capture depends on is another object than it was: cheap, asked at every call."""

    def __init__(self, layer):
        parts = [getattr(layer, part) for part in PARTS]
        modules = [m for part in parts if isinstance(part, nn.Module) for m in part.modules()]
        self.tables = [t for m in modules for t in (m.__dict__, m._parameters, m._buffers, m._modules, m._forward_hooks,
                                                    m._forward_pre_hooks, m._backward_hooks)]
        self.functions = [part for part in parts if not isinstance(part, nn.Module)]
        self.parts, self.values = parts, self.now()
        fixed = (int, float, bool, str, type(None), torch.Tensor, torch.dtype, nn.Module)
        lasting = all(isinstance(x, fixed) for m in modules for k, x in m.__dict__.items() if k[0] != "_")
        self.sure = lasting and all(not getattr(x, "__closure__", None) for x in self.functions)
        self.needs = [x.requires_grad for x in self.values if isinstance(x, torch.Tensor)]

    def now(self):
        return [x for table in self.tables for x in table.values()]

    def holds(self, layer) -> bool:
        if not self.sure or any(getattr(layer, part) is not x for part, x in zip(PARTS, self.parts)):
            return False
        now = self.now()
        return (len(now) == len(self.values) and all(map(operator.is_, now, self.values)) and
                self.needs == [x.requires_grad for x in now if isinstance(x, torch.Tensor)])


def rule_for(layer, B: int, p: int, dtype, context=()) -> Rule | None:
    """The layer's program for this size; None where it has none, of which the layer warns once."""
    if layer._snapshot is None or not layer._snapshot.holds(layer):
        layer._snapshot = Snapshot(layer)
        layer._state = tuple(x for part in PARTS for x in state_of(getattr(layer, part)))
    key = (dtype, *[plain_context(x, B) for x in context], layer._state)
    known = layer._programs.get(key)
    if known is None:
        if len(layer._programs) > 16:
            layer._programs.clear()
        known = layer._programs[key] = {}
    for size in (None, p):
        if size in known:
            return checked(layer, known[size], B, p, dtype, context, known)
    rule = None
    try:
        rule = Rule(capture(layer, p, dtype, context, B))
        known[rule.program.p or None] = rule
    except OtherSize:  # f itself fails at this size: called column by column it says so
        known[p] = None
    except (Refused, _core.Error) as error:
        known[p] = None
        say_once(layer, str(error))
    return rule and checked(layer, rule, B, p, dtype, context, known)


def plain_context(x, B):
    return (tuple(x.shape), x.dtype, x.dim() > 0 and B != 1 and x.size(0) == B) if isinstance(x, torch.Tensor) else id(x)


def say_once(layer, reason: str) -> None:
    if layer._said:
        return
    layer._said = True
    warnings.warn(f'SpodLayer: no program: {reason}; f, threshold and g are called column by column instead '
                  '(mode="fast" does so without this warning)', UserWarning, stacklevel=6)


def checked(layer, rule, B, p, dtype, context, known):
    """The rule, once its answers and all its gradients are those of torch at this size."""
    if rule is None or p in rule.checked or p == 1:
        return rule
    wrong = difference(layer, rule, p, dtype, context, B)
    if wrong is not None:
        known[rule.program.p or None] = None
        say_once(layer, wrong)
        return None
    rule.checked.add(p)
    return rule


def difference(layer, rule, p, dtype, context, real_B) -> str | None:
    """None, or where the program and torch differ on fresh numbers."""
    full = any(name in FULL for name in layer.f_inputs)
    width = p if full else p - 1
    per_matrix = any(isinstance(x, torch.Tensor) and x.dim() and x.size(0) == real_B for x in context)
    B, i = (real_B if per_matrix else 2), p // 2
    generator = torch.Generator().manual_seed(11)
    A = torch.randn(B, width, width, generator=generator, **HERE) / math.sqrt(max(width, 1))
    A = A @ A.transpose(1, 2) + torch.eye(width, **HERE)
    solve = lambda x: torch.matmul(A.to(x.dtype), x.unsqueeze(2)).squeeze(2)
    flat = rule.flat().tolist() if rule.weights else []
    names = {*layer.f_inputs, *layer.g_inputs} - {"solve"}
    others = {n: numbers_for(n, B, p, i, F64, generator).reshape(-1).tolist() for n in names}  # the other parts run, too
    others.update({f"context{k}": c.detach().to(F64).reshape(-1).tolist() for k, c in enumerate(context)
                   if isinstance(c, torch.Tensor)})
    for zeros in (False, True):
        for part in PARTS:
            call = getattr(layer, part)
            if call is None:
                continue
            names = {"f": layer.f_inputs, "g": layer.g_inputs}.get(part, ("z",))
            real = {"z": "theta" if full else "theta_12"}
            x = {n: numbers_for(real.get(n, n), B, p, i, dtype, generator, zeros) for n in names if n != "solve"}
            leaves = [y.requires_grad_() for n, y in x.items() if y.is_floating_point() and n != "n"]
            named = [n for n in x if n not in ("n", "index")]
            with torch.enable_grad():
                if part == "g":
                    want = call(torch.cat(list(x.values()), 1)).reshape(-1)
                else:
                    want = call(*[x.get(n, solve) for n in names], *(context if part == "f" else ()))
            d = torch.randn(want.shape, generator=generator, **HERE)
            inputs = {**others, **{n: y.detach().to(F64).reshape(-1).tolist() for n, y in x.items()}}
            out, d_inputs, d_weights = rule.program.evaluate(part, B, p, i, inputs, flat, A.reshape(-1).tolist(), d.reshape(-1).tolist())
            grads = [None] * (len(leaves) + len(rule.trained))
            if want.requires_grad:
                grads = torch.autograd.grad(want, [*leaves, *rule.trained], d.to(want.dtype), allow_unused=True)
            got = dict(zip(map(id, rule.weights), torch.tensor(d_weights, **HERE).split(rule.sizes) if rule.weights else ()))
            pairs = [(want, out, "answer")]
            pairs += [(g, d_inputs.get(n), f"gradient of {n}") for n, g in zip(named, grads)]
            pairs += [(g, got[id(w)], "gradient of a weight") for w, g in zip(rule.trained, grads[len(leaves):])]
            for a, b, what in pairs:
                if not close(a, b, dtype):
                    return f"the {what} of {part} differs from torch's"
    return None


def close(a, b, dtype) -> bool:
    a = None if a is None else a.detach().to(F64).reshape(-1)
    b = None if b is None else torch.as_tensor(b, **HERE).reshape(-1)
    if a is None or b is None:
        other = b if a is None else a
        return other is None or not bool(other.any())
    scale = max(1.0, float(a.abs().max())) if a.numel() else 1.0
    return a.shape == b.shape and float((a - b).abs().max() if a.numel() else 0) <= CLOSE[dtype] * scale


class ProgramWalk(torch.autograd.Function):
    """(Theta, W) of one layer; `tensors` are the contexts and the trained weights."""

    @staticmethod
    def forward(ctx, run, Theta, W, S, *tensors):
        ctx.set_materialize_grads(False)
        B, p, rule = Theta.size(0), Theta.size(1), run.rule
        keeps = any(ctx.needs_input_grad[1:])
        run.lease = rule.borrow(B, p, keeps, keeps and ctx.needs_input_grad[3])
        run.flat = rule.flat()
        run.contexts = [x.detach().to(F64).contiguous() for x in run.context if isinstance(x, torch.Tensor)]
        run.n = None if run.n is None else run.n.to(F64).contiguous()
        Theta_out, W_out = Theta.clone(), W.clone()
        run.lease.walk.forward(Theta.data_ptr(), W.data_ptr(), S.data_ptr(), 0 if run.n is None else run.n.data_ptr(),
                               [x.data_ptr() for x in run.contexts], 0 if run.usable is None else run.usable.data_ptr(),
                               run.layer.scaling, run.layer.zeta, run.layer.v_min, run.flat.data_ptr(),
                               Theta_out.data_ptr(), W_out.data_ptr())
        run.stopped = run.lease.walk.outcome()
        ctx.run, ctx.inputs = run, (Theta, S, *tensors)
        if keeps:
            ctx.save_for_backward(W_out, S, *[x for x in tensors if isinstance(x, torch.Tensor)])
        return Theta_out, W_out

    @staticmethod
    @once
    def backward(ctx, d_Theta, d_W):
        run, needs = ctx.run, ctx.needs_input_grad
        W_out, S = ctx.saved_tensors[:2]  # S must stay; the others are saved to find out whether they were changed
        rule = run.rule
        G = total_gradient(W_out, d_Theta, d_W)
        d_flat = torch.zeros_like(run.flat)
        d_in = torch.empty_like(W_out)
        d_S = torch.zeros_like(S) if needs[3] else None
        d_contexts = [torch.empty_like(x) for x in run.contexts]
        run.lease.walk.backward(run.flat.data_ptr(), G.data_ptr(), W_out.data_ptr(), d_flat.data_ptr(), d_in.data_ptr(),
                                0 if d_S is None else d_S.data_ptr(), [x.data_ptr() for x in d_contexts])
        places = {id(x): d.view(x.shape).to(x.dtype) for x, d in zip(rule.weights, d_flat.split(rule.sizes))} if rule.weights else {}
        at = iter(d_contexts)
        by_context = [next(at).to(x.dtype) if isinstance(x, torch.Tensor) else None for x in run.context]
        grads = [*by_context, *[places[id(x)] for x in rule.trained]]
        return (None, d_in if needs[1] else None, None, d_S,
                *[d if need else None for d, need in zip(grads, needs[4:])])


class ProgramRun:
    """What one forward leaves to its backward."""

    def __init__(self, layer, rule, usable, n, context):
        self.layer, self.rule, self.usable, self.n, self.context = layer, rule, usable, n, context
        self.stopped: list = []


def run_program(layer, rule, Theta, W, S, n, context, usable):
    if usable is not None:
        S = torch.where(usable.view(-1, 1, 1), S, torch.zeros_like(S))
        usable = usable.to(torch.uint8)
    run = ProgramRun(layer, rule, usable, n, context)
    Theta, W = ProgramWalk.apply(run, Theta.contiguous(), W.detach().contiguous(), S.contiguous(), *context, *rule.trained)
    return Theta, W, run.stopped
