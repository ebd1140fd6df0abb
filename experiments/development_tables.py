#!/usr/bin/env python3
"""Writes the tables that choices are made on (docs/lab/accuracy.md) into a folder.

    experiments/development_tables.py REAL FOLDER

REAL has big5.csv.gz, msq.csv.gz and sp500.csv.gz; wine, breast cancer, diabetes and digits come from scikit-learn. Beside whole tables and random choices of
their columns there are small ones (s_*): 5, 7 and 9 random columns and at most 400 random rows of each; medium and large ones (m_*, l_*): 14 to 240 random columns.
"""
import pathlib
import sys

import numpy as np
import pandas as pd
from sklearn import datasets


def write(folder, name, values):
    header = ",".join(f"v{j}" for j in range(values.shape[1]))
    np.savetxt(folder / f"{name}.csv", values, delimiter=",", header=header, comments="", fmt="%.10g")


def columns(values, count, random):
    return values[:, random.permutation(values.shape[1])[:count]]


def varying(values):
    """Columns of which no value is taken by more than nine rows in ten."""
    most = [np.unique(column, return_counts=True)[1].max() for column in values.T]
    return values[:, np.array(most) <= 0.9 * len(values)]


def main():
    real, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    wine, cancer = datasets.load_wine().data, datasets.load_breast_cancer().data
    diabetes, digits = datasets.load_diabetes(scaled=False).data, datasets.load_digits().data
    stocks = pd.read_csv(real / "sp500.csv.gz").to_numpy(float)
    answers = pd.read_csv(real / "big5.csv.gz").to_numpy(float)
    mood = pd.read_csv(real / "msq.csv.gz").to_numpy(float)
    mood = mood[:, np.isfinite(mood).mean(0) > 0.9]
    mood = mood[np.isfinite(mood).all(1)]
    whole = {"wine": wine, "cancer": cancer, "diabetes": diabetes, "digits": digits, "iris": datasets.load_iris().data}
    for name, values in whole.items():
        write(folder, name, values)
    for count in (12, 30, 100):
        write(folder, f"sp500_{count}", columns(stocks, count, random))
    for count in (10, 25, 60):
        write(folder, f"big5_{count}", columns(answers, count, random))
    write(folder, "mood", mood[:1200])
    write(folder, "mood_12", columns(mood, 12, random)[:1000])
    random = np.random.default_rng(7)
    small = {"cancer": cancer, "wine": wine, "digits": varying(digits), "diabetes": diabetes, "sp500": stocks, "big5": answers, "mood": mood}
    for name, values in small.items():
        for count in (5, 7, 9):
            rows = values[random.permutation(len(values))[:400]]
            write(folder, f"s_{name}_{count}", columns(rows, count, random))
    whole = {"big5": answers, "sp500": stocks, "mood": mood, "digits": varying(digits), "cancer": cancer}
    medium = {"big5": (16, 40, 80, 150), "sp500": (20, 50, 150), "mood": (20, 40), "digits": (15, 30), "cancer": (14, 20)}
    large = {"big5": (60, 100, 200, 240), "sp500": (60, 120, 200), "mood": (50, 67), "digits": (48,)}
    for letter, seed, counts, most in (("m", 99, medium, {"mood": 900}), ("l", 123, large, {"mood": 1500})):
        random = np.random.default_rng(seed)
        for name, numbers in counts.items():
            for count in numbers:
                chosen = columns(whole[name], count, random)
                if name in most:
                    chosen = chosen[random.permutation(len(chosen))[:most[name]]]
                write(folder, f"{letter}_{name}_{count}", chosen)


if __name__ == "__main__":
    main()
