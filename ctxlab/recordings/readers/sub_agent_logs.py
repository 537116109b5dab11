"""Logs of Claude Code's sub-agents: those in the folder of a session are read with it, others beside it are named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, first_of
from ctxlab.formats.decode import source_of
from ctxlab.formats.requests.blocks import fields_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source

FOLDER: Final = "subagents"
LOOKED_AT: Final = 200
"""Files beside a log that are looked at."""
BEGINNING: Final = 8_000
"""Bytes of each in which its session is looked for."""
_SIDECHAIN = re.compile(rb'"isSidechain":\s*true')
_SESSION = re.compile(rb'"sessionId":\s*"([^"\\]{1,200})"')


def with_sub_agents(source: Source, place: Path) -> Source:
    """The log with those of its sub-agents, `<session>/subagents/agent-*.jsonl` beside `<session>.jsonl`.

    Logs of its sub-agents that lie in another way beside it are a loss.
    """
    folder = place.with_suffix("") / FOLDER
    found = [source_of(file.read_bytes(), str(file)) for file in sorted(folder.glob("agent-*.jsonl"))]
    losses = tuple(_unlinked(source, place))
    if not found:
        return replace(source, losses=(*source.losses, *losses)) if losses else source
    parts = [source, *found]
    losses += tuple(loss for part in parts for loss in part.losses)
    return Source([item for part in parts for _, item in part.items()], source.name, losses=losses)


def _unlinked(source: Source, place: Path) -> Iterator[Loss]:
    own = {str(fields_of(line).get("sessionId")) for _, line in source.items() if "sessionId" in fields_of(line)}
    if all(fields_of(line).get("isSidechain") is True for _, line in source.items()):
        return
    beside = (file for file in place.parent.glob("*agent-*.jsonl") if file.name != place.name)
    names = sorted(file.name for file, _ in zip(beside, range(LOOKED_AT), strict=False) if _session_of(file) in own)
    if not names:
        return
    shown = first_of([plain(name, 80) for name in names], most=5)
    is_one = len(names) == 1
    there = f"{plain(place.stem, 80)}/{FOLDER}/ beside the log, named agent-*.jsonl"
    lie, are = ("lies", "is") if is_one else ("lie", "are")
    found = f"{counted(len(names), 'log')} of its sub-agents {lie} beside it and {are} not read: {shown}"
    yield Loss("", f"{found}; {'it is' if is_one else 'they are'} read in {there}")


def _session_of(file: Path) -> str:
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
