"""Choices of f, threshold and g for the tests of SpodLayer."""
import torch
from torch import nn

F64 = torch.float64


def mlp(*widths, dtype=F64):
    return nn.ModuleList(nn.Linear(m, n, dtype=dtype) for m, n in zip(widths, widths[1:]))


def apply(layers, x):
    for k, layer in enumerate(layers):
        x = layer(x) if k == len(layers) - 1 else torch.relu(layer(x))
    return x


class Gradient(nn.Module):
    """UBG's f: one step along the gradient of the likelihood, Eq. (7)."""

    def __init__(self, p, hidden=None, dtype=F64):
        super().__init__()
        self.gamma = mlp(p - 1, hidden or max(1, p // 2), 1, dtype=dtype)

    def forward(self, theta_12, w_12, s_12):
        return theta_12 - apply(self.gamma, theta_12).abs() * (s_12 - w_12)


class Plug(Gradient):
    """PNP's f, Eq. (8)."""

    def __init__(self, p, hidden=None):
        super().__init__(p, hidden)
        self.psi = mlp(p - 1, 2 * p, p - 1)

    def forward(self, theta_12, w_12, s_12):
        return apply(self.psi, super().forward(theta_12, w_12, s_12))


class Free(nn.Module):
    """E2E's f, Eq. (9)."""

    def __init__(self, p, hidden=None):
        super().__init__()
        self.phi = mlp(p - 1, hidden or 10 * p, p - 1)

    def forward(self, theta_12):
        return apply(self.phi, theta_12)


class FullWidth(nn.Module):
    """Reads vectors of p numbers and both diagonals."""

    def __init__(self, p):
        super().__init__()
        self.mix = nn.Linear(p, p, dtype=F64)

    def forward(self, theta, w, s, theta_22, w_22, s_22, diag_Theta, diag_S):
        return torch.tanh(self.mix(theta + w)) - 0.2 * s * theta_22 / w_22 + 0.1 * diag_Theta * s_22 - 0.1 * diag_S


class Attention(nn.Module):
    """Attention over the entries of the column, positions and inv_theta_11."""

    def __init__(self, p, d=4):
        super().__init__()
        self.embed = nn.Linear(5, d, dtype=F64)
        self.attention = nn.MultiheadAttention(d, 2, batch_first=True, dtype=F64)
        self.out = nn.Linear(d, 1, dtype=F64)
        self.place = nn.Embedding(p, d, dtype=F64)

    def forward(self, theta_12, w_12, s_12, index, solve, n):
        h = solve(s_12 * torch.tanh(theta_12))
        x = torch.stack((theta_12, w_12, s_12, h, solve(torch.sin(h)) / n.sqrt()), 2)
        x = self.embed(x) + self.place(index).unsqueeze(1)
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return self.out(x).squeeze(2) + theta_12 - 0.3 * (s_12 - w_12)


class Entrywise(nn.Module):
    """lambda of each entry alone."""

    def __init__(self, factor=1.0, dtype=F64):
        super().__init__()
        self.layers, self.factor = mlp(1, 5, 1, dtype=dtype), factor

    def forward(self, z):
        return self.factor * apply(self.layers, z.unsqueeze(-1)).squeeze(-1).abs()


class Coupled(nn.Module):
    """lambda of an entry depends on the others."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.tensor([0.05, 0.1], dtype=F64))

    def forward(self, z):
        return (self.a[0] * z.abs().mean(1, keepdim=True) + self.a[1] * z.abs() / (1 + z * z)).abs()


class Margin(nn.Module):
    """The paper's g."""

    def __init__(self, dtype=F64):
        super().__init__()
        self.layers = mlp(3, 3, 3, 1, dtype=dtype)

    def forward(self, x):
        return apply(self.layers, x).abs()


class SmoothMargin(nn.Module):
    def __init__(self, inputs=3):
        super().__init__()
        self.a, self.b = nn.Linear(inputs, 4, dtype=F64), nn.Linear(4, 1, dtype=F64)

    def forward(self, x):
        return nn.functional.softplus(self.b(torch.tanh(self.a(x)))) + 0.1
