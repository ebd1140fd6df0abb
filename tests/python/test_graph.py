"""graph and compare: the command line's answer in frames."""
import copy
import json
import pickle
import subprocess
import warnings

import numpy as np
import pytest

import spodnet
from spodnet.__main__ import command
from spodnet.graphs import DataWarning
from support import samples

pd = pytest.importorskip("pandas")
NAMES = [f"v{k}" for k in range(8)]


@pytest.fixture(scope="module")
def frame():
    X, _ = samples(400, 8, seed=3, density=0.5)
    return pd.DataFrame(X, columns=NAMES)


@pytest.fixture(scope="module")
def answer(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return spodnet.graph(frame, method="glasso-ebic", bootstrap=20, cache=False, n_jobs=1)


def test_the_command_line_gives_the_same_graph(frame, answer, tmp_path):
    frame.to_csv(tmp_path / "table.csv", index=False)
    subprocess.run([command(), "graph", str(tmp_path / "table.csv"), "-o", str(tmp_path / "out"), "--method", "glasso-ebic",
                    "--bootstrap", "20"], check=True, capture_output=True)
    assert np.array_equal(np.load(tmp_path / "out" / "precision.npy"), answer.precision.to_numpy())
    theirs = pd.read_csv(tmp_path / "out" / "edges.csv")
    assert len(theirs) == len(answer.edges)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["edges"] == answer.summary["edges"] == len(answer.edges) > 3
    again = spodnet.graph(tmp_path / "table.csv", method="glasso-ebic", cache=False)
    assert np.array_equal(again.precision.to_numpy(), answer.precision.to_numpy())


def test_frames_and_exports(answer, tmp_path):
    edges, Theta = answer.edges, answer.precision
    assert list(Theta.columns) == NAMES == answer.names
    strength = edges["partial_correlation"].abs().to_numpy()
    assert (np.diff(strength) <= 0).all() and {"share", "low", "high", "stable"} <= set(edges.columns)
    assert len(edges) == np.count_nonzero(np.triu(Theta.to_numpy(), 1))
    for _, e in edges.iterrows():
        assert Theta.loc[e["source"], e["target"]] == e["theta"]
        assert answer.partial_correlations.loc[e["source"], e["target"]] == e["partial_correlation"]
    assert np.allclose(Theta.to_numpy() @ answer.covariance.to_numpy(), np.eye(8), atol=1e-8)
    assert set(answer.communities) == set(NAMES) and min(answer.communities.values()) == 1
    network = pytest.importorskip("networkx") and answer.to_networkx()
    assert set(network.nodes) == set(NAMES) and network.number_of_edges() == len(edges)
    assert answer.to_igraph().ecount() == len(edges) if pytest.importorskip("igraph") else True
    answer.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html") and "v3" in page
    assert answer._repr_html_().startswith("<iframe") and "v3" in answer._repr_html_()
    assert any(path.endswith("graph.graphml") for path in answer.save(tmp_path / "files"))
    assert "edges" in repr(answer)


def test_other_tables(frame):
    polars = pytest.importorskip("polars")
    options = dict(method="glasso-ebic", cache=False, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        first = spodnet.graph(frame, **options)
        assert np.array_equal(spodnet.graph(polars.from_pandas(frame), **options).precision, first.precision)
        plain = spodnet.graph(frame.to_numpy(), **options)
        assert np.array_equal(plain.precision.to_numpy(), first.precision.to_numpy()) and plain.names[0] == "x1"
        S = np.cov(frame.to_numpy().T, bias=True)
        given = spodnet.graph(S, covariance=True, n_samples=400, **options)
        assert np.allclose(given.precision.to_numpy(), first.precision.to_numpy(), rtol=1e-4, atol=1e-6)
        gaps = frame.copy()
        gaps.iloc[::10, 2] = np.nan
        assert len(spodnet.graph(gaps, missing="em", **options).names) == 8
        held = spodnet.graph(frame, forbid=[("v0", "v1")], sign="positive", **options)
        assert held.precision.loc["v0", "v1"] == 0 and (held.edges["partial_correlation"] >= 0).all()
    text = frame.assign(kind="a", flat=1.0)
    with pytest.warns(UserWarning, match="kind"):
        wider = spodnet.graph(text, **options)
    assert wider.names == NAMES and any("flat" in note for note in wider.warnings)


@pytest.mark.filterwarnings("ignore::spodnet.graphs.DataWarning")
def test_columns_of_all_kinds(frame):
    polars = pytest.importorskip("polars")
    options = dict(method="glasso-ebic", cache=False, n_jobs=1)
    first = spodnet.graph(frame, **options)
    days, times = pd.date_range("2026", periods=len(frame)), pd.timedelta_range("1s", periods=len(frame))
    for other in (days, times, frame["v0"] * 1j, pd.Categorical(["x"] * len(frame)), polars.Series(days), polars.Series(times)):
        wide = polars.from_pandas(frame).with_columns(x=other) if isinstance(other, polars.Series) else frame.assign(x=other)
        with pytest.warns(UserWarning, match="not numbers are left out: 'x'") as seen:
            graph = spodnet.graph(wide, **options)
        assert np.array_equal(graph.precision, first.precision) and seen[0].filename == __file__
    twice = frame.set_axis([*NAMES[:2], *NAMES[:6]], axis=1)
    assert spodnet.graph(twice, **options).names[:4] == ["v0", "v1", "v0 (2)", "v1 (2)"]
    holes = frame.to_numpy()[:, :4].copy()
    masked = np.ma.masked_greater(holes, 1.5)
    holes[holes > 1.5] = np.nan
    assert np.array_equal(spodnet.graph(masked, **options).precision, spodnet.graph(holes, **options).precision)
    assert np.array_equal(spodnet.SpodPrecision().fit(masked).precision_, spodnet.SpodPrecision().fit(holes).precision_)


def test_a_graph_is_pickled(answer, tmp_path):
    for again in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
        assert again.edges.equals(answer.edges) and again.precision.equals(answer.precision)
        assert again.communities == answer.communities and again.summary == answer.summary and again.notes == answer.notes
        assert again._repr_html_() == answer._repr_html_() and repr(again) == repr(answer)
        names = [[path.removeprefix(str(folder)) for path in graph.save(folder)]
                 for graph, folder in ((answer, tmp_path / "a"), (again, tmp_path / "b"))]
        assert names[0] == names[1]
        assert all((tmp_path / f"a{x}").read_bytes() == (tmp_path / f"b{x}").read_bytes() for x in names[0])
        assert pickle.loads(pickle.dumps(again)).edges.equals(answer.edges)


def test_comparison(frame):
    table = spodnet.compare(frame, methods=["glasso-ebic", "oas", "pretrained"], only=True, cache=False, n_jobs=1)
    assert list(table["held_out"]) == sorted(table["held_out"], reverse=True)
    assert set(table["method"]) == {"glasso-ebic", "oas", "pretrained"} and table["done"].all()


def test_errors_and_stopping(frame):
    for call, words in ((lambda: spodnet.graph(np.zeros(3)), "dimensions"),
                        (lambda: spodnet.graph(np.eye(3), covariance=True), "n_samples"),
                        (lambda: spodnet.graph(frame, stable=0.1), "bootstrap"),
                        (lambda: spodnet.graph(frame, method="nothing"), "nothing"),
                        (lambda: spodnet.graph(frame, forbid=[("v0", "x")]), "no such column"),
                        (lambda: spodnet.graph(pd.DataFrame({"a": ["x"]})), "no column of numbers"),
                        (lambda: spodnet.graph(frame, forbid=[("v0",)]), "pairs"),
                        (lambda: spodnet.graph(frame, forbid=[(0, 8)]), "column 8"),
                        (lambda: spodnet.graph(frame, sign=[(-1, 0, 1)]), "column -1"),
                        (lambda: spodnet.graph(frame, bootstrap=-3), "bootstrap=-3"),
                        (lambda: spodnet.graph(frame, bootstrap=2.5), "whole number"),
                        (lambda: spodnet.graph(frame, seed=-1), "seed"),
                        (lambda: spodnet.compare(frame, folds=1), "folds"),
                        (lambda: spodnet.graph(None), "NoneType"),
                        (lambda: spodnet.graph(frame.to_numpy() * 1j), "complex"),
                        (lambda: spodnet.graph("nowhere.csv"), "nowhere.csv")):
        with pytest.raises(ValueError, match=words), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()

    def fails(what, fraction):
        raise KeyError("mine")

    X, _ = samples(200, 40, seed=1)
    with pytest.raises(KeyError, match="mine"):
        spodnet.graph(X, method="glasso-cv", bootstrap=5000, cache=False, callback=fails)
    with pytest.raises(ValueError, match="stopped"):
        spodnet.graph(X, method="glasso-cv", bootstrap=5000, cache=False, callback=lambda *_: False)
