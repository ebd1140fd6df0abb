"""The layer in plain torch operations: any device, any order of derivatives, torch.func; O(p^3) memory.

It is also what the tests hold walk.py against.
"""
from __future__ import annotations

import torch

from .answers import check_shape, margins
from .fields import FULL
from .matrices import F64

TINY = 1e-24  # a quadratic form below TINY * theta_22 is noise


class PlainColumn:
    """Column i of a batch: the fields by name, in the type that f and g work in, and products with inv_theta_11."""

    def __init__(self, layer, i, Theta, W, S, n, dtype):
        self.i, self.p, self.dtype = i, Theta.size(-1), dtype
        self.full = any(name in FULL for name in layer.f_inputs)
        self.Theta, self.W, self.S, self.n = Theta, W, S, n
        self.unit = torch.zeros(self.p, dtype=Theta.dtype, device=Theta.device)
        self.unit[i] = 1
        self.others = 1 - self.unit
        self.w_col = W[:, i]
        self.theta_22, self.w_22 = Theta[:, i, i : i + 1], W[:, i, i : i + 1]

    def narrow(self, x):
        """p numbers, 0 at i, as wide as f's vectors."""
        return x if self.full else torch.cat((x[:, : self.i], x[:, self.i + 1 :]), 1)

    def widen(self, x):
        if self.full:
            return x * self.others
        return torch.cat((x[:, : self.i], x.new_zeros(x.size(0), 1), x[:, self.i :]), 1)

    def inv_theta_11(self, x):
        """x and the result have p entries and 0 at i: W_11 x - w_12 (w_12'x) / w_22."""
        Wx = torch.matmul(self.W, x.unsqueeze(2)).squeeze(2)
        return (Wx - self.w_col * ((self.w_col * x).sum(1, keepdim=True) / self.w_22)) * self.others

    def field(self, name):
        if name == "solve":
            return lambda x: self.narrow(self.inv_theta_11(self.widen(x.to(F64)))).to(self.dtype)
        if name == "index":
            return torch.full((self.Theta.size(0),), self.i, device=self.Theta.device)
        return self.numbers(name).to(self.dtype)

    def numbers(self, name):
        i = self.i
        if name in ("theta_12", "theta"):
            return self.narrow(self.Theta[:, i] * self.others)
        if name in ("w_12", "w"):
            return self.narrow(self.w_col * self.others)
        if name in ("s_12", "s"):
            return self.narrow(self.S[:, i] * self.others)
        if name == "s_22":
            return self.S[:, i, i : i + 1]
        if name == "diag_Theta":
            return self.Theta.diagonal(0, 1, 2)
        if name == "diag_S":
            return self.S.diagonal(0, 1, 2)
        if name == "n":
            return self.n.view(-1, 1)
        return getattr(self, name)  # theta_22, w_22, q

    def scaled(self, z, layer):
        q0 = (z * self.inv_theta_11(z)).sum(1, keepdim=True)
        if layer.scaling == "none":
            return z, q0
        if layer.scaling == "normalize":
            counts = q0 > TINY * self.theta_22
            c = torch.sqrt(layer.zeta / torch.where(counts, q0, torch.ones_like(q0)))
            return torch.where(counts, c, torch.zeros_like(c)) * z, q0
        limit = layer.zeta * (self.theta_22 if layer.scaling == "relative" else torch.ones_like(q0))
        above = q0 > limit
        c = torch.sqrt(limit / torch.where(above, q0, limit))
        return torch.where(above, c, torch.ones_like(c)) * z, q0


def soft_threshold(z, lam):
    return torch.sign(z.detach()) * torch.relu(z.abs() - lam)


def finite_rows(x):
    return torch.isfinite(x).all(1, keepdim=True)


def plain_column(layer, column, context):
    """theta_12^+ (p numbers, 0 at i), y, q, v and whether they can be used, per matrix."""
    B, p = column.Theta.shape[:2]
    if p > 1:
        z = layer.f(*[column.field(name) for name in layer.f_inputs], *context)
        check_shape(z, (B, p if column.full else p - 1), "f")
        z = z.to(F64)
        good = finite_rows(z)
        z = column.widen(torch.where(good, z, torch.zeros_like(z)))
        z, q0 = column.scaled(z, layer)
        good = good & torch.isfinite(q0)
        z = torch.where(good, z, torch.zeros_like(z))
        u = z
        if layer.threshold is not None:
            narrow = column.narrow(z)
            lam = layer.threshold(narrow.to(column.dtype))
            check_shape(lam, narrow.shape, "threshold")
            lam = lam.to(F64)
            good = good & ~torch.isnan(lam).any(1, keepdim=True)
            u = column.widen(soft_threshold(narrow, lam))
    else:
        good = torch.ones(B, 1, dtype=torch.bool, device=column.Theta.device)
        u = torch.zeros(B, 1, dtype=column.Theta.dtype, device=column.Theta.device)
    u = torch.where(good, u, torch.zeros_like(u))
    y = column.inv_theta_11(u)
    column.q = (u * y).sum(1, keepdim=True)
    v = margins(layer.g, torch.cat([column.field(name) for name in layer.g_inputs], 1)).reshape(-1, 1).to(F64)
    usable = ~torch.isnan(v) & (v < float("inf"))
    v = torch.where(usable, v, torch.ones_like(v))
    v = torch.maximum(v, layer.v_min * column.q.clamp(min=1))
    good = good & usable & (v > 0) & torch.isfinite(column.q)
    return u, y, column.q, torch.where(v > 0, v, torch.ones_like(v)), good


def positive_definite(Theta):
    """By Cholesky, with room for another program's rounding."""
    Theta = Theta.detach()
    less = 1e-14 * Theta.size(1) * torch.diag_embed(Theta.diagonal(0, 1, 2))
    return torch.linalg.cholesky_ex(Theta - less)[1] == 0


def plain_layer(layer, Theta, W, S, n, context, usable, dtype):
    """Theta, W [B, p, p] after one layer, and how many columns of each matrix were rewritten; where
    rounding broke positive definiteness the layer's input stays. f and g work in `dtype`."""
    p = Theta.size(1)
    if usable is None:
        usable = torch.ones(Theta.size(0), dtype=torch.bool, device=Theta.device)
    going = usable.view(-1, 1, 1)
    done = torch.zeros_like(usable, dtype=torch.long)
    eye = torch.eye(p, dtype=Theta.dtype, device=Theta.device)
    Theta_in, W_in = Theta, W
    Theta, W, S = (torch.where(going, A, eye) for A in (Theta, W, S))
    for i in range(p):
        column = PlainColumn(layer, i, Theta, W, S, n, dtype)
        u, y, q, v, good = plain_column(layer, column, context)
        unit, others = column.unit, column.others
        keep = others.unsqueeze(0) * others.unsqueeze(1)
        edge = u.unsqueeze(2) * unit
        Theta_next = Theta * keep + edge + edge.transpose(1, 2) + (v + q).unsqueeze(2) * torch.diag(unit)  # Eq. (2)
        tilde = (y - unit).unsqueeze(2)
        w = column.w_col.unsqueeze(2)
        W_next = W - w @ (w / column.w_22.unsqueeze(2)).transpose(1, 2) + tilde @ (tilde / v.unsqueeze(2)).transpose(1, 2)  # Eq. (3)
        going = going & good.unsqueeze(2)
        Theta, W = torch.where(going, Theta_next, Theta), torch.where(going, W_next, W)
        done = done + going.view(-1).long()
    bad = ~(usable & positive_definite(Theta)).view(-1, 1, 1)
    done = torch.where(bad.view(-1), torch.zeros_like(done), done)
    return torch.where(bad, Theta_in, Theta), torch.where(bad, W_in, W), done
