"""Files of messages: what is read of them, and in what form they are sent."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.rules.rule import Rule

PICTURE_TOKENS = 258
"""Of a picture of up to 384 x 384 pixels, as the reference's own limiter counts it."""


def _files(case: Case) -> list[Data]:
    return [file for message in case.input["messages"] for file in message.get("_attachments") or ()]


# --- transcription


def _fenced(case: Case) -> list[str]:
    """Texts of files that have a code fence inside."""
    texts = [file for file in _files(case) if file["mimeType"].startswith("text/")]
    contents = [b64decode(file["source"]["base64"]).decode() for file in texts]
    return [content for content in contents if "```" in content]


def _with_longer_fence(case: Case) -> Any:
    def mended(text: str) -> str:
        for content in _fenced(case):
            fence = "`" * (max(map(len, re.findall("`+", content))) + 1)
            text = text.replace(f"```\n{content}\n```\n", f"{fence}\n{content}\n{fence}\n")
        return text

    return [{**message, "text": mended(message["text"])} for message in case.expected]


def _is_off(case: Case) -> bool:
    wanted = (case.input.get("settings") or {}).get("transcription") or {}
    return (
        wanted.get("enabled") is False
        and wanted.get("smartPrioritizeTranscription", True)
        and bool(case.input["transcripts"])
    )


def _untranscribed(case: Case) -> Any:
    messages = case.input["messages"]
    return [
        {"text": message["content"], "files": [file["id"] for file in message.get("_attachments") or ()]}
        for message in messages
    ]


# --- resolving


def _is_by_codec(case: Case) -> bool:
    agent = case.input.get("agentConfig") or {}
    compression = (agent.get("parameters") or {}).get("imageCompression") or {}
    return bool(case.input.get("stubPdfImages") or compression.get("enabled"))


def _as_they_are(case: Case) -> Any:
    """The files with the bytes that they have: these are no pictures and no pages that could be decoded."""
    return [
        {
            "text": message["text"],
            "files": [
                {"type": file["type"], "bytes": file["source"]["base64"]} for file in given.get("_attachments") or ()
            ],
        }
        for given, message in zip(case.input["messages"], case.expected, strict=True)
    ]


def _lacks_bytes(case: Case) -> bool:
    return any("base64" not in file["source"] for file in _files(case))


def _with_references(case: Case) -> Any:
    return [
        {
            "text": message["text"],
            "files": [
                {"type": file["type"], "bytes": file["source"].get("base64")}
                for file in given.get("_attachments") or ()
            ],
        }
        for given, message in zip(case.input["messages"], case.expected, strict=True)
    ]


# --- the preview


def _attached(case: Case, kind: str) -> list[Data]:
    nodes = ((case.input.get("detail") or {}).get("nodes") or {}).values()
    return [file for node in nodes for file in node.get("attachments") or () if file["type"] == kind]


def _shows_a_picture(case: Case) -> bool:
    return bool(_attached(case, "image"))


def _with_its_tokens(case: Case) -> Any:
    """The picture counted like everywhere else; a size that is known is no estimate."""
    found, more = case.expected, PICTURE_TOKENS * len(_attached(case, "image"))
    (spoken,) = found["history"]
    said = found["statistics"]
    counted = {name: said[name] + more for name in ("tokens", "history_tokens")}
    return {
        **found,
        "history": [{**spoken, "tokens": spoken["tokens"] + more}],
        "statistics": {**said, **counted, "estimated": False},
    }


RULES = (
    Rule(
        "D9",
        "A code fence is longer than any inside, so that a file can't close it.",
        ("transcription_processor",),
        lambda case: bool(_fenced(case)),
        _with_longer_fence,
    ),
    Rule(
        "decisions, Transcription",
        "Switched off means off: a transcript that is there isn't used either.",
        ("transcription_processor",),
        _is_off,
        _untranscribed,
    ),
    Rule(
        "spec 13, stubs",
        "The reference's pictures and pages are stubs; bytes that are no picture and no PDF go as they are.",
        ("asset_resolver",),
        _is_by_codec,
        _as_they_are,
    ),
    Rule(
        "decisions, Assets",
        "A file whose bytes are not at hand stays as a reference, so that nobody takes it for sent.",
        ("asset_resolver",),
        _lacks_bytes,
        _with_references,
    ),
    Rule(
        "D28, pictures",
        "Limiter and preview count by one rule: a picture costs in both what it costs in the request.",
        ("preview_builder",),
        _shows_a_picture,
        _with_its_tokens,
    ),
)
