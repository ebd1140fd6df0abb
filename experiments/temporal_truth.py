#!/usr/bin/env python3
"""How well `spodnet temporal` finds effects and links that are known: the table of docs/temporal.md.

    experiments/temporal_truth.py build/bin/spodnet [TIMES]

People of 8 variables: each lasts with 0.3, eight effects on others of +-0.2, links on a ring with partial correlations of
0.3, means that differ between people, six beeps a day (the first of a day follows the night, without measurements).
Columns: share of the true effects (links) found; share of false ones among those found; both again of those in 90 % of 100
resamples; how often low..high holds the true effect of those that are not zero.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

P, LASTS, EFFECT, LINK, A_DAY = 8, 0.3, 0.2, 0.3, 6


def truth():
    B = LASTS * np.eye(P)
    Theta = np.eye(P)
    for i in range(P):
        B[i, (i + 3) % P] = EFFECT * (-1) ** i
        Theta[i, (i + 1) % P] = Theta[(i + 1) % P, i] = -LINK
    return B, Theta


def diary(path, persons, beeps, seed):
    rng = np.random.default_rng(seed)
    B, Theta = truth()
    L = np.linalg.cholesky(np.linalg.inv(Theta))
    with open(path, "w") as file:
        print("person,day,beep," + ",".join(f"v{j}" for j in range(P)), file=file)
        for k in range(persons):
            x, mean = np.zeros(P), rng.normal(0, 2, P)
            for t in range(beeps + 20):
                x = x @ B + L @ rng.normal(size=P)
                if t >= 20:
                    day, beep = divmod(t - 20, A_DAY)
                    print(f"{k},{day},{beep}," + ",".join(map(str, x + mean)), file=file)


def scores(found, true):
    """Recall and share of false ones, of all and of the sure ones; found: {place: (weight, share)}."""
    out = []
    for least in (0.0, 0.9):
        here = {place for place, (weight, share) in found.items() if share >= least}
        out += [len(here & true) / len(true), len(here - true) / max(len(here), 1)]
    return out


def one(command, persons, beeps, seed):
    B, Theta = truth()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "diary.csv")
        diary(table, persons, beeps, seed)
        subprocess.run([command, "temporal", str(table), "--person", "person", "--day", "day", "--beep", "beep", "--bootstrap", "100",
                        "-o", folder + "/out", "--quiet", "--threads", "1"], check=True)
        found = json.loads(Path(folder, "out", "temporal.json").read_text())
    place = {f"v{j}": j for j in range(P)}
    effects = {(place[e["from"]], place[e["to"]]): e for e in found["effects"]}
    links = {(place[e["source"]], place[e["target"]]): (e["partial_correlation"], e["share"]) for e in found["links"]}
    across = {k: (e["effect"], e["share"]) for k, e in effects.items() if k[0] != k[1]}
    true = {(i, j) for i, j in zip(*np.nonzero(B)) if i != j}
    held = [e["low"] <= B[k] <= e["high"] for k, e in effects.items() if B[k] != 0]
    return scores(across, true) + scores(links, {(i, j) for i, j in zip(*np.nonzero(Theta)) if i < j}) + [np.mean(held)]


def main():
    command, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print("| persons | beeps | effects found | false | sure: found | false | links found | false | sure: found | false | range holds "
          "the effect |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for persons, beeps in ((1, 120), (20, 30), (50, 30), (50, 60), (150, 60)):
        rows = [one(command, persons, beeps, seed) for seed in range(times)]
        print(f"| {persons} | {beeps} | " + " | ".join(f"{x:.2f}" for x in np.mean(rows, 0)) + " |", flush=True)


if __name__ == "__main__":
    main()
