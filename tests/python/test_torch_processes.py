"""Modules of the core in several processes: gradients summed over them, weights shared among them."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from layers import problem  # noqa: E402
from spodnet.torch import UBG  # noqa: E402

def add_one(net, S, queue):
    with torch.no_grad():
        queue.put(float(net(S)[0].sum()))
        for x in net.parameters():
            x.add_(1)
        queue.put(float(net(S)[0].sum()))


@pytest.mark.parametrize("way", ("fork", "spawn"))
@pytest.mark.parametrize("flat", (False, True))
def test_weights_shared_with_another_process(way, flat):
    """Given to a process of its own a module's weights are the same memory there, as those of any module."""
    S, _ = problem(2, 6)
    net = UBG(6, seed=0, flat=flat, threads=2).share_memory()
    before, weights = float(net(S)[0].detach().sum()), [x.detach().clone() for x in net.parameters()]
    context = torch.multiprocessing.get_context(way)
    queue = context.SimpleQueue()
    process = context.Process(target=add_one, args=(net, S, queue))
    process.start()
    assert queue.get() == before
    after = queue.get()
    process.join()
    assert process.exitcode == 0 and all(torch.equal(x, y + 1) for x, y in zip(net.parameters(), weights))
    assert float(net(S)[0].detach().sum()) == after


DDP = """
import sys, torch, torch.distributed as dist
import numpy as np
from torch.nn.parallel import DistributedDataParallel
import modules as m
from spodnet.torch import SpodLayer, UBG
from support import covariances

rank, size, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
if size > 1:
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=size)
S, T = map(torch.from_numpy, covariances(4, 5))

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = UBG(5, seed=0)
        self.second = SpodLayer(m.Gradient(5), m.Margin(), threshold=m.Entrywise(), scaling="clip")
    def forward(self, S):
        Theta, W = self.first(S)
        return self.second(Theta, W, S=S)[0]

torch.manual_seed(1)
net = Net()
model = DistributedDataParallel(net) if size > 1 else net
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
mine = slice(rank * 4 // size, (rank + 1) * 4 // size)
for _ in range(3):
    optimizer.zero_grad()
    (model(S[mine]) - T[mine]).square().sum((1, 2)).mean().backward()
    optimizer.step()
if rank == 0:
    np.save(store + ".npy", torch.cat([x.detach().reshape(-1) for x in net.parameters()]).numpy())
"""


def test_distributed_data_parallel(tmp_path):
    import torch.distributed as dist

    if not dist.is_available():
        pytest.skip("this torch has no torch.distributed")
    script = tmp_path / "ddp.py"
    script.write_text(DDP)
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = dict(os.environ, PYTHONPATH=path, OMP_NUM_THREADS="1")
    results = []
    for size in (1, 2):
        store = str(tmp_path / f"store{size}")
        run = [subprocess.Popen([sys.executable, str(script), str(rank), str(size), store], env=environment,
                                stderr=subprocess.PIPE, text=True) for rank in range(size)]
        for process in run:
            _, errors = process.communicate(timeout=600)
            assert process.returncode == 0, errors
        results.append(np.load(store + ".npy"))
    assert np.allclose(*results, rtol=1e-9, atol=1e-12)
