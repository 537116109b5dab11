"""Settings of the four formatters in stored files, and the messages that no formatter may touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.context import Draft
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.processors.session_loader import stored_setting

SEPARATOR = "\n\n---\n\n"
FORMATTERS = ("message-formatter", "message-formatters")
"""The processor id under which older stored files keep all four formatters."""


def entry_from_rules(
    stored: Agent | ModelProfile, *, id: str, rule: str, fields: Mapping[str, str]
) -> ProcessorEntry | None:
    """One formatter's entry from the older list of rules; the last one counts, empty texts mean the default."""
    found: ProcessorEntry | None = None
    for entry in _rules(stored):
        if isinstance(entry, str):
            if entry == rule:
                found = ProcessorEntry(id=id, enabled=True)
        elif isinstance(entry, Mapping) and cast("Mapping[str, Any]", entry).get("type") == rule:
            values = cast("Mapping[str, Any]", entry)
            settings = {name: values[key] for key, name in fields.items() if values.get(key)}
            found = ProcessorEntry(id=id, enabled=values.get("enabled") is True, settings=settings)
    return found


def _rules(stored: Agent | ModelProfile) -> Sequence[object]:
    if isinstance(stored, ModelProfile):
        return stored.default_post_processing_rules
    rules = stored_setting(stored.parameters, "contextPostProcessing").get("rules")
    return cast("list[object]", rules) if isinstance(rules, list) else ()


def must_stay_unmerged(draft: Draft) -> bool:
    """True if the message must stay unmerged: the vendor wants its reasoning state back unchanged."""
    return draft.replays_reasoning
