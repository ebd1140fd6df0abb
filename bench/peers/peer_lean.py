"""SpodNet in PyTorch, Algorithm 1 line by line, each thing computed once.

The batch of matrices is the leading dimension, the columns are visited one by one: blocks are taken
out by index, inv_theta_11 is formed, the new Theta and W are built out of place, autograd does the rest.
float64, scaling `normalize` with zeta = 1, input offset 1, v_min = 0, K tied layers.
"""
import torch
from torch import nn

HIDDEN = {"psi": 2, "phi": 10}  # hidden width of NN over p


def mlp(*widths):
    """Linear layers only; the activations stand where the network is applied."""
    return nn.ModuleList(nn.Linear(m, n, dtype=torch.float64) for m, n in zip(widths, widths[1:]))


def apply_mlp(layers, x):
    for layer in layers[:-1]:
        x = torch.relu(layer(x))
    return layers[-1](x)


class Lean(nn.Module):
    """One SpodNet layer applied `layers` times; parameters are named as in a model file."""

    foreach_adam = False

    def __init__(self, model, p, gamma_hidden=None, layers=1, lr=1e-2):
        super().__init__()
        if model not in ("ubg", "pnp", "e2e"):
            raise ValueError(f"unknown model {model!r}: use ubg, pnp or e2e")
        self.model, self.p, self.layers = model, p, layers
        self.lambda_scale = 1.0 if model == "ubg" else 0.1
        f = {"lambda": mlp(1, 5, 1)}
        if model != "e2e":
            f["gamma"] = mlp(p - 1, max(1, gamma_hidden or p // 2), 1)
        if model == "pnp":
            f["psi"] = mlp(p - 1, HIDDEN["psi"] * p, p - 1)
        if model == "e2e":
            f["phi"] = mlp(p - 1, HIDDEN["phi"] * p, p - 1)
        self.f = nn.ModuleDict(f)
        self.g = mlp(3, 3, 3, 1)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr, foreach=self.foreach_adam)

    def load_weights(self, arrays):
        """arrays: name -> numpy array or tensor, e.g. `f.gamma.0.weight`, every parameter exactly once."""
        self.load_state_dict({name: torch.as_tensor(a) for name, a in arrays.items()})

    def preactivation(self, theta_12, s_12, w_12):
        if self.model == "e2e":
            return apply_mlp(self.f["phi"], theta_12)  # Eq. (9)
        gamma = apply_mlp(self.f["gamma"], theta_12).abs()
        z = theta_12 - gamma * (s_12 - w_12)  # Eq. (7)
        return apply_mlp(self.f["psi"], z) if self.model == "pnp" else z  # Eq. (8)

    def soft_threshold(self, z):
        lam = self.lambda_scale * apply_mlp(self.f["lambda"], z.unsqueeze(-1)).squeeze(-1).abs()
        return torch.sign(z) * torch.relu(z.abs() - lam)

    def column(self, i, Theta, W, S):
        """Theta and W after the update of column i."""
        rest = torch.tensor([j for j in range(self.p) if j != i])
        theta_12, theta_22 = Theta[:, rest, i], Theta[:, i, i]
        s_12, s_22 = S[:, rest, i], S[:, i, i]
        W_11, w_12, w_22 = W[:, rest][:, :, rest], W[:, rest, i], W[:, i, i]

        inv_theta_11 = W_11 - w_12.unsqueeze(2) * w_12.unsqueeze(1) / w_22.view(-1, 1, 1)
        z = self.preactivation(theta_12, s_12, w_12)
        q0 = torch.einsum("bi,bij,bj->b", z, inv_theta_11, z)
        theta_12 = self.soft_threshold(z / q0.sqrt().unsqueeze(1))

        y = torch.matmul(inv_theta_11, theta_12.unsqueeze(2)).squeeze(2)
        q = (theta_12 * y).sum(1)
        v = apply_mlp(self.g, torch.stack((theta_22, s_22, q), 1)).abs().squeeze(1)

        Theta_next = Theta.clone()  # Eq. (2)
        Theta_next[:, rest, i] = theta_12
        Theta_next[:, i, rest] = theta_12
        Theta_next[:, i, i] = v + q
        W_next = W.clone()  # Eq. (3)
        W_next[:, rest.unsqueeze(1), rest] = inv_theta_11 + y.unsqueeze(2) * y.unsqueeze(1) / v.view(-1, 1, 1)
        W_next[:, rest, i] = -y / v.unsqueeze(1)
        W_next[:, i, rest] = -y / v.unsqueeze(1)
        W_next[:, i, i] = 1 / v
        return Theta_next, W_next

    def forward(self, S):
        """S [count, p, p] -> Theta, W = Theta^{-1}."""
        W = S + torch.eye(self.p, dtype=S.dtype)
        Theta = torch.linalg.inv(W)
        for _ in range(self.layers):
            for i in range(self.p):
                Theta, W = self.column(i, Theta, W, S)
        return Theta, W

    def loss(self, S, Theta_true):
        """Batch mean of the squared Frobenius error."""
        return (self(S)[0] - Theta_true).square().sum((1, 2)).mean()

    def loss_and_grads(self, S, Theta_true):
        """The loss, and name -> gradient."""
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(S, Theta_true)
        loss.backward()
        return loss.item(), {name: x.grad for name, x in self.named_parameters()}

    def train_step(self, S, Theta_true):
        """Inverse of the input, forward, loss, backward and one Adam step; the loss before the step."""
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(S, Theta_true)
        loss.backward()
        self.optimizer.step()
        return loss.item()


def build(model_name, p, gamma_hidden=None, layers=1):
    return Lean(model_name, p, gamma_hidden, layers)
