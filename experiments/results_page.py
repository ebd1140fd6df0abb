#!/usr/bin/env python3
"""Makes docs/results.md and docs/results/ from a folder that `spodnet reproduce` filled, so that no
number on that page is typed by hand.

    python3 experiments/results_page.py DIR [DOCS]

DIR must have the pictures (experiments/plot.py DIR); DOCS is this project's docs/ by default.
"""

import shutil
import sys
from pathlib import Path

from plot import with_matplotlib

PICTURES_LIMIT = 2_000_000  # bytes, all of them together


def write_page(folder, docs):
    """Writes docs/results.md and replaces the tables and pictures in docs/results/."""
    from plots.figures import FIGURES, read_tables
    from plots.tables import TableError, read_json
    if folder.resolve() == (docs / "results").resolve():
        raise TableError(f"{folder}: this is where the page's tables are copied to")
    drawn = {figure: tables for figure in FIGURES if (tables := read_tables(folder, figure))}
    pictures = [folder / f"{figure.NAME}.png" for figure in drawn]
    for picture in pictures:
        if not picture.exists():
            raise TableError(f"{picture}: missing; make it with experiments/plot.py {folder}")
    size = sum(picture.stat().st_size for picture in pictures)
    if size > PICTURES_LIMIT:
        raise TableError(f"{folder}: the pictures have {size} bytes, more than {PICTURES_LIMIT}")
    parts = [introduction(read_json(folder / "plan.json")), verdict_section(folder),
             *(figure_section(figure, tables) for figure, tables in drawn.items()),
             settings_section(read_json(folder / "plan.json"))]
    copy_files(folder, docs / "results", drawn, pictures)
    (docs / "results.md").write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")


def copy_files(folder, target, drawn, pictures):
    names = [name for figure in drawn for name in figure.COLUMNS] + ["verdicts", "plan"]
    tables = [folder / f"{name}.{suffix}" for name in names for suffix in ("csv", "json")]
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    for path in pictures + [path for path in tables if path.exists()]:
        shutil.copyfile(path, target / path.name)


def introduction(plan):
    from plots.facts import duration
    run = [f"`--scale {plan['scale']}`" if "scale" in plan else "",
           duration(plan.get("seconds")), one_line(plan.get("machine", "")),
           f"spodnet {plan['version']}" if "version" in plan else ""]
    return "\n\n".join(filter(None, [
        "# Results",
        "Every figure and claim of the paper, run again. The tables are in [results/](results/); this "
        "page is made from them by `experiments/results_page.py`, nothing on it is typed by hand.",
        f"```console\n$ {plan['command']}\n```" if "command" in plan else "",
        f"The run: {', '.join(filter(None, run))}." if any(run) else ""]))


def verdict_section(folder):
    from plots.report import VERDICT_COLUMNS, count_verdicts, verdict
    from plots.tables import read_table
    verdicts = read_table(folder / "verdicts.csv", VERDICT_COLUMNS)
    if verdicts is None or len(verdicts) == 0:
        return ""
    rows = [[f"{row['claim']} ({row['place']})", row["paper"], row["measured"],
             verdict(row["holds"])[0], row["reason"]] for row in verdicts.rows()]
    header = ["claim", "the paper", "measured", "verdict", "reason"]
    return (f"## What the paper says, what we measured\n\n{len(rows)} claims: "
            f"{count_verdicts(verdicts)}.\n\n{markdown_table(header, rows)}")


def figure_section(figure, tables):
    from plots.report import heading
    files = ", ".join(f"[{name}.csv](results/{name}.csv)" for name in figure.COLUMNS)
    parts = [f"## {heading(figure)}", f"![{figure.TITLE}](results/{figure.NAME}.png)",
             f"{figure.CAPTION} Table: {files}."]
    for numbers in figure.numbers(tables) if hasattr(figure, "numbers") else []:
        rows = [[f"**{cell}**" if column == best else cell for column, cell in enumerate(row)]
                for row, best in zip(numbers.rows, numbers.best)]
        parts.append(f"<details><summary>{numbers.title}</summary>\n\n"
                     f"{markdown_table(numbers.header, rows)}\n\n</details>")
    return "\n\n".join(parts)


def settings_section(plan):
    from plots.facts import duration
    rows = [[name.replace("_", " "), duration(value) if name == "seconds" else one_line(value)]
            for name, value in plan.items()]
    return f"## Settings\n\n{markdown_table(['', ''], rows)}" if rows else ""


def one_line(value):
    """A value that came from JSON, in words."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {one_line(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ("; " if any(isinstance(item, dict) for item in value) else ", ").join(
            map(one_line, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def markdown_table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                     for line in lines)


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    if not with_matplotlib():
        print("results_page.py: matplotlib is missing; install it with: apt-get install "
              "python3-matplotlib (or: pip install matplotlib)", file=sys.stderr)
        return 3
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
