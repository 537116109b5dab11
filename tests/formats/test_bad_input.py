"""Broken files: one clear line that names the place, never a crash, never a wrong guess."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import BrokenFile, ReadError, UnknownFormat
from ctxlab.formats import names, read, read_data, session_json

CHAT = b'[{"role": "user", "content": "Hi"}]'


HELPER_SCRIPT = {"id": "1", "name": "Live edit", "content": "import 'http://x/y.js'", "info": "", "buttons": []}


def file(folder: Path, content: bytes, name: str = "in.json") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", r"in\.json is empty"),
        (b" \n\t", r"in\.json is empty"),
        (b'[{"role": "user",\n "content": "Hi"', r"in\.json:2:17: .*ends too early"),
        (b'{"id": "s", "nodes": {"a": {"content": "cut of', r"in\.json:1:40: .*ends too early"),
        (b"hello", r"in\.json:1:1: no JSON begins here"),
        (b'[{"role": "user" "content": "Hi"}]', r"in\.json:1:18: Expecting ',' delimiter"),
        (b'["caf\xe9"]', r"in\.json is not UTF-8: byte 0xe9 at offset 5; save it as UTF-8"),
        (b"\xff\xfe[\x00\x00", r"in\.json: not UTF-16 at byte 4"),
        (b"\x89PNG\r\n\x1a\n....", "it is a PNG picture"),
        (b"PK\x03\x04....", "is a broken zip archive"),
        (b"[" * 100_000, r"in\.json is nested too deeply"),
        (b'{"id": 1' + b"0" * 5000 + b"}", r"in\.json: .*digits"),
    ],
)
def test_a_broken_file_is_named_with_the_place(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(BrokenFile, match=said) as refusal:
        read(file(tmp_path, content))

    assert "\n" not in str(refusal.value)


def test_a_missing_file_offers_the_nearest_name(tmp_path: Path) -> None:
    file(tmp_path, CHAT, "session.json")

    with pytest.raises(ReadError, match=r"sesion\.json does not exist; did you mean 'session\.json'\?"):
        read(tmp_path / "sesion.json")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(ReadError, match="not a regular file"):
        read(tmp_path / "pipe")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_understood(tmp_path: Path, encoding: str) -> None:
    content = '[{"role": "user", "content": "héllo 你好"}]'.encode(encoding)

    assert read(file(tmp_path, content)).pick()["m0"].content == "héllo 你好"


def test_one_broken_line_is_lost_and_the_rest_is_read(tmp_path: Path) -> None:
    line = json.dumps({"messages": [{"role": "user", "content": "Hi"}]}).encode()

    found = read(file(tmp_path, b"\n".join([line, b'{"messages": [', b"", line + b"\r"]), "in.jsonl"))

    assert [session.id for session in found.sessions] == ["in-1", "in-2"]
    assert len(found.losses) == 1
    assert re.fullmatch(r".*in\.jsonl line 2: not JSON \(column 15: .*\); the line is left out", str(found.losses[0]))


def test_lines_that_are_all_broken_are_no_import(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match=r"in\.jsonl:1:\d+"):
        read(file(tmp_path, b'{"messages": ,}\n{"messages": ,}\n', "in.jsonl"))


def test_a_truncated_file_is_not_taken_for_lines(tmp_path: Path) -> None:
    whole = json.dumps({"nodes": {"a": {"parentId": None, "list": [{"x": 1}]}}}, indent=1).encode()

    with pytest.raises(BrokenFile):
        read(file(tmp_path, whole[:-6]))


def test_lone_surrogates_are_replaced_with_one_loss_a_field(tmp_path: Path) -> None:
    nodes = {"n3": {"id": "n3", "parentId": None, "content": "well \ud83d and \udc00", "name": "ok \U0001f600"}}
    content = json.dumps({"id": "s", "rootNodeId": "n3", "activeLeafId": "n3", "nodes": nodes}).encode()

    found = read(file(tmp_path, content))

    assert found.pick()["n3"].content == "well \ufffd and \ufffd"
    assert found.pick()["n3"].name == "ok \U0001f600"
    assert [str(loss) for loss in found.losses] == [
        "node 'n3' content, character 5: 2 lone surrogates were replaced by U+FFFD"
    ]
    assert session_json(found.pick()).data


def test_lone_surrogates_in_python_data_are_replaced_too() -> None:
    found = read_data([{"role": "user", "content": "a\ud800"}])

    assert found.pick()["m0"].content == "a\ufffd"
    assert [loss.place for loss in found.losses] == ["[0].content, character 1"]


def test_numbers_that_json_does_not_have_are_lost(tmp_path: Path) -> None:
    content = b'[{"role": "user", "content": "Hi", "logprob": -Infinity, "p": NaN}]'

    found = read(file(tmp_path, content))

    assert [str(loss) for loss in found.losses] == [
        "[0].logprob: -inf is no JSON value; null is used",
        "[0].p: nan is no JSON value; null is used",
    ]


def test_foreign_objects_in_python_data_are_lost_as_their_text() -> None:
    found = read_data([{"role": "user", "content": "Hi", "path": Path("a")}])

    assert found.pick()["m0"].meta("openai") == {"path": "a"}
    assert [loss.place for loss in found.losses] == ["[0].path"]


def test_data_that_holds_itself_is_refused() -> None:
    data: list[Any] = [{"role": "user", "content": "Hi"}]
    data.append(data)

    with pytest.raises(BrokenFile, match="holds itself"):
        read_data(data)


def test_data_is_copied() -> None:
    message = {"role": "user", "content": "Hi", "extra": {"a": [1]}}

    node = read_data([message]).pick()["m0"]
    message["extra"]["a"].append(2)  # type: ignore[index]

    assert node.meta("openai") == {"extra": {"a": [1]}}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([{"Ann": ["What did I say?", "Where was I?"]}], "probing questions"),
        ({"a": {"b": 1}}, "an object with the keys a"),
        (HELPER_SCRIPT, "a script of SillyTavern's Tavern Helper"),
        ({**HELPER_SCRIPT, "role": "user"}, "an object with the keys id"),
        ([], "an empty list"),
        ([[1, 2], 3], "a list of 2, the first of them a list of 2"),
        ("text", "a string"),
        (None, "the value None"),
    ],
)
def test_what_is_not_read_is_described_and_never_guessed(data: Any, said: str) -> None:
    with pytest.raises(UnknownFormat, match=said) as refusal:
        read_data(data, source="in.json")

    assert str(refusal.value).startswith("in.json is ")
    assert str(refusal.value).endswith(f"formats: {', '.join(names())}")


NEWER_SCRIPT = {
    "type": "script",
    "enabled": False,
    "name": "变量",
    "id": "2",
    "content": "import 'http://x/z.js'",
    "info": "",
    "button": {"enabled": True, "buttons": []},
    "data": {},
}


@pytest.mark.parametrize(
    "data",
    [
        HELPER_SCRIPT,
        NEWER_SCRIPT,
        [HELPER_SCRIPT, NEWER_SCRIPT],
        {"type": "folder", "name": "Mine", "id": "f", "scripts": [HELPER_SCRIPT, NEWER_SCRIPT]},
    ],
)
def test_b6_a_script_of_the_tavern_helper_is_no_user_profile(data: Any) -> None:
    with pytest.raises(UnknownFormat, match=r"is a script of SillyTavern's Tavern Helper .*, which is not read"):
        read_data(data, source="in.json")


def test_b6_a_script_amongst_user_profiles_is_named_as_a_loss() -> None:
    found = read_data([{"id": "u", "name": "Ann", "content": "A diver."}, HELPER_SCRIPT])

    assert [user.name for user in found.users] == ["Ann"]
    (loss,) = found.losses
    assert str(loss).startswith("[1]: a script of SillyTavern's Tavern Helper")


@pytest.mark.parametrize(
    "message",
    [
        {"role": ["user"], "content": "Hi"},
        {"role": "user", "content": [{"type": ["text"]}, {"type": "image_url", "image_url": 5}, None, 7]},
        {"role": "assistant", "content": "", "tool_calls": [{"function": 3}, 4, {"id": 5, "function": {"name": 6}}]},
        {"role": "assistant", "tool_calls": "none", "name": 4},
        {"role": "tool", "tool_call_id": 4, "content": {}},
        {"role": "assistant", "function_call": {"arguments": {"a": 10**40}}},
    ],
)
def test_messages_of_odd_types_are_read_somehow(message: Any) -> None:
    found = read_data([{"role": "user", "content": "Hi"}, message, {"role": "user", "content": "Bye"}])

    assert found.pick().check() == ()
    assert found.pick().path()[-1].content == "Bye"
    assert session_json(found.pick()).data


def test_a_list_of_messages_with_an_unknown_role_is_refused_by_that_role() -> None:
    with pytest.raises(UnknownFormat, match="with the role 'usr'; known are assistant, developer, function"):
        read_data([{"role": "usr", "content": "Hello"}])
    with pytest.raises(UnknownFormat, match="with the role 'usr'"):
        read_data({"messages": [{"role": "usr", "content": "Hello"}]})
    with pytest.raises(UnknownFormat) as refused:
        read_data([{"role": "usr", "words": "Hello"}])
    assert "with the role" not in str(refused.value)
