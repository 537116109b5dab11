"""Bytes that stand in messages as base64 or data URLs: sent so that they decode, and shown nowhere."""

from __future__ import annotations

import io
import json
from base64 import b64decode, b64encode
from random import Random
from typing import Any

import pytest
from PIL import Image

import ctxlab
from ctxlab.context import AssetRef
from ctxlab.documents import InlineFile, LinkedFile
from ctxlab.errors import CtxlabError


def _jpeg(side: int) -> bytes:
    out = io.BytesIO()
    Image.frombytes("RGB", (side, side), Random(side).randbytes(side * side * 3)).save(out, "JPEG")
    return out.getvalue() + b"\0" * (1 + -len(out.getvalue()) % 3)  # one byte more than threes: it has padding


PICTURE = _jpeg(60)
BASE64 = b64encode(PICTURE).decode()
URL_SAFE = BASE64.replace("+", "-").replace("/", "_")
URL = f"data:image/jpeg;base64,{BASE64}"


def _chat(**asset: Any) -> ctxlab.Session:
    node = {"id": "a", "parentId": "root", "role": "user", "content": "look", "attachments": [asset]}
    nodes = {"root": {"id": "root", "role": "system", "content": "", "childrenIds": ["a"]}, "a": node}
    return ctxlab.Session.model_validate({"id": "s", "rootNodeId": "root", "activeLeafId": "a", "nodes": nodes})


def _sent(session: ctxlab.Session, **options: Any) -> list[AssetRef]:
    trace = ctxlab.build(session, **options)
    return [asset for draft in trace.result.drafts for asset in draft.assets]


@pytest.mark.parametrize("words", [URL_SAFE, URL_SAFE.rstrip("="), "\n ".join([BASE64[:77], BASE64[77:]]), BASE64])
@pytest.mark.parametrize("claimed", ["image/jpeg", "image/png"])
def test_what_is_sent_is_standard_base64_of_the_same_bytes(words: str, claimed: str) -> None:
    (sent,) = _sent(_chat(id="p", type="image", inlineData={"base64": words, "mimeType": claimed}), model="gpt-4o")

    assert isinstance(sent.source, InlineFile)
    with Image.open(io.BytesIO(b64decode(sent.source.base64, validate=True))) as picture:
        assert (picture.format, picture.size) == ("JPEG", (60, 60))


@pytest.mark.parametrize("words", ["@@@!", BASE64[:-7] + "\u4e2d", "a", BASE64 + "=x"])
def test_broken_base64_is_described_or_stays_as_it_came(words: str) -> None:
    chat = _chat(id="p", type="image", name="a.png", inlineData={"base64": words, "mimeType": "image/png"})

    assert _sent(chat, model="gpt-4o") == []
    (sent,) = _sent(chat, model="gpt-4o", settings={"transcription-processor.unreadable": "send"})
    assert sent.source == InlineFile(words, "image/png")


@pytest.mark.parametrize("url", [URL.replace("data", "DATA"), f"  {URL}", f"data:image/jpeg;base64,{URL_SAFE}"])
def test_a_data_url_in_any_spelling_is_sent_as_its_bytes(url: str) -> None:
    (sent,) = _sent(_chat(id="p", type="image", url=url), model="gpt-4o")

    assert isinstance(sent.source, InlineFile)
    assert b64decode(sent.source.base64, validate=True).startswith(b"\xff\xd8")


@pytest.mark.parametrize("model", ["gpt-4o", "deepseek-chat", None])
@pytest.mark.parametrize(
    "asset",
    [
        {"id": "x", "type": "image", "url": URL.replace("data", "DATA")},
        {"id": "x", "type": "image", "url": f" {URL}"},
        {"id": "x", "type": "image", "path": URL},
        {"id": "x", "type": "image", "fileId": URL},
        {"id": URL, "type": "image", "path": "q.png"},
        {"id": "x", "type": "image", "name": URL, "path": "q.png"},
        {"id": "x", "type": "image", "mimeType": URL, "path": "q.png"},
        {"id": "x", "type": "image", "inlineData": {"base64": BASE64, "mimeType": f"image/png;x={BASE64}"}},
    ],
)
def test_no_view_and_no_note_shows_base64(asset: dict[str, Any], model: str | None) -> None:
    trace = ctxlab.build(_chat(**asset), model=model)

    drafts = [draft for step in trace.steps for draft in step.after.drafts]
    files = [file for draft in drafts for file in draft.assets]
    shown = [
        repr([(draft, draft.body) for draft in drafts]),
        json.dumps([file.as_data() for file in files]),
        repr([(note, note.text) for note in trace.result.notes]),
        "".join(str(draft.text) for draft in drafts),
        trace.table("attachments").to_json(),
        repr(trace.view()),
    ]
    assert files
    assert not [words for words in shown if BASE64[200:240] in words]


def test_long_names_and_ids_are_shown_by_their_beginnings() -> None:
    long = "n" * 5_000
    asset = AssetRef(long, "image", long, metadata={"note": long}, source=LinkedFile(f"https://example.org/{long}"))

    assert len(repr(asset)) < 1_500
    assert len(json.dumps(asset.as_data())) < 2_000


def test_a_function_of_a_picture_makes_its_text_before_other_engines() -> None:
    chat = _chat(id="p", type="image", inlineData={"base64": BASE64, "mimeType": "image/jpeg"})

    trace = ctxlab.build(chat, model="deepseek-chat", engines=[lambda data, mime: f"{mime} of {len(data)} bytes"])

    assert f"image/jpeg of {len(PICTURE)} bytes" in str(trace.result.drafts[-1].text)
    with pytest.raises(CtxlabError, match="engines holds a int"):
        ctxlab.build(chat, engines=[7])
