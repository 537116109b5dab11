"""Remedies that would keep a dropped message, computed when a person selects it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ctxlab.pipeline import Trace, remedies
from ctxlab_widgets._shared.json_values import as_json


class RemedyCache:
    """Remedies by key, as JSON; the last answer is kept while the run and the keys are the same."""

    def __init__(self) -> None:
        self._cached_for: tuple[Any, ...] = ()
        self._json = ""

    def of(self, trace: Trace | None, keys: Iterable[str]) -> str:
        wanted = sorted({key for key in keys if key})
        if trace is None or not wanted:
            self._cached_for, self._json = (), ""
            return ""
        cache_key = (wanted, trace.pipeline, trace.steps, trace.services)
        if cache_key != self._cached_for:
            self._cached_for, self._json = cache_key, remedies_json(trace, wanted)
        return self._json


def remedies_json(trace: Trace, keys: Iterable[str]) -> str:
    """`{key: {"text", "label", "price", "able"}}` of each message that was dropped; empty when none was.

    `text` is the sentence, `label` and `price` what the button says that makes the change, where there is one.
    """
    found = {key: remedy.as_data() for key, remedy in remedies(trace, list(keys)).items()}
    return as_json(found) if found else ""
