"""Remedies that would keep a dropped message, computed when a person selects it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ctxlab.pipeline import Trace, remedies
from ctxlab_widgets._shared.json_values import as_json


class RemedyCache:
    """Remedies by key, as JSON; those of one run are looked up once, several together."""

    def __init__(self) -> None:
        self._cached_for: tuple[Any, ...] = ()
        self._found: dict[str, dict[str, Any] | None] = {}

    def of(self, trace: Trace | None, keys: Iterable[str]) -> str:
        """Those of dropped messages among the keys, all others are left out; empty when none is dropped."""
        known = self.found(trace, keys)
        return as_json(known) if known else ""

    def found(self, trace: Trace | None, keys: Iterable[str]) -> dict[str, Any]:
        """Those of dropped messages among the keys, as plain data."""
        wanted = sorted({key for key in keys if key})
        run = () if trace is None else (trace.pipeline, trace.steps, trace.services)
        if run != self._cached_for:
            self._cached_for, self._found = run, {}
        if trace is None or not wanted:
            return {}
        missing = [key for key in wanted if key not in self._found]
        if missing:
            found = remedies(trace, missing)
            self._found |= {key: found[key].as_data() if key in found else None for key in missing}
        return {key: data for key in wanted if (data := self._found[key]) is not None}


def remedies_json(trace: Trace, keys: Iterable[str]) -> str:
    """`{key: {"text", "label", "price", "able"}}` of each message that was dropped; empty when none was.

    `text` is the sentence, `label` and `price` what the button says that makes the change, where there is one.
    """
    found = {key: remedy.as_data() for key, remedy in remedies(trace, list(keys)).items()}
    return as_json(found) if found else ""
