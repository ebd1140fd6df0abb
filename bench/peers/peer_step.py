"""Training steps of a PyTorch peer on a problem file (problem.py), one thread.

    OMP_NUM_THREADS=1 python3 peer_step.py MODULE PROBLEM SECONDS OUT

Writes the loss and the gradients at the given weights to OUT, then times the first ten steps of the
training, again and again from the same start. Prints one JSON object.
"""
import importlib
import json
import os
import statistics
import sys
import time

import torch

from problem import read_safetensors, under, write_safetensors

STEPS = 10
LR = 1e-2


def blas_in_use():
    """The BLAS this process has loaded, by its file."""
    with open("/proc/self/maps") as maps:
        files = {os.path.realpath(line.split()[-1]) for line in maps if "blas" in line or "mkl" in line}
    return ", ".join(sorted(files)) or "inside torch"


def peak_mb():
    """Peak resident memory since the program began (getrusage would count the caller's, too)."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def main():
    module, path, seconds, out = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    torch.set_num_threads(1)
    metadata, arrays = read_safetensors(path)
    weights = under(arrays, "param.")
    S, Theta_true = torch.from_numpy(arrays["S"]), torch.from_numpy(arrays["Theta_true"])
    build = importlib.import_module(module).build

    def fresh():
        net = build(metadata["model"], int(metadata["p"]), layers=int(metadata["layers"]))
        net.load_weights(weights)
        net.optimizer.param_groups[0]["lr"] = LR
        return net

    before = peak_mb()
    loss, grads = fresh().loss_and_grads(S, Theta_true)
    write_safetensors(out, {"grad." + name: g.numpy() for name, g in grads.items()}, {"loss": repr(loss)})

    wall, cpu, losses = [], [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(wall) < 2:
        if len(wall) % STEPS == 0:
            net = fresh()
        wall_0, cpu_0 = time.perf_counter(), time.process_time()
        losses.append(net.train_step(S, Theta_true))
        wall.append(time.perf_counter() - wall_0)
        cpu.append(time.process_time() - cpu_0)
    print(json.dumps({"wall_ms": 1e3 * min(wall), "median_ms": 1e3 * statistics.median(wall),
                      "cpu_ms": 1e3 * min(cpu), "steps": len(wall), "losses": losses[:STEPS],
                      "peak_mb": peak_mb(), "before_mb": before, "torch": torch.__version__,
                      "blas": blas_in_use()}))


if __name__ == "__main__":
    main()
