"""Logs of Claude Code's sub-agents, which are read with that of their session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from ctxlab.errors import ReadError
from ctxlab.formats.decode import source_of
from ctxlab.formats.requests.blocks import fields_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source
from ctxlab.lazy_pattern import lazy_pattern

FOLDER: Final = "subagents"
LOOKED_AT: Final = 2_000
"""Files beside a log that are looked at."""
BEGINNING: Final = 8_000
"""Bytes of each in which its session is looked for."""
_SIDECHAIN = lazy_pattern(rb'"isSidechain":\s*true')
_SESSION = lazy_pattern(rb'"sessionId":\s*"([^"\\]{1,200})"')


def with_sub_agents(source: Source, place: Path) -> Source:
    """The log with those of its sub-agents.

    They are `<session>/subagents/agent-*.jsonl` beside `<session>.jsonl`, and files beside it with `agent-` in their
    names whose first line is a sub-agent's of the same session. One that can't be read is a loss.
    """
    folder = place.with_suffix("") / FOLDER
    files = [*sorted(folder.glob("agent-*.jsonl")), *_beside(source, place)]
    losses, found = list[Loss](), list[Source]()
    for file in files:
        try:
            found.append(source_of(file.read_bytes(), str(file)))
        except (OSError, ReadError) as error:
            losses.append(Loss("", f"the sub-agent's log {file} isn't read: {error}"))
    if not found:
        return replace(source, losses=(*source.losses, *losses)) if losses else source
    parts = [source, *found]
    items = [item for part in parts for _, item in part.items()]
    return Source(items, source.name, losses=(*(loss for part in parts for loss in part.losses), *losses))


def _beside(source: Source, place: Path) -> Iterator[Path]:
    """The logs beside one that say of themselves that they are of a sub-agent of its session, by name."""
    own = {str(fields_of(line).get("sessionId")) for _, line in source.items() if "sessionId" in fields_of(line)}
    if all(fields_of(line).get("isSidechain") is True for _, line in source.items()):
        return
    files = (file for file in place.parent.glob("*agent-*.jsonl") if file.name != place.name)
    yield from sorted(
        file for file, _ in zip(files, range(LOOKED_AT), strict=False) if session_of_sub_agent(file) in own
    )


def session_of_sub_agent(file: Path) -> str:
    """The session of a sub-agent's log, by its first line; "" for any other file."""
    if file.is_symlink() or not file.is_file():
        return ""
    try:
        with file.open("rb") as opened:
            first = opened.read(BEGINNING).partition(b"\n")[0]
    except OSError:
        return ""
    session = _SESSION.search(first)
    return session[1].decode("utf-8", "replace") if session is not None and _SIDECHAIN.search(first) else ""
