"""WorkspaceView: what is listed and counted, found, opened, arranged, changed in a book, saved, imported."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import ctxlab
import ctxlab_widgets
from ctxlab import ChangedMeanwhile, Session, Worldbook
from ctxlab.documents import LoreEntry
from ctxlab.errors import CtxlabError
from ctxlab_widgets import WorkspaceView
from ctxlab_widgets.workspace_view import PAGE
from ctxlab_widgets.workspace_view.book_table import FIELDS, BookTable, fields_of
from ctxlab_widgets.workspace_view.dropped_files import pasted_name
from ctxlab_widgets.workspace_view.files_out import exported
from ctxlab_widgets.workspace_view.listing import NOTHING_CHOSEN, Times, kept_of, listing_of
from tests.gallery.samples import DATASETS, book, papers, session, tree, workspace

KNOWLEDGE = (DATASETS / "harbour_papers.knowledge.json").read_bytes()
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def view() -> WorkspaceView:
    return WorkspaceView(workspace())


def send(widget: WorkspaceView, command: str, /, **fields: Any) -> str:
    """What the page would send; gives the error."""
    widget._handle_custom_msg({"command": command, **fields}, [])
    return widget.error


def head(view: WorkspaceView) -> dict[str, Any]:
    return json.loads(view.listing)


def facet(view: WorkspaceView, name: str) -> dict[str, int]:
    return dict(head(view)["facets"][name])


def test_it_lists_the_sessions_with_their_places_and_what_they_hold(view: WorkspaceView) -> None:
    rows = json.loads(view.rows)["rows"]

    assert head(view)["answer"] == "2 sessions."
    assert facet(view, "place") == {"": 2, "favourites": 1, "folder:Research": 1, "trash": 1}
    assert facet(view, "agent") == {"沈砚 · Shen Yan": 1, "agent-fieldnotes": 1}
    assert [(row["name"], row["parts"], row["branches"]) for row in rows] == [
        ("雾港潮汐簿", 32, 3),
        ("Robins that sing at night", 69, 23),
    ]


def test_filters_go_together_and_each_facet_counts_what_the_others_let_through(view: WorkspaceView) -> None:
    assert send(view, "filter", facet="tag", choice="雾港") == ""

    assert [row.id for row in view.shown] == [session().id]
    assert facet(view, "agent") == {"沈砚 · Shen Yan": 1}
    assert facet(view, "tag") == {"roleplay": 1, "雾港": 1}

    view.filter(tag="", place="folder:Research")

    assert [row.id for row in view.shown] == [tree().id]
    assert "no filter 'colour'" in send(view, "filter", facet="colour", choice="red")


def test_a_page_of_rows_is_around_the_place_that_was_asked_for(tmp_path: Path) -> None:
    kept = ctxlab.open_workspace(tmp_path)
    for number in range(2 * PAGE + 10):
        kept.save(Session(id=f"s{number}", name=f"{number:04d}"))
    view = WorkspaceView(kept)
    send(view, "sort", order="name")

    assert send(view, "rows", start=PAGE + 50) == ""

    page = json.loads(view.rows)
    assert page["start"] <= PAGE + 50 < page["start"] + len(page["rows"]) <= page["start"] + PAGE
    assert [row["name"] for row in page["rows"]] == [f"{page['start'] + i:04d}" for i in range(len(page["rows"]))]


def test_a_search_lists_what_was_found_with_snippets_and_counts_hits(view: WorkspaceView) -> None:
    assert send(view, "search", query="灯塔", mode="and", order="newest") == ""

    found = head(view)
    row = json.loads(view.rows)["rows"][0]
    counts = {tab["name"]: tab["count"] for tab in found["tabs"]}
    assert row["id"] == session().id
    assert row["hits"] == counts["sessions"] == sum(facet(view, "part").values()) > 0
    assert counts["books"] > 0
    assert found["answer"].startswith(f"{counts['sessions']} hits in 1 of 2 sessions.")
    assert all("".join(each["pieces"][1::2]) == "灯塔" * (len(each["pieces"]) // 2) for each in row["snippets"])

    view.search("")

    assert head(view)["answer"] == "2 sessions."


def test_what_was_found_stands_near_the_beginning_of_its_line(tmp_path: Path) -> None:
    kept = ctxlab.open_workspace(tmp_path)
    kept.save(Session(id="s").append("tide " * 30 + "lamp " + "ebb " * 30, role="user"))
    view = WorkspaceView(kept)

    view.search("lamp")

    lead, lit, _ = json.loads(view.rows)["rows"][0]["snippets"][0]["pieces"]
    assert (len(lead) < 20, lead[0], lit) == (True, "…", "lamp")


def test_the_newest_first_are_so_by_the_times_that_are_shown(tmp_path: Path) -> None:
    kept = ctxlab.open_workspace(tmp_path)
    for id, updated in (("timed", "2026-01-01T00:00:00Z"), ("later", "2026-03-01T00:00:00Z"), ("untimed", None)):
        kept.save(
            Session(id=id, updated_at=updated).append(
                "lamp", role="user", timestamp="2025-01-01T00:00:00Z" if updated else None
            )
        )
    view = WorkspaceView(kept)

    view.search("lamp")

    times = [row.updated for row in view.shown]
    assert len(times) == 3 and times == sorted(times, reverse=True)


def test_a_hit_opens_at_its_message(view: WorkspaceView) -> None:
    view.search("灯塔")
    view.show_preview(session().id)
    side = json.loads(view.preview)
    node = side["hits"][0]["node"]

    assert send(view, "open", id=session().id, view="tree", node=node) == ""

    name, value, at = view.opened
    assert (name, value.id, at) == ("tree", session().id, node)
    assert side["tree"]["messages"] == 32
    assert {side["tree"]["node"][i] for i, hit in enumerate(side["tree"]["hit"]) if hit} <= set(session().nodes)
    assert sum(side["tree"]["hit"]) > 0


def test_the_page_below_shows_what_is_opened_and_what_changes_there_can_be_saved(view: WorkspaceView) -> None:
    page = view.page
    view.open_value(tree().id, "tree", node="n3")
    opened: Any = page.opened
    assert (type(opened).__name__, opened.selected) == ("BranchTree", "node:n3")
    assert not head(view)["is_unsaved"]

    opened.session = opened.session.with_(name="Another name")

    assert head(view)["is_unsaved"]
    assert send(view, "save", on_conflict="raise") == ""
    assert view.workspace.session(tree().id).name == "Another name"
    assert not head(view)["is_unsaved"]
    page.close()


def test_a_session_that_is_not_saved_makes_room_only_when_that_is_said(view: WorkspaceView) -> None:
    view.open_value(tree().id, "tree")
    assert view.session is not None
    view.session = view.session.append("Mine", role="user")

    assert view.open_value(tree().id, "chat") is view.session
    assert view.is_unsaved

    assert "is not saved" in send(view, "open", id=session().id, view="chat", node="")
    assert (view.session.id, view.is_unsaved) == (tree().id, True)
    asked = head(view)["asked"]
    assert send(view, asked.pop("command"), **asked, unsaved="save") == ""
    assert view.session.id == session().id
    assert "Mine" in [node.content for node in view.workspace.session(tree().id).nodes.values()]

    view.session = view.session.append("Dropped", role="user")
    assert "is not saved" in send(view, "new_session", agent="")
    view.new_session(unsaved="drop")
    assert not view.is_unsaved
    assert "Dropped" not in [node.content for node in view.workspace.session(session().id).nodes.values()]


def test_what_another_saved_is_said_and_both_can_be_kept(view: WorkspaceView) -> None:
    view.open_value(tree().id, "tree")
    other = ctxlab.open_workspace(view.workspace.place)
    other.save(other.session(tree().id).with_(name="Theirs"))
    leaf = tree().active_leaf_id
    assert view.session is not None
    view.session = view.session.append("Ours?", role="user")

    assert send(view, "save", on_conflict="raise") == ""
    conflict = json.loads(view.conflict)
    assert conflict["can_merge"]
    assert view.workspace.session(tree().id).active_leaf_id == leaf

    assert send(view, "save", on_conflict="merge") == ""
    kept = view.workspace.session(tree().id)
    assert view.conflict == ""
    assert kept.name == "Theirs"
    assert "Ours?" in [node.content for node in kept.nodes.values()]


def test_a_session_goes_to_the_trash_and_comes_back(view: WorkspaceView) -> None:
    assert send(view, "delete", id=tree().id) == ""
    assert [row.id for row in view.shown] == [session().id]
    assert view.effect["id"] == tree().id

    assert send(view, "filter", facet="place", choice="trash") == ""
    assert [row.name for row in view.shown] == ["Robins that sing at night", "Gone"]
    assert send(view, "restore", id=view.shown[0].id) == ""
    assert [row.name for row in view.shown] == ["Gone"]
    assert send(view, "empty_trash") == ""
    assert view.shown == ()

    view.filter(place="")
    assert {row.id for row in view.shown} == {session().id, tree().id}


def test_rows_are_arranged(view: WorkspaceView) -> None:
    for command in (
        {"command": "favour", "id": tree().id, "favourite": True},
        {"command": "folder", "id": tree().id, "folder": " 雾港 "},
        {"command": "tags", "id": tree().id, "tags": ["birds", " "]},
    ):
        view._handle_custom_msg(command, [])
        assert view.error == ""

    row = next(row for row in view.shown if row.id == tree().id)
    assert (row.favourite, row.folder, row.tags) == (True, "雾港", ("birds",))
    assert "has no 'nobody'" in send(view, "delete", id="nobody")


def test_every_other_message_is_refused(view: WorkspaceView) -> None:
    before = view.listing
    for message in ({"command": "rows", "start": "1"}, {"command": "tab"}, {"command": "entries", "start": 0}, {}, 7):
        view._handle_custom_msg(message, [])
        assert view.error
    assert view.listing == before


# --- books


def opened_book(view: WorkspaceView) -> BookTable:
    view.show_tab("books")
    view.open_value(view.shown[0].id)
    assert view.table is not None
    return view.table


def test_many_entries_are_changed_at_once_taken_back_and_saved(view: WorkspaceView) -> None:
    table = opened_book(view)
    weather = [key for key, entry in book().entries.items() if entry.group == "weather"]
    send(view, "filter_entries", group="group:weather", position="", find="")
    send(view, "pick_all", on=True)

    assert send(view, "change_entries", field="probability", value=25) == ""
    assert send(view, "change_entries", field="position", value="before_char") == ""
    assert send(view, "undo_entries") == ""

    changed = {key for key, entry in table.book.entries.items() if entry != book().entries[key]}
    assert changed == set(weather)
    assert {table.book.entries[key].probability for key in weather} == {25}
    assert json.loads(view.book)["changed"]
    assert send(view, "close_book").startswith("the book has changes")
    assert send(view, "save", on_conflict="raise") == ""
    assert view.workspace.load(book().book_id, kind="books").entries == table.book.entries
    assert send(view, "close_book") == view.book == ""


def test_a_book_that_another_saved_is_merged(view: WorkspaceView) -> None:
    table = opened_book(view)
    first, second = list(book().entries)[:2]
    other = ctxlab.open_workspace(view.workspace.place)
    other.save(other.load(book().book_id, kind="books").with_entry(first, comment="Theirs"))
    table.pick([second], on=True)
    send(view, "change_entries", field="order", value=7)

    send(view, "save", on_conflict="raise")
    assert json.loads(view.conflict)["what"] == "book"
    send(view, "save", on_conflict="merge")

    entries = table.book.entries
    assert (entries[first].comment, entries[second].order) == ("Theirs", 7)
    assert view.conflict == ""


def test_what_the_other_saved_can_be_taken_instead(view: WorkspaceView) -> None:
    table = opened_book(view)
    key = next(iter(book().entries))
    other = ctxlab.open_workspace(view.workspace.place)
    other.save(other.load(book().book_id, kind="books").with_entry(key, comment="Theirs"))
    table.pick([key], on=True)
    send(view, "change_entries", field="enabled", value=False)
    send(view, "save", on_conflict="raise")

    assert send(view, "take_theirs") == ""

    assert (table.book.entries[key].comment, table.book.entries[key].disable) == ("Theirs", False)
    assert not table.is_changed
    assert send(view, "take_theirs").startswith("nobody else")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("enabled", 1),
        ("depth", -1),
        ("depth", 1.5),
        ("depth", True),
        ("order", "3"),
        ("order", float("nan")),
        ("probability", 101),
        ("position", "inside"),
        ("group", None),
        ("content", HOSTILE),
    ],
)
def test_a_value_that_a_field_does_not_take_is_refused_with_what_it_takes(field: str, value: object) -> None:
    with pytest.raises(CtxlabError, match=r"takes|can't be changed"):
        fields_of(field, value)


def test_only_entries_that_are_picked_and_shown_change() -> None:
    entries = {str(n): LoreEntry(uid=n, comment=f"entry {n}", group="a" if n < 2 else "") for n in range(4)}
    table = BookTable(Worldbook(id="b", entries=entries))
    table.pick(["0", "3", "no such key"], on=True)
    table.filter(group="group:a", position="", find="entry")

    table.change("depth", 9)

    assert [entry.depth for entry in table.book.entries.values()] == [9, 4, 4, 4]
    table.pick(["0"], on=False)
    with pytest.raises(CtxlabError, match="pick the entries"):
        table.change("depth", 1)
    assert len(FIELDS) == 6


# --- import


def test_a_dropped_file_is_kept_and_what_came_of_it_is_said(view: WorkspaceView) -> None:
    data = (DATASETS / "harbour_lore.json").read_bytes().replace(b'"order": 10', b'"order": 11')

    view._handle_custom_msg({"command": "add", "name": "../x/lore.json"}, [data])

    assert view.error == ""
    assert json.loads(view.imported)["text"].startswith("lore.json: ")
    assert len(view.workspace.values("books")) == 2


def test_where_knowledge_bases_are_listed_the_text_of_any_file_becomes_one(view: WorkspaceView) -> None:
    send(view, "tab", tab="knowledge_bases")

    for name, data in (("../x/notes.md", "# Lamp\n\n灯塔每晚点亮。".encode()), ("b.knowledge.json", KNOWLEDGE)):
        view._handle_custom_msg({"command": "add", "name": name}, [data])
        assert view.error == ""
    view._handle_custom_msg({"command": "add", "name": "empty.txt"}, [b""])

    assert "nothing can be read for knowledge base 'empty'" in view.error
    assert {row.name: row.parts for row in view.shown} == {"notes": 1, "harbour papers": 16}
    view.open_value("notes")
    assert view.opened[0] == "base"


def test_pasted_text_is_read_by_its_form_and_what_cannot_be_read_names_no_path(view: WorkspaceView) -> None:
    text = json.dumps([{"role": "user", "content": "灯还亮着吗？"}, {"role": "assistant", "content": "Yes."}])

    assert send(view, "paste", text=text) == ""
    assert len(view.shown) == 3
    assert "/tmp" not in send(view, "paste", text="{broken")
    assert view.error
    assert [pasted_name(text) for text in (" [1]", '{"a": 1}\n{"b": 2}', "plain")] == [
        "pasted.json",
        "pasted.jsonl",
        "pasted.txt",
    ]


# --- lists


def test_a_period_has_the_shorter_ones_in_it() -> None:
    now = datetime(2026, 5, 20, 12, tzinfo=UTC)
    times = Times(now)
    ages = {"last day": 0, "last 7 days": 3, "last 30 days": 20, "last 365 days": 200, "earlier": 800}

    for name, days in ages.items():
        time = (now - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        assert times.period(time) == name
        assert times.is_in(time, "last 365 days") == (name != "earlier")
    assert times.period("") == ""


def test_time_facets_count_the_changed(tmp_path: Path) -> None:
    kept = ctxlab.open_workspace(tmp_path)
    kept.save(Session(id="a", name=HOSTILE, updated_at="2026-05-17T10:00:00Z"))
    kept.save(Session(id="b", name="b", updated_at="2020-01-01T10:00:00Z"))

    rows = kept_of(kept, "sessions", "")
    found = listing_of(
        rows, "sessions", {**NOTHING_CHOSEN, "time": "earlier"}, None, now=datetime(2026, 5, 20, tzinfo=UTC)
    )

    assert [row.id for row in found.rows] == ["b"]
    assert dict(found.facets["time"]) == {"last 7 days": 1, "last 30 days": 1, "last 365 days": 1, "earlier": 1}


def test_a_value_whose_file_broke_is_named_and_nothing_else_suffers(view: WorkspaceView) -> None:
    folder = view.workspace.folder
    assert folder is not None
    next(path for path in (folder / "sessions").iterdir() if tree().id in path.name).write_text("{", encoding="utf-8")

    view.show_preview(tree().id)
    view.refresh()

    assert session().id in [row.id for row in view.shown]
    assert head(view)["notes"]


# --- in a page with all views


def test_a_page_of_all_views_has_the_list_only_with_a_workspace() -> None:
    kept = workspace()
    page = ctxlab_widgets.lab(workspace=kept)

    assert page.session.id == session().id or page.session.id == tree().id
    page.show_tab("workspace")
    send(page.workspace, "open", id=session().id, view="", node="u5")
    assert (page.session.id, page.selected) == (session().id, "node:u5")
    assert "chat" in page.opened
    with pytest.raises(CtxlabError, match="no workspace"):
        ctxlab_widgets.lab(session()).workspace  # noqa: B018
    with pytest.raises(CtxlabError, match="something to show"):
        ctxlab_widgets.lab()


def test_a_session_that_a_page_opened_with_is_saved_until_it_is_changed() -> None:
    page = ctxlab_widgets.lab(workspace=workspace())
    view = page.workspace
    assert (view.is_unsaved, head(view)["unsaved"]) == (False, "")
    other = next(row.id for row in view.shown if row.id != page.session.id)

    page.session = page.session.edit(page.session.path()[-1].id, "changed")
    assert view.is_unsaved
    assert "is not saved" in send(view, "open", id=other, view="", node="")
    view.save()
    assert not view.is_unsaved
    assert send(view, "open", id=other, view="", node="") == ""
    page.close()


def test_a_base_of_the_workspace_stands_below_the_list_of_a_page() -> None:
    kept = workspace()
    kept.save(papers())
    page = ctxlab_widgets.lab(workspace=kept)
    run, view = page.trace, page.workspace
    view.show_tab("knowledge_bases")

    for node in ("", "knowledge:2"):
        assert send(view, "open", id=papers().id, view="", node=node) == ""
        shown = page._kept_place.children
        assert (len(shown), shown[0], page.trace) == (2, view, run)
    assert json.loads(shown[1].view.rows)["rows"][2]["open"]
    page.close()


def test_an_agent_of_the_workspace_comes_into_the_run() -> None:
    kept = workspace()
    page = ctxlab_widgets.lab(tree(), workspace=kept)
    before = page.trace
    page.workspace.show_tab("agents")

    send(page.workspace, "open", id=page.workspace.shown[0].id, view="agent", node="")

    assert page.workspace.error == ""
    assert page.trace is not before
    assert page.trace.start.input.agent is not None


def test_an_empty_workspace_says_so(tmp_path: Path) -> None:
    kept = ctxlab.open_workspace(tmp_path)

    assert head(WorkspaceView(kept))["answer"] == "0 sessions."
    with pytest.raises(CtxlabError, match="has no session yet"):
        ctxlab_widgets.lab(workspace=kept)
    assert issubclass(ChangedMeanwhile, CtxlabError)


def test_a_broken_tree_is_listed_with_its_problem_and_found_by_it(view: WorkspaceView) -> None:
    node = session().nodes["u8"]
    view.workspace.save(session().with_nodes({"u8": node.with_(parent_id="gone")}).with_(id="broken"))
    view.refresh()

    assert facet(view, "problem") == {"missing parent": 1, "foreign child": 1, "unreachable": 1}
    view.filter(problem="missing parent")
    (row,) = json.loads(view.rows)["rows"]
    assert (row["id"], row["problem"]) == ("broken", "foreign child, missing parent, unreachable")
    view.workspace.repair()
    view.filter(problem="")
    view.refresh()
    assert facet(view, "problem") == {}


def test_a_row_that_is_arranged_is_the_only_one_that_is_looked_at(
    view: WorkspaceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(*_: Any, **__: Any) -> Any:
        raise AssertionError("the whole list was read again")

    monkeypatch.setattr(type(view.workspace), "sessions", listed)

    assert send(view, "favour", id=tree().id, favourite=True) == ""
    assert send(view, "tags", id=tree().id, tags=["birds", " "]) == ""
    assert send(view, "folder", id=tree().id, folder="") == ""

    assert facet(view, "place") == {"": 2, "favourites": 2, "trash": 1}
    assert facet(view, "tag")["birds"] == 1


def test_a_session_begins_with_an_agent_or_without_and_is_kept(view: WorkspaceView) -> None:
    assert send(view, "new_session", agent="") == ""
    assert (view.opened[0], view.opened[1].message_count) == ("chat", 0)

    view.show_tab("agents")
    agent = view.workspace.load(view.shown[0].id, kind="agents")
    assert send(view, "new_session", agent=agent.id) == ""

    assert view.opened[1].message_count == ctxlab.begin(agent).message_count
    assert view.workspace.session(view.opened[1].id) == view.opened[1]
    assert head(view)["answer"] == "4 sessions."
    assert "no agent 'nobody'" in send(view, "new_session", agent="nobody")


def test_a_value_goes_out_in_every_format_that_is_written_for_it(
    view: WorkspaceView, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files: list[tuple[str, bytes]] = []
    monkeypatch.setattr(
        WorkspaceView, "send", lambda _, content, buffers=None: files.append((content["file"], buffers[0]))
    )
    for kind in ("sessions", "agents", "books"):
        view.show_tab(kind)
        id = view.shown[0].id
        view.show_preview(id)
        shown = json.loads(view.preview)
        assert shown["exports"]
        for name, ending in shown["exports"]:
            assert send(view, "export", id=id, format=name) == "", (kind, name)
            file, data = files[-1]
            assert file.endswith(ending) and "/" not in file
            assert f"{len(data):,} bytes" in json.loads(view.imported)["text"]
    view.show_tab("sessions")

    assert ctxlab.read(_written(tmp_path, view.export(session().id, "native"))).session() == session()
    assert "this is written as native, " in send(view, "export", id=session().id, format="card")


def _written(folder: Path, data: bytes) -> Path:
    (folder / "chat.json").write_bytes(data)
    return folder / "chat.json"


def test_the_side_says_where_a_value_is_on_the_disk(view: WorkspaceView) -> None:
    view.show_preview(session().id)

    shown = dict(json.loads(view.preview)["disk"])

    file = Path(view.workspace.place) / shown["file"]
    assert (shown["size"], shown["revision"]) == (f"{file.stat().st_size:,} bytes", "1")


def test_a_file_is_named_for_its_value_whatever_that_is_called() -> None:
    name, _, _ = exported(session(), "sessions", "../a\\b:\u202e\n" + "灯塔" * 90, "native")

    assert name == "ab" + "灯塔" * 29 + ".json"
    assert exported(session(), "sessions", "../..", "markdown")[0].endswith(".md")
