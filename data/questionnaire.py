#!/usr/bin/env python3
"""Makes data/questionnaire.csv, a synthetic questionnaire whose true graph is known.

15 statements about three moods (low spirits, worry, rest), answered by 300 people who do not exist,
from 1 (not at all) to 5 (very much). Behind the answers stands a Gaussian graphical model: the
statements of a mood form a chain with one more link, and three links join the moods. Each answer is
the number of thresholds that the Gaussian value passes. Needs nothing but Python; the same numbers
every time.

    data/questionnaire.py > data/questionnaire.csv
    data/questionnaire.py --graph      the true links, as source,target,partial_correlation
"""

import math
import random
import sys

MOODS = {"low": ["sad", "tired", "empty", "slow", "tearful"],
         "worry": ["nervous", "tense", "afraid", "restless", "irritable"],
         "rest": ["sleep", "appetite", "energy", "focus", "calm"]}
NAMES = [f"{mood}_{word}" for mood, words in MOODS.items() for word in words]
BRIDGES = [("low_tired", "rest_sleep", 0.25), ("worry_tense", "rest_sleep", 0.20),
           ("low_sad", "worry_afraid", 0.20)]
THRESHOLDS = [-0.8, -0.1, 0.6, 1.3]  # more people answer low than high
PEOPLE = 300


def links():
    """Pairs with the entry -theta_ij of a precision matrix whose diagonal is 1."""
    out = []
    for mood, words in MOODS.items():
        names = [f"{mood}_{word}" for word in words]
        out += [(a, b, 0.30) for a, b in zip(names, names[1:])]
        out.append((names[0], names[3], 0.20))
    return out + BRIDGES


def precision():
    p = len(NAMES)
    theta = [[float(i == j) for j in range(p)] for i in range(p)]
    for a, b, weight in links():
        i, j = NAMES.index(a), NAMES.index(b)
        theta[i][j] = theta[j][i] = -weight
    return theta


def cholesky(a):
    """The lower L with L L' = a."""
    p = len(a)
    lower = [[0.0] * p for _ in range(p)]
    for i in range(p):
        for j in range(i + 1):
            rest = a[i][j] - sum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i][j] = math.sqrt(rest) if i == j else rest / lower[j][j]
    return lower


def person(lower, draw):
    """A Gaussian vector with covariance (L L')^-1: the solution x of L' x = z."""
    p = len(lower)
    x = [0.0] * p
    for i in reversed(range(p)):
        rest = draw.gauss(0, 1) - sum(lower[k][i] * x[k] for k in range(i + 1, p))
        x[i] = rest / lower[i][i]
    return x


def main():
    if sys.argv[1:] == ["--graph"]:
        print("source,target,partial_correlation")
        for a, b, weight in links():
            print(f"{a},{b},{weight}")
        return
    draw = random.Random(20)
    lower = cholesky(precision())
    print(",".join(NAMES))
    for _ in range(PEOPLE):
        answers = [1 + sum(value > t for t in THRESHOLDS) for value in person(lower, draw)]
        print(",".join("" if draw.random() < 0.01 else str(answer) for answer in answers))


if __name__ == "__main__":
    main()
