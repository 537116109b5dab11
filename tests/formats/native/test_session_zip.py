"""Zip archives of sessions."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from ctxlab.documents import Agent, Session, UserProfile
from ctxlab.errors import BrokenFile, UnknownFormat, WriteError
from ctxlab.formats import card_png, read, session_json, sessions_zip, write
from ctxlab.formats.files import zip_archive as session_zip
from ctxlab.formats.sillytavern.cards.png import plain_picture

CHAT = Session(id="s", name="Tea").append("Hi", id="u").append("你好", role="assistant", id="a")


def zipped(folder: Path, files: dict[str, bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "in.zip"
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    agent, user = Agent(id="x", name="Nova"), UserProfile(id="p", name="Ann", content="Likes tea.")

    path = tmp_path / "all.zip"
    write([CHAT, Session(id="t"), agent, user], path)
    found = read(path)

    assert (found.format, found.losses) == ("zip", ())
    assert found.sessions == (CHAT, Session(id="t"))
    assert [(a.id, a.name) for a in found.agents] == [("x", "Nova")]
    assert found.users == (user,)


def test_the_index_lists_the_sessions_and_no_time_but_the_one_given(tmp_path: Path) -> None:
    path = tmp_path / "two.zip"

    write(sessions_zip([CHAT], exported_at="2026-01-01T00:00:00Z"), path)

    with zipfile.ZipFile(path) as archive:
        index = json.loads(archive.read("metadata.json"))
    assert index["sessions"] == [{"id": "s", "name": "Tea", "file": "sessions/s.json"}]
    assert (index["sessionCount"], index["exportedAt"]) == (1, "2026-01-01T00:00:00Z")
    assert sessions_zip([CHAT]).data == sessions_zip([CHAT]).data


@pytest.mark.parametrize(
    "ids",
    [["../../etc/passwd", "/root", "..", "C:\\x"], ["a", "A", "a"], ["", " ", "."], ["x" * 500, "x" * 600], ["你好"]],
)
def test_paths_stay_inside_and_files_apart(tmp_path: Path, ids: list[str]) -> None:
    path = tmp_path / "all.zip"
    write([CHAT.model_copy(update={"id": one}) for one in ids], path)

    with zipfile.ZipFile(path) as archive:
        files = [name for name in archive.namelist() if name != "metadata.json"]
    assert len({name.casefold() for name in files}) == len(ids)
    for name in files:
        assert Path(name).parts[0] == "sessions"
        assert len(Path(name).parts) == 2
        assert ".." not in name
        assert "\\" not in name
        assert len(name) < 120
    assert {session.id for session in read(path).sessions} >= set(ids)


def test_archives_of_other_programs_are_read(tmp_path: Path) -> None:
    place = {"id": "u", "parent": None, "children": [], "message": {"author": {"role": "user"}, "content": "Hi"}}
    exported = json.dumps([{"title": "T", "id": "c", "mapping": {"u": place}, "current_node": "u"}]).encode()
    files = {
        "backup/metadata.json": b"{}",
        "backup/sessions/s.json": session_json(CHAT).data,
        "conversations.json": exported,
        "chat.html": b"<html>",
        "__MACOSX/._s.json": b"\x00",
        "user.json": b'{"email": "a@b"}',
    }

    found = read(zipped(tmp_path, files))

    assert [session.id for session in found.sessions] == ["s", "c"]
    assert [loss.place for loss in found.losses] == ["user.json"]


def test_equal_ids_in_an_archive_are_told_apart(tmp_path: Path) -> None:
    found = read(zipped(tmp_path, {"a.json": session_json(CHAT).data, "b.json": session_json(CHAT).data}))

    assert [session.id for session in found.sessions] == ["s", "s~2"]
    assert [loss.place for loss in found.losses] == ["session 's'"]


def test_one_broken_file_is_lost_and_the_rest_is_read(tmp_path: Path) -> None:
    found = read(zipped(tmp_path, {"sessions/a.json": b'{"nodes": ', "sessions/s.json": session_json(CHAT).data}))

    assert found.pick() == CHAT
    assert [loss.place for loss in found.losses] == ["sessions/a.json"]


def test_a_damaged_file_is_lost_and_the_rest_is_read(tmp_path: Path) -> None:
    path = zipped(
        tmp_path, {"a.json": b'{"x": 1}' * 9, "s.json": session_json(CHAT).data}, compression=zipfile.ZIP_STORED
    )
    path.write_bytes(path.read_bytes().replace(b'{"x": 1}', b'{"x": 2}', 1))

    found = read(path)

    assert found.pick() == CHAT
    assert "can't be unpacked" in found.losses[0].text


@pytest.mark.parametrize(
    ("content", "said"), [({}, "it holds neither JSON nor a card"), ({"a.json": b"[]"}, "a.json: left out")]
)
def test_an_archive_without_anything_to_read_is_refused(tmp_path: Path, content: dict[str, bytes], said: str) -> None:
    with pytest.raises(UnknownFormat, match=rf"in\.zip is a zip archive in which nothing can be read: {said}"):
        read(zipped(tmp_path, content))


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"s.json": session_json(CHAT).data})
    path.write_bytes(path.read_bytes()[:-30])

    with pytest.raises(BrokenFile, match="broken zip archive"):
        read(path)


@pytest.mark.parametrize("limit", ["LARGEST_BYTES", "TOGETHER_BYTES"])
def test_what_would_unpack_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(session_zip, limit, 2**20)
    path = zipped(tmp_path, {"bomb.json": b" " * (3 * 2**20)})

    with pytest.raises(BrokenFile, match="would unpack to 3 MB; 1 MB are allowed"):
        read(path)


def test_a_file_that_is_larger_than_its_archive_says_is_not_unpacked_whole(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"bomb.json": b"[" + b" " * 5_000_000 + b"]", "s.json": session_json(CHAT).data})
    lying = path.read_bytes().replace((5_000_002).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(lying)

    found = read(path)

    assert found.pick() == CHAT
    assert [loss.place for loss in found.losses] == ["bomb.json"]


def test_what_unpacks_without_a_limit_is_left_out(tmp_path: Path) -> None:
    files = {"s.json": session_json(CHAT).data}

    with pytest.raises(UnknownFormat, match="packed in another way than deflate"):
        read(zipped(tmp_path, files, compression=zipfile.ZIP_BZIP2))


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_zip, "ENTRIES", 2)

    with pytest.raises(BrokenFile, match="3 files; 2 are allowed"):
        read(zipped(tmp_path, {f"{n}.txt": b"" for n in range(3)}))


def test_an_empty_archive_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "in.zip"
    packed = io.BytesIO()
    zipfile.ZipFile(packed, "w").close()
    path.write_bytes(packed.getvalue())

    with pytest.raises(UnknownFormat):
        read(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="there is no folder"):
        write(CHAT, tmp_path / "no" / "all.zip")


def test_a_card_in_a_picture_in_an_archive_is_read_and_other_pictures_are_not(tmp_path: Path) -> None:
    card = card_png(Agent(id="x", name="Nova", description="Keeps the light.")).data
    files = {"cards/nova.png": card, "plain.png": plain_picture(), "__MACOSX/nova.png": card, "s.json": b"{}"}
    found = read(zipped(tmp_path, files))
    assert [agent.name for agent in found.agents] == ["Nova"]
    assert [loss.place for loss in found.losses if loss.place.endswith("png")] == []
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "nova.png").write_bytes(card)
    assert [agent.name for agent in read(tmp_path / "cards").agents] == ["Nova"]
    with pytest.raises(UnknownFormat, match="neither JSON nor a card"):
        read(zipped(tmp_path, {"plain.png": plain_picture()}))
