"""From one file to another."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import SeveralSessions, WriteError
from ctxlab.formats import FORMATS, convert, read

TOOL = {"type": "function", "function": {"name": "brew"}}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
]


def chat(folder: Path, *conversations: Any) -> Path:
    path = folder / "in.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"c{n}", "messages": one}) for n, one in enumerate(conversations)))
    return path


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("out.json", '{\n  "sessions": ['),
        ("out.openai.json", "["),
        ("out.branch.json", '{\n  "session": {'),
        ("out.MD", "# Conversation: Hi"),
        ("out.path.md", "# Conversation: Hi"),
        ("out.tree.md", "# Conversation tree: Hi"),
        ("out.zip", "PK"),
    ],
)
def test_the_name_says_what_is_written(tmp_path: Path, name: str, begins: str) -> None:
    convert(chat(tmp_path, CHAT), tmp_path / name)

    assert (tmp_path / name).read_bytes().startswith(begins.encode())


def test_the_format_can_be_said_and_wins(tmp_path: Path) -> None:
    out = tmp_path / "out.json"

    assert convert(chat(tmp_path, CHAT), out, format="openai").losses == ()
    assert json.loads(out.read_bytes()) == CHAT


@pytest.mark.parametrize("name", ["out.json", "out.zip"])
def test_json_and_zip_hold_everything(tmp_path: Path, name: str) -> None:
    source = chat(tmp_path, CHAT, CHAT[1:], [*CHAT, {"role": "user", "content": "Bye"}])

    losses = convert(source, tmp_path / name).losses

    found, again = read(source), read(tmp_path / name)
    assert (losses, again.losses) == ((), ())
    assert (again.sessions, again.agents) == (found.sessions, found.agents)


def test_one_session_is_picked_and_its_agent_comes_along(tmp_path: Path) -> None:
    source = chat(tmp_path, CHAT, [{"role": "system", "content": "Be rude."}, *CHAT[1:]])

    convert(source, tmp_path / "out.json", pick="c1")

    found = read(tmp_path / "out.json")
    assert [session.id for session in found.sessions] == ["c1"]
    assert [agent.preset_messages[0].content for agent in found.agents] == ["Be rude."]


def test_a_session_alone_is_written_as_it_is(tmp_path: Path) -> None:
    convert(chat(tmp_path, CHAT[1:]), tmp_path / "out.json")

    assert json.loads((tmp_path / "out.json").read_bytes())["id"] == "c0"


@pytest.mark.parametrize("format", ["openai", "branch", "markdown", "markdown-path", "markdown-tree"])
def test_forms_for_one_session_ask_which(tmp_path: Path, format: str) -> None:
    with pytest.raises(SeveralSessions, match="say which with pick="):
        convert(chat(tmp_path, CHAT, CHAT), tmp_path / "out", format=format)


def test_presets_are_in_the_markdown(tmp_path: Path) -> None:
    convert(chat(tmp_path, CHAT), tmp_path / "out.md")

    assert "## System\n\nBe kind.\n\n## User\n\nHi\n" in (tmp_path / "out.md").read_text()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("out.openai.json", ["agent 'agent-in': its 1 tool definition is no message; left out"]),
        ("out.branch.json", ["agent 'agent-in': its presets and tools have no place here; left out"]),
        ("out.md", ["agent 'agent-in': its tool definitions are left out"]),
        ("out.tree.md", ["agent 'agent-in': its presets and tools have no place here; left out"]),
        ("out.zip", []),
    ],
)
def test_what_a_form_cannot_carry_is_lost_with_a_word(tmp_path: Path, name: str, said: list[str]) -> None:
    source = tmp_path / "in.json"
    source.write_text(json.dumps({"messages": CHAT, "tools": [TOOL]}))

    assert [str(loss) for loss in convert(source, tmp_path / name).losses] == said


def test_losses_of_both_ways_are_returned(tmp_path: Path) -> None:
    said = {"message_id": "p", "text": "Hi", "role": "prompter", "replies": []}
    replies = [{"message_id": one, "text": one, "role": "who", "replies": []} for one in "ab"]
    source = tmp_path / "in.json"
    source.write_text(json.dumps({"message_tree_id": "t", "prompt": {**said, "replies": replies}}))

    losses = convert(source, tmp_path / "out.md").losses

    assert [loss.place for loss in losses] == ["message 'a'", "message 'b'", "active branch", "the tree"]


@pytest.mark.parametrize(
    ("name", "format", "said"),
    [
        ("out.pdf", None, "doesn't say what to write; end it in one of"),
        ("out.md", "markdwn", "did you mean 'markdown'?"),
        ("in.jsonl", "native", "is the file that is read"),
        ("no/out.md", None, "there is no folder"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, name: str, format: str | None, said: str) -> None:
    source = chat(tmp_path, CHAT)
    before = source.read_bytes()

    with pytest.raises(WriteError, match=said.replace("?", r"\?")):
        convert(source, tmp_path / name, format=format)

    assert source.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_file_without_a_session_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    source.write_text(json.dumps([{"type": "summary", "summary": "Tea", "leafUuid": "u"}]))

    for format in [form.name for form in FORMATS if form.write]:
        with pytest.raises(
            WriteError,
            match=r"holds no (session|agent|book|set of rules|set of quick actions|knowledge base).*; it holds nothing",
        ):
            convert(source, tmp_path / "out", format=format)
