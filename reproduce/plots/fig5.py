"""NMSE and F1 against the number of samples."""

import numpy as np

from . import panels, style
from .numbers import by_setting
from .tables import over_seeds

NAME = "fig5"
TITLE = "Few samples, many samples"
CAPTION = ("Error and support recovery against the number of samples n. F1 counts the diagonal "
           "as the paper's authors do; F1 off the diagonal counts pairs of variables only. "
           "Dotted where SPD or sparsity is not guaranteed; the vertical line is n = p. Lines "
           "are means over seeds, bands go from the smallest to the largest.")
COLUMNS = {"fig5": ("p", "n", "alpha", "method", "seed", "nmse", "f1", "f1_offdiag")}

QUANTITIES = (("nmse", "Test NMSE", np.nanargmin), ("f1", "F1 (with the diagonal)", np.nanargmax),
              ("f1_offdiag", "F1 off the diagonal", np.nanargmax))


def draw(tables):
    table = tables["fig5"]
    settings = sorted(table.unique("p", "alpha"))
    figure, axes = panels.grid(len(settings), 3, width=3.8, height=3.0)
    for row, (p, alpha) in zip(axes, settings):
        rows = table.where(p=p, alpha=alpha)
        for ax, (column, label, _) in zip(row, QUANTITIES):
            _panel(ax, rows, column)
            ax.set(xlabel="samples n", ylabel=label)
            if rows["n"].min() <= p <= rows["n"].max():
                ax.axvline(p, color=style.MUTED, linewidth=0.8, zorder=1)
        panels.log_scale(row[0], rows["nmse"])
        for ax in row[1:]:
            ax.set_ylim(0, 1)
        row[0].set_title(f"p = {p:g}, {style.sparsity_name(alpha)}")
    _legend(figure, table)
    return figure


def _panel(ax, table, column):
    for name in style.in_order(table.unique("method")):
        look = style.method(name)
        spread = over_seeds(table.where(method=name), "n", column)
        panels.spread_curve(ax, look, spread, dotted=not look.guaranteed, marked=True)
    panels.log_x_at(ax, sorted(table.unique("n")))


def _legend(figure, table):
    looks = [style.method(name) for name in style.in_order(table.unique("method"))]
    panels.legend_below(figure, [panels.handle(look, not look.guaranteed) for look in looks],
                        columns=min(4, len(looks)))


def numbers(tables):
    return [by_setting(f"{label}: mean ± half of the range over seeds", tables["fig5"], column,
                       stressed=best) for column, label, best in QUANTITIES]
