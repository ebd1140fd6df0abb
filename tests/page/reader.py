"""The eyes and hands of a reader: what a page shows, and how it is pointed at and typed into."""

import json
import re

page = None  # the devtools.Page that is looked at


# Colours on the graph's canvas, sampled: how many pixels are not the ground's.
INK = """(() => {
  const canvas = document.getElementById(ID), copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const c = copy.getContext("2d", {willReadFrequently: true});
  c.drawImage(canvas, 0, 0);
  const pixels = c.getImageData(0, 0, canvas.width, canvas.height).data;
  const ground = pixels.slice(0, 3).join();
  let inked = 0;
  const colours = new Set();
  for (let k = 0; k < pixels.length; k += 4) {
    const colour = pixels[k] + "," + pixels[k + 1] + "," + pixels[k + 2];
    if (colour !== ground) { ++inked; colours.add(colour); }
  }
  return [inked, colours.size, ground];
})()"""


def ink(canvas="canvas"):
    return page.evaluate(INK.replace("ID", json.dumps(canvas)))


def of_colour(red, green, blue, canvas="canvas"):
    """Pixels of just this colour."""
    return page.evaluate(f"""(() => {{
      const c = document.getElementById({json.dumps(canvas)});
      const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      let count = 0;
      for (let k = 0; k < d.length; k += 4)
        count += d[k] === {red} && d[k + 1] === {green} && d[k + 2] === {blue};
      return count;
    }})()""")


def text(selector):
    return page.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")


def shown_edges():
    return int(re.search(r"([\d,]+) edges?", text("#count")).group(1).replace(",", ""))


def set_slider(name, value):
    page.evaluate(f"""(() => {{
      const slider = document.getElementById({json.dumps(name)});
      slider.value = {value};
      slider.dispatchEvent(new Event("input", {{bubbles: true}}));
    }})()""")
    page.settle()


def centre(selector):
    return page.evaluate(f"""(() => {{
      const element = document.querySelector({json.dumps(selector)});
      element.scrollIntoView({{block: "center", behavior: "instant"}});
      const box = element.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    }})()""")


def type_into(selector, words):
    page.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
    page.call("Input.insertText", text=words)
    page.settle()


def find_place(pattern):
    """A place on the stage where pointing shows a tip that matches, found by script and then
    pointed at with the mouse."""
    place = page.evaluate(f"""(() => {{
      const canvas = document.getElementById("canvas"), tip = document.getElementById("tip");
      canvas.scrollIntoView({{block: "center", behavior: "instant"}});
      const box = canvas.getBoundingClientRect();
      for (let y = 10; y < box.height - 10; y += 5)
        for (let x = 10; x < box.width - 10; x += 5) {{
          const where = {{clientX: box.left + x, clientY: box.top + y}};
          canvas.dispatchEvent(new PointerEvent("pointermove", {{...where, pointerId: 1}}));
          if (!tip.hidden && new RegExp({json.dumps(pattern)}).test(tip.innerText))
            return [where.clientX, where.clientY, tip.innerText];
        }}
      return null;
    }})()""")
    if place is None:
        raise AssertionError(f"nothing on the stage matches {pattern}")
    x, y, tip = place
    page.mouse("mouseMoved", x + 1, y)
    page.mouse("mouseMoved", x, y)
    page.settle()
    assert text("#tip") == tip, (text("#tip"), tip)
    return x, y, tip
