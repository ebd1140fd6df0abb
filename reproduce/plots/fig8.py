"""How many outputs are SPD, per setting: GLAD's two, and those of the paper's models."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from . import panels, style
from .numbers import by_setting, with_range
from .tables import mean_and_range

NAME = "fig8"
TITLE = "How often outputs are positive-definite"
CAPTION = ("Left: share of test matrices for which the output is positive-definite at the end of "
           "training, mean over seeds. Right: the smallest eigenvalue over the test set, on an "
           "axis that is linear near zero and logarithmic beyond; lines go from the smallest to "
           "the largest over seeds.")
COLUMNS = {"fig8": ("p", "n", "alpha", "method", "seed", "spd_share", "eig_min")}

SHARES = LinearSegmentedColormap.from_list("shares", ["#f28e6b", "#fdf1e3", "#cfe3f5"])
NEAR_ZERO = 1e-3  # where the axis of eigenvalues is linear


def draw(tables):
    table = tables["fig8"]
    settings = sorted(table.unique("p", "n", "alpha"), key=lambda s: (-s[2], s[0], s[1]))
    names = style.in_order(table.unique("method"))
    height = 1.1 + 0.34 * len(settings)
    figure, ((shares, eigenvalues),) = panels.grid(1, 2, width=5.0, height=height, sharey=True)
    for i, (p, n, alpha) in enumerate(settings):
        for k, name in enumerate(names):
            rows = table.where(p=p, n=n, alpha=alpha, method=name)
            _cell(shares, k, i, rows["spd_share"])
            offset = (k - (len(names) - 1) / 2) * 0.6 / len(names)
            _point(eigenvalues, i + offset, rows["eig_min"], style.method(name))
    _share_axes(shares, settings, names)
    _eigenvalue_axes(eigenvalues, table["eig_min"])
    panels.legend_below(figure, [panels.handle(style.method(name), line=False) for name in names])
    return figure


def _cell(ax, x, y, values):
    """A coloured field with its percentage; 0 % and 100 % only when it is exactly that."""
    share = mean_and_range(values)[0]
    if np.isnan(share):
        return
    percent = 100 * share if share in (0, 1) else np.clip(100 * share, 0.1, 99.9)
    ax.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, color=SHARES(share)))
    ax.text(x, y, f"{percent:.3g} %", ha="center", va="center", fontsize=9,
            color=style.ON_LIGHT)


def _point(ax, y, values, look):
    mean, low, high = mean_and_range(values)
    ax.plot([low, high], [y, y], color=look.colour, linewidth=1.3)
    ax.plot(mean, y, look.marker, color=look.colour, markersize=5.5, markeredgecolor="white",
            markeredgewidth=0.5)


def _share_axes(ax, settings, names):
    ax.set_yticks(range(len(settings)), [style.setting_name(*setting) for setting in settings])
    ax.set_xticks(range(len(names)), [style.method(name).label for name in names])
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(settings) - 0.5, -0.5), title="SPD outputs")
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)


def _eigenvalue_axes(ax, values):
    largest = np.nanmax(np.abs(values), initial=10 * NEAR_ZERO)
    decades = [10.0**e for e in range(-2, int(np.ceil(np.log10(largest))) + 1)]
    ax.set_xscale("symlog", linthresh=NEAR_ZERO)
    ax.set_xlim((-2 * largest if np.nanmin(values) < 0 else -NEAR_ZERO), 2 * largest)
    ticks = [0, *decades, *(-decade for decade in decades)]
    ax.set_xticks([tick for tick in ticks if ax.get_xlim()[0] <= tick <= ax.get_xlim()[1]])
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.axvline(0, color=style.INK, linewidth=1)
    ax.set(title="Smallest eigenvalue", xlabel="left of the line: not SPD")
    ax.tick_params(axis="y", length=0)


def numbers(tables):
    def percent(values):
        return with_range(100 * values) + " %"
    return [by_setting("Share of SPD outputs: mean ± half of the range over seeds", tables["fig8"],
                       "spd_share", show=percent, stressed=None),
            by_setting("Smallest eigenvalue over the test set: mean ± half of the range over seeds",
                       tables["fig8"], "eig_min", stressed=None)]
