"""A program's text computed by torch, operation by operation: the second route to what the core computes."""
import json

import torch

F64 = torch.float64


def size(x, B, p):
    return x if isinstance(x, int) else x[0] + x[1] * B + x[2] * p + x[3] * B * p


BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "max": torch.maximum, "min": torch.minimum}
TESTS = {"gt": torch.gt, "ge": torch.ge, "lt": torch.lt, "le": torch.le, "eq": torch.eq, "ne": torch.ne}
UNARY = {"neg": torch.neg, "abs": torch.abs, "sign": torch.sign, "relu": torch.relu, "exp": torch.exp, "log": torch.log,
         "tanh": torch.tanh, "sigmoid": torch.sigmoid, "sqrt": torch.sqrt, "recip": torch.reciprocal, "erf": torch.erf}


def evaluate(text, part, B, p, i, fields, weights, inv_theta_11=None):
    """The answer of part "f", "threshold" or "g"; fields and weights are tensors by name."""
    program = json.loads(text)
    assert program.get("p", p) == p
    nodes, done = program["nodes"], {}

    def shape(node):
        return [size(n, B, p) for n in node["shape"]]

    def value(k):
        if k not in done:
            done[k] = step(nodes[k])
        return done[k]

    def step(node):
        op, x = node["op"], [value(j) for j in node.get("in", ())]
        if op == "in":
            return fields[node["name"]].to(F64)
        if op == "weight":
            assert list(weights[node["name"]].shape) == shape(node)
            return weights[node["name"]].to(F64)
        if op == "const":
            at = node.get("size", node.get("over"))
            v = node["value"] if "value" in node else size(at, B, p) if "size" in node else 1 / size(at, B, p)
            return torch.tensor(v, dtype=F64)
        if op == "row":
            return x[0][i:i + 1]
        if op in BINARY:
            return BINARY[op](*x)
        if op in TESTS:
            return TESTS[op](*x).to(F64)
        if op in UNARY:
            return UNARY[op](*x)
        if op == "where":
            return torch.where(x[0] != 0, x[1], x[2])
        if op == "mm":
            return torch.matmul(*x)
        if op in ("sum", "amax"):
            return getattr(x[0], op)(node["dims"], keepdim=True)
        if op == "view":
            return x[0].reshape(shape(node))
        if op == "permute":
            return x[0].permute(node["dims"])
        if op == "expand":
            return x[0].expand(shape(node))
        if op == "slice":
            begin, step = size(node["begin"], B, p), node.get("step", 1)
            end = begin + (size(node["length"], B, p) - 1) * step + 1
            return x[0][(slice(None),) * node["dim"] + (slice(begin, end, step),)]
        if op == "cat":
            return torch.cat(x, node["dim"])
        if op == "pad":
            d, begin, whole = node["dim"], size(node["begin"], B, p), size(node["length"], B, p)
            out = x[0].new_zeros([whole if k == d else n for k, n in enumerate(x[0].shape)])
            return torch.cat((out.narrow(d, 0, begin), x[0], out.narrow(d, 0, whole - begin - x[0].shape[d])), d)
        if op == "unfold":
            return x[0].unfold(node["dim"], node["length"], node["step"])
        if op == "solve":
            return torch.matmul(inv_theta_11, x[0].unsqueeze(2)).squeeze(2)
        raise AssertionError(op)

    return value(program[part])
