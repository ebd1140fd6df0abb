"""Repairing GLAD's outputs: projecting Z costs its zeros, thresholding Theta its positivity."""

from . import panels, style

NAME = "fig9"
TITLE = "GLAD's outputs cannot be repaired afterwards"
CAPTION = ("First row: Z before and after projection onto the cone of positive semi-definite "
           "matrices, which fills in its zeros and leaves it singular (rank below p). Second row: "
           "Θ with the entries outside Z's support set to zero, which makes it sparse and costs "
           "its positive-definiteness (smallest eigenvalue below zero).")
COLUMNS = {"fig9": ("p", "n", "alpha", "seed", "epoch", "variant", "density", "rank", "eig_min")}

VARIANTS = {
    "z": style.Method("Z", "#9a8fe0", "v"),
    "z-projected": style.Method("Z projected onto the PSD cone", "#08306b", "s"),
    "theta": style.Method("Θ", "#4a3fae", "D"),
    "theta-thresholded": style.Method("Θ thresholded to the support of Z", "#2a9df4", "o"),
}
ROWS = (("Z projected", ("z", "z-projected")), ("Θ thresholded", ("theta", "theta-thresholded")))


def draw(tables):
    table = tables["fig9"]
    settings = table.unique("p", "n", "alpha")
    figure, axes = panels.grid(2 * len(settings), 3)
    for k, (p, n, alpha) in enumerate(settings):
        rows = table.where(p=p, n=n, alpha=alpha)
        for row, (label, variants) in zip(axes[2 * k:2 * k + 2], ROWS):
            _row(row, rows, variants, p)
            panels.row_label(row[0], label)
        axes[2 * k, 0].set_title(style.setting_name(p, n, alpha))
    known = [name for name in VARIANTS if name in table["variant"]]
    panels.legend_below(figure, [panels.handle(VARIANTS[name]) for name in known],
                        columns=2)
    return figure


def _row(row, table, variants, p):
    density, rank, eig_min = row
    shown = [name for name in variants if name in table["variant"]]
    for ax, column in zip(row, ("density", "rank", "eig_min")):
        for name in shown:
            panels.training_curves(ax, table.where(variant=name), column, VARIANTS, key="variant")
    density.set_ylabel("density")
    panels.percent_scale(density)
    rank.set(ylabel="rank", ylim=(0, 1.06 * p))
    rank.axhline(p, color=style.MUTED, linewidth=1)
    eig_min.set_ylabel("smallest eigenvalue")
    panels.zero_line(eig_min, "below: not SPD")
