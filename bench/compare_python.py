#!/usr/bin/env python3
"""Training steps in torch, in one run: SpodLayer and UBG beside the published program and the C++ step.

    python bench/compare_python.py [layer] [memory] [programs] [p ...]      in an environment with spodnet and torch
    python bench/python_calls.py                                 scikit-learn, the overhead of a call, threads, memory

One thread, float64, batch 10. Times are CPU seconds of this process (other programs may be running), the
least of several rounds; all sides take turns. The C++ step is build/bin/step_bench, where it is built (preset bench).
"""
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "peers"))
STEP_BENCH = Path(__file__).parents[1] / "build" / "bin" / "step_bench"


def least(functions, rounds=5, seconds=0.4):
    """Least CPU seconds of a single call of each, as step_bench takes a step in C++; the functions take turns."""
    best = [np.inf] * len(functions)
    counts = []
    for f in functions:
        f()
        t = time.process_time()
        f()
        counts.append(max(1, int(seconds / max(1e-7, time.process_time() - t))))
    for _ in range(rounds):
        for k, (f, count) in enumerate(zip(functions, counts)):
            for _ in range(count):
                t = time.process_time()
                f()
                best[k] = min(best[k], time.process_time() - t)
    return best


def modules():
    import torch
    from torch import nn

    class F(nn.Module):
        def __init__(self, p):
            super().__init__()
            self.a, self.b = nn.Linear(p - 1, max(1, p // 2)), nn.Linear(max(1, p // 2), 1)

        def forward(self, theta_12, w_12, s_12):
            gamma = self.b(torch.relu(self.a(theta_12))).abs()
            return torch.addcmul(theta_12, gamma, w_12 - s_12)

    class Threshold(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(1, 5), nn.Linear(5, 1)

        def forward(self, z):
            h = torch.addmm(self.a.bias.unsqueeze(1), self.a.weight, z.reshape(1, -1)).relu_()
            return torch.addmm(self.b.bias.unsqueeze(1), self.b.weight, h).abs_().view_as(z)

    class G(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1)

        def forward(self, x):
            return self.c(torch.relu(self.b(torch.relu(self.a(x))))).abs()

    return F, Threshold, G


class Step:
    """A training step of a layer written in torch, of UBG in the core, and of the published program."""

    def __init__(self, p, batch=10):
        import peer_published
        import torch
        from problem import make_batch
        from spodnet.torch import UBG, SpodLayer

        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        F, Threshold, G = modules()
        self.S, self.T = map(torch.from_numpy, make_batch(batch, p))
        self.eye = torch.eye(p)
        self.published = peer_published.build("ubg", p)
        self.layer = SpodLayer(F(p), G(), threshold=Threshold(), v_min=0.0)
        self.model, self.flat = (UBG(p, v_min=0.0, seed=0, flat=flat) for flat in (False, True))
        weights = {name: x.detach() for name, x in self.published.named_parameters()}
        for model in (self.model, self.flat):
            model.load_state_dict({f"layers.0.{name}": x for name, x in weights.items()})
        places = {"f.a": "f.gamma.0", "f.b": "f.gamma.1", "threshold.a": "f.lambda.0", "threshold.b": "f.lambda.1",
                  "g.a": "g.0", "g.b": "g.1", "g.c": "g.2"}
        self.places = {f"{mine}.{kind}": f"{theirs}.{kind}" for mine, theirs in places.items() for kind in ("weight", "bias")}
        self.layer.load_state_dict({mine: weights[theirs] for mine, theirs in self.places.items()})
        self.optimizers = [torch.optim.Adam(m.parameters(), lr=1e-2, foreach=m is not self.flat)  # the faster of both
                           for m in (self.layer, self.model, self.flat)]
        self.torch = torch

    def loss(self, which):
        if which > 0:
            Theta, _ = (self.model, self.flat)[which - 1](self.S)
        else:
            W = self.S + self.eye
            Theta = self.torch.cholesky_inverse(self.torch.linalg.cholesky(W))
            Theta, _ = self.layer((Theta + Theta.mT) / 2, W, S=self.S)
        return (Theta - self.T).square().sum((1, 2)).mean()

    def step(self, which):
        optimizer = self.optimizers[which]
        optimizer.zero_grad(set_to_none=True)
        self.loss(which).backward()
        optimizer.step()

    def check(self):
        """The largest relative difference of a gradient from the published program's."""
        _, reference = self.published.loss_and_grads(self.S, self.T)
        total = np.sqrt(sum(float(x.square().sum()) for x in reference.values()))
        worst = 0.0
        for which, module in ((0, self.layer), (1, self.model)):
            module.zero_grad(set_to_none=True)
            self.loss(which).backward()
            for name, x in module.named_parameters():
                r = reference[self.places[name] if which == 0 else name.removeprefix("layers.0.")]
                worst = max(worst, float((x.grad - r).norm() / max(float(r.norm()), 1e-6 * total)))
        return worst


def cpp_step(p, batch=10):
    """ms of CPU time of a step in C++; NaN where step_bench is not built."""
    if not STEP_BENCH.exists():
        return np.nan
    out = subprocess.run([STEP_BENCH, "ubg", str(p), str(batch), "1", "1"], check=True, capture_output=True, text=True)
    return float(re.search(r"cpu=([0-9.]+)", out.stdout).group(1))


def bench_layer(sizes):
    print("a training step, ms (CPU time, one thread, batch 10); UBG flat: all weights in one parameter")
    print("   p  published  SpodLayer  times      UBG  times  UBG flat  times   C++  gradients differ by")
    for p in sizes:
        s = Step(p)
        error = s.check()
        rounds, seconds = (7, 0.3) if p < 300 else (1, 0.0)
        a, b, c, d = least([lambda: s.published.train_step(s.S, s.T), *[lambda k=k: s.step(k) for k in (0, 1, 2)]], rounds,
                           seconds)
        print(f"{p:4} {1e3 * a:10.2f} {1e3 * b:10.2f} {a / b:6.1f} {1e3 * c:8.3f} {a / c:6.0f} {1e3 * d:9.3f} {a / d:6.0f} "
              f"{cpp_step(p):6.3f}  {error:.1e}", flush=True)


def peak_of(body):
    """Peak MB of a process that does this and nothing else."""
    pid = os.fork()
    if pid == 0:
        body()
        os._exit(0)
    return os.wait4(pid, 0)[2].ru_maxrss / 1024


def bench_memory(p=300):
    def step_of(which):
        def body():
            s = Step(p)
            if which == "published":
                s.published.train_step(s.S, s.T)
            elif which:
                s.step(("SpodLayer", "UBG").index(which))
        return peak_of(body)

    base = step_of(None)
    for which in ("SpodLayer", "UBG", "published"):
        print(f"memory of a step at p = {p}, {which}: {step_of(which) - base:.0f} MB", flush=True)


def rules(p):
    """f as users write them: UBG's, DeepSets of width 64, attention with d = 8; threshold and g of UBG."""
    import torch
    from torch import nn

    F, _, G = modules()

    class Threshold(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(1, 5), nn.Linear(5, 1)

        def forward(self, z):
            return self.b(torch.relu(self.a(z.unsqueeze(-1)))).squeeze(-1).abs()

    class DeepSets(nn.Module):
        def __init__(self, width=64):
            super().__init__()
            self.phi, self.mix, self.out = nn.Linear(3, width), nn.Linear(width, width), nn.Linear(width, 1)
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

    return {name: (f, Threshold(), G()) for name, f in (("UBG", F(p)), ("DeepSets", DeepSets()), ("attention", Attention()))}


def bench_programs(sizes):
    """Whole steps (loss, backward, Adam): a layer as a program and column by column, in turn; UBG beside the published
    program; then training without torch, UBG as a program beside the model ubg."""
    import torch

    import peer_published
    from problem import make_batch
    from spodnet.torch import SpodLayer

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    print("a training step, ms (CPU time, one thread, batch 10), both in turn")
    print("rule          p   program      fast  times  published  times  gradients differ by")
    for p in sizes:
        S, T = map(torch.from_numpy, make_batch(10, p))
        W = S + torch.eye(p)
        Theta = torch.cholesky_inverse(torch.linalg.cholesky(W))
        Theta = (Theta + Theta.mT) / 2
        for name, (f, threshold, g) in rules(p).items():
            torch.manual_seed(1)
            layer = SpodLayer(f, g, threshold=threshold)
            optimizer = torch.optim.Adam(layer.parameters(), lr=1e-3)

            def gradients(mode):
                layer.mode = mode
                optimizer.zero_grad(set_to_none=True)
                (layer(Theta, W, S=S)[0] - T).square().sum((1, 2)).mean().backward()
                return [x.grad for x in layer.parameters()]

            def step(mode):
                gradients(mode)
                optimizer.step()

            mine, theirs = gradients("auto"), gradients("fast")
            size = max(float(x.norm()) for x in theirs)
            error = max(float((a - b).norm()) / size for a, b in zip(mine, theirs))
            both = [lambda: step("auto"), lambda: step("fast")]
            if name == "UBG":
                published = peer_published.build("ubg", p)
                both.append(lambda: published.train_step(S, T))
            times = [1e3 * t for t in least(both, 3, 0.3)]
            other = f"{times[2]:10.2f} {times[2] / times[0]:6.1f}" if name == "UBG" else " " * 17
            print(f"{name:10} {p:4} {times[0]:9.3f} {times[1]:9.2f} {times[1] / times[0]:6.1f} {other}  {error:.1e}", flush=True)
    native_steps(sizes)


def native_steps(sizes):
    import spodnet
    from spodnet.torch import SpodLayer

    print("a step of spodnet.train, ms (CPU time, one thread, batch 10): UBG as a program and the model ubg, in turn")
    for p in sizes:
        data = spodnet.generate(p, 100, count=20, seed=1)
        f, threshold, g = rules(p)["UBG"]
        layer = SpodLayer(f, g, threshold=threshold)
        epochs = max(10, 4000 // p)

        def run(times, **what):
            spodnet.train(**what, S=data["S"], Theta_true=data["Theta_true"], n=100, epochs=times * epochs, valid=0.0,
                          lr=1e-4, n_jobs=1)

        sides = [lambda w=w, k=k: run(k, **w) for w in ({"rule": layer}, {"model": "ubg"}) for k in (1, 3)]
        t = [1e3 * x / (4 * epochs) for x in least(sides, 3, 0.0)]  # two steps an epoch; what a run begins with cancels
        program, ubg = t[1] - t[0], t[3] - t[2]
        print(f"{p:4} program {program:8.3f}  ubg {ubg:8.3f}  ubg / program {ubg / program:.2f}", flush=True)


if __name__ == "__main__":
    words = [x for x in sys.argv[1:] if not x.isdigit()] or ["layer", "memory"]
    if "memory" in words:  # first: memory that the steps below leave behind would not be counted
        bench_memory()
    if "programs" in words:
        bench_programs([int(x) for x in sys.argv[1:] if x.isdigit()] or [20, 50, 100])
    if "layer" in words:
        bench_layer([int(x) for x in sys.argv[1:] if x.isdigit()] or [20, 33, 100, 300])
