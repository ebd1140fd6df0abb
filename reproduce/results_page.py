#!/usr/bin/env python3
"""Makes docs/results.md and docs/results/ from a folder that `spodnet-reproduce` filled, so that no
number on that page is typed by hand.

    python3 reproduce/results_page.py DIR [DOCS]

DIR must have the pictures (reproduce/plot.py DIR); DOCS is this project's docs/ by default.
"""

import sys
from pathlib import Path

from plot import with_matplotlib


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    if not with_matplotlib():
        print("results_page.py: matplotlib is missing; install it with: apt-get install "
              "python3-matplotlib (or: pip install matplotlib)", file=sys.stderr)
        return 3
    from plots.results import write_page
    from plots.tables import TableError
    default = Path(__file__).resolve().parent.parent / "docs"
    docs = Path(arguments[1]) if len(arguments) == 2 else default
    try:
        write_page(Path(arguments[0]), docs)
    except TableError as error:
        print(f"results_page.py: {error}", file=sys.stderr)
        return 2
    print(docs / "results.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
