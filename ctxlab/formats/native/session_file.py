"""A session as a file."""

from __future__ import annotations

import os
from pathlib import Path

from ctxlab.documents import Session
from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import WriteError


def session_json(session: Session) -> bytes:
    """The seeds' JSON of a session, in UTF-8, indented; `nodes` is there even when it is empty."""
    try:
        return (session if session.nodes else session.model_copy(update={"nodes": {}})).to_json()
    except WriteError as error:
        raise WriteError(f"session {session.id!r} holds data nested too deeply to be written") from error


def write_session(session: Session, path: str | os.PathLike[str]) -> Path:
    """Write a session's JSON and return where it is."""
    return replace_file(path, session_json(session))
