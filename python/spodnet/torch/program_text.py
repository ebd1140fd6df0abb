"""f, threshold and g as one program, for any p where their weights do not know it; its sizes are found by captures at
several B and p, each a + b B + c p + d B p."""
from __future__ import annotations

import json
import math

import torch

from .capture import OtherSize, Refused, Trace, numbers_for, tensors_of
from .emitter import Emitter, Row
from .fields import FULL
from .operations import translate

PARTS = ("f", "threshold", "g")
SIZES = (((3, 5), (7, 12)), ((4, 7), (9, 17)))  # the second where a width of the module is by chance one of the first
MIXING = ("sum", "amax", "slice", "cat", "pad", "unfold")


class Differs(Exception):
    """The operations differ between two sizes."""


class Captured:
    """The text of a program, and the tensors of its weights by name."""

    def __init__(self, text: str, weights: dict[str, torch.Tensor]):
        self.text, self.weights = text, weights


def capture(layer, p: int, dtype, context=(), B: int | None = None) -> Captured:
    """The program of a layer's f, threshold and g for p variables, or for any where its weights do not know p.

    Raises Refused where an operation is not a program's, OtherSize where f does not work at p itself.
    """
    if not any(isinstance(x, torch.Tensor) for x in context):
        for Bs, ps in SIZES:
            try:
                return program_of(layer, Bs, ps, dtype, context, B)
            except Differs:
                continue
            except OtherSize:
                break
    reason = None
    for Bs, _ in SIZES:
        try:
            return program_of(layer, Bs, (p,), dtype, context, B)
        except Differs as error:
            reason = error
    raise Refused(str(reason))


def program_of(layer, Bs, ps, dtype, context, B) -> Captured:
    runs = [emit_layer(layer, b, p, dtype, context, B) for p in ps for b in Bs]
    first = runs[0][0]
    if len(ps) > 1 and any(row.op == "row" for row in first.rows):
        raise OtherSize("a table with a row for each column")
    joint = Joint([e for e, _ in runs], Bs, ps)
    answers = {part: joint.place(row) for part, row in runs[0][1].items() if row is not None}
    nodes, places = pruned(joint.nodes, list(answers.values()))
    text = {"format": "spodnet-program", "version": 1, **({} if len(ps) > 1 else {"p": ps[0]}), "nodes": nodes,
            **{part: places[k] for part, k in answers.items()}}
    known = weights_of(layer)
    constants = first.tensors
    if len(ps) > 1 and any(not torch.equal(e.tensors[k], x) if e.tensors[k].shape == x.shape else True
                           for e, _ in runs for k, x in constants.items()):
        raise OtherSize("a tensor made for each p")
    names = [node["name"] for node in nodes if node["op"] == "weight"]
    return Captured(json.dumps(text), {name: known.get(name, constants.get(name)) for name in names})


def emit_layer(layer, B, p, dtype, context, real_B):
    """(Emitter, {part: row of its answer}) at one size."""
    e, generator = SharedWeights(layer), torch.Generator().manual_seed(5)
    numbers = lambda name: numbers_for(name, B, p, 1, dtype, generator)
    full = any(name in FULL for name in layer.f_inputs)
    width, rows = p if full else p - 1, {}

    inputs = [(None, torch.ops.spodnet.solve) if name == "solve" else (name, numbers(name)) for name in layer.f_inputs]
    inputs += [context_at(k, x, B, real_B) for k, x in enumerate(context)]
    rows["f"] = translated(layer.f, "f", inputs, e, {name: e.field(name, x) for name, x in inputs if name})
    check_answer(e, rows["f"], [(B, width)], "f")
    if layer.threshold is not None:
        z = numbers("theta" if full else "theta_12")
        rows["threshold"] = translated(layer.threshold, "threshold", [("z", z)], e, {"z": e.field("z", z)})
        check_answer(e, rows["threshold"], [(B, width)], "threshold")
    columns = [(name, numbers(name)) for name in layer.g_inputs]
    fields = [e.field(name, x) for name, x in columns]
    together = e.add("cat", fields, (B, len(fields)), dim=1) if len(fields) > 1 else fields[0]
    rows["g"] = translated(layer.g, "g", [("rows", torch.cat([x for _, x in columns], 1))], e, {"rows": together})
    check_answer(e, rows["g"], [(B, 1), (B,)], "g")
    return e, rows


class SharedWeights(Emitter):
    """The rows of a layer's parts, in which a tensor of two of them is one weight; a frozen one is fixed."""

    def __init__(self, layer):
        super().__init__()
        self.own, self.first = weights_of(layer), {}

    def leaf(self, op, name, shape, **words):
        if op == "weight" and name in self.own:
            x = self.own[name]
            name = self.first.setdefault(id(x), name)
            if not x.requires_grad:
                words["fixed"] = True
        return super().leaf(op, name, shape, **words)

    def field(self, name, x):
        return self.leaf("in", name, tuple(x.shape))


def weights_of(layer) -> dict[str, torch.Tensor]:
    return {f"{part}.{name}": x for part in PARTS for name, x in tensors_of(getattr(layer, part)).items()}


def context_at(k, x, B, real_B):
    """A context as B matrices would have it."""
    if not isinstance(x, torch.Tensor):
        return None, x
    x = x.detach()
    if x.dim() and real_B != 1 and x.size(0) == real_B:
        x = x[:1].expand(B, *x.shape[1:]).clone()
    return f"context{k}", x


def translated(part, word, inputs, e, rows):
    try:
        return translate(Trace(part, inputs), e, word, rows)
    except Refused as error:
        raise Refused(f"{word} uses {error}") from None


def check_answer(e, row, shapes, part):
    if tuple(e.shape(row)) not in shapes:
        raise OtherSize(f"{part} returned {tuple(e.shape(row))} where {shapes[0]} is needed")


class Joint:
    """The captures as one list of nodes whose sizes are [a, b, c, d]."""

    def __init__(self, emitters, Bs, ps):
        self.Bs, self.ps = Bs, ps
        self.kind = Refused if len(ps) == 1 else OtherSize  # for one p it may be a number
        first = emitters[0]
        for e in emitters[1:]:
            if len(e.rows) != len(first.rows) or any((a.op, a.ins, a.words) != (b.op, b.ins, b.words)
                                                     for a, b in zip(e.rows, first.rows)):
                raise Differs("steps that differ from size to size")
        self.nodes, self.shapes, self.known, self.at = [], [], {}, []
        for rows in zip(*[e.rows for e in emitters]):
            self.at.append(self.node(rows))

    def place(self, row):
        return self.at[row]

    def fit(self, v):
        """[a, b, c, d] of one size at all captures."""
        (B0, B1), p0 = self.Bs, self.ps[0]
        if len(self.ps) == 1:
            b, c, d = (v[1] - v[0]) / (B1 - B0), 0, 0
        else:
            dB, dp = B1 - B0, self.ps[1] - p0
            d = (v[3] - v[2] - v[1] + v[0]) / (dB * dp)
            b, c = (v[1] - v[0]) / dB - d * p0, (v[2] - v[0]) / dp - d * B0
        a = v[0] - b * B0 - c * p0 - d * B0 * p0
        out = [round(y) for y in (a, b, c, d)]
        if any(abs(y - r) > 1e-6 for y, r in zip((a, b, c, d), out)):
            return None
        return out

    def size(self, v, origin):
        out = self.fit(v)
        if out is None:
            raise self.kind(f"{origin} with sizes {sorted(set(v))}, which are not a + bB + cp + dBp")
        return out[0] if out[1:] == [0, 0, 0] else out

    def node(self, rows: tuple[Row, ...]) -> int:
        row = rows[0]
        if row.op == "const":
            return self.constant(rows)
        shape = [self.size(v, row.origin) for v in zip(*[r.shape for r in rows])]
        ins = [self.at[k] for k in row.ins]
        sizes = {}
        for key, value in row.sizes.items():
            if key == "shape":
                sizes[key] = [self.size(v, row.origin) for v in zip(*[r.sizes[key] for r in rows])]
            else:
                sizes[key] = self.size([r.sizes[key] for r in rows], row.origin)
        if row.op in ("view", "expand") and shape == self.shapes[ins[0]]:
            return ins[0]
        if row.op == "permute" and row.words["dims"] == list(range(len(shape))):
            return ins[0]
        if row.op == "slice" and shape == self.shapes[ins[0]] and "step" not in row.words:
            return ins[0]
        if row.op == "cat" and len(ins) == 1:
            return ins[0]
        if row.op == "mul" and self.is_number(ins[1], 1.0) and shape == self.shapes[ins[0]]:
            return ins[0]
        self.check_batch(row, ins)
        return self.push({"op": row.op, **({"in": ins} if ins else {}), **row.words, **sizes}, shape)

    def push(self, node, shape):
        key = json.dumps(node, sort_keys=True)
        if key not in self.known:
            self.known[key] = len(self.nodes)
            self.nodes.append(node)
            self.shapes.append(shape)
        return self.known[key]

    def is_number(self, k, x):
        return self.nodes[k]["op"] == "const" and self.nodes[k].get("value") == x

    def check_batch(self, row, ins):
        """f treats the matrices of a batch one by one."""
        of_batch = lambda n: isinstance(n, list) and (n[1] or n[3])
        touched = []
        if row.op in MIXING:
            dims = row.words["dims"] if "dims" in row.words else [row.words["dim"]]
            touched = [self.shapes[k][d] for k in ins for d in dims]
        elif row.op == "mm":
            touched = [self.shapes[ins[0]][-1], self.shapes[ins[1]][-2]]
        if any(map(of_batch, touched)):
            raise Refused(f"{row.origin}, which mixes the matrices of a batch")

    def constant(self, rows):
        """A number, or a size of the problem, its inverse, or a root of either."""
        kind = next(iter(rows[0].sizes))
        v = [r.sizes[kind] for r in rows]
        if kind in ("size", "over"):
            n = self.size(v, rows[0].origin)
            if isinstance(n, int):
                return self.push({"op": "const", "value": float(n) if kind == "size" else 1 / n}, [])
            return self.sized(kind, n, rows[0].origin)
        if len(set(v)) == 1 or all(map(math.isnan, v)):
            return self.push({"op": "const", "value": v[0]}, [])
        for back, kind, then in ((lambda x: x, "size", None), (lambda x: 1 / x, "over", None),
                                 (lambda x: x * x, "size", "sqrt"), (lambda x: 1 / (x * x), "over", "sqrt")):
            try:
                n = self.fit([back(x) for x in v])
            except (ZeroDivisionError, OverflowError, ValueError):
                continue
            if n is not None and (then is None or min(v) > 0):
                k = self.sized(kind, n, rows[0].origin)
                return k if then is None else self.push({"op": then, "in": [k]}, [])
        raise self.kind(f"{rows[0].origin} with a number that changes with the size: {v}")

    def sized(self, kind, n, origin):
        if n[1] or n[3]:
            raise Refused(f"{origin} with the number of matrices in a batch, which mixes them")
        return self.push({"op": "const", kind: n}, [])


def pruned(nodes, answers):
    """Without the nodes that no answer needs, and where each that stays now is."""
    needed, stack = set(), list(answers)
    while stack:
        k = stack.pop()
        if k not in needed:
            needed.add(k)
            stack.extend(nodes[k].get("in", ()))
    places = {k: n for n, k in enumerate(sorted(needed))}
    return [{**nodes[k], **({"in": [places[j] for j in nodes[k]["in"]]} if "in" in nodes[k] else {})} for k in places], places
