#!/usr/bin/env python3
"""The edges that DeepGraph and the other methods find: AUC and F1, trained and tested on the same data.

    python bench/compare_deepgraph.py [P] [N]        in an environment with spodnet and torch; 15 variables, 100 samples
"""
import sys
import time

import torch

import spodnet
from spodnet.torch import compare_edges, train_deepgraph

torch.set_num_threads(1)
p, n = (int(x) for x in (sys.argv[1:] + ["15", "100"][len(sys.argv) - 1:])[:2])
setting = dict(alpha=0.9, count=500, seed=0)
started = time.process_time()
deepgraph = train_deepgraph(p, n, epochs=15, lr=2e-3, channels=16, **setting)
print(f"DeepGraph trained in {time.process_time() - started:.0f} s of processor time")
started = time.process_time()
ubg = spodnet.train("ubg", p=p, n=n, epochs=100, scaling="clip", n_jobs=1, **setting)
print(f"UBG trained in {time.process_time() - started:.0f} s of processor time")
test = spodnet.generate(p, n, alpha=0.9, count=100, seed=1000, samples=True)
methods = {"DeepGraph": deepgraph, "UBG": ubg}
methods.update({name: name for name in ("pretrained", "pretrained:target=f1", "glasso-cv", "glasso-ebic")})
table = compare_edges(methods, test["S"], test["Theta_true"], n, X=test["X"])
print(f"p = {p}, n = {n}, 100 test matrices")
print(table.to_string(float_format="%.3f"))
