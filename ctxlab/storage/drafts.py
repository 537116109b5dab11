"""Texts that are being typed: one file a session, so that they are there after a restart."""

from __future__ import annotations

from typing import Any, cast

from ctxlab.documents.stored import as_json, from_json
from ctxlab.errors import CtxlabError
from ctxlab.storage.file_names import file_stem
from ctxlab.storage.files import Files

FOLDER = "drafts"
MOST_CHARACTERS = 200_000
"""A longer text isn't kept."""


class Drafts:
    """The drafts of a workspace's sessions; what is in their files is data, and whatever is no draft is passed over."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def path(self, session_id: str) -> str:
        """The file of a session's draft, inside the workspace."""
        return f"{FOLDER}/{file_stem(session_id)}.json"

    def read(self, session_id: str) -> str:
        """The text that was being typed; empty where there is none."""
        try:
            data: object = from_json(self._files.read(self.path(session_id)))
        except (OSError, ValueError):
            return ""
        text = cast("dict[str, Any]", data).get("text") if isinstance(data, dict) else None
        return text if isinstance(text, str) and len(text) <= MOST_CHARACTERS else ""

    def write(self, session_id: str, text: str) -> str:
        """Keep the text, or take it out where it is empty. Returns a sentence where it can't be kept."""
        if len(text) > MOST_CHARACTERS:
            return f"the draft is longer than {MOST_CHARACTERS:,} characters and isn't kept for a restart"
        if text == self.read(session_id):
            return ""
        try:
            if text:
                data = as_json({"version": 1, "session": session_id, "text": text})
                self._files.write_whole(self.path(session_id), data)
            else:
                self._files.delete(self.path(session_id))
        except (CtxlabError, OSError) as error:
            return f"the draft isn't kept for a restart: {error}"
        return ""
