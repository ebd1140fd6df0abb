"""graph and compare: a table to a graph with its certificate, and all methods side by side."""
from __future__ import annotations

import html
import json
import os
import tempfile
import warnings
from pathlib import Path
from typing import Callable, Sequence

import numpy as np

from . import _core
from .counts import number, one_of, threads_of, truth, whole
from .progress import WorkBar
from .rules import pairs_of, signs_of
from .tables import table_of


class DataWarning(UserWarning):
    """What to be careful about in data or a result."""


class Graph:
    """The answer of `graph`: variables, edges, matrices and what to be careful about."""

    def __init__(self, core: "_core.CoreGraph"):
        self._core = core
        self.names: list[str] = list(core.names)
        self.method: str = core.method

    @property
    def edges(self):
        """One row an edge, the strongest first: source, target, theta, partial_correlation, and with a bootstrap
        share, sign_agreement, low, high, stable. A pandas frame (a dict of arrays without pandas)."""
        columns = dict(self._core.edges)
        names = np.array(self.names, dtype=object)
        i, j = columns.pop("i").astype(int), columns.pop("j").astype(int)
        if "stable" in columns:
            columns["stable"] = columns["stable"].astype(bool)
        return _frame({"source": names[i], "target": names[j], **columns})

    @property
    def precision(self):
        """Theta, in the data's units; a frame with the variables' names."""
        return _square(self._core.Theta, self.names)

    @property
    def covariance(self):
        """The inverse of `precision`."""
        return _square(self._core.W, self.names)

    @property
    def partial_correlations(self):
        """-Theta_ij / sqrt(Theta_ii Theta_jj), 0 where there is no edge."""
        return _square(self._core.partial, self.names)

    @property
    def communities(self) -> dict[str, int]:
        """The community of each variable, 1 the largest."""
        return {name: k + 1 for name, k in zip(self.names, self._core.community)}

    @property
    def summary(self) -> dict:
        """As summary.json of the command line."""
        return json.loads(self._core.summary())

    @property
    def warnings(self) -> list[str]:
        """What to be careful about."""
        return [text for kind, text in self._core.notes if kind == "warning"]

    @property
    def notes(self) -> list[str]:
        """What was done to the data, and why this method was taken."""
        return [text for kind, text in self._core.notes if kind != "warning"]

    def to_networkx(self):
        """A networkx.Graph; weight is the size of the partial correlation."""
        import networkx as nx

        out = nx.Graph()
        for name, community in self.communities.items():
            out.add_node(name, community=community)
        for edge in self._records():
            out.add_edge(edge.pop("source"), edge.pop("target"), weight=abs(edge["partial_correlation"]), **edge)
        return out

    def to_igraph(self):
        """The same as an igraph.Graph."""
        import igraph

        out = igraph.Graph()
        out.add_vertices(self.names, {"community": list(self.communities.values())})
        place = {name: k for k, name in enumerate(self.names)}
        records = self._records()
        out.add_edges([(place[e["source"]], place[e["target"]]) for e in records])
        for key in (records[0] if records else ()):
            if key not in ("source", "target"):
                out.es[key] = [e[key] for e in records]
        out.es["weight"] = [abs(e["partial_correlation"]) for e in records]
        return out

    def _records(self) -> list[dict]:
        edges = self.edges
        columns = {name: list(edges[name]) for name in edges}
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def report(self, path) -> None:
        """Writes the page: one HTML file that needs nothing else."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._core.html())

    def save(self, folder) -> list[str]:
        """Writes all files of `spodnet graph -o FOLDER`."""
        return list(self._core.write(os.fspath(folder)))

    def __getstate__(self):
        return StoredGraph(self._core)

    def __setstate__(self, stored):
        self.__init__(stored)

    def _repr_html_(self) -> str:
        page = html.escape(self._core.html(), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="720" style="border:1px solid #ccc"></iframe>'

    def __repr__(self) -> str:
        count = len(self._core.edges["i"])
        return f"Graph({len(self.names)} variables, {count} edges, method={self.method!r})"


class StoredGraph:
    """All that a Graph reads of the core, as arrays and text: what is pickled of it."""

    def __init__(self, core):
        self.names, self.method, self.notes = list(core.names), core.method, list(core.notes)
        self.Theta, self.W, self.partial = (np.array(A) for A in (core.Theta, core.W, core.partial))
        self.community, self.edges = list(core.community), {name: np.array(x) for name, x in core.edges.items()}
        self._summary, self._html = core.summary(), core.html()
        with tempfile.TemporaryDirectory() as folder:
            self._files = {os.path.relpath(path, folder): Path(path).read_bytes() for path in core.write(folder)}

    def summary(self) -> str:
        return self._summary

    def html(self) -> str:
        return self._html

    def write(self, folder) -> list[str]:
        for name, content in self._files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return [os.path.join(folder, name) for name in self._files]


def graph(data, *, method: str = "auto", bootstrap: int = 0, stable: float | None = None, standardize: bool = True,
          missing: str = "pairwise", kind: str = "auto", robust: str | None = None, log_ratios: str | None = None,
          weights=None, covariance: bool = False, n_samples: float | None = None, forbid=None, sign=None, seed: int = 0, cache: bool = True, n_jobs: int | None = -1, progress: bool = False,
          callback: Callable[[str, float], object] | None = None) -> Graph:
    """The graph of partial correlations behind a table, as the command `spodnet graph` gives it.

    Args:
        data: Frame, array, tensor or file; samples in rows, or a covariance (covariance=True, n_samples=).
        method: auto (compares the common ones), tailored (trains a model to the shape of the table, once), pretrained,
            glasso-ebic, ..., or a model file.
        bootstrap: Resamples.
        stable: Largest expected share of false edges among those called stable.
        standardize: Estimate from correlations, so that units do not matter.
        missing: pairwise, em or drop (rows).
        kind: What columns are taken for: auto (few different values: ordered levels; heavy tails: ranks), gaussian, ordinal or ranks.
        robust: Correlations from ranks, "spearman" or "kendall".
        log_ratios: "clr" or "clr:COLUMNS": parts of a whole become centred log-ratios.
        weights: How many times each row counts, a number a row.
        forbid: Pairs without an edge, as SpodPrecision's.
        sign: Signs of partial correlations, as SpodPrecision's.
        cache: Keep a trained model for tables of the same shape.
        n_jobs: Threads; the result does not depend on it.
        progress: A bar (needs tqdm).
        callback: callback(what, fraction); False stops.
    """
    values, names, title = table_of(data)
    if covariance and not n_samples:
        raise ValueError("covariance=True: how many samples are behind it? give n_samples=")
    if stable is not None and not bootstrap:
        raise ValueError("stable goes by the bootstrap: give bootstrap=200")
    words = _words(missing, kind, robust, log_ratios, weights)
    if covariance:
        words = {"n": number(n_samples, "n_samples", above=0)}
    with WorkBar(progress, callback) as watch:
        core = _core.graph(values, names, words, str(method), truth(standardize, "standardize"),
                           whole(bootstrap, "bootstrap"), stable, whole(seed, "seed"),
                           pairs_of(forbid, names, values.shape[1]), signs_of(sign, names, values.shape[1]), cache,
                           threads_of(n_jobs), title, watch)
    answer = Graph(core)
    for text in answer.warnings:
        warnings.warn(text, DataWarning, stacklevel=2)
    if core.status not in ("ok", "replaced"):  # replaced: among the warnings
        warnings.warn(core.message, RuntimeWarning, stacklevel=2)
    return answer


def compare(data, *, methods: Sequence[str] = (), only: bool = False, folds: int = 5, standardize: bool = True,
            missing: str = "pairwise", kind: str = "auto", robust: str | None = None, log_ratios: str | None = None,
            seed: int = 0, cache: bool = True, n_jobs: int | None = -1, progress: bool = False,
            callback: Callable[[str, float], object] | None = None):
    """All methods on the same rows and folds, best held-out likelihood first: one row a method, as `spodnet compare`.

    Args:
        methods: Beside the common ones, or with only=True instead of them.
        folds: Parts of the rows, held out in turn.
    """
    values, names, _ = table_of(data)
    with WorkBar(progress, callback) as watch:
        rows = _core.compare(values, names, list(methods), only, whole(folds, "folds", 2),
                             truth(standardize, "standardize"), _words(missing, kind, robust, log_ratios),
                             whole(seed, "seed"), cache, threads_of(n_jobs), watch)
    keys = ("method", "held_out", "sd", "behind", "behind_sd", "edges", "condition", "seconds", "done", "note")
    return _frame({key: [row[key] for row in rows] for key in keys})


def _words(missing, kind, robust, log_ratios, weights=None) -> dict:
    """How the core makes a table ready."""
    words = {"missing": one_of(missing, "missing", ("pairwise", "em", "drop")),
             "kind": one_of(kind, "kind", ("auto", "gaussian", "ordinal", "ranks")), "transform": log_ratios or ""}
    if robust is not None:
        words["robust"] = one_of(robust, "robust", ("spearman", "kendall"))
    if weights is not None:
        words["weights"] = np.ascontiguousarray(weights, dtype=np.float64)
    return words


def _frame(columns: dict):
    try:
        import pandas as pd
    except ImportError:
        return {name: np.asarray(x) for name, x in columns.items()}
    return pd.DataFrame(columns)


def _square(values: np.ndarray, names: list[str]):
    try:
        import pandas as pd
    except ImportError:
        return values
    return pd.DataFrame(values, index=names, columns=names)
