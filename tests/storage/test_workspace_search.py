"""The search of a workspace: true of the files whoever wrote them, and quick where nobody did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

import ctxlab
from ctxlab import Session, Workspace
from ctxlab.storage.files import LocalFiles
from ctxlab.storage.folder_marks import marks_of


def found(workspace: Workspace, query: str) -> list[tuple[str, str | None]]:
    return [(hit.id, hit.node) for hit in workspace.search(query)]


def let_time_pass(workspace: Workspace) -> None:
    """The folders as they are a moment after the last write, when the next one has another time."""
    while not marks_of([Path(workspace.place) / "sessions"]).would_show:
        sleep(0.02)


def file_of(workspace: Workspace, id: str = "chat") -> Path:
    return Path(workspace.place) / workspace.path_of(id)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are listed from now on, whose files are each looked at then."""
    seen: list[str] = []
    list_ = LocalFiles.list
    monkeypatch.setattr(LocalFiles, "list", lambda files, folder: seen.append(folder) or list_(files, folder))
    monkeypatch.setattr("ctxlab.storage.folder_marks.LOOK_SECONDS", 1e9)
    return seen


@pytest.fixture
def searched(workspace: Workspace, chat: Session) -> Workspace:
    """A workspace that was written a while ago and searched just now."""
    workspace.save(chat)
    let_time_pass(workspace)
    assert found(workspace, "你好") == [("chat", "q")]
    return workspace


def test_a_search_right_after_another_looks_at_no_file(searched: Workspace, listed: list[str]) -> None:
    for _ in range(3):
        assert found(searched, "你好") == [("chat", "q")]

    assert listed == []


def another_saves(workspace: Workspace) -> None:
    other = ctxlab.open_workspace(workspace.place)
    other.save(other.session("chat").append("a lamp", id="l"))


def another_makes_one(workspace: Workspace) -> None:
    ctxlab.open_workspace(workspace.place).save(Session(id="new").append("a lamp", id="l"))


def another_moves_one_here(workspace: Workspace) -> None:
    made = Path(workspace.place).parent / "made.json"
    made.write_bytes(Session(id="new").append("a lamp", id="l").to_json())
    made.replace(Path(workspace.place) / "sessions" / "session-new.json")


@pytest.mark.parametrize("write", [another_saves, another_makes_one, another_moves_one_here])
def test_what_another_program_wrote_is_found_at_once(
    searched: Workspace, listed: list[str], write: Callable[[Workspace], None]
) -> None:
    write(searched)

    assert [node for _, node in found(searched, "lamp")] == ["l"]


def test_what_another_program_deleted_is_found_no_more(searched: Workspace, listed: list[str]) -> None:
    ctxlab.open_workspace(searched.place).delete("chat")

    assert found(searched, "你好") == []


def test_each_of_many_quick_writes_is_found_at_once(workspace: Workspace, chat: Session) -> None:
    saved = workspace.save(chat)
    for n in range(10):
        saved = workspace.save(saved.append(f"word{n}", id=f"n{n}"))

        assert found(workspace, f"word{n}") == [("chat", f"n{n}")]


def test_a_file_that_is_changed_in_place_is_found_at_the_next_look(
    searched: Workspace, listed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = file_of(searched)
    file.write_bytes(file.read_bytes().replace("你好".encode(), "灯塔在".encode()))

    monkeypatch.setattr("ctxlab.storage.folder_marks.LOOK_SECONDS", 0.0)

    assert found(searched, "灯塔") == [("chat", "q")]


def test_an_index_that_another_program_changed_is_filled_again(searched: Workspace, listed: list[str]) -> None:
    from ctxlab.storage.search import SearchIndex

    with SearchIndex(Path(searched.place) / "search.sqlite") as shared:
        shared.remove("sessions", "chat")
    assert found(searched, "你好") == [("chat", "q")]

    (Path(searched.place) / "search.sqlite").unlink()
    assert found(searched, "你好") == [("chat", "q")]


def test_a_file_that_could_not_be_read_is_found_once_it_can(searched: Workspace, listed: list[str]) -> None:
    file = file_of(searched)
    whole = file.read_bytes()
    other = file.with_name("other.tmp")
    other.write_bytes(b"{")
    other.replace(file)
    assert found(searched, "你好") == []

    other.write_bytes(whole)
    other.replace(file)

    assert found(searched, "你好") == [("chat", "q")]


def save(workspace: Workspace) -> None:
    workspace.save(workspace.session("chat").append("more"))


def delete(workspace: Workspace) -> None:
    workspace.delete("chat")


def bring_back(workspace: Workspace) -> None:
    workspace.restore("gone")


def put_back_up(workspace: Workspace) -> None:
    workspace.restore_backup(Path(workspace.place).parent / "kept.zip")


def add(workspace: Workspace) -> None:
    workspace.add(ctxlab.example("harbour"))


@pytest.mark.parametrize("write", [save, delete, bring_back, put_back_up, add])
def test_each_way_of_writing_shows_in_the_times_of_the_folders(
    workspace: Workspace, chat: Session, write: Callable[[Workspace], None]
) -> None:
    saved = workspace.save(chat)
    workspace.save(chat.with_(id="gone"))
    workspace.backup(Path(workspace.place).parent / "kept.zip")
    workspace.save(saved.append("a lamp"))
    workspace.delete("gone")
    let_time_pass(workspace)
    folders = [Path(workspace.place) / "sessions"]
    before = marks_of(folders)
    assert before.still_hold(marks_of(folders))

    write(workspace)

    assert before.facts != marks_of(folders).facts
