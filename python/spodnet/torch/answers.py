"""What the user's modules give back, checked."""
from __future__ import annotations

import math
import sys

import torch

TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-4}  # of the same numbers computed in another order


def alike(a, b) -> bool:
    """Whether two results are the same but for rounding in their type."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not a.numel():
        return True
    tolerance = TOLERANCE.get(a.dtype, 5e-2)
    a, b = a.detach(), b.detach()
    least = 1e-3 * tolerance * float(b.abs().max())
    if float((a - b).abs().max()) <= least:  # most often; allclose takes ten times as long
        return True
    return torch.allclose(a, b, rtol=tolerance, atol=least if math.isfinite(least) else 0.0, equal_nan=True)


def goes_back_once(part) -> bool:
    """Whether torch.compile made it, or some of it: its graphs cannot be kept for a second backward."""
    if "torch._dynamo" not in sys.modules:
        return False
    parts = part.modules() if isinstance(part, torch.nn.Module) else [part]
    return any(hasattr(x, "_orig_mod") or hasattr(x, "_torchdynamo_orig_callable") or
               getattr(x, "_compiled_call_impl", None) is not None for x in parts)


def trained(module) -> list[torch.Tensor]:
    if not isinstance(module, torch.nn.Module):
        return []
    return [x for x in module.parameters() if x.requires_grad]


def mixes_rows(module) -> bool:
    kinds = (torch.nn.modules.batchnorm._BatchNorm, torch.nn.modules.dropout._DropoutNd)
    return any(isinstance(m, kinds) and m.training for m in module.modules())


def check_shape(y, shape, what: str) -> None:
    """What f or the threshold returned: as wide as the vectors, real numbers."""
    if not isinstance(y, torch.Tensor) or y.shape != shape:
        got = tuple(y.shape) if isinstance(y, torch.Tensor) else type(y).__name__
        raise ValueError(f"SpodLayer: {what} returned {got} where {tuple(shape)} is needed: as wide as its vectors")
    if y.is_complex():
        raise ValueError(f"SpodLayer: {what} returned complex numbers")


def check_leaves(z: torch.Tensor, known: list, part: str = "f") -> None:
    """Every leaf of its graph must be a field, a parameter or a context."""
    ids = {id(x) for x in known if isinstance(x, torch.Tensor)}
    leaves = [z] if z.requires_grad and z.is_leaf else []
    stack = [z.grad_fn]
    seen = {x.grad_fn for x in known if isinstance(x, torch.Tensor)}  # a context may have a history of its own
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        stack.extend(n for n, _ in node.next_functions)
    for leaf in leaves:
        if id(leaf) not in ids:
            remedy = "pass it in context=(...)" if part == "f" else f"make it a parameter of a module {part}"
            raise RuntimeError(
                f"SpodLayer: {part} uses a tensor of shape {tuple(leaf.shape)} that requires a gradient and is "
                f"neither its parameter nor an argument; the gradient would be lost: {remedy}"
            )


def margins(g, features: torch.Tensor) -> torch.Tensor:
    """v of each row, [N] or [N, 1]."""
    v = g(features)
    if not isinstance(v, torch.Tensor) or v.numel() != features.size(0):
        got = tuple(v.shape) if isinstance(v, torch.Tensor) else type(v).__name__
        raise ValueError(f"SpodLayer: g returned {got} for {features.size(0)} rows: one number a row is needed")
    if v.is_complex():
        raise ValueError("SpodLayer: g returned complex numbers")
    return v
