"""A review as Markdown for a comment. Texts of conversations stand in fences, where they can't be Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ctxlab.api import diff
from ctxlab.cli.output.terminal import harmless
from ctxlab.cli.prompt_review.reviewed import ReviewedFile
from ctxlab.display.short_texts import counted
from ctxlab.pipeline import DiffRow
from ctxlab.recordings.findings.finding import levels_counted
from ctxlab.secrets import masked

MARK = "<!-- ctxlab review -->"
"""First line of every review, by which a comment is found again."""
LONGEST = 60_000
"""Characters of a review; a comment on GitHub takes 65,536."""
MOST_ROWS = 30
"""Changed messages, and findings, of a conversation that are shown."""
SHORT = 240
"""Characters of a text that are shown."""


def markdown(files: Sequence[ReviewedFile]) -> str:
    """A table with a row a conversation, then what changed in each as long as there is room."""
    if not files:
        return f"{MARK}\n## Prompts\n\nNo conversation changed.\n"
    head = ["| conversation | tokens | messages | findings |", "| --- | --- | --- | --- |"]
    text = f"{MARK}\n## Prompts\n\n{counted(len(files), 'conversation')} changed.\n"
    left = len(files)
    rows = [_row(file) for file in files]
    text += "\n" + "\n".join([*head, *rows[:MOST_FILES]]) + "\n"
    for file in files:
        section = _section(file)
        if section and len(text) + len(section) > LONGEST:
            return f"{text}\nThere was no room for {counted(left, 'more conversation')}.\n"
        text, left = text + section, left - 1
    return text


MOST_FILES = 100
"""Rows of the table."""


def _row(file: ReviewedFile) -> str:
    if file.gone:
        return f"| {_code(file.name)} | removed | | |"
    if file.problem:
        return f"| {_code(file.name)} | can't be built | | |"
    before, after = file.before, file.after
    tokens = _numbers(before.tokens if before else None, after.tokens if after else None)
    messages = _numbers(before and len(before.messages), after and len(after.messages))
    found = levels_counted(file.findings) if file.findings else "none"
    return f"| {_code(file.name)} | {tokens} | {messages} | {found} |"


def _numbers(before: int | None, after: int | None) -> str:
    if after is None:
        return "a recording"
    if before is None:
        return f"{after:,}, new"
    return f"{after:,}" if before == after else f"{before:,} → {after:,} ({after - before:+,})"


def _section(file: ReviewedFile) -> str:
    parts: list[str] = []
    if file.problem:
        parts.append(_fenced("text", [_shown(file.problem)]))
    if file.before is not None and file.after is not None:
        changes = diff(file.before, file.after).changes
        lines = [line for row in changes[:MOST_ROWS] for line in _lines(row)]
        more = [f"… {len(changes) - MOST_ROWS:,} more"] if len(changes) > MOST_ROWS else []
        parts.append(_fenced("diff", [*lines, *more]) if changes else "The messages are the same.")
    if file.findings:
        found = list(file.findings)
        lines = [f"{each.level} {each.rule}: {_shown(each.text)} → {_shown(each.remedy)}" for each in found[:MOST_ROWS]]
        more = [f"… {len(found) - MOST_ROWS:,} more"] if len(found) > MOST_ROWS else []
        parts.append(_fenced("text", [*lines, *more]))
    return "\n".join([f"\n### {_code(file.name)}\n", *(f"{part}\n" for part in parts)]) if parts else ""


def _lines(row: DiffRow) -> Iterator[str]:
    """A message as lines of a diff: what it was, what it is, and why where that is known."""
    draft = row.b or row.a
    assert draft is not None
    change = row.text_change
    where = f"  {row.kind} {_shown(row.key)} ({draft.role})"
    if row.kind == "only in a":
        yield f"- {_shown(row.key)} ({draft.role}): {_shown(str(draft.text))}"
    elif row.kind == "only in b":
        yield f"+ {_shown(row.key)} ({draft.role}): {_shown(str(draft.text))}"
    elif change is None:
        yield where
    else:
        at, was, now = change
        yield f"{where}, from character {at:,} on"
        yield from (f"{sign} {_shown(text)}" for sign, text in (("-", was), ("+", now)) if text)
    why = "; ".join(each for each in (row.detail, str(row.cause) if row.cause else "") if each)
    if why:
        yield f"  {_shown(why)}"


def _shown(text: str) -> str:
    """A text in one line, shortened, with what looks like a key hidden and nothing that steers a terminal."""
    line = harmless(masked(text).replace("\r", "").replace("\n", "⏎"))
    return line if len(line) <= SHORT else f"{line[:SHORT]}… ({len(text):,} characters)"


def _fenced(language: str, lines: Sequence[str]) -> str:
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])


def _code(name: str) -> str:
    """A file's name as code, also within a table; a name can hold anything."""
    plain = harmless(masked(name)).replace("`", "'").replace("|", "¦").replace("\n", " ")
    return f"`{plain}`"
