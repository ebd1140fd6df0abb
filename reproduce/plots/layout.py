"""Where the nodes of a graph stand: near what they are joined to, communities together, and no two
boxes (a node is its name in a box) overlapping."""

import numpy as np

WITHIN, ACROSS = 1.0, 2.4  # length of the strongest edge inside a community, and between two


def place(weights, communities, boxes, width, height):
    """Centres (count x 2) of the boxes (count x 2, widths and heights) in [0, width] x [0, height].
    `weights` is symmetric, count x count, >= 0, with a zero diagonal."""
    if len(weights) == 0:
        return np.zeros((0, 2))
    paths = _shortest_paths(weights, communities)
    wanted, trust = _wanted(paths, communities)
    centres = _level(_majorize(wanted, trust, _classical_scaling(wanted)))
    return _with_gaps(_fit(centres, boxes, width, height), boxes, width, height)


def _with_gaps(centres, boxes, width, height):
    """No overlaps, and as much air between the boxes as the frame allows."""
    for gap in ((0.24, 0.2), (0.16, 0.14), (0.1, 0.08), (0.04, 0.03)):
        moved = remove_overlaps(centres, boxes + gap, width, height)
        if not overlapping(moved, boxes + gap):
            return moved
    return remove_overlaps(centres, boxes, width, height)


def place_in_rows(boxes, width, gap=0.08):
    """Centres of boxes written one after the other, row by row downwards from y = 0."""
    centres, x, y = np.zeros((len(boxes), 2)), 0.0, 0.0
    for i, (box_width, box_height) in enumerate(boxes):
        if x > 0 and x + box_width > width:
            x, y = 0.0, y - box_height - gap
        centres[i] = x + box_width / 2, y - box_height / 2
        x += box_width + gap
    return centres


def overlapping(centres, boxes):
    """The pairs i < j whose boxes overlap."""
    apart = np.abs(centres[:, None] - centres[None]) - (boxes[:, None] + boxes[None]) / 2
    return [(i, j) for i, j in np.argwhere((apart < -1e-9).all(axis=2)) if i < j]


def remove_overlaps(centres, boxes, width, height, sweeps=500):
    """Moves overlapping boxes apart, each pair along the axis that needs less, within the frame."""
    centres = centres.copy()
    low, high = boxes / 2, np.array([width, height]) - boxes / 2
    for _ in range(sweeps):
        pairs = overlapping(centres, boxes)
        if not pairs:
            break
        for i, j in pairs:
            _push_apart(centres, boxes, i, j)
        centres = np.clip(centres, low, high)
    return centres


def _push_apart(centres, boxes, i, j):
    offset = centres[j] - centres[i]
    excess = (boxes[i] + boxes[j]) / 2 - np.abs(offset)
    if (excess <= 0).any():
        return
    axis = int(np.argmin(excess))
    move = (excess[axis] / 2 + 1e-3) * (1 if offset[axis] >= 0 else -1)
    centres[i, axis] -= move
    centres[j, axis] += move


def _shortest_paths(weights, communities):
    """Over edges that are longer when weak and between communities; inf where none leads."""
    strength = np.sqrt(weights / max(weights.max(), 1e-300))
    same = communities[:, None] == communities[None]
    lengths = np.where(same, WITHIN, ACROSS) * (1.6 - 0.6 * strength)
    paths = np.where(weights > 0, lengths, np.inf)
    np.fill_diagonal(paths, 0.0)
    for k in range(len(paths)):
        paths = np.minimum(paths, paths[:, k:k + 1] + paths[k:k + 1])
    return paths


def _wanted(paths, communities):
    """Distances in the drawing, and how much each counts. A community is kept within a disc whose
    area grows with its size, and others out of it; what no path joins need not be far apart."""
    joined = np.isfinite(paths)
    paths = np.where(joined, paths, max(0.4 * paths[joined].max(), ACROSS))
    same = communities[:, None] == communities[None]
    radius = 0.62 * np.sqrt(same.sum(axis=1))
    inside = np.minimum(paths, 2 * radius[:, None])
    outside = np.maximum(paths, radius[:, None] + radius[None] + 0.9)
    wanted = np.where(same, inside, outside)
    np.fill_diagonal(wanted, 0.0)
    trust = np.where(joined | same, 1.0, 0.1) / np.maximum(wanted, 1e-9)**2
    np.fill_diagonal(trust, 0.0)
    return wanted, trust


def _classical_scaling(distances):
    """Coordinates from squared distances by an eigendecomposition: where majorization starts."""
    count = len(distances)
    centring = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centring @ distances**2 @ centring)
    if count == 1:
        return np.zeros((1, 2))
    return vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9)) + _jitter(count)


def _jitter(count):
    """Breaks ties between nodes of equal distances, the same in every run."""
    return 1e-3 * np.random.default_rng(0).standard_normal((count, 2))


def _majorize(wanted, trust, centres, iterations=400):
    """Minimises the stress sum trust_ij (|x_i - x_j| - wanted_ij)^2 by majorization."""
    inverse = np.linalg.pinv(np.diag(trust.sum(axis=1)) - trust)
    for _ in range(iterations):
        distances = np.linalg.norm(centres[:, None] - centres[None], axis=2)
        ratio = -trust * wanted / np.maximum(distances, 1e-9)
        np.fill_diagonal(ratio, -ratio.sum(axis=1))
        centres = inverse @ ratio @ centres
    return centres


def _level(centres):
    """Turns the drawing so that it is widest from left to right."""
    centred = centres - centres.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    return centred @ vectors[:, ::-1]


def _fit(centres, boxes, width, height, stretch=1.45):
    """Fills the frame, one axis stretched at most `stretch` times more than the other."""
    room = np.array([width, height]) - boxes.max(axis=0)
    extent = np.maximum(np.ptp(centres, axis=0), 1e-9)
    scale = np.minimum(room / extent, stretch * (room / extent).min())
    middle = (centres.max(axis=0) + centres.min(axis=0)) / 2
    return (centres - middle) * scale + np.array([width, height]) / 2
