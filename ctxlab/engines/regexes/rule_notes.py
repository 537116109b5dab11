"""Notes on rules of a build that do nothing there for a reason that is easily overlooked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlab.documents import Note
from ctxlab.documents.misspelt_fields import misspelt_fields
from ctxlab.engines.regexes.rule_selection import SHOWN_BY_DEFAULT, BoundRule, RuleSource, is_shown_by_default, listed


def rule_notes(sources: Sequence[RuleSource], processor: str) -> Iterator[Note]:
    """A note for each misspelt field of a rule that is on, and for each that is only for what is shown by default."""
    for bound, why in listed(sources, stage=None):
        if why is not None:
            continue
        details = {"rule": bound.rule.id, "preset": bound.preset.id, "layer": bound.layer}
        for text in _misspelt(bound):
            yield Note("warning", text, processor, details)
        if is_shown_by_default(bound.rule):
            yield Note("info", f"{bound.label} {SHOWN_BY_DEFAULT}", processor, details)


def _misspelt(bound: BoundRule) -> Iterator[str]:
    rule = bound.rule
    yield from misspelt_fields(rule, bound.label)
    yield from misspelt_fields(rule.apply_to, f"{bound.label}, apply_to,")
    if rule.depth_range is not None:
        yield from misspelt_fields(rule.depth_range, f"{bound.label}, depth_range,")
