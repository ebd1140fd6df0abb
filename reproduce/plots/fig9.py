"""Repairing GLAD's outputs: projecting Z costs its zeros, thresholding Theta its positivity."""

from . import panels, style
from .tables import over_seeds

NAME = "fig9"
TITLE = "Repairing GLAD's outputs"
CAPTION = ("Left and middle: Z as GLAD returns it (dotted) and projected onto the cone of positive "
           "semi-definite matrices (solid); rank / p below 100 % means singular. Right: Θ as "
           "returned (dotted) and with the entries outside Z's support set to zero (solid); below "
           "zero it is not positive-definite. Density and rank are means over the test set, the "
           "eigenvalue is the smallest of all.")
COLUMNS = {"fig9": ("p", "n", "alpha", "seed", "epoch", "variant", "density", "rank", "eig_min")}

QUANTITIES = (("density", "density of Z", "z", "projected"),
              ("rank", "rank of Z / p", "z", "projected"),
              ("eig_min", "smallest eigenvalue of Θ", "theta", "thresholded"))


def draw(tables):
    table = tables["fig9"]
    figure, axes, looks = panels.by_sparsity(table, len(QUANTITIES))
    for row, alpha in zip(axes, panels.alphas(table)):
        for ax, (column, label, before, after) in zip(row, QUANTITIES):
            for (p, n), look in looks.items():
                rows = table.where(p=p, n=n, alpha=alpha)
                _curve(ax, look, rows.where(variant=before), column, p, dotted=True)
                _curve(ax, look, rows.where(variant=after), column, p, dotted=False)
            ax.set_ylabel(label)
        panels.percent_scale(row[0])
        _rank_scale(row[1])
        panels.zero_line(row[2], "below: not SPD")
    after, before = (style.Method(text, style.MUTED, "none") for text in ("repaired", "as returned"))
    panels.legend_below(figure, [*(panels.handle(look) for look in looks.values()),
                                 panels.handle(before, dotted=True), panels.handle(after)])
    return figure


def _rank_scale(ax):
    """From the smallest rank to full rank: a few missing dimensions are what matters."""
    panels.percent_scale(ax)
    lowest = min((min(line.get_ydata(), default=1) for line in ax.lines), default=1)
    room = 1 - min(lowest, 0.95)
    ax.set_ylim(1 - 1.1 * room, 1 + 0.05 * room)


def _curve(ax, look, table, column, p, dotted):
    spread = over_seeds(table, "epoch", column, carry=True)
    panels.spread_curve(ax, look, spread.scaled(1 / p) if column == "rank" else spread, dotted)
