"""A run for the page: its placeholders, and of the one shown the query, its words and a row a piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab import Trace
from ctxlab.display.short_texts import counted, short
from ctxlab.knowledge.policy.candidates import measured_by
from ctxlab.knowledge.policy.placeholder import placeholders_in
from ctxlab.knowledge.policy.report import KnowledgeReport, PlaceholderResult
from ctxlab_widgets.knowledge_view.asked_otherwise import STEP, asked_text, own_query
from ctxlab_widgets.knowledge_view.query_words import brought, parts_in_words
from ctxlab_widgets.knowledge_view.rows import Row, rows_of

NOT_SENT = {
    "no room": "found no room",
    "below": "stayed below the minimum",
    "faded": "faded below it",
    "over limit": "came after the last that may be sent",
    "tags": "had none of the tags",
}
"""The fate of pieces of a kind, as a part of a sentence."""


def report_of(trace: Trace | None) -> KnowledgeReport | None:
    """The decisions on knowledge that a run left; None where nothing asked for any."""
    return None if trace is None else trace.result.report(KnowledgeReport)


def view_of(trace: Trace, report: KnowledgeReport, at: int) -> Row:
    """The page's JSON for the placeholder number `at`."""
    result = report.results[at]
    query = own_query(trace)
    asked = asked_text(trace)
    texts = [asked] if asked is not None else [part.text for part in query]
    rows = rows_of(result, trace.services.tokenizer)
    rules = result.rules
    return {
        "places": [_place(n, each, trace) for n, each in enumerate(report.results)],
        "answer": answer_of(result, rows),
        "idle": _idle(result, report),
        "counts": {"all": len(rows), "sent": (n := len(result.sent)), "not sent": len(rows) - n},
        "engine": _step_engine(trace),
        "used": result.engine,
        "engine_fixed": _own_engine(result),
        "measure": measured_by(result.engine) if result.engine else "",
        "static": result.is_static or not result.engine,
        "minimum": round(rules.minimum, 4),
        "limit": rules.limit,
        "max_characters": rules.max_characters,
        "query": {
            "parts": parts_in_words(query) if asked is None else [],
            "text": asked if asked is not None else "\n".join([part.text for part in query]),
            "asked": asked is not None,
        },
        "words": brought(result, texts) if result.query and not result.is_static else [],
        "bases": _bases(rows),
        "rows": rows,
        "notes": _notes(trace, result),
    }


def why_empty(trace: Trace | None) -> str:
    """Why a run has no knowledge to show."""
    if trace is None:
        return "Nothing to show: KnowledgeView(trace) takes a run that asks for knowledge."
    stage = next((each for each in trace.pipeline.stages if each.id == STEP), None)
    if stage is None or not stage.enabled:
        return f"Nothing was looked up in this run: the step {STEP} is off."
    step = next((each for each in trace.steps if each.id == STEP), None)
    if step is None or step.failure is not None:
        return f"Nothing was looked up in this run: the step {STEP} failed or is still to come."
    hint = "write 【kb】 into a preset or into what is typed last"
    if trace.services.retriever is None:
        return f"Nothing asks for knowledge: {hint}, and give bases with ctxlab.build(session, knowledge=[base])."
    return f"Nothing asks for knowledge in this run: {hint}."


def answer_of(result: PlaceholderResult, rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The sentence above the rows in parts: words, and the kind of rows that they lead to, empty for none."""
    if not result.activation.active:
        return [(f"{short(result.placeholder)} is not active: {result.activation.reason}", "")]
    if not rows:
        return [(f"The query found nothing: {result.problem or 'no piece matches'}", "")]
    sent = [row for row in rows if row["kind"] == "sent"]
    tokens = sum(row["tokens"] for row in sent)
    parts = [
        (f"{len(sent):,} of {counted(len(rows), 'piece')} sent", "sent"),
        (f", {counted(tokens, 'token')} of words", ""),
    ]
    if result.searched > len(rows):
        parts.insert(1, (f", the best of {result.searched:,} that were searched", ""))
    kinds = dict.fromkeys(row["kind"] for row in rows if row["kind"] != "sent")
    for n, kind in enumerate(kinds):
        number = sum(row["kind"] == kind for row in rows)
        parts += [(", " if n else "; ", ""), (f"{number:,} {NOT_SENT.get(kind, kind)}", "not sent")]
    return parts


def _place(number: int, result: PlaceholderResult, trace: Trace) -> dict[str, Any]:
    """A placeholder as one of several: what it says, where it stands and what came of it."""
    if not result.activation.active:
        came = "not active"
    elif result.decisions:
        came = f"{len(result.sent):,} of {len(result.decisions):,}"
    else:
        came = "nothing found"
    return {"at": number, "name": short(result.placeholder, 48), "where": result.where, "came": came}


def _idle(result: PlaceholderResult, report: KnowledgeReport) -> list[dict[str, Any]]:
    """Placeholders, or bases of them, that aren't searched, each with the reason and the change that would do it."""
    if not result.activation.active:
        idle = result.activation
        return [{"why": idle.reason, "remedy": idle.remedy, "able": bool(report.settings_for(result, idle.change))}]
    return [
        {"why": base.barred, "remedy": f"switch on the binding of {base.name}", "able": True}
        for base in result.switched_off
    ]


def _bases(rows: Sequence[Row]) -> list[tuple[str, str, int]]:
    """Id, name and number of pieces of each base that something was found in."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        base = row["base"], row["base_name"] or row["base"]
        counts[base] = counts.get(base, 0) + 1
    return [(id, name, count) for (id, name), count in counts.items()]


def _step_engine(trace: Trace) -> str:
    stage = next((each for each in trace.pipeline.stages if each.id == STEP), None)
    return str(getattr(stage.processor.settings, "engine", "auto")) if stage is not None else "auto"


def _own_engine(result: PlaceholderResult) -> str:
    found = placeholders_in(result.placeholder)
    return found[0].engine if found else ""


def _notes(trace: Trace, result: PlaceholderResult) -> list[str]:
    return [
        note.text
        for note in trace.result.notes
        if note.processor == STEP and note.details.get("placeholder", result.placeholder) == result.placeholder
    ]
