"""Steps of neural networks made of a program's operations: activations, normalisation, convolution. c is a Call (operations.py)."""
from __future__ import annotations

import math

from .capture import Refused


def _softmax(c):
    exps, total, _ = c.e.exp_sum(c.x(), [c.args[1]])
    return c.e.point("div", exps, total)


def _log_softmax(c):
    x = c.x()
    _, total, top = c.e.exp_sum(x, [c.args[1]])
    return c.e.point("sub", c.e.point("sub", x, top), c.e.point("log", total))


def _logsumexp(c):
    _, total, top = c.e.exp_sum(c.x(), c.args[1])
    r = c.e.point("add", c.e.point("log", total), top)
    return r if c.arg(2, "keepdim", False) else c.e.view(r, c.out)


def _gelu(c):
    e, x = c.e, c.x()
    half = e.point("mul", x, e.const(0.5))
    if c.kw.get("approximate", "none") == "tanh":
        cube = e.point("mul", e.power(x, 3.0), e.const(0.044715))
        inner = e.point("tanh", e.point("mul", e.point("add", x, cube), e.const(math.sqrt(2 / math.pi))))
    else:
        inner = e.point("erf", e.point("mul", x, e.const(2**-0.5)))
    return e.point("mul", half, e.point("add", inner, e.const(1)))


def _silu(c):
    x = c.x()
    return c.e.point("mul", x, c.e.point("sigmoid", x))


def _mish(c):
    x = c.x()
    return c.e.point("mul", x, c.e.point("tanh", c.e.softplus(x)))


def _softplus(c):
    return c.e.softplus(c.x(), float(c.arg(1, "beta", 1)), float(c.arg(2, "threshold", 20)))


def _log_sigmoid(c):
    e = c.e
    y = e.point("neg", e.softplus(e.point("neg", c.x()), 1.0, 700.0))
    return [y, None] if isinstance(c.value, (tuple, list)) else y


def _leaky_relu(c):
    e, x = c.e, c.x()
    return e.point("where", e.point("gt", x, e.const(0)), x, e.point("mul", x, e.const(c.arg(1, "negative_slope", 0.01))))


def _elu(c):
    e, x = c.e, c.x()
    alpha, scale, inner = c.arg(1, "alpha", 1), c.arg(2, "scale", 1), c.arg(3, "input_scale", 1)
    inner = 1 / alpha if c.base == "celu" else inner
    above = e.point("gt", x, e.const(0))
    low = e.point("exp", e.point("mul", e.point("where", above, e.const(0), x), e.const(inner)))
    low = e.point("mul", e.point("sub", low, e.const(1)), e.const(alpha * scale))
    return e.point("where", above, e.point("mul", x, e.const(scale)), low)


def _layer_norm(c):
    e, x, k = c.e, c.x(), len(c.args[1])
    r = len(e.shape(x))
    d = e.centred(x, range(r - k, r))
    var = e.mean(e.point("mul", d, d), range(r - k, r), True)
    y = e.point("div", d, e.point("sqrt", e.point("add", var, e.const(c.args[4]))))
    y = y if c.args[2] is None else e.point("mul", y, c.operand(c.args[2]))
    return [y if c.args[3] is None else e.point("add", y, c.operand(c.args[3])), None, None]


def _batch_norm(c):
    e, (x, w, b, mean, var, *rest) = c.e, c.args
    training = rest[0] if "no_training" not in c.base else False
    if training or mean is None:
        raise Refused(f"aten.{c.name}: batch norm in training, which mixes the matrices of a batch")
    x, epsilon = c.operand(x), rest[-1] if c.base != "cudnn_batch_norm" else rest[2]
    shape = [1, -1, *[1] * (len(e.shape(x)) - 2)]
    wide = lambda y: e.view(c.operand(y), [e.shape(x)[1] if k < 0 else k for k in shape])
    y = e.point("div", e.point("sub", x, wide(mean)), e.point("sqrt", e.point("add", wide(var), e.const(epsilon))))
    y = y if w is None else e.point("mul", y, wide(w))
    return [y if b is None else e.point("add", y, wide(b)), None, None, None]


def _convolution(c):
    e, (x, w, b, stride, padding, dilation, transposed, _, groups) = c.e, c.args[:9]
    x, w = c.operand(x), c.operand(w)
    if transposed or groups != 1 or len(e.shape(x)) != 3:
        raise Refused(f"aten.{c.name} that is transposed, grouped or not one-dimensional")
    B, channels, length = e.shape(x)
    width, reach = e.shape(w)[2], (e.shape(w)[2] - 1) * dilation[0] + 1
    if padding[0]:
        whole = length + 2 * padding[0]
        x = e.add("pad", (x,), (B, channels, whole), {"begin": padding[0], "length": whole}, dim=2)
        length = whole
    count = (length - reach) // stride[0] + 1
    x = e.add("unfold", (x,), (B, channels, count, reach), {}, dim=2, length=reach, step=stride[0])
    if dilation[0] != 1:
        x = e.part(x, 3, 0, reach, dilation[0])
    x = e.view(e.permute(x, (0, 2, 1, 3)), (B, count, channels * width))
    w = e.permute(e.view(w, (e.shape(w)[0], channels * width)), (1, 0))
    y = e.mm(x, w)
    y = y if b is None else e.point("add", y, c.operand(b))
    return e.permute(y, (0, 2, 1))


NETWORKS = {"_softmax": _softmax, "_safe_softmax": _softmax, "softmax": _softmax, "_log_softmax": _log_softmax,
            "logsumexp": _logsumexp, "gelu": _gelu, "silu": _silu, "mish": _mish, "softplus": _softplus,
            "log_sigmoid_forward": _log_sigmoid, "leaky_relu": _leaky_relu, "elu": _elu, "celu": _elu,
            "native_layer_norm": _layer_norm, "native_batch_norm": _batch_norm, "cudnn_batch_norm": _batch_norm,
            "_native_batch_norm_legit_no_training": _batch_norm, "_native_batch_norm_legit": _batch_norm,
            "_batch_norm_no_update": _batch_norm, "convolution": _convolution}
