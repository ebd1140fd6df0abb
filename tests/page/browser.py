"""What a reader does with the report, in a headless Chromium: look, slide, search, drag, print.

usage: browser.py MAKE_REPORT
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import devtools  # noqa: E402
import reader  # noqa: E402
from reader import centre, find_place, ink, of_colour, set_slider, shown_edges, text, type_into  # noqa: E402

work = pathlib.Path()
page = None


class Report(unittest.TestCase):
    def open(self, case, width=1400, height=900, dark=False):
        page.size(width, height, dark)
        page.complaints.clear()
        page.requests.clear()
        page.open(work / case / "report.html")

    def tearDown(self):
        self.assertEqual(page.complaints, [])
        self.assertEqual([r for r in page.requests if not r.startswith(("file:", "data:", "blob:"))], [])

    def test_draws_the_graph_and_the_heat_map(self):
        for case in ["small", "medium", "large"]:
            for dark in [False, True]:
                self.open(case, dark=dark)
                inked, colours, ground = ink()
                self.assertGreater(inked, 2000, case)
                self.assertGreater(colours, 20, case)
                self.assertEqual(sum(map(int, ground.split(","))) < 300, dark)
                self.assertGreater(ink("heat-canvas")[0], 2000, case)

    def test_every_variable_has_its_mark(self):
        for case in ["small", "medium", "large"]:
            self.open(case)
            graph = json.loads((work / case / "graph.json").read_text())
            second = sum(node["community"] == 2 for node in graph["nodes"])
            self.assertGreater(of_colour(230, 159, 0), 15 * second, case)  # the second community's colour

    def test_says_what_was_found(self):
        self.open("small")
        summary = json.loads((work / "small" / "summary.json").read_text())
        lede = text("#lede")
        links = json.loads((work / "small" / "graph.json").read_text())["links"]
        self.assertIn(f"{sum(link['stable'] for link in links)} are linked stably", lede)
        self.assertIn(f"{summary['edges']} have an edge in the estimate", lede)
        self.assertIn(summary["strongest"][0]["source"], lede)
        self.assertIn(f"{summary['communities']} communities", lede)
        body = text("body")
        for part in [note["text"][1:] for note in summary["notes"]] + [summary["method"], summary["method_name"], summary["stable_check"]]:
            self.assertIn(part, body)
        for part in ["positive definite", "Schur's Positive-Definite Network", "Pouliquen", "chosen", "seed"]:
            self.assertIn(part, body)

    def test_bad_news_comes_first_and_without_a_tick(self):
        self.open("unstable")
        summary = json.loads((work / "unstable" / "summary.json").read_text())
        self.assertIn("none has a stable edge at 10 %", text("#lede"))
        self.assertIn(f"{summary['edges']} have an edge in the estimate", text("#lede"))
        self.assertIn("Why: Of edges as sure as the surest here", text("#lede"))
        ticked = page.evaluate("[...document.querySelectorAll('#certificate .pass')].map(e => e.innerText).join()")
        self.assertNotIn("stable", ticked)
        self.assertIn("No edge is stable at 10 %", text("#certificate .fail"))
        self.assertIn("learned network, refitted", text("#facts"))
        self.assertNotIn("pretrained:", text("#facts"))
        self.assertIn("pretrained:target=precision,refit=true", text("#settings"))

    def test_strength_slider_changes_the_visible_edges(self):
        self.open("small")
        everything, before = shown_edges(), ink()[0]
        summary = json.loads((work / "small" / "graph.json").read_text())
        sizes = [abs(link["partial_correlation"]) for link in summary["links"]]
        self.assertEqual(everything, len(sizes))
        set_slider("strength", 0.2)
        self.assertEqual(shown_edges(), sum(size >= 0.2 for size in sizes))
        self.assertLess(ink()[0], before)
        set_slider("strength", 1)
        self.assertGreaterEqual(shown_edges(), 1)
        set_slider("strength", 0)
        self.assertEqual(shown_edges(), everything)

    def test_strength_slider_by_keyboard(self):
        self.open("small")
        before = shown_edges()
        page.evaluate("document.getElementById('strength').focus()")
        for _ in range(3):
            page.call("Input.dispatchKeyEvent", type="keyDown", key="PageUp", code="PageUp", windowsVirtualKeyCode=33)
            page.call("Input.dispatchKeyEvent", type="keyUp", key="PageUp", code="PageUp", windowsVirtualKeyCode=33)
        page.settle()
        self.assertLess(shown_edges(), before)

    def test_confidence_slider_makes_edges_faint_but_hides_none(self):
        self.open("medium")
        shown = shown_edges()
        faint = lambda: int((re.search(r"([\d,]+) of them faint", text("#count")) or [0, "0"])[1])
        counts = []
        for share in [0, 0.5, 0.9, 1]:
            set_slider("share", share)
            counts.append(faint())
            self.assertEqual(shown_edges(), shown)
        self.assertEqual(counts, sorted(counts))
        self.assertLess(counts[0], counts[-1])

    def test_search_finds_a_variable(self):
        self.open("medium")
        before = ink()[0]
        type_into("#search", "goril")
        self.assertEqual(page.evaluate("document.querySelectorAll('#matches [role=option]').length"), 1)
        page.key("Enter")
        self.assertIn("Gorilla", text("#panel h3"))
        self.assertGreater(page.evaluate("document.querySelectorAll('#panel .neighbours li').length"), 0)
        self.assertNotEqual(ink()[0], before)
        page.evaluate("document.getElementById('search').value = ''")
        type_into("#search", "no such thing")
        self.assertIn("no variable", text("#matches"))

    def test_pointing_clicking_and_dragging(self):
        self.open("small")
        x, y, tip = find_place("neighbour")
        name = tip.split("\n")[0]
        page.click(x, y)
        self.assertIn(name, text("#panel h3"))
        page.evaluate("document.querySelector('#panel .panel-back button').click()")
        self.assertIn("communities", text("#panel h3"))
        page.drag(x, y, x + 90, y + 60)
        page.mouse("mouseMoved", x + 90, y + 60)
        page.settle()
        self.assertIn(name, text("#tip"))
        page.click(*centre("#zoom-fit"))
        self.assertLess(abs(find_place("^" + re.escape(name) + r"\n")[0] - x), 15)
        find_place("partial correlation")

    def test_zoom_pan_and_keys(self):
        self.open("small")
        picture = lambda: page.evaluate("document.getElementById('canvas').toDataURL()")
        pictures = [picture()]
        page.click(*centre("#zoom-in"))
        pictures.append(picture())
        page.evaluate("document.getElementById('canvas').focus()")
        for key in ["ArrowLeft", "-", "n"]:
            page.key(key, key if len(key) == 1 else None)
            pictures.append(picture())
        self.assertEqual(len(set(pictures)), len(pictures))
        first = json.loads((work / "small" / "graph.json").read_text())["nodes"][0]["name"]
        self.assertIn(first, text("#panel h3"))
        page.key("Escape")
        page.key("0", "0")
        page.mouse("mouseMoved", 2, 2)
        page.settle()
        self.assertEqual(picture(), pictures[0])

    def test_table_sorts_and_filters(self):
        self.open("medium")
        column = lambda k: page.evaluate(
            f"[...document.querySelectorAll('#edges-table tbody tr')].map(row => row.children[{k}].innerText.trim())")
        page.evaluate("document.querySelector('#edges-table [data-key=a]').click()")
        names = column(1)
        self.assertEqual(names, sorted(names, key=str.lower))
        page.evaluate("document.querySelector('#edges-table [data-key=partial]').click()")
        values = [float(v.replace("−", "-")) for v in column(3)]
        self.assertEqual(values, sorted(values, reverse=True))
        rows = len(values)
        page.evaluate("document.getElementById('edges-more').click()")
        self.assertGreater(len(column(0)), rows)
        type_into("#edges-filter", "Salmon")
        self.assertTrue(all("Salmon" in (a, b) for a, b in zip(column(1), column(2))))

    def test_variables_stand_with_their_measures(self):
        self.open("medium")
        nodes = json.loads((work / "medium" / "graph.json").read_text())["nodes"]
        column = lambda k: page.evaluate(
            f"[...document.querySelectorAll('#nodes-table tbody tr')].map(row => row.children[{k}].innerText.trim())")
        page.evaluate("document.getElementById('nodes-more').click()")
        page.evaluate("document.querySelector('#nodes-table [data-key=closeness]').click()")
        wanted = sorted(nodes, key=lambda node: -node["closeness"])
        self.assertEqual(column(0)[0].split()[-1], wanted[0]["name"].split()[-1])
        values = [float(cell.split("\n")[0]) for cell in column(3)]
        self.assertEqual(len(values), len(nodes))
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertIn("correlation-stability", text("#nodes-words"))

    def test_heat_map_tells_names_and_values(self):
        self.open("small")
        page.evaluate("document.getElementById('heat-canvas').focus()")
        page.key("ArrowDown")
        for _ in range(12):
            page.key("ArrowRight")
        found = text("#heat-value")
        self.assertRegex(found, r"–")
        self.assertRegex(found, "partial correlation|no edge")
        self.assertFalse(page.evaluate("document.getElementById('heat-tip').hidden"))

    def test_hairball_is_met_with_the_strongest_edges(self):
        self.open("large")
        summary = json.loads((work / "large" / "summary.json").read_text())
        self.assertLess(shown_edges(), summary["edges"])
        self.assertIn("strongest", text("#hairball"))
        set_slider("strength", 0)
        self.assertEqual(shown_edges(), summary["edges"])

    def test_a_large_graph_is_drawn_with_a_few_calls_for_each_mark(self):
        """Counts calls of the canvas, not time: no machine is too busy for that."""
        self.open("large")
        set_slider("strength", 0)
        calls = page.evaluate("""new Promise(done => {
          const methods = CanvasRenderingContext2D.prototype, before = {}, slider = document.getElementById("strength");
          let calls = 0;
          for (const [name, {value}] of Object.entries(Object.getOwnPropertyDescriptors(methods)))
            if (typeof value === "function" && name !== "constructor") {
              before[name] = value;
              methods[name] = function (...words) { ++calls; return value.apply(this, words); };
            }
          slider.value = 0.01;
          slider.dispatchEvent(new Event("input", {bubbles: true}));
          requestAnimationFrame(() => requestAnimationFrame(() => { Object.assign(methods, before); done(calls); }));
        })""")
        marks = sum(len(json.loads((work / "large" / "graph.json").read_text())[key]) for key in ("nodes", "links"))
        self.assertGreater(calls, marks)
        self.assertLess(calls, 12 * marks)

    def test_hostile_names_stay_text(self):
        self.open("hostile")
        self.assertIsNone(page.evaluate("window.broken ?? null"))
        self.assertEqual(page.evaluate("document.images.length"), 0)
        names = json.loads((work / "hostile" / "graph.json").read_text())["nodes"]
        script = next(n["name"] for n in names if n["name"].startswith("<script>"))
        type_into("#search", "<script>window")
        page.key("Enter")
        self.assertIn(script, text("#panel h3"))
        self.assertIn("</title></script>", page.evaluate("document.title"))

    def test_saves_the_picture(self):
        for case in ["medium", "hostile"]:
            self.open(case)
            folder = work / f"saved-{case}"
            page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
            for name in ["save-svg", "save-png"]:
                page.click(*centre(f"#{name}"))
            for _ in range(6000):
                if all((folder / name).exists() for name in ["graph.svg", "graph.png"]):
                    break
                time.sleep(0.05)
            edges = len(json.loads((work / case / "graph.json").read_text())["links"])
            lines = xml.etree.ElementTree.parse(folder / "graph.svg").iter("{http://www.w3.org/2000/svg}line")
            self.assertEqual(len(list(lines)), edges)
            self.assertTrue((folder / "graph.png").read_bytes().startswith(b"\x89PNG"))

    def test_no_edges_and_narrow_screens(self):
        self.open("empty", width=400)
        self.assertIn("no link was found in 60 rows", text("#lede"))
        for case in ["small", "medium", "large", "hostile", "unstable", "empty"]:
            self.open(case, width=400, height=800)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 400, case)
            if case != "empty":  # a name is not broken into letters
                self.assertGreaterEqual(page.evaluate("document.querySelector('#nodes-table tbody td').offsetWidth"), 120)

    def test_every_control_has_a_name(self):
        self.open("small")
        nameless = page.evaluate("""[...document.querySelectorAll("button, input, canvas, [role=img]")]
          .filter(e => !(e.innerText || e.getAttribute("aria-label") || (e.labels && e.labels.length)))
          .map(e => e.outerHTML.slice(0, 80))""")
        self.assertEqual(nameless, [])

    def test_prints_in_light_colours(self):
        self.open("small", dark=True)
        page.paper(work / "small.pdf")
        self.assertTrue((work / "small.pdf").read_bytes().startswith(b"%PDF"))
        page.settle()
        self.assertLess(sum(map(int, ink()[2].split(","))), 300)  # and dark again afterwards
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        self.assertGreater(sum(map(int, ink()[2].split(","))), 700)
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")


def main():
    global work, page
    if devtools.find_browser() is None:
        print("SKIPPED: no Chromium here that sees /tmp (Debian: chromium; Ubuntu: google-chrome, no snap)")
        sys.exit(77)
    make_report = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for case in ["small", "medium", "large", "hostile", "unstable", "empty"]:
            subprocess.run([make_report, case, str(work / case)], check=True, stdout=subprocess.DEVNULL)
        with devtools.Page() as page:
            reader.page = page
            unittest.main(exit=True)


main()
