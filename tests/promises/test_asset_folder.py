"""Laws of the store of files: what is added comes back, once, whole, and from inside the folder."""

from __future__ import annotations

import io
import os
import pickle
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.assets import asset_folder, incoming_file
from ctxlab.assets.asset_folder import ABOUT, BLOBS, INCOMING, AssetFolder
from ctxlab.context import AssetRef
from ctxlab.errors import CtxlabError, ReadError, UnknownName, WriteError
from tests.assets.file_samples import MAKERS

FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def content(store: AssetFolder, ref: Any) -> bytes | None:
    file = store.open(ref)
    if file is None:
        return None
    with file:
        return file.read()


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@given(data=st.binary(max_size=2_000), name=st.text(max_size=30), mime_type=st.sampled_from(["", "image/png", "x"]))
@FEW
def test_what_is_added_comes_back(tmp_path: Path, data: bytes, name: str, mime_type: str) -> None:
    store = AssetFolder(tmp_path / "store")

    asset = store.add(data, name=name, mime_type=mime_type)

    assert content(store, asset) == content(store, asset.id) == content(store, asset.path) == data
    assert content(store, asset.source) == data
    assert sha256(data).hexdigest().startswith(asset.id)
    assert asset.path == f"artifact:{asset.id}"
    assert asset.size == len(data)
    assert store.get(asset.id).id == asset.id


@given(st.lists(st.sampled_from([b"", b"a", b"b", b"\x89PNG\r\n\x1a\n"]), max_size=8))
@FEW
def test_equal_bytes_are_one(tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]) -> None:
    store = AssetFolder(tmp_path_factory.mktemp("store"))

    ids = [store.add(data, name=f"{i}.txt").id for i, data in enumerate(contents)]

    assert len(store) == len({*ids}) == len({*contents})
    assert [id for id, _ in sorted(zip(ids, contents, strict=True))] == sorted(ids)
    assert sorted({*ids}) == [asset.id for asset in store]
    assert len(files_in(store.folder)) == 2 * len({*contents})
    assert store.check() == ()


@given(ref=st.one_of(st.text(), st.sampled_from(["../../secret", "artifact:../../secret", "artifact:", "0" * 16])))
@FEW
def test_no_reference_leads_out(tmp_path: Path, ref: str) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    store = AssetFolder(tmp_path / "store")
    store.add(b"inside")

    assert content(store, ref) in (None, b"inside")
    if content(store, ref) is None:
        with pytest.raises(UnknownName):
            store.get(ref)


@pytest.mark.parametrize("name", ["a.png", "a.mp3", "a.pdf", "a.docx", "a.txt"])
def test_the_facts_are_those_of_the_bytes_under_each_name(tmp_path: Path, name: str) -> None:
    mime_type, make = MAKERS[name]
    store = AssetFolder(tmp_path)
    asset = store.add(make(), name=name)
    lying = AssetRef("x", "image", name="b.gif", source=asset.source)

    facts, others = store.facts(asset), store.facts(lying)

    assert facts is not None
    assert others is not None
    assert (facts.mime_type, facts.spoofed, facts.sha256) == (mime_type, "", sha256(make()).hexdigest())
    assert others.mime_type == mime_type
    assert others.spoofed
    assert store.facts("artifact:0000000000000000") is None


def test_an_id_is_longer_where_two_contents_share_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = [b"%d" % i for i in range(40)]
    monkeypatch.setattr(asset_folder, "ID_DIGITS", 1)
    store = AssetFolder(tmp_path)

    assets = [store.add(data) for data in contents]

    assert len({asset.id for asset in assets}) == len(contents)
    assert {len(asset.id) for asset in assets} >= {1, 2}
    assert [content(store, asset) for asset in assets] == contents
    assert [store.add(data).id for data in contents] == [asset.id for asset in assets]


def test_a_file_a_path_and_a_stream_are_added_alike(tmp_path: Path) -> None:
    (tmp_path / "港口.txt").write_bytes(b"hello")
    store = AssetFolder(tmp_path / "store")

    first = store.add(tmp_path / "港口.txt")

    assert first.name == "港口.txt"
    assert store.add(str(tmp_path / "港口.txt")) == first
    with (tmp_path / "港口.txt").open("rb") as file:
        assert store.add(file, name="港口.txt") == first
    assert store.add(b"hello", name="港口.txt") == first


class Stream(io.RawIOBase):
    """Many bytes that are never all in memory; counts what is read, and may break."""

    def __init__(self, size: int, *, breaks_at: int | None = None) -> None:
        self.left, self.breaks_at, self.read_bytes = size, breaks_at, 0

    def read(self, size: int = -1) -> bytes:
        if self.breaks_at is not None and self.read_bytes >= self.breaks_at:
            raise OSError(5, "Input/output error")
        assert size > 0, "everything at once"
        size = min(size, self.left)
        self.left -= size
        self.read_bytes += size
        return bytes(size)


def test_a_large_stream_is_read_once_in_pieces(tmp_path: Path) -> None:
    import tracemalloc

    store = AssetFolder(tmp_path)
    source: Any = Stream(30_000_000)
    tracemalloc.start()
    asset = store.add(source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert source.read_bytes == asset.size == 30_000_000
    assert peak < 8_000_000


@pytest.mark.parametrize("moment", ["link", "replace_file", "fsync", "facts_of_window"])
def test_a_crash_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    store = AssetFolder(tmp_path)
    store.add(b"before")

    def crash(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        place = os if moment in ("link", "fsync") else asset_folder
        patched.setattr(place, moment, crash)
        with pytest.raises(KeyboardInterrupt):
            store.add(b"half" * 1_000, name="a.txt")

    assert [content(store, asset) for asset in store] == [b"before"]
    assert not any((tmp_path / INCOMING).iterdir())
    assert {note.level for note in store.check()} <= {"warning"}  # bytes without a name, never a name without bytes
    assert content(store, store.add(b"half" * 1_000)) == b"half" * 1_000
    assert store.check() == ()


def test_a_source_that_breaks_leaves_nothing(tmp_path: Path) -> None:
    store = AssetFolder(tmp_path)

    with pytest.raises(WriteError):
        store.add(Stream(5_000_000, breaks_at=2_000_000))  # type: ignore[arg-type]

    assert files_in(tmp_path) == []


def test_what_an_earlier_crash_left_is_swept_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    (tmp_path / INCOMING).mkdir()
    old, new = tmp_path / INCOMING / "1.part", tmp_path / INCOMING / "2.part"
    for path in (old, new):
        path.write_bytes(b"half")
    hours_ago = new.stat().st_mtime - 2 * incoming_file.OLD_SECONDS
    os.utime(old, (hours_ago, hours_ago))

    AssetFolder(tmp_path).add(b"x")

    assert not old.exists()
    assert new.exists()


def test_two_writers_at_once_get_the_same(tmp_path: Path) -> None:
    contents = [bytes([i % 20]) * 3_000 for i in range(60)]
    found: dict[int, list[str]] = {}
    begin = threading.Barrier(3)

    def write(which: int) -> None:
        store = AssetFolder(tmp_path)
        begin.wait()
        found[which] = [store.add(data, name="a.bin").id for data in contents]

    threads = [threading.Thread(target=write, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    store = AssetFolder(tmp_path)
    assert found[0] == found[1] == found[2]
    assert len(store) == 20
    assert store.check() == ()
    assert not any((tmp_path / INCOMING).iterdir())


def test_a_file_system_without_second_names_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    store = AssetFolder(tmp_path)

    asset = store.add(b"hello")

    assert content(store, store.add(b"hello")) == content(store, asset) == b"hello"
    assert store.check() == ()


def test_removing_takes_the_bytes_along(tmp_path: Path) -> None:
    store = AssetFolder(tmp_path)
    kept, gone = store.add(b"kept"), store.add(b"gone")

    store.remove(gone)

    assert [*store] == [kept]
    assert content(store, gone) is None
    assert len(files_in(tmp_path)) == 2
    with pytest.raises(UnknownName, match="has no file"):
        store.remove(gone)


def test_a_check_names_what_is_wrong_and_its_remedy_helps(tmp_path: Path) -> None:
    store = AssetFolder(tmp_path)
    changed, missing, fine = store.add(b"changed"), store.add(b"missing"), store.add(b"fine")
    blobs = {path.name[:16]: path for path in (tmp_path / BLOBS).glob("*/*")}
    blobs[changed.id].write_bytes(b"chanGed")
    blobs[missing.id].unlink()
    (tmp_path / ABOUT / fine.id[:2] / f"{fine.id}.json").write_bytes(b"{broken")

    texts = {note.text for note in store.check()}

    assert texts == {
        f"the bytes of {changed.id} have changed: remove it and add the file again",
        f"the bytes of {missing.id} are missing: add the file again",
        f"what is known of {fine.id} can't be read: add the file again",
        f"bytes {fine.id} belong to no file: they can be deleted",
    }
    assert len(store.check(content=False)) == 3

    store.remove(changed)
    for data in (b"changed", b"missing", b"fine"):
        store.add(data)
    assert store.check() == ()


def test_a_hostile_description_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    store = AssetFolder(tmp_path / "store")
    asset = store.add(b"x")
    place = store.folder / ABOUT / asset.id[:2] / f"{asset.id}.json"
    for hostile in (b'{"facts": {"sha256": "../../../secret"}}', b"[]", b'"x"', b"null", b"[" * 9_000, b"\xff"):
        place.write_bytes(hostile)

        assert store.open(asset) is None
        assert [*store] == []


def test_a_link_among_the_bytes_is_not_followed_out(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    store = AssetFolder(tmp_path / "store")
    asset = store.add(b"x")
    blob = next((store.folder / BLOBS).glob("*/*"))
    blob.unlink()
    blob.symlink_to(tmp_path / "secret")

    assert store.open(asset) is None


def test_a_store_reads_without_making_a_folder_and_pickles(tmp_path: Path) -> None:
    store = ctxlab.open_assets(tmp_path / "new")

    assert [*store] == []
    assert store.check() == ()
    assert not (tmp_path / "new").exists()
    again = pickle.loads(pickle.dumps(store))
    assert again.add(b"x") in [*store]


def test_refusals_are_sentences(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")

    with pytest.raises(ReadError, match="is a file; a store of files takes a folder"):
        AssetFolder(tmp_path / "file")
    with pytest.raises(ReadError, match="can't be read"):
        AssetFolder(tmp_path / "s").add(tmp_path / "nothing.txt")
    with pytest.raises(CtxlabError, match="larger than the 4 bytes that are kept"):
        AssetFolder(tmp_path / "s", max_bytes=4).add(tmp_path / "file")
    assert files_in(tmp_path / "s") == []
