"""The values of a workspace as the search index reads them."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.documents import Session
from ctxlab.storage.kinds import KINDS
from ctxlab.storage.store import Store


class WorkspaceSource:
    """Stored values by kind and id, each with a stamp that changes with its file; the files are listed once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stamps: Mapping[tuple[str, str], str] | None = None

    def stamps(self) -> Mapping[tuple[str, str], str]:
        """The stamps of all values that can be read."""
        if self._stamps is None:
            self._stamps = {(kind, row["id"]): row["stamp"] for kind in KINDS for row in self._store.rows(kind)}
        return self._stamps

    def load(self, kind: str, id: str) -> object:
        """The value of a kind and an id, as its file has it now; a session has its newest message's time for none."""
        value = self._store.load(id, kind)
        if isinstance(value, Session) and not (value.created_at or value.updated_at):
            row = self._store.indexes[kind].row(id)
            return value.model_copy(update={"updated_at": row.get("updatedAt")}) if row else value
        return value
