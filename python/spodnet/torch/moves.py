"""Operations of torch that only move numbers. c is a Call (operations.py)."""
from __future__ import annotations

import torch

from .capture import Refused

SAME = ("clone", "alias", "contiguous", "lift_fresh_copy", "lift_fresh", "dropout", "detach_copy", "positive")
SHAPED = ("view", "_unsafe_view", "reshape", "_reshape_alias", "unsqueeze", "squeeze", "flatten", "unflatten", "view_copy")
FILLED = {"zeros": 0.0, "zeros_like": 0.0, "new_zeros": 0.0, "ones": 1.0, "ones_like": 1.0, "new_ones": 1.0}


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


MOVES = {"t": _turned, "transpose": _turned, "permute": _turned, "numpy_T": _turned, "_to_copy": _cast, "to": _cast,
         "expand": _expand, "repeat": _repeat, "select": _select, "slice": _slice, "split": _split, "split_with_sizes": _split,
         "chunk": _split, "unsafe_split": _split, "unsafe_chunk": _split, "unbind": _split, "cat": _cat, "stack": _cat,
         "roll": _roll, "constant_pad_nd": _pad, "unfold": _unfold, "scalar_tensor": _scalar, "embedding": _row, "index": _row,
         "full": _filled, "full_like": _filled, "new_full": _filled, **dict.fromkeys(FILLED, _filled),
         **dict.fromkeys(SAME, _same), **dict.fromkeys(SHAPED, _shaped)}
