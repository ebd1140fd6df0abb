#!/usr/bin/env python3
"""Draws the pictures and the report of a folder that `spodnet-reproduce` filled with tables.

    python3 reproduce/plot.py DIR

Writes DIR/figN.png, DIR/figN.svg, DIR/beyond.* and DIR/report.html. Prints nothing on standard
output. Exit status: 0, 2 when a table cannot be drawn, 3 when matplotlib is missing.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

SYSTEM_PYTHON = "/usr/bin/python3"  # the one for which Debian's python3-matplotlib is installed


def with_matplotlib():
    """True when matplotlib can be imported here; changes to the system's Python if it can there."""
    if importlib.util.find_spec("matplotlib"):
        return True
    if Path(SYSTEM_PYTHON).exists() and not os.path.samefile(SYSTEM_PYTHON, sys.executable):
        found = subprocess.run([SYSTEM_PYTHON, "-c", "import matplotlib"], capture_output=True)
        if found.returncode == 0:
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    return False


def install():
    """Installs matplotlib where the project's own installer is at hand and may."""
    installer = Path(__file__).resolve().parent.parent / "scripts" / "packages"
    if not installer.exists():
        return False
    return subprocess.run([installer, "python3-matplotlib"], stdout=sys.stderr).returncode == 0


def main(arguments):
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    if not with_matplotlib() and not (install() and with_matplotlib()):
        print("plot.py: matplotlib is missing; install it with: apt-get install python3-matplotlib "
              "(or: pip install matplotlib)", file=sys.stderr)
        return 3
    from plots.figures import draw_all
    from plots.report import write_report
    from plots.tables import TableError
    folder = Path(arguments[0])
    try:
        drawn = draw_all(folder)
        write_report(folder, drawn)
    except TableError as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 2
    print(f"{', '.join(drawn)}: drawn; {folder / 'report.html'}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
