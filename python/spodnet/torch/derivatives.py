"""First derivatives only: a second one through the core is an error, never a gradient that is silently lost."""
from __future__ import annotations

import functools

import torch


class NoSecond(torch.autograd.Function):
    """`gradient` as it is; going back through it raises."""

    @staticmethod
    def forward(ctx, remedy, gradient, *inputs):
        ctx.remedy = remedy
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx, d):
        raise RuntimeError(f"the core goes back once: it has first derivatives only; {ctx.remedy}")


def first_derivatives_only(remedy: str):
    """A backward whose gradients, asked for with create_graph=True, depend on ctx.inputs but cannot go back twice.

    torch's once_differentiable does the same only where the incoming gradient needs one: of a loss that is linear
    in the outputs, a gradient penalty would vanish without a word.
    """
    def around(backward):
        @functools.wraps(backward)
        def marked(ctx, *d):
            with torch.no_grad():
                gradients = backward(ctx, *d)
            if not torch.is_grad_enabled():
                return gradients
            inputs = [x for x in (*ctx.inputs, *d) if isinstance(x, torch.Tensor) and x.requires_grad]
            return tuple(x if x is None else NoSecond.apply(remedy, x, *inputs) for x in gradients)
        return marked
    return around
