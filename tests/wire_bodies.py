"""Requests that other programs really sent, with what the vendor answered, from the folder of recordings."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[2] / "shared"))
RECORDINGS = SHARED / "data" / "recordings"
FOLDER = pytest.mark.skipif(not RECORDINGS.exists(), reason=f"no recordings at {RECORDINGS}")
"""Put on a test that needs them."""

PATHS = (("/chat/completions", "openai"), ("/responses", "openai-responses"), ("/messages", "anthropic"))
PAIRS = {"wire-lingua": ("anthropic", "/v1/messages"), "openai-responses": ("openai-responses", "/v1/responses")}


@dataclass(frozen=True, slots=True, eq=False)
class RecordedBody:
    """One request: `name` is the file and the place in it, `vendor` a provider's name, `path` that of the URL.

    `model` is the one in the body or in the URL. `reply` is parsed JSON, the text of a stream of events, or None where
    it wasn't recorded; `status` is that of the reply.
    """

    name: str
    vendor: str
    path: str
    model: str
    body: dict[str, Any]
    status: int
    reply: Any

    def __repr__(self) -> str:
        return f"RecordedBody({self.name!r}, {self.vendor!r})"


@cache
def bodies(*, vendor: str | None = None, taken: bool | None = None) -> tuple[RecordedBody, ...]:
    """All recorded requests, of one vendor alone, or those alone that were taken (status 200); empty without folder.

    They are shared by all tests: change a copy.
    """
    return tuple(
        each
        for each in _all()
        if (vendor is None or each.vendor == vendor) and (taken is None or (each.status == 200) is taken)
    )


def ids(body: RecordedBody) -> str:
    """The name of a case in a parametrised test."""
    return body.name


def _all() -> Iterator[RecordedBody]:
    for file in sorted(RECORDINGS.glob("cassettes-*/*")):
        yield from _cassette(file)
    for file in sorted(RECORDINGS.glob("opencode-recordings/*.json")):
        yield from _interactions(file, json.loads(file.read_bytes())["interactions"])
    for folder, (vendor, path) in PAIRS.items():
        for file in sorted(RECORDINGS.glob(f"{folder}/*request.json")):
            body = json.loads(file.read_bytes())
            reply = file.with_name(file.name.replace("request.json", "response.json"))
            answer = json.loads(reply.read_bytes()) if reply.exists() else None
            yield RecordedBody(f"{folder}/{file.stem}", vendor, path, body["model"], body, 200, answer)


def _cassette(file: Path) -> Iterator[RecordedBody]:
    if file.suffix == ".json":
        yield from _interactions(file, json.loads(file.read_bytes())["interactions"])
        return
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    yield from _interactions(file, yaml.load(file.read_bytes(), Loader=loader)["interactions"])


def _interactions(file: Path, interactions: list[dict[str, Any]]) -> Iterator[RecordedBody]:
    for number, each in enumerate(interactions):
        request, response = each["request"], each["response"]
        body = _json(request.get("parsed_body", request.get("content", request.get("body"))))
        path = urlsplit(request.get("url") or request.get("uri") or "").path
        vendor = "gemini" if "enerateContent" in path else next((name for end, name in PATHS if path.endswith(end)), "")
        if not isinstance(body, dict) or not vendor:
            continue  # a HEAD of a picture, a conversation that is made or deleted, a compaction on demand
        model = body.get("model") or path.rpartition("/")[2].partition(":")[0]
        status = response.get("status", response.get("status_code"))
        status = status["code"] if isinstance(status, dict) else status
        name = f"{file.parent.name}/{file.stem}[{number}]"
        yield RecordedBody(name, vendor, path, model, body, status, _reply(response))


def _reply(response: dict[str, Any]) -> Any:
    stored = response.get("parsed_body", response.get("content", response.get("body")))
    if isinstance(stored, dict) and set(stored) == {"string"}:
        stored = stored["string"]
    if isinstance(stored, dict) and stored.get("encoding") == "base64":
        stored = base64.b64decode(stored["data"])
    return _json(stored)


def _json(stored: Any) -> Any:
    """Parsed JSON; a text that is none as it is, unpacked where it is gzipped."""
    if isinstance(stored, bytes):
        stored = gzip.decompress(stored) if stored.startswith(b"\x1f\x8b") else stored
        stored = stored.decode()
    if isinstance(stored, str):
        try:
            return json.loads(stored)
        except ValueError:
            return stored or None
    return stored
