"""A folder is read as one Import: what is readable in it is there, and what isn't is named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import ReadError
from ctxlab.formats import folder as limits

CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Rill", "description": "A pilot.", "first_mes": "Ahoy."},
}
LINES = [
    {"user_name": "Mara", "character_name": "Rill", "create_date": "2026-01-01", "chat_metadata": {}},
    {"name": "Rill", "is_user": False, "is_system": False, "send_date": "2026-01-01", "mes": "Ahoy."},
    {"name": "Mara", "is_user": True, "is_system": False, "send_date": "2026-01-01", "mes": "Is that the reef?"},
]
BOOK = {"entries": {"0": {"uid": 0, "key": ["reef"], "content": "Old stones.", "comment": "Reef", "order": 1}}}
RULES = [
    {"scriptName": "Louder", "findRegex": "/that/g", "replaceString": "THAT", "placement": [1], "promptOnly": True}
]


def put(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def chat(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    put(folder / "chats" / "one.jsonl", "\n".join(map(json.dumps, LINES)))
    put(folder / "rill.json", CARD)
    put(folder / "reef.json", BOOK)
    put(folder / "rules.json", RULES)
    return folder


def words(found: ctxlab.Library) -> list[str]:
    return [session.path()[-1].content for session in found.sessions]


def test_chats_a_card_a_book_and_rules_are_one_library_that_builds(harbour: Path) -> None:
    found = ctxlab.read(harbour)

    assert (len(found.sessions), len(found.agents), len(found.books), len(found.rules)) == (1, 1, 1, 1)
    assert (found.losses, found.source) == ((), str(harbour))
    sent = str(ctxlab.build(found).messages)
    assert "Is THAT the reef?" in sent
    assert "Old stones." in sent
    assert "A pilot." in sent


def test_what_cannot_be_read_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    put(tmp_path / "a.json", chat("first"))
    put(tmp_path / "deep" / "broken.json", '{"role":\n')
    put(tmp_path / "empty.json", "")
    put(tmp_path / "notes.md", "Dear diary")
    put(tmp_path / "numbers.json", {"x": 1})
    (tmp_path / "picture.jpg").write_bytes(b"\xff\xd8\xff\xe0")

    found = ctxlab.read(tmp_path)

    assert words(found) == ["first"]
    said = {loss.place: loss.text for loss in found.losses}
    assert set(said) == {"deep/broken.json", "empty.json", "notes.md", "numbers.json", "picture.jpg"}
    assert said["empty.json"] == "left out; it is empty"
    assert said["numbers.json"] == "left out; it is in no format that ctxlab reads"
    assert said["picture.jpg"].startswith("left out; it is no JSON text: it is a JPEG picture")
    assert said["notes.md"].startswith("left out; it is no JSON")
    assert said["deep/broken.json"].endswith("line 2, column 1")


def test_a_loss_inside_a_file_names_the_file(tmp_path: Path) -> None:
    put(tmp_path / "in" / "log.jsonl", "\n".join([*map(json.dumps, chat("a") * 2), "{nonsense"]))

    (loss,) = ctxlab.read(tmp_path).losses

    assert str(loss).startswith("in/log.jsonl, ")
    assert "line 3" in str(loss)


def test_files_come_before_folders_and_by_name(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "z/a.json", "m/a.json"):
        put(tmp_path / name, chat(name))

    assert words(ctxlab.read(tmp_path)) == ["a.json", "b.json", "m/a.json", "z/a.json"]


def test_links_are_not_followed_and_hidden_files_are_left_out(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside" / "secret.json", chat("secret"))
    inside = put(tmp_path / "inside" / "a.json", chat("mine")).parent
    put(inside / ".hidden.json", chat("hidden"))
    put(inside / ".git" / "b.json", chat("hidden"))
    put(inside / "node_modules" / "b.json", chat("a program's"))
    (inside / "link.json").symlink_to(outside)
    (inside / "folder").symlink_to(outside.parent)
    (inside / "round").symlink_to(inside)
    os.mkfifo(inside / "pipe.json")

    found = ctxlab.read(inside)

    assert words(found) == ["mine"]
    assert {loss.place for loss in found.losses} == {"link.json", "folder", "round", "pipe.json"}


def test_a_link_that_is_named_is_read(harbour: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(harbour)

    assert len(ctxlab.read(tmp_path / "link").agents) == 1


def test_a_folder_with_nothing_to_read_says_what_it_holds(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="is a folder without a file that is read"):
        ctxlab.read(tmp_path)
    for number in range(5):
        put(tmp_path / f"{number}.md", "Dear diary")
    with pytest.raises(ReadError, match=r"nothing can be read: 0\.md: left out; .* and 2 more$"):
        ctxlab.read(tmp_path)


@pytest.mark.parametrize(
    ("limit", "value", "read", "loss"),
    [
        ("DEEPEST", 1, ["a", "b", "c"], "in/deep: left out; it is more than 1 folders deep"),
        ("LARGEST_BYTES", 40, ["a", "b", "in"], "c.json: left out; "),
    ],
)
def test_a_huge_folder_is_read_up_to_a_limit_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, read: list[str], loss: str
) -> None:
    monkeypatch.setattr(limits, limit, value)
    for name in ("a", "b"):
        put(tmp_path / f"{name}.json", chat(name))
    put(tmp_path / "c.json", json.dumps(chat("c"), indent=9))
    put(tmp_path / "in" / "deep" / "d.json", chat("deep"))
    put(tmp_path / "in" / "d.json", chat("in"))

    found = ctxlab.read(tmp_path)

    assert [text for text in words(found) if text in "abc"] == [each for each in read if each in "abc"]
    assert any(str(each).startswith(loss) for each in found.losses)


def test_a_system_prompt_of_a_folder_is_kept_as_that_of_a_file(tmp_path: Path) -> None:
    put(tmp_path / "a.json", [{"role": "system", "content": "Be brief."}, *chat("Hi")])

    assert [node.content for node in ctxlab.load(tmp_path).path()[1:]] == ["Be brief.", "Hi"]
    assert len(ctxlab.read(tmp_path).agents) == 1


def test_of_many_files_every_value_is_there_once(tmp_path: Path) -> None:
    for number in range(60):
        put(tmp_path / f"{number:02}.json", chat(str(number)))
    put(tmp_path / "again" / "00.json", chat("0"))

    assert words(ctxlab.read(tmp_path)) == [*map(str, range(1, 60)), "0"]


def test_every_file_of_a_folder_is_read_however_many_there_are(tmp_path: Path) -> None:
    for number in range(2_010):
        put(tmp_path / f"{number // 3}" / f"{number}.json", chat(f"message {number}"))

    found = ctxlab.read(tmp_path)

    assert sorted(words(found)) == sorted(f"message {number}" for number in range(2_010))
    assert found.losses == ()


def test_a_folder_of_more_than_is_held_at_once_is_refused_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "a.json", chat("a" * 400))
    put(tmp_path / "b.json", chat("b" * 400))
    (tmp_path / "film.mp4").write_bytes(b"\0\0\0\x20ftypisom" + b"\0" * 4_000)
    monkeypatch.setattr(limits, "MOST_BYTES", 1_000)

    assert len(ctxlab.read(tmp_path).sessions) == 2  # a film is none of what is held
    monkeypatch.setattr(limits, "MOST_BYTES", 500)
    with pytest.raises(ReadError, match=r"in 2 files, more than .* survey, study, branches and check .*/a\.json$"):
        ctxlab.read(tmp_path)
