"""A browser page with JupyterLab in it: open a notebook, run it, ask its kernel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Locator, Page, Request

from tests.gallery.pages import PAINTED
from tests.gallery.pages import PATIENCE_MS as WAIT_MS

# The word Idle comes before the kernel's socket is open, and what is run then is lost: only the kernel itself knows.
CONNECTED = """async () => {
  const panel = window.jupyterapp?.shell.currentWidget;
  if (!panel?.sessionContext) return false;
  const soon = (promise) => Promise.race([promise, new Promise((go) => setTimeout(go, 2000))]);
  await soon(panel.context.ready);
  await soon(panel.sessionContext.ready);
  const kernel = panel.sessionContext.session?.kernel;
  if (!kernel) return false;
  await soon(kernel.info);
  return kernel.connectionStatus === "connected";
}"""
OPEN = """async ({ path, ms }) => {
  const opened = window.jupyterapp.commands.execute("docmanager:open", { path, factory: "Notebook" });
  await Promise.race([opened, new Promise((_, no) => setTimeout(() => no(new Error("it does not open")), ms))]);
}"""
CLOSE = """async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  await panel.sessionContext.shutdown();
  panel.dispose();
}"""
CELLS = "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"
# Each output that is a widget has something of its own in it.
WIDGETS = """() => [
  ...document.querySelectorAll(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.widget-view+json']"),
].every((output) => output.querySelector(".ctxlab"))"""
THEMED = """(name) => document.body.dataset.jpThemeName === name && window.jupyterapp.shell.isVisible"""
RUN = """() => Promise.race([
  window.jupyterapp.commands.execute("notebook:run-all-cells").then(() => true),
  new Promise((go) => setTimeout(() => go(false), 120000)),
])"""
ASK = """async ({ code, ms }) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const said = [];
  const asked = kernel.requestExecute({ code, store_history: false });
  asked.onIOPub = ({ header, content }) => {
    if (header.msg_type === "stream") said.push(content.text);
    if (header.msg_type === "error") said.push(content.ename + ": " + content.evalue);
  };
  await Promise.race([asked.done, new Promise((_, no) => setTimeout(() => no(new Error("no answer")), ms))]);
  return said.join("").trim();
}"""


@dataclass(frozen=True)
class Server:
    """Where JupyterLab answers, and the folder that it shows."""

    url: str
    token: str
    root: Path


@dataclass
class Lab:
    """The page, what it asked of anybody else, and what its console complained about."""

    page: Page
    server: Server
    foreign: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} at {message.location.get('url')}")

    def _asked(self, request: Request) -> None:
        """The browser reaches nothing else than this machine; here it is noted who tries."""
        if not request.url.startswith((self.server.url, "data:", "blob:")):
            self.foreign.append(request.url)

    def start(self) -> None:
        """JupyterLab itself, which takes longer than any notebook in it."""
        self.page.goto(f"{self.server.url}/lab?token={self.server.token}&reset")
        self.page.wait_for_function("() => window.jupyterapp")
        self.page.evaluate("() => window.jupyterapp.restored.then(() => true)")

    @contextmanager
    def notebook(self, path: str) -> Iterator[Locator]:
        """The notebook, open and its kernel ready; in the end both go."""
        self.page.evaluate(OPEN, {"path": path, "ms": WAIT_MS})
        shown = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        shown.locator(".jp-CodeCell").first.wait_for()
        deadline = time.monotonic() + WAIT_MS / 1000
        while not self.page.evaluate(CONNECTED):
            assert time.monotonic() < deadline, "the kernel did not connect"
            self.page.wait_for_timeout(100)
        yield shown
        self.page.evaluate(CLOSE)

    def run_all(self) -> list[str]:
        """Run all cells to the end; gives back what went wrong in them."""
        assert self.page.evaluate(RUN), "the notebook did not come to an end"
        self.page.wait_for_function(WIDGETS)
        wrong = self.page.locator(
            ".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr'], .jp-OutputArea-error"
        )
        return wrong.all_inner_texts()

    def ask(self, code: str) -> str:
        """What this code prints in the notebook's kernel."""
        return self.page.evaluate(ASK, {"code": code, "ms": WAIT_MS})

    def until(self, code: str, wanted: object) -> None:
        """Wait until this expression has that value in the kernel: a click takes its time to get there."""
        said = ""
        for _ in range(WAIT_MS // 100):
            said = self.ask(f"print({code})")
            if said == str(wanted):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{code} is {said!r}, not {str(wanted)!r}")

    def until_true(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until this holds of what is on the screen."""
        for _ in range(WAIT_MS // 100):
            if holds():
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"in vain: {what}")

    def cells(self) -> list[dict[str, Any]]:
        """The cells of code as they would be saved."""
        return [cell for cell in self.page.evaluate(CELLS) if cell["cell_type"] == "code"]

    def dark(self, *, on: bool) -> None:
        """Switch JupyterLab's theme, and wait until it is there: the shell is hidden while the styles change."""
        name = "JupyterLab Dark" if on else "JupyterLab Light"
        self.page.evaluate(
            "(theme) => { window.jupyterapp.commands.execute('apputils:change-theme', { theme }); }", name
        )
        self.page.wait_for_function(THEMED, arg=name)
        self.page.evaluate(PAINTED)
