"""report.html: all figures, captions, numbers, settings and verdicts in one page that needs nothing
but itself."""

import base64
from html import escape
from pathlib import Path

from . import verdicts
from .facts import facts
from .figures import FIGURES, why_missing
from .plan import machine, plan_facts, plan_tables, took
from .style import dark_colours
from .tables import read_json

ORIGIN = ("command", "seed", "scale", "version")  # of a figure's table


def write_report(folder, drawn):
    """Writes folder/report.html; `drawn` has the tables of each drawn figure by its name."""
    plan, claims = read_json(folder / "plan.json"), verdicts.read_verdicts(folder)
    sections = [_verdicts(claims), *(_figure(folder, figure, drawn, plan, claims)
                                     for figure in FIGURES), _settings(plan)]
    page = _PAGE.format(style=(Path(__file__).parent / "report.css").read_text(encoding="utf-8"),
                        lead=_lead(plan), summary=_summary(claims), contents=_contents(drawn),
                        sections="\n".join(sections))
    (folder / "report.html").write_text(page, encoding="utf-8")


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>SpodNet, reproduced</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>SpodNet, reproduced</h1>
<p class="lead">Every figure and claim of <cite>Schur’s Positive-Definite Network: Deep Learning in
the SPD cone with structure</cite> (Pouliquen, Massias, Vayer, ICLR 2025), run again with
spodnet.</p>
{lead}
{summary}
</header>
<nav aria-label="Contents">
<h2>Contents</h2>
<ol>
{contents}
</ol>
</nav>
<main>
{sections}
</main>
</body>
</html>
"""


def heading(figure):
    number = figure.NAME.removeprefix("fig")
    return f"Figure {number}. {figure.TITLE}" if number.isdigit() else figure.TITLE


def _lead(plan):
    shown = {"scale": plan.get("scale"), "took": took(plan), "machine": machine(plan),
             "version": plan.get("version")}
    items = "".join(f"<div><dt>{name}</dt><dd>{escape(str(value))}</dd></div>"
                    for name, value in shown.items() if value)
    command = plan.get("command")
    return (f"<dl class=\"facts\">{items}</dl>" if items else "") + (
        f"<pre><code>{escape(command)}</code></pre>" if command else "")


def _summary(claims):
    if not claims:
        return ""
    return (f"<p class=\"summary\"><a href=\"#verdicts\">{len(claims)} claims</a>: "
            f"{verdicts.counted(claims)}.</p>")


def _contents(drawn):
    entries = [("verdicts", verdicts.TITLE),
               *((figure.NAME, heading(figure) + ("" if figure.NAME in drawn else " (left out)"))
                 for figure in FIGURES), ("settings", "Settings")]
    return "\n".join(f"<li><a href=\"#{name}\">{escape(text)}</a></li>" for name, text in entries)


def _section(name, title, content):
    return f"<section id=\"{name}\"><h2>{escape(title)}</h2>\n{content}</section>"


def _verdicts(claims):
    head = "".join(f"<th scope=\"col\">{name}</th>" for name in verdicts.HEADER)
    body = "\n".join(map(_verdict_row, claims))
    table = (f"<table class=\"verdicts\"><thead><tr>{head}</tr></thead>\n"
             f"<tbody>{body}</tbody></table>")
    return _section("verdicts", verdicts.TITLE,
                    table if claims else "<p>No verdicts: verdicts.csv is missing.</p>")


def _verdict_row(row):
    measured = "<br>".join(map(escape, verdicts.lines(row["measured"])))
    cells = (f"{escape(row['claim'])} <small>{escape(row['place'])}</small>", escape(row["paper"]),
             measured, _badge(row["holds"]), escape(row["reason"]))
    return "<tr>" + "".join(f"<td data-name=\"{name}\"><div>{cell}</div></td>"
                            for name, cell in zip(verdicts.HEADER, cells)) + "</tr>"


def _badge(holds):
    return f"<span class=\"badge {verdicts.kind(holds)}\">{escape(verdicts.worded(holds))}</span>"


def _claims(claims):
    """The paper's claims about one figure, in short."""
    items = "".join(f"<li>{_badge(row['holds'])} <span>{escape(row['claim'])}</span></li>"
                    for row in claims)
    return f"<ul class=\"claims\" aria-label=\"Claims\">{items}</ul>\n" if items else ""


def _figure(folder, figure, drawn, plan, claims):
    if figure.NAME not in drawn:
        reason = escape(why_missing(folder, figure))
        return _section(figure.NAME, heading(figure),
                        f"<p class=\"missing\">Left out: {reason}.</p>")
    return _section(figure.NAME, heading(figure),
                    f"<figure><div class=\"picture\"><img alt=\"{escape(figure.TITLE)}\" "
                    f"src=\"{_embedded(folder / f'{figure.NAME}.svg')}\"></div>"
                    f"<figcaption>{escape(figure.CAPTION)}</figcaption></figure>\n"
                    f"{_claims(verdicts.of_figure(claims, figure.NAME))}"
                    f"{_numbers(figure, drawn[figure.NAME])}{_origin(folder, figure, plan)}")


def _embedded(path):
    """The SVG picture as a data address, with other colours where the reader prefers dark pages."""
    rules = "".join(f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
                    for light, dark in dark_colours().items() for what in ("fill", "stroke"))
    start, rest = path.read_text(encoding="utf-8").split("<defs>", 1)
    picture = (f"{start}<style>@media (prefers-color-scheme: dark) {{{rules}}}</style>"
               f"<defs>{rest}")
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()


def _numbers(figure, tables):
    if not hasattr(figure, "numbers"):
        return ""
    return _details("The numbers", "".join(map(_numbers_table, figure.numbers(tables))))


def _numbers_table(numbers):
    head = "".join(f"<th scope=\"col\">{escape(name)}</th>" for name in numbers.header)
    body = "\n".join(
        "<tr>" + "".join(f"<td{' class=best' if column == best else ''}>{escape(cell)}</td>"
                         for column, cell in enumerate(row)) + "</tr>"
        for row, best in zip(numbers.rows, numbers.best))
    return (f"<h3>{escape(numbers.title)}</h3><div class=\"scroll\"><table class=\"numbers\">"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")


def _details(title, content):
    return f"<details><summary>{title}</summary>{content}</details>\n" if content else ""


def _origin(folder, figure, plan):
    """Where a figure's table comes from, when that is not the run of the plan."""
    record = read_json(folder / f"{figure.NAME}.json")
    origin = {name: record[name] for name in ORIGIN if name in record}
    if all(plan.get(name) == value for name, value in origin.items()):
        return ""
    return _details("Made by another run", facts(origin))


def _settings(plan):
    tables = "".join(map(_numbers_table, plan_tables(plan)))
    return _section("settings", "Settings",
                    facts(plan_facts(plan)) + tables or "<p>plan.json is missing.</p>")
