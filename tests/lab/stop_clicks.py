"""Stop in JupyterLab while pieces come fast and the machine is busy: what the page and Python did, as events."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page

from tests.lab.pages import Lab, Server

PIECES_A_SECOND, MOST_PIECES = 1000, 600_000
CELLS = (
    f"""import time

import ctxlab
from ctxlab_widgets import ChatPanel

LOG = {{}}

def endless(messages):
    start = time.perf_counter()
    for n in range({MOST_PIECES}):
        LOG.update(pieces=n + 1, last=time.time())
        yield "and on "
        time.sleep(max(0.0, start + n / {PIECES_A_SECOND} - time.perf_counter()))
""",
    """found = ctxlab.example("harbour")
panel = ChatPanel(found, model=endless, budget_tokens=1800)
panel
""",
)
# When Stop was pressed, when the page said that it stops, and when the answer was shown as stopped.
WATCH = """() => {
  const seen = (window.stopSeen = {});
  window.addEventListener("pointerdown", (event) => {
    if (event.target.closest?.("button")?.textContent === "Stop") seen.pressed = Date.now();
  }, { capture: true });
  new MutationObserver(() => {
    if (!seen.pressed) return;
    const isStopping = [...document.querySelectorAll("article button")].some((e) => e.textContent === "Stopping…");
    const last = [...document.querySelectorAll("article")].at(-1);
    if (isStopping) seen.said ??= Date.now();
    if (last?.classList.contains("is-stopped")) seen.stopped ??= Date.now();
  }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


RUN_BESIDE = """(code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const cell = kernel.requestExecute({ code, store_history: false });
  cell.onIOPub = ({ header }) => { if (header.msg_type === "stream") window.stopSeen.cellBegan = Date.now(); };
  cell.done.then(() => { window.stopSeen.cellEnded = Date.now(); });
}"""


def notebook() -> str:
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": cell, "outputs": [], "execution_count": None}
        for i, cell in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells})


def _burn() -> None:
    while True:
        sum(range(10_000))


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """So many processes that do nothing but take turns on the processors."""
    context = multiprocessing.get_context("spawn")
    busy = [context.Process(target=_burn, daemon=True) for _ in range(count)]
    for each in busy:
        each.start()
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.join()


def stops(lab: Lab, server: Server, *, tries: int, cell: str = "") -> list[dict[str, Any]]:
    """Of each try the milliseconds from the press to what followed it, and the number of pieces that came.

    With a `cell` its code runs while Stop is pressed; it may say in `LOG` that it waited in vain.
    """
    (server.root / "stop.ipynb").write_text(notebook())
    with lab.notebook("stop.ipynb") as shown:
        assert lab.run_all() == []
        chat = shown.get_by_role("region", name="Chat").last
        found: list[dict[str, Any]] = []
        for _ in range(tries):
            lab.ask("LOG.clear()")
            lab.page.evaluate(WATCH)
            box = chat.get_by_role("textbox", name="Your message")
            box.fill("Tell me without end")
            box.press("Enter")
            lab.until("LOG.get('pieces', 0) > 1500", wanted=True)
            if cell:
                lab.page.evaluate(RUN_BESIDE, cell)
                lab.page.wait_for_function("() => window.stopSeen.cellBegan")
            chat.locator("article").last.get_by_role("button", name="Stop", exact=True).click()
            found.append(_of_try(lab, lab.page))
        return found


def _of_try(lab: Lab, page: Page) -> dict[str, Any]:
    page.wait_for_function("() => window.stopSeen.stopped && (!window.stopSeen.cellBegan || window.stopSeen.cellEnded)")
    seen = page.evaluate("() => window.stopSeen")
    log = json.loads(lab.ask("import json; panel.wait(); print(json.dumps(LOG))"))
    pressed = seen["pressed"]
    return {
        "said": seen["said"] - pressed,
        "last_piece": round(log["last"] * 1000) - pressed,
        "stopped": seen["stopped"] - pressed,
        "pieces": log["pieces"],
        "waited_in_vain": bool(log.get("waited_in_vain")),
    }
