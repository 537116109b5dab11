"""A browser page with JupyterLab in it: open a notebook, run it, ask its kernel."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Locator, Page, Request, Route

WAIT_MS = 120_000

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
        self.page.route("**/*", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} at {message.location.get('url')}")

    def _asked(self, route: Route, request: Request) -> None:
        if request.url.startswith((self.server.url, "data:", "blob:")):
            route.continue_()
        else:
            self.foreign.append(request.url)
            route.abort()

    @contextmanager
    def notebook(self, path: str) -> Iterator[Locator]:
        """The notebook, open and its kernel ready; in the end the kernel goes."""
        self.page.goto(f"{self.server.url}/lab/tree/{path}?token={self.server.token}&reset")
        self.page.wait_for_function("() => window.jupyterapp")
        shown = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        shown.locator(".jp-CodeCell").first.wait_for()
        deadline = time.monotonic() + WAIT_MS / 1000
        while not self.page.evaluate(CONNECTED):
            assert time.monotonic() < deadline, "the kernel did not connect"
            self.page.wait_for_timeout(100)
        yield shown
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")

    def run_all(self) -> list[str]:
        """Run all cells to the end; gives back what went wrong in them."""
        assert self.page.evaluate(RUN), "the notebook did not come to an end"
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
        for _ in range(100):
            said = self.ask(f"print({code})")
            if said == str(wanted):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{code} is {said!r}, not {str(wanted)!r}")

    def dark(self, *, on: bool) -> None:
        """Switch JupyterLab's theme, and wait until it is there."""
        name = "JupyterLab Dark" if on else "JupyterLab Light"
        self.page.evaluate(
            "(theme) => { window.jupyterapp.commands.execute('apputils:change-theme', { theme }); }", name
        )
        self.page.wait_for_selector(f"body[data-jp-theme-name='{name}']", state="attached")
        self.page.wait_for_timeout(600)  # the shell is hidden for a moment while the styles change
