#!/usr/bin/env python3
"""F1 of the edges behind tables of ordered levels, whose truth is known (docs/lab/levels.md).

    experiments/level_graphs.py [--spodnet build/bin/spodnet] [--tables 10] [--jobs 0] [--seed 0] [--methods METHOD,METHOD,...]

Each cell is a p, an n, a number of levels, even or skewed: of skewed columns the lowest of two levels has 90 % of the rows. Rows are Gaussian with sparse precision
matrices of either sign, 2 to 4 neighbours on average; columns are cut and given to `spodnet estimate --kind ordinal`. Prints a Markdown table of mean F1.
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

METHODS = ("pretrained:target=precision", "pretrained:target=f1", "glasso-ebic")
SKEWED = 1.2816  # of a standard normal variable 10 % lie above


def precision(p, random):
    """Random edges, partial correlations of 0.1 to 0.5 of either sign, made diagonally dominant where they are too many."""
    Theta = np.eye(p)
    for i, j in itertools.combinations(range(p), 2):
        if random.random() < random.uniform(2, 4) / (p - 1):
            Theta[i, j] = Theta[j, i] = random.choice((-1, 1)) * random.uniform(0.1, 0.5)
    least = np.linalg.eigvalsh(Theta)[0]
    return Theta + max(0, 0.1 - least) * np.eye(p)


def table(Theta, n, levels, skewed, random):
    X = random.standard_normal((n, len(Theta))) @ np.linalg.cholesky(np.linalg.inv(Theta)).T
    X /= np.sqrt(np.diag(np.linalg.inv(Theta)))
    for column in X.T:
        cuts = 1.8 * (2 * np.arange(1, levels) - levels) / max(levels - 1, 1) + 0.2 * random.standard_normal()
        column[:] = np.searchsorted(np.sort(cuts + skewed * SKEWED), column)
    return X


def f1(Theta, estimate):
    upper = np.triu_indices(len(Theta), 1)
    true, found = Theta[upper] != 0, estimate[upper] != 0
    return 2 * (true & found).sum() / max(1, true.sum() + found.sum())


def estimate(spodnet, method, X, Theta):
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder) / "x.csv", pathlib.Path(folder) / "theta.csv"
        np.savetxt(source, X, delimiter=",", header=",".join(f"v{j}" for j in range(X.shape[1])), comments="", fmt="%d")
        words = [spodnet, "estimate", source, "--kind", "ordinal", "--method", method, "--threads", "1", "-o", out]
        answer = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if answer.returncode:
            return np.nan, answer.stderr.strip()
        head, *rows = [line.split(",") for line in out.read_text().splitlines()]
        names = [name for name in head if name]
        matrix = np.array([row[-len(names):] for row in rows], dtype=float)
    whole = np.eye(len(Theta))  # columns that are constant are left out: no edges
    places = [int(name[1:]) for name in names]
    whole[np.ix_(places, places)] = matrix
    return f1(Theta, whole), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spodnet", default="build/bin/spodnet")
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by semicolons")
    options = parser.parse_args()
    methods = options.methods.split(";")
    cells = list(itertools.product((10, 25, 60), (100, 300, 1000), (2, 3, 5, 7), (False, True)))

    def one(task):
        cell, k = task
        p, n, levels, skewed = cells[cell]
        random = np.random.default_rng([options.seed, cell, k])
        Theta = precision(p, random)
        X = table(Theta, n, levels, skewed, random)
        return [estimate(options.spodnet, method, X, Theta)[0] for method in methods]

    tasks = list(itertools.product(range(len(cells)), range(options.tables)))
    with ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        scores = np.array(list(pool.map(one, tasks))).reshape(len(cells), options.tables, len(methods))
    print("| p | n | levels | | " + " | ".join(methods) + " |\n|---|---|---|---|" + "---|" * len(methods))
    means = np.nanmean(scores, axis=1)
    for (p, n, levels, skewed), row in zip(cells, means):
        print(f"| {p} | {n} | {levels} | {'skewed' if skewed else 'even'} | " + " | ".join(f"{x:.3f}" for x in row) + " |")
    for k, method in enumerate(methods[:-1]):
        print(f"{method}: at least {methods[-1]} in {(means[:, k] >= means[:, -1]).sum()} of {len(cells)} cells; mean {np.nanmean(means[:, k]):.3f}, "
              f"{np.nanmean(means[:, -1]):.3f}; {np.isnan(scores[:, :, k]).sum()} not estimated")


if __name__ == "__main__":
    main()
