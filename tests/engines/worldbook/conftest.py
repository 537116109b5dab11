"""Books and conversations in a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.documents.lore import LoreEntry, Worldbook
from ctxlab.engines.worldbook import ActiveBook, Chat, LoreScan, ScanInput, ScannedMessage, ScanSettings, scan

Scanned = Callable[..., LoreScan]


@pytest.fixture
def scanned() -> Scanned:
    """`scanned("a Dragon!", {"key": ["dragon"]}, scan_depth=3)`: texts oldest first, entries with uids 0, 1, ..."""

    def made(
        *given: Any, dice: dict[str, float] | None = None, chat: dict[str, Any] | None = None, **rules: Any
    ) -> LoreScan:
        texts = [each for each in given if isinstance(each, str)]
        entries = [each for each in given if isinstance(each, dict)]
        book = Worldbook(
            id="b",
            entries={
                str(i): LoreEntry.model_validate({"uid": i, "content": f"C{i}", **entry})
                for i, entry in enumerate(entries)
            },
        )
        spoken = tuple(ScannedMessage(f"node:m{i}", text, f"m{i}") for i, text in enumerate(texts))
        asked = ScanInput((ActiveBook(book),), Chat(spoken, **(chat or {})), ScanSettings(**rules), (dice or {}).get)
        return scan(asked)

    return made
