"""Real conversations for every vendor: no problem is left after the gate, and a strict server takes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import ctxlab
from ctxlab.documents import Library, Session
from ctxlab.errors import CtxlabError
from ctxlab.formats import Import, read
from ctxlab.pipeline import NothingToSend
from ctxlab.providers import built_in, payload
from ctxlab.testing import refusals_of

DATA = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared")) / "data"
FOLDERS = (
    "tau-bench",
    "swe-agent",
    "claude-code-log",
    "oasst",
    "memorybank",
    "locomo",
    "sharegpt",
    "recordings/chat-exports",
    "recordings/claude-code-compaction",
    "recordings/copilot-chat",
)
ENDINGS = (".json", ".jsonl", ".traj")
LARGEST_FILE = 3_000_000

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"real data is not at hand: there is no folder {DATA}")


def files() -> list[Path]:
    found = (path for name in FOLDERS for path in sorted((DATA / name).rglob("*")))
    return [path for path in found if path.suffix in ENDINGS and path.stat().st_size < LARGEST_FILE]


@cache
def imported(path: Path) -> Import | None:
    try:
        return read(path)
    except CtxlabError:
        return None


def sessions_of(path: Path) -> Iterator[tuple[Library, Session]]:
    found = imported(path)
    if found is not None:
        yield from ((found, session) for session in found.sessions)


@pytest.mark.parametrize("vendor", tuple(built_in()))
@pytest.mark.parametrize("path", files() if DATA.is_dir() else [], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_real_conversation_is_taken(path: Path, vendor: str) -> None:
    model = built_in()[vendor].default_model
    for library, session in sessions_of(path):
        try:
            trace = ctxlab.build(session, library=library, model=model)
        except NothingToSend:  # a reply without words, calls and files
            continue
        if not trace.messages:  # a conversation in which nothing was said
            assert len(session.nodes) == 1, session.id
            continue
        found = payload(trace, vendor)
        if [problem.rule for problem in found.problems] == ["context-window"]:
            found = found.mended(found.problems[0].fixes[0])  # a conversation longer than the model's window
        assert [str(problem) for problem in found.problems] == [], session.id
        assert refusals_of(found.body, vendor, model=found.model.name, path=urlsplit(found.url).path) == (), session.id


def test_there_are_conversations_to_try() -> None:
    assert sum(1 for path in files() for _ in sessions_of(path)) > 600
