"""Every file through a build, for a model that reads files and one that reads text: nothing fails, nothing leaks."""

from __future__ import annotations

import os
import tracemalloc
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.transcription import FileTranscriber
from ctxlab.documents import ModelProfile
from ctxlab.pipeline import Services
from ctxlab.providers import tokenizer_for
from tests.assets.file_samples import picture
from tests.assets.made_files import pdf, word

FILES = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared")) / "data" / "files"
READS_ALL = ModelProfile(id="all", capabilities={"input": ["text", "vision", "file", "audio", "video"]})
READS_TEXT = ModelProfile(id="plain", capabilities={"input": ["text"]})
OFFICE_AND_TEXT = (".docx", ".xlsx", ".pptx", ".txt", ".csv", ".eml")
BROKEN = {"truncated_jpeg.jpg", "r6-user-password.pdf"}
WORDLESS = {"tbl-having-tables.docx"}
SCANS = {"non_searchable.pdf"}


def built(folder: Path, name: str, model: ModelProfile, **settings: Any) -> ctxlab.Trace:
    """A message with one file, built without engines that recognise anything."""
    data = {"id": "f", "name": name, "path": name, "type": "other", "mimeType": ""}
    store = BuildFiles(folder=folder)
    services = Services(tokenizer_for(model), assets=store, transcriber=FileTranscriber(store, engines=()))
    return ctxlab.build(_session(data), model=model, services=services, settings=settings)


def _session(attachment: dict[str, Any]) -> ctxlab.Session:
    nodes = {
        "root": {"id": "root", "parentId": None, "role": "system", "content": ""},
        "u": {"id": "u", "parentId": "root", "role": "user", "content": "look", "attachments": [attachment]},
    }
    return ctxlab.read_data({"id": "s", "nodes": nodes, "rootNodeId": "root", "activeLeafId": "u"}).pick()


def row(trace: ctxlab.Trace) -> dict[str, Any]:
    (found,) = trace.result.report_named("attachments").rows()  # type: ignore[union-attr]
    return dict(found)


def check_of_all(trace: ctxlab.Trace, data: bytes) -> None:
    """Of any file: counts stay, no base64 is text, the description is short, the reason is said."""
    resolver = trace.step("asset-resolver")
    count = trace.services.tokenizer.count_draft
    assert [count(draft) for draft in resolver.before.drafts] == [count(draft) for draft in resolver.after.drafts]
    base64 = b64encode(data).decode()
    text = "".join(str(draft.text) for draft in trace.result.drafts)
    assert not base64[:64] or base64[:64] not in text
    assert row(trace)["reason"]
    if row(trace)["sent_as"] == "description":
        assert len(text) < 400


def names() -> list[str]:
    return sorted(path.name for path in FILES.iterdir()) if FILES.is_dir() else []


REAL = [pytest.param(name, id=name) for name in names()] or [
    pytest.param(
        "", id="none", marks=pytest.mark.skip(reason=f"no files in {FILES}; CTXLAB_SHARED names another folder")
    )
]


@pytest.mark.parametrize("name", REAL)
def test_real_files_reach_both_models(name: str) -> None:
    data = (FILES / name).read_bytes()

    for model in (READS_ALL, READS_TEXT):
        trace = built(FILES, name, model)
        check_of_all(trace, data)
        sent_as = row(trace)["sent_as"]
        if name in BROKEN or name in WORDLESS:
            assert sent_as == "description"
            assert ("There are no words" in str(trace.result.drafts[0].text)) is (name in WORDLESS)
        elif name.endswith(OFFICE_AND_TEXT):
            assert sent_as == "text"
        elif model is READS_ALL:
            assert sent_as in ("picture", "audio", "file")
        elif name.endswith(".pdf") and name not in SCANS:
            assert (sent_as, row(trace)["engine"]) == ("text", "pdf")
        else:
            assert sent_as == "description"
        assert (sent_as in ("text", "description")) is not any(draft.assets for draft in trace.result.drafts)


@pytest.mark.skipif(not FILES.is_dir(), reason=f"no files in {FILES}; CTXLAB_SHARED names another folder")
def test_a_scan_goes_as_pictures_to_a_model_that_sees_and_reads_no_documents() -> None:
    sees = ModelProfile(id="sees", capabilities={"input": ["text", "vision"]})

    trace = built(FILES, "non_searchable.pdf", sees)

    (message,) = trace.messages
    assert [part["type"] for part in message["content"]] == ["text", "image_url"]
    assert row(trace)["sent_as"] == "picture"


# --- files that mean harm, or are merely too much


def bomb() -> bytes:
    return word("<w:p><w:r><w:t>" + "0" * 200_000_000 + "</w:t></w:r></w:p>")


HOSTILE: dict[str, tuple[Any, str, str]] = {
    "bomb.docx": (bomb, "description", ""),
    "many.pdf": (lambda: pdf([f"this is leaf {n}" for n in range(1, 501)]), "text", "201"),
    "none.png": (
        lambda: picture("PNG", size=(4, 4))[:16] + bytes(8) + picture("PNG", size=(4, 4))[24:],
        "description",
        "0",
    ),
    "unmarked.txt": (lambda: "潮水在黄昏退去，灯塔亮了。".encode("utf-16-le"), "text", ""),
    "script.png": (lambda: b"#!/bin/sh\nrm -r nothing\n", "text", "shell script"),
    "short.jpg": (lambda: picture("JPEG", size=(64, 64))[:400], "description", ""),
    "nothing.pdf": (lambda: b"", "description", "empty"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_files_that_mean_harm_are_told_and_stop_nothing(name: str, tmp_path: Path) -> None:
    make, sent_as, said = HOSTILE[name]
    data = make()
    (tmp_path / name).write_bytes(data)

    for model in (READS_ALL, READS_TEXT):
        if name == "many.pdf" and model is READS_ALL:
            continue  # it goes as it is
        trace = built(tmp_path, name, model)
        check_of_all(trace, data)
        assert row(trace)["sent_as"] == sent_as, row(trace)
        assert said in f"{row(trace)['problem']} {row(trace)['reason']}"
    if name == "unmarked.txt":
        assert "灯塔亮了" in str(trace.result.drafts[0].text)


def test_a_file_of_200_mb_is_described_without_being_held(tmp_path: Path) -> None:
    name = "large.bin"
    with (tmp_path / name).open("wb") as file:
        file.write(b"\x7fELF")
        file.truncate(200_000_000)
    built(tmp_path, name, READS_TEXT)  # what is loaded once is loaded

    tracemalloc.start()
    trace = built(tmp_path, name, READS_TEXT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert row(trace)["sent_as"] == "description"
    assert peak < 10_000_000
