"""The files of a build: every place that a message may name opens, and nothing else does."""

from __future__ import annotations

import base64
import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.references import data_url
from ctxlab.context import AssetRef
from ctxlab.documents import AgentFile, AssetSource, InlineFile, LibraryFile, LinkedFile, UploadedFile
from tests.assets.file_samples import MAKERS, picture

PNG = picture("PNG")
AGENT = ctxlab.Agent.model_validate(
    {
        "id": "guide",
        "name": "Guide",
        "assets": [
            {"id": "wave", "filename": "hello.png", "group": "stickers", "path": "assets/wave.png"},
            {"id": "gone", "filename": "gone.png", "path": "../../secret"},
        ],
    }
)
FILES = {"images/a.png": PNG, "assets/wave.png": b"wave", "guide/assets/own.png": b"own", "港口 1.txt": b"port"}


def content(files: BuildFiles, source: AssetSource) -> bytes | None:
    found = files.open(source)
    if found is None:
        return None
    with found:
        return found.read()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(b"secret")
    root = tmp_path / "root"
    for path, data in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


PLACES: list[tuple[AssetSource, bytes | None]] = [
    (InlineFile(base64.b64encode(b"hi").decode()), b"hi"),
    (InlineFile("broken base64!"), None),
    (LinkedFile(data_url(b"hi", "text/plain")), b"hi"),
    (LinkedFile("data:broken"), None),
    (LinkedFile("https://example.com/a.png"), None),
    (LinkedFile("file:///etc/passwd"), None),
    (LinkedFile("images/a.png"), None),
    (LinkedFile("agent-asset://stickers/wave.png"), b"wave"),
    (UploadedFile("file-1"), None),
    (LibraryFile("images/a.png"), PNG),
    (LibraryFile("./images/a.png"), PNG),
    (LibraryFile("images\\a.png"), PNG),
    (LibraryFile("%E6%B8%AF%E5%8F%A3%201.txt"), b"port"),
    (LibraryFile("港口 1.txt"), b"port"),
    (LibraryFile(data_url(b"hi", "text/plain")), b"hi"),
    (LibraryFile("agent-asset://stickers/hello.jpg"), b"wave"),
    (LibraryFile("../secret"), None),
    (LibraryFile("/etc/passwd"), None),
    (LibraryFile("%2e%2e/secret"), None),
    (LibraryFile(None), None),
    (LibraryFile("nothing.png"), None),
    (LibraryFile("artifact:0123456789abcdef"), None),
    (AgentFile("guide", "assets/wave.png"), b"wave"),
    (AgentFile("guide", "assets/own.png"), b"own"),
    (AgentFile("guide", "agent-asset://stickers/wave.png"), b"wave"),
    (AgentFile("another", "agent-asset://stickers/wave.png"), None),
    (AgentFile("..", "secret"), None),
    (LibraryFile("agent-asset://default/gone.png"), None),
]


@pytest.mark.parametrize(("source", "data"), PLACES, ids=[repr(source)[:60] for source, _ in PLACES])
def test_a_place_opens_from_memory_and_from_a_folder_alike(
    folder: Path, source: AssetSource, data: bytes | None
) -> None:
    in_memory, on_disk = BuildFiles(FILES, agents=[AGENT]), BuildFiles(folder=folder, agents=[AGENT])

    assert content(in_memory, source) == content(on_disk, source) == data
    facts = in_memory.facts(AssetRef("x", "other", source=source))
    assert (facts is not None and facts.problem == "") == (data is not None)


def test_files_of_a_store_open_by_their_artifact(tmp_path: Path) -> None:
    store = ctxlab.open_assets(tmp_path / "store")
    asset = store.add(PNG, name="a.png")

    for files in (BuildFiles(folder=store), BuildFiles(folder=tmp_path / "store")):
        assert content(files, asset.source) == PNG
        assert files.facts(AssetRef.of(asset)) == store.facts(asset)


def test_an_attachment_has_its_bytes_inside(tmp_path: Path) -> None:
    (tmp_path / "图.png").write_bytes(PNG)

    asset = ctxlab.attachment(tmp_path / "图.png")
    facts = BuildFiles().facts(AssetRef.of(asset))

    assert content(BuildFiles(), asset.source) == PNG
    assert (asset.name, asset.type, asset.size) == ("图.png", "image", len(PNG))
    assert facts is not None
    assert (facts.width, facts.height) == (31, 17)
    assert base64.b64encode(PNG).decode()[:40] not in repr(asset) + asset._repr_html_()
    assert ctxlab.attachment(PNG, name="图.png") == asset


def test_a_session_keeps_an_attachment_through_a_file(tmp_path: Path) -> None:
    session = ctxlab.Session(id="s").append("look", attachments=[ctxlab.attachment(PNG, name="a.png")])
    ctxlab.write(session, tmp_path / "s.json")

    read = ctxlab.load(tmp_path / "s.json").path()[-1].attachments

    assert read is not None
    assert content(BuildFiles(), read[0].source) == PNG


def test_a_large_attachment_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab.assets.attachment.MOST_BYTES", 10)

    with pytest.raises(ctxlab.CtxlabError, match=r"open_assets\(folder\).add\(file\) keeps it"):
        ctxlab.attachment(PNG, name="a.png")


def test_broken_base64_has_facts_that_say_so() -> None:
    facts = BuildFiles().facts(AssetRef("x", "image", "a.png", "image/png", source=InlineFile("?")))

    assert facts is not None
    assert facts.problem == "the file's base64 is broken: it can't be decoded"


def test_facts_are_looked_up_once_and_follow_a_changed_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ctxlab.assets import build_files

    calls: list[str] = []
    plain = build_files.facts_of
    monkeypatch.setattr(build_files, "facts_of", lambda *a, **k: calls.append(k["name"]) or plain(*a, **k))
    files = BuildFiles(folder=folder)
    asset = AssetRef("x", "image", "a.png", source=LibraryFile("images/a.png"))

    first, again = files.facts(asset), files.facts(asset)
    (folder / "images/a.png").write_bytes(MAKERS["a.gif"][1]())
    changed = files.facts(asset)

    assert first == again
    assert calls == ["a.png", "a.png"]
    assert changed is not None
    assert changed.mime_type == "image/gif"


@pytest.mark.parametrize("way", [deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_it_travels(folder: Path, way: Any) -> None:
    files = way(BuildFiles(FILES, folder=folder, agents=[AGENT]))

    assert content(files, LibraryFile("images/a.png")) == PNG
    assert content(files, LibraryFile("agent-asset://wave")) == b"wave"


def test_it_shows_itself_in_a_line() -> None:
    files = BuildFiles({"<b>": b"x"}, agents=[AGENT])

    assert repr(files) == "BuildFiles(1 file, 1 agent)"
    assert "&lt;b&gt;" in files._repr_html_()
