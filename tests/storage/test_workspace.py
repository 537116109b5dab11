"""A workspace gives back what was saved, lists it, and puts away what is deleted."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab import ChangedMeanwhile, Library, Session, Workspace
from ctxlab.documents import KnowledgeBase, KnowledgeEntry
from ctxlab.errors import CtxlabError, Refused, UnknownName, WrongArgument
from ctxlab.storage.file_names import file_stem
from ctxlab.storage.kinds import KINDS
from ctxlab.storage.search import SearchIndex
from ctxlab.storage.value_facts import MOST_LENGTHS, facts_of


def again(workspace: Workspace) -> Workspace:
    """The same folder, opened by another program."""
    return ctxlab.open_workspace(workspace.place)


def content(session: Session) -> dict[str, object]:
    return {name: value for name, value in session.to_data().items() if name != "workspaceRevision"}


def test_what_is_saved_is_there_for_another_program(workspace: Workspace, chat: Session) -> None:
    saved = workspace.save(chat.with_extra({"unknown": {"kept": [1, 2]}}))

    found = again(workspace).session("chat")

    assert found == saved
    assert found.model_extra and found.model_extra["unknown"] == {"kept": [1, 2]}
    assert content(found) == {**chat.to_data(), "unknown": {"kept": [1, 2]}}


@pytest.mark.parametrize(
    "id",
    ["../x", "CON", "con", "x" * 300, "Guide", "guide", "灯塔", "a/b\\c:d", ".hidden", "a.", "", "nul.json"],
)
def test_any_id_is_a_file_inside_the_folder(workspace: Workspace, chat: Session, id: str) -> None:
    others = [workspace.save(chat.model_copy(update={"id": other})) for other in ("guidE", "x" * 299, "Con")]

    saved = workspace.save(chat.model_copy(update={"id": id}))

    assert again(workspace).session(saved.id) == saved
    assert {row.id for row in again(workspace).sessions()} == {saved.id, *(other.id for other in others)}
    assert all(path.parent.name == "sessions" for path in Path(workspace.place).rglob("session-*.json"))
    assert all(len(path.name.encode()) < 200 for path in Path(workspace.place).rglob("*"))


def test_ids_that_differ_in_case_alone_have_names_that_differ_by_more() -> None:
    assert file_stem("Guide").lower() != file_stem("guide").lower()
    assert file_stem("é") != file_stem("e\u0301")


def test_every_kind_of_value_is_kept(workspace: Workspace) -> None:
    harbour = ctxlab.example("harbour")
    whole = Library(**{name: getattr(harbour, name) for name in ("sessions", "agents", "users", "books", "rules")})

    added = workspace.add(whole)

    assert sum(added.added.values()) == len([*whole.sessions, *whole.agents, *whole.users, *whole.books, *whole.rules])
    assert (
        ctxlab.build(again(workspace).library(), budget_tokens=1800).messages
        == ctxlab.build(whole, budget_tokens=1800).messages
    )


def test_a_knowledge_base_is_kept_listed_found_and_never_twice(workspace: Workspace) -> None:
    entry = KnowledgeEntry(id="1", key="潮汐", content="The lamp is lit at the ebb.", tags=("tide",))
    base = KnowledgeBase(id="papers", name="Harbour papers", entries=(entry,))

    first, second = workspace.add(Library(knowledge_bases=(base,))), workspace.add(Library(knowledge_bases=(base,)))

    assert (first.in_words(), second.in_words()) == (["1 knowledge base"], ["nothing new", "1 there already"])
    other = again(workspace)
    assert other.library().knowledge_bases[0].with_extra({}) == base
    assert [(row.id, row.name, row.parts) for row in other.values("knowledge_bases")] == [
        ("papers", "Harbour papers", 1)
    ]
    hit = other.search("lamp ebb", kinds="knowledge_bases")[0]
    assert (hit.id, hit.key, hit.name) == ("papers", "knowledge:0", "Harbour papers")
    nameless = other.save(base.model_copy(update={"id": ""}))
    assert other.load(nameless.id, kind="knowledge_bases").entries == (entry,)


def test_a_list_tells_messages_branches_and_agents(workspace: Workspace) -> None:
    session = ctxlab.example("harbour").session()
    workspace.save(session)

    (row,) = workspace.sessions()

    assert (row.id, row.name, row.agent) == (session.id, session.name, "agent-shenyan")
    assert (row.messages, row.branches) == (session.message_count, len(session.leaves()))


def test_folders_favourites_tags_and_orders_are_kept(workspace: Workspace, chat: Session) -> None:
    for name in ("b", "a", "c"):
        workspace.save(chat.model_copy(update={"id": name, "name": name}))
    workspace.favour("a")
    workspace.move_to_folder("b", "旅行")
    workspace.tag("c", ["x", "y", "x"])
    workspace.sort_by("name")
    workspace.open_session("c")

    other = again(workspace)

    assert [row.id for row in other.sessions()] == ["a", "b", "c"]
    assert [row.id for row in other.sessions(favourite=True)] == ["a"]
    assert [row.id for row in other.sessions(folder="旅行")] == ["b"]
    assert other.sessions(tag="y")[0].tags == ("x", "y")
    assert other.current == "c"


def test_what_is_deleted_comes_back_with_all_that_belongs_to_it(workspace: Workspace, chat: Session) -> None:
    history = ctxlab.History(workspace.save(chat))
    history.do(Session.edit, "q", "Why?")
    saved = workspace.save_history(history)
    workspace.drafts.write("chat", "half a thou")
    workspace.favour("chat")

    workspace.delete("chat")

    assert ("chat" in workspace, workspace.drafts.read("chat"), len(workspace.sessions())) == (False, "", 0)
    with pytest.raises(UnknownName, match="chat"):
        workspace.session("chat")
    assert workspace.restore("chat") == saved
    assert workspace.drafts.read("chat") == "half a thou"
    assert workspace.sessions()[0].favourite
    assert workspace.history("chat").undo()["q"].content == "你好"
    assert not workspace.trash()


def test_nothing_is_restored_over_another(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    workspace.delete("chat")
    new = workspace.save(chat.edit("q", "new"))

    with pytest.raises(Refused, match="there again"):
        workspace.restore("chat")

    assert workspace.session("chat") == new
    assert workspace.empty_trash(older_than="2000-01-01") == 0
    assert (workspace.empty_trash(), len(workspace.trash())) == (1, 0)


def test_a_history_goes_on_after_it_was_saved(workspace: Workspace, chat: Session) -> None:
    history = ctxlab.History(workspace.save(chat))
    history.do(Session.edit, "q", "Why?")
    workspace.save_history(history)
    history.undo()

    workspace.save_history(history)

    assert again(workspace).history("chat").redo()["q"].content == "Why?"


def test_the_journal_says_who_did_what(workspace: Workspace, chat: Session) -> None:
    ctxlab.open_workspace(workspace.place, who="notebook A").save(chat)
    workspace.delete("chat")
    with (Path(workspace.place) / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"at": "2026')  # a line that was broken off

    entries = workspace.journal()

    assert [(entry.what, entry.id) for entry in entries] == [("save", "chat"), ("delete", "chat")]
    assert entries[0].who == "notebook A"
    assert entries[0].revision.startswith("1-")


# --- two programs


def test_who_saves_second_is_told_what_changed_and_loses_nothing(workspace: Workspace, chat: Session) -> None:
    base = workspace.save(chat)
    theirs = again(workspace).save(base.edit("q", "changed"))
    ours = base.append("ours", id="o")

    with pytest.raises(ChangedMeanwhile, match="1 message changed") as refused:
        workspace.save(ours)

    assert (workspace.session("chat"), refused.value.theirs) == (theirs, theirs)
    merged = workspace.save(ours, on_conflict="merge")
    assert (merged["q"].content, merged["o"].content) == ("changed", "ours")
    assert merged.check() == ()
    assert again(workspace).session("chat") == merged
    assert refused.value.merged.nodes == merged.nodes


def test_a_message_that_both_changed_is_there_twice(workspace: Workspace, chat: Session) -> None:
    base = workspace.save(chat)
    again(workspace).save(base.edit("a", "theirs"))

    merged = workspace.save(base.edit("a", "ours").append("more", id="m"), on_conflict="merge")

    assert {node.content for node in merged.nodes.values()} >= {"theirs", "ours", "more"}
    assert [node.content for node in merged.path()][-2:] == ["ours", "more"]
    assert merged.check() == ()
    assert "changed by both" in workspace.notes[-1].text


def test_the_value_before_a_save_can_be_gone_on_with(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)

    workspace.save(chat.append("more", id="m"))

    assert "m" in workspace.session("chat").nodes


def test_overwriting_puts_the_other_into_the_trash(workspace: Workspace, chat: Session) -> None:
    base = workspace.save(chat)
    again(workspace).save(base.edit("q", "theirs"))

    saved = workspace.save(base.edit("q", "ours"), on_conflict="overwrite")

    assert workspace.session("chat") == saved
    (entry,) = workspace.trash()
    kept = Path(workspace.place) / "trash" / entry.key / next(iter(entry.files))
    assert json.loads(kept.read_bytes())["nodes"]["q"]["content"] == "theirs"


def test_agents_are_merged_by_field_and_else_kept_beside(workspace: Workspace) -> None:
    base = workspace.save(ctxlab.Agent(id="g", name="Guide", description="d", tags=("a",)))
    again(workspace).save(base.with_(description="theirs"))

    merged = workspace.save(base.with_(name="Pilot"), on_conflict="merge")
    assert (merged.name, merged.description) == ("Pilot", "theirs")

    workspace.save(base.with_(description="ours"), on_conflict="merge")
    assert {workspace.load(id, kind="agents").description for id in ("g", "g-2")} == {"theirs", "ours"}


# --- whole libraries


def test_what_is_there_is_not_taken_in_twice(workspace: Workspace, chat: Session) -> None:
    library = Library(sessions=(chat,), agents=(ctxlab.Agent(id="g", name="Guide"),))
    workspace.add(library)

    assert workspace.add(library).duplicates == 2
    assert len(workspace.sessions()) == 1


@pytest.mark.parametrize(
    ("way", "ids", "text"),
    [("keep", {"chat", "chat-2"}, "你好"), ("skip", {"chat"}, "你好"), ("overwrite", {"chat"}, "new")],
)
def test_an_id_that_is_taken(workspace: Workspace, chat: Session, way, ids: set[str], text: str) -> None:
    workspace.add(Library(sessions=(chat,)))
    other = Library(sessions=(chat.edit("q", "new"),))

    for _ in range(2):  # again it is known under the id that it got
        workspace.add(other, on_duplicate=way)

    assert {row.id for row in workspace.sessions()} == ids
    assert workspace.session("chat")["q"].content == text


def test_sessions_follow_an_agent_that_came_in_under_another_id(workspace: Workspace, chat: Session) -> None:
    workspace.save(ctxlab.Agent(id="g", name="Guide"))
    session = chat.update("a", metadata={"agentId": "g"})

    added = workspace.add(Library(sessions=(session,), agents=(ctxlab.Agent(id="g", name="Other"),)))

    assert added.renamed == {("agents", "g"): "g-2"}
    assert workspace.sessions()[0].agent == "g-2"


def test_files_go_to_the_assets_and_are_found_by_a_build(workspace: Workspace) -> None:
    found = ctxlab.read(Path(ctxlab.__file__).parents[1] / "datasets/harbour_attachments.session.json")

    workspace.add(found)

    assert len(workspace.assets) == len({bytes(data) for data in found.files.values()})
    session = workspace.session(found.session().id)
    paths = [asset.path for node in session.nodes.values() for asset in node.attachments or () if asset.path]
    assert paths and all(path in workspace.assets for path in paths if path.startswith("artifact:"))


def test_a_folder_of_anything_comes_in_file_by_file(workspace: Workspace, chat: Session, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    (folder / "deep" / "er").mkdir(parents=True)
    ctxlab.write(chat, folder / "deep" / "er" / "chat.json")
    (folder / "notes.txt").write_text("nothing of it")
    (folder / ".hidden.json").write_text("{}")
    shares: list[float] = []

    added = workspace.import_files(folder, progress=shares.append)

    assert (added.added, added.lost) == ({"sessions": 1}, 1)
    assert added.losses[0].place == "notes.txt"
    assert shares[-1] == 1.0


def test_a_backup_brings_everything_back(workspace: Workspace, chat: Session, tmp_path: Path) -> None:
    workspace.save(chat)
    workspace.add(ctxlab.example("harbour"))
    workspace.favour("chat")
    archive = workspace.backup(tmp_path / "b.zip")
    changed = workspace.save(workspace.session("chat").edit("q", "later"))

    other = ctxlab.open_workspace(tmp_path / "other")
    other.restore_backup(archive)
    workspace.restore_backup(archive)

    assert other.library() == workspace.library()
    assert other.sessions(favourite=True)[0].id == "chat"
    assert workspace.session("chat")["q"].content == "你好"
    assert changed["q"].content in (Path(workspace.place) / "trash").rglob("*chat.json").__next__().read_text()
    with pytest.raises(Refused, match="inside the workspace"):
        workspace.backup(Path(workspace.place) / "b.zip")


def test_an_address_is_as_good_as_a_folder(chat: Session) -> None:
    workspace = ctxlab.open_workspace("memory://shelf/one")
    base = workspace.save(chat)
    workspace.save(base.append("more", id="m"))
    other = again(workspace)

    assert "no locks" in other.notes[0].text
    assert other.sessions()[0].messages == 3
    with pytest.raises(ChangedMeanwhile):
        other.save(base.edit("q", "x"))
    other.delete("chat")
    assert len(workspace.sessions()) == 0
    assert workspace.restore("chat")["m"].content == "more"


def test_search_finds_what_was_saved_a_moment_ago(workspace: Workspace, chat: Session) -> None:
    saved = workspace.save(chat)
    assert [hit.node for hit in workspace.search("你好")] == ["q"]

    workspace.save(saved.append("the lighthouse keeper", id="l"))

    assert [hit.node for hit in workspace.search("lighthouse")] == ["l"]
    workspace.delete("chat")
    assert list(workspace.search("lighthouse")) == []


def test_the_trash_is_emptied_before_a_time_and_nothing_else_is_one(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    workspace.delete("chat")

    with pytest.raises(WrongArgument, match="older_than takes an ISO time"):
        workspace.empty_trash(older_than="yesterday")

    at = datetime.fromisoformat(workspace.trash()[0].at)
    assert (
        workspace.empty_trash(older_than=(at - timedelta(hours=1)).astimezone(timezone(timedelta(hours=9))).isoformat())
        == 0
    )
    assert workspace.empty_trash(older_than=(at + timedelta(hours=1)).isoformat()) == 1


def test_a_session_whose_id_is_no_text_comes_back(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat.with_(id="a\ud800b"))

    entry = workspace.delete("a\ud800b")

    assert (entry.id, again(workspace).restore("a\ud800b")["q"].content) == ("a\ud800b", "你好")


def test_links_and_what_is_no_file_are_losses_of_an_import(workspace: Workspace, chat: Session, tmp_path: Path) -> None:
    folder = tmp_path / "came"
    folder.mkdir()
    ctxlab.write(chat, folder / "chat.json")
    (folder / "link.json").symlink_to(folder / "chat.json")
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.json")

    added = workspace.import_files(folder)

    assert (added.added["sessions"], added.lost) == (1, 3)
    assert [(loss.place, "link" in str(loss)) for loss in added.losses] == [
        ("linked", True),
        ("link.json", True),
        ("pipe.json", False),
    ]


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"kinds": "session"}, "did you mean 'sessions'"),
        ({"role": "asistant"}, "did you mean 'assistant'"),
        ({"session": "chta"}, "did you mean 'chat'"),
    ],
)
def test_a_filter_that_nothing_has_is_refused(workspace: Workspace, chat: Session, filters, words: str) -> None:
    workspace.save(chat)

    with pytest.raises(CtxlabError, match=words):
        workspace.search("你好", **filters)


def test_a_folder_that_takes_no_index_is_searched_too(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    (Path(workspace.place) / "search.sqlite").mkdir()

    assert [hit.node for hit in workspace.search("你好")] == ["q"]
    assert [hit.node for hit in workspace.search("你好")] == ["q"]
    assert any("the search index is made anew at each opening" in note.text for note in workspace.notes)


def test_what_has_no_time_is_not_from_before_a_time(workspace: Workspace, chat: Session) -> None:
    workspace.add(ctxlab.example("harbour"))

    assert list(workspace.search("灯塔", kinds=["agents", "books"], until="2020-01-01")) == []
    assert list(workspace.search("灯塔", kinds=["agents", "books"])) != []


def test_a_search_says_whether_it_has_begun_and_was_cancelled(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    result = workspace.search("你好")

    assert "not begun" in repr(result)
    assert result[0].node == "q"
    result.cancel()
    assert "1 found" in repr(result) and "cancelled" in repr(result)
    assert result.total() == 1


def test_a_session_that_was_deleted_meanwhile_comes_back_with_a_note(workspace: Workspace, chat: Session) -> None:
    saved = workspace.save(chat)
    again(workspace).delete("chat")

    workspace.save(saved.append("more"))

    assert any("was deleted since it was read" in note.text for note in workspace.notes)


def test_an_id_that_was_changed_by_hand_is_the_only_one(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    file = Path(workspace.place) / workspace.path_of("chat")
    file.write_text(file.read_text().replace('"chat"', '"other"', 1))
    there = again(workspace)

    with pytest.raises(UnknownName):
        there.session("chat")
    assert there.session("other").id == "other"
    assert any("holds the session 'other'" in note.text for note in there.check())


def test_without_its_lists_a_workspace_says_so(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    workspace.tag("chat", ["tide"])
    (Path(workspace.place) / "workspace.json").unlink()

    assert any("workspace.json is not there" in note.text for note in again(workspace).notes)


def test_a_broken_file_that_is_saved_anew_is_in_the_trash_under_its_own_id(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    (Path(workspace.place) / workspace.path_of("chat")).write_text('{"id": "chat", "no')
    other = again(workspace)
    other.sessions()

    other.save(chat)

    assert [entry.id for entry in other.trash()] == ["chat"]


def test_a_note_on_a_copied_file_goes_with_the_file(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    file = Path(workspace.place) / workspace.path_of("chat")
    copied = file.with_name("copied.json")
    copied.write_bytes(file.read_bytes())
    workspace.sessions()
    assert "copied.json has the id 'chat'" in workspace.notes[-1].text

    copied.unlink()
    workspace.sessions()

    assert workspace.notes == ()


def test_another_conversation_of_an_id_keeps_its_name(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)

    added = workspace.add(Library(sessions=(chat.append("other").with_(name="Tides"),)))

    assert workspace.session(added.renamed["sessions", "chat"]).name == "Tides"


def test_a_message_of_one_id_that_both_added_was_changed_by_nobody(workspace: Workspace, chat: Session) -> None:
    saved = workspace.save(chat)
    again(workspace).save(saved.append("theirs", id="n"))

    workspace.save(saved.append("ours", id="n"), on_conflict="merge")

    assert any("message 'n' is another one on either side" in note.text for note in workspace.notes)


def test_a_repair_names_only_the_indexes_that_it_wrote(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    index = Path(workspace.place) / "sessions" / "index.json"
    assert "sessions/index.json was made anew, from 1 file" in [note.text for note in workspace.repair()]

    index.unlink()
    index.mkdir()

    assert not any("was made anew" in note.text for note in workspace.repair())


def test_a_row_says_how_long_the_messages_of_the_active_path_are(workspace: Workspace) -> None:
    said = ["灯塔", "", "lamp" * 100, "👩‍🚀"]
    session = Session(id="s")
    for number, text in enumerate(said):
        session = session.append(text, role="user" if number % 2 == 0 else "assistant")
    leaf, first = session.leaf, session.path()[1].id
    branched = session.model_copy(update={"active_leaf_id": first}).append("another branch", role="user")
    workspace.save(branched.model_copy(update={"active_leaf_id": leaf}))

    row = again(workspace).sessions()[0]

    assert row.lengths == tuple(len(text) for text in said)
    assert again(workspace).sessions().frame()["lengths"][0] == [len(text) for text in said]
    assert again(workspace).sessions().get("s") == row


@given(lengths=st.lists(st.integers(0, 40), max_size=90))
def test_of_many_messages_each_number_is_the_longest_of_its_stretch(lengths: list[int]) -> None:
    session = Session(id="s").append("", role="system")
    for length in lengths:
        session = session.append("x" * length, role="user")
    data = session.to_data()
    found = facts_of(KINDS["sessions"], data, stem="s").get("lengths", [])

    of_path = [len(node.content) for node in session.path() if not node.is_empty_root]
    assert len(found) == min(len(of_path), MOST_LENGTHS)
    assert max(found, default=0) == max(of_path, default=0)
    if len(of_path) <= MOST_LENGTHS:
        assert found == of_path
    iterator = iter(of_path)
    assert all(any(each == length for each in iterator) for length in found), "they come in order"


def test_an_imported_session_says_its_program_and_its_file(workspace: Workspace, tmp_path: Path) -> None:
    chats = tmp_path / "chats" / "old"
    chats.mkdir(parents=True)
    told = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    (chats / "told.json").write_text(json.dumps(told))
    workspace.import_files(tmp_path / "chats")
    workspace.save(Session(id="own").append("lamp", role="user"))

    (row,) = workspace.sessions(program="openai")
    assert (row.program, row.file) == ("openai", "old/told.json")
    assert workspace.sessions(file="old/told.json") == (row,)
    assert workspace.sessions(program="") == (workspace.row("own"),)
    workspace.delete(row.id)
    workspace.restore(row.id)
    assert workspace.row(row.id) == row


def test_an_index_of_an_older_version_is_made_anew_without_a_word(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    with ctxlab.open_workspace(folder) as workspace:
        workspace.save(Session(id="untimed", name="Lamp").append("lamp", role="user"))
    (index,) = [path for path in folder.rglob("*.json") if '"sessions":[{"file"' in path.read_text().replace(" ", "")]
    rows = json.loads(index.read_text())
    rows["sessions"][0] |= {"name": "of before", "updatedAt": "2026-11-24T00:08:00Z"}
    index.write_text(json.dumps({**rows, "version": 3}))

    with ctxlab.open_workspace(folder) as workspace:
        (row,) = workspace.sessions()
        assert (row.name, row.updated, workspace.notes) == ("Lamp", "", ())


def test_a_session_without_times_has_none_and_comes_last(workspace: Workspace) -> None:
    workspace.save(Session(id="old", created_at="2020-01-01T00:00:00Z").append("lamp", role="user"))
    workspace.save(Session(id="untimed").append("lamp", role="user"))
    workspace.save(Session(id="coming", created_at="2999-01-01T00:00:00Z").append("lamp", role="user"))
    row = workspace.row("untimed")
    assert row is not None and row.updated == ""

    assert [hit.id for hit in workspace.search("lamp")] == ["coming", "old", "untimed"]
    assert [row.id for row in workspace.sessions()][-1] == "untimed"


def test_a_session_was_changed_when_its_newest_message_was_written(workspace: Workspace) -> None:
    session = Session(id="days").append("lamp", role="user", timestamp="2023-05-06")
    workspace.save(session.append("oil", role="assistant", timestamp="2023-05-05T23:00:00Z"))

    row = workspace.row("days")
    assert row is not None and row.updated == "2023-05-06"
    assert {hit.time for hit in workspace.search("lamp")} == {"2023-05-06"}
    assert [hit.id for hit in workspace.search("lamp", since="2021-01-01", until="2998-01-01")] == ["days"]


def test_a_session_that_is_saved_again_has_the_times_of_an_index_made_anew(tmp_path: Path) -> None:
    session = Session(id="s", updated_at="2024-01-01T00:00:00Z").append("lamp", role="user")
    later = session.append("lamp again", role="user").with_(updated_at="2026-01-01T00:00:00Z")
    with SearchIndex(tmp_path / "grown.db") as grown, SearchIndex(tmp_path / "anew.db") as anew:
        grown.put("sessions", session, stamp="1")
        grown.put("sessions", later, stamp="2")
        anew.put("sessions", later, stamp="2")

        for since in ("2025-01-01", "2023-01-01"):
            found = [[hit.key for hit in index.search("lamp", since=since)] for index in (grown, anew)]
            assert found[0] == found[1] and len(found[0]) == 2
