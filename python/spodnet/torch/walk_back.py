"""The backward of walk.py."""
from __future__ import annotations

import torch

from .answers import TOLERANCE, alike, goes_back_once, margins, mixes_rows
from .fields import SLOT, S_of_rows
from .matrices import F64, HERE

grad = torch.autograd.grad


def backward(run, needs, W_out, d_Theta, d_W):
    """Gradients of Theta, W (none: Theta's is total), S and each of run.tensors."""
    layer, walk, B, p, tensors = run.layer, run.handle.walk, run.B, run.p, run.tensors
    G = total_gradient(W_out, d_Theta, d_W)
    walk.back_begin(G.data_ptr(), W_out.data_ptr())
    sums = Sums(tensors)
    run.sums, run.zs, run.d_zs = sums, [], []
    run.f_leaves = [x for x in (*run.context, *run.weights["f"]) if isinstance(x, torch.Tensor) and x.requires_grad]
    run.once = {part: goes_back_once(part) for part in (layer.f, layer.g, layer.threshold)}
    run.d_rows = torch.zeros(p, B, run.width, **HERE)
    run.d_diag_S = torch.zeros(p, B, **HERE)

    v, J = jacobian_of_g(run, graph_of_g(run))
    run.d_v = torch.empty(p, B, **HERE)
    run.d_lambda = torch.zeros(p, B, run.width, **HERE) if layer.threshold is not None else None
    run.slope = slope_of_threshold(run)
    backward_columns(run, state_part(run, J))

    if run.zs and not weights_of_f_at_once(run):  # else: one walk through all graphs of f
        sums.add(run.f_leaves, grad(run.zs, run.f_leaves, run.d_zs, retain_graph=True, allow_unused=True))
    run.zs = run.d_zs = None
    parameters = run.weights["g"]
    if v.requires_grad and parameters:
        v = graph_of_g(run)[1] if run.once[layer.g] else v
        sums.add(parameters, grad(v, parameters, run.d_v.view(-1).to(v.dtype), allow_unused=True))
    if "s_22" in layer.g_inputs:
        run.d_diag_S += run.d_v * J[:, :, layer.g_inputs.index("s_22")]
    if not entrywise_threshold_weights(run):  # it has learned to mix them: with a graph for each column, then
        layer._entrywise[run.width] = False
        return backward(run, needs, W_out, d_Theta, d_W)
    d_Theta_in = None
    if needs[2]:
        d_Theta_in = torch.empty(B, p, p, **HERE)
        walk.back_end(d_Theta_in.data_ptr())
    d_S = S_of_rows(run.d_rows, run.d_diag_S, run.full) if needs[4] else None
    return d_Theta_in, None, d_S, *[sums.of(x) if need else None for x, need in zip(tensors, needs[5:])]


class Sums:
    """Gradients summed over the columns, by tensor."""

    def __init__(self, tensors):
        self.place = {id(x): k for k, x in enumerate(tensors)}
        self.values = [None] * len(tensors)

    def add(self, tensors, gradients):
        places = [self.place[id(x)] for x in tensors]
        if all(d is not None for d in gradients) and all(self.values[k] is not None for k in places):
            if places:
                torch._foreach_add_([self.values[k] for k in places], list(gradients))
            return
        for k, d in zip(places, gradients):
            if d is not None:
                self.values[k] = d.clone() if self.values[k] is None else self.values[k].add_(d)

    def of(self, x):
        return self.values[self.place[id(x)]]


def total_gradient(W, d_Theta, d_W):
    """dL/dTheta with W = Theta^{-1} substituted: dW = -W dTheta W."""
    G = torch.zeros_like(W) if d_Theta is None else d_Theta.to(F64)
    if d_W is not None:
        G = G - W @ d_W.to(F64).transpose(1, 2) @ W
    return G.contiguous()


def graph_of_g(run):
    """g of all columns at once: its inputs and v."""
    with torch.enable_grad():
        rows = run.features.flatten(0, 1).to(run.dtype).detach().requires_grad_()
        return rows, margins(run.layer.g, rows).reshape(-1)


def jacobian_of_g(run, graph):
    """v and dv/d(its inputs) [p, B, k]."""
    rows, v = graph
    if not alike(v, torch.cat(run.v).reshape(-1)):
        raise RuntimeError(
            "SpodLayer: g gives other values for many rows than for some: it must treat each row by itself "
            "and not be random (no batch norm, no dropout)"
        )
    if not v.requires_grad:
        return v, torch.zeros(run.p, run.B, rows.size(1), **HERE)
    J = grad(v, rows, torch.ones_like(v), retain_graph=not run.once[run.layer.g], allow_unused=True)[0]
    J = torch.zeros_like(rows) if J is None else J
    return v, J.to(F64).view(run.p, run.B, rows.size(1))


def state_part(run, J):
    """The derivatives by (theta_22, w_22, q), [p, B, 3], contiguous."""
    names = run.layer.g_inputs
    if names == ("theta_22", "w_22", "q"):
        return J.contiguous()
    out = torch.zeros(run.p, run.B, 3, **HERE)
    for k, name in enumerate(("theta_22", "w_22", "q")):
        if name in names:
            out[:, :, k] = J[:, :, names.index(name)]
    return out


def chunks(run):
    columns = max(1, run.ENTRIES // max(1, run.B * run.width))
    return [(a, min(run.p, a + columns)) for a in range(0, run.p, columns)]


def slope_of_threshold(run):
    """d lambda_j / d z_j of all columns, where each lambda_j reads z_j alone; else None."""
    layer = run.layer
    if layer.threshold is None or run.p == 1 or not layer.entrywise(run.width):
        return None
    slope = torch.zeros(run.p, run.B, run.width, **HERE)
    run.entry_graph = None
    for a, b in chunks(run):
        x, lam = entry_graph(run, a, b)
        if not lam.requires_grad:
            continue
        whole = b - a == run.p and not run.once[layer.threshold]  # small enough to be kept for the weights
        d = grad(lam, x, torch.ones_like(lam), retain_graph=whole, allow_unused=True)[0]
        run.entry_graph = (x, lam) if whole else None
        if d is not None:
            slope[a:b] = d.view(b - a, run.B, run.width)
    return slope


def entry_graph(run, a, b):
    """The scaled z of columns a to b and their lambda."""
    with torch.enable_grad():
        x = run.scaled[a:b].flatten(0, 1).to(run.dtype).detach().requires_grad_()
        return x, run.layer.threshold(x)


def entrywise_threshold_weights(run) -> bool:
    """Adds the gradients of an entrywise threshold's weights; False where a lambda_j reads other entries, too."""
    if run.slope is None:
        return True
    parameters = run.weights["threshold"]
    for a, b in chunks(run):
        x, lam = run.entry_graph or entry_graph(run, a, b)
        if not lam.requires_grad:
            return True
        d = run.d_lambda[a:b].view_as(lam).to(lam.dtype)
        d_x, *d_parameters = grad(lam, [x, *parameters], d, allow_unused=True)
        if d_x is not None and d_x.numel():
            alone = run.slope[a:b].view_as(lam) * d
            if float((d_x - alone).abs().max()) > 1e3 * TOLERANCE.get(lam.dtype, 1e-3) * float(d_x.abs().max()):
                return False
        run.sums.add(parameters, d_parameters)
    run.entry_graph = None
    return True


def backward_columns(run, J):
    layer, walk, B, p, width = run.layer, run.handle.walk, run.B, run.p, run.width
    d_scaled = torch.empty(B, width, **HERE)
    d_zs = torch.empty(p, B, width, **HERE).unbind(0)  # f's weights need all of them at the end
    row = 8 * B * width
    scaled, d_v, J_at = run.scaled.data_ptr(), run.d_v.data_ptr(), J.data_ptr()
    d_lambda = 0 if run.d_lambda is None else run.d_lambda.data_ptr()
    slope = 0 if run.slope is None else run.slope.data_ptr()
    for i in range(p - 1, -1, -1):
        walk.back_threshold(i, width, J_at + 24 * B * i, slope and slope + row * i, d_v + 8 * B * i,
                            d_lambda and d_lambda + row * i, d_scaled.data_ptr())
        if layer.threshold is not None and run.slope is None and p > 1:
            threshold_backward(run, i, d_scaled)
        walk.back_scale(i, width, scaled + row * i, d_scaled.data_ptr(), d_zs[i].data_ptr())
        fields = f_backward(run, i, d_zs[i]) if p > 1 else [None] * 5
        walk.back_close(i, width, *[0 if d is None else d.data_ptr() for d in fields])


def threshold_backward(run, i, d_scaled):
    """Adds what lambda contributes by a graph of its own: a threshold that couples the entries."""
    if run.thresholds:
        y, lam = run.thresholds[i]
    else:
        with torch.enable_grad():
            y = run.scaled[i].to(run.dtype).detach().requires_grad_()
            lam = run.layer.threshold(y)
    if not lam.requires_grad:
        return
    parameters = run.weights["threshold"]
    d_y, *d = grad(lam, [y, *parameters], run.d_lambda[i].to(lam.dtype),
                   retain_graph=not run.once[run.layer.threshold], allow_unused=True)
    if d_y is not None:
        d_scaled += d_y
    run.sums.add(parameters, d)


SMALL = 1 << 14  # products of a call of f: below, the call itself costs more


def weights_of_f_at_once(run) -> bool:
    """Adds the gradients of f's weights by one call for all columns; False where f is not small, has a context or
    does not give a row what it gave it alone."""
    f, entries = run.layer.f, run.p * run.B * run.width
    if (run.context or run.solver is not None or len(run.zs) != run.p or entries > run.ENTRIES or mixes_rows(f)
            or run.B * sum(x.numel() for x in run.f_leaves) > SMALL):
        return False
    state = torch.get_rng_state()
    with torch.enable_grad():
        z = f(*[x.flatten(0, 1).to(run.dtype if x.is_floating_point() else x.dtype) for x in run.buffers])
    torch.set_rng_state(state)
    if not alike(z, torch.cat(run.zs[::-1])):
        return False
    d_z = torch.cat(run.d_zs[::-1])
    run.sums.add(run.f_leaves, grad(z, run.f_leaves, d_z, allow_unused=True))
    return True


def f_again(run, i, x):
    """f's graph of column i once more, with the random numbers it had."""
    state = torch.get_rng_state()
    torch.set_rng_state(run.random[i])
    if run.solver is not None:
        x = [run.solver.at(i) if name == "solve" else y for name, y in zip(run.names, x)]
    with torch.enable_grad():
        z = run.layer.f(*x, *run.context)
    torch.set_rng_state(state)
    return z


def f_backward(run, i, d_z):
    """The adjoints of the state's fields, in the order of their slots; the rest is summed."""
    x, z = run.kept[i]
    if z is None:
        z = f_again(run, i, x)
    out = [None] * 5
    if not z.requires_grad:
        return out
    named = [(name, y) for name, y in zip(run.names, x) if isinstance(y, torch.Tensor) and y.requires_grad]
    d_z = d_z.to(z.dtype)
    again = not run.layer.recompute and not run.once[run.layer.f]
    later = again and run.solver is None  # a solve goes back once
    leaves = [y for _, y in named] + ([] if later else run.f_leaves)
    if later and run.f_leaves:
        run.zs.append(z)
        run.d_zs.append(d_z)
    if not leaves:
        return out
    d = grad(z, leaves, d_z, retain_graph=again, allow_unused=True)
    if not later:
        run.sums.add(run.f_leaves, d[len(named):])
    for (name, _), value in zip(named, d):
        if value is None:
            continue
        if name in SLOT:
            out[SLOT[name]] = value.to(F64).contiguous()
        elif name in ("s_12", "s"):
            run.d_rows[i] = value
        elif name == "s_22":
            run.d_diag_S[i] += value[:, 0]
        elif name == "diag_S":
            run.d_diag_S += value.t()
    return out
