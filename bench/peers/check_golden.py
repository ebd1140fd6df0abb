"""Checks the PyTorch peers against the recorded reference vectors.

    python3 check_golden.py [golden folder] [peer module ...]

Exit status 1 when an output, a loss, a gradient or a loss of training is outside the recorded tolerances,
or when a peer disagrees with the first one at p = 70, beyond the recorded sizes.
"""
import importlib
import sys
from pathlib import Path

import numpy as np
import torch

from problem import gradient_error, make_batch, read_safetensors, under

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
PEERS = ["peer_published", "peer_lean", "peer_batched", "peer_batched_manual"]
# outputs and loss, gradients, how many losses of training to compare (each to 1e-7)
TOLERANCE = {"ubg_p20": (1e-9, 1e-9, 8), "ubg_p12_k2": (1e-8, 1e-6, 2)}


def relative(a, b):
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def check(peer, path):
    """Prints one line; True when the peer agrees with the file."""
    metadata, golden = read_safetensors(path)
    weights = under(golden, "param.")
    width = weights["f.gamma.0.bias"].size if "f.gamma.0.bias" in weights else None
    net = importlib.import_module(peer).build(metadata["model"], int(metadata["p"]), width, int(metadata["layers"]))
    net.load_weights(weights)
    S, Theta_true = torch.from_numpy(golden["S"]), torch.from_numpy(golden["Theta_true"])

    with torch.no_grad():
        Theta, W = net(S)
    loss, grads = net.loss_and_grads(S, Theta_true)
    out, grad, steps = TOLERANCE.get(path.stem, (1e-9, 1e-9, len(golden["adam_losses"])))
    losses = [net.train_step(S, Theta_true) for _ in range(steps)]
    errors = {
        "Theta": (relative(Theta.numpy(), golden["Theta_out"]), out),
        "W": (relative(W.numpy(), golden["W_out"]), out),
        "loss": (relative(np.array([loss]), golden["loss"]), out),
        "grads": (gradient_error(grads, under(golden, "grad.")), grad),
        "adam": (float(np.max(np.abs(losses / golden["adam_losses"][:steps] - 1))), 1e-7),
    }
    bad = [name for name, (error, bound) in errors.items() if not error <= bound]
    shown = "  ".join(f"{name} {error:.1e}" for name, (error, _) in errors.items())
    print(f"{peer:20} {path.stem:11} {shown}  {'FAILED: ' + ', '.join(bad) if bad else 'ok'}")
    return not bad


def check_large(peer, first, p=70):
    """Loss and gradients of peer against those of the first, where no vectors are recorded."""
    results = []
    S, Theta_true = map(torch.from_numpy, make_batch(3, p))
    for name in (first, peer):
        torch.manual_seed(1)
        results.append(importlib.import_module(name).build("ubg", p).loss_and_grads(S, Theta_true))
    (loss_0, grads_0), (loss, grads) = results
    errors = abs(loss / loss_0 - 1), gradient_error(grads, {name: x.numpy() for name, x in grads_0.items()})
    good = max(errors) <= 1e-9
    print(f"{peer:20} ubg p={p} as {first}: loss {errors[0]:.1e}  grads {errors[1]:.1e}  {'ok' if good else 'FAILED'}")
    return good


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else GOLDEN)
    files = sorted((folder / "spodnet").glob("*.safetensors"))
    if not files:
        sys.exit(f"no recorded vectors under {folder / 'spodnet'}")
    peers = sys.argv[2:] or PEERS
    results = [check(peer, path) for peer in peers for path in files]
    results += [check_large(peer, PEERS[0]) for peer in peers if peer != PEERS[0]]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
