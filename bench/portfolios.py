#!/usr/bin/env python3
"""Portfolios of least variance, rolling and out of sample: one table for docs/portfolios.md.

    bench/portfolios.py skfolio                    # skfolio's own 20 stocks, 1990 to 2022
    bench/portfolios.py returns.csv.gz             # a table of daily returns, one column a stock
        [--stocks N] [--days N] [--train DAYS] [--hold DAYS] [--seed S] [--methods a,b]

--days: the last ones alone. Every --hold days the covariance of the last --train days gives the weights W^-1 1 / (1' W^-1 1), which are held, drifting
with the prices, until the next time. No short sales, costs or limits are modelled: what differs is the covariance alone.
Columns: volatility a year in percent; its difference to Ledoit-Wolf with a standard error (blocks of the holding period,
1000 resamples); turnover, half of the sum of |changes of the weights| at a rebalancing; the sum of |weights|; share of
the pairs that are edges; seconds a fit.
"""
import argparse
import time
import warnings

import numpy as np
import sklearn.covariance

import spodnet


def ours(method):
    return lambda X: spodnet.SpodPrecision(method=method).fit(X).get_precision()


def lasso(X):
    """On standardised returns: scikit-learn's grid does not suit variances of 1e-4."""
    scale = X.std(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = sklearn.covariance.GraphicalLassoCV().fit((X - X.mean(0)) / scale)
    return fit.get_precision() / np.outer(scale, scale)


METHODS = {
    "equal weights": None,
    "Ledoit-Wolf (scikit-learn)": lambda X: sklearn.covariance.LedoitWolf().fit(X).get_precision(),
    "GraphicalLassoCV (scikit-learn)": lasso,
    "nonlinear shrinkage (spodnet)": ours("nonlinear-shrinkage"),
    "glasso-cv (spodnet)": ours("glasso-cv"),
    "pretrained (spodnet)": ours("pretrained"),
}


def load(what, stocks, seed):
    if what == "skfolio":
        from skfolio.datasets import load_sp500_dataset
        from skfolio.preprocessing import prices_to_returns

        X = prices_to_returns(load_sp500_dataset()).to_numpy()
    else:
        import pandas as pd

        X = np.expm1(pd.read_csv(what).apply(pd.to_numeric, errors="coerce").dropna().to_numpy())
    if stocks and stocks < X.shape[1]:
        X = X[:, np.sort(np.random.default_rng(seed).choice(X.shape[1], stocks, replace=False))]
    return X


def rolled(X, precision_of, train, hold):
    """Daily returns out of sample, turnover, gross weights, edges and seconds of every rebalancing."""
    p = X.shape[1]
    daily, turnover, gross, edges, seconds, held = [], [], [], [], [], None
    for start in range(train, X.shape[0] - hold + 1, hold):
        began = time.perf_counter()
        w = np.ones(p)
        if precision_of is not None:
            Theta = precision_of(X[start - train:start])
            w = Theta.sum(1)
            edges.append((Theta[np.triu_indices(p, 1)] != 0).mean())
        seconds.append(time.perf_counter() - began)
        w = w / w.sum()
        if held is not None:
            turnover.append(np.abs(w - held).sum() / 2)
        gross.append(np.abs(w).sum())
        for x in X[start:start + hold]:
            daily.append(x @ w)
            w = w * (1 + x) / (1 + daily[-1])
        held = w
    return np.array(daily), np.mean(turnover), np.mean(gross), np.mean(edges) if edges else np.nan, np.mean(seconds)


def volatility(daily):
    return 100 * np.sqrt(252) * daily.std()


def standard_error(one, other, hold, seed):
    blocks = np.arange(len(one)).reshape(-1, hold)
    rng = np.random.default_rng(seed)
    drawn = [blocks[rng.integers(0, len(blocks), len(blocks))].ravel() for _ in range(1000)]
    return np.std([volatility(one[d]) - volatility(other[d]) for d in drawn])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--stocks", type=int, default=0)
    parser.add_argument("--days", type=int, default=0)
    parser.add_argument("--train", type=int, default=252)
    parser.add_argument("--hold", type=int, default=21)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default="")
    options = parser.parse_args()
    X = load(options.data, options.stocks, options.seed)[-options.days:]
    wanted = [m for m in METHODS if not options.methods or any(word in m for word in options.methods.split(","))]
    wanted = ["Ledoit-Wolf (scikit-learn)"] + [m for m in wanted if not m.startswith("Ledoit")]
    print(f"{X.shape[1]} stocks, {X.shape[0]} days, {options.train} days to learn from, held for {options.hold}\n\n"
          "| method | volatility, % a year | beside Ledoit-Wolf | turnover | sum of weights' sizes | edges | s a fit |\n"
          "|---|---|---|---|---|---|---|", flush=True)
    reference = None
    for name in wanted:
        daily, turnover, gross, edges, seconds = rolled(X, METHODS[name], options.train, options.hold)
        reference = daily if reference is None else reference
        error = standard_error(daily, reference, options.hold, options.seed)
        behind = "" if name == wanted[0] else f"{volatility(daily) - volatility(reference):+.2f} ± {error:.2f}"
        print(f"| {name} | {volatility(daily):.2f} | {behind} | {turnover:.2f} | {gross:.1f} | "
              f"{'' if np.isnan(edges) else f'{100 * edges:.0f} %'} | {seconds:.3f} |", flush=True)


if __name__ == "__main__":
    main()
