"""WorkspaceView in a page: 10,000 sessions scroll, keys walk, search waits, a book is changed as a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxlab.storage.rows import Rows, SessionRow
from ctxlab_widgets import WorkspaceView
from tests.browser.conftest import Opened
from tests.gallery.samples import book, kept_book, session, tree, workspace

MANY = 10_000
ROWS = ".wlist .wr"


@pytest.fixture
def view() -> WorkspaceView:
    return WorkspaceView(workspace())


def many(view: WorkspaceView, monkeypatch: pytest.MonkeyPatch) -> WorkspaceView:
    """The view of a workspace with very many sessions."""
    rows = Rows(SessionRow(f"s{n}", f"Session {n}", messages=n, branches=1) for n in range(MANY))
    monkeypatch.setattr(type(view.workspace), "sessions", lambda *_, **__: rows)
    view.refresh()
    return view


def seen(opened: Opened) -> list[str]:
    """Names of the rows in sight, from the top."""
    return opened.page.evaluate(
        """() => { const box = document.querySelector(".wlist").getBoundingClientRect();
        return [...document.querySelectorAll(".wlist .wr")].filter((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return bottom > box.top + 1 && top < box.bottom - 1;
        }).map((row) => row.querySelector(".strong")?.textContent ?? "") }"""
    )


def test_ten_thousand_sessions_scroll_with_few_rows_in_the_page(
    opened: Opened, view: WorkspaceView, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = opened.show(many(view, monkeypatch), tmp_path)
    assert seen(opened)[0] == "Session 0"
    drawn = page.locator(ROWS).count()

    for row in (MANY // 2, MANY - 1):
        page.evaluate(
            "(share) => { const b = document.querySelector('.wlist'); b.scrollTop = b.scrollHeight * share }",
            row / MANY,
        )
        opened.painted()
        opened.pump(view)
        opened.painted()

        assert drawn / 2 < page.locator(ROWS).count() < 100
        names = seen(opened)
        assert names and all(names), "every row in sight has come"
        numbers = [int(name.split()[1]) for name in names]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert numbers[-1] == MANY - 1


def test_keys_walk_preview_and_open(opened: Opened, view: WorkspaceView, tmp_path: Path) -> None:
    page = opened.show(view, tmp_path)
    page.locator(".wlist").focus()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    opened.pump(view)

    assert page.locator(".side h3").first.text_content() == tree().name
    assert page.locator(".side svg.tree").get_attribute("aria-label") == "Tree of the session: 69 messages, 23 leaves"
    active = page.locator(".wlist").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"

    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    opened.pump(view)

    assert (view.opened[0], view.opened[1].id) == ("chat", session().id)


def test_a_search_waits_until_nobody_types_and_shows_where_words_are(
    opened: Opened, view: WorkspaceView, tmp_path: Path
) -> None:
    page = opened.show(view, tmp_path)
    page.locator(".wlist").focus()
    page.keyboard.press("/")

    page.keyboard.type("lamp", delay=10)
    assert opened.sent() == []
    opened.rest()
    sent = opened.pump(view)

    assert [each["query"] for each in sent] == ["lamp"]
    marked = page.locator(f"{ROWS} mark").all_text_contents()
    assert marked and {word.lower() for word in marked} == {"lamp"}
    assert " hits in 2 of 2 sessions." in (page.locator(".answer").text_content() or "")
    page.locator('.fac button[data-facet="part"]').first.click()
    opened.pump(view)
    assert view.filters["part"]


def test_a_book_is_changed_with_the_keyboard_alone(opened: Opened, tmp_path: Path) -> None:
    view = kept_book()
    page = opened.show(view, tmp_path)
    keys = list(book().entries)
    page.locator(".entries").focus()

    for press in ("End", "Space"):
        page.keyboard.press(press)
    opened.pump(view)
    assert view.table is not None
    assert view.table.picked == {*keys[:4], keys[-1]}

    page.keyboard.press("Control+z")
    opened.pump(view)
    assert not view.table.is_changed

    page.get_by_label("Field to change").select_option("order")
    page.locator(".bulk input").fill("12")
    page.keyboard.press("Enter")
    opened.pump(view)
    assert {view.table.book.entries[key].order for key in view.table.picked} == {12}

    page.keyboard.press("Control+s")
    opened.pump(view)
    assert not view.table.is_changed
    page.locator(".entries").focus()
    page.keyboard.press("Escape")
    opened.pump(view)
    assert view.book == ""
    assert page.locator(".wsp").is_visible()


def test_a_session_is_saved_as_a_file_of_a_chosen_format(opened: Opened, view: WorkspaceView, tmp_path: Path) -> None:
    page = opened.show(view, tmp_path)
    page.locator(ROWS).first.click()
    opened.pump(view)

    page.get_by_label("Format").select_option("markdown-tree")
    page.get_by_role("button", name="Export").click()
    sent = opened.pump(view)

    assert sent[-1] == {"command": "export", "id": session().id, "format": "markdown-tree"}
    assert f"{session().name}.tree.md" in (page.locator(".told").text_content() or "")
    assert page.locator(".side .kv dd").nth(1).text_content() == "1"


def test_a_new_session_begins_and_is_opened(opened: Opened, view: WorkspaceView, tmp_path: Path) -> None:
    page = opened.show(view, tmp_path)

    page.get_by_role("button", name="New session").click()
    opened.pump(view)

    assert (view.opened[0], view.opened[1].message_count) == ("chat", 0)
    assert "3 sessions." in (page.locator(".answer").text_content() or "")


def test_a_row_draws_a_bar_a_message(opened: Opened, view: WorkspaceView, tmp_path: Path) -> None:
    page = opened.show(view, tmp_path)
    row = next(row for row in view.shown if row.id == tree().id)
    bars = page.locator(ROWS, has_text=str(tree().name)).locator(".spark")

    drawn = "".join(path.get_attribute("d") or "" for path in bars.locator("path").all())
    assert drawn.count("M") == len(row.lengths) > 3
    assert (bars.get_attribute("aria-label") or "").startswith("Characters of its messages, ")
    opened.resize(1300)
    assert page.locator(".wh").inner_text().split("\n")[:2] == ["session", "characters a message"]


def test_a_hit_in_a_wide_tree_is_in_sight(opened: Opened, view: WorkspaceView, tmp_path: Path) -> None:
    view.search("lamp")
    view.show_preview(session().id)
    page = opened.show(view, tmp_path)
    opened.resize(1240)
    page.get_by_label("next hit").click()

    inside = page.evaluate(
        """() => { const [box, ring] = [".treebox", ".ring.now"].map((each) =>
          document.querySelector(each).getBoundingClientRect());
        return ring.left >= box.left - 1 && ring.right <= box.right + 1 }"""
    )
    assert inside
