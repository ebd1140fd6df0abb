"""torch's operations as a program's: each capture becomes rows, whose sizes program_text.py compares."""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field

import torch

from .capture import Refused, Trace

UNARY = {"neg": "neg", "abs": "abs", "sign": "sign", "sgn": "sign", "relu": "relu", "exp": "exp", "log": "log",
         "tanh": "tanh", "sigmoid": "sigmoid", "sqrt": "sqrt", "reciprocal": "recip", "erf": "erf"}
BINARY = {"add": "add", "sub": "sub", "subtract": "sub", "mul": "mul", "multiply": "mul", "div": "div", "maximum": "max",
          "minimum": "min", "gt": "gt", "ge": "ge", "lt": "lt", "le": "le", "eq": "eq", "ne": "ne"}
SAME = ("clone", "alias", "contiguous", "lift_fresh_copy", "lift_fresh", "dropout", "detach_copy", "positive")
SHAPED = ("view", "_unsafe_view", "reshape", "_reshape_alias", "unsqueeze", "squeeze", "flatten", "unflatten", "view_copy")
FILLED = {"zeros": 0.0, "zeros_like": 0.0, "new_zeros": 0.0, "ones": 1.0, "ones_like": 1.0, "new_ones": 1.0}
RANDOM = ("bernoulli", "rand", "randn", "rand_like", "randn_like", "native_dropout", "normal", "uniform", "multinomial")


@dataclass
class Row:
    """One node at one size. sizes: what may vary with B and p; words: what may not."""
    op: str
    ins: tuple = ()
    shape: tuple = ()
    sizes: dict = field(default_factory=dict)
    words: dict = field(default_factory=dict)
    origin: str = ""


class Emitter:
    """The rows of f, threshold and g at one size."""

    def __init__(self):
        self.rows, self.leaves, self.origin, self.tensors = [], {}, "", {}

    def add(self, op, ins=(), shape=(), sizes=None, **words):
        self.rows.append(Row(op, tuple(ins), tuple(shape), sizes or {}, words, self.origin))
        return len(self.rows) - 1

    def shape(self, a):
        return self.rows[a].shape

    def leaf(self, op, name, shape, **words):
        """A weight or a field: one node, however often it is read."""
        if (op, name) not in self.leaves:
            sizes = {"shape": tuple(shape)} if op == "weight" or name.startswith("context") else {}
            self.leaves[op, name] = self.add(op, (), shape, sizes, name=name, **words)
        return self.leaves[op, name]

    # What programs have.
    def const(self, x):
        return self.add("const", sizes={"number": float(x)})

    def point(self, op, *ins):
        return self.add(op, ins, torch.broadcast_shapes(*[self.shape(a) for a in ins]))

    def view(self, a, shape):
        return self.add("view", (a,), shape, {"shape": tuple(shape)})

    def expand(self, a, shape):
        return self.add("expand", (a,), shape, {"shape": tuple(shape)})

    def permute(self, a, order):
        s = self.shape(a)
        order = [k % len(s) for k in order]
        return self.add("permute", (a,), [s[k] for k in order], dims=order)

    def reduce(self, op, a, dims, keep):
        s = list(self.shape(a))
        dims = range(len(s)) if dims is None or list(dims) == [] else dims
        dims = sorted(d % len(s) for d in dims)
        r = self.add(op, (a,), [1 if k in dims else n for k, n in enumerate(s)], dims=dims) if dims else a
        return r if keep or not dims else self.view(r, [n for k, n in enumerate(s) if k not in dims])

    def mm(self, a, b):
        lead = torch.broadcast_shapes(self.shape(a)[:-2], self.shape(b)[:-2])
        return self.add("mm", (a, b), (*lead, self.shape(a)[-2], self.shape(b)[-1]))

    def part(self, a, dim, begin, length, step=1):
        s = list(self.shape(a))
        dim %= len(s)
        s[dim] = -(-length // step)  # entries that are taken
        words = {"dim": dim} if step == 1 else {"dim": dim, "step": step}
        return self.add("slice", (a,), s, {"begin": begin, "length": s[dim]}, **words)

    # What is made of them.
    def mean(self, a, dims, keep):
        s = self.shape(a)
        dims = list(range(len(s))) if dims is None or list(dims) == [] else [d % len(s) for d in dims]
        r = self.reduce("sum", a, dims, keep)
        for d in dims:
            r = self.point("mul", r, self.add("const", sizes={"over": s[d]}))
        return r

    def centred(self, a, dims):
        return self.point("sub", a, self.mean(a, dims, True))

    def least(self, a, c, tie):
        """clamp from below; tie: the gradient of a at the bound, which versions of torch have differently."""
        if tie == 0.5:
            return self.point("max", a, c)
        return self.point("where", self.point("lt" if tie else "le", a, c), c, a)

    def most(self, a, c, tie):
        if tie == 0.5:
            return self.point("min", a, c)
        return self.point("where", self.point("gt" if tie else "ge", a, c), c, a)

    def exp_sum(self, x, dims):
        """exp(x - max), its sum (dims kept) and the max."""
        top = self.reduce("amax", x, dims, True)
        e = self.point("exp", self.point("sub", x, top))
        return e, self.reduce("sum", e, dims, True), top

    def softplus(self, x, beta=1.0, threshold=20.0):
        y = x if beta == 1 else self.point("mul", x, self.const(beta))
        large = self.point("gt", y, self.const(threshold))
        e = self.point("exp", self.point("where", large, self.const(0), y))
        soft = self.point("log", self.point("add", e, self.const(1)))
        soft = soft if beta == 1 else self.point("mul", soft, self.const(1 / beta))
        return self.point("where", large, x, soft)

    def power(self, x, e):
        if e == 0.5:
            return self.point("sqrt", x)
        if e != int(e) or not 0 < abs(e) <= 8:
            if e == -0.5:
                return self.point("recip", self.point("sqrt", x))
            raise Refused(f"aten.pow with the exponent {e:g} (torch.exp(e * torch.log(x)) is one)")
        out, square, k = None, x, int(abs(e))
        while k:
            if k & 1:
                out = square if out is None else self.point("mul", out, square)
            k >>= 1
            square = self.point("mul", square, square) if k else square
        return out if e > 0 else self.point("recip", out)


def translate(trace: Trace, emit: Emitter, part: str, inputs: dict) -> int:
    """Adds the operations of a trace; inputs gives the row of each input. The row of the answer."""
    values, of, leaves = trace.values, {}, list(trace.names)
    for node in trace.nodes:
        emit.origin = ""
        if node.op == "placeholder":
            kind, name = leaves.pop(0)
            of[node] = inputs.get(name) if kind == "in" else ("weight", name)
        elif node.op == "get_attr":
            of[node] = constant_tensor(emit, getattr_of(trace.module, node.target), part)
        elif node.op == "call_function":
            emit.origin = f"{part} uses {str(node.target).removesuffix('.default')}"
            of[node] = Call(emit, node, values, of, part, trace).row()
        elif node.op == "output":
            out = node.args[0]
            return Call(emit, node, values, of, part, trace).operand(out[0] if isinstance(out, (list, tuple)) else out)
    raise Refused("a graph without an answer")


def getattr_of(module, path):
    for name in path.split("."):
        module = getattr(module, name)
    return module


def constant_tensor(emit: Emitter, x: torch.Tensor, part: str) -> int:
    """A tensor that f uses and that is neither parameter, buffer nor argument."""
    if x.requires_grad:
        raise Refused(f"a tensor of shape {tuple(x.shape)} that requires a gradient and is neither parameter nor argument")
    if x.numel() == 1 and x.dim() == 0:
        return emit.const(float(x))
    name = f"{part}.constant{sum(1 for op, n in emit.leaves if n.startswith(part + '.constant'))}"
    emit.tensors[name] = x
    return emit.leaf("weight", name, x.shape, fixed=True)


class Call:
    """One operation of a trace."""

    def __init__(self, emit, node, values, of, part, trace):
        self.e, self.node, self.values, self.of, self.part, self.trace = emit, node, values, of, part, trace
        self.args, self.kw = node.args, node.kwargs
        target = str(node.target)
        self.name = target.split("aten.")[-1].removesuffix(".default")
        self.base = self.name.partition(".")[0]
        value = values.get(node)
        self.value = value
        self.out = tuple(value.shape) if isinstance(value, torch.Tensor) else None

    def operand(self, x):
        if isinstance(x, (int, float)):  # bool among them
            return self.e.const(x)
        row = self.of[x]
        if isinstance(row, tuple):  # a weight, at its first use
            row = self.weight(row[1], x)
        if row is None:
            raise Refused(f"aten.{self.name} of an answer that programs do not have")
        return row

    def weight(self, name, node):
        x = self.values[node]
        whole = f"{self.part}.{name}"
        if not x.is_floating_point() and x.dtype != torch.bool and x.dim():
            raise Refused(f"the integer buffer {whole}")
        return self.e.leaf("weight", whole, x.shape)

    def arg(self, k, name=None, default=None):
        if len(self.args) > k:
            return self.args[k]
        return self.kw.get(name, default)

    def row(self):
        e, base = self.e, self.base
        if base.endswith("_") or base in ("copy", "fill") or "scatter" in base or base == "index_put":
            raise Refused(f"aten.{self.name}, which changes a tensor in place")
        if base in RANDOM:
            raise Refused(f"aten.{self.name}, which draws random numbers (dropout in training?)")
        if "getitem" in self.name:
            return self.of[self.args[0]][self.args[1]]
        if self.name.startswith("spodnet.solve"):
            x = self.operand(self.args[0])
            return e.add("solve", (x,), e.shape(x))
        if base in UNARY:
            return e.point(UNARY[base], self.operand(self.args[0]))
        if base in BINARY:
            return self.binary()
        for table in (MADE, MOVED):
            if base in table:
                return table[base](self)
        if not self.depends():
            return self.folded()
        raise Refused(f"aten.{self.name}")

    def depends(self, node=None) -> bool:
        """Whether any number of it comes from a field or a weight."""
        node = node or self.node
        return any(n.op == "placeholder" or self.depends(n) for n in node.all_input_nodes)

    def folded(self):
        """The value of an operation on constants alone."""
        if not isinstance(self.value, torch.Tensor):
            raise Refused(f"aten.{self.name}")
        return constant_tensor(self.e, self.value, self.part)

    def binary(self):
        x, y = (self.operand(a) for a in self.args[:2])
        if self.kw.get("alpha", 1) != 1:
            y = self.e.point("mul", y, self.e.const(self.kw["alpha"]))
        if self.kw.get("rounding_mode"):
            raise Refused(f"aten.{self.name} with rounding")
        return self.e.point(BINARY[self.base], x, y)

    def x(self):
        return self.operand(self.args[0])


# Arithmetic made of a program's operations.
def _rsub(c):
    return c.e.point("sub", c.operand(c.args[1]), c.x())


def _where(c):
    return c.e.point("where", *[c.operand(x) for x in c.args[:3]])


def _masked_fill(c):
    x = c.x()
    return c.e.point("where", c.operand(c.args[1]), c.operand(c.args[2]), x)


def _clamp(c):
    x, base = c.x(), c.base
    low = c.arg(1, "min") if base != "clamp_max" else None
    high = c.arg(1, "max") if base == "clamp_max" else c.arg(2, "max") if base == "clamp" else None
    tie = gradient_at_bound(isinstance(low if high is None else high, (int, float)))
    x = x if low is None else c.e.least(x, c.operand(low), tie)
    return x if high is None else c.e.most(x, c.operand(high), tie)


@functools.lru_cache(None)
def gradient_at_bound(number: bool) -> float:
    """Of clamp in this torch: 1 (1.13), 0 (2.15), or half of it where the bound is a tensor (2.15)."""
    with torch.enable_grad():
        x = torch.zeros(1, device="cpu", requires_grad=True)
        return float(torch.autograd.grad(x.clamp(min=0 if number else torch.zeros_like(x)).sum(), x)[0])


def _hardtanh(c):  # no gradient at the bounds
    e = c.e
    return e.most(e.least(c.x(), e.const(c.arg(1, "min_val", -1)), 0), e.const(c.arg(2, "max_val", 1)), 0)


def _mm(c):
    return c.e.mm(c.x(), c.operand(c.args[1]))


def _mv(c):
    e, a, b = c.e, c.x(), c.operand(c.args[1])
    a = a if len(e.shape(a)) == 2 else e.view(a, (1, *e.shape(a)))
    return e.view(e.mm(a, e.view(b, (*e.shape(b), 1))), c.out)


def _addmm(c):
    m, a = c.e.mm(c.operand(c.args[1]), c.operand(c.args[2])), None
    if c.kw.get("alpha", 1) != 1:
        m = c.e.point("mul", m, c.e.const(c.kw["alpha"]))
    if c.kw.get("beta", 1) != 0:
        a = c.x()
        if c.kw.get("beta", 1) != 1:
            a = c.e.point("mul", a, c.e.const(c.kw["beta"]))
    return m if a is None else c.e.point("add", m, a)


def _addcmul(c):
    y = c.e.point("mul" if c.base == "addcmul" else "div", c.operand(c.args[1]), c.operand(c.args[2]))
    if c.kw.get("value", 1) != 1:
        y = c.e.point("mul", y, c.e.const(c.kw["value"]))
    return c.e.point("add", c.x(), y)


def _lerp(c):
    x = c.x()
    return c.e.point("add", x, c.e.point("mul", c.e.point("sub", c.operand(c.args[1]), x), c.operand(c.args[2])))


def _pow(c):
    if not isinstance(c.args[1], (int, float)):
        raise Refused(f"aten.{c.name} with an exponent that is a tensor")
    return c.e.power(c.x(), float(c.args[1]))


def _sum(c):
    return c.e.reduce("sum", c.x(), c.arg(1, "dim"), c.arg(2, "keepdim", False))


def _mean(c):
    return c.e.mean(c.x(), c.arg(1, "dim"), c.arg(2, "keepdim", False))


def _amax(c):
    return c.e.reduce("amax", c.x(), c.arg(1, "dim"), c.arg(2, "keepdim", False))


def _amin(c):
    e = c.e
    return e.point("neg", e.reduce("amax", e.point("neg", c.x()), c.arg(1, "dim"), c.arg(2, "keepdim", False)))


def _var(c):
    e, x, dims = c.e, c.x(), c.arg(1, "dim")
    dims = list(range(len(e.shape(x)))) if dims is None else dims
    d = e.centred(x, dims)
    mean = e.mean(e.point("mul", d, d), dims, True)
    correction = c.kw.get("correction", None)
    if correction is None:
        correction = 1 if c.arg(2, "unbiased", True) else 0
    if correction:
        size = math.prod(e.shape(x)[k] for k in dims)
        if len(dims) != 1:
            raise Refused(f"aten.{c.name} over several dimensions (unbiased=False is one)")
        mean = e.point("mul", e.point("mul", mean, e.add("const", sizes={"size": size})),
                       e.add("const", sizes={"over": size - correction}))
    if c.base == "std":
        mean = e.point("sqrt", mean)
    keep = c.kw.get("keepdim", c.arg(3, "keepdim", False))
    return mean if keep else e.view(mean, c.out)


def _norm(c):
    e, x = c.e, c.x()
    order = c.arg(1, "ord" if "linalg" in c.base else "p", 2)
    if order not in (1, 2):
        raise Refused(f"aten.{c.name} of order {order}")
    dims, keep = c.arg(2, "dim"), c.arg(3, "keepdim", False)
    if order == 1:
        return e.reduce("sum", e.point("abs", x), dims, keep)
    s = e.reduce("sum", e.point("mul", x, x), dims, keep)
    none = e.point("eq", s, e.const(0))
    return e.point("where", none, e.const(0), e.point("sqrt", e.point("where", none, e.const(1), s)))  # no gradient at 0


def _softmax(c):
    exps, total, _ = c.e.exp_sum(c.x(), [c.args[1]])
    return c.e.point("div", exps, total)


def _log_softmax(c):
    x = c.x()
    _, total, top = c.e.exp_sum(x, [c.args[1]])
    return c.e.point("sub", c.e.point("sub", x, top), c.e.point("log", total))


def _logsumexp(c):
    _, total, top = c.e.exp_sum(c.x(), c.args[1])
    r = c.e.point("add", c.e.point("log", total), top)
    return r if c.arg(2, "keepdim", False) else c.e.view(r, c.out)


def _gelu(c):
    e, x = c.e, c.x()
    half = e.point("mul", x, e.const(0.5))
    if c.kw.get("approximate", "none") == "tanh":
        cube = e.point("mul", e.power(x, 3.0), e.const(0.044715))
        inner = e.point("tanh", e.point("mul", e.point("add", x, cube), e.const(math.sqrt(2 / math.pi))))
    else:
        inner = e.point("erf", e.point("mul", x, e.const(2**-0.5)))
    return e.point("mul", half, e.point("add", inner, e.const(1)))


def _silu(c):
    x = c.x()
    return c.e.point("mul", x, c.e.point("sigmoid", x))


def _mish(c):
    x = c.x()
    return c.e.point("mul", x, c.e.point("tanh", c.e.softplus(x)))


def _softplus(c):
    return c.e.softplus(c.x(), float(c.arg(1, "beta", 1)), float(c.arg(2, "threshold", 20)))


def _log_sigmoid(c):
    e = c.e
    y = e.point("neg", e.softplus(e.point("neg", c.x()), 1.0, 700.0))
    return [y, None] if isinstance(c.value, (tuple, list)) else y


def _leaky_relu(c):
    e, x = c.e, c.x()
    return e.point("where", e.point("gt", x, e.const(0)), x, e.point("mul", x, e.const(c.arg(1, "negative_slope", 0.01))))


def _elu(c):
    e, x = c.e, c.x()
    alpha, scale, inner = c.arg(1, "alpha", 1), c.arg(2, "scale", 1), c.arg(3, "input_scale", 1)
    inner = 1 / alpha if c.base == "celu" else inner
    above = e.point("gt", x, e.const(0))
    low = e.point("exp", e.point("mul", e.point("where", above, e.const(0), x), e.const(inner)))
    low = e.point("mul", e.point("sub", low, e.const(1)), e.const(alpha * scale))
    return e.point("where", above, e.point("mul", x, e.const(scale)), low)


def _log1p(c):
    return c.e.point("log", c.e.point("add", c.x(), c.e.const(1)))


def _expm1(c):
    return c.e.point("sub", c.e.point("exp", c.x()), c.e.const(1))


def _rsqrt(c):
    return c.e.point("recip", c.e.point("sqrt", c.x()))


def _and(c):
    return c.e.point("mul", *[c.e.point("ne", c.operand(x), c.e.const(0)) for x in c.args[:2]])


def _or(c):
    return c.e.point("max", *[c.e.point("ne", c.operand(x), c.e.const(0)) for x in c.args[:2]])


def _not(c):
    return c.e.point("eq", c.x(), c.e.const(0))


def _layer_norm(c):
    e, x, k = c.e, c.x(), len(c.args[1])
    r = len(e.shape(x))
    d = e.centred(x, range(r - k, r))
    var = e.mean(e.point("mul", d, d), range(r - k, r), True)
    y = e.point("div", d, e.point("sqrt", e.point("add", var, e.const(c.args[4]))))
    y = y if c.args[2] is None else e.point("mul", y, c.operand(c.args[2]))
    return [y if c.args[3] is None else e.point("add", y, c.operand(c.args[3])), None, None]


def _batch_norm(c):
    e, (x, w, b, mean, var, *rest) = c.e, c.args
    training = rest[0] if "no_training" not in c.base else False
    if training or mean is None:
        raise Refused(f"aten.{c.name}: batch norm in training, which mixes the matrices of a batch")
    x, epsilon = c.operand(x), rest[-1] if c.base != "cudnn_batch_norm" else rest[2]
    shape = [1, -1, *[1] * (len(e.shape(x)) - 2)]
    wide = lambda y: e.view(c.operand(y), [e.shape(x)[1] if k < 0 else k for k in shape])
    y = e.point("div", e.point("sub", x, wide(mean)), e.point("sqrt", e.point("add", wide(var), e.const(epsilon))))
    y = y if w is None else e.point("mul", y, wide(w))
    return [y if b is None else e.point("add", y, wide(b)), None, None, None]


def _convolution(c):
    e, (x, w, b, stride, padding, dilation, transposed, _, groups) = c.e, c.args[:9]
    x, w = c.operand(x), c.operand(w)
    if transposed or groups != 1 or len(e.shape(x)) != 3:
        raise Refused(f"aten.{c.name} that is transposed, grouped or not one-dimensional")
    B, channels, length = e.shape(x)
    width, reach = e.shape(w)[2], (e.shape(w)[2] - 1) * dilation[0] + 1
    if padding[0]:
        whole = length + 2 * padding[0]
        x = e.add("pad", (x,), (B, channels, whole), {"begin": padding[0], "length": whole}, dim=2)
        length = whole
    count = (length - reach) // stride[0] + 1
    x = e.add("unfold", (x,), (B, channels, count, reach), {}, dim=2, length=reach, step=stride[0])
    if dilation[0] != 1:
        x = e.part(x, 3, 0, reach, dilation[0])
    x = e.view(e.permute(x, (0, 2, 1, 3)), (B, count, channels * width))
    w = e.permute(e.view(w, (e.shape(w)[0], channels * width)), (1, 0))
    y = e.mm(x, w)
    y = y if b is None else e.point("add", y, c.operand(b))
    return e.permute(y, (0, 2, 1))


MADE = {"rsub": _rsub, "where": _where, "masked_fill": _masked_fill, "clamp": _clamp, "clamp_min": _clamp,
        "clamp_max": _clamp, "hardtanh": _hardtanh, "mm": _mm, "bmm": _mm, "matmul": _mm, "mv": _mv, "dot": _mv,
        "addmm": _addmm, "baddbmm": _addmm, "addcmul": _addcmul, "addcdiv": _addcmul, "lerp": _lerp, "pow": _pow, "sum": _sum,
        "mean": _mean, "amax": _amax, "amin": _amin, "var": _var, "std": _var, "norm": _norm, "linalg_vector_norm": _norm,
        "_softmax": _softmax, "_safe_softmax": _softmax, "softmax": _softmax, "_log_softmax": _log_softmax,
        "logsumexp": _logsumexp, "gelu": _gelu, "silu": _silu, "mish": _mish, "softplus": _softplus,
        "log_sigmoid_forward": _log_sigmoid, "leaky_relu": _leaky_relu, "elu": _elu, "celu": _elu, "log1p": _log1p, "expm1": _expm1,
        "rsqrt": _rsqrt, "logical_and": _and, "bitwise_and": _and, "logical_or": _or, "bitwise_or": _or, "logical_not": _not,
        "bitwise_not": _not, "native_layer_norm": _layer_norm, "native_batch_norm": _batch_norm,
        "_native_batch_norm_legit_no_training": _batch_norm, "cudnn_batch_norm": _batch_norm,
        "_native_batch_norm_legit": _batch_norm, "_batch_norm_no_update": _batch_norm, "convolution": _convolution}


# Operations that only move numbers.
def _turned(c):
    x = c.x()
    r = len(c.e.shape(x))
    if c.base == "permute":
        return c.e.permute(x, c.args[1])
    order = list(range(r))
    i, j = (0, 1) if c.base in ("t", "numpy_T") else c.args[1:3]
    if r > 1:
        order[i], order[j] = order[j], order[i]
    return c.e.permute(x, order)


def _same(c):
    return c.x()


def _cast(c):
    kind, source = c.value.dtype, c.values[c.args[0]].dtype
    if kind == torch.bool and source != torch.bool:
        return c.e.point("ne", c.x(), c.e.const(0))
    if not kind.is_floating_point and source.is_floating_point:
        raise Refused(f"aten.{c.name} to whole numbers")
    return c.x()


def _shaped(c):
    return c.e.view(c.x(), c.out)


def _expand(c):
    return c.e.expand(c.x(), c.out)


def _repeat(c):
    e, x, times = c.e, c.x(), c.args[1]
    s = (*[1] * (len(times) - len(e.shape(x))), *e.shape(x))
    x = e.view(x, [k for n in s for k in (1, n)])
    x = e.expand(x, [k for t, n in zip(times, s) for k in (t, n)])
    return e.view(x, c.out)


def _select(c):
    e, x = c.e, c.x()
    d = c.args[1] % len(e.shape(x))
    return e.view(e.part(x, d, c.args[2] % e.shape(x)[d], 1), c.out)


def _slice(c):
    e, x = c.e, c.x()
    d = c.arg(1, "dim", 0) % len(e.shape(x))
    size, step = e.shape(x)[d], c.arg(4, "step", 1)
    begin = c.arg(2, "start") or 0
    begin = min(max(begin + size if begin < 0 else begin, 0), size)
    if step == 1:
        return e.part(x, d, begin, c.out[d])
    end = size if c.arg(3, "end") is None else c.arg(3, "end")
    end = min(max(end + size if end < 0 else end, begin), size)
    return e.part(x, d, begin, end - begin, step)


def _split(c):
    x, d = c.x(), c.arg(1 if c.base == "unbind" else 2, "dim", 0)
    d, at, out = d % len(c.e.shape(x)), 0, []
    for v in c.value:
        piece = 1 if c.base == "unbind" else v.shape[d]
        y = c.e.part(x, d, at, piece)
        out.append(c.e.view(y, v.shape) if c.base == "unbind" else y)
        at += piece
    return out


def _cat(c):
    e, d = c.e, (c.arg(1, "dim", 0)) % len(c.out)
    xs = [c.operand(x) for x in c.args[0]]
    if c.base == "stack":
        xs = [e.view(x, [*e.shape(x)[:d], 1, *e.shape(x)[d:]]) for x in xs]
    xs = [x for x in xs if e.shape(x) != (0,)]
    return e.add("cat", xs, c.out, dim=d)


def _roll(c):
    e, x = c.e, c.x()
    for shift, d in zip(c.args[1], c.arg(2, "dims", ())):
        size = e.shape(x)[d]
        cut = size - shift % size
        d %= len(c.out)
        x = e.add("cat", (e.part(x, d, cut, size - cut), e.part(x, d, 0, cut)), c.out, dim=d)
    return x


def _pad(c):
    e, x, amounts = c.e, c.x(), c.args[1]
    if c.arg(2, "value", 0):
        raise Refused(f"aten.{c.name} with a value other than 0")
    for k in range(len(amounts) // 2):
        d = len(c.out) - 1 - k
        before, after = amounts[2 * k:2 * k + 2]
        s = list(e.shape(x))
        if before < 0 or after < 0:
            raise Refused(f"aten.{c.name} by less than 0")
        s[d] += before + after
        x = e.add("pad", (x,), s, {"begin": before, "length": s[d]}, dim=d) if before or after else x
    return x


def _unfold(c):
    e, x = c.e, c.x()
    d, length, step = c.args[1:4]
    return e.add("unfold", (x,), c.out, {}, dim=d % len(e.shape(x)), length=length, step=step)


def _filled(c):
    if c.base in ("full", "full_like", "new_full"):
        value = c.args[2] if c.base == "new_full" else c.args[1]
    else:
        value = FILLED[c.base]
    return c.e.expand(c.operand(value), c.out)


def _scalar(c):
    return c.operand(c.args[0])


def _row(c):
    """Rows of a table by the column's number."""
    e, at = c.e, c.args[1] if c.base == "embedding" else c.args[1][0]
    if c.base == "index" and len([x for x in c.args[1] if x is not None]) != 1:
        raise Refused(f"aten.{c.name} by several tensors")
    row = c.of.get(at)
    if not isinstance(row, int) or e.rows[row].words.get("name") != "index":
        raise Refused(f"aten.{c.name} by something other than the column's number")
    table = c.x()
    if e.rows[table].op != "weight":
        raise Refused(f"aten.{c.name} of a table that is not a parameter or buffer itself")
    r = e.add("row", (table,), (1, *e.shape(table)[1:]))
    return e.expand(r, c.out)


MOVED = {"t": _turned, "transpose": _turned, "permute": _turned, "numpy_T": _turned, "_to_copy": _cast, "to": _cast,
         "expand": _expand, "repeat": _repeat, "select": _select, "slice": _slice, "split": _split, "split_with_sizes": _split,
         "chunk": _split, "unsafe_split": _split, "unsafe_chunk": _split, "unbind": _split, "cat": _cat, "stack": _cat,
         "roll": _roll, "constant_pad_nd": _pad, "unfold": _unfold, "scalar_tensor": _scalar, "embedding": _row, "index": _row,
         "full": _filled, "full_like": _filled, "new_full": _filled, **dict.fromkeys(FILLED, _filled),
         **dict.fromkeys(SAME, _same), **dict.fromkeys(SHAPED, _shaped)}
