#!/usr/bin/env python3
"""The pictures, the report and the results page, drawn from made-up tables.

    plot_test.py SOURCE
"""

import colorsys
import contextlib
import io
import struct
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from html.parser import HTMLParser
from pathlib import Path

SOURCE = Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
sys.path[:0] = [str(SOURCE / "reproduce"), str(SOURCE / "tests" / "reproduce")]

import plot  # noqa: E402

if not plot.with_matplotlib():
    print("skipped: matplotlib is missing (apt-get install python3-matplotlib)")
    sys.exit(77)

import numpy as np  # noqa: E402
import results_page  # noqa: E402
from plots import beyond, fig4, layout, numbers, style  # noqa: E402
from plots.communities import colours_of_all  # noqa: E402
from plots.figures import FIGURES  # noqa: E402
from plots.tables import Table, over_seeds  # noqa: E402
from synthetic_tables import write_tables  # noqa: E402


def run(script, *arguments):
    """Exit status and standard error of a script's main."""
    error = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
        status = script.main([str(argument) for argument in arguments])
    return status, error.getvalue()


class Page(HTMLParser):
    """What a page contains and refers to; fails on tags that are not closed in order."""
    VOID = {"meta", "img", "br"}

    def __init__(self, path):
        super().__init__()
        self.open, self.ids, self.links, self.images = [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        self.images += [attributes["src"]] if "src" in attributes else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes another"


class Folder(unittest.TestCase):
    """One folder of tables, all of them but fig7, drawn once."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name) / "tables"
        write_tables(cls.folder, epochs=15)
        (cls.folder / "fig7.csv").unlink()
        cls.status, cls.error = run(plot, cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_draws_every_figure_that_has_its_table(self):
        self.assertEqual(self.status, 0, self.error)
        for figure in FIGURES:
            png, svg = (self.folder / f"{figure.NAME}.{suffix}" for suffix in ("png", "svg"))
            self.assertEqual(png.exists() and svg.exists(), figure.NAME != "fig7", figure.NAME)
            if png.exists():
                width, height = struct.unpack(">II", png.read_bytes()[16:24])
                self.assertTrue(1000 <= width <= 2200 and 300 <= height <= 2200, figure.NAME)
                self.assertEqual(xml.parse(svg).getroot().tag, "{http://www.w3.org/2000/svg}svg")
        self.assertLess(sum(p.stat().st_size for p in self.folder.glob("*.png")), 2_000_000)

    def test_report_stands_alone(self):
        page = Page(self.folder / "report.html")
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertEqual({link for link in page.links if link[1:] not in page.ids}, set())
        self.assertEqual(len(page.images), len(FIGURES) - 1)
        self.assertTrue(all(image.startswith("data:image/svg+xml") for image in page.images))

    def test_report_names_what_is_missing_and_every_verdict(self):
        text = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("Left out: fig7.csv is not here", text)
        self.assertIn("1 holds, 1 holds partly, 1 does not, 1 was not measured", text)
        self.assertIn("NMSE about 0.9", text)
        self.assertIn("&quot;various levels&quot;", text)
        figure6 = text[text.index('<section id="fig6">'):text.index('<section id="fig7">')]
        self.assertIn("modularity of UBG on Animals", figure6)
        self.assertNotIn("traditional methods", figure6)

    def test_results_page_is_made_of_the_tables(self):
        docs = Path(self.temporary.name) / "docs"
        self.assertEqual(run(results_page, self.folder, docs), (0, ""))
        text = (docs / "results.md").read_text(encoding="utf-8")
        self.assertIn("$ spodnet-reproduce all --scale quick --seed 1 -o results", text)
        self.assertIn("7 min 11 s", text)
        for figure in FIGURES:
            self.assertEqual(f"(results/{figure.NAME}.png)" in text, figure.NAME != "fig7")
        copied = docs / "results" / "beyond.csv"
        self.assertEqual(copied.read_bytes(), (self.folder / "beyond.csv").read_bytes())
        self.assertEqual(run(results_page, docs / "results", docs)[0], 2)


class BadTables(unittest.TestCase):
    def refused(self, text, *words):
        with tempfile.TemporaryDirectory() as folder:
            if text:
                (Path(folder) / "fig2.csv").write_text(text)
            status, error = run(plot, folder)
        self.assertEqual((status, error.count("\n")), (2, 1), error)
        for word in words:
            self.assertIn(word, error)

    def test_are_refused_in_one_line(self):
        header = "p,n,alpha,seed,epoch,eig_min_Z,density_Theta,discrepancy\n"
        self.refused("", "no table")
        self.refused("p,n,alpha\n20,100,0.95\n", "fig2.csv", "no column seed")
        self.refused(header + "20,100,0.95,1,0,much,1,1\n", "fig2.csv: line 2, column eig_min_Z",
                     "'much'")
        self.refused(header + "20,100\n", "fig2.csv", "line 2 has 2 fields, not 8")


class Layout(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(1)
        self.communities = rng.integers(0, 6, 33)
        same = self.communities[:, None] == self.communities[None]
        joined = rng.random((33, 33)) < np.where(same, 0.7, 0.04)
        upper = np.triu(np.where(joined, rng.random((33, 33)), 0), 1)
        self.weights = upper + upper.T
        self.boxes = np.column_stack([rng.uniform(0.4, 1.0, 33), np.full(33, 0.23)])
        self.centres = layout.place(self.weights, self.communities, self.boxes, 6.4, 4.6)

    def test_no_two_boxes_overlap_and_none_leaves_the_frame(self):
        low, high = self.centres - self.boxes / 2, self.centres + self.boxes / 2
        for i in range(33):
            for j in range(i):
                apart = (low[i] >= high[j]) | (low[j] >= high[i])
                self.assertTrue(apart.any(), f"{i} and {j}")
        self.assertTrue((low >= -1e-9).all() and (high <= (6.4 + 1e-9, 4.6 + 1e-9)).all())

    def test_communities_stand_together(self):
        distances = np.linalg.norm(self.centres[:, None] - self.centres[None], axis=2)
        same = self.communities[:, None] == self.communities[None]
        within = distances[same & ~np.eye(33, dtype=bool)].mean()
        self.assertLess(2 * within, distances[~same].mean())

    def test_one_node_and_none(self):
        self.assertEqual(layout.place(np.zeros((0, 0)), np.zeros(0), np.zeros((0, 2)), 1, 1).shape,
                         (0, 2))
        centre = layout.place(np.zeros((1, 1)), np.zeros(1), np.full((1, 2), 0.2), 4, 2)
        np.testing.assert_allclose(centre, [[2, 1]])


class Summaries(unittest.TestCase):
    def test_a_seed_that_stopped_early_counts_with_its_last_value(self):
        table = Table({"seed": np.array([1, 1, 1, 2, 2.0]), "epoch": np.array([0, 1, 2, 0, 1.0]),
                       "y": np.array([4, 3, 2, 8, 6.0])})
        np.testing.assert_allclose(over_seeds(table, "epoch", "y", carry=True).mean, [6, 4.5, 4])
        np.testing.assert_allclose(over_seeds(table, "epoch", "y").mean, [6, 4.5, 2])
        np.testing.assert_allclose(over_seeds(table, "epoch", "y").high, [8, 6, 2])

    def test_last_epoch_takes_one_row_of_each_run(self):
        one = np.ones(4)
        table = Table({"p": one, "n": one, "alpha": one, "seed": one, "nmse": np.arange(4.0),
                       "method": np.array(["ubg", "ubg", "oas", "ubg"], dtype=object),
                       "epoch": np.array([0, 2, np.nan, 1])})
        self.assertEqual(sorted(fig4.last_epoch(table)["nmse"]), [1.0, 2.0])

    def test_gain_is_against_the_better_of_baselines_and_paper(self):
        names = ["best", "ubg", "pnp", "oas", "glad-z", "ubg-k3"]
        one = np.ones(len(names))
        table = Table({"p": one, "n": one, "alpha": one, "seed": one,
                       "method": np.array(names, dtype=object),
                       "nmse": np.array([0.3, 0.5, 0.4, 0.6, 0.35, 0.1])})
        cell, = beyond.cells(table)
        self.assertEqual((cell.ours, cell.paper, cell.baseline), ("best", "pnp", "glad-z"))
        self.assertAlmostEqual(cell.gain(), 0.3 / 0.35)

    def test_numbers_are_short(self):
        shown = [numbers.short(x) for x in (0, 0.012345, -2.5, 1234.5, 1e-7, np.nan)]
        self.assertEqual(shown, ["0", "0.0123", "-2.5", "1234", "1.0e-07", "–"])
        self.assertEqual(numbers.with_range(np.array([0.1, 0.2])), "0.15 ± 0.05")
        self.assertEqual(numbers.with_range(np.array([0.1])), "0.1")


class Colours(unittest.TestCase):
    def hue(self, name):
        channels = bytes.fromhex(style.METHODS[name].colour[1:])
        return 360 * colorsys.rgb_to_hsv(*(c / 255 for c in channels))[0]

    def test_learned_methods_are_blue_and_classical_ones_red(self):
        for name in style.METHODS:
            if name in ("glasso-cv", "glasso", "ledoit-wolf", "oas", "egfm"):
                self.assertTrue(self.hue(name) < 45 or self.hue(name) > 340, name)
            else:
                self.assertTrue(175 < self.hue(name) < 260, name)

    def test_a_community_keeps_its_colour_in_other_graphs(self):
        first = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 1}
        second = {"a": 7, "b": 7, "c": 3, "d": 3, "e": 9}
        colours = colours_of_all({"x": first, "y": second})
        self.assertEqual(colours["y"][7], colours["x"][0])
        self.assertEqual(colours["y"][3], colours["x"][1])
        self.assertNotIn(colours["y"][9], colours["x"].values())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
