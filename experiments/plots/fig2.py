"""GLAD during training: Z is not SPD, Theta is not sparse, and they differ."""

from . import panels, style
from .tables import over_seeds

NAME = "fig2"
TITLE = "GLAD cannot have both"
CAPTION = ("GLAD during training, means over the test set: the smallest eigenvalue of its sparse "
           "output Z (below zero: not positive-definite), the density of its SPD output Θ (1: no "
           "zero at all), and the relative discrepancy ‖Z − Θ‖ / ‖Θ‖ between the two.")
COLUMNS = {"fig2": ("p", "n", "alpha", "seed", "epoch", "eig_min_Z", "density_Theta",
                    "discrepancy")}

QUANTITIES = (("eig_min_Z", "smallest eigenvalue of Z", style.METHODS["glad-z"]),
              ("density_Theta", "density of Θ", style.METHODS["glad-theta"]),
              ("discrepancy", "‖Z − Θ‖ / ‖Θ‖", style.Method("", style.MUTED, "o")))


def draw(tables):
    table = tables["fig2"]
    settings = table.unique("p", "n", "alpha")
    figure, axes = panels.grid(len(settings), 3)
    for row, (p, n, alpha) in zip(axes, settings):
        rows = table.where(p=p, n=n, alpha=alpha)
        for ax, (column, label, look) in zip(row, QUANTITIES):
            panels.spread_curve(ax, look, over_seeds(rows, "epoch", column, carry=True))
            ax.set(xlabel="epoch", ylabel=label)
        panels.zero_line(row[0], "below: not SPD")
        panels.percent_scale(row[1])
        row[2].set_ylim(bottom=0)
        row[0].set_title(style.setting_name(p, n, alpha))
    return figure
