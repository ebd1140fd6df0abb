"""Every Python block of the README and the docs runs, in order, as a reader would type it; so do the notebooks' cells."""
import importlib
import json
import re
import shutil
import warnings

import pytest

from conftest import ROOT

PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
         if re.search(r"^```python", page.read_text(), re.M)]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def run(code, name, place, monkeypatch):
    for module in ("torch", "sklearn", "nilearn", "pyriemann", "pandas", "skfolio"):
        if re.search(rf"^\s*(from|import) {module}\b|spodnet\.torch", code, re.M) and module in code:
            pytest.importorskip(module)
    torch = "torch" in code and pytest.importorskip("torch")
    shutil.copy(ROOT / "examples" / "measurements.csv", place)
    monkeypatch.chdir(place)
    monkeypatch.syspath_prepend(ROOT / "examples")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(code, name, "exec"), {"__name__": "docs"})
    finally:
        if torch:
            torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, tmp_path, monkeypatch):
    text = page.read_text()
    assert "```py\n" not in text and "```python3" not in text, "write ```python, so that it is tested"
    blocks = [(text[: m.start()].count("\n") + 1, m.group(1)) for m in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)]
    assert len(blocks) == len(re.findall(r"^```python", text, re.M))
    lines = [""] * text.count("\n")
    for line, block in blocks:
        lines[line:line + block.count("\n")] = block.splitlines()
    run("\n".join(lines), str(page), tmp_path, monkeypatch)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda page: page.stem)
def test_notebook(notebook, tmp_path, monkeypatch):
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] or cell["execution_count"] for cell in cells), "run docs/notebooks/make"
    run("\n\n".join("".join(cell["source"]) for cell in cells), str(notebook), tmp_path, monkeypatch)


def test_docstring_of_train_has_every_loss():
    import spodnet

    assert not [name for name in spodnet._core.loss_names() if name not in spodnet.train.__doc__]


def resolved(path):
    """The object that a line `::: path` of docs/api.md documents."""
    parts = path.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("spodnet"):
                pytest.skip(f"no {error.name}")
            continue
        for name in parts[k:]:
            found = getattr(found, name)
        return found
    raise AssertionError(f"docs/api.md: there is no {path}")


def test_api_page_has_every_public_name():
    import spodnet

    pytest.importorskip("torch")
    import spodnet.torch

    listed = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text(), re.M)
    names = {path.rsplit(".", 1)[1] for path in listed}
    assert not {*spodnet.__all__, *spodnet.torch.__all__} - names - {"__version__"}


@pytest.mark.parametrize("path", re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text(), re.M))
def test_api_page_names_exist(path):
    assert resolved(path).__doc__
