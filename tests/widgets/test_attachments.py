"""The files of a run as the page gets them: what is said of each, and small pictures that can do no harm."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO

import pytest

import ctxlab
from ctxlab.context import AssetRef, FileFacts
from ctxlab.documents import AssetSource, InlineFile
from ctxlab.documents.session.asset_source import LibraryFile
from ctxlab_widgets import BranchTree, InjectionMap, SentView, StepDebugger, TokenBudget
from ctxlab_widgets._shared import thumbnails
from ctxlab_widgets._shared.attachments import MOST_PICTURES, FilesPayload
from ctxlab_widgets._shared.thumbnails import Picture, thumbnail_url
from ctxlab_widgets.html_report import report_html
from tests.gallery.attachments import files_run


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    thumbnails._known.clear()
    yield
    thumbnails._known.clear()


class OneFile:
    """A store with one file under every place, which counts how often it is opened."""

    def __init__(self, data: bytes) -> None:
        self.data, self.opened = data, 0

    def open(self, source: AssetSource) -> BinaryIO:
        self.opened += 1
        return BytesIO(self.data)

    def facts(self, asset: AssetRef) -> FileFacts | None:
        return None


def png(side: int = 300) -> bytes:
    from PIL import Image

    made = BytesIO()
    Image.effect_noise((side, side), 80).convert("RGB").save(made, "PNG")
    return made.getvalue()


def files_of(widget: Any) -> dict[str, Any]:
    return {file["name"]: file for file in json.loads(widget.files)["files"]}


@pytest.mark.parametrize("view", [SentView, StepDebugger, TokenBudget])
def test_every_view_of_a_run_has_its_files(view: Any) -> None:
    widget = view(files_run())

    files, thumbs = files_of(widget), json.loads(widget.files)["thumbs"]

    assert files["evening_light.jpg"]["way"] == "goes as a picture"
    assert thumbs[files["evening_light.jpg"]["thumb"]].startswith("data:image/")
    assert "thumb" not in files["lamp.png"]  # it says that it is a picture, and is a script
    assert "shell script" in files["lamp.png"]["problem"]
    widget.trace = ctxlab.build(ctxlab.example("harbour"))
    assert widget.files == ""


def test_a_small_picture_is_small_whatever_it_shows() -> None:
    url = thumbnail_url(Picture(InlineFile(base64.b64encode(png()).decode()), None))

    assert url.startswith(("data:image/png;base64,", "data:image/webp;base64,", "data:image/jpeg;base64,"))
    assert len(base64.b64decode(url.partition(",")[2])) <= thumbnails.MOST_BYTES


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"#!/bin/sh\necho",
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        png()[:200],
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x02\x00\x00\x00",
    ],
    ids=["nothing", "script", "svg", "truncated", "bomb"],
)
def test_what_is_no_sound_picture_has_none(data: bytes) -> None:
    assert thumbnail_url(Picture(InlineFile(base64.b64encode(data).decode()), None)) == ""
    assert thumbnail_url(Picture(LibraryFile("x.png"), OneFile(data))) == ""


def test_broken_base64_and_a_file_that_is_nowhere_have_none() -> None:
    assert thumbnail_url(Picture(InlineFile("!!!"), None)) == ""
    assert thumbnail_url(Picture(LibraryFile("x.png"), None)) == ""


def test_a_file_is_read_once_while_runs_share_it() -> None:
    store = OneFile(png(40))
    session = ctxlab.Session(id="s").append("", role="system", id="r")
    asset = {"id": "a", "type": "image", "name": "a.png", "path": "a.png"}
    services = ctxlab.Services(files_run().services.tokenizer, assets=store)
    run = ctxlab.build(session.append("see", id="u", attachments=[asset]), services=services, model="gpt-4o")
    payload = FilesPayload()

    first = payload.json(run)
    opened = store.opened
    again = payload.json(run.rerun({"token-limiter.budget_tokens": 2000}))

    assert json.loads(first)["thumbs"] == json.loads(again)["thumbs"] != []
    assert store.opened <= opened + 1  # the run itself reads the file; the view doesn't read it again


def test_small_pictures_of_a_view_are_bounded() -> None:
    data = base64.b64encode(png(8)).decode()
    assets = [
        {"id": f"a{n}", "type": "image", "name": f"{n}.png", "inlineData": {"base64": data, "mimeType": "image/png"}}
        for n in range(MOST_PICTURES + 20)
    ]
    session = ctxlab.Session(id="s").append("", role="system", id="r").append("see", id="u", attachments=assets)

    held = json.loads(FilesPayload().json(ctxlab.build(session, model="gpt-4o")))

    assert len(held["files"]) == MOST_PICTURES + 20
    assert sum("thumb" in file for file in held["files"]) <= MOST_PICTURES
    assert len(held["thumbs"]) == 1  # equal files share their picture


def test_no_base64_of_a_file_is_in_what_is_sent() -> None:
    view = SentView(files_run(budget_tokens=None))

    longest = max((len(word) for word in view.view.replace('"', " ").split()), default=0)

    assert "characters)" in view.view
    assert longest < 2000


def test_the_tree_marks_messages_with_files() -> None:
    session = ctxlab.example("harbour_attachments").sessions[0]

    shown = BranchTree(session).preview_message("u5")

    assert shown["files"] == ["picture evening_light.jpg, 640 × 426, 22 kB", "recording fog_horn.wav, 0:01, 8 kB"]


def test_a_preset_on_the_map_names_its_files() -> None:
    view = json.loads(InjectionMap(files_run()).view)

    files = [file for group in view["groups"] for each in group["definitions"] for file in each["files"]]

    assert files == ["harbour_map.png, PNG picture, 720 × 480, 10 kB: goes as a picture"]


def test_a_report_shows_files_and_fetches_nothing() -> None:
    html = report_html(files_run())

    assert "evening_light.jpg" in html
    assert "img-src data:" in html


def test_a_file_of_a_preset_that_goes_as_words_has_its_small_picture() -> None:
    rows = json.loads(SentView(files_run("deepseek-chat", None)).files)["files"]

    maps = [row for row in rows if row["name"] == "harbour_map.png"]

    assert len(maps) == 2
    assert all("thumb" in row for row in maps)
