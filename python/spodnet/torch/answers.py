"""What the user's modules give back, checked."""
from __future__ import annotations

import torch


def trained(module) -> list[torch.Tensor]:
    if not isinstance(module, torch.nn.Module):
        return []
    return [x for x in module.parameters() if x.requires_grad]


def mixes_rows(module) -> bool:
    kinds = (torch.nn.modules.batchnorm._BatchNorm, torch.nn.modules.dropout._DropoutNd)
    return any(isinstance(m, kinds) and m.training for m in module.modules())


def check_z(z, shape) -> None:
    if not isinstance(z, torch.Tensor) or z.shape != shape:
        got = tuple(z.shape) if isinstance(z, torch.Tensor) else type(z).__name__
        raise ValueError(f"SpodLayer: f returned {got}, not z of shape {shape}: as wide as its vectors")


def check_like(y, shape, what: str) -> None:
    if not isinstance(y, torch.Tensor) or y.shape != shape:
        got = tuple(y.shape) if isinstance(y, torch.Tensor) else type(y).__name__
        raise ValueError(f"SpodLayer: {what} returned {got} where {tuple(shape)} is needed")


def check_leaves(z: torch.Tensor, known: list) -> None:
    """Every leaf of f's graph must be a field, a parameter or a context."""
    ids = {id(x) for x in known if isinstance(x, torch.Tensor)}
    stack, seen = [z.grad_fn], set()
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and id(leaf) not in ids:
            raise RuntimeError(
                f"SpodLayer: f uses a tensor of shape {tuple(leaf.shape)} that requires a gradient and is "
                "neither its parameter nor an argument; the gradient would be lost: pass it in context=(...)"
            )
        stack.extend(n for n, _ in node.next_functions)


def margins(g, features: torch.Tensor) -> torch.Tensor:
    """v of each row, [N] or [N, 1]."""
    v = g(features)
    if not isinstance(v, torch.Tensor) or v.numel() != features.size(0):
        got = tuple(v.shape) if isinstance(v, torch.Tensor) else type(v).__name__
        raise ValueError(f"SpodLayer: g returned {got} for {features.size(0)} rows: one number a row is needed")
    return v
