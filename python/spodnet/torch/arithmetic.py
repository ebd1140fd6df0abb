"""Entry by entry, products and sums: operations of torch made of a program's. c is a Call (operations.py)."""
from __future__ import annotations

import functools
import math

import torch

from .capture import Refused


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


ARITHMETIC = {"rsub": _rsub, "where": _where, "masked_fill": _masked_fill, "clamp": _clamp, "clamp_min": _clamp,
              "clamp_max": _clamp, "hardtanh": _hardtanh, "mm": _mm, "bmm": _mm, "matmul": _mm, "mv": _mv, "dot": _mv,
              "addmm": _addmm, "baddbmm": _addmm, "addcmul": _addcmul, "addcdiv": _addcmul, "lerp": _lerp, "pow": _pow,
              "sum": _sum, "mean": _mean, "amax": _amax, "amin": _amin, "var": _var, "std": _var, "norm": _norm,
              "linalg_vector_norm": _norm, "log1p": _log1p, "expm1": _expm1, "rsqrt": _rsqrt, "logical_and": _and,
              "bitwise_and": _and, "logical_or": _or, "bitwise_or": _or, "logical_not": _not, "bitwise_not": _not}
