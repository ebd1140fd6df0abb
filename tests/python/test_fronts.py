"""One front door: the command, spodnet.graph and SpodPrecision give the same numbers, bit for bit, for the same table and
options. (tests/cli/fronts_test.cpp has the library beside the command.)"""
import subprocess

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")
import spodnet  # noqa: E402
from spodnet.__main__ import command  # noqa: E402
from support import samples  # noqa: E402


def plain():
    X = samples(90, 6, seed=1)[0]
    return pd.DataFrame(X * [1, 20, 0.3, 1, 5, 1], columns=list("abcdef"))


def levels():
    X = plain()
    return X.assign(a=np.digitize(X["a"], [-1, 0, 1]), c=np.digitize(X["c"], [-0.1, 0.2]), f=(X["f"] > 0.3).astype(int))


def with_gaps():
    X = plain()
    X.loc[::7, "b"] = X.loc[3::9, "e"] = np.nan
    X.loc[11] = np.nan
    return X


def with_constants():
    return with_gaps().assign(b=4.0, d=np.nan)


def with_a_sum():
    X = plain()
    return X.assign(total=X["a"] + X["b"], again=3 - 2 * X["c"])


def counts():
    X = plain()
    return np.exp(X / X.std() + 1).round().assign(age=X["f"])


def weights():
    w = np.random.default_rng(5).integers(0, 4, 90).astype(float)
    w[::10] = 0.5
    return w


# table, words of Python, options of the command
TABLES = {
    "plain": (plain, {}, []),
    "levels": (levels, {"kind": "auto"}, ["--kind", "auto"]),
    "ordinal": (levels, {"kind": "ordinal"}, ["--kind", "ordinal"]),
    "ranks": (plain, {"kind": "ranks"}, ["--kind", "ranks"]),
    "missing": (with_gaps, {}, []),
    "missing, em": (with_gaps, {"missing": "em", "kind": "gaussian"}, ["--missing", "em", "--kind", "gaussian"]),
    "missing, drop": (with_gaps, {"missing": "drop"}, ["--missing", "drop"]),
    "constant": (with_constants, {}, []),
    "dependent": (with_a_sum, {}, []),
    "spearman": (plain, {"robust": "spearman"}, ["--robust", "spearman"]),
    "kendall": (with_gaps, {"robust": "kendall"}, ["--robust", "kendall"]),
    "weighted": (plain, {"weights": True}, ["--weights", "w"]),
    "weighted levels": (levels, {"weights": True, "kind": "auto"}, ["--weights", "w", "--kind", "auto"]),
    "composition": (counts, {"log_ratios": "clr:a,b,c,d,e"}, ["--transform", "clr:a-e"]),
}


def written(folder, frame, words, options):
    if words.get("weights"):
        frame = frame.assign(w=weights())
    options = [option.replace("clr:a-e", "clr:1-5") for option in options]
    frame.to_csv(folder / "t.csv", index=False)  # the shortest text that reads back the same
    return options


def read_back(path):
    return pd.read_csv(path, index_col=0, float_precision="round_trip")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("method", ["pretrained", "glasso-ebic"])
@pytest.mark.parametrize("name", TABLES)
def test_estimates(name, method, standardize, tmp_path):
    make, words, options = TABLES[name]
    frame, words = make(), dict(words)
    options = written(tmp_path, frame, words, options) + ([] if standardize else ["--no-standardize"])
    for out in ("precision", "covariance"):
        options += ["-o" if out == "precision" else "--covariance-out", str(tmp_path / f"{out}.csv")]
    subprocess.run([command(), "estimate", str(tmp_path / "t.csv"), "--method", method, *options], check=True,
                   capture_output=True)
    weight = weights() if words.pop("weights", False) else None
    fit = spodnet.SpodPrecision(method=method, standardize=standardize, **words).fit(frame, sample_weight=weight)
    for out in ("precision", "covariance"):
        theirs, mine = read_back(tmp_path / f"{out}.csv"), fit.to_frame(out)
        kept = [c for k, c in enumerate(frame.columns) if k not in fit.left_out_]
        assert list(theirs.columns) == kept
        assert np.array_equal(mine.loc[kept, kept].to_numpy(), theirs.to_numpy())
        assert not mine.drop(columns=kept).to_numpy().any()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["pretrained", "glasso-ebic", "auto"])
@pytest.mark.parametrize("name", TABLES)
def test_graphs(name, method, tmp_path):
    make, words, options = TABLES[name]
    frame, words = make(), dict(words)
    options = written(tmp_path, frame, words, options)
    subprocess.run([command(), "graph", str(tmp_path / "t.csv"), "--method", method, "--bootstrap", "4", "--seed", "3", "--no-cache",
                    "-o", str(tmp_path / "out"), *options], check=True, capture_output=True)
    if words.pop("weights", False):
        words["weights"] = weights()
    graph = spodnet.graph(frame, method=method, bootstrap=4, seed=3, cache=False, n_jobs=2, **words)
    theirs = read_back(tmp_path / "out" / "precision.csv")
    assert list(theirs.columns) == graph.names
    assert np.array_equal(graph.precision.to_numpy(), theirs.to_numpy())
    edges = pd.read_csv(tmp_path / "out" / "edges.csv", float_precision="round_trip")
    for column in ("theta", "partial_correlation", "share", "low", "high"):
        assert np.array_equal(edges[column].to_numpy(), graph.edges[column].to_numpy()), column
    if method != "auto":  # what is fitted is one thing
        assert np.array_equal(theirs.to_numpy() != 0, graph.partial_correlations.to_numpy() != 0)


def test_a_covariance(tmp_path):
    S = plain().cov()
    S.to_csv(tmp_path / "S.csv")
    subprocess.run([command(), "estimate", str(tmp_path / "S.csv"), "--input", "covariance", "--samples-count", "90", "--method",
                    "glasso-ebic", "-o", str(tmp_path / "out.csv")], check=True, capture_output=True)
    fit = spodnet.SpodPrecision(method="glasso-ebic", covariance="precomputed", n_samples=90).fit(S)
    assert np.array_equal(fit.precision_, read_back(tmp_path / "out.csv").to_numpy())
