# %% [markdown]
# # A layer of your own in torch
# The paper's promise: whatever f and g are, the result is symmetric positive definite, and a threshold makes it
# sparse. Here f is attention over the entries of a column.
# %%
import torch
from torch import nn
import spodnet
from spodnet.torch import SpodLayer

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.embed, self.out = nn.Linear(3, d), nn.Linear(d, 1)
        self.attention = nn.MultiheadAttention(d, 2, batch_first=True)

    def forward(self, theta_12, w_12, s_12):
        x = self.embed(torch.stack((theta_12, w_12, s_12), -1))
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return theta_12 - 0.5 * (s_12 - w_12) + self.out(x).squeeze(-1)


class Threshold(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_lambda = nn.Parameter(torch.tensor(-3.0))

    def forward(self, z):
        return self.log_lambda.exp().expand_as(z)


g = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1), nn.Softplus())
layer = SpodLayer(Attention(), g, threshold=Threshold(), scaling="clip")
layer
# %%
data = {k: torch.from_numpy(x) for k, x in spodnet.generate(10, 100, alpha=0.9, count=60).items()}
S, Theta_true = data["S"], data["Theta_true"]


def start(S):
    Theta = torch.linalg.inv(S + torch.eye(S.size(-1)))
    return (Theta + Theta.mT) / 2


optimizer = torch.optim.Adam(layer.parameters(), lr=1e-2)
losses = []
for step in range(40):
    which = torch.randperm(60)[:20]
    Theta, W = layer(start(S[which]), S=S[which])
    loss = (Theta - Theta_true[which]).square().sum((1, 2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
[round(x, 2) for x in losses[::8]]
# %% [markdown]
# On matrices it has not seen: positive definite, with exact zeros, W the inverse.
# %%
test = torch.from_numpy(spodnet.generate(10, 100, alpha=0.9, count=20, seed=9)["S"])
with torch.no_grad():
    Theta, W = layer(start(test), S=test)
torch.linalg.eigvalsh(Theta).min().item() > 0, (Theta == 0).double().mean().item(), (Theta @ W - torch.eye(10)).norm().item() < 1e-8
# %% [markdown]
# The paper's own models are modules, too, and run whole inside the C++ library.
# %%
from spodnet.torch import UBG

net = UBG(10, scaling="clip")
Theta, W = net(S)
(Theta - Theta_true).square().sum((1, 2)).mean().backward()
sum(x.numel() for x in net.parameters())
