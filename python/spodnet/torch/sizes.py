"""Matrices of different p in one call: those of one size walk together."""
from __future__ import annotations

import torch

from .matrices import Listed


def by_size(run, who: str, n=None, context=(), **matrices):
    """Lists (Theta, W) for lists of matrices, [p, p] each, whose p may differ. run(**stacks, n=, context=, places=) answers
    for all of one size; n and a tensor of `context` may have a row for each matrix. Gradients go through."""
    matrices = {name: A for name, A in matrices.items() if A is not None}
    count = check_lists(who, matrices)
    n = numbers_in(n, count, who)
    like = {}
    for k, A in enumerate(next(iter(matrices.values()))):
        like.setdefault((A.size(-1), A.dtype, A.device), []).append(k)
    answers = [None] * count
    for which in like.values():
        stacks = {name: torch.stack([A[k] for k in which]) for name, A in matrices.items()}
        rows = [x[which] if isinstance(x, torch.Tensor) and x.dim() and x.size(0) == count != 1 else x for x in context]
        more = {"context": tuple(rows)} if rows else {}
        Theta, W = run(**stacks, n=n if n is None else n[which], places=Listed(which), **more)
        for k, pair in zip(which, zip(Theta.unbind(0), W.unbind(0))):
            answers[k] = pair
    return [Theta for Theta, _ in answers], [W for _, W in answers]


def check_lists(who: str, matrices: dict) -> int:
    first = next(iter(matrices))
    count = len(matrices[first])
    for name, A in matrices.items():
        if not isinstance(A, (list, tuple)) or len(A) != count:
            what = f"a list of {len(A)}" if isinstance(A, (list, tuple)) else f"a {type(A).__name__}"
            raise ValueError(f"{who}: {name} is {what}, {first} a list of {count}: they must be lists of one length")
        for k, x in enumerate(A):
            shape = tuple(x.shape) if isinstance(x, torch.Tensor) else type(x).__name__
            if not isinstance(x, torch.Tensor) or x.dim() != 2 or x.shape != matrices[first][k].shape:
                raise ValueError(f"{who}: {name}[{k}] is {shape}: matrices of a list are tensors (p, p), the same p in all lists")
    return count


def numbers_in(n, count: int, who: str):
    """One for each matrix; None where none are given."""
    if n is None:
        return None
    n = torch.as_tensor(n).detach().reshape(-1)
    if n.numel() not in (1, count):
        raise ValueError(f"{who}: n has {n.numel()} numbers for {count} matrices")
    return n.expand(count)
