"""SpodNet in PyTorch with autograd, arranged for speed: few operations per column, inv_theta_11 never formed.

Vectors keep their full length p. H = W - w w^T / w_ii is inv_theta_11 with a zero row and column i, so
H x does not depend on x_i, and since w is row i of W, H x = W x - (W x)_i w / w_ii: no dot product, no mask.
Entry i of z, n and u is therefore left as it falls; only the diagonal of Theta has to be put right, once per layer.
W changes by one fused rank-2 baddbmm. Theta is written by rows and read by columns: row k < i of column i
is an updated value, row k > i an old one, which is what column i must see.
"""
import torch
from torch.nn.functional import linear, pad

from peer_lean import Lean


SMALL = 64  # up to this p a broadcast product and a sum are quicker than a loop of small gemms


def symmetric_product(W, x):
    """W x for each matrix of the batch, W symmetric."""
    if x.size(1) <= SMALL:
        return (W * x.unsqueeze(1)).sum(2)
    return torch.bmm(x.unsqueeze(1), W).squeeze(1)


class Batched(Lean):
    """The same parameters, loss and training step; another forward."""

    foreach_adam = True
    given_inverse = None  # of the input, where it is known: a CUDA graph cannot record it

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        p = self.p
        self.eye = torch.eye(p, dtype=torch.float64)
        self.unit = self.eye.unbind(0)
        self.rest = [torch.tensor([j for j in range(p) if j != i]) for i in range(p)]
        # compact vector with one more entry, a zero, at its end -> full vector with the zero at i
        self.spread = [torch.tensor([*range(i), p - 1, *range(i, p - 1)]) for i in range(p)]

    def weights(self):
        """Per step: the parameters as the column update wants them."""
        f = {name: [(x.weight, x.bias) for x in layers] for name, layers in self.f.items()}
        for name in ("psi", "phi"):
            if name in f:
                (A1, b1), (A2, b2) = f[name]
                f[name] = (A1, b1), (pad(A2, (0, 0, 0, 1)), pad(b2, (0, 1)))
        (B1, c1), (B2, c2) = f["lambda"]
        f["lambda"] = B1, c1.unsqueeze(1), B2 * self.lambda_scale, (c2 * self.lambda_scale).unsqueeze(1)
        return f

    def preactivation(self, f, i, theta, s, w):
        theta_12 = theta.index_select(1, self.rest[i])
        if self.model == "e2e":
            return self.dense(f["phi"], i, theta_12)  # Eq. (9)
        (A1, b1), (A2, b2) = f["gamma"]
        gamma = linear(linear(theta_12, A1, b1).relu_(), A2, b2).abs()
        z = torch.addcmul(theta, gamma, w - s)  # Eq. (7)
        return self.dense(f["psi"], i, z.index_select(1, self.rest[i])) if self.model == "pnp" else z  # Eq. (8)

    def dense(self, layers, i, x):
        (A1, b1), (A2, b2) = layers
        return linear(linear(x, A1, b1).relu_(), A2, b2).index_select(1, self.spread[i])

    @staticmethod
    def soft_threshold(layers, n):
        """lambda of every entry by two products of width count * p."""
        B1, c1, B2, c2 = layers
        h = torch.addmm(c1, B1, n.view(1, -1)).relu_()
        lam = torch.addmm(c2, B2, h).abs_().view_as(n)
        return n.detach().sign() * (n.abs() - lam).relu_()

    def layer(self, Theta, W, S):
        f = self.weights()
        G0, (G1, d1), (G2, d2) = self.g[0].weight, *((x.weight, x.bias) for x in self.g[1:])
        diagonals = torch.stack((Theta.diagonal(0, 1, 2), S.diagonal(0, 1, 2)), 2)
        known = linear(diagonals, G0[:, :2], self.g[0].bias).unbind(1)  # g's first layer less its q
        G0_q = G0[:, 2]
        columns, diagonal = S.unbind(1), []
        for i in range(self.p):
            w = W.select(1, i)
            k = w / w.narrow(1, i, 1).neg()

            x = self.preactivation(f, i, Theta.select(2, i), columns[i], w)
            Wx = symmetric_product(W, x)
            q0 = (x * torch.addcmul(Wx, Wx.narrow(1, i, 1), k)).sum(1, keepdim=True)
            u = self.soft_threshold(f["lambda"], x * q0.rsqrt())

            Wu = symmetric_product(W, u)
            y = torch.addcmul(Wu, Wu.narrow(1, i, 1), k)
            q = (u * y).sum(1, keepdim=True)
            h = torch.addcmul(known[i], q, G0_q).relu_()
            v = linear(linear(h, G1, d1).relu_(), G2, d2).abs()

            y = y - self.unit[i]
            W = torch.baddbmm(W, torch.stack((k, y / v), 2), torch.stack((w, y), 1))  # Eq. (3)
            Theta = torch.select_scatter(Theta, u, 1, i)
            diagonal.append(v + q)
        lower = Theta.tril(-1)
        return lower + lower.transpose(1, 2) + torch.cat(diagonal, 1).diag_embed(), W  # Eq. (2)

    def input_inverse(self, W):
        return torch.cholesky_inverse(torch.linalg.cholesky(W)) if self.given_inverse is None else self.given_inverse.clone()

    def forward(self, S):
        W = S + self.eye
        Theta = self.input_inverse(W)
        for _ in range(self.layers):
            Theta, W = self.layer(Theta, W, S)
        return Theta, W


def build(model_name, p, gamma_hidden=None, layers=1):
    return Batched(model_name, p, gamma_hidden, layers)
