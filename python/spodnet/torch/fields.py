"""The names by which f and g ask for what they read."""
from __future__ import annotations

import inspect
from typing import Callable, Sequence

import torch

COMPACT = ("theta_12", "w_12", "s_12")  # [B, p - 1]
FULL = ("theta", "w", "s")  # [B, p], 0 at entry i
# Fields of the state, by their place in the core's calls; the others are S's and do not change.
SLOT = {"theta_12": 0, "theta": 0, "w_12": 1, "w": 1, "theta_22": 2, "w_22": 3, "diag_Theta": 4}
OF_S = ("s_12", "s", "s_22", "diag_S")
F_FIELDS = (*COMPACT, *FULL, "theta_22", "w_22", "s_22", "diag_Theta", "diag_S", "index", "n", "solve")
G_FIELDS = ("theta_22", "w_22", "s_22", "q", "n")


def fields_of(f: Callable, f_inputs: Sequence[str] | None) -> tuple[str, ...]:
    """The fields f is called with: f_inputs, or the leading arguments of its forward that name one."""
    if f_inputs is None:
        f = getattr(f, "_orig_mod", f)  # of torch.compile
        call = f.forward if isinstance(f, torch.nn.Module) else f
        names = []
        for argument in inspect.signature(call).parameters.values():
            if argument.kind not in (argument.POSITIONAL_ONLY, argument.POSITIONAL_OR_KEYWORD):
                break
            if argument.name not in F_FIELDS:
                break
            names.append(argument.name)
        if not names:
            raise ValueError(
                "SpodLayer: the first argument of f's forward names no field: call it one of "
                f"{', '.join(F_FIELDS)}, or give f_inputs=(...)"
            )
        f_inputs = names
    _known(f_inputs, F_FIELDS, "f_inputs")
    if set(f_inputs) & set(COMPACT) and set(f_inputs) & set(FULL):
        raise ValueError(
            "SpodLayer: f reads vectors of two widths: take theta_12, w_12, s_12 (p - 1 numbers) or "
            "theta, w, s (p numbers), not both"
        )
    return tuple(f_inputs)


def fields_of_g(g_inputs: Sequence[str]) -> tuple[str, ...]:
    _known(g_inputs, G_FIELDS, "g_inputs")
    return tuple(g_inputs)


def _known(names: Sequence[str], known: Sequence[str], what: str) -> None:
    if isinstance(names, str):
        raise ValueError(f"SpodLayer: {what} is a tuple of names, not the string {names!r}")
    for name in names:
        if name not in known:
            raise ValueError(f"SpodLayer: {what} has {name!r}: the fields are {', '.join(known)}")
    if len(set(names)) != len(names) or not names:
        raise ValueError(f"SpodLayer: {what} names each field once, and at least one: {tuple(names)}")


def rows_of_S(S: torch.Tensor, full: bool) -> torch.Tensor:
    """[B, p, p] -> s_12 of each column, [p, B, p - 1], or with 0 at entry i [p, B, p]."""
    B, p, _ = S.shape
    if full:
        return (S - torch.diag_embed(S.diagonal(0, 1, 2))).transpose(0, 1).contiguous()
    flat = S.reshape(B, p * p)[:, 1:].view(B, p - 1, p + 1)[:, :, :-1]
    return flat.reshape(B, p, p - 1).transpose(0, 1).contiguous()


def S_of_rows(rows: torch.Tensor, diagonal: torch.Tensor, full: bool) -> torch.Tensor:
    """The adjoint: [p, B, width] and [p, B] -> [B, p, p]."""
    p, B, _ = rows.shape
    S = rows.new_zeros(B, p, p)
    if full:
        S.copy_(rows.transpose(0, 1))
    else:
        flat = S.view(B, p * p)[:, 1:].view(B, p - 1, p + 1)[:, :, :-1]
        flat.copy_(rows.transpose(0, 1).reshape(B, p - 1, p))
    S.diagonal(0, 1, 2).copy_(diagonal.t())
    return S
