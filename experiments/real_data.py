#!/usr/bin/env python3
"""Held-out Gaussian log-likelihood of the pretrained model on real tables, against other methods.

    experiments/real_data.py [TABLE.csv ...] [--spodnet build/bin/spodnet] [--splits 20] [--seed 0] [--methods pretrained,glasso-cv]

Tables: data/wine.csv; breast cancer from scikit-learn (UCI, CC BY 4.0) and statecrime from statsmodels (public domain), where
these are installed; others by their path. Each split takes half of the rows at random, standardises by them, estimates from all of them or from the
first p, and scores (log det Theta - tr(S Theta)) / 2 per row of the other half. Prints a Markdown table.
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

import numpy as np


def read_table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return np.array([[float(cell) for cell in row] for row in rows[1:]])


def tables(paths):
    found = {"wine": read_table(pathlib.Path(__file__).parent.parent / "data" / "wine.csv")}
    try:
        from sklearn import datasets

        found["breast cancer"] = datasets.load_breast_cancer().data
    except ImportError:
        print("scikit-learn is not installed: breast cancer is left out")
    try:
        from statsmodels.datasets import statecrime

        found["statecrime"] = statecrime.load_pandas().data.to_numpy(float)
    except ImportError:
        print("statsmodels is not installed: statecrime is left out")
    found.update((pathlib.Path(path).stem, read_table(path)) for path in paths)
    return found


def estimate(options, method, X):
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder) / "x.npy", pathlib.Path(folder) / "theta.npy"
        np.save(source, np.ascontiguousarray(X))
        subprocess.run([options.spodnet, "estimate", str(source), "--input", "samples", "--method", method, "-o", str(out)],
                       check=True, stdout=subprocess.DEVNULL)
        return np.load(out)


def score(Theta, Y):
    return (np.linalg.slogdet(Theta)[1] - np.trace(Y.T @ Y @ Theta) / len(Y)) / 2


def splits(X, options, few):
    """Pairs (training rows, test rows), standardised by the training rows."""
    for k in range(options.splits):
        order = np.random.default_rng([options.seed, k]).permutation(len(X))
        half = len(X) // 2
        train, test = X[order[:half]], X[order[half:]]
        if few:
            train = train[:X.shape[1]]
        mean, sd = train.mean(0), train.std(0)
        if (sd > 0).all():
            yield (train - mean) / sd, (test - mean) / sd


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--spodnet", default="build/bin/spodnet")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default="pretrained,glasso-cv")
    options = parser.parse_args()
    methods = options.methods.split(",")
    print("| table | p | n | " + " | ".join(methods) + " |")
    print("|---|---|---|" + "---|" * len(methods))
    for name, X in tables(options.tables).items():
        for few in (False, True):
            scores = np.array([[score(estimate(options, m, train), test) for m in methods]
                               for train, test in splits(X, options, few)])
            n = X.shape[1] if few else len(X) // 2
            cells = [f"{mean:.3f} ± {sd:.3f}" for mean, sd in zip(scores.mean(0), scores.std(0))]
            print(f"| {name} | {X.shape[1]} | {n} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
