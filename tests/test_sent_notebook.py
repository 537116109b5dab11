"""A notebook that is sent to somebody without Python and without a network, as the page on it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.gallery.pages import browsing, installed

PAGE = Path(__file__).parents[1] / "docs/send_a_notebook.md"
DRAWN = (
    "() => [...document.querySelectorAll('.js-plotly-plot .main-svg')].filter((one) => one.clientHeight > 200).length"
)

pytestmark = [
    pytest.mark.notebook,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(installed() is None or find_spec("nbconvert") is None, reason="no browser, or no nbconvert"),
    pytest.mark.filterwarnings("default"),  # the kernel's own client warns
]


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cells of the page and one with a view, run, saved and made HTML."""
    import nbformat
    from nbclient import NotebookClient
    from nbconvert.exporters import HTMLExporter

    folder = tmp_path_factory.mktemp("sent")
    cells = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(code) for code in [*cells, "ctxlab_widgets.LoreView(trace)", "trace"]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        client = NotebookClient(
            notebook, timeout=300, store_widget_state=False, resources={"metadata": {"path": str(folder)}}
        )
        client.execute()
        html, _ = HTMLExporter().from_notebook_node(notebook)
    (folder / "notebook.html").write_text(html, encoding="utf-8")
    return folder / "notebook.html"


@pytest.fixture(scope="module")
def opened(sent: Path) -> Iterator[tuple[Any, list[str]]]:
    """The page in a browser without a network, and what it asked for in vain."""
    asked: list[str] = []
    with browsing() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.on("requestfailed", lambda request: asked.append(request.url))
        page.goto(sent.as_uri())
        page.wait_for_function(f"() => ({DRAWN})() >= 2")
        yield page, asked


def test_figures_and_plots_of_frames_are_drawn(opened: tuple[Any, list[str]]) -> None:
    page, asked = opened

    assert page.evaluate(DRAWN) >= 2
    assert asked and all("mathjax" in each.lower() or "require" in each for each in asked)


def test_a_view_leaves_a_sentence_and_a_table(opened: tuple[Any, list[str]]) -> None:
    page, _ = opened
    outputs = page.locator(".jp-OutputArea-output").all_inner_texts()

    view, run = outputs[-2:]
    assert "LoreView works where Python runs." in view
    assert page.locator(".jp-OutputArea-output").last.locator("table").count() >= 1 and len(run) > 100


def test_a_report_in_a_frame_has_its_tabs(opened: tuple[Any, list[str]]) -> None:
    page, _ = opened
    frame = page.frames[1]

    frame.locator("nav button", has_text="Lore").click()

    assert frame.locator(".ctxlab:visible").first.inner_text()
