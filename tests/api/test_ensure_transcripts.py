"""What a build will ask for is begun before it, together, and waited for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import ctxlab
from ctxlab.assets.transcription import FileTranscriber, as_engine
from ctxlab.context import Context
from ctxlab.documents.session.asset_source import LibraryFile
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.pipeline import Pipeline, Services
from ctxlab.pipeline.services import Transcriber
from ctxlab.processors import SessionLoader
from ctxlab.testing.fakes import AssetsInMemory, FixedTranscriber, WordTokenizer
from tests.assets.transcription.gated_work import PATIENCE, GatedWork

NAMES = ("tide.png", "寂静.png", "broken.png")


@ctxlab.processor("read-files", priority=250, waits=True)
def read_files(ctx: Context, services: Services) -> Context:
    """Asks for the text of every file, and says in a note what it got."""
    notes: list[Any] = []
    for asset in (asset for draft in ctx.drafts for asset in draft.assets):
        assert services.transcriber is not None
        try:
            words = services.transcriber.transcribe(asset.source, kind=asset.kind, name=asset.name).text
        except CtxlabError as problem:
            words = str(problem)
        notes.append(ctxlab.Note("info", words))
    return ctx.noted(notes)


@ctxlab.processor("explode", priority=400)
def explode(ctx: Context) -> Context:
    raise AssertionError("no step after the last that waits is run")


def chat() -> ctxlab.Session:
    files = [{"id": name, "type": "image", "name": name, "mimeType": "image/png", "path": name} for name in NAMES]
    node = {"id": "a", "parentId": "root", "role": "user", "content": "look", "attachments": files}
    root = {"id": "root", "role": "system", "content": "", "childrenIds": ["a"]}
    return ctxlab.Session.model_validate(
        {"id": "s", "rootNodeId": "root", "activeLeafId": "a", "nodes": {"root": root, "a": node}}
    )


def services(works: dict[str, GatedWork], salt: str) -> Services:
    """Services with an engine that waits for the test, file by file; `salt` makes the files of a test its own."""
    by_content = {f"{salt} {name}".encode(): work for name, work in works.items()}
    files = AssetsInMemory({LibraryFile(name): content for content, name in zip(by_content, works, strict=True)})
    engine = as_engine(lambda file, facts, progress: by_content[file.read()](progress), kinds=["image"], name=salt)
    return Services(WordTokenizer(), assets=files, transcriber=FileTranscriber(files, [engine]))


def test_all_files_are_begun_together_and_a_build_then_waits_for_none() -> None:
    works = {name: GatedWork() for name in NAMES}
    world = services(works, "together")
    for name, outcome in zip(NAMES, ("low tide", "silence", CtxlabError("it is broken")), strict=True):
        _answer_when_begun(works[name], outcome)
    told: list[float] = []

    found = ctxlab.ensure_transcripts(
        chat(), services=world, pipeline=Pipeline.of([SessionLoader(), read_files, explode]), progress=told.append
    )

    assert repr(found) == "EnsuredTranscripts(3 files, 2 done, 1 failed)"
    assert found.frame()[["name", "state", "characters", "problem"]].to_dict("list") == {
        "name": list(NAMES),
        "state": ["done", "done", "failed"],
        "characters": [8, 7, None],
        "problem": ["", "", "it is broken"],
    }
    assert not found.complete
    assert told[-1] == 1
    assert told == sorted(set(told)), "it grows, and no share is told twice"
    again: list[float] = []
    ctxlab.ensure_transcripts(ctxlab.Session(id="s").append("hi"), progress=again.append)
    assert again == [1]

    _answer_when_begun(works["broken.png"], "mended", number=1)
    trace = ctxlab.build(chat(), services=world, pipeline=Pipeline.of([SessionLoader(), read_files]))
    assert [note.text for note in trace.result.notes][-3:] == ["low tide", "silence", "mended"]
    assert [len(work.gates) for work in works.values()] == [1, 1, 2], "what was ready is not read again"


def test_the_time_in_all_ends_the_waiting_and_the_work_goes_on() -> None:
    works = {name: GatedWork() for name in NAMES}
    world = services(works, "in time")

    found = ctxlab.ensure_transcripts(chat(), services=world, pipeline=_reading(), timeout_seconds=0.01)

    assert [task.state for task in found] == ["running", "running", "waiting"]
    for work in works.values():
        work.gate(0).put("late")
    again = ctxlab.ensure_transcripts(chat(), services=world, pipeline=_reading(), timeout_seconds=PATIENCE)
    assert [task.state for task in again] == ["done"] * 3


def test_a_conversation_without_files_needs_nothing_and_says_so() -> None:
    found = ctxlab.ensure_transcripts(ctxlab.Session(id="s").append("hi"))

    assert (len(found), found.complete, repr(found)) == (0, True, "EnsuredTranscripts(0 files)")
    assert list(found.frame().columns) == ["name", "kind", "state", "engine", "characters", "problem"]


def test_a_file_that_is_not_here_is_a_row_of_the_result() -> None:
    world = services({}, "nowhere")

    (task, *_) = ctxlab.ensure_transcripts(chat(), services=world, pipeline=_reading())

    assert (task.asset, task.state, task.error) == ("tide.png", "failed", "its bytes are not here")


def test_another_transcriber_is_refused_by_name() -> None:
    other: Transcriber = FixedTranscriber({})

    with pytest.raises(WrongArgument, match="a FixedTranscriber, which begins nothing before a build"):
        ctxlab.ensure_transcripts(chat(), services=replace(services({}, "other"), transcriber=other))


def _reading() -> Pipeline:
    return Pipeline.of([SessionLoader(), read_files])


def _answer_when_begun(work: GatedWork, outcome: str | Exception, number: int = 0) -> None:
    from threading import Thread

    Thread(target=lambda: work.gate(number).put(outcome), daemon=True).start()
