"""One page for many widgets, one after the other: loaded once, left as it was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page

from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget, bundle_path, synced_state
from tests.gallery.pages import PAINTED, open_widget

Scheme = Literal["light", "dark"]
WIDTH, HEIGHT = 1100, 900

# What a test may have changed around the widget: attributes, elements, the title, names of the window.
AROUND = """() => JSON.stringify([
  ...[document.documentElement, document.head, document.body].map((element) =>
    [element.cloneNode(false).outerHTML, element.childElementCount]),
  document.querySelector("main")?.cloneNode(false).outerHTML,
  document.title,
  Object.getOwnPropertyNames(window).length,
])"""
# Which timers are still to come, for AT_REST.
TIMERS = """(() => {
  const { setTimeout: begin, clearTimeout: end } = window;
  const due = new Set();
  window.setTimeout = (act, wait = 0, ...words) => {
    const id = begin(() => { due.delete(id); act(...words); }, wait);
    due.add(id);
    return id;
  };
  window.clearTimeout = (id) => { due.delete(id); end(id); };
  window.timersDue = due;
})()"""
AT_REST = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  do {
    await frame();
    await frame();
  } while (window.timersDue?.size);
}"""
STOP = """() => {
  window.ctxlabHost?.stop();
  window.getSelection()?.removeAllRanges();
  window.scrollTo(0, 0);
  performance.clearMarks();
  performance.clearMeasures();
}"""
MOUNT = """async (state) => {
  const { model: old, widget } = window.ctxlabHost;
  const model = new old.constructor(JSON.parse(state));
  const el = document.getElementById("ctxlab-widget");
  el.replaceChildren();
  const stop = await widget.render({ model, el });
  Object.assign(window.ctxlabHost, { model, stop });
}"""


@dataclass
class KeptPage:
    """A page, what it asked of the network, and what its console complained about."""

    page: Page
    foreign: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])
    scheme: Scheme = "light"
    loaded: tuple[Path, str] | None = None
    """The bundle that is in the page, and what was around it when it came."""

    def __post_init__(self) -> None:
        page = self.page
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append(dialog.message), dialog.dismiss()))
        own = ("file:", "blob:", "data:")
        page.on("request", lambda asked: None if asked.url.startswith(own) else self.foreign.append(asked.url))

    def open(self, file: Path) -> Page:
        self.loaded = None
        self.page.goto(file.as_uri())
        self.page.wait_for_function("() => window.ctxlabHost")
        return self.page

    def show(self, widget: Widget, folder: Path) -> Page:
        """The widget on its host page, as Python holds it; the page is loaded anew only where it isn't as it was."""
        self._stop()
        bundle = bundle_path(type(widget))
        if self.loaded == (bundle, self.page.evaluate(AROUND)):
            self.page.evaluate(MOUNT, as_json(synced_state(widget)))
        else:
            open_widget(self.page, widget, folder)
            self.loaded = (bundle, self.page.evaluate(AROUND))
        self.painted()
        return self.page

    def sent(self) -> list[Any]:
        """What the widget has sent since last asked."""
        return self.page.evaluate("() => window.ctxlabHost.model.sent.splice(0)")

    def pump(self, widget: Widget) -> list[Any]:
        """What was saved and sent goes to Python, as through a kernel, and what Python then holds comes back."""
        for saved in self.page.evaluate("() => window.ctxlabHost.model.saved.splice(0)"):
            widget.set_state(saved)
        messages = self.sent()
        for message in messages:
            widget._handle_custom_msg(message, [])
        self.page.evaluate("(state) => window.ctxlabHost.model.put(JSON.parse(state))", as_json(synced_state(widget)))
        self.painted()
        return messages

    def painted(self) -> None:
        """Wait until what has changed is on the screen."""
        self.page.evaluate(PAINTED)

    def rest(self) -> None:
        """Wait until no timer of the page is due, and what it did is on the screen."""
        at_rest(self.page)

    def resize(self, width: int, height: int = HEIGHT) -> None:
        """Wait until the page has this size and has drawn itself for it."""
        size = {"width": width, "height": height}
        if self.page.viewport_size == size:
            return
        self.page.set_viewport_size(size)  # pyright: ignore[reportArgumentType]
        self.page.wait_for_function("({ width, height }) => innerWidth === width && innerHeight === height", arg=size)
        self.rest()

    def begin(self, scheme: Scheme) -> None:
        """As for a page just made: its size, its theme, the pointer in a corner, nothing complained about."""
        self.resize(WIDTH)
        if self.scheme != scheme:
            self.page.emulate_media(color_scheme=scheme)
            self.scheme = scheme
        self.page.mouse.move(0, 0)
        self.errors.clear()
        self.foreign.clear()

    def end(self) -> None:
        """The widget is gone, and what it had still to do is done."""
        self._stop()
        self.rest()

    def _stop(self) -> None:
        self.page.evaluate(STOP)


def at_rest(page: Page) -> None:
    """Wait until no timer of a kept page is due, and what it did is on the screen."""
    page.evaluate(AT_REST)


def kept_page(browser: Browser) -> KeptPage:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
    context.add_init_script(TIMERS)
    return KeptPage(context.new_page())
