"""What the four formatters share: where stored files keep their settings, and which messages they leave alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.context import Draft
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.processors.session_loader import stored_setting

SEPARATOR = "\n\n---\n\n"
FORMATTERS = ("message-formatter", "message-formatters")
"""What stored files call the four of them together."""


def entry_from_rules(
    stored: Agent | ModelProfile, *, id: str, rule: str, fields: Mapping[str, str]
) -> ProcessorEntry | None:
    """What the older list of rules says of one formatter; the last entry counts, empty texts mean the default."""
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


def stands_alone(draft: Draft) -> bool:
    """Whether it must stay as it is: the vendor wants its reasoning state back unchanged."""
    return draft.replays_reasoning
