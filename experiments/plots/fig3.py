"""UBG, PNP and E2E during training: always SPD, well conditioned, sparse."""

from . import panels, style

NAME = "fig3"
TITLE = "Sparse and positive-definite, all through training"
CAPTION = ("The three models on the test set during training: smallest eigenvalue, condition "
           "number, share of exact zeros off the diagonal, and the share of outputs whose Cholesky "
           "factorisation succeeds. Lines are means over seeds, bands go from the smallest to the "
           "largest.")
COLUMNS = {"fig3": ("p", "n", "alpha", "method", "seed", "epoch", "eig_min", "condition",
                    "sparsity", "spd_share")}

QUANTITIES = (("eig_min", "smallest eigenvalue"), ("condition", "condition number"),
              ("sparsity", "sparsity (share of zeros)"), ("spd_share", "SPD outputs"))


def draw(tables):
    table = tables["fig3"]
    settings = table.unique("p", "n", "alpha")
    figure, axes = panels.grid(len(settings), 4, width=3.1)
    for row, (p, n, alpha) in zip(axes, settings):
        rows = table.where(p=p, n=n, alpha=alpha)
        for ax, (column, label) in zip(row, QUANTITIES):
            panels.training_curves(ax, rows, column)
            ax.set_ylabel(label)
        for ax, column in zip(row[:2], ("eig_min", "condition")):
            panels.log_scale(ax, rows[column])
        for ax in row[2:]:
            panels.percent_scale(ax)
        row[0].set_title(style.setting_name(p, n, alpha))
    names = style.in_order(table.unique("method"))
    panels.legend_below(figure, [panels.handle(style.method(name)) for name in names])
    return figure
