"""DeepGraph (Belilovsky, Kastner, Varoquaux and Blaschko, ICML 2017): edges straight from correlations.

The paper's related work without a precision matrix: dilated convolutions over the matrix of correlations,
a probability for each pair, averaged over orders of the variables. A baseline for the support alone.
"""
from __future__ import annotations

import numpy as np
import torch
from torch import nn

from ..model import generate


class DeepGraph(nn.Module):
    """Logits of edges, [..., p, p], symmetric, from covariances S.

    The same weights serve any p, but learn the p, n and sparsity they are trained on.

    Args:
        p: Variables.
        channels: Of each convolution.
        depth: Convolutions 3 x 3 with dilations 1, 2, 4, ...; None: until each output sees the whole matrix.
    """

    def __init__(self, p: int, channels: int = 32, depth: int | None = None):
        super().__init__()
        if depth is None:
            depth = max(2, int(np.ceil(np.log2(max(p, 2)))))
        widths = [1] + [channels] * depth
        self.convolutions = nn.ModuleList(
            nn.Conv2d(a, b, 3, padding=2**k, dilation=2**k, dtype=torch.float64)
            for k, (a, b) in enumerate(zip(widths, widths[1:])))
        self.out = nn.Conv2d(channels, 1, 1, dtype=torch.float64)

    def forward(self, S):
        d = S.diagonal(0, -2, -1).clamp(min=1e-300).rsqrt()
        R = S * d.unsqueeze(-1) * d.unsqueeze(-2)
        x = R.reshape(-1, 1, *R.shape[-2:])
        for k, convolution in enumerate(self.convolutions):
            y = torch.relu(convolution(x))
            x = y if k == 0 else x + y
        logits = self.out(x).reshape(R.shape)
        return (logits + logits.transpose(-1, -2)) / 2

    def _numbers(self, A):
        return torch.as_tensor(A, dtype=torch.float64, device=self.out.weight.device)

    @torch.no_grad()
    def probabilities(self, S, permutations: int = 10, seed: int = 0):
        """Probability of each edge, the mean over orders of the variables; 0 on the diagonal."""
        S = self._numbers(S)
        p, total = S.size(-1), torch.zeros_like(S)
        generator = torch.Generator().manual_seed(seed)
        for k in range(permutations):
            order = torch.arange(p) if k == 0 else torch.randperm(p, generator=generator)
            back = torch.argsort(order)
            shuffled = S[..., order, :][..., order]
            total += torch.sigmoid(self(shuffled))[..., back, :][..., back]
        total /= permutations
        total.diagonal(0, -2, -1).zero_()
        return total

    def fit(self, S, Theta_true, *, epochs: int = 10, batch: int = 10, lr: float = 1e-3, seed: int = 0):
        """Learns which entries of Theta_true are not 0 (cross entropy, Adam); returns the mean loss of each epoch."""
        S, Theta_true = self._numbers(S), self._numbers(Theta_true)
        upper = torch.triu(torch.ones_like(S[0], dtype=torch.bool), 1)
        optimizer = torch.optim.Adam(self.parameters(), lr=lr)
        generator = torch.Generator().manual_seed(seed)
        losses = []
        for _ in range(epochs):
            total = 0.0
            for which in torch.randperm(len(S), generator=generator).split(batch):
                target = (Theta_true[which] != 0).double()[:, upper]
                loss = nn.functional.binary_cross_entropy_with_logits(self(S[which])[:, upper], target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(which)
            losses.append(total / len(S))
        return losses


def train_deepgraph(p: int, n: int, *, alpha=0.95, count: int = 1000, generator: str = "sparse-cholesky", seed: int = 0,
                    channels: int = 32, **options) -> DeepGraph:
    """A DeepGraph trained on the data that `spodnet.train` would train on."""
    torch.manual_seed(seed)
    data = generate(p, n, alpha=alpha, count=count, seed=seed, generator=generator)
    network = DeepGraph(p, channels)
    network.fit(data["S"], data["Theta_true"], seed=seed, **options)
    return network
