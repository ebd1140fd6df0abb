"""Test NMSE against epochs, learned methods beside classical ones."""

from dataclasses import replace

import numpy as np

from . import panels, style
from .numbers import by_setting
from .tables import mean_and_range, over_seeds

NAME = "fig4"
TITLE = "Error of learned and classical methods"
CAPTION = ("Test NMSE during training: learned methods in blues, classical ones, which have no "
           "epochs, as horizontal lines in reds. Dotted where one of the two constraints, SPD or "
           "sparse, is not guaranteed. Lines are means over seeds, bands go from the smallest to "
           "the largest.")
COLUMNS = {"fig4": ("p", "n", "alpha", "method", "seed", "epoch", "nmse", "guaranteed")}


def draw(tables):
    table = tables["fig4"]
    alphas = sorted(table.unique("alpha"), reverse=True)
    shapes = sorted(table.unique("p", "n"))
    figure, axes = panels.grid(len(alphas), len(shapes), sharex="col", sharey="row")
    for row, alpha in zip(axes, alphas):
        for ax, (p, n) in zip(row, shapes):
            _panel(ax, table.where(p=p, n=n, alpha=alpha))
            ax.set_title(f"p = {p:g}, n = {n:g}")
        panels.log_scale(row[0], table.where(alpha=alpha)["nmse"])
        row[0].set_ylabel("test NMSE")
        panels.row_label(row[0], style.sparsity_name(alpha))
    for ax in axes[-1]:
        panels.epoch_axis(ax)
    _legend(figure, table)
    return figure


def _panel(ax, table):
    for name in style.in_order(table.unique("method")):
        rows = table.where(method=name)
        dotted = rows["guaranteed"][0] == "no"
        if np.isnan(rows["epoch"]).all():
            _horizontal(ax, style.method(name), rows["nmse"], dotted)
        else:
            panels.spread_curve(ax, style.method(name),
                                over_seeds(rows, "epoch", "nmse", carry=True), dotted)
    ax.margins(x=0.02)


def _horizontal(ax, look, values, dotted):
    mean, low, high = mean_and_range(values)
    ax.axhspan(low, high, color=look.colour, alpha=0.13, linewidth=0)
    ax.axhline(mean, color=look.colour, linestyle=style.dash(look, dotted))


def _legend(figure, table):
    names = style.in_order(table.unique("method"))
    panels.legend_below(figure, [_handle(style.method(name), table.where(method=name))
                                 for name in names], columns=min(4, len(names)))


def _handle(look, rows):
    """As the curve is drawn: horizontal lines have no markers."""
    marker = "none" if np.isnan(rows["epoch"]).all() else look.marker
    return panels.handle(replace(look, marker=marker), "no" in rows["guaranteed"])


def numbers(tables):
    return [by_setting("Test NMSE after the last epoch: mean ± half of the range over seeds",
                       last_epoch(tables["fig4"]), "nmse", stressed=np.nanargmin)]


def last_epoch(table):
    """The last row of each run."""
    last = {}
    for i, key in enumerate(zip(*(table[name] for name in ("p", "n", "alpha", "method", "seed")))):
        if key not in last or not table["epoch"][i] < table["epoch"][last[key]]:
            last[key] = i
    return table.take(np.array(sorted(last.values()), dtype=int))
