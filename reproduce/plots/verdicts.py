"""What the paper says, what was measured, and whether it holds (verdicts.csv)."""

import re
from collections import Counter

from .tables import read_table

COLUMNS = ("claim", "place", "paper", "measured", "holds", "reason")
TITLE = "What the paper says, what we measured"
HEADER = ("claim", "the paper", "measured", "verdict", "reason")

# As the table has it: as it is worded, singular and plural in a count, and its kind.
_WORDS = {"yes": ("holds", "holds", "hold", "good"),
          "partly": ("partly", "holds partly", "hold partly", "mixed"),
          "no": ("does not hold", "does not", "do not", "bad"),
          "not measured": ("not measured", "was not measured", "were not measured", "open")}


def read_verdicts(folder):
    """A dictionary for each claim; empty when there is no table."""
    table = read_table(folder / "verdicts.csv", COLUMNS)
    return table.rows() if table else []


def worded(holds):
    return _WORDS.get(holds, (holds,))[0]


def kind(holds):
    return _WORDS.get(holds, ("open",))[-1]


def counted(verdicts):
    """“5 hold, 1 holds partly, 2 do not”."""
    counts = Counter(row["holds"] for row in verdicts)
    return ", ".join(f"{counts[holds]} {words[1] if counts[holds] == 1 else words[2]}"
                     for holds, words in _WORDS.items() if counts[holds])


def of_figure(verdicts, figure):
    """The claims whose place names the figure: “Section 5.1, Figure 4”; of `beyond`, the goals that
    are not the paper's."""
    name = r"project's goal" if figure == "beyond" else rf"Figure {figure.removeprefix('fig')}\b"
    return [row for row in verdicts if re.search(name, row["place"])]


def lines(text):
    """A list of results, “p = 20: 0.1; p = 50: 0.2”, one by one."""
    return text.split("; ")
