"""UBG, PNP and E2E during training: always SPD, well conditioned, sparse."""

from . import panels, style

NAME = "fig3"
TITLE = "UBG, PNP and E2E during training"
CAPTION = ("On the test set: the smallest eigenvalue of all outputs, the mean condition number, "
           "and the mean share of exact zeros off the diagonal. Above each row the smallest "
           "share, over all epochs and seeds, of outputs that are positive-definite by a "
           "Cholesky factorisation. Lines are means over seeds, bands go from the smallest to "
           "the largest.")
COLUMNS = {"fig3": ("p", "n", "alpha", "method", "seed", "epoch", "eig_min", "condition",
                    "sparsity", "spd_share")}

QUANTITIES = (("eig_min", "smallest eigenvalue"), ("condition", "condition number"),
              ("sparsity", "share of zeros"))


def draw(tables):
    table = tables["fig3"]
    settings = sorted(table.unique("p", "n", "alpha"), key=lambda s: (-s[2], s[0], s[1]))
    figure, axes = panels.grid(len(settings), 3, height=1.95 if len(settings) > 2 else 2.7)
    for row, (p, n, alpha) in zip(axes, settings):
        rows = table.where(p=p, n=n, alpha=alpha)
        for ax, (column, label) in zip(row, QUANTITIES):
            panels.training_curves(ax, rows, column)
            ax.set_ylabel(label)
        for ax, column in zip(row, ("eig_min", "condition")):
            panels.log_scale(ax, rows[column])
        panels.percent_scale(row[2])
        row[0].set_title(f"{style.setting_name(p, n, alpha)};  SPD outputs: {_spd(rows)}")
    for ax in axes.flat:
        panels.epoch_axis(ax, named=ax in axes[-1])
    names = style.in_order(table.unique("method"))
    panels.legend_below(figure, [panels.handle(style.method(name)) for name in names])
    return figure


def _spd(table):
    """“UBG 100 %, PNP 100 %”: the smallest share of each method."""
    shares = {name: table.where(method=name)["spd_share"].min()
              for name in style.in_order(table.unique("method"))}
    return ", ".join(f"{style.method(name).label} {_percent(share)}"
                     for name, share in shares.items())


def _percent(share):
    """100 % only when it is exactly that."""
    return "100 %" if share == 1 else f"{min(100 * share, 99.9):.3g} %"
