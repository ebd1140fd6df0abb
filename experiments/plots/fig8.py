"""How many of GLAD's outputs are SPD, per setting."""

import numpy as np

from . import panels, style
from .numbers import Numbers, with_range
from .tables import mean_and_range

NAME = "fig8"
TITLE = "How often GLAD's outputs are positive-definite"
CAPTION = ("Left: share of test matrices for which GLAD's outputs Z and Θ are positive-definite "
           "at the end of training. Right: the smallest eigenvalue over the test set, on an axis "
           "that is linear near zero and logarithmic beyond. Bars and points are means over "
           "seeds, thin lines go from the smallest to the largest.")
COLUMNS = {"fig8": ("p", "n", "alpha", "method", "seed", "spd_share", "eig_min")}


def draw(tables):
    table = tables["fig8"]
    settings, names = _settings(table), style.in_order(table.unique("method"))
    height = 0.9 + len(settings) * (0.16 + 0.2 * len(names))
    figure, ((shares, eigenvalues),) = panels.grid(1, 2, width=4.6, height=height, sharey=True)
    for k, name in enumerate(names):
        offset = (k - (len(names) - 1) / 2) * 0.8 / len(names)
        for i, setting in enumerate(settings):
            rows = _rows(table, setting, name)
            _bar(shares, i + offset, 0.72 / len(names), rows["spd_share"], style.method(name))
            _point(eigenvalues, i + offset, rows["eig_min"], style.method(name))
    _axes(shares, eigenvalues, table, settings)
    panels.legend_below(figure, [panels.handle(style.method(name), line=False) for name in names])
    return figure


def _settings(table):
    return sorted(table.unique("p", "n", "alpha"), key=lambda s: (-s[2], s[0], s[1]))


def _rows(table, setting, name):
    p, n, alpha = setting
    return table.where(p=p, n=n, alpha=alpha, method=name)


def _bar(ax, y, height, values, look):
    mean, low, high = mean_and_range(values)
    ax.barh(y, mean, height=height, color=look.colour)
    ax.plot([low, high], [y, y], color=style.INK, linewidth=1)
    ax.annotate(f"{100 * mean:.3g} %", (high, y), xytext=(4, 0), textcoords="offset points",
                va="center", fontsize=8.5)


def _point(ax, y, values, look):
    mean, low, high = mean_and_range(values)
    ax.plot([low, high], [y, y], color=look.colour, linewidth=1.5)
    ax.plot(mean, y, look.marker, color=look.colour, markersize=7, markeredgecolor="white")


def _axes(shares, eigenvalues, table, settings):
    shares.set_yticks(range(len(settings)), [style.setting_name(*s) for s in settings])
    shares.invert_yaxis()
    shares.set(xlabel="SPD outputs", xlim=(0, 1.14), xticks=np.linspace(0, 1, 5))
    shares.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    sizes = np.abs(table["eig_min"][table["eig_min"] != 0])
    smallest, largest = np.nanmin(sizes, initial=1.0), np.nanmax(sizes, initial=0.1)
    eigenvalues.set_xscale("symlog", linthresh=10 ** np.floor(np.log10(smallest)))
    eigenvalues.set_xlim(-2 * largest, 2 * largest)
    eigenvalues.axvline(0, color=style.INK, linewidth=1)
    eigenvalues.set_xlabel("smallest eigenvalue  (left of the line: not SPD)")
    for ax in (shares, eigenvalues):
        ax.grid(axis="y", visible=False)


def numbers(tables):
    table = tables["fig8"]
    rows = [[style.setting_name(*setting), style.method(name).label,
             with_range(100 * _rows(table, setting, name)["spd_share"]) + " %",
             with_range(_rows(table, setting, name)["eig_min"])]
            for setting in _settings(table) for name in style.in_order(table.unique("method"))]
    header = ["setting", "output", "SPD", "smallest eigenvalue"]
    return [Numbers("Share of SPD outputs: mean ± half of the range over seeds", header, rows,
                    [None] * len(rows))]
