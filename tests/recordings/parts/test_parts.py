"""Parts of recorded requests: sources, tools, files, and sums that are those of the parts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.prompt.tool_use import file_of_call, gives_file, server_of
from ctxlab.recordings.parts.stretches import TAGS, stretches_of
from ctxlab.recordings.recording import Recording

PIECES = [*(f"<{tag}>" for tag in TAGS[:3]), *(f"</{tag}>" for tag in TAGS[:3]), "水塔", " ", "\n", "words", "<b>"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_stretches_cover_a_message_without_gaps(text: str) -> None:
    found = [*stretches_of(text)]
    assert "".join(text[each.start : each.end] for each in found) == text
    for each in found:
        words = text[each.start : each.end].strip()
        assert each.tag == "" or (words.startswith(f"<{each.tag}>") and words.endswith(f"</{each.tag}>"))


@pytest.mark.parametrize(
    ("tool", "arguments", "file", "given_back"),
    [
        ("Read", {"file_path": "src/lamp.py"}, "src/lamp.py", True),
        ("Edit", {"file_path": "src/lamp.py", "old_string": "a"}, "src/lamp.py", False),
        ("read_file", {"absolute_path": "/灯.md"}, "/灯.md", True),
        ("shell", {"command": ["bash", "-lc", "sed -n '1,20p' lamp.py"]}, "lamp.py", True),
        ("Bash", {"command": "cat lamp.py"}, "lamp.py", True),
        ("Bash", {"command": "cat lamp.py | wc -l"}, "", False),
        ("Bash", {"command": "sed -i s/a/b/ lamp.py"}, "", False),
        ("Bash", {"command": "it's"}, "", False),
        ("Grep", {"pattern": "lamp", "path": "src"}, "src", False),
    ],
)
def test_files_of_calls(tool: str, arguments: object, file: str, given_back: bool) -> None:
    text = json.dumps(arguments)
    assert (file_of_call(text), gives_file(tool, text)) == (file, given_back)


def test_servers_are_read_from_names() -> None:
    assert [server_of(name) for name in ("mcp__gauge__measure", "gauge__measure", "Read", "__init__")] == [
        "gauge",
        "gauge",
        "",
        "",
    ]


def recorded(folder: Path, bodies: list[Any]) -> Recording:
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps({"request": body, "response": None}) + "\n" for body in bodies), "utf-8")
    return ctxlab.read_recording(path)


def a_body(turns: list[Any], tools: int = 1) -> dict[str, object]:
    schema = {"type": "object", "properties": {}}
    listed = [{"type": "function", "function": {"name": f"mcp__box__t{n}", "parameters": schema}} for n in range(tools)]
    return {"model": "gpt-4o", "tools": listed, "messages": [{"role": "system", "content": "守夜人"}, *turns]}


def call(id: str, path: str) -> dict[str, object]:
    function = {"name": "read_file", "arguments": json.dumps({"path": path})}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": function}]}


def test_a_result_has_the_tool_and_the_file_of_its_call(tmp_path: Path) -> None:
    told = {"role": "tool", "tool_call_id": "c1", "content": "def lamp(): ..."}
    ask = {"role": "user", "content": "<system-reminder>be brief</system-reminder>Read it."}
    first = [ask, call("c1", "lamp.py"), told]
    other = [{"role": "user", "content": "And this?"}, call("c1", "other.py"), told]
    recording = recorded(tmp_path, [a_body(first), a_body(other)])
    parts = [[*recording.parts.of_request(request)] for request in recording]
    assert [each.source for each in parts[0]] == [
        *("parameters", "tools", "system", "reminders", "history", "calls", "files")
    ]
    assert [own[-1].file for own in parts] == ["lamp.py", "other.py"]  # two calls with one id, in two branches
    assert parts[0][1].server == "box"


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5))
@settings(max_examples=20, deadline=None)
def test_sums_are_those_of_the_parts(tmp_path_factory: pytest.TempPathFactory, lengths: list[int]) -> None:
    turns: list[Any] = [
        each for n in range(6) for each in ({"role": "user", "content": f"row {n} 第{n}行"}, call(f"c{n}", f"{n}.py"))
    ]
    recording = recorded(tmp_path_factory.mktemp("r"), [a_body(turns[:n], tools=n) for n in lengths])
    for request in recording:
        parts = [*recording.parts.of_request(request)]
        by_source = recording.parts.tokens_by_source(request)
        assert recording.parts.tokens(request) == sum(by_source.values()) == sum(part.tokens for part in parts)
        assert all(by_source[s] == sum(p.tokens for p in parts if p.source == s) for s in by_source)
        for part in parts:
            if part.start is not None:
                assert recording.session.nodes[part.key].content[part.start :].startswith(part.text)
