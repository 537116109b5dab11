"""Answers of `ctxlab explain` as plain data, for `--format json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.cli.output.explain_text import keys_for, outcome_rows
from ctxlab.cli.output.knowledge import pieces_named
from ctxlab.cli.output.rules import hits_of, outcome, rules_named
from ctxlab.engines.worldbook import Decision
from ctxlab.engines.worldbook.explain import entries_named, scan_of, sentences
from ctxlab.engines.worldbook.explain import outcome as lore_outcome
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Life, Occurrence, Trace

Data = dict[str, Any]


def of_entry(trace: Trace, name: str) -> list[Data]:
    """The rows of the entries that a name means, with their decisions in sentences and settings that turn them."""
    from ctxlab.processors.lore_trial import settings_that_fire

    return [
        {
            **decision.as_data(),
            "standing": lore_outcome(decision),
            "said": {sentence.label: sentence.text for sentence in sentences(trace.result, decision)},
            "price": _price(trace, decision),
            "settings": [each.as_data() for each in settings_that_fire(trace, scan_of(trace.result), decision)],
        }
        for decision in entries_named(trace.result, name)
    ]


def _price(trace: Trace, decision: Decision) -> Data | None:
    """Everything that the nearest change does; None where there is none, or where the run can't be built with it."""
    from ctxlab.processors.lore_trial import effect_of

    try:
        return effect_of(trace, scan_of(trace.result), decision).as_data()
    except CtxlabError:
        return None


def of_rule(trace: Trace, name: str) -> list[Data]:
    """The rules that a name means, with the rows of what each changed."""
    return [
        {
            "rule": bound.rule.to_data(),
            "preset": bound.preset.name or bound.preset.id,
            "layer": bound.layer,
            "said": list(outcome(trace, bound)),
            "hits": [dict(hit.as_data()) for hit in hits_of(trace, bound)],
        }
        for bound in rules_named(trace.start.input, name)
    ]


def of_pieces(trace: Trace, name: str) -> list[Data]:
    """The rows of the table `knowledge` that a name means."""
    return [dict(row) for row in pieces_named(trace, name)]


def of_words(places: tuple[Occurrence, ...]) -> list[Data]:
    """Every place with its spans and their stories, and which text of its message it is counted in."""
    return [
        {
            "key": place.key,
            "state": place.state,
            "start": place.start,
            "end": place.end,
            "part": place.part,
            "text": str(place.version),
            "step": place.step,
            "cause": place.cause.as_data() if place.cause else None,
            "spans": [span.as_data() for span in place.spans],
        }
        for place in places
    ]


def of_key(trace: Trace, name: str) -> list[Data]:
    """The life of each message that a name means."""
    return [_life(trace.why(key)) for key in keys_for(trace, name)]


def _life(life: Life) -> Data:
    events = [{"step": event.step, "kind": event.kind, "text": event.text} for event in life.events]
    answer: Data = {"key": life.key, "sent": life.draft is not None, "events": events}
    if life.remedy is None:
        return answer
    least = life.least_budget
    remedy = {"text": life.remedy.text, "settings": dict(life.remedy.settings)}
    return {**answer, "remedy": remedy, "least_budget": least.as_data() if least else None}


def of_everything(trace: Trace) -> list[Data]:
    """Every message and what became of it."""
    return list(_outcomes(trace))


def _outcomes(trace: Trace) -> Iterator[Data]:
    for key, role, words, _ in outcome_rows(trace):
        yield {"key": key, "role": role, "outcome": words}
