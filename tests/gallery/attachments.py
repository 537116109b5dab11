"""A conversation with files of every kind, and a run in which each goes another way, for tests and pictures."""

from __future__ import annotations

import base64
from dataclasses import replace
from functools import cache
from io import BytesIO
from typing import Any

import ctxlab
from ctxlab import Session, Trace
from ctxlab.context import AssetRef, Cause, Context, Draft, FileRoute, Origin, Table, Text
from ctxlab.pipeline.processor import FunctionProcessor

STEP = "file-decisions"
WHY = "gpt-4o reads pictures and text"


def picture(width: int, height: int, form: str = "PNG", seed: int = 0) -> bytes:
    """A drawn harbour: sky, water, and a ship somewhere."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (width, height), (196, 221, 240))
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, height * 3 // 5, width, height), fill=(46, 94, 130))
    at = width * (2 + seed % 4) // 8
    pen.polygon(
        [(at, height // 2), (at + width // 4, height // 2), (at + width // 5, height * 2 // 3)], fill=(120, 50, 40)
    )
    pen.line((at + width // 9, height // 2, at + width // 9, height // 5), fill=(40, 40, 40), width=max(2, width // 90))
    pen.ellipse((width * 3 // 4, height // 9, width * 7 // 8, height // 9 + width // 8), fill=(250, 214, 110))
    made = BytesIO()
    image.save(made, form)
    return made.getvalue()


def attached(id: str, kind: str, name: str, mime_type: str, data: bytes, **metadata: Any) -> dict[str, Any]:
    """A file of a message with its bytes in it."""
    inline = {"base64": base64.b64encode(data).decode(), "mimeType": mime_type}
    base = {"id": id, "type": kind, "name": name, "mimeType": mime_type, "size": len(data)}
    return {**base, "inlineData": inline, **({"metadata": metadata} if metadata else {})}


@cache
def harbour_files() -> Session:
    """A conversation with a file of each kind, the oldest of them long ago."""
    chart = attached("chart", "image", "harbour-chart.png", "image/png", picture(640, 400), width=640, height=400)
    photo = attached("photo", "image", "breakwater at dawn.jpg", "image/jpeg", picture(1600, 1200, "JPEG", 2))
    old = attached("old", "image", "first-sketch.png", "image/png", picture(300, 200, seed=1))
    report = attached("report", "document", "harbour-report.pdf", "application/pdf", b"%PDF-1.7 " + b"0" * 214_000)
    letter = attached("letter", "text", "港务局来信.txt", "text/plain", "港口今晚关闭。".encode("gb18030"))
    horn = attached("horn", "audio", "fog-horn.wav", "audio/wav", b"RIFF" + b"0" * 16_000, duration=1.0)
    script = attached("script", "image", "tide-table.png", "image/png", b"#!/bin/sh\necho high tide at six\n")
    session = Session(id="harbour-files", name="Files of the harbour").append("", role="system", id="root")
    turns: list[tuple[str, list[dict[str, Any]]]] = [
        ("This is how I drew the harbour when I came here, years ago. " * 12, [old]),
        ("A good hand. What do you need from me tonight? " * 8, []),
        ("Here is the chart, and a photo of the breakwater. Which berth is safe?", [chart, photo]),
        ("Berth 7, behind the breakwater: the chart gives nine metres there.", []),
        ("The report and the letter of the harbour office; the horn, too.", [report, letter, horn]),
        ("The report closes the northern entrance after dark.", []),
        ("And the tide table, please look at it before you answer.", [script]),
    ]
    for n, (words, files) in enumerate(turns):
        role: Any = "user" if n % 2 == 0 else "assistant"
        session = session.append(words, role=role, id=f"m{n}", **({"attachments": files} if files else {}))
    return session


PAGES = (
    ("page 1", "Report of the harbour office on the winter season.\n"),
    ("page 2", "The northern entrance is closed to ships above 40 metres after dark.\n"),
    ("page 3", "Berths 5 to 8 stay open; the pilot waits at the breakwater."),
)
AS_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "report": PAGES,
    "letter": (("", "港口今晚关闭，请在七号泊位等候。"),),
    "horn": (("", "File: fog-horn.wav\nType: WAV recording\nThis model does not hear recordings."),),
    "script": (("", "File: tide-table.png\nType: shell script\nThis model does not read it."),),
}
ROWS: dict[str, dict[str, Any]] = {
    "chart": {
        "type": "PNG picture",
        "sent_as": "picture",
        "reason": "gpt-4o reads pictures.",
        "width": 640,
        "height": 400,
    },
    "photo": {
        "type": "JPEG picture",
        "sent_as": "picture",
        "width": 1600,
        "height": 1200,
        "reason": "gpt-4o reads pictures of up to 1,024 pixels a side; it is scaled to that.",
    },
    "old": {
        "type": "PNG picture",
        "sent_as": "picture",
        "reason": "gpt-4o reads pictures.",
        "width": 300,
        "height": 200,
    },
    "report": {
        "type": "PDF",
        "sent_as": "text",
        "engine": "pdf",
        "pages": 5,
        "tokens": 41,
        "reason": "Its text is short enough to go along, and the model needs no file for it.",
        "problem": "Pages 4 and 5 are not read: the limit is 3 pages.",
    },
    "letter": {"type": "text", "sent_as": "text", "engine": "text", "tokens": 19, "reason": "Text files go as text."},
    "horn": {
        "type": "WAV recording",
        "sent_as": "description",
        "seconds": 1,
        "tokens": 21,
        "reason": "gpt-4o hears no recordings, and no engine for speech is installed.",
    },
    "script": {
        "type": "shell script",
        "kind": "text",
        "sent_as": "description",
        "tokens": 18,
        "reason": "Scripts under the name of a picture are only described.",
        "problem": "The name says PNG, the bytes are a shell script.",
    },
}


def decide(ctx: Context) -> Context:
    """Sends pictures as pictures, and words for everything else."""
    rows: list[dict[str, Any]] = []

    def decided(draft: Draft) -> Draft:
        if not draft.assets:
            return draft
        body: list[Text | AssetRef] = []
        for part in draft.body:
            body.extend([part] if isinstance(part, Text) else _sent(part))
            if isinstance(part, AssetRef):
                facts = {"name": part.name, "kind": part.kind, "size_bytes": part.size_bytes}
                rows.append({"key": draft.key, "file": part.id, **facts, **ROWS[part.id]})
        return draft.with_body(body, Cause(STEP, "sent-as", WHY))

    return ctx.edit(decided).put(Table("attachments", rows))


def _sent(asset: AssetRef) -> list[Text | AssetRef]:
    words = AS_WORDS.get(asset.id)
    cause = Cause(STEP, "text", "its text goes along")
    if words is not None:
        name = asset.name
        return [
            Text.of(text, Origin("transcript", f"{name}, {place}" if place else name), cause) for place, text in words
        ]
    size = (1024, 768) if asset.id == "photo" else (None, None)
    return [replace(asset, route=FileRoute("picture", ROWS[asset.id]["reason"], *size))]


@cache
def files_run(budget_tokens: int | None = 1500) -> Trace:
    """The run: pictures go as pictures, one of them scaled, the report and the letter as text, the rest described."""
    step = FunctionProcessor(decide, id=STEP, priority=250, description="Decides how the model gets each file.")
    pipeline = ctxlab.default_pipeline().with_processor(step)
    return ctxlab.build(harbour_files(), model="gpt-4o", pipeline=pipeline, budget_tokens=budget_tokens)


@cache
def harbour_agent() -> ctxlab.Agent:
    """An agent whose preset brings a map along."""
    data = {
        "id": "pilot",
        "name": "Pilot",
        "assets": [
            {"id": "map", "type": "image", "filename": "sea-map.png", "path": "assets/sea-map.png", "size": 5210}
        ],
        "presetMessages": [
            {
                "id": "map-preset",
                "role": "system",
                "content": "The map of the harbour:",
                "name": "Map",
                "presetAttachments": [{"assetId": "map"}],
            },
            {"id": "history", "type": "chat_history", "role": "system", "content": ""},
        ],
    }
    return ctxlab.Agent.model_validate(data)


def files_compared() -> ctxlab.Comparison:
    """The run beside one in which no step decided anything of files."""
    return ctxlab.compare({"as decided": files_run(None), "as stored": ctxlab.build(harbour_files(), model="gpt-4o")})
