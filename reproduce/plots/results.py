"""docs/results.md and docs/results/ of a finished run."""

import shutil

from . import verdicts
from .facts import spoken, worded
from .figures import FIGURES, read_tables
from .plan import machine, plan_facts, plan_tables, took
from .report import heading
from .tables import TableError, read_json

PICTURES_LIMIT = 2_000_000  # bytes, all of them together


def write_page(folder, docs):
    """Writes docs/results.md and replaces the tables and pictures in docs/results/."""
    if folder.resolve() == (docs / "results").resolve():
        raise TableError(f"{folder}: this is where the page's tables are copied to")
    plan = read_json(folder / "plan.json")
    drawn = {figure: tables for figure in FIGURES if (tables := read_tables(folder, figure))}
    if not drawn or not plan:
        raise TableError(f"{folder}: no tables and plan.json of “spodnet-reproduce” here")
    pictures = pictures_of(folder, drawn)
    parts = [introduction(plan), verdict_section(folder),
             *(figure_section(figure, tables) for figure, tables in drawn.items()),
             settings_section(plan)]
    copy_files(folder, docs / "results", drawn, pictures)
    (docs / "results.md").write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")


def pictures_of(folder, drawn):
    pictures = [folder / f"{figure.NAME}.png" for figure in drawn]
    for picture in pictures:
        if not picture.exists():
            raise TableError(f"{picture}: missing; make it with reproduce/plot.py {folder}")
    size = sum(picture.stat().st_size for picture in pictures)
    if size > PICTURES_LIMIT:
        raise TableError(f"{folder}: the pictures have {size} bytes, more than {PICTURES_LIMIT}")
    return pictures


def copy_files(folder, target, drawn, pictures):
    names = [name for figure in drawn for name in figure.COLUMNS] + ["verdicts"]
    tables = [folder / f"{name}.csv" for name in names] + [folder / "plan.json"]
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    for path in pictures + [path for path in tables if path.exists()]:
        shutil.copyfile(path, target / path.name)


def introduction(plan):
    run = [f"`--scale {plan['scale']}`" if "scale" in plan else "", took(plan), machine(plan),
           f"spodnet {plan['version']}" if "version" in plan else ""]
    return "\n\n".join(filter(None, [
        "# Results",
        "Every figure and claim of the paper, run again. The tables are in [results/](results/); "
        "this page is made from them by `reproduce/results_page.py`, nothing is typed by hand.",
        f"```console\n$ {plan['command']}\n```" if "command" in plan else "",
        f"The run: {', '.join(filter(None, run))}." if any(run) else ""]))


def verdict_section(folder):
    claims = verdicts.read_verdicts(folder)
    rows = [[f"{row['claim']} ({row['place']})", row["paper"],
             "<br>".join(verdicts.lines(row["measured"])), verdicts.worded(row["holds"]),
             row["reason"]] for row in claims]
    return (f"## {verdicts.TITLE}\n\n{len(claims)} claims: {verdicts.counted(claims)}.\n\n"
            f"{markdown_table(verdicts.HEADER, rows)}") if claims else ""


def figure_section(figure, tables):
    files = ", ".join(f"[{name}.csv](results/{name}.csv)" for name in figure.COLUMNS)
    parts = [f"## {heading(figure)}", f"![{figure.TITLE}](results/{figure.NAME}.png)",
             f"{figure.CAPTION} Table: {files}."]
    if hasattr(figure, "numbers"):
        parts += map(numbers_block, figure.numbers(tables))
    return "\n\n".join(parts)


def settings_section(plan):
    rows = [[spoken(name), worded(name, value)] for name, value in plan_facts(plan).items()]
    return "\n\n".join(["## Settings", markdown_table(["", ""], rows),
                        *map(numbers_block, plan_tables(plan))]) if rows else ""


def numbers_block(numbers):
    """A table that unfolds."""
    rows = [[f"**{cell}**" if column == best else cell for column, cell in enumerate(row)]
            for row, best in zip(numbers.rows, numbers.best)]
    return (f"<details><summary>{numbers.title}</summary>\n\n"
            f"{markdown_table(numbers.header, rows)}\n\n</details>")


def markdown_table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                     for line in lines)
