"""Requests that vendors took, as recorded: the fake vendors take each of them; and refuse what was refused."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ctxlab.testing import refusals_of
from ctxlab.testing.fake_server import Vendor

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared"))
RECORDINGS = SHARED / "data" / "recordings"
OTHER_ADDRESSES = ("/conversations", "/compact")
needs_recordings = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are not here (CTXLAB_SHARED)")


class Recorded(NamedTuple):
    name: str
    url: str
    status: int
    body: dict[str, Any]


def _recorded() -> Iterator[Recorded]:
    for path in sorted(RECORDINGS.glob("cassettes-*/*")) + sorted(RECORDINGS.glob("opencode-recordings/*.json")):
        for number, one in enumerate(_read(path)["interactions"]):
            request, status = one["request"], one["response"].get("status") or one["response"].get("status_code")
            url = request.get("uri") or request.get("url") or request.get("path")
            body = _body(request)
            if isinstance(body, dict) and not url.partition("?")[0].endswith(OTHER_ADDRESSES):
                yield Recorded(
                    f"{path.name} {number}", url, status["code"] if isinstance(status, dict) else status, body
                )
    for folder, url in (("wire-lingua", "/v1/messages"), ("openai-responses", "/v1/responses")):
        for path in sorted((RECORDINGS / folder).glob("*request.json")):
            yield Recorded(path.name, url, 200, json.loads(path.read_bytes()))


def _read(path: Path) -> Any:
    if path.suffix == ".json":
        return json.loads(path.read_bytes())
    import yaml

    return yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _body(request: dict[str, Any]) -> Any:
    body = next((request[name] for name in ("parsed_body", "body", "content") if request.get(name)), None)
    if isinstance(body, dict) and "string" in body:
        body = body["string"]
    if isinstance(body, bytes) and body.startswith(b"\x1f\x8b"):
        body = gzip.decompress(body)
    return json.loads(body) if isinstance(body, (str, bytes)) and body else body


def _vendor(url: str) -> Vendor:
    if "/messages" in url:
        return "anthropic"
    if "/models/" in url:
        return "gemini"
    return "openai-responses" if "/responses" in url else "openai"


@needs_recordings
def test_what_vendors_took_is_taken_and_what_they_refused_is_refused() -> None:
    wrong: dict[str, Any] = {}
    seen: list[int] = []
    for name, url, status, body in _recorded():
        # All of them were sent in the old version of Anthropic's API.
        found = refusals_of(body, _vendor(url), path=url, api_version="2023-06-01")
        seen.append(status)
        if bool(found) != (status == 400):
            wrong[name] = [(one.rule, one.place) for one in found]

    assert wrong == {}
    assert (seen.count(200), seen.count(400)) >= (100, 1)
