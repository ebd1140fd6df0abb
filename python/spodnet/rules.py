"""Prior knowledge of pairs of variables, by column number or name."""
from __future__ import annotations


def pairs_of(forbid, names, p: int) -> list[tuple[int, int]]:
    """Pairs of the p variables, by index or name."""
    return [(index_of(a, names, p), index_of(b, names, p)) for a, b in _tuples(forbid, 2, "forbid: pairs (a, b)")]


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


def among(rules, kept) -> list:
    """The rules of the variables that are kept, by their new numbers; (-1, -1, ...) is for all."""
    place = {-1: -1, **{int(column): k for k, column in enumerate(kept)}}
    return [(place[i], place[j], *rest) for i, j, *rest in rules if i in place and j in place]


def _tuples(given, length: int, what: str) -> list:
    rules = [rule if hasattr(rule, "__len__") and not isinstance(rule, str) else () for rule in ([] if given is None else given)]
    if any(len(rule) != length for rule in rules):
        raise ValueError(f"{what} are needed, by column number or name")
    return rules


def index_of(variable, names, p: int) -> int:
    if isinstance(variable, str):
        found = [] if names is None else [k for k, name in enumerate(names) if name == variable]
        if len(found) != 1:
            raise ValueError(f"variable {variable!r}: there is {'more than one' if len(found) else 'no such'} column")
        return int(found[0])
    if not 0 <= variable < p:
        raise ValueError(f"column {variable}: there are {p}, counted from 0")
    return int(variable)


def _word(sign, words) -> int:
    if sign not in words:
        raise ValueError(f"sign {sign!r}: it is positive, negative, +1 or -1")
    return words[sign]
