"""KnowledgeBaseView: entries with their pieces and places, what is off or could not be read, and what a query finds."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

import ctxlab
from ctxlab import KnowledgeBase
from ctxlab.knowledge.chunks import chunks_of
from ctxlab_widgets import KnowledgeBaseView, KnowledgeView, WorkspaceView
from ctxlab_widgets.knowledge_base_view import PAGE
from ctxlab_widgets.knowledge_base_view.entry_rows import EntryRows
from tests.gallery.samples import papers, workspace

SCRIPT = "<img src=x onerror=alert(1)>\u202e"


def told(widget: KnowledgeBaseView, command: str, /, **fields: Any) -> str:
    """What the page would send; gives the error."""
    widget._handle_custom_msg({"command": command, **fields}, [])
    return widget.error


def head(widget: KnowledgeBaseView) -> dict[str, Any]:
    return json.loads(widget.listing)


def rows(widget: KnowledgeBaseView) -> list[dict[str, Any]]:
    return json.loads(widget.rows)["rows"]


def many(count: int) -> KnowledgeBase:
    return ctxlab.knowledge_base("many", entries={f"note {n}": f"Lamp {n}. " * 3 for n in range(count)})


def test_every_entry_has_a_row_and_below_an_open_one_each_piece_says_where_it_stands() -> None:
    widget = KnowledgeBaseView(papers())
    number, entry = next((n, each) for n, each in enumerate(papers().entries) if each.kind == "markdown")

    assert [row["title"] for row in rows(widget)] == [each.key for each in papers().entries]
    assert told(widget, "open", entry=number, open=True) == ""

    pieces = [row for row in rows(widget) if "number" in row]
    cut = chunks_of(entry, papers().settings.chunks)
    assert [row["place"] for row in pieces] == [chunk.place for chunk in cut]
    assert [row["text"] for row in pieces] == [entry.content[each.start : each.end].strip("\r\n") for each in cut]
    assert next(row["pieces"] for row in rows(widget) if row["key"] == str(number)) == len(pieces) > 1
    assert told(widget, "open", entry=number, open=False) == ""
    assert head(widget)["count"] == len(papers().entries)


def test_the_sentence_counts_and_says_what_is_off_and_losses_are_told() -> None:
    base = papers().with_entry(papers().entries[0].id, enabled=False).with_(losses=(f"a.png: left out; {SCRIPT}",))
    off = sum(not each.enabled for each in base.entries)
    widget = KnowledgeBaseView(base)

    assert head(widget)["answer"].endswith(f"; {off} switched off, never found.")
    assert head(widget)["losses"] == [f"a.png: left out; {SCRIPT}"]
    assert [row["on"] for row in rows(widget)] == [each.enabled for each in base.entries]
    assert "0 entries" in head(KnowledgeBaseView(KnowledgeBase(id="empty")))["answer"]


@pytest.mark.parametrize("opened", [(), (0,), (3, 7), (299,)])
def test_pages_of_rows_are_parts_of_one_list(opened: tuple[int, ...]) -> None:
    table = EntryRows(
        ctxlab.knowledge_base("b", entries={f"{n}": f"Lamp {n}. " * 9 for n in range(300)}, chunk_characters=40)
    )
    table.open.update(opened)
    whole = table.page(0, 10_000)

    assert len(whole) == len(table)
    assert [row for start in range(0, len(table), 70) for row in table.page(start, 70)] == whole
    assert all(whole[table.place_of(entry)]["key"] == str(entry) for entry in (0, 3, 8, 299))
    assert all("number" in b for a, b in pairwise(whole) if a.get("open"))


def test_the_page_gets_the_rows_around_the_place_it_asks_for() -> None:
    widget = KnowledgeBaseView(many(3 * PAGE))

    assert told(widget, "rows", start=2 * PAGE) == ""

    page = json.loads(widget.rows)
    assert page["start"] <= 2 * PAGE < page["start"] + len(page["rows"]) <= page["start"] + PAGE
    assert [row["key"] for row in page["rows"]] == [str(page["start"] + n) for n in range(len(page["rows"]))]


def test_a_query_is_asked_as_a_message_would_and_its_candidates_stand_below() -> None:
    widget = KnowledgeBaseView(papers())
    page = widget.page

    assert told(widget, "ask", text=" Who carries the lamp? ") == ""

    assert isinstance(page.found, KnowledgeView)
    assert page.children == (widget, page.found)
    assert widget.query == "Who carries the lamp?"
    found = json.loads(page.found.view)
    assert found["query"]["text"] == "Who carries the lamp?"
    assert {row["base"] for row in found["rows"]} == {papers().id}

    first = page.found
    told(widget, "ask", text="灯塔")
    assert (page.found, page.found.trace) == (first, widget.trace)

    told(widget, "ask", text="")
    assert (widget.trace, page.children) == (None, (widget,))
    page.close()


def test_a_base_without_an_id_is_asked_too() -> None:
    base = KnowledgeBase(name="", entries=({"id": "1", "key": "Lamp", "content": "The lamp is lit."},))  # pyright: ignore[reportArgumentType]
    widget = KnowledgeBaseView(base)

    assert told(widget, "ask", text="lamp") == ""
    assert widget.trace is not None
    assert "lamp is lit" in str(widget.trace.messages)


def test_what_is_no_command_is_refused() -> None:
    widget = KnowledgeBaseView(papers())

    assert "is no command" in told(widget, "burn")
    assert "no entry number 99" in told(widget, "open", entry=99, open=True)
    with pytest.raises(ctxlab.errors.CtxlabError, match="no entry 'Towr'"):
        widget.open_entry("Towr")


def test_a_workspace_opens_a_base_and_a_hit_in_it_at_its_entry() -> None:
    kept = workspace()
    kept.save(papers())
    view = WorkspaceView(kept)
    page = view.page
    view.show_tab("knowledge_bases")
    view.search("clockwork")
    hit = json.loads(view.rows)["rows"][0]["snippets"][0]

    view.open_value(papers().id, node=hit["node"])

    opened = page.opened
    assert isinstance(opened, KnowledgeBaseView)
    assert any("clockwork" in row.get("text", "") for row in rows(opened))
    assert rows(opened)[opened.at - json.loads(opened.rows)["start"]]["open"]
    page.close()
