"""A page that draws one message's Markdown as a chat does, and gets late code as from a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from ctxlab_widgets._shared.html_page import POLICY
from ctxlab_widgets._shared.html_page import page as page_of
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.late_code import NAMES, late_code
from tests.gallery.kept_page import MOUNT, STOP, KeptPage

BUNDLE = Path(__file__).parent / "static" / "markdown_page.js"
CODES = "(codes) => { window.lateCodes = codes }"
ANSWER = """() => {
  const { model } = window.ctxlabHost;
  model.answer = ({ command, name }) => {
    if (command !== "late_code") return;
    const bytes = new DataView(new TextEncoder().encode(window.lateCodes[name]).buffer);
    for (const listener of [...model.listeners.get("msg:custom")]) listener({ late_code: name }, [bytes]);
  };
}"""
PUT = "(values) => window.ctxlabHost.model.put(values)"


def open_messages(
    opened: KeptPage, folder: Path, *, live: bool = True, assets: Mapping[str, Any] | None = None
) -> Page:
    """The page without a message yet; `assets` are `{"base64", "type"}` by address.

    It has no policy of its own, like a page of JupyterLab: what keeps a message from the network is the drawing alone.
    """
    file = folder / "message.html"
    state = {"text": "", "open": False, "thoughts": "", "live": live, "assets": dict(assets or {})}
    if opened.page.url == file.as_uri():
        opened.page.evaluate(STOP)
        opened.page.evaluate(MOUNT, as_json(state))
    else:
        html = page_of(BUNDLE, state, title="message")
        assert POLICY in html
        file.write_text(html.replace(POLICY, ""), encoding="utf-8")
        opened.open(file).evaluate(CODES, {name: late_code(name).decode() for name in NAMES})
    opened.page.evaluate(ANSWER)
    return opened.page


def show(page: Page, text: str, *, is_open: bool = False, thoughts: str = "") -> None:
    """Give the page another message, and wait until it is drawn."""
    page.evaluate(PUT, {"text": text, "open": is_open, "thoughts": thoughts})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
