"""Colours, names and sizes: the one place where the look of the pictures is decided."""

from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

INK = "#1f2933"
ON_LIGHT = "#1e2832"  # on coloured fields, which are the same in dark pages
MUTED = "#6b7785"
GRID = "#e3e7ec"
AXIS = "#9aa5b1"
EDGE = "#3e4c59"


@dataclass(frozen=True)
class Method:
    label: str
    colour: str
    marker: str
    guaranteed: bool = True  # both SPD and sparse, whatever the input


# Learned methods in blues, classical ones in reds; neighbours differ in lightness and marker.
METHODS = {
    "ubg": Method("UBG", "#08306b", "o"),
    "pnp": Method("PNP", "#2878c8", "s"),
    "e2e": Method("E2E", "#6fb4e8", "^"),
    "glad-theta": Method("GLAD Θ", "#4a3fae", "D", guaranteed=False),
    "glad": Method("GLAD", "#4a3fae", "D", guaranteed=False),
    "glad-z": Method("GLAD Z", "#9a8fe0", "v", guaranteed=False),
    "ubg-k2": Method("UBG, K = 2", "#0b7285", "P"),
    "ubg-k3": Method("UBG, K = 3", "#3bb3c4", "X"),
    "best": Method("best preset", "#00a3a3", "*"),
    "glasso-cv": Method("GLasso (CV)", "#a50f15", "o"),
    "ledoit-wolf": Method("Ledoit–Wolf", "#ef5a3c", "s", guaranteed=False),
    "oas": Method("OAS", "#f2a23a", "^", guaranteed=False),
    "glasso": Method("GLasso", "#a50f15", "o"),
    "egfm": Method("EGFM", "#c2571a", "D", guaranteed=False),
}
PAPER_MODELS = ("ubg", "pnp", "e2e")
BASELINES = ("glasso-cv", "ledoit-wolf", "oas", "glad-theta", "glad-z")

# With and without the scaling of the preactivation.
SCALINGS = {
    "normalize": Method("normalized (the paper)", "#08306b", "o"),
    "clip": Method("clipped", "#2a9df4", "s"),
    "none": Method("no scaling", "#d1495b", "^"),
}

# Numbers of variables, where all curves are GLAD's.
_SIZES = (("#a99ff0", "o"), ("#6a5fd0", "s"), ("#2b1f86", "^"), ("#1098ad", "D"))

# Communities: after Okabe and Ito, and Tol; distinct without red and green.
COMMUNITIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c6bb1",
               "#b5a800", "#7f5539", "#44aa99", "#882255", "#5c6b7a")

# What changes in a dark page: each colour of the pictures that is lost there, and its substitute.
DARK = {
    "#ffffff": "#14191f", INK: "#e4e9ee", MUTED: "#9fadbb", GRID: "#2a333d", AXIS: "#66727f",
    "#08306b": "#a9cdf5", "#2878c8": "#4f9be6", "#6fb4e8": "#2f78b8", "#4a3fae": "#a79cff",
    "#9a8fe0": "#7466d6", "#2b1f86": "#dcd8ff",
    "#6a5fd0": "#9d93f5", "#a99ff0": "#6a5fd0",
    "#a50f15": "#ff6b63", "#d7301f": "#ff6a55",
    "#00838f": "#2cc6d2", EDGE: "#b8c4d0",
}

_FALLBACK = ("#334155", "#7c8aa0", "#0e7490", "#b45309")


def mix(colour, other, share):
    """`colour` with `share` of `other` in it, both as #rrggbb."""
    channels = zip(*(bytes.fromhex(c[1:]) for c in (colour, other)))
    return "#" + bytes(round((1 - share) * a + share * b) for a, b in channels).hex()


def tint(colour):
    """The colour of a box that is framed by `colour`."""
    return mix(colour, "#ffffff", 0.74)


def dark_colours():
    """DARK, and the tints of all frames."""
    frames = (*COMMUNITIES, MUTED)
    return DARK | {tint(frame): mix(frame, DARK["#ffffff"], 0.72) for frame in frames}


def method(name, known=None):
    """How a method is drawn; one that is not listed gets a grey of its own."""
    known = METHODS if known is None else known
    if name in known:
        return known[name]
    return Method(name, _FALLBACK[sum(map(ord, name)) % len(_FALLBACK)], "d")


def dash(look, dotted):
    """The line style; the dots of two curves that coincide fall between one another."""
    return (1.3 if look.marker in "^v" else 0.0, (1.2, 1.4)) if dotted else "-"


def in_order(names, known=None):
    """The names in the order of the list above, strangers last."""
    order = list(METHODS if known is None else known)
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def sparsity_name(alpha):
    return {0.95: "strongly sparse", 0.7: "weakly sparse"}.get(round(alpha, 3), f"α = {alpha:g}")


def setting_name(p, n, alpha):
    return f"p = {p:g}, n = {n:g}, {sparsity_name(alpha)}"


def sizes(shapes):
    """How each (p, n) is drawn, darker with p."""
    return {(p, n): Method(f"p = {p:g}, n = {n:g}", *_SIZES[k % len(_SIZES)])
            for k, (p, n) in enumerate(shapes)}


def use():
    """Sets matplotlib's defaults for all pictures."""
    plt.rcParams.update({
        "font.family": "DejaVu Sans", "font.size": 10, "axes.titlesize": 10.5,
        "axes.labelsize": 10, "xtick.labelsize": 9, "ytick.labelsize": 9, "legend.fontsize": 9.5,
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": AXIS,
        "xtick.color": MUTED, "ytick.color": MUTED, "xtick.labelcolor": INK,
        "ytick.labelcolor": INK, "axes.titlelocation": "left", "axes.titleweight": "medium",
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
        "grid.color": GRID, "grid.linewidth": 0.8, "axes.axisbelow": True,
        "lines.linewidth": 1.8, "lines.solid_capstyle": "round", "legend.frameon": False,
        "figure.facecolor": "white", "savefig.facecolor": "white",
        "svg.fonttype": "path", "svg.hashsalt": "spodnet",
    })
