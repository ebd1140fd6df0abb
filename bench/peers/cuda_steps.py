"""Training steps of the PyTorch peers on a GPU, float64, all in one process.

    python3 cuda_steps.py SECONDS FOLDER CASE=PEER,PEER ...

FOLDER/CASE.safetensors is a problem file (problem.py). Each peer's gradients at its weights go to
FOLDER/CASE.PEER.safetensors; then it trains for SECONDS, at least three steps. A peer is a module of this folder;
with `+graph` behind it its step (forward, loss, backward, Adam) is recorded once as a CUDA graph and replayed. What
a graph cannot record, the Cholesky decomposition of the input, is then done once and not counted; Adam is `capturable`.
Prints one JSON object, case -> peer -> measures.
"""
import gc
import importlib
import json
import statistics
import sys
import time

import torch

from problem import read_safetensors, under, write_safetensors

LR = 1e-2
STEPS = 10  # losses that are compared


class Plain:
    """Steps as the peer does them."""

    def __init__(self, net, S, Theta_true):
        self.net, self.data = net, (S, Theta_true)

    def gradients(self):
        return self.net.loss_and_grads(*self.data)[1]

    def step(self):
        return self.net.train_step(*self.data)


class Graphed:
    """The same step as a CUDA graph."""

    def __init__(self, net, S, Theta_true):
        self.net = net
        net.given_inverse = torch.cholesky_inverse(torch.linalg.cholesky(S + net.eye))
        self.start = [x.detach().clone() for x in net.parameters()]
        self.optimizer = torch.optim.Adam(net.parameters(), lr=LR, foreach=True, capturable=True)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                self.optimizer.zero_grad(set_to_none=True)
                net.loss(S, Theta_true).backward()
                self.optimizer.step()
        torch.cuda.current_stream().wait_stream(side)
        self.optimizer.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = net.loss(S, Theta_true)
            self.loss.backward()
            self.optimizer.step()
        self.begin()

    def begin(self):
        """The first weights again, and no moments."""
        with torch.no_grad():
            for x, first in zip(self.net.parameters(), self.start):
                x.copy_(first)
                for moment in self.optimizer.state[x].values():
                    moment.zero_()

    def gradients(self):
        self.step()
        grads = {name: x.grad.clone() for name, x in self.net.named_parameters()}
        self.begin()
        return grads

    def step(self):
        self.graph.replay()
        return self.loss.item()


def measure(name, path, out, seconds):
    module, _, graph = name.partition("+")
    metadata, arrays = read_safetensors(path)
    S, Theta_true = (torch.as_tensor(arrays[k]).cuda() for k in ("S", "Theta_true"))
    net = importlib.import_module(module).build(metadata["model"], int(metadata["p"]), layers=int(metadata["layers"]))
    net.load_weights(under(arrays, "param."))
    net.optimizer.param_groups[0]["lr"] = LR
    torch.cuda.reset_peak_memory_stats()
    stepper = (Graphed if graph else Plain)(net, S, Theta_true)
    grads = stepper.gradients()
    write_safetensors(out, {"grad." + k: g.detach().cpu().numpy() for k, g in grads.items()}, {})
    wall, losses = [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(wall) < 3:
        start = time.perf_counter()
        losses.append(stepper.step())
        wall.append(time.perf_counter() - start)
    return {"wall_ms": 1e3 * min(wall), "median_ms": 1e3 * statistics.median(wall), "steps": len(wall),
            "losses": losses[:STEPS], "gpu_mb": torch.cuda.max_memory_allocated() / 2**20}


def main():
    seconds, folder = float(sys.argv[1]), sys.argv[2]
    torch.set_default_device("cuda")
    every = {"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "cases": {}}
    for text in sys.argv[3:]:
        case, _, peers = text.partition("=")
        results = every["cases"].setdefault(case, {})
        for name in peers.split(","):
            try:
                results[name] = measure(name, f"{folder}/{case}.safetensors", f"{folder}/{case}.{name}.safetensors", seconds)
            except torch.cuda.OutOfMemoryError:
                results[name] = {"failed": "not enough memory"}
            gc.collect()
            torch.cuda.empty_cache()
            print(case, name, results[name], file=sys.stderr, flush=True)
    print(json.dumps(every))


if __name__ == "__main__":
    main()
