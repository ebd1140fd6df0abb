"""SpodNet in PyTorch with a hand-written adjoint: one torch.autograd.Function for the whole network.

The forward updates W and Theta in place and keeps O(p^2) numbers per matrix and layer. The backward carries one
adjoint, G = dL/dTheta with W = Theta^{-1} substituted, undoes the rank-2 update of W column by column,
and leaves every product that only serves the weights to one gemm per layer.
Vectors have length p; entry i of n, u is left as it falls, as in peer_batched.
"""
import torch
from torch.nn.functional import linear

from peer_batched import Batched, symmetric_product

relu_backward = torch.ops.aten.threshold_backward


class Tape:
    """What the backward of one layer reads: a tensor [p, count, ...] per name."""

    def __init__(self, **tensors):
        self.__dict__.update(tensors)

    @staticmethod
    def of_columns(columns):
        return Tape(**{name: torch.stack([c[name] for c in columns]) for name in columns[0]})


def flat_gemm(d, x):
    """Gradient of a weight [out, in] from d [p, count, out] and x [p, count, in]."""
    return d.flatten(0, 1).t() @ x.flatten(0, 1)


def layer_forward(net, Theta, W, S):
    """Updates Theta and W in place; returns the tape."""
    f, g = net.weights(), [(x.weight, x.bias) for x in net.g]
    columns = []
    for i in range(net.p):
        c = {"w": W.select(1, i).clone(), "theta_12": Theta.select(2, i).index_select(1, net.rest[i])}
        w, k = c["w"], c["w"] / c["w"].narrow(1, i, 1).neg()
        if net.model != "e2e":
            (A1, b1), (A2, b2) = f["gamma"]
            c["h"] = linear(c["theta_12"], A1, b1).relu_()
            c["sigma"] = linear(c["h"], A2, b2)
            c["d"] = w - S.select(1, i)
            x = torch.addcmul(Theta.select(2, i), c["sigma"].abs(), c["d"])  # Eq. (7)
        if net.model != "ubg":
            (A1, b1), (A2, b2) = f["psi" if net.model == "pnp" else "phi"]
            c["dense_in"] = x.index_select(1, net.rest[i]) if net.model == "pnp" else c["theta_12"]
            c["dense_h"] = linear(c["dense_in"], A1, b1).relu_()
            x = linear(c["dense_h"], A2, b2).index_select(1, net.spread[i])  # Eqs. (8), (9)

        Wx = symmetric_product(W, x)
        Hx = Wx.addcmul_(Wx.narrow(1, i, 1).clone(), k)
        c["scale"] = (x * Hx).sum(1, keepdim=True).rsqrt_()
        n, c["Hn"] = x * c["scale"], Hx.mul_(c["scale"])
        u = net.soft_threshold(f["lambda"], n)
        y = symmetric_product(W, u)
        y.addcmul_(y.narrow(1, i, 1).clone(), k)
        y.select(1, i).zero_()
        q = (u * y).sum(1, keepdim=True)
        c["g0"] = torch.cat((Theta[:, i, i:i + 1], S[:, i, i:i + 1], q), 1)
        c["g1"] = linear(c["g0"], *g[0]).relu_()
        c["g2"] = linear(c["g1"], *g[1]).relu_()
        c["v"] = linear(c["g2"], *g[2])
        v = c["v"].abs()
        c.update(n=n, u=u, y=y)

        e = y - net.unit[i]
        W.baddbmm_(torch.stack((k, e / v), 2), torch.stack((w, e), 1))  # Eq. (3)
        Theta.select(1, i).copy_(u)  # Eq. (2)
        Theta.select(2, i).copy_(u)
        Theta[:, i, i:i + 1] = v + q
        columns.append(c)
    return Tape.of_columns(columns)


def layer_backward(net, t, G, W, grads):
    """G, W after the layer -> G, W before it, in place; adds the gradients of the parameters."""
    g, f, p = [x.weight for x in net.g], net.f, net.p
    dense = f["psi"] if net.model == "pnp" else f["phi"] if net.model == "e2e" else None
    # lambda and the soft threshold of all columns at once: d_n = slope * d_u, d_e = d_e_u * d_u
    (B1, c1), (B2, c2) = [(x.weight, x.bias) for x in f["lambda"]]
    h = linear(t.n.unsqueeze(-1), B1, c1).relu_()
    d_e_u = (linear(h, B2, c2).squeeze(-1).sign_() * t.n.sign()).mul_(t.u != 0).mul_(-net.lambda_scale)
    slope = ((h > 0).to(h.dtype) @ (B1 * B2.t())).squeeze(-1).mul_(d_e_u).add_(t.u != 0)
    if net.model != "e2e":
        d_h = relu_backward(t.sigma.sign() * f["gamma"][1].weight, t.h, 0)
        gamma = t.sigma.abs()
    v, names = t.v.abs(), ("d_u", "d_g1", "d_g2", "d_v", "d_sigma", "d_x", "d_dense")
    kept = {name: [None] * p for name in names}

    for i in reversed(range(p)):
        G_i, y, Hn, w = G.select(1, i), t.y[i], t.Hn[i], t.w[i]
        d_22 = G_i.narrow(1, i, 1).clone()
        d_v = d_22 * t.v[i].sign()
        d_g2 = relu_backward(d_v @ g[2], t.g2[i], 0)
        d_g1 = relu_backward(d_g2 @ g[1], t.g1[i], 0)
        d_g0 = d_g1 @ g[0]
        d_q = d_22 + d_g0.narrow(1, 2, 1)
        d_u = torch.addcmul(G_i, d_q, y).mul_(2)
        d_u.select(1, i).zero_()
        d_n = d_u * slope[i]
        along = (d_n * t.n[i]).sum(1, keepdim=True)
        d_x = torch.addcmul(d_n, along, Hn, value=-1).mul_(t.scale[i])
        left, right = [d_q.neg_() * y, along * 0.5 * Hn], [y, Hn]

        if dense is not None:
            kept["d_x"][i] = d_x = d_x.index_select(1, net.rest[i])
            kept["d_dense"][i] = d_dense = relu_backward(d_x @ dense[1].weight, t.dense_h[i], 0)
            d_x = (d_dense @ dense[0].weight).index_select(1, net.copy_in[i])
        d_theta = d_x
        if net.model != "e2e":
            d_x.select(1, i).zero_()
            kept["d_sigma"][i] = d_sigma = (d_x * t.d[i]).sum(1, keepdim=True)
            e = y - net.unit[i]
            W.baddbmm_(torch.stack((w / w.narrow(1, i, 1), e / -v[i]), 2), torch.stack((w, e), 1))
            m = symmetric_product(W, gamma[i] * d_x)
            left, right = left + [m * -0.5, w * -0.5], right + [w, m]
            d_theta_12 = (d_sigma * d_h[i]) @ f["gamma"][0].weight
            d_theta = d_x + d_theta_12.index_select(1, net.copy_in[i])
        d_theta.mul_(0.5).narrow(1, i, 1).copy_(d_g0.narrow(1, 0, 1)).mul_(0.5)

        G_i.zero_()
        G.select(2, i).zero_()
        G.baddbmm_(torch.stack(left, 2), torch.stack(right, 1))
        G_i += d_theta
        G.select(2, i).add_(d_theta)
        for name, x in (("d_u", d_u), ("d_g1", d_g1), ("d_g2", d_g2), ("d_v", d_v)):
            kept[name][i] = x

    k = Tape(**{name: torch.stack(x) for name, x in kept.items() if x[0] is not None})
    for j, (d, x) in enumerate(((k.d_g1, t.g0), (k.d_g2, t.g1), (k.d_v, t.g2))):
        add(grads, f"g.{j}", d, x)
    d_e = (k.d_u * d_e_u).unsqueeze(-1)
    add(grads, "f.lambda.1", d_e.flatten(1, 2), h.flatten(1, 2))
    add(grads, "f.lambda.0", relu_backward(d_e * B2, h, 0).flatten(1, 2), t.n.unsqueeze(-1).flatten(1, 2))
    if net.model != "e2e":
        add(grads, "f.gamma.1", k.d_sigma * t.sigma.sign(), t.h)
        add(grads, "f.gamma.0", k.d_sigma * d_h, t.theta_12)
    if dense is not None:
        name = "f.psi" if net.model == "pnp" else "f.phi"
        add(grads, name + ".1", k.d_x, t.dense_h)
        add(grads, name + ".0", k.d_dense, t.dense_in)


def add(grads, name, d, x):
    grads[name + ".weight"] += flat_gemm(d, x)
    grads[name + ".bias"] += d.sum((0, 1))


class Network(torch.autograd.Function):
    @staticmethod
    def forward(ctx, net, S, *parameters):
        W = S + net.eye
        Theta = net.input_inverse(W)
        ctx.net, ctx.tapes = net, [layer_forward(net, Theta, W, S) for _ in range(net.layers)]
        ctx.W = W
        ctx.mark_non_differentiable(W)
        return Theta, W

    @staticmethod
    def backward(ctx, d_Theta, _):
        G, W, net = (d_Theta + d_Theta.transpose(1, 2)) * 0.5, ctx.W.clone(), ctx.net
        grads = {name: torch.zeros_like(x) for name, x in net.named_parameters()}
        for tape in reversed(ctx.tapes):
            layer_backward(net, tape, G, W, grads)
        return None, None, *grads.values()


class Manual(Batched):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        # compact vector -> full vector, entry i to be overwritten
        self.copy_in = [x.clamp(max=self.p - 2) for x in self.spread]

    def forward(self, S):
        return Network.apply(self, S, *self.parameters())


def build(model_name, p, gamma_hidden=None, layers=1):
    return Manual(model_name, p, gamma_hidden, layers)
