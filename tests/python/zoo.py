"""f as users write them: what a program can say, and what it cannot."""
import modules as m
import torch
from torch import nn

F = nn.functional


class DeepSets(nn.Module):
    """Each entry alone, the mean of all, joined: any p."""

    def __init__(self, width=16):
        super().__init__()
        self.phi, self.mix, self.out = (nn.Linear(a, b) for a, b in ((3, width), (width, width), (width, 1)))
        self.pool = nn.Linear(width, width, bias=False)

    def forward(self, theta_12, w_12, s_12):
        x = torch.relu(self.phi(torch.stack((theta_12, w_12, s_12), -1)))
        x = torch.relu(self.mix(x) + self.pool(x.mean(1, keepdim=True)))
        return theta_12 - 0.1 * self.out(x).squeeze(-1)


class Attention(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.embed, self.out = nn.Linear(3, d), nn.Linear(d, 1)
        self.attention = nn.MultiheadAttention(d, 2, batch_first=True)

    def forward(self, theta_12, w_12, s_12):
        x = self.embed(torch.stack((theta_12, w_12, s_12), -1))
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return theta_12 - 0.5 * (s_12 - w_12) + self.out(x).squeeze(-1)


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(3, 4, 5, padding=2), nn.Conv1d(4, 1, 5, padding=4, dilation=2)

    def forward(self, theta_12, w_12, s_12):
        return theta_12 + self.b(torch.relu(self.a(torch.stack((theta_12, w_12, s_12), 1)))).squeeze(1)


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(3, 6), nn.LayerNorm(6), nn.Linear(6, 1)

    def forward(self, theta_12, w_12, s_12):
        x = F.silu(self.norm(self.a(torch.stack((theta_12, w_12, s_12), -1))))
        return F.layer_norm(theta_12, theta_12.shape[1:]) + self.b(x).squeeze(-1)


class Indexed(nn.Module):
    """Embedding of the column's number and a mask row for each column."""

    def __init__(self, p):
        super().__init__()
        self.table, self.out = nn.Embedding(p, 4), nn.Linear(4, 1)
        self.register_buffer("mask", (torch.rand(p, p) < 0.5).to(torch.get_default_dtype()))

    def forward(self, theta, s, w, index):
        return (theta - torch.sigmoid(self.out(self.table(index))) * (s - w)) * self.mask[index]


class Solved(nn.Module):
    """A Newton step: inv_theta_11 as an operator, twice, and the number of samples."""

    def __init__(self):
        super().__init__()
        self.step = nn.Parameter(torch.tensor([0.3, 0.1]))

    def forward(self, theta_12, s_12, solve, n):
        h = solve(s_12 * torch.tanh(theta_12))
        return theta_12 - self.step[0] * h - self.step[1] * solve(h * h) / n.sqrt()


class FrozenNorm(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.norm = nn.BatchNorm1d(p - 1).eval()

    def forward(self, theta_12, w_12, s_12):
        return theta_12 - 0.1 * self.norm(s_12 - w_12)




ANY_P = {"deep sets": DeepSets, "attention": Attention, "attention, eval": lambda: Attention().eval(),
         "convolution": Convolution, "norms": Norms, "solve": Solved}
ONE_P = {"ubg": m.Gradient, "pnp": m.Plug, "e2e": m.Free, "full width": m.FullWidth, "index": Indexed, "batch norm": FrozenNorm}


class Branch(nn.Module):
    def forward(self, theta_12):
        return theta_12 if theta_12.abs().max() > 1 else 0.5 * theta_12


class InPlace(nn.Module):
    def forward(self, theta_12):
        z = theta_12.clone()
        z -= 0.1
        return z


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(1, 1, batch_first=True)

    def forward(self, theta_12):
        return self.cell(theta_12.unsqueeze(2))[0].squeeze(2)


class With(nn.Module):
    """f through one module or function."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, theta_12, s_12):
        return self.part(theta_12) + 0.1 * s_12


REFUSED = {  # the module, and what its refusal names
    "branch": (Branch, "depends on the values of a tensor"), "in place": (InPlace, "aten.sub_.Tensor"),
    "dropout": (lambda: With(nn.Dropout()), "Dropout"), "GRU": (Recurrent, "GRU"),
    "batch norm": (lambda: With(nn.BatchNorm1d(6)), "BatchNorm1d"),
    "sum over the batch": (lambda: With(lambda x: x - x.mean(0)), "aten.mean.dim, which mixes the matrices"),
    "one number for all": (lambda: With(lambda x: x / x.abs().sum()), "aten.sum, which mixes the matrices"),
    "matrices against each other": (lambda: With(lambda x: torch.softmax(x @ x.t(), 1) @ x), "mixes the matrices"),
    "the first matrix": (lambda: With(lambda x: x - x[:1]), "aten.slice.Tensor, which mixes the matrices"),
    "the size of the batch": (lambda: With(lambda x: x / x.size(0)), "the number of matrices in a batch"),
    "topk": (lambda: With(lambda x: x - x.topk(2).values.mean(1, keepdim=True)), "aten.topk"),
    "sort": (lambda: With(lambda x: x.sort(1).values), "aten.sort"), "stop": (lambda: With(lambda x: x * x.detach()), "aten.detach"),
    "random": (lambda: With(lambda x: x + torch.rand_like(x)), "aten.rand_like"),
    "whole numbers": (lambda: With(lambda x: x.round().long().to(x.dtype)), "aten.round"),
}

# Functions of theta_12 [B, p - 1] for the translation of each operation.
OPERATIONS = [
    F.relu, F.relu6, F.hardtanh, F.leaky_relu, F.elu, F.selu, F.celu, F.gelu, F.silu, F.mish, F.softplus, F.logsigmoid,
    F.tanhshrink, F.softsign, F.softmax, F.log_softmax, torch.tanh, torch.sigmoid, torch.exp, torch.abs, torch.sign, torch.erf,
    torch.expm1, torch.square, torch.neg,
    lambda x: F.gelu(x, approximate="tanh"), lambda x: F.softplus(x, 3.0, 2.0), lambda x: x.abs().add(1).log(),
    lambda x: x.abs().log1p(), lambda x: (x * x + 1).sqrt(), lambda x: (x * x + 1).rsqrt(), lambda x: 1 / (x * x + 1),
    lambda x: x**3, lambda x: (1 + x * x) ** -2, lambda x: (1 + x * x) ** 0.5, lambda x: (1 + x * x) ** -0.5,
    lambda x: x.clamp(-0.5, 0.5), lambda x: x.clamp(min=0), lambda x: x.clamp(max=torch.zeros_like(x)),
    lambda x: torch.maximum(x, 0 * x), lambda x: torch.minimum(x, -x),
    lambda x: torch.where(x > 0, x, 0.1 * x), lambda x: x.masked_fill(x < 0, 0.5), lambda x: torch.addcmul(x, x, x, value=0.3),
    lambda x: torch.lerp(x, x * x, 0.25), lambda x: x - x.mean(1, keepdim=True), lambda x: x / x.size(1) ** 0.5,
    lambda x: x / x.size(1), lambda x: x * x.size(1), lambda x: x / (x.norm(dim=1, keepdim=True) + 1),
    lambda x: x / (1 + torch.linalg.vector_norm(x, dim=1, keepdim=True)), lambda x: x * x.norm(p=1, dim=1, keepdim=True),
    lambda x: x - x.amax(1, keepdim=True), lambda x: x * x.amin(1, keepdim=True),
    lambda x: x - x.logsumexp(1, keepdim=True), lambda x: x / (1 + x.var(1, keepdim=True)),
    lambda x: x / (1 + x.std(1, unbiased=False, keepdim=True)), lambda x: x.roll(1, 1), lambda x: x.roll(-2, 1) * x,
    lambda x: torch.cat((x[:, 1:], x[:, :1]), 1),
    lambda x: F.pad(x[:, 1:-1], (1, 1)), lambda x: x[:, 0:1].expand_as(x), lambda x: x[:, -1:] * x, lambda x: x.select(1, -2).unsqueeze(1) + x,
    lambda x: (x.unsqueeze(2) * x.unsqueeze(1)).sum(2), lambda x: torch.einsum("bi,bj->bi", x, x), lambda x: x * ((x > 0) & (x < 1)),
    lambda x: x * ((x < 0) | ~(x < 1)), lambda x: x * (x != 0).to(x.dtype), lambda x: x * torch.full_like(x, 2.0) - torch.ones_like(x),
    lambda x: x.unfold(1, 3, 1).sum(2).sum(1, keepdim=True) * x, lambda x: torch.stack((x, x * x), 1).sum(1),
    lambda x: sum(y * k for k, y in enumerate(torch.stack((x, x * x, 2 * x), 2).unbind(2))), lambda x: x.repeat(1, 2)[:, : x.size(1)],
    lambda x: torch.baddbmm(x.unsqueeze(1), x.unsqueeze(1), x.unsqueeze(2) * x.unsqueeze(1), beta=0.5, alpha=2.0).squeeze(1),
    lambda x: F.linear(x.unsqueeze(2), torch.tensor([[0.5], [2.0]])).sum(2), lambda x: x * torch.tensor(3.0),
]
