"""A page of the built site in a browser that reaches nothing but files, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.gallery.accessibility import kept_out_by
from tests.gallery.pages import PAINTED

BROKEN_PICTURES = """async () => {
  for (const picture of document.images) picture.loading = "eager";
  for (const frame of document.querySelectorAll("iframe")) frame.loading = "eager";
  await Promise.all([...document.images].map((picture) => picture.decode().catch(() => null)));
  return [...document.images].filter((one) => !one.naturalWidth).map((one) => one.currentSrc || one.src);
}"""

SIDEWAYS = "() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True)
class Look:
    """How a reader's window is: its colours and its width in pixels."""

    colours: str
    width: int

    def __str__(self) -> str:
        return f"{self.colours}, {self.width} px"


LOOKS = [Look(colours, width) for width in (1280, 390) for colours in ("light", "dark")]


@dataclass
class Reader:
    """A window of one look, which opens one page after the other."""

    page: Page
    look: Look
    root: Path
    heard: list[str] = field(default_factory=list)

    def problems_of(self, path: Path) -> Iterator[str]:
        """A sentence for each thing that is wrong with one page, with the look it has it in."""
        self.heard.clear()
        self.page.goto(path.as_uri())
        broken = self.page.evaluate(BROKEN_PICTURES)
        self.page.wait_for_load_state("load")
        live = self.page.frames[1:]
        for frame in live:
            frame.wait_for_function("() => window.ctxlabHost")
        self.page.evaluate(PAINTED)
        yield from (f"a picture isn't there: {picture}" for picture in broken)
        if (over := self.page.evaluate(SIDEWAYS)) > 0:
            yield f"it scrolls sideways by {over} pixels"
        for frame in self.page.frames:
            inside = " in a view" if frame.parent_frame else ""
            yield from (each + inside for each in kept_out_by(frame))
        yield from self.heard


def reader(browser: Browser, look: Look, root: Path) -> Reader:
    """A window of that look which writes down errors and every request that isn't for a file of the site."""
    context = browser.new_context(
        color_scheme=look.colours, reduced_motion="reduce", viewport={"width": look.width, "height": 900}
    )
    page = context.new_page()
    reading = Reader(page, look, root)
    inside = root.as_uri()

    def asked(address: str) -> None:
        if not address.startswith((inside, "data:", "blob:")):
            reading.heard.append(f"it asks for {address}")

    page.on("request", lambda request: asked(request.url))
    page.on("requestfailed", lambda request: reading.heard.append(f"it doesn't get {request.url}"))
    page.on("pageerror", lambda error: reading.heard.append(f"its script fails: {error}"))
    page.on("console", lambda said: said.type == "error" and reading.heard.append(f"its console says: {said.text}"))
    return reading
