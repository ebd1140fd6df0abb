"""The tables of a folder: read, checked, filtered, averaged over seeds."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TEXT = {"method", "guaranteed", "scaling", "variant", "name", "source", "target", "detail",
        "claim", "place", "paper", "measured", "holds", "reason"}


class TableError(Exception):
    """A table that cannot be drawn: one line with the file, the place and the cause."""


@dataclass
class Table:
    """Columns of equal length: numbers (an empty field is NaN), or text for those in TEXT."""
    columns: dict

    def __getitem__(self, name):
        return self.columns[name]

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def where(self, **wanted):
        """The rows in which each named column has the given value."""
        keep = np.ones(len(self), dtype=bool)
        for name, value in wanted.items():
            keep &= self[name] == value
        return self.take(keep)

    def take(self, keep):
        return Table({name: column[keep] for name, column in self.columns.items()})

    def unique(self, *names):
        """The distinct values of a column, or tuples of several columns, in order of appearance."""
        values = self[names[0]] if len(names) == 1 else zip(*(self[name] for name in names))
        return list(dict.fromkeys(values))

    def rows(self):
        return [dict(zip(self.columns, row)) for row in zip(*self.columns.values())]


def read_table(path, columns):
    """The table in the CSV file `path`, which must have `columns`; None when there is no file."""
    path = Path(path)
    if not path.exists():
        return None
    with open(path, newline="", encoding="utf-8") as file:
        header, *lines = list(csv.reader(file)) or [[]]
    missing = [name for name in columns if name not in header]
    if missing:
        raise TableError(f"{path}: no column {missing[0]}; it has {', '.join(header)}")
    for number, line in enumerate(lines, start=2):
        if len(line) != len(header):
            raise TableError(f"{path}: line {number} has {len(line)} fields, not {len(header)}")
    return Table({name: _column(path, name, [line[j] for line in lines])
                  for j, name in enumerate(header)})


def _column(path, name, fields):
    if name in TEXT:
        return np.array(fields, dtype=object)
    numbers = np.empty(len(fields))
    for i, field in enumerate(fields):
        try:
            numbers[i] = float(field) if field else np.nan
        except ValueError:
            raise TableError(f"{path}: line {i + 2}, column {name}: {field!r} is not a number")
    return numbers


def read_json(path):
    """The object in a JSON file; an empty one when there is no file."""
    path = Path(path)
    if not path.exists():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TableError(f"{path}: not JSON: {error}")


@dataclass
class Spread:
    """Over seeds, at each x: the mean, the smallest and the largest value."""
    x: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def scaled(self, factor):
        return Spread(self.x, factor * self.mean, factor * self.low, factor * self.high)


def over_seeds(table, x, y, carry=False):
    """The spread of column y at each value of column x. A seed that stopped early counts with its
    last value from there on if `carry`; otherwise it is left out where it has no row."""
    xs = np.unique(table[x][~np.isnan(table[x])])
    seeds = [_values(table.where(seed=seed), x, y, xs, carry) for seed in table.unique("seed")]
    values = np.array(seeds, dtype=float).reshape(len(seeds), len(xs))
    some = ~np.isnan(values).all(axis=0) if len(seeds) else np.zeros(0, dtype=bool)
    xs, values = xs[some], values[:, some]
    return Spread(xs, np.nanmean(values, axis=0), np.nanmin(values, axis=0),
                  np.nanmax(values, axis=0))


def _values(table, x, y, xs, carry):
    """Column y of one seed's rows at each of xs, NaN where it has none."""
    known = dict(zip(table[x], table[y]))
    values, last = [], np.nan
    for position in xs:
        last = known.get(position, last if carry else np.nan)
        values.append(last)
    return values


def mean_and_range(values):
    """Mean, smallest and largest of the finite values; NaN when there is none."""
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return np.nan, np.nan, np.nan
    return values.mean(), values.min(), values.max()
