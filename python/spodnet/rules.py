"""Prior knowledge of pairs of variables, by column number or name."""
from __future__ import annotations

import operator


def pairs_of(forbid, names, p: int) -> list[tuple[int, int]]:
    """Pairs of the p variables, by index or name."""
    pairs = [(index_of(a, names, p), index_of(b, names, p)) for a, b in _tuples(forbid, 2, "forbid: pairs (a, b)")]
    for a, b in pairs:
        if a == b:
            raise ValueError(f"forbid: column {a} stands twice in a pair")
    return pairs


def signs_of(sign, names, p: int) -> list[tuple[int, int, int]]:
    """(i, j, +-1) from (a, b, sign); "positive" or "negative" for all pairs."""
    words = {"positive": 1, "negative": -1, "+": 1, "-": -1, 1: 1, -1: -1}
    if sign is None:
        return []
    if isinstance(sign, str):
        if sign not in words:
            raise ValueError(f"sign={sign!r}: it is positive, negative or a list of (a, b, sign)")
        return [(-1, -1, words[sign])]
    return [(index_of(a, names, p), index_of(b, names, p), _word(s, words))
            for a, b, s in _tuples(sign, 3, "sign: (a, b, sign) each")]


def _tuples(given, length: int, what: str) -> list:
    given = () if given is None else given
    if isinstance(given, (str, dict)) or not hasattr(given, "__iter__"):
        raise ValueError(f"{what} are needed, by column number or name")
    rules = [rule if hasattr(rule, "__len__") and not isinstance(rule, str) else () for rule in given]
    if any(len(rule) != length for rule in rules):
        raise ValueError(f"{what} are needed, by column number or name")
    return rules


def index_of(variable, names, p: int) -> int:
    if isinstance(variable, str):
        found = [] if names is None else [k for k, name in enumerate(names) if name == variable]
        if len(found) != 1:
            raise ValueError(f"variable {variable!r}: there is {'more than one' if len(found) else 'no such'} column")
        return int(found[0])
    try:
        place = operator.index(variable)
    except TypeError:
        raise ValueError(f"variable {variable!r}: it is a column's number or name") from None
    if not 0 <= place < p:
        raise ValueError(f"column {place}: there are {p}, counted from 0")
    return place


def _word(sign, words) -> int:
    if isinstance(sign, bool) or not isinstance(sign, (str, int)) or sign not in words:
        raise ValueError(f"sign {sign!r}: it is positive, negative, +1 or -1")
    return words[sign]
