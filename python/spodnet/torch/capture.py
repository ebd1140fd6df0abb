"""One call of f, threshold or g as a list of torch's operations, its parameters lifted (make_fx, forward only)."""
from __future__ import annotations

import contextlib
import warnings

import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode

from .matrices import F64

try:
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:  # torch 1.13
    sdpa_kernel = None


class Refused(Exception):
    """What a program cannot say; its text names the operation."""


class OtherSize(Exception):
    """The module does not work at this size: its weights know another p."""


class NoStops(TorchFunctionMode):
    """Refuses detach, which a newer torch's trace no longer shows: a program would have the gradient."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if getattr(function, "__name__", "") in ("detach", "detach_"):
            raise Refused("aten.detach, which stops a gradient")
        return function(*args, **(kwargs or {}))


_library = torch.library.Library("spodnet", "DEF")
_library.define("solve(Tensor x) -> Tensor")
_library.impl("solve", lambda x: 0.5 * x, "CompositeExplicitAutograd")  # while tracing only its shape counts


def refuse_modules(part) -> None:
    """Modules known not to be a program: a clearer word than that of an operation inside them."""
    for name, m in part.named_modules() if isinstance(part, nn.Module) else ():
        what, place = type(m).__name__, f" ({name})" if name else ""
        if isinstance(m, nn.modules.dropout._DropoutNd) and m.training and m.p > 0:
            raise Refused(f"{what}{place} in training, which draws random numbers")
        if isinstance(m, nn.modules.batchnorm._BatchNorm) and (m.training or m.running_mean is None):
            raise Refused(f"{what}{place} in training, which mixes the matrices of a batch")
        if isinstance(m, (nn.RNNBase, nn.RNNCellBase)):
            raise Refused(f"{what}{place}, whose steps change tensors in place")
        if m._forward_hooks or m._backward_hooks:
            raise Refused(f"{what}{place} with a hook")


def tensors_of(part) -> dict[str, torch.Tensor]:
    """Parameters and buffers by name, each once."""
    if not isinstance(part, nn.Module):
        return {}
    return {**dict(part.named_parameters()), **dict(part.named_buffers())}


@contextlib.contextmanager
def swapped(part, values: dict[int, torch.Tensor]):
    """Within, each parameter and buffer of a module is the tensor given for its id."""
    places, flags = [], []
    for module in part.modules() if isinstance(part, nn.Module) else ():
        for table in (module._parameters, module._buffers):
            places += [(table, name, x) for name, x in table.items() if x is not None and id(x) in values]
        if isinstance(module, (nn.MultiheadAttention, nn.TransformerEncoderLayer)) and not module.training:
            flags.append((module, getattr(module, "dropout", None)))  # else one closed kernel takes the whole module
    try:
        for table, name, x in places:
            table[name] = values[id(x)]
        for module, dropout in flags:
            module.training = True
            if isinstance(dropout, float):
                module.dropout = 0.0
        yield
    finally:
        for table, name, x in places:
            table[name] = x
        for module, dropout in flags:
            module.training = False
            if isinstance(dropout, float):
                module.dropout = dropout


class Trace:
    """The graph of part(*inputs), the value of each node, and what each placeholder and constant is."""

    def __init__(self, part, inputs: list):
        """inputs: (name, tensor) pairs, or (None, anything) for what is passed on as it is."""
        refuse_modules(part)
        state = tensors_of(part)
        self.names = [*[("weight", name) for name in state], *[("in", name) for name, _ in inputs if name]]
        copies = [x.detach().clone() for x in state.values()]
        fields = [x for name, x in inputs if name]

        def call(copies, *fields):
            at = iter(fields)
            with swapped(part, dict(zip(map(id, state.values()), copies))):
                return part(*[next(at) if name else x for name, x in inputs])

        random = torch.get_rng_state()
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._check(call, [x.clone() for x in copies], fields)
                graph = self._trace(call, [x.clone() for x in copies], fields)
                self.values = {}
                runner = torch.fx.Interpreter(graph)
                plain = runner.run_node

                def run_node(node):
                    self.values[node] = plain(node)
                    return self.values[node]

                runner.run_node = run_node
                runner.run(*copies, *fields)
        finally:
            torch.set_rng_state(random)
        self.module, self.nodes = graph, list(graph.graph.nodes)

    @staticmethod
    def _check(call, copies, fields):
        try:
            with NoStops():
                out = call(copies, *fields)
        except Refused:
            raise
        except Exception as error:
            raise OtherSize(first_line(error)) from error
        if not isinstance(out, torch.Tensor):
            raise Refused(f"an answer that is a {type(out).__name__}, not a tensor")

    @staticmethod
    def _trace(call, copies, fields):
        try:
            with sdpa_kernel(SDPBackend.MATH) if sdpa_kernel else contextlib.nullcontext():
                return make_fx(call)(copies, *fields)
        except Exception as error:
            raise Refused(f"a step that depends on the values of a tensor ({first_line(error)})") from error


def first_line(error) -> str:
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return line.partition(" - erroring out!")[0][:160]


def field_shape(name: str, B: int, p: int) -> tuple:
    if name in ("theta", "w", "s", "diag_Theta", "diag_S"):
        return B, p
    if name in ("theta_12", "w_12", "s_12"):
        return B, p - 1
    return (B,) if name == "index" else (B, 1)


def numbers_for(name: str, B: int, p: int, i: int, dtype=F64, generator=None, zeros=False) -> torch.Tensor:
    """Numbers such as a walk would bring: positive where they are variances, 0 at entry i of full vectors; with
    `zeros` about half of theta's entries are 0, as after a threshold."""
    shape = field_shape(name, B, p)
    if name == "index":
        return torch.full(shape, i)
    x = torch.randn(shape, generator=generator, dtype=F64, device="cpu")
    if name in ("theta_22", "w_22", "s_22", "diag_Theta", "diag_S", "q", "n"):
        x = 0.3 + x.abs()
        return (40 * x if name == "n" else x).to(dtype)
    if zeros and name in ("theta", "theta_12"):
        x = x * (torch.rand(shape, generator=generator, dtype=F64, device="cpu") < 0.5)
    if name in ("theta", "w", "s"):
        x[:, i] = 0
    return x.to(dtype)
