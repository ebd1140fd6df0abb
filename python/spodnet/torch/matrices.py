"""Checks the matrices that a caller gives: shapes, symmetry, numbers that are not finite, and their names in messages."""
from __future__ import annotations

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from .._core import batch_faults

F64 = torch.float64
HERE = dict(dtype=F64, device="cpu")  # numbers that the core reads, whatever torch's default device is


def not_compiled(function):
    """torch.compile leaves it as it is: the core reads addresses, of which a compiler knows nothing."""
    disable = getattr(getattr(torch, "compiler", None), "disable", None)
    return disable(function) if disable else function


def check_square(Theta, name, who):
    if not isinstance(Theta, torch.Tensor):
        raise TypeError(f"{who}: {name} is a {type(Theta).__name__}, not a tensor")
    if Theta.dim() < 2 or Theta.size(-1) != Theta.size(-2) or Theta.size(-1) == 0:
        raise ValueError(f"{who}: {name} has shape {tuple(Theta.shape)}: it must be (..., p, p)")
    if Theta.dtype not in (F64, torch.float32):
        raise ValueError(f"{who}: {name} has dtype {Theta.dtype}: it must be float64 or float32: pass {name}.double()")
    if Theta.is_meta:
        raise ValueError(f"{who}: {name} is on the device meta, which has no numbers")
    if Theta.layout != torch.strided:
        raise ValueError(f"{who}: {name} is {Theta.layout}: pass {name}.to_dense()")
    return Theta.shape


class Listed(tuple):
    """Where the matrices of a stack stand in the list that was given; in place of a batch's shape."""


def place_in(k: int, batch_shape) -> str:
    """Matrix k of a flattened batch as the caller counts: 4, or (1, 2) where the batch has two dimensions."""
    if isinstance(batch_shape, Listed):
        return str(batch_shape[k])
    if len(batch_shape) < 2:
        return str(k)
    place = []
    for size in reversed(batch_shape):
        k, at = divmod(k, size)
        place.append(str(at))
    return f"({', '.join(reversed(place))})"


def entry_of(name: str, k: int, batch_shape) -> str:
    """Its name in a message: S, S[4] or S[1, 2]."""
    return f"{name}[{place_in(k, batch_shape).strip('()')}]" if batch_shape else name


_interpreters = getattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack", lambda: None)
_plain_dispatch = torch._C._disabled_torch_dispatch_impl
TRACERS = ("FakeTensorMode", "FunctionalTensorMode", "ProxyTorchDispatchMode")


def transformed() -> bool:
    """Inside vmap, grad or another transformation of torch.func tensors have no numbers to look at."""
    return _interpreters() is not None


def traced(*tensors) -> bool:
    """Whether operations are recorded and not only computed: tensors without numbers of their own (torch.export's), a
    tracer (make_fx) or a transformation of torch.func. The core, which reads addresses, would see nothing."""
    if transformed() or any(mode in TRACERS for mode in modes()):
        return True
    return any(isinstance(x, torch.Tensor) and type(x) not in (torch.Tensor, torch.nn.Parameter) and
               getattr(type(x), "__torch_dispatch__", _plain_dispatch) is not _plain_dispatch for x in tensors)


def modes() -> list[str]:
    """The names of the modes that see every operation now."""
    if not torch._C._len_torch_dispatch_stack():
        return []
    return [type(mode).__name__ for mode in _get_current_dispatch_mode_stack()]


def faults_of(A, dtype):
    """Of each matrix [B, p, p] in float64 0, 1 (not finite), 2 (not symmetric, up to rounding of `dtype`, in which it
    came) or 3 (symmetric but for rounding); empty: none has any."""
    tolerance = 1e-6 if dtype == F64 else 1e-3
    if A.device.type == "cpu":
        A = A.contiguous()
        return batch_faults(A.data_ptr(), A.size(0), A.size(1), tolerance)
    return faults_by_torch(A, tolerance)


def faults_by_torch(A, tolerance):
    """The same on any device."""
    d = A.diagonal(0, 1, 2).abs().sqrt()
    unit = torch.maximum(d.unsqueeze(1) * d.unsqueeze(2), A.abs())
    difference = (A - A.transpose(1, 2)).abs()
    asymmetric, rounded = ((difference > limit).flatten(1).any(1).long() for limit in (tolerance * unit, 0))
    broken = ~torch.isfinite(A).flatten(1).all(1)
    faults = torch.where(broken, torch.ones_like(rounded), torch.where(asymmetric > 0, 2 * asymmetric, 3 * rounded)).tolist()
    return faults if any(faults) else []


@not_compiled
def usable_matrices(who, batch_shape, dtype, **matrices):
    """Which matrices of the batch are finite, [B], None where all are; a matrix that is not symmetric is an error."""
    usable = None
    for name, A in matrices.items():
        if A is None or traced(A):
            continue
        for k, fault in enumerate(faults_of(A.detach(), dtype)):
            if fault == 2:
                raise ValueError(f"{who}: {entry_of(name, k, batch_shape)} is not symmetric: pass ({name} + {name}.mT) / 2")
            if fault == 1:
                usable = torch.ones(A.size(0), dtype=torch.bool, device=A.device) if usable is None else usable
                usable[k] = False
    return usable


def inverse(Theta, usable, differentiated, who, batch_shape):
    """Theta^{-1} by Cholesky; the identity stands for matrices that are not finite (none, where usable is None)."""
    eye = torch.eye(Theta.size(1), dtype=Theta.dtype, device=Theta.device)
    if usable is not None:
        finite = torch.isfinite(Theta).flatten(1).all(1)
        Theta = torch.where(finite.view(-1, 1, 1), Theta, eye)
    L, info = torch.linalg.cholesky_ex(Theta)
    check_positive(info, who, batch_shape)
    # cholesky_inverse is faster, and its jvp is wrong in torch 2.14.
    W = torch.cholesky_solve(eye.expand_as(L), L) if differentiated else torch.cholesky_inverse(L)
    return (W + W.transpose(1, 2)) / 2


@not_compiled
def check_positive(info, who, batch_shape):
    if not traced(info) and bool(info.any()):
        k = int(info.nonzero()[0])
        raise ValueError(f"{who}: {entry_of('Theta', k, batch_shape)} is not positive definite: a layer starts from an SPD "
                         "matrix")
