"""The best preset against the best baseline and the best of the paper's models, cell by cell."""

from dataclasses import dataclass

import numpy as np

from . import panels, style
from .numbers import by_setting
from .tables import mean_and_range

NAME = "beyond"
TITLE = "Beyond the paper"
CAPTION = ("Test NMSE in every cell of the grid of figures 4 and 5 (left is better): the preset "
           "“best” beside the best of all baselines and the best of the paper's three models, "
           "each chosen in that cell with hindsight; faint marks are all the other methods. On "
           "the right the change against the better of the two, and which one that is. Thin "
           "lines go from the smallest to the largest over seeds.")
COLUMNS = {"beyond": ("p", "n", "alpha", "method", "seed", "nmse", "f1", "f1_offdiag", "seconds")}

OURS = style.Method("preset “best”", "#00838f", "o")
PAPER = style.Method("best of the paper's models (UBG, PNP, E2E)", "#2878c8", "s")
BASELINE = style.Method("best baseline (GLasso, Ledoit–Wolf, OAS, GLAD)", "#d7301f", "D")
OTHERS = style.Method("all other methods (faint)", "#8fa8c0", "|")


@dataclass
class Cell:
    """NMSE in one setting: for each method mean, smallest, largest; the three that matter."""
    name: str
    group: tuple
    nmse: dict
    ours: str
    paper: str
    baseline: str

    def rival(self):
        rivals = [name for name in (self.paper, self.baseline) if name]
        return min(rivals, key=lambda name: self.nmse[name][0], default=None)

    def gain(self):
        """NMSE relative to the better rival; below 1: ours is lower."""
        if not self.ours or not self.rival():
            return np.nan
        return self.nmse[self.ours][0] / self.nmse[self.rival()][0]


def cells(table):
    """Strongly sparse before weakly sparse, then by p and n."""
    settings = sorted(table.unique("p", "n", "alpha"), key=lambda s: (-s[2], s[0], s[1]))
    return [_cell(table.where(p=p, n=n, alpha=alpha), p, n, alpha) for p, n, alpha in settings]


def _cell(table, p, n, alpha):
    nmse = {name: mean_and_range(table.where(method=name)["nmse"])
            for name in table.unique("method")}

    def best(names):
        known = [name for name in names if name in nmse and np.isfinite(nmse[name][0])]
        return min(known, key=lambda name: nmse[name][0], default=None)
    return Cell(f"n = {n:g}", (p, alpha), nmse, best(["best"]), best(style.PAPER_MODELS),
                best(style.BASELINES))


def draw(tables):
    grid = cells(tables["beyond"])
    groups = list(dict.fromkeys(cell.group for cell in grid))
    heights = [0.75 + sum(cell.group == group for cell in grid) for group in groups]
    figure, axes = panels.grid(len(groups), 1, width=9.2, height=0.37 * sum(heights) / len(groups),
                               sharex=True, gridspec_kw={"height_ratios": heights})
    for ax, (p, alpha) in zip(axes[:, 0], groups):
        _group(ax, [cell for cell in grid if cell.group == (p, alpha)])
        ax.set_title(f"p = {p:g}, {style.sparsity_name(alpha)}", pad=3)
    _nmse_axis(axes[-1, 0], tables["beyond"]["nmse"])
    for ax in axes[:-1, 0]:
        ax.spines["bottom"].set_visible(False)
        ax.tick_params(axis="x", length=0)
    panels.legend_below(figure, [panels.handle(look, line=False)
                                 for look in (OURS, PAPER, BASELINE, OTHERS)], columns=2)
    return figure


def _group(ax, grid):
    for y, cell in enumerate(grid):
        _faint(ax, y, cell)
        for name, look, size in ((cell.baseline, BASELINE, 7.5), (cell.paper, PAPER, 7.5),
                                 (cell.ours, OURS, 9.5)):
            if name:
                _mark(ax, y, cell.nmse[name], look, size)
        _verdict(ax, y, cell)
    ax.set_yticks(range(len(grid)), [cell.name for cell in grid])
    ax.set_ylim(len(grid) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def _faint(ax, y, cell):
    for name, (mean, _, _) in cell.nmse.items():
        if name not in (cell.ours, cell.paper, cell.baseline):
            learned = name not in style.BASELINES or name.startswith("glad")
            ax.plot(mean, y, "|", color=(PAPER if learned else BASELINE).colour, alpha=0.45,
                    markersize=8, markeredgewidth=1.4)


def _mark(ax, y, spread, look, size):
    mean, low, high = spread
    ax.plot([low, high], [y, y], color=look.colour, linewidth=1.6, alpha=0.7)
    ax.plot(mean, y, look.marker, color=look.colour, markersize=size, markeredgecolor="white",
            markeredgewidth=0.8, zorder=3)


def _verdict(ax, y, cell):
    gain = cell.gain()
    if np.isnan(gain):
        return
    wins = gain < 1
    change = f"{'−' if wins else '+'}{abs(100 * (gain - 1)):.0f} %"
    text = f"{change}  vs {style.method(cell.rival()).label}"
    ax.annotate(text, (1.015, y), xycoords=("axes fraction", "data"), va="center", fontsize=9.5,
                color=OURS.colour if wins else BASELINE.colour, annotation_clip=False,
                fontweight="bold" if wins else "normal")


def _nmse_axis(ax, values):
    ax.set_xscale("log")
    ax.set_xlabel("test NMSE (logarithmic; left is better)")
    panels.label_log(ax.xaxis, values, decades=4)


def numbers(tables):
    return [by_setting("Test NMSE: mean ± half of the range over seeds", tables["beyond"], "nmse",
                       stressed=np.nanargmin)]
