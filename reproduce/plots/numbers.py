"""The numbers behind a picture, as tables of text for the report and the results page."""

from dataclasses import dataclass

import numpy as np

from . import style
from .tables import mean_and_range


@dataclass
class Numbers:
    title: str
    header: list
    rows: list  # of lists of strings, as long as the header
    best: list  # for each row, the column to stress, or None


def short(value):
    """Three significant digits, without an exponent where that is readable."""
    if not np.isfinite(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e3:
        return f"{value:.3g}"
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e5 else f"{value:.1e}"


def with_range(values):
    """“0.0754 ± 0.003”: the mean and half of the range, left out where it is below the digits."""
    mean, low, high = mean_and_range(values)
    half = (high - low) / 2
    return f"{short(mean)} ± {half:.1g}" if half > 5e-4 * abs(mean) else short(mean)


def by_setting(title, table, column, show=with_range, stressed=np.nanargmax):
    """A row for each p, n, alpha and a column for each method; `stressed` picks the method to
    stress from the means, None none."""
    names = style.in_order(table.unique("method"))
    rows, best = [], []
    for p, n, alpha in sorted(table.unique("p", "n", "alpha"), key=lambda s: (-s[2], s[0], s[1])):
        cells = [table.where(p=p, n=n, alpha=alpha, method=name)[column] for name in names]
        means = np.array([mean_and_range(cell)[0] for cell in cells])
        rows.append([style.setting_name(p, n, alpha), *map(show, cells)])
        best.append(1 + int(stressed(means)) if stressed and np.isfinite(means).any() else None)
    return Numbers(title, ["setting", *(style.method(name).label for name in names)], rows, best)
