"""difference: do the graphs of two or more groups of rows differ?"""
from __future__ import annotations

import csv
import io
import json
import warnings
from typing import Callable

import numpy as np

from . import _core
from .counts import threads_of, whole
from .graphs import DataWarning, _frame, _square, _words
from .progress import WorkBar
from .tables import table_of, without_columns


class Difference:
    """The answer of `difference`."""

    def __init__(self, found: dict):
        self.summary: dict = json.loads(found["json"])  # as difference.json of the command line
        self.groups: list[str] = [group["name"] for group in self.summary["groups"]]
        self.partial_correlations = {name: _square(np.array(A), found["names"])
                                     for name, A in zip(self.groups, found["partial"])}
        self.warnings: list[str] = list(found["warnings"])
        self._csv: str = found["csv"]

    @property
    def pairs(self):
        """One row a pair of variables, as differences.csv of the command line."""
        rows = list(csv.reader(io.StringIO(self._csv)))
        columns = {name: [row[k] for row in rows[1:]] for k, name in enumerate(rows[0])}
        return _frame({name: x if k < 2 else np.array(x, dtype=np.float64) for k, (name, x) in enumerate(columns.items())})

    @property
    def verdicts(self) -> list[str]:
        """What was found, in words: a sentence or two for every two groups."""
        return [test["verdict"] for test in self.summary["tests"]]

    def __repr__(self) -> str:
        return f"Difference({', '.join(self.groups)}: {' '.join(self.verdicts)})"


def difference(data, group, *, paired=None, method: str = "glasso-ebic", permutations: int = 1000,
               missing: str = "pairwise", kind: str = "auto", robust: str | None = None, log_ratios: str | None = None,
               weights=None, seed: int = 0, n_jobs: int | None = -1, progress: bool = False,
               callback: Callable[[str, float], object] | None = None) -> Difference:
    """Whether the graphs of groups of rows differ, by permutation tests, as `spodnet difference` finds it.

    Args:
        data: Frame, array, tensor or file, the rows of all groups.
        group: The group of each row: a column's name (of a frame), or a label for each row.
        paired: Whose row it is, in the same way, where the groups are the same people: each person's rows are
            exchanged, not those of different people.
        method: Needs the covariance alone.
        permutations: Times that rows are dealt to groups.
    """
    facts = {}
    for name, given in (("group", group), ("person", paired)):
        if isinstance(given, str):
            data, given = without_columns(data, given)
        if given is not None:
            labels, numbers = np.unique(np.asarray(given), return_inverse=True)
            facts[name] = numbers.ravel().tolist()
            if name == "group":
                groups = [str(label) for label in labels]
    values, names, _ = table_of(data)
    for name, numbers in facts.items():
        if len(numbers) != len(values):
            raise ValueError(f"{name}: {len(numbers)} labels for {len(values)} rows")
    words = {**_words(missing, kind, robust, log_ratios, weights), **facts}
    with WorkBar(progress, callback) as watch:
        found = _core.difference(values, names, words, groups, str(method), whole(permutations, "permutations", 19),
                                 whole(seed, "seed"), threads_of(n_jobs), watch)
    answer = Difference(found)
    for text in answer.warnings:
        warnings.warn(text, DataWarning, stacklevel=2)
    return answer
