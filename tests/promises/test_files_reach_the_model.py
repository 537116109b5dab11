"""Files of messages, whatever they are and whoever reads them: counts, words, reruns and reasons hold."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.transcription import FileTranscriber
from ctxlab.documents import ModelProfile
from ctxlab.pipeline import Services, Trace
from ctxlab.providers import tokenizer_for
from tests.assets.file_samples import MAKERS
from tests.assets.made_files import pdf

FILES: dict[str, bytes] = {
    **{f"f/{name}": make() for name, (_, make) in MAKERS.items()},
    "f/two.pdf": pdf(["the first leaf", "the second leaf"]),
    "f/lies.png": b"#!/bin/sh\necho lies\n",
    "f/empty.png": b"",
}
BASE64 = {name: b64encode(data).decode() for name, data in FILES.items() if len(data) > 60}
INPUTS = ("vision", "file", "audio", "video")
NAMED = ("gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro", "deepseek-chat", "nobody-knows-it")


@st.composite
def models(draw: st.DrawFn) -> ModelProfile | None:
    if draw(st.booleans()):
        return draw(st.sampled_from([None, *(ModelProfile(id=name) for name in NAMED)]))
    inputs = draw(st.lists(st.sampled_from(INPUTS), unique=True))
    side = draw(st.sampled_from([None, 16, 300]))
    limits = {"maxImageDimension": side} if side else {}
    return ModelProfile(id=draw(st.sampled_from(NAMED)), capabilities={"input": ["text", *inputs], **limits})


attached = st.lists(st.sampled_from([*sorted(FILES), "f/lost.png"]), max_size=3)
messages = st.lists(
    st.tuples(st.sampled_from(["", "look", "看 【file::f/two.pdf】"]), attached), min_size=1, max_size=4
)
choices = st.fixed_dictionaries(
    {},
    optional={
        "transcription-processor.transcribe": st.sampled_from(["smart", "always", "never"]),
        "transcription-processor.text_after": st.integers(0, 2),
        "transcription-processor.unreadable": st.sampled_from(["describe", "send"]),
        "transcription-processor.picture_side": st.sampled_from([None, 16, 100]),
        "transcription-processor.most_characters": st.sampled_from([0, 10]),
        "asset-resolver.picture_format": st.sampled_from(["original", "jpeg", "webp"]),
        "transcription-processor.enabled": st.booleans(),
    },
)


def asset(path: str) -> dict[str, Any]:
    return {"id": path, "type": "other", "name": path.partition("/")[2], "path": path}


def session_of(rows: list[tuple[str, list[str]]]) -> ctxlab.Session:
    session = ctxlab.Session(id="s")
    for n, (words, paths) in enumerate(rows):
        role = "user" if n % 2 == 0 else "assistant"
        session = session.append(words, role=role, attachments=[asset(path) for path in paths])
    return session


def agent_of(paths: list[str]) -> ctxlab.Agent:
    assets = [{"id": path, "filename": path.partition("/")[2], "path": path, "type": "file"} for path in paths]
    preset = {"id": "p", "role": "system", "content": "see", "presetAttachments": [{"assetId": path} for path in paths]}
    return ctxlab.Agent.model_validate({"id": "a", "presetMessages": [preset], "assets": assets})


def built(session: ctxlab.Session, agent: ctxlab.Agent, model: ModelProfile | None, wanted: dict[str, Any]) -> Trace:
    store = BuildFiles(FILES, agents=[agent])
    reader = FileTranscriber(store, engines=())
    services = Services(tokenizer_for(model), assets=store, transcriber=reader)
    return ctxlab.build(session, agent, model=model, services=services, settings=wanted)


@settings(deadline=None, max_examples=80)
@given(messages, attached, models(), choices)
def test_what_holds_of_files_in_any_build(
    rows: list[tuple[str, list[str]]], preset: list[str], model: ModelProfile | None, wanted: dict[str, Any]
) -> None:
    session, agent = session_of(rows), agent_of(preset)
    trace = built(session, agent, model, wanted)
    resolver = trace.step("asset-resolver")
    count = trace.services.tokenizer.count_draft

    if wanted.get("transcription-processor.enabled", True):
        assert [*map(count, resolver.before.drafts)] == [*map(count, resolver.after.drafts)]
        assert [str(draft.text) for draft in resolver.before.drafts] == [str(d.text) for d in resolver.after.drafts]
    said = " ".join(
        [*(str(d.text) for d in trace.result.drafts), *(note.text for note in trace.result.notes), repr(trace)]
    )
    assert not any(base64[:60] in said for base64 in BASE64.values())
    report = trace.result.report_named("attachments")
    files = sorted(path for _, paths in rows for path in paths)
    found = [] if report is None else [row["file"] for row in report.rows() if row["key"].startswith("node:")]
    assert sorted(found) == files
    assert all(row["reason"] for row in (report.rows() if report else ()))


@settings(deadline=None, max_examples=30)
@given(messages, models(), choices, choices)
def test_a_rerun_with_other_settings_is_a_build_with_them(
    rows: list[tuple[str, list[str]]], model: ModelProfile | None, first: dict[str, Any], second: dict[str, Any]
) -> None:
    session, agent = session_of(rows), agent_of([])

    again = built(session, agent, model, first).rerun(second)

    assert again.messages == built(session, agent, model, {**first, **second}).messages


@pytest.mark.parametrize("model", [ModelProfile(id="all", capabilities={"input": ["text", *INPUTS]}), None])
def test_a_trace_with_files_pickles(model: ModelProfile | None) -> None:
    import pickle

    trace = built(session_of([("look", ["f/two.pdf", "f/lies.png"])]), agent_of([]), model, {})

    assert pickle.loads(pickle.dumps(trace)).messages == trace.messages
