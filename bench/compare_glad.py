#!/usr/bin/env python3
"""Training step of GLAD: ours beside the same equations in PyTorch, one thread each, float64.

    cmake --preset bench && cmake --build build --target glad_bench
    python3 bench/compare_glad.py [--p 100] [--batch 10] [--layers 1] [--seconds 5] [--blas DIR]

The peer is torch.linalg.eigh with autograd: one eigendecomposition per iteration, batched. Both sides
take forward, backward and Adam, on the same data and weights; their gradients are compared first.
Rounds alternate, and the least processor time counts (it leaves out what other programs take on a
shared machine). --blas: folder of a libblas.so.3/liblapack.so.3 for PyTorch, such as OpenBLAS's;
Debian's reference BLAS is several times slower.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time


def make_peer(layers):
    import torch
    from torch import nn

    class Glad(nn.Module):
        def __init__(self):
            super().__init__()
            self.rho = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Tanh(),
                                     nn.Linear(3, 1), nn.Sigmoid())
            self.alpha = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1), nn.Sigmoid())
            self.init_offset = nn.Parameter(torch.tensor([0.1]))

        def named(self):
            """Parameters under the names of our model files: layers counted without activations."""
            for name, value in self.named_parameters():
                part = name.split(".")
                yield (".".join([part[0], str(int(part[1]) // 2), part[2]]) if len(part) == 3 else name), value

        def loss(self, S, Theta_true):
            eye = torch.eye(S.shape[-1])
            Z = torch.linalg.inv(S + self.init_offset * eye)
            one = torch.ones(len(S))
            alpha = self.alpha(torch.stack([one, 0 * one], 1))
            total = 0
            for _ in range(layers):
                y, V = torch.linalg.eigh(S / alpha[:, :, None] - Z)
                theta = 0.5 * (torch.sqrt(y * y + 4 / alpha) - y)
                Theta = (V * theta[:, None, :]) @ V.transpose(1, 2)
                rho = self.rho(torch.stack([Theta, S, Z], -1)).squeeze(-1)
                Z = torch.sign(Theta) * torch.relu(Theta.abs() - rho)
                features = torch.stack([((Z - Theta) ** 2).sum((1, 2)), alpha[:, 0]], 1)
                alpha = self.alpha(features.detach())
                total = total + ((Z - Theta_true) ** 2).sum((1, 2)).mean()
            return total / layers

    return Glad()


def time_peer(peer, optimizer, S, Theta_true, seconds):
    wall = cpu = 1e9
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or wall == 1e9:
        wall_0, cpu_0 = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        peer.loss(S, Theta_true).backward()
        optimizer.step()
        wall, cpu = min(wall, time.perf_counter() - wall_0), min(cpu, time.process_time() - cpu_0)
    return 1e3 * wall, 1e3 * cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--p", type=int, default=100)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--blas")
    parser.add_argument("--ours", default=os.path.join(here, "..", "build", "bin", "glad_bench"))
    args = parser.parse_args()
    if args.blas and args.blas not in os.environ.get("LD_LIBRARY_PATH", ""):
        os.environ["LD_LIBRARY_PATH"] = args.blas
        os.execv(sys.executable, [sys.executable] + sys.argv)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    sys.path.insert(0, os.path.join(here, "peers"))
    import numpy as np
    import torch
    from problem import make_batch, write_safetensors

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    S, Theta_true = make_batch(args.batch, args.p)
    peer = make_peer(args.layers)
    optimizer = torch.optim.Adam(peer.parameters(), lr=1e-3)
    tensors = {"S": S, "Theta_true": Theta_true}
    tensors.update({"param." + name: value.detach().numpy().copy() for name, value in peer.named()})
    S, Theta_true = torch.from_numpy(S), torch.from_numpy(Theta_true)
    peer.loss(S, Theta_true).backward()
    gradients = {name: value.grad.numpy().ravel().copy() for name, value in peer.named()}

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "glad.safetensors")
        write_safetensors(path, tensors, {"layers": str(args.layers)})
        ours, theirs = [], []
        for _ in range(args.rounds):
            share = args.seconds / args.rounds
            ours.append(json.loads(subprocess.check_output([args.ours, path, str(share)])))
            theirs.append(time_peer(peer, optimizer, S, Theta_true, share))
    error = max(np.linalg.norm(np.array(ours[0]["grad"][name]) - g) / np.linalg.norm(g)
                for name, g in gradients.items() if np.linalg.norm(g) > 0)
    wall, cpu = min(o["wall_ms"] for o in ours), min(o["cpu_ms"] for o in ours)
    peer_wall, peer_cpu = min(t[0] for t in theirs), min(t[1] for t in theirs)
    print(f"GLAD p={args.p} batch={args.batch} L={args.layers}, one thread, float64, {ours[0]['isa']}")
    print(f"largest relative difference of a gradient tensor {error:.1e}")
    print(f"ours     wall {wall:8.2f} ms  cpu {cpu:8.2f} ms")
    print(f"PyTorch  wall {peer_wall:8.2f} ms  cpu {peer_cpu:8.2f} ms  (torch {torch.__version__})")
    print(f"ratio    wall {peer_wall / wall:8.2f}     cpu {peer_cpu / cpu:8.2f}")
    assert error < 1e-8, "the two sides do not compute the same"


if __name__ == "__main__":
    main()
