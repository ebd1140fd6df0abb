"""SpodNet in PyTorch with the operations of the program published with the paper.

That program does more than Algorithm 1 asks for, and who runs it today waits for all of it: the input is inverted
twice, by eigenvalues; outer products, quadratic forms and the new w_12 are sums of three factors; Theta grows by a
matrix of differences; W is overwritten block by block and searched for NaN after each column.
peer_lean.py is the same algorithm without that.
"""
import torch
from torch import einsum

from peer_lean import Lean, apply_mlp


def scaled_outer(a, x):
    return einsum("b,bi,bj->bij", a, x, x)


def quadratic_form(H, x):
    return einsum("bi,bij,bj->b", x, H, x)


class Published(Lean):
    """The same parameters, loss and training step; another forward."""

    def column(self, i, Theta, W, S):
        """Theta after the update of column i; W is changed in place."""
        rest = torch.tensor([j for j in range(self.p) if j != i])
        block = slice(None), rest.unsqueeze(1), rest
        theta_12, theta_22 = Theta[:, rest, i], Theta[:, i, i]
        w_12, w_22 = W[:, rest, i], W[:, i, i]
        inv_theta_11 = W[block] - scaled_outer(1 / w_22, w_12)

        z = self.preactivation(theta_12, S[:, rest, i], w_12)
        u = self.soft_threshold(z / quadratic_form(inv_theta_11, z).sqrt().unsqueeze(1))
        q = quadratic_form(inv_theta_11, u)
        v = apply_mlp(self.g, torch.stack((theta_22, S[:, i, i], q), 1)).abs().squeeze(1)

        change = torch.zeros_like(Theta)  # Eq. (2)
        change[:, i, i] = v + q - theta_22
        change[:, rest, i] = u - theta_12
        change[:, i, rest] = change[:, rest, i].clone()
        Theta = Theta + change

        w_22 = 1 / (Theta[:, i, i] - q)
        w_12 = einsum("b,bij,bj->bi", -w_22, inv_theta_11, u)
        W[block] = inv_theta_11 + scaled_outer(1 / w_22, w_12)  # Eq. (3)
        W[:, rest, i] = w_12
        W[:, i, rest] = w_12
        W[:, i, i] = w_22
        if W.isnan().any():
            raise ArithmeticError(f"W is not a number after column {i}")
        return Theta

    def forward(self, S):
        Theta = torch.linalg.pinv(S + torch.eye(self.p, dtype=S.dtype), hermitian=True)
        W = torch.linalg.pinv(Theta, hermitian=True)
        for _ in range(self.layers):
            for i in range(self.p):
                Theta = self.column(i, Theta, W, S)
        return Theta, W


def build(model_name, p, gamma_hidden=None, layers=1):
    return Published(model_name, p, gamma_hidden, layers)
