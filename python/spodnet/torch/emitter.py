"""The rows of a program at one size, as torch's operations become them."""
from __future__ import annotations

from dataclasses import dataclass, field

import torch

from .capture import Refused


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
