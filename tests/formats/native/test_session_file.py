"""Files that are there whole or not at all."""

import stat
from pathlib import Path

import pytest

from ctxlab.documents import Session
from ctxlab.errors import WriteError
from ctxlab.formats import read, session_json, write

CHAT = Session(id="s").append("Hi", id="u").append("你好", role="assistant", id="a")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"

    write(CHAT, path)

    assert read(path).pick() == CHAT
    assert "你好" in path.read_text(encoding="utf-8")
    assert [entry.name for entry in tmp_path.iterdir()] == ["chat.json"]


def test_a_session_without_messages_can_be_written(tmp_path: Path) -> None:
    write(Session(id="s"), tmp_path / "chat.json")

    assert read(tmp_path / "chat.json").pick() == Session(id="s")


def test_numbers_beyond_64_bits_are_written(tmp_path: Path) -> None:
    session = CHAT.append("x", id="x", metadata={"n": 10**30})

    assert str(10**30).encode() in session_json(session).data


def test_what_is_nested_too_deeply_is_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    write(CHAT, path)
    deep: dict[str, object] = {}
    for _ in range(400):
        deep = {"in": deep}

    with pytest.raises(WriteError, match="nested too deeply"):
        write(CHAT.append("x", metadata=deep), path)

    assert read(path).pick() == CHAT


def test_a_link_is_replaced_and_what_it_points_to_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("precious")
    link = tmp_path / "chat.json"
    link.symlink_to(target)

    write(CHAT, link)

    assert target.read_text() == "precious"
    assert not link.is_symlink()


def test_the_rights_of_the_old_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    write(CHAT, path)
    path.chmod(0o600)

    write(CHAT, path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(("name", "said"), [("", "is a folder"), ("no/such/chat.json", "there is no folder")])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(WriteError, match=said):
        write(CHAT, tmp_path / name, format="native")
