"""HTML tables of runs, steps, differences and explanations, for the notebook; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause
from ctxlab.context.file_words import file_words, kind_words
from ctxlab.display.html_table import heading, html_table, lines, title
from ctxlab.display.short_texts import counted
from ctxlab.pipeline.explain.affordable_counts import NOT_COUNTED, AffordableCounts
from ctxlab.secrets import masked_beginning

if TYPE_CHECKING:
    from ctxlab.pipeline.explain.diff import Diff
    from ctxlab.pipeline.explain.message_life import Life
    from ctxlab.pipeline.explain.step_changes import Changes
    from ctxlab.pipeline.explain.where import Occurrence
    from ctxlab.pipeline.pipeline import Pipeline
    from ctxlab.pipeline.processor import ProcessorSettings
    from ctxlab.pipeline.stage import Stage
    from ctxlab.pipeline.trace import Trace

CELL = 100
"""Characters of a cell."""
BEGINNING = 4 * CELL
FILES = 12
"""Files that go along, named below a run."""
PARTS = {"image_url": "picture", "input_audio": "recording", "asset": "file"}
Row = Sequence[object]


def trace_html(trace: Trace) -> str:
    """One row a step: what it did, and what the context holds after it; below, what was amiss at the start.

    Tokens that would take seconds to count are left out.
    """
    rows: list[Row] = []
    counts = AffordableCounts(trace)
    for i, step in enumerate(trace.steps):
        done = trace.changes(i)
        note = step.error or (done.notes[0].text if done.notes else "")
        tokens = counts.context_tokens(step.after.drafts)
        cell = NOT_COUNTED if tokens is None else tokens
        rows.append((step.id, done.summary, len(step.after.drafts), cell, note))
    head = ("step", "what it did", "messages", "tokens", "")
    warnings = lines(note.text for note in trace.start.notes if note.level != "info")
    files = [file_words(asset) for draft in trace.result.drafts for asset in draft.assets]
    more = [f"and {counted(len(files) - FILES, 'more file')}"] if len(files) > FILES else []
    return (
        heading(trace)
        + html_table(head, rows, cells=CELL, of="steps", most=40)
        + lines(files[:FILES] + more)
        + lines([f"estimate; {found}"] if (found := trace.token_range) is not None else [])
        + warnings
    )


def diff_html(diff: Diff) -> str:
    """One row a difference, the words cut to the stretch that differs."""

    def row(change: Any) -> Row:
        stretch = change.text_change
        side_a = stretch[1] if stretch else str(change.a.text) if change.a else ""
        side_b = stretch[2] if stretch else str(change.b.text) if change.b else ""
        why = "; ".join(part for part in (change.detail, str(change.cause) if change.cause else "") if part)
        return (change.key, change.kind, side_a, side_b, why)

    changes = diff.changes
    if not changes:
        return heading(diff)
    return heading(diff) + html_table(("key", "", "a", "b", "why"), map(row, changes), cells=CELL, of="changes")


def changes_html(changes: Changes) -> str:
    """One row a message that the step added, rewrote, merged, moved or dropped, and the step's notes."""
    rows = (
        (row["kind"], row["key"], row["role"], row["tokens"], masked_beginning(row["text"], BEGINNING), row["reason"])
        for row in changes.rows()
    )
    head = ("", "key", "role", "tokens", "text", "why")
    table = html_table(head, rows, of="messages") if changes else ""
    problems = [changes.error] if changes.error else []
    return heading(changes) + table + lines([*problems, *(note.text for note in changes.notes)])


def life_html(life: Life) -> str:
    """One row an event, and what became of the message."""
    rows = ((event.step, event.kind, event.text) for event in life.events)
    return heading(life) + html_table(("step", "", "event"), rows, cells=200, of="events") + lines([life.outcome])


def occurrences_html(found: Sequence[Occurrence]) -> str:
    """One row a place: the words around it, what became of them, and who wrote them."""
    rows = ((p.key, p.state, f"{p.start}:{p.end}", p.around(), p.written_by(), p.step and _why(p.cause)) for p in found)
    head = ("key", "", "characters", "text", "written by", "why")
    first = title(counted(len(found), "place") if found else "nowhere")
    return first + (html_table(head, rows, cells=80, of="places") if found else "")


def messages_html(messages: Sequence[dict[str, Any]]) -> str:
    """One row a message as it is sent."""
    rows = (
        (i, message["role"], _sources(message), _content(message), message["tokens"])
        for i, message in enumerate(messages, 1)
    )
    tokens = f"{sum(message['tokens'] for message in messages):,} tokens"
    return title(f"{counted(len(messages), 'message')}, {tokens}") + html_table(
        ("", "role", "from", "text", "tokens"), rows, cells=CELL, of="messages"
    )


def pipeline_html(pipeline: Pipeline) -> str:
    """One row a step: whether it is on, what it does, and the settings that some layer gives it."""
    rows = (
        (stage.priority, stage.id, "" if stage.enabled else "off", stage.base.description, ", ".join(_given(stage)))
        for stage in pipeline.stages
    )
    head = ("priority", "step", "", "what it does", "settings that differ")
    table = html_table(head, rows, cells=CELL, of="steps", most=40) if pipeline.stages else ""
    notes = lines(note.text for note in pipeline.warnings())
    return title(f"Pipeline({counted(len(pipeline.running()), 'step')} on)") + table + notes


def stage_html(stage: Stage) -> str:
    """One row a setting: its value, the layer that it is from, and what it means."""
    fields = type(stage.processor.settings).model_fields
    rows = (
        (name, repr(getattr(stage.processor.settings, name)), stage.sources[name], info.description or "")
        for name, info in fields.items()
    )
    head = ("setting", "value", "layer", "what it means")
    return heading(stage) + (html_table(head, rows, cells=CELL, of="settings", most=40) if fields else "")


def settings_html(settings: ProcessorSettings) -> str:
    """One row a setting: its value and what it means."""
    fields = type(settings).model_fields
    rows = ((name, repr(getattr(settings, name)), info.description or "") for name, info in fields.items())
    table = html_table(("setting", "value", "what it means"), rows, cells=CELL, of="settings", most=40)
    return heading(settings) + (table if fields else "")


def _given(stage: Stage) -> Iterator[str]:
    """The settings of a step that aren't its own, with the layer that each is from."""
    for name, layer in stage.sources.items():
        if layer != "default" and name in type(stage.processor.settings).model_fields:
            yield f"{name}={getattr(stage.processor.settings, name)!r} ({layer})"


def _sources(message: dict[str, Any]) -> str:
    return ", ".join(":".join(filter(None, (each["kind"], str(each.get("id") or "")))) for each in message["source"])


def _content(message: dict[str, Any]) -> str:
    content = message["content"]
    if not isinstance(content, str):
        content = " ".join(masked_beginning(str(part.get("text") or _file_part(part)), BEGINNING) for part in content)
    calls = " ".join(f"{call['function']['name']}()" for call in message.get("tool_calls", ()))
    return " ".join(filter(None, (masked_beginning(content, BEGINNING), calls)))


def _file_part(part: dict[str, Any]) -> str:
    """The kind of a file that goes along, and its name where the part has it."""
    file = part.get("file")
    name = part.get("name") or (file.get("filename") if isinstance(file, dict) else "")
    kind = kind_words(str(part.get("kind"))) if "kind" in part else PARTS.get(part["type"], str(part["type"]))
    return f"[{kind} {name}]" if name else f"[{kind}]"


def _why(cause: Cause | None) -> str:
    return str(cause) if cause is not None else ""
