"""Whatever happens to a disk or a program, no file is torn, nothing is lost, and one sentence says what is amiss."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import Session, Workspace
from ctxlab.errors import CtxlabError, ReadError, WriteError
from ctxlab.storage.files import LocalFiles
from ctxlab.storage.index import VERSION
from tests.storage.writers import ADDING, FOREVER, started

KILLS = 12
WRITES = 20


def again(workspace: Workspace) -> Workspace:
    return ctxlab.open_workspace(workspace.place)


def file_of(workspace: Workspace, id: str = "chat") -> Path:
    return Path(workspace.place) / "sessions" / f"session-{id}.json"


def left_overs(workspace: Workspace) -> list[Path]:
    return list(Path(workspace.place).rglob(".*.tmp"))


@pytest.mark.slow
def test_no_kill_tears_or_loses_a_file(workspace: Workspace) -> None:
    acknowledged: dict[str, int] = {}
    for kill in range(KILLS):
        writer = started(FOREVER, workspace.place, kill * 1_000)
        assert writer.stdout is not None
        for _ in range(2 + kill % 5):
            words = writer.stdout.readline().split()
            if len(words) == 2:
                acknowledged[words[0].decode()] = int(words[1])
        writer.kill()
        rest, _ = writer.communicate()
        for line in rest.split(b"\n")[:-1]:
            id, revision = line.split()
            acknowledged[id.decode()] = int(revision)

        kept = again(workspace)
        assert left_overs(workspace) == []
        for row in kept.sessions():
            saved = kept.session(row.id)
            assert saved.check() == ()
            assert saved["q"].content == "雾" * 3000
            revision = (saved.model_extra or {})["workspaceRevision"]
            assert int(revision.partition("-")[0]) >= acknowledged.get(row.id, 0)
        assert {*acknowledged} <= {row.id for row in kept.sessions()}
        assert kept.notes == ()
    assert acknowledged


@pytest.mark.slow
def test_three_programs_lose_no_message(workspace: Workspace) -> None:
    for number in range(4):
        workspace.save(Session(id=f"s{number}").append("start", id="start"))

    writers = [started(ADDING, workspace.place, name, WRITES) for name in ("a", "b", "c")]
    for writer in writers:
        _, err = writer.communicate(timeout=300)
        assert (writer.returncode, err) == (0, b"")

    found = {id for row in workspace.sessions() for id in workspace.session(row.id).nodes}
    assert {f"{name}-{number}" for name in "abc" for number in range(WRITES)} <= found
    assert all(workspace.session(row.id).check() == () for row in workspace.sessions())
    assert len(workspace.journal()) >= 3 * WRITES


def no_space(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read_only(*_: Any, **__: Any) -> Any:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


@pytest.mark.parametrize("call", ["fsync", "link", "scandir"])
def test_a_full_disk_is_one_sentence_and_loses_nothing(
    workspace: Workspace, chat: Session, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    saved = workspace.save(chat)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, no_space)
        if call == "fsync":
            with pytest.raises(WriteError, match=r"can't be written: No space left on device$"):
                workspace.save(saved.append("more", id="m"))
        elif call == "link":  # the version for merges can't be kept: the save is more important
            saved = workspace.save(saved.append("more", id="m"))
        else:
            with pytest.raises(ReadError, match="No space left"):
                workspace.sessions()

    assert again(workspace).session("chat") == saved
    assert left_overs(workspace) == []


def test_a_disk_that_is_really_full(chat: Session, tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    if (
        os.geteuid()
        or not shutil.which("mount")
        or os.system(f"mount -t tmpfs -o size=512k none '{place}' 2>/dev/null")
    ):
        pytest.skip("a small file system can't be mounted here")
    try:
        workspace = ctxlab.open_workspace(place / "kept")
        saved = workspace.save(chat)
        with pytest.raises(WriteError, match="No space left on device"):
            for number in range(60):
                saved = workspace.save(saved.append("雾" * 10_000, id=f"m{number}"))
        assert again(workspace).session("chat") == saved
        assert again(workspace).sessions()[0].messages == saved.message_count
    finally:
        os.system(f"umount '{place}'")


def test_a_folder_that_can_only_be_read_is_read(
    workspace: Workspace, chat: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = workspace.save(chat)
    for name in ("write_whole", "append", "delete", "move", "lock", "_make_folder"):
        monkeypatch.setattr(LocalFiles, name, read_only)

    other = again(workspace)

    assert (other.session("chat"), len(other.sessions())) == (saved, 1)
    for refused in (lambda: other.save(saved.append("x")), lambda: other.delete("chat"), lambda: other.favour("chat")):
        with pytest.raises(WriteError, match=r"Read-only file system$"):
            refused()


def test_a_file_that_was_changed_by_hand_is_seen(workspace: Workspace, chat: Session) -> None:
    saved = workspace.save(chat)
    workspace.close()
    file = file_of(workspace)
    file.write_text(file.read_text().replace("Hello", "Goodbye"))

    assert workspace.session("chat")["a"].content == "Goodbye"
    with pytest.raises(CtxlabError, match="1 message changed"):
        workspace.save(saved.edit("q", "x"))
    merged = workspace.save(saved.edit("q", "x"), on_conflict="merge")
    assert (merged["q"].content, merged["a"].content) == ("x", "Goodbye")


def test_a_file_that_was_put_there_by_hand_is_listed_and_saved_in_its_place(
    workspace: Workspace, chat: Session
) -> None:
    file = Path(workspace.place) / "sessions" / "my favourite.json"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(chat.to_json())

    assert [row.id for row in workspace.sessions()] == ["chat"]
    workspace.save(workspace.session("chat").edit("q", "x"))
    assert "x" in file.read_text()
    assert not file_of(workspace).exists()


OUTSIDE = json.dumps({"version": VERSION, "sessions": [{"file": "../x"}]}).encode()


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", OUTSIDE, b'{"version": 99}'])
def test_a_broken_index_is_made_anew(workspace: Workspace, chat: Session, broken: bytes) -> None:
    workspace.save(chat)
    workspace.close()
    (Path(workspace.place) / "sessions" / "index.json").write_bytes(broken)

    other = again(workspace)

    assert [row.id for row in other.sessions()] == ["chat"]
    assert "made anew" in other.notes[0].text


def test_an_index_from_before_a_crash_mends_itself(workspace: Workspace, chat: Session) -> None:
    for number in range(3):
        workspace.save(chat.model_copy(update={"id": f"s{number}"}))
    workspace.close()
    later = again(workspace)  # which is never closed, so that its index isn't written
    later.save(later.session("s1").with_(name="later"))
    later.save(chat.model_copy(update={"id": "new"}))
    later.delete("s2")

    rows = again(workspace).sessions(sort="name")

    assert {(row.id, row.name) for row in rows} == {("s0", "雾港"), ("s1", "later"), ("new", "雾港")}


def test_only_what_changed_is_read_again(workspace: Workspace, chat: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        workspace.save(chat.model_copy(update={"id": f"s{number}"}))
    workspace.close()
    file = file_of(workspace, "s3")
    file.write_text(file.read_text().replace("雾港", "灯塔"))
    read: list[str] = []
    whole = LocalFiles.read
    monkeypatch.setattr(LocalFiles, "read", lambda self, path: read.append(path) or whole(self, path))

    again(workspace).sessions()

    assert [path for path in read if path.startswith("sessions/s")] == ["sessions/session-s3.json"]


def test_a_file_that_cannot_be_read_is_named_and_kept(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    file = file_of(workspace)
    file.write_bytes(b'{"id": "chat", "nodes": {"q": {"con')

    assert len(workspace.sessions()) == 0
    assert "sessions/session-chat.json" in workspace.notes[-1].text
    with pytest.raises(ReadError, match=r"session-chat\.json"):
        workspace.session("chat")
    assert [note.level for note in workspace.check()] == ["error"]
    assert workspace.repair() is not None
    assert file.read_bytes() == b'{"id": "chat", "nodes": {"q": {"con'

    workspace.save(chat)  # saved anew, and what was there is in the trash
    (entry,) = workspace.trash()
    kept = Path(workspace.place) / "trash" / entry.key / next(iter(entry.files))
    assert kept.read_bytes() == b'{"id": "chat", "nodes": {"q": {"con'


def test_a_file_that_was_read_in_part_is_never_replaced_without_a_copy(workspace: Workspace, chat: Session) -> None:
    workspace.save(chat)
    file = file_of(workspace)
    data = json.loads(file.read_bytes())
    data["nodes"]["q"]["timestamp"] = {"not": "a time"}
    file.write_text(json.dumps(data))

    session = workspace.session("chat")
    assert "timestamp" in workspace.notes[-1].text
    workspace.save(session.edit("a", "x"))

    (entry,) = workspace.trash()
    assert "not" in (Path(workspace.place) / "trash" / entry.key / next(iter(entry.files))).read_text()


@pytest.mark.parametrize("version", [2, 99])
def test_a_newer_version_is_left_alone(workspace: Workspace, chat: Session, version: int) -> None:
    workspace.save(chat)
    about = Path(workspace.place) / "workspace.json"
    about.write_text(json.dumps({"version": version}))

    with pytest.raises(ReadError, match=f"version {version}.*newer ctxlab"):
        again(workspace)

    assert json.loads(about.read_bytes()) == {"version": version}


@pytest.mark.parametrize("about", [None, b"{", b"{}", b'{"version": 0, "mine": 1}'])
def test_an_older_or_broken_one_is_opened(workspace: Workspace, chat: Session, about: bytes | None) -> None:
    saved = workspace.save(chat)
    path = Path(workspace.place) / "workspace.json"
    path.unlink()
    if about is not None:
        path.write_bytes(about)

    other = again(workspace)
    other.favour("chat")

    assert (other.session("chat"), again(workspace).sessions()[0].favourite) == (saved, True)
    if about == b"{":
        assert [entry.why for entry in other.trash()] == ["it couldn't be read"]
    if about and b"mine" in about:
        assert json.loads(path.read_bytes())["mine"] == 1


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("words")

    with pytest.raises(ReadError, match="holds other things"):
        ctxlab.open_workspace(tmp_path)
    with pytest.raises(ReadError, match="is no workspace"):
        ctxlab.open_workspace(tmp_path / "nowhere", create=False)

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_links_in_a_workspace_are_not_followed(workspace: Workspace, chat: Session, tmp_path: Path) -> None:
    workspace.save(chat)
    outside = tmp_path / "secret.json"
    outside.write_bytes(chat.with_(id="secret").to_json())
    file_of(workspace, "secret").symlink_to(outside)

    assert [row.id for row in workspace.sessions()] == ["chat"]
    with pytest.raises(ReadError, match="link"):
        workspace.session("secret")


def test_left_overs_of_a_running_program_stay(workspace: Workspace) -> None:
    mine = Path(workspace.place) / "sessions" / f".x.json.{os.getpid()}-0.tmp"
    gone = mine.with_name(".x.json.999999999-0.tmp")
    mine.parent.mkdir(exist_ok=True)
    mine.touch()
    gone.touch()

    again(workspace)

    assert left_overs(workspace) == [mine]


def test_an_archive_that_is_none_or_leads_out_writes_nothing_outside(workspace: Workspace, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("workspace.json", "{}")
        archive.writestr("../out.json", "{}")
        archive.writestr("sessions/../../out.json", "{}")
        archive.writestr("sessions/.hidden.json", "{}")
    (tmp_path / "no.zip").write_text("no archive")

    assert len(workspace.restore_backup(tmp_path / "x.zip").left_out) == 3
    with pytest.raises(ReadError, match="no sound archive"):
        workspace.restore_backup(tmp_path / "no.zip")
    assert not (tmp_path / "out.json").exists()
    assert not (tmp_path.parent / "out.json").exists()
