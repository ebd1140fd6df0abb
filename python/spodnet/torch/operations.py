"""torch's operations as a program's: each capture becomes rows (emitter.py), whose sizes program_text.py compares. What is made of
several operations: arithmetic.py, networks.py, moves.py."""
from __future__ import annotations

import torch

from .arithmetic import ARITHMETIC
from .capture import Refused, Trace
from .emitter import Emitter
from .moves import MOVES
from .networks import NETWORKS

UNARY = {"neg": "neg", "abs": "abs", "sign": "sign", "sgn": "sign", "relu": "relu", "exp": "exp", "log": "log",
         "tanh": "tanh", "sigmoid": "sigmoid", "sqrt": "sqrt", "reciprocal": "recip", "erf": "erf"}
BINARY = {"add": "add", "sub": "sub", "subtract": "sub", "mul": "mul", "multiply": "mul", "div": "div", "maximum": "max",
          "minimum": "min", "gt": "gt", "ge": "ge", "lt": "lt", "le": "le", "eq": "eq", "ne": "ne"}
RANDOM = ("bernoulli", "rand", "randn", "rand_like", "randn_like", "native_dropout", "normal", "uniform", "multinomial")


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
        for table in (ARITHMETIC, NETWORKS, MOVES):
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
