"""report.html: all figures, captions, numbers, settings and verdicts in one page that needs nothing
but itself."""

import base64
from collections import Counter
from html import escape
from pathlib import Path

from .facts import duration, facts
from .figures import FIGURES
from .style import dark_colours
from .tables import read_json, read_table

VERDICT_COLUMNS = ("claim", "place", "paper", "measured", "holds", "reason")
VERDICTS = {"yes": ("holds", "good"), "no": ("does not hold", "bad"), "partly": ("partly", "mixed")}


def write_report(folder, drawn):
    """Writes folder/report.html; `drawn` has the tables of each drawn figure by its name."""
    plan = read_json(folder / "plan.json")
    verdicts = read_table(folder / "verdicts.csv", VERDICT_COLUMNS)
    sections = [_verdicts(verdicts), *(_figure(folder, figure, drawn) for figure in FIGURES),
                _settings(plan)]
    page = _PAGE.format(style=(Path(__file__).parent / "report.css").read_text(encoding="utf-8"),
                        lead=_lead(plan), summary=_summary(verdicts), contents=_contents(drawn),
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
the SPD cone with structure</cite> (Pouliquen, Massias, Vayer, ICLR 2025), run again with spodnet.</p>
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


def verdict(holds):
    """How a verdict is worded, and its class."""
    return VERDICTS.get(holds.strip().lower(), (holds, "mixed"))


def count_verdicts(verdicts):
    """“5 hold, 2 do not, 1 holds partly”."""
    counts = Counter(verdict(holds)[1] for holds in verdicts["holds"])
    words = {"good": ("holds", "hold"), "bad": ("does not", "do not"),
             "mixed": ("holds partly", "hold partly")}
    return ", ".join(f"{counts[kind]} {word[counts[kind] > 1]}" for kind, word in words.items()
                     if counts[kind])


def _lead(plan):
    shown = [("scale", plan.get("scale")), ("took", duration(plan.get("seconds"))),
             ("machine", plan.get("machine")), ("version", plan.get("version"))]
    items = "".join(f"<div><dt>{name}</dt><dd>{facts(value)}</dd></div>"
                    for name, value in shown if value)
    command = plan.get("command")
    return (f"<dl class=\"facts\">{items}</dl>" if items else "") + (
        f"<pre><code>{escape(str(command))}</code></pre>" if command else "")


def _summary(verdicts):
    if verdicts is None or len(verdicts) == 0:
        return ""
    return (f"<p class=\"summary\"><a href=\"#verdicts\">{len(verdicts)} claims of the paper</a>: "
            f"{count_verdicts(verdicts)}.</p>")


def _contents(drawn):
    entries = [("verdicts", "What the paper says, what we measured"),
               *((figure.NAME, heading(figure) + ("" if figure.NAME in drawn else " (left out)"))
                 for figure in FIGURES), ("settings", "Settings")]
    return "\n".join(f"<li><a href=\"#{name}\">{escape(text)}</a></li>" for name, text in entries)


def _verdicts(verdicts):
    title = "<h2>What the paper says, what we measured</h2>"
    if verdicts is None or len(verdicts) == 0:
        return f"<section id=\"verdicts\">{title}<p>No verdicts: verdicts.csv is missing.</p></section>"
    names = ("claim", "the paper", "measured", "verdict", "reason")
    head = "".join(f"<th scope=\"col\">{name}</th>" for name in names)
    body = "\n".join(_verdict_row(row, names) for row in verdicts.rows())
    return (f"<section id=\"verdicts\">{title}<table class=\"verdicts\"><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table></section>")


def _verdict_row(row, names):
    word, kind = verdict(row["holds"])
    claim = f"{escape(row['claim'])} <small>{escape(row['place'])}</small>"
    cells = (claim, escape(row["paper"]), escape(row["measured"]),
             f"<span class=\"badge {kind}\">{escape(word)}</span>", escape(row["reason"]))
    return "<tr>" + "".join(f"<td data-name=\"{name}\">{cell}</td>"
                            for name, cell in zip(names, cells) if cell or name != "reason") + "</tr>"


def _figure(folder, figure, drawn):
    title = f"<h2>{escape(heading(figure))}</h2>"
    if figure.NAME not in drawn:
        files = " and ".join(f"{name}.csv" for name in figure.COLUMNS)
        return (f"<section id=\"{figure.NAME}\">{title}<p class=\"missing\">Left out: {files} not found "
                f"here. <code>spodnet reproduce {figure.NAME}</code> makes it.</p></section>")
    picture = _embedded(folder / f"{figure.NAME}.svg")
    return (f"<section id=\"{figure.NAME}\">{title}<figure><div class=\"picture\">"
            f"<img alt=\"{escape(figure.TITLE)}\" src=\"{picture}\"></div>"
            f"<figcaption>{escape(figure.CAPTION)}</figcaption></figure>"
            f"{_numbers(figure, drawn[figure.NAME])}"
            f"{_details('Settings of this figure', facts(read_json(folder / f'{figure.NAME}.json')))}"
            f"</section>")


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
    return (f"<div class=\"scroll\"><table class=\"numbers\"><caption>{escape(numbers.title)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")


def _details(title, content):
    return f"<details><summary>{title}</summary>{content}</details>" if content else ""


def _settings(plan):
    content = facts(plan) or "<p>plan.json is missing.</p>"
    return f"<section id=\"settings\"><h2>Settings</h2>{content}</section>"
