"""A whole layer as one autograd node: f, threshold and g are torch's, all that is O(p^2) is the core's.

Forward, per column: the core writes the fields, f runs with a graph of its own that is kept, the core
scales z, threshold and g run without a graph, the core thresholds and updates W. Backward: g of all
columns at once gives its Jacobian and the gradients of its weights; per column one call of autograd
goes through f, the core does the rest and undoes W. Memory: O(p^2) numbers a matrix and f's graphs.
"""
from __future__ import annotations

import atexit
import contextlib

import torch

from .._core import ExternalRuleLayer
from .answers import check_leaves, check_shape, margins
from .derivatives import first_derivatives_only
from .fields import FULL, OF_S, SLOT, rows_of_S
from .matrices import F64, HERE
from .walk_back import backward

ENTRIES = 1 << 16  # of a batched call of an entrywise threshold
once = first_derivatives_only('SpodLayer(..., mode="autograd") has the second')

_free: dict[tuple[int, int], list[ExternalRuleLayer]] = {}
_MOST_FREE = 8
atexit.register(_free.clear)


class Handle:
    """A workspace of the core, from the pool and back to it."""

    __slots__ = ("walk", "key")

    def __init__(self, B: int, p: int):
        self.key = (B, p)
        free = _free.get(self.key)
        self.walk = free.pop() if free else ExternalRuleLayer(B, p)

    def __del__(self):
        try:
            if sum(map(len, _free.values())) >= _MOST_FREE:
                _free.clear()
            _free.setdefault(self.key, []).append(self.walk)
        except (AttributeError, TypeError):  # the interpreter is closing
            pass


class Solve(torch.autograd.Function):
    """inv_theta_11 x of one column."""

    @staticmethod
    def forward(ctx, x, handle, i, width):
        ctx.handle, ctx.i, ctx.width, ctx.dtype, ctx.inputs = handle, i, width, x.dtype, (x,)
        x = x.to(F64).contiguous()
        h = torch.empty_like(x)
        if handle.solved is None or len(handle.solved[i]) <= handle.calls:
            handle.walk.solve(i, width, x.data_ptr(), h.data_ptr())
            if handle.solved is not None:
                handle.solved[i].append(h)
        else:  # run again: W is no longer the one of this column
            h = handle.solved[i][handle.calls]
        handle.calls += 1
        ctx.h = h
        return h.to(ctx.dtype, copy=True)

    @staticmethod
    @once
    def backward(ctx, d):
        d = d.to(F64).contiguous()
        d_x = torch.empty_like(d)
        ctx.handle.walk.back_solve(ctx.i, ctx.width, ctx.h.data_ptr(), d.data_ptr(), d_x.data_ptr())
        return d_x.to(ctx.dtype), None, None, None


class Solver:
    """The field `solve`: one for a layer's walk."""

    def __init__(self, walk: ExternalRuleLayer, p: int, width: int, keep: bool):
        self.walk, self.width = walk, width
        self.solved = [[] for _ in range(p)] if keep else None
        self.calls = 0

    def at(self, i: int):
        self.calls = 0
        return lambda x: Solve.apply(x, self, i, self.width)


class Run:
    """What one forward of a layer leaves to its backward."""

    ENTRIES = ENTRIES

    def __init__(self, layer, B: int, p: int, dtype, usable, n, contexts: int, weights: dict[str, list[torch.Tensor]]):
        self.layer, self.B, self.p, self.dtype, self.usable, self.n = layer, B, p, dtype, usable, n
        self.contexts, self.weights = contexts, weights
        self.graphs = torch.is_grad_enabled()
        self.names = layer.f_inputs
        self.full = any(name in FULL for name in self.names)
        self.width = p if self.full else p - 1
        self.handle = Handle(B, p)
        self.stopped: list = []
        self.solver = None
        if "solve" in self.names:
            self.solver = Solver(self.handle.walk, p, self.width, layer.recompute)

    def prepare_fields(self, S):
        """Buffers of the state's fields, and S's fields, each as a list over the columns."""
        B, p, width = self.B, self.p, self.width
        shapes = [(p, B, width), (p, B, width), (p, B, 1), (p, B, 1), (p, B, p)]
        self.addresses, self.strides = [0] * 5, [0] * 5
        diag_S = S.diagonal(0, 1, 2)
        self.columns, self.buffers = [], []  # the buffers [p, B, ...] whose rows the columns are
        for name in self.names:
            if name in SLOT:
                buffer = torch.empty(*shapes[SLOT[name]], **HERE)
                self.addresses[SLOT[name]] = buffer.data_ptr()
                self.strides[SLOT[name]] = 8 * buffer[0].numel()
            elif name in ("s_12", "s"):
                buffer = rows_of_S(S, self.full)
            elif name == "s_22":
                buffer = diag_S.t().unsqueeze(2).contiguous()
            elif name == "diag_S":
                buffer = diag_S.expand(p, B, p)
            elif name == "n":
                buffer = self.n.view(1, B, 1).expand(p, B, 1)
            elif name == "index":
                buffer = torch.arange(p, device="cpu").view(p, 1).expand(p, B)
            else:  # solve
                buffer = None
            if name not in (*SLOT, "index", "solve"):
                buffer = buffer.to(self.dtype)
            self.buffers.append(buffer)
            self.columns.append(None if buffer is None else buffer.unbind(0))

    def column(self, i: int, leaves: bool):
        """f's arguments for column i; with `leaves` those that carry a gradient are leaves."""
        a, s = self.addresses, self.strides
        self.handle.walk.fields(i, self.width, *[x and x + i * y for x, y in zip(a, s)])
        x = []
        for name, column in zip(self.names, self.columns):
            if name == "solve":
                x.append(self.solver.at(i))
                continue
            value = column[i]
            if name in SLOT:
                if self.dtype != F64:
                    value = value.to(self.dtype)
                if leaves:
                    value.requires_grad_()
            elif leaves and self.needs_S and name in OF_S:
                value = value.detach().requires_grad_()
            x.append(value)
        return x


def numbers(x: torch.Tensor) -> torch.Tensor:
    """x as the core reads it: most often x itself, which must stay while its address is in use."""
    return x if x.dtype == F64 and x.is_contiguous() else x.detach().to(F64).contiguous()


def autocast_of_now():
    """Makes the context in which f, threshold and g run now, again in the backward. Nothing is cached there: a cast
    of g's weights made without a graph would lose their gradients."""
    newer = hasattr(torch, "get_autocast_dtype")
    if not (torch.is_autocast_enabled("cpu") if newer else torch.is_autocast_cpu_enabled()):
        return contextlib.nullcontext
    dtype = torch.get_autocast_dtype("cpu") if newer else torch.get_autocast_cpu_dtype()
    return lambda: torch.autocast("cpu", dtype=dtype, cache_enabled=False)


class Walk(torch.autograd.Function):
    """(Theta, W) of one layer; `tensors` are the contexts and the parameters of f, threshold and g."""

    @staticmethod
    def forward(ctx, run: Run, keep: bool, Theta, W, S, *tensors):
        ctx.set_materialize_grads(False)
        run.needs_S = ctx.needs_input_grad[4]
        run.tensors, run.context = tensors, tensors[: run.contexts]
        walk, layer, B, p, width = run.handle.walk, run.layer, run.B, run.p, run.width
        walk.begin(Theta.data_ptr(), W.data_ptr(), 0 if run.usable is None else run.usable.data_ptr(),
                   layer.scaling, layer.zeta, layer.v_min)
        run.prepare_fields(S)
        run.features = features(run, Theta, S)
        run.scaled = torch.zeros(p, B, width, **HERE)
        run.kept, run.thresholds, run.v, run.random = [], [], [], []
        run.autocast = autocast_of_now()
        with run.autocast():
            forward_columns(run, keep)
        Theta_out, W_out = Theta.clone(), W.clone()
        walk.end(Theta_out.data_ptr(), W_out.data_ptr())
        run.stopped = walk.outcome()
        if keep:
            ctx.run, ctx.inputs = run, (Theta, S, *tensors)
            ctx.save_for_backward(W_out, *[x for x in tensors if isinstance(x, torch.Tensor)])
        return Theta_out, W_out

    @staticmethod
    @once
    def backward(ctx, d_Theta, d_W):
        W_out = ctx.saved_tensors[0]  # the others are saved to find out whether they were changed
        with ctx.run.autocast():
            return None, None, *backward(ctx.run, ctx.needs_input_grad, W_out, d_Theta, d_W)


def features(run: Run, Theta, S) -> torch.Tensor:
    """g's inputs, [p, B, k]; theta_22, s_22 and n are known, w_22 and q are filled in by the walk."""
    names = run.layer.g_inputs
    out = torch.zeros(run.p, run.B, len(names), **HERE)
    diag_Theta = Theta.diagonal(0, 1, 2)
    if run.usable is not None:
        diag_Theta = torch.where(run.usable.view(-1, 1).bool(), diag_Theta, torch.ones_like(diag_Theta))
    values = {"theta_22": diag_Theta.t(), "s_22": S.diagonal(0, 1, 2).t(), "n": run.n}
    for k, name in enumerate(names):
        if name in values and values[name] is not None:
            out[:, :, k] = values[name]
    return out


def forward_columns(run: Run, keep: bool) -> None:
    """Called inside Walk.forward, where gradients are off; on an error torch turns them on again."""
    layer, walk, width, p, B = run.layer, run.handle.walk, run.width, run.p, run.B
    f, g, threshold = layer.f, layer.g, layer.threshold
    k = len(layer.g_inputs)
    at_q = layer.g_inputs.index("q") if "q" in layer.g_inputs else None
    at_w = layer.g_inputs.index("w_22") if "w_22" in layer.g_inputs else None
    spare = torch.empty(B, **HERE)
    scaled, scaled_at, scaled_step = run.scaled.unbind(0), run.scaled.data_ptr(), 8 * B * width
    rows, rows_at, rows_step = run.features.unbind(0), run.features.data_ptr(), 8 * B * k
    keep_lambda = keep and threshold is not None and not layer.entrywise(width) and not layer.recompute
    same = run.dtype == F64
    set_grad = torch._C._set_grad_enabled  # the context managers cost more than a small product
    for i in range(p):
        first = run.graphs and i == 0  # looks for tensors whose gradient would be lost
        if p > 1:
            if keep and layer.recompute:
                run.random.append(torch.get_rng_state())
            x = run.column(i, keep)
            set_grad(keep or first)
            z = f(*x, *run.context)
            set_grad(False)
            check_shape(z, (B, width), "f")
            if first:
                check_leaves(z, [*x, *run.context, *run.weights["f"]])
            if keep:
                run.kept.append((x, None if layer.recompute else z))
            z = numbers(z)
            walk.scale(i, width, z.data_ptr(), scaled_at + i * scaled_step)
            lam = None
            if threshold is not None:
                y = scaled[i] if same else scaled[i].to(run.dtype)
                set_grad(keep_lambda or first)
                lam = threshold(y.requires_grad_() if keep_lambda else y)
                set_grad(False)
                check_shape(lam, y.shape, "threshold")
                if first:
                    check_leaves(lam, [y, *run.weights["threshold"]], "threshold")
                if keep_lambda:
                    run.thresholds.append((y, lam))
                lam = numbers(lam)
            q = spare.data_ptr() if at_q is None else rows_at + i * rows_step + 8 * at_q
            walk.quadratic(i, width, scaled_at + i * scaled_step, 0 if lam is None else lam.data_ptr(), q,
                           1 if at_q is None else k)
        else:
            walk.fields(0, 0, 0, 0, 0, 0, 0)
            walk.scale(0, 0, 0, 0)
            walk.quadratic(0, 0, 0, 0, spare.data_ptr(), 1)
        if at_w is not None:
            walk.fields(i, width, 0, 0, 0, spare.data_ptr(), 0)
            rows[i][:, at_w] = spare
        set_grad(first)
        v = margins(g, rows[i] if same else rows[i].to(run.dtype))
        set_grad(False)
        if first:
            check_leaves(v, run.weights["g"], "g")
            v = v.detach()
        if keep:
            run.v.append(v)
        v = numbers(v)
        walk.update(i, v.data_ptr())
