"""A headless browser that reaches nothing, and pages that run a widget without a kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, BrowserContext, Page

from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget, synced_state
from tests.gallery.pages import NoBrowser, browsing, open_widget


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One browser for all tests of a module: they stay on one worker."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group(f"browser {item.path.stem}"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module only: while it is open an event loop runs in this thread, and other tests need their own."""
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(browsing())
        except NoBrowser as missing:
            if os.environ.get("CI"):
                pytest.fail(str(missing))
            pytest.skip(str(missing))
        yield browser


@dataclass
class Opened:
    """A page, what it asked of the network, and what its console complained about."""

    page: Page
    foreign: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])

    def open(self, file: Path) -> Page:
        self.page.goto(file.as_uri())
        self.page.wait_for_function("() => window.ctxlabHost")
        return self.page

    def show(self, widget: Widget, folder: Path) -> Page:
        """The widget on its host page, as Python holds it."""
        return open_widget(self.page, widget, folder)

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
        self.page.wait_for_timeout(20)
        return messages


def clean(context: BrowserContext) -> Opened:
    opened = Opened(context.new_page())
    page = opened.page
    page.on("console", lambda message: opened.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: opened.errors.append(str(error)))
    page.on("dialog", lambda dialog: (opened.errors.append(dialog.message), dialog.dismiss()))
    own = ("file:", "blob:", "data:")
    page.on("request", lambda asked: None if asked.url.startswith(own) else opened.foreign.append(asked.url))
    return opened


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def opened(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """A fresh page; nothing may have gone wrong in it when the test ends."""
    scheme = request.getfixturevalue("theme") if "theme" in request.fixturenames else "light"
    context = browser.new_context(viewport={"width": 1100, "height": 900}, color_scheme=scheme)
    opened = clean(context)
    yield opened
    context.close()
    assert opened.errors == []
    assert opened.foreign == []
