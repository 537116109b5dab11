"""`ctxlab search` gives the hits of a workspace, as text or as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ctxlab
from tests.cli.conftest import Run

CHATS = (
    ("one", [("user", "The lamp is dark. 灯塔的灯灭了。"), ("assistant", "A keeper lights the lamp.")]),
    ("two", [("user", "灯塔是1890年建的。"), ("assistant", "Lamps need oil.")]),
)


@pytest.fixture
def chats(tmp_path: Path) -> str:
    with ctxlab.open_workspace(tmp_path / "chats") as workspace:
        for id, messages in CHATS:
            rows = [{"role": role, "content": content} for role, content in messages]
            workspace.save(ctxlab.read_data(rows).session().with_(id=id, name=f"chat {id}"))
    return str(tmp_path / "chats")


def test_an_import_of_what_is_not_there_begins_no_workspace(run: Run, tmp_path: Path) -> None:
    result = run("workspace", "import", tmp_path / "new", tmp_path / "nowhere")

    assert (result.code, "does not exist" in result.err) == (2, True)
    assert not (tmp_path / "new").exists()


def test_texts_are_kept_as_a_knowledge_base_and_found(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "lamp.md").write_text("# Lamp\n\n灯塔的灯每晚六点点亮。", encoding="utf-8")
    (folder / "empty.txt").write_text("", encoding="utf-8")

    first = run("workspace", "import", tmp_path / "kept", folder, "--knowledge", "Papers")
    again = run("workspace", "import", tmp_path / "kept", folder, "--knowledge", "Papers")

    assert (first.code, again.code) == (0, 0)
    assert "1 knowledge base" in first.out and "Papers, 1 entry" in first.out and "empty.txt" in first.out
    assert "there already" in again.out
    assert json.loads(run("search", tmp_path / "kept", "六点", "--json").out)[0]["kind"] == "knowledge_bases"


def test_an_import_says_first_which_files_were_left_out_and_what_becomes_of_documents(run: Run, tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "lamp"}, {"role": "nobody", "content": "?"}]
    (tmp_path / "a.json").write_text(json.dumps(chat), encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7 nothing")

    lines = run("workspace", "import", tmp_path / "kept", tmp_path / "a.json", tmp_path / "b.pdf").out.splitlines()

    assert lines[1].strip() == "b.pdf: left out; it is a document: ctxlab.knowledge_base keeps its text as knowledge"
    assert len(lines) > 2


def test_one_long_name_does_not_make_the_list_wide(run: Run, chats: str) -> None:
    with ctxlab.open_workspace(chats) as workspace:
        workspace.save(workspace.session("one").with_(name="lamp " * 60))

    lines = run("workspace", "list", chats).out.splitlines()

    assert max(map(len, lines)) < 130


def found(run: Run, *typed: object) -> list[tuple[str, str]]:
    rows = json.loads(run("search", *typed, "--json").out)
    return [(row["id"], row["role"]) for row in rows]


def test_json_has_what_the_workspace_finds(run: Run, chats: str) -> None:
    rows = json.loads(run("search", chats, "lamp", "--json").out)

    with ctxlab.open_workspace(chats) as workspace:
        hits = list(workspace.search("lamp"))
        assert [(row["id"], row["key"], row["start"], row["end"]) for row in rows] == [
            (hit.id, hit.key, *hit.spans[0]) for hit in hits
        ]
        assert [tuple(row["path"]) for row in rows] == [hit.path() for hit in hits]


def test_the_modes_are_all_words_any_word_and_the_text_itself(run: Run, chats: str) -> None:
    assert sorted(found(run, chats, "lamp keeper")) == [("one", "assistant")]
    assert sorted(found(run, chats, "keeper oil", "--mode", "or")) == [("one", "assistant"), ("two", "assistant")]
    assert sorted(found(run, chats, "灯塔", "--mode", "exact")) == [("one", "user"), ("two", "user")]
    assert sorted(found(run, chats, "lamp", "--mode", "exact", "--role", "assistant")) == [
        ("one", "assistant"),
        ("two", "assistant"),
    ]


def test_options_narrow_the_search(run: Run, chats: str) -> None:
    assert found(run, chats, "灯塔", "--session", "two") == [("two", "user")]
    assert found(run, chats, "lamp", "--kind", "agents") == []
    assert found(run, chats, "lamp", "--limit", 1) == [found(run, chats, "lamp")[0]]


def test_text_names_the_session_and_marks_the_words(run: Run, chats: str) -> None:
    result = run("search", chats, "灯塔", "--session", "two")

    first, second, third, last = result.out.splitlines()
    assert first == "sessions two  chat two"
    assert second.split()[1] == "user"
    assert third.strip() == "‹灯塔›是1890年建的。"
    assert (last, result.code) == ("1 hit, in 1 conversation", 0)


def test_text_says_how_many_of_the_hits_are_shown_and_how_to_see_all(run: Run, chats: str) -> None:
    some, all_of_them = run("search", chats, "灯塔", "--limit", 1), run("search", chats, "灯塔", "--limit", 2)

    assert some.out.splitlines()[-1] == "1 of 2 hits shown, in 2 conversations; --limit 2 for all"
    assert all_of_them.out.splitlines()[-1] == "2 hits, in 2 conversations"
    with ctxlab.open_workspace(chats) as workspace:
        found = workspace.search("灯塔", limit=1)
        assert [hit.id for hit in found] and "1 of 2 hits, in 2 conversations" in repr(found)
        assert "1 of 2 hits, in 2 conversations" in workspace.search("灯塔", limit=1)._repr_html_()


def test_words_that_are_in_no_message_together_name_the_mode_that_finds_one_of_them(run: Run, chats: str) -> None:
    result = run("search", chats, "oil keeper")

    assert (result.code, result.out.count("nowhere")) == (1, 1)
    assert "no message has all of the words; --mode or finds 2 hits with one of them" in result.err
    assert run("search", chats, "compass oilcan").err == ""


def test_hits_name_the_program_and_the_file_that_they_came_from_and_are_filtered_by_it(
    run: Run, tmp_path: Path
) -> None:
    rows = {"conversationId": "c", "messages": [{"messageId": "m", "text": "Lamp?", "isCreatedByUser": True}]}
    (tmp_path / "libre.json").write_text(json.dumps(rows), encoding="utf-8")
    (tmp_path / "rows.json").write_text(json.dumps([{"role": "user", "content": "lamp"}]), encoding="utf-8")
    for name in ("libre.json", "rows.json"):
        run("workspace", "import", tmp_path / "kept", tmp_path / name)
    asked = ("search", tmp_path / "kept", "lamp", "--role", "user")

    (hit,) = json.loads(run(*asked, "--program", "librechat", "--json").out)
    assert (hit["id"], hit["program"], hit["file"]) == ("c", "librechat", "libre.json")
    assert ", from librechat, libre.json" in run(*asked).out
    refused = run(*asked, "--program", "chatgpt")
    assert refused.code == 2 and "there are librechat, openai" in refused.err


def test_nothing_found_is_exit_code_1(run: Run, chats: str) -> None:
    result = run("search", chats, "compass")

    assert (result.code, result.err) == (1, "")
    assert result.out == "“compass” is nowhere in the workspace, or not where the options look\n"
    assert (run("search", chats, "compass", "--json").out, run("search", chats, "").code) == ("[]\n", 1)


def test_what_a_terminal_would_obey_is_written_out(run: Run, tmp_path: Path) -> None:
    with ctxlab.open_workspace(tmp_path / "w") as workspace:
        session = ctxlab.read_data([{"role": "user", "content": "a lamp \x1b[31m\u202ered"}]).session()
        workspace.save(session.with_(id="e\x1b[2J"))

    assert not set(run("search", tmp_path / "w", "lamp").out) & {"\x1b", "\u202e"}
