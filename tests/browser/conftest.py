"""A headless browser that reaches nothing, and a page that runs one widget after the other without a kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser

from tests.gallery.kept_page import KeptPage, kept_page
from tests.gallery.pages import NoBrowser, browsing

HERE = str(Path(__file__).parent) + os.sep
Opened = KeptPage
"""What a test gets: the page, and what went wrong in it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if str(item.path).startswith(HERE):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """For this folder only: while it is open an event loop runs in this thread, and other tests need their own."""
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(browsing())
        except NoBrowser as missing:
            if os.environ.get("CI"):
                pytest.fail(str(missing))
            pytest.skip(str(missing))
        yield browser


@pytest.fixture(scope="package")
def pages(browser: Browser) -> list[KeptPage]:
    """The page that tests share; empty before the first of them, and after one that failed."""
    return []


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def opened(browser: Browser, pages: list[KeptPage], request: pytest.FixtureRequest) -> Iterator[Opened]:
    """A page as if it were new; nothing may have gone wrong in it when the test ends."""
    if not pages:
        pages.append(kept_page(browser))
    opened, failed = pages[0], request.session.testsfailed
    opened.begin(request.getfixturevalue("theme") if "theme" in request.fixturenames else "light")
    yield opened
    if request.session.testsfailed > failed:
        pages.pop().page.context.close()
    else:
        opened.end()
    assert opened.errors == []
    assert opened.foreign == []
