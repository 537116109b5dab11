"""A headless browser that reaches nothing but files and this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserType, Page, expect, sync_playwright

from ctxlab_widgets._shared.html_page import page as page_of
from ctxlab_widgets._shared.widget import Widget, bundle_path, synced_state
from tests.gallery.fonts import fonts_for_browser
from tests.machine_use import used

FLAGS = [
    "--no-sandbox",  # the user may be root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


# What a test expects comes about on a busy machine too: this is no measure of time, but the end of all patience.
PATIENCE_MS = 120_000
expect.set_options(timeout=PATIENCE_MS)

# Two frames: what was changed before is laid out and drawn.
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


class NoBrowser(Exception):
    """There is none to be had; the message says what to do."""


def installed() -> str | None:
    """The machine's own browser, or the one that CTXLAB_CHROMIUM names."""
    named = os.environ.get("CTXLAB_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def browsing(fonts: str = "usual") -> Iterator[Browser]:
    """Debian's Chromium, or the one that playwright brings, with a set of fonts; raises NoBrowser."""
    with sync_playwright() as play, launched(play.chromium, fonts) as browser:
        yield browser


@contextmanager
def launched(chromium: BrowserType, fonts: str = "usual") -> Iterator[Browser]:
    """A browser with the fonts of this set and no others; raises NoBrowser."""
    found = installed()
    if found is None and not Path(chromium.executable_path).exists():
        raise NoBrowser("no browser: install chromium, or run playwright install chromium")
    used("browsers", found or chromium.executable_path)
    env: dict[str, str | float | bool] = {**os.environ, **fonts_for_browser(fonts)}
    browser = chromium.launch(executable_path=found, args=FLAGS, env=env)
    yield browser
    browser.close()


def open_widget(page: Page, widget: Widget, folder: Path) -> Page:
    """The widget on its host page, as Python holds it."""
    file = folder / "live.html"
    file.write_text(page_of(bundle_path(type(widget)), synced_state(widget), title="live"), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_function("() => window.ctxlabHost")
    return page
