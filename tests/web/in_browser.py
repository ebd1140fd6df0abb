"""The page as its readers use it, in a headless Chromium: drop, wait, look, save, stop, go offline.

usage: in_browser.py PAGE DATA
"""

import functools
import gzip
import http.server
import json
import pathlib
import random
import sys
import tempfile
import threading
import time
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "page"))
import devtools  # noqa: E402
import reader  # noqa: E402

folder = data = work = page = None


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def log_message(self, *_):
        pass


class Server:
    """The folder on a port of this machine."""

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        return self

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def __exit__(self, *_):
        self.stop()


def go_to(address):
    page.complaints.clear()
    page.requests.clear()
    page.call("Page.navigate", url=address)
    page.settle("location.protocol === 'http:' && document.getElementById('state')?.innerText === 'Ready.'")


def drop(path):
    """A file let go over the page: the browser's own drag events."""
    at = {"x": 200, "y": 300, "data": {"items": [], "files": [str(path)], "dragOperationsMask": 1}}
    for kind in ["dragEnter", "dragOver", "drop"]:
        page.call("Input.dispatchDragEvent", type=kind, **at)


def state():
    return page.evaluate("document.getElementById('state').innerText")


def is_shown(name):
    return page.evaluate(f"(e => !!e && e.checkVisibility())(document.getElementById('{name}'))")


def fill(name, value):
    page.evaluate(f"document.getElementById('settings').elements[{json.dumps(name)}].value = {json.dumps(value)}")


def press(name):
    page.evaluate(f"document.getElementById({json.dumps(name)}).click()")


def analysed(path, **settings):
    for name, value in settings.items():
        fill(name, value)
    drop(path)
    page.settle(f"new RegExp('{path.name}: (done in|not analysed)').test(document.getElementById('state').innerText)")


# Colours in a picture of the frame, seen from outside: the report is in a sandbox.
COLOURS = """new Promise(done => {
  const image = new Image(), frame = document.getElementById("report").getBoundingClientRect();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const c = canvas.getContext("2d", {willReadFrequently: true});
    c.drawImage(image, 0, 0);
    const pixels = c.getImageData(frame.x, frame.y, frame.width, frame.height).data, colours = new Set();
    for (let k = 0; k < pixels.length; k += 4) colours.add((pixels[k] << 16) | (pixels[k + 1] << 8) | pixels[k + 2]);
    done(colours.size);
  };
  image.src = "data:image/png;base64," + PICTURE;
})"""


def colours_of_report():
    shot = page.call("Page.captureScreenshot")["data"]
    return page.evaluate(COLOURS.replace("PICTURE", json.dumps(shot)))


def saved(button, name):
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(work))
    (work / name).unlink(missing_ok=True)
    press(button)
    for _ in range(6000):
        if (work / name).exists():
            return work / name
        time.sleep(0.05)
    raise AssertionError(f"{name} was not saved")


def chain(rows, columns, seed):
    """A table in which each column depends on the one before."""
    draw = random.Random(seed)
    lines = [",".join(f"v{j + 1}" for j in range(columns))]
    for _ in range(rows):
        values = [draw.gauss(0, 1)]
        for _ in range(columns - 1):
            values.append(0.6 * values[-1] + draw.gauss(0, 1))
        lines.append(",".join(f"{value:.6g}" for value in values))
    return "\n".join(lines) + "\n"


class InBrowser(unittest.TestCase):
    def setUp(self):
        page.size(1400, 900)
        go_to(server.address)

    def tearDown(self):
        self.assertEqual(page.complaints, [])
        self.assertEqual([r for r in page.requests if not r.startswith((server.address, "data:", "blob:"))], [])

    def test_a_dropped_table_becomes_the_report(self):
        for width, height in [(1400, 900), (400, 800)]:
            page.size(width, height)
            go_to(server.address)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            analysed(data / "wine.csv", bootstrap="20")
            self.assertIn("wine.csv: done in", state())
            self.assertFalse(is_shown("begin"))
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            page.settle("document.getElementById('report').getBoundingClientRect().height > 400")
            for _ in range(6000):
                if colours_of_report() > 50:
                    break
                time.sleep(0.05)
            self.assertGreater(colours_of_report(), 50)
        report = saved("save-report", "wine-report.html")
        archive = zipfile.ZipFile(saved("save-all", "wine-spodnet.zip"))
        self.assertIsNone(archive.testzip())
        self.assertEqual(archive.read("wine/report.html"), report.read_bytes())
        for name in ["edges.csv", "precision.csv", "graph.graphml", "graph.png", "summary.json"]:
            self.assertIn(f"wine/{name}", archive.namelist())
        self.assertEqual(json.loads(archive.read("wine/summary.json"))["resamples"], 20)
        page.size(1400, 900)
        page.open(report)
        self.assertGreater(reader.ink()[0], 2000)
        page.requests[:] = [r for r in page.requests if r != report.as_uri()]

    def test_examples_and_settings(self):
        page.evaluate("document.querySelector('[data-example=\"questionnaire.csv\"]').click()")
        page.settle("document.getElementById('state').innerText.includes('done in')")
        press("again")
        fill("bootstrap", "0")
        fill("method", "glasso-ebic")
        press("go")
        page.settle("document.getElementById('state').innerText.includes('done in') && !document.body.classList.contains('busy')")
        archive = zipfile.ZipFile(saved("save-all", "questionnaire-spodnet.zip"))
        self.assertTrue(json.loads(archive.read("questionnaire/summary.json"))["method"].startswith("glasso-ebic"))

    def test_packed_tables_and_missing_codes(self):
        lines = (data / "questionnaire.csv").read_text().splitlines()
        lines[1] = ",".join(["-99"] + lines[1].split(",")[1:])
        path = work / "items.csv.gz"
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
        analysed(path, bootstrap="0", na="-99", method="glasso-ebic")
        archive = zipfile.ZipFile(saved("save-all", "items-spodnet.zip"))
        self.assertIn("missing", archive.read("items/summary.json").decode())
        self.assertIn("done in", state())

    def test_says_what_is_wrong_with_a_table_and_goes_on(self):
        for name, text, words in [("ragged.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n", "line 3"), ("empty.csv", "", "empty.csv"),
                                  ("words.csv", "a,b\nx,y\nu,v\nw,x\n", "words.csv")]:
            (work / name).write_text(text)
            analysed(work / name)
            self.assertIn("not analysed", state())
            self.assertTrue(is_shown("alert"))
            self.assertIn(words, page.evaluate("document.getElementById('alert').innerText"))
            self.assertNotIn("spod_", page.evaluate("document.getElementById('alert').innerText"))
        analysed(data / "wine.csv", bootstrap="0", method="glasso-ebic")
        self.assertIn("wine.csv: done in", state())
        self.assertFalse(is_shown("alert"))

    def test_stop_ends_the_work_and_the_next_table_is_taken(self):
        fill("bootstrap", "100000")
        drop(data / "questionnaire.csv")
        page.settle("!document.getElementById('stop').hidden && document.getElementById('progress').value > 0")
        press("stop")
        self.assertEqual(state(), "Stopped.")
        self.assertFalse(is_shown("stop"))
        analysed(data / "wine.csv", bootstrap="0", method="glasso-ebic")
        self.assertIn("wine.csv: done in", state())

    def test_a_hundred_columns(self):
        path = work / "hundred.csv"
        path.write_text(chain(150, 100, 1))
        analysed(path, bootstrap="0", method="pretrained")
        self.assertIn("done in", state())
        archive = zipfile.ZipFile(saved("save-all", "hundred-spodnet.zip"))
        pairs = [line.split(",")[:2] for line in archive.read("hundred/edges.csv").decode().splitlines()[1:100]]
        near = sum(abs(int(a.strip('"').lstrip("v")) - int(b.strip('"').lstrip("v"))) == 1 for a, b in pairs)
        self.assertGreater(near, 80)

    def test_works_offline_once_loaded(self):
        with Server() as own:
            go_to(own.address)
            page.settle("navigator.serviceWorker.controller !== null")
            own.stop()
            go_to(own.address)
            analysed(data / "wine.csv", bootstrap="0", method="glasso-ebic")
            self.assertIn("wine.csv: done in", state())
            page.requests[:] = [r for r in page.requests if not r.startswith(own.address)]

    def test_every_control_has_a_name(self):
        nameless = page.evaluate("""[...document.querySelectorAll("button, input, select, textarea, iframe, progress")]
          .filter(e => !(e.innerText || e.title || e.getAttribute("aria-label") || (e.labels && e.labels.length))).map(e => e.outerHTML.slice(0, 80))""")
        self.assertEqual(nameless, [])


def main():
    global folder, data, work, page, server
    if devtools.find_browser() is None:
        print("SKIPPED: no Chromium here that sees /tmp (Debian: chromium; Ubuntu: google-chrome, no snap)")
        sys.exit(77)
    folder, data = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
    with tempfile.TemporaryDirectory() as temporary, Server() as server, devtools.Page() as page:
        work = pathlib.Path(temporary)
        reader.page = page
        unittest.main(exit=True)


main()
