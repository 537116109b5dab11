"""The text that is being typed, kept beside the session's file, so that it is there after a restart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import WriteError

SUFFIX = ".drafts.json"
MOST_CHARACTERS = 200_000
"""A longer text isn't kept."""
MOST_BYTES = 4_000_000
"""A larger file isn't read."""
MOST_DRAFTS = 50


class DraftStore:
    """The drafts of the sessions of one file, in a file beside it; files that are attached are not in it.

    What stands in the file is data: whatever is no draft is passed over.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def beside(cls, session_file: Path) -> DraftStore:
        """The store of a session's file."""
        return cls(session_file.with_name(session_file.name + SUFFIX))

    def read(self, session_id: str) -> str:
        """The text that was being typed; empty where there is none."""
        return self._all().get(session_id, "")

    def write(self, session_id: str, text: str) -> str:
        """Keep the text, or take it out where it is empty. Returns a sentence where it can't be kept."""
        drafts = self._all()
        if text == drafts.get(session_id, ""):
            return ""
        if len(text) > MOST_CHARACTERS:
            return f"the draft is longer than {MOST_CHARACTERS:,} characters and isn't kept for a restart"
        drafts.pop(session_id, None)
        if text:
            drafts[session_id] = text
        kept = dict(list(drafts.items())[-MOST_DRAFTS:])
        try:
            if kept:
                replace_file(self.path, json.dumps({"version": 1, "drafts": kept}).encode())
            else:
                self.path.unlink(missing_ok=True)
        except (WriteError, OSError) as error:
            return f"the draft isn't kept for a restart: {error}"
        return ""

    def _all(self) -> dict[str, str]:
        try:
            if self.path.is_symlink() or not self.path.is_file() or self.path.stat().st_size > MOST_BYTES:
                return {}
            data: object = json.loads(self.path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        drafts: object = cast("dict[str, Any]", data).get("drafts") if isinstance(data, dict) else None
        if not isinstance(drafts, dict):
            return {}
        found = cast("dict[object, object]", drafts)
        return {
            key: text
            for key, text in found.items()
            if isinstance(key, str) and isinstance(text, str) and len(text) <= MOST_CHARACTERS
        }
