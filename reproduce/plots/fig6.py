"""Animals: the graphs of four methods, communities coloured, every node named."""

import numpy as np
from matplotlib.patches import FancyBboxPatch
from matplotlib.textpath import TextPath

from . import layout, panels, style
from .communities import colours_of_all
from .numbers import Numbers, short

NAME = "fig6"
TITLE = "Animals: four graphs and their communities"
CAPTION = ("Graphs of 33 animals from 102 yes/no answers. Nodes are coloured by Louvain "
           "community (a community has the colour it overlaps most with in the first graph), "
           "edges are as wide as |Θᵢⱼ|, dashed where the partial correlation is negative. Edges "
           "below 1 % of the strongest are not drawn; nodes without a drawn edge stand below the "
           "line. m is the modularity, ours beside the paper's.")
COLUMNS = {"fig6": ("method", "paper_modularity", "modularity", "edges", "communities", "detail"),
           "fig6_nodes": ("method", "name", "community"),
           "fig6_edges": ("method", "source", "target", "theta", "partial_correlation")}

WIDTH, HEIGHT, SIZE = 6.4, 4.6, 8.5  # of a panel in inches, of the names in points
VISIBLE = 0.01


def draw(tables):
    methods = _drawn(tables["fig6"])
    colours = colours_of_all({name: _communities(tables, name) for name in methods})
    columns = 1 if len(methods) == 1 else 2
    rows = -(-len(methods) // columns)
    figure, axes = panels.grid(rows, columns, width=WIDTH, height=HEIGHT + 0.5)
    for ax in axes.flat:
        ax.axis("off")
    for ax, name in zip(axes.flat, methods):
        _graph(ax, tables, name, colours[name])
        ax.set_title(_title(tables, name), fontsize=12.5)
    return figure


def _drawn(table):
    """The methods the paper shows; all when it shows none of them."""
    shown = table.take(np.isfinite(table["paper_modularity"]))
    return (shown if len(shown) else table).unique("method")


def _communities(tables, method):
    rows = tables["fig6_nodes"].where(method=method)
    return dict(zip(rows["name"], rows["community"].astype(int)))


def _title(tables, method):
    row, = tables["fig6"].where(method=method).rows()
    drawn = len(_visible(tables["fig6_edges"].where(method=method)))
    paper = f", paper {row['paper_modularity']:.2f}" if np.isfinite(row["paper_modularity"]) else ""
    edges = f"{row['edges']:.0f} edges" + (f", {drawn} drawn" if drawn < row["edges"] else "")
    return f"{style.method(method).label}:  m = {row['modularity']:.2f}{paper};  {edges}"


def _graph(ax, tables, method, colours):
    communities = _communities(tables, method)
    names = list(communities)
    edges = _visible(tables["fig6_edges"].where(method=method))
    weights = _weights(names, edges)
    boxes = np.array([_box(name) for name in names])
    joined = weights.any(axis=1)
    centres = _place(weights, np.array(list(communities.values())), boxes, joined)
    ax.set(xlim=(0, WIDTH), ylim=(0, HEIGHT), aspect="equal")
    _draw_edges(ax, names, centres, edges)
    for name, centre, box, connected in zip(names, centres, boxes, joined):
        _draw_node(ax, name, centre, box, colours[communities[name]] if connected else style.MUTED)
    if not joined.all():
        _draw_line(ax, centres[~joined], boxes[~joined])


def _visible(edges):
    strength = np.abs(edges["theta"])
    return edges.take(strength >= VISIBLE * strength.max(initial=0.0))


def _weights(names, edges):
    index = {name: i for i, name in enumerate(names)}
    weights = np.zeros((len(names), len(names)))
    for source, target, theta in zip(edges["source"], edges["target"], edges["theta"]):
        i, j = index[source], index[target]
        weights[i, j] = weights[j, i] = abs(theta)
    return weights


def _box(name):
    """Width and height in inches of a node: its name and a margin."""
    extent = TextPath((0, 0), name, size=SIZE).get_extents()
    return extent.width / 72 + 0.16, SIZE / 72 + 0.11


def _place(weights, communities, boxes, joined):
    """Joined nodes in the frame, the others in rows beneath them."""
    centres = np.zeros((len(boxes), 2))
    alone = layout.place_in_rows(boxes[~joined], WIDTH - 0.1)
    used = 0.0 if joined.all() else 0.2 - (alone[:, 1] - boxes[~joined, 1] / 2).min()
    centres[joined] = layout.place(weights[np.ix_(joined, joined)], communities[joined],
                                   boxes[joined], WIDTH, HEIGHT - used) + (0, used)
    centres[~joined] = alone + (0.05, used - 0.16)
    return centres


def _draw_edges(ax, names, centres, edges):
    index = {name: i for i, name in enumerate(names)}
    strongest = np.abs(edges["theta"]).max(initial=1e-300)
    for row in edges.rows():
        strength = abs(row["theta"]) / strongest
        x, y = centres[[index[row["source"]], index[row["target"]]]].T
        ax.plot(x, y, color=style.EDGE, alpha=0.12 + 0.68 * strength, linewidth=0.5 + 4 * strength,
                linestyle=(0, (2, 1.2)) if row["partial_correlation"] < 0 else "-",
                solid_capstyle="butt", zorder=1)


def _draw_node(ax, name, centre, box, colour):
    ax.add_patch(FancyBboxPatch(centre - box / 2 + 0.03, *(box - 0.06), zorder=2,
                                boxstyle="round,pad=0.03,rounding_size=0.08",
                                facecolor=style.tint(colour), edgecolor=colour, linewidth=1.4))
    ax.text(*centre, name, ha="center", va="center_baseline", fontsize=SIZE, zorder=3)


def _draw_line(ax, centres, boxes):
    top = (centres[:, 1] + boxes[:, 1] / 2).max() + 0.07
    ax.plot([0.05, WIDTH - 0.05], [top, top], color=style.GRID, linewidth=1.2, zorder=0)


def numbers(tables):
    rows = [[style.method(row["method"]).label, short(row["paper_modularity"]),
             f"{row['modularity']:.3f}", f"{row['edges']:.0f}", f"{row['communities']:.0f}",
             row["detail"]] for row in tables["fig6"].rows()]
    header = ["method", "modularity in the paper", "ours", "edges", "communities", "detail"]
    return [Numbers("Modularity of the Louvain communities", header, rows, [None] * len(rows))]
