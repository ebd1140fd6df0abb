"""What all figures share: a grid of panels, a curve with its spread, a legend below."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import (FixedLocator, FuncFormatter, MaxNLocator, NullFormatter,
                               PercentFormatter)

from . import style
from .tables import over_seeds

MARKERS = "os^Dv"


def grid(rows, columns, width=3.5, height=2.7, **options):
    """A figure of rows x columns panels, each `width` x `height` inches."""
    figure, axes = plt.subplots(rows, columns, squeeze=False, layout="constrained",
                                figsize=(width * columns, height * rows), **options)
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
    return figure, axes


def alphas(table):
    """Strongly sparse first."""
    return sorted(table.unique("alpha"), reverse=True)


def by_sparsity(table, columns):
    """A row of panels for each alpha against the epoch; and how each (p, n) is drawn in them."""
    figure, axes = grid(len(alphas(table)), columns, sharex=True)
    for row, alpha in zip(axes, alphas(table)):
        row_label(row[0], style.sparsity_name(alpha))
        for ax in row:
            ax.margins(x=0.02)
    for ax in axes[-1]:
        epoch_axis(ax)
    return figure, axes, style.sizes(sorted(table.unique("p", "n")))


def epoch_axis(ax, named=True):
    ax.set_xlabel("epoch" if named else "")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, steps=(1, 2, 5, 10)))


def marked_every(count, look):
    """Markers at about eight places, others for each kind: curves that coincide show."""
    step = max(1, count // 8)
    return MARKERS.index(look.marker) * step // len(MARKERS) if look.marker in MARKERS else 0, step


def spread_curve(ax, look, spread, dotted=False, marked=False):
    """The mean as a line, smallest to largest as a band; a marker at every point if `marked`."""
    ax.fill_between(spread.x, spread.low, spread.high, color=look.colour, alpha=0.16, linewidth=0)
    ax.plot(spread.x, spread.mean, color=look.colour, marker=look.marker, markersize=5,
            markevery=1 if marked else marked_every(len(spread.x), look),
            markeredgecolor="white", markeredgewidth=0.6,
            linestyle=style.dash(look, dotted))


def training_curves(ax, table, y):
    """Column y against the epoch for each method of the table."""
    for name in style.in_order(table.unique("method")):
        spread = over_seeds(table.where(method=name), "epoch", y, carry=True)
        spread_curve(ax, style.method(name), spread)
    ax.margins(x=0.02)


def handle(look, dotted=False, line=True):
    """The legend's entry of a method."""
    return Line2D([], [], color=look.colour, marker=look.marker, markersize=6, label=look.label,
                  markeredgecolor=look.colour if look.marker == "|" else "white",
                  markeredgewidth=1.4 if look.marker == "|" else 0.6,
                  linestyle=style.dash(look, dotted) if line else "none")


def legend_below(figure, handles, columns=None):
    """One legend for all panels, centred beneath them."""
    columns = columns or len(handles)
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=columns,
                  handlelength=2.6, columnspacing=1.8)


def log_scale(ax, values, decades=2):
    """A logarithmic y axis for these values, in plain decimals where they span few decades."""
    ax.set_yscale("log")
    label_log(ax.yaxis, values, decades)


def label_log(axis, values, decades):
    """Plain decimals on a logarithmic axis where the values span less than so many decades."""
    values = values[np.isfinite(values) & (values > 0)]
    if len(values) and values.max() < 10**decades * values.min():
        axis.set_major_locator(FixedLocator(decimal_ticks(values.min(), values.max())))
        axis.set_minor_locator(FixedLocator([]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def decimal_ticks(low, high):
    """Round numbers about low .. high, the more of them the narrower it is."""
    if high < 3 * low:
        return [tick for tick in MaxNLocator(nbins=5).tick_values(low, high) if tick > 0]
    mantissas = (1, 1.5, 2, 3, 4, 6, 8) if high < 10 * low else (1, 2, 5)
    decades = range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 1)
    return [m * 10.0**e for e in decades for m in mantissas]


def log_x_at(ax, values):
    """A logarithmic x axis with ticks at exactly these values."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(values))
    ax.xaxis.set_minor_locator(FixedLocator([]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def percent_scale(ax):
    """Shares from 0 to 1 as percentages, with a little room at both ends."""
    ax.set_ylim(-0.03, 1.03)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))


def zero_line(ax, text):
    """Marks zero, the border of the positive-definite cone, and leaves room on both sides."""
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, -0.12 * max(high, 0)), max(high, -0.12 * min(low, 0)))
    ax.axhline(0, color=style.INK, linewidth=1, zorder=1)
    ax.annotate(text, (1, 0), xycoords=("axes fraction", "data"), xytext=(-3, -3), va="top",
                textcoords="offset points", ha="right", fontsize=8.5, color=style.MUTED)


def row_label(ax, text):
    """Names a row of panels, left of its first one."""
    ax.annotate(text, (0, 0.5), xycoords="axes fraction", xytext=(-62, 0), rotation=90,
                textcoords="offset points", ha="center", va="center", fontweight="bold",
                fontsize=10.5)
