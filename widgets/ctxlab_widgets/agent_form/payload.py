"""The JSON data of a form for the page: its sentence, groups of fields, the body, notes and steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.pipeline import Pipeline
from ctxlab.pipeline.explain.trace_json import plain
from ctxlab.providers.problem import Fix
from ctxlab_widgets.agent_form.field_rows import Row, groups_of, shown_origins, value_in_words
from ctxlab_widgets.agent_form.form_state import FormState
from ctxlab_widgets.agent_form.request_preview import RequestPreview

LEVELS = {"error": "error", "warning": "warning", "info": "info"}
Message = tuple[str, str, tuple[Fix, ...]]
"""Level, sentence, and what would mend it."""


def form_json(
    state: FormState, saved: FormState, rows: list[Row], preview: RequestPreview, pipeline: Pipeline, models: list[str]
) -> dict[str, Any]:
    """All that the page draws, but for what can be undone."""
    steps = pipeline.as_data()
    changed = {str(entry["id"]): entry for entry in state.layout}
    return {
        "agent": state.agent.shown_name or state.agent.id,
        "model": state.model,
        "models": models,
        "provider": preview.provider.title,
        "origins": list(shown_origins(state)),
        "sentence": sentence_of(state, saved, rows),
        "errors": sum(bool(row.error) for row in rows),
        "dirty": not state.same_as(saved),
        "groups": plain(groups_of(rows, preview)),
        "body": preview.lines(),
        "notes": [
            {"level": level, "text": text, "fixes": [fix.label for fix in fixes]}
            for level, text, fixes in messages_of(rows, preview, pipeline, steps)
        ],
        "steps": plain([{**step, "changed": step["id"] in changed} for step in steps]),
    }


def messages_of(
    rows: list[Row], preview: RequestPreview, pipeline: Pipeline, steps: Sequence[dict[str, Any]] | None = None
) -> list[Message]:
    """Sentences on the parameters and the steps, the worst first, each with its mends."""
    found: list[Message] = [("error", f"{row.field.title}: {row.error}", row.fixes) for row in rows if row.error]
    for problem in preview.problems:
        found.append((problem.level, f"{problem}", problem.fixes))
    for loss in preview.losses:
        found.append(("warning", f"{loss}", (loss.fix,) if loss.fix else ()))
    found += [(note.level, note.text, ()) for note in (*preview.notes, *pipeline.warnings())]
    lost = {loss.what for loss in preview.losses}
    for row in rows:
        is_told = not lost.isdisjoint((row.field.own_name, row.field.name, row.field.sent_as))
        if row.why_not and row.is_set and row.value is not None and not is_told:
            text = f"{row.field.title} {value_in_words(row.value)} is kept: {row.why_not}."
            found.append(("info", text, ()))
    for step in steps or ():
        found += [("warning", problem, ()) for problem in step["form_problems"]]
    order = ("error", "warning", "info")
    unique: dict[str, Message] = {}
    for level, text, fixes in found:
        unique.setdefault(text, (LEVELS.get(level, "info"), text, fixes))
    return sorted(unique.values(), key=lambda message: order.index(message[0]))


def initial_settings(pipeline: Pipeline) -> dict[str, Any]:
    """Each step's settings with the layers that they are from, as the form of a step compares with."""
    return {
        row["id"]: {
            "enabled": row["enabled"],
            "settings": {name: [plain(each["value"]), each["layer"]] for name, each in row["settings"].items()},
        }
        for row in pipeline.as_data()
    }


def sentence_of(state: FormState, saved: FormState, rows: list[Row]) -> str:
    """The one sentence above the form."""
    wrong = [row for row in rows if row.error]
    parts: list[str] = []
    own = [row for row in rows if row.origin == "agent"]
    parts.append(f"{counted(len(own), 'value')} {_are(own)} the agent's own")
    for origin, words in (("session", "from this session"), ("call", "from this call")):
        found = [row for row in rows if row.origin == origin]
        if found:
            parts.append(f"{len(found)} {'come' if len(found) != 1 else 'comes'} {words}")
    if state.layout:
        parts.append(f"{counted(len(state.layout), 'step')} {_are(state.layout)} changed")
    unsaved = "" if state.same_as(saved) else " Not saved yet."
    errors = f"{counted(len(wrong), 'field')} {'have errors' if len(wrong) > 1 else 'has an error'}; " if wrong else ""
    return f"{errors}{', '.join(parts)}.{unsaved}"


def _are(values: Sequence[object]) -> str:
    return "is" if len(values) == 1 else "are"
