"""The same colour for the same animals: communities of several graphs matched to one another."""

from collections import Counter

from . import style


def colours_of_all(graphs):
    """For each graph (name of node -> community) a colour for each community. Those of the first
    graph are coloured by size; in the others a community takes the free colour most of its nodes
    have in the first."""
    first, colours = None, {}
    for method, communities in graphs.items():
        colours[method] = _colours(communities, first)
        if first is None:
            first = {name: colours[method][c] for name, c in communities.items()}
    return colours


def _colours(communities, reference):
    """Greedy: the largest overlap chooses first; nodes alone are never in need of a colour."""
    sizes = Counter(communities.values())
    overlaps = Counter((c, reference[name]) for name, c in communities.items()
                       if reference and name in reference)
    chosen = {}
    for (community, colour), _ in overlaps.most_common():
        if sizes[community] > 1 and community not in chosen and colour not in chosen.values():
            chosen[community] = colour
    free = [colour for colour in style.COMMUNITIES if colour not in chosen.values()]
    for community, size in sizes.most_common():
        if community not in chosen:
            chosen[community] = (free.pop(0) if free else style.MUTED) if size > 1 else style.MUTED
    return chosen
