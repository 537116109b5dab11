"""Sessions of an import with their broken trees mended."""

from __future__ import annotations

from dataclasses import replace

from ctxlab.documents import Session
from ctxlab.formats.results import Import
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Repair:
    """An import whose trees are sound, and what was done to them, one line a change."""

    found: Import
    notes: tuple[str, ...] = ()


def repaired_sessions(found: Import) -> Repair:
    """The import with every session as `session.repaired()` gives it."""
    sessions: list[Session] = []
    notes: list[str] = []
    for session in found.sessions:
        sound, done = session.repaired()
        sessions.append(sound if done else session)
        place = f"session {session.id!r}: " if len(found.sessions) > 1 else ""
        notes += [f"{place}{note.text}" for note in done]
    return Repair(replace(found, sessions=tuple(sessions)), tuple(notes))
