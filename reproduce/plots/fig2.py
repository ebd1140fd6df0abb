"""GLAD during training: Z is not SPD, Theta is not sparse, and they differ."""

from . import panels
from .tables import over_seeds

NAME = "fig2"
TITLE = "GLAD during training"
CAPTION = ("Means over the test set: the smallest eigenvalue of GLAD's sparse output Z (below "
           "zero: not positive-definite), the density of its SPD output Θ (100 %: no zero at "
           "all), and the relative discrepancy ‖Z − Θ‖ / ‖Θ‖ between the two. Bands go from the "
           "smallest to the largest over seeds.")
COLUMNS = {"fig2": ("p", "n", "alpha", "seed", "epoch", "eig_min_Z", "density_Theta",
                    "discrepancy")}

QUANTITIES = (("eig_min_Z", "smallest eigenvalue of Z"), ("density_Theta", "density of Θ"),
              ("discrepancy", "‖Z − Θ‖ / ‖Θ‖"))


def draw(tables):
    table = tables["fig2"]
    figure, axes, looks = panels.by_sparsity(table, len(QUANTITIES))
    for row, alpha in zip(axes, panels.alphas(table)):
        for ax, (column, label) in zip(row, QUANTITIES):
            for (p, n), look in looks.items():
                rows = table.where(p=p, n=n, alpha=alpha)
                panels.spread_curve(ax, look, over_seeds(rows, "epoch", column, carry=True))
            ax.set_ylabel(label)
        panels.zero_line(row[0], "below: not SPD")
        panels.percent_scale(row[1])
        row[2].set_ylim(bottom=0)
    panels.legend_below(figure, [panels.handle(look) for look in looks.values()])
    return figure
