"""The spectrum along the column updates, with and without the scaling."""

from . import panels, style

NAME = "fig7"
TITLE = "The spectrum along the column updates"
CAPTION = ("One Θ of the test set along the column updates of a UBG layer: smallest eigenvalue, "
           "largest diagonal entry and condition number, trained with the paper's scaling of the "
           "preactivation and without it.")
COLUMNS = {"fig7": ("p", "n", "alpha", "scaling", "update", "eig_min", "max_diagonal",
                    "condition")}

QUANTITIES = (("eig_min", "smallest eigenvalue"), ("max_diagonal", "largest diagonal entry"),
              ("condition", "condition number"))


def draw(tables):
    table = tables["fig7"]
    settings = table.unique("p", "n", "alpha")
    figure, axes = panels.grid(len(settings), 3)
    for row, (p, n, alpha) in zip(axes, settings):
        rows = table.where(p=p, n=n, alpha=alpha)
        for ax, (column, label) in zip(row, QUANTITIES):
            _panel(ax, rows, column)
            ax.set(xlabel="column update", ylabel=label)
        row[0].set_title(style.setting_name(p, n, alpha))
    names = style.in_order(table.unique("scaling"), style.SCALINGS)
    panels.legend_below(figure, [panels.handle(style.method(name, style.SCALINGS))
                                 for name in names])
    return figure


def _panel(ax, table, column):
    for name in style.in_order(table.unique("scaling"), style.SCALINGS):
        rows, look = table.where(scaling=name), style.method(name, style.SCALINGS)
        ax.plot(rows["update"], rows[column], color=look.colour, marker=look.marker, markersize=5,
                markevery=panels.marked_every(len(rows), look), markeredgecolor="white",
                markeredgewidth=0.6)
    panels.log_scale(ax, table[column])
