"""The page that tests share is as new to each of them, and is waited for as long as it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxlab_widgets import TokenView
from tests.browser.conftest import Opened

LOADED = "() => performance.timeOrigin"


def test_a_widget_is_mounted_in_the_page_that_the_one_before_left(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView("one"), tmp_path)
    loaded = page.evaluate(LOADED)
    page.locator(".scroll").first.evaluate("(e) => { e.dataset.mine = 'yes' }")

    opened.show(TokenView("two"), tmp_path)

    assert page.evaluate(LOADED) == loaded
    assert page.locator(".scroll").first.inner_text() == "two"
    assert page.locator("[data-mine]").count() == 0


@pytest.mark.parametrize(
    "change",
    [
        "window.heard = []",
        "document.documentElement.dataset.theme = 'dark'",
        "document.body.append(document.createElement('div'))",
        "document.head.append(document.createElement('style'))",
        "document.querySelector('main').style.display = 'none'",
        "document.title = 'gone'",
    ],
)
def test_what_was_changed_around_a_widget_is_not_there_for_the_next(
    opened: Opened, change: str, tmp_path: Path
) -> None:
    page = opened.show(TokenView("one"), tmp_path)
    loaded = page.evaluate(LOADED)

    page.evaluate(f"() => {{ {change} }}")
    opened.show(TokenView("two"), tmp_path)

    assert page.evaluate(LOADED) != loaded


def test_what_is_due_later_is_waited_for_also_when_it_puts_it_off_again(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView("one"), tmp_path)

    page.evaluate("() => { setTimeout(() => setTimeout(() => { document.title = 'late' }, 300), 200) }")
    page.evaluate("() => { clearTimeout(setTimeout(() => { document.title = 'never' }, 600_000)) }")
    opened.rest()

    assert page.title() == "late"
