"""All figures in the order of the report. Each module has NAME, TITLE, CAPTION, COLUMNS (what its
tables must have), draw(tables) and, where a table of numbers helps, numbers(tables)."""

import matplotlib.pyplot as plt
from PIL import Image

from . import beyond, fig2, fig3, fig4, fig5, fig6, fig7, fig8, fig9, style
from .tables import TableError, read_table

FIGURES = (fig2, fig3, fig4, fig5, fig6, fig7, fig8, fig9, beyond)
DPI = 150


def read_tables(folder, figure):
    """The figure's tables by name; None when one of them is missing or has no rows."""
    tables = {name: read_table(folder / f"{name}.csv", columns)
              for name, columns in figure.COLUMNS.items()}
    return tables if all(table is not None and len(table) for table in tables.values()) else None


def why_missing(folder, figure):
    """What read_tables did not find."""
    absent = [name for name in figure.COLUMNS if not (folder / f"{name}.csv").exists()]
    if absent:
        return f"{absent[0]}.csv is not here; “spodnet-reproduce {figure.NAME}” makes it"
    return f"{' or '.join(f'{name}.csv' for name in figure.COLUMNS)} has no rows"


def save_picture(folder, figure, tables):
    """Writes NAME.png and NAME.svg."""
    style.use()
    picture = figure.draw(tables)
    picture.draw_without_rendering()
    picture.set_layout_engine("none")  # laid out once, for both files
    frame = {"bbox_inches": "tight", "pad_inches": 0.12}
    picture.savefig(folder / f"{figure.NAME}.svg", metadata={"Date": None}, **frame)
    picture.savefig(folder / f"{figure.NAME}.png", dpi=DPI, **frame)
    plt.close(picture)
    _reduce_colours(folder / f"{figure.NAME}.png")


def _reduce_colours(path):
    """256 colours are enough for a plot, and halve its file."""
    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)


def draw_all(folder):
    """Draws every figure whose tables are there; returns its tables by the figure's name."""
    drawn = {}
    for figure in FIGURES:
        tables = read_tables(folder, figure)
        if tables:
            save_picture(folder, figure, tables)
            drawn[figure.NAME] = tables
    if not drawn:
        raise TableError(f"{folder}: no table of a figure here (fig2.csv … fig9.csv, beyond.csv)")
    return drawn
