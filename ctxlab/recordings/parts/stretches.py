"""The words of a message apart from what its program put into them: reminders in tags, and summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import Source

TAGS: Final = (
    "system-reminder",
    "system_reminder",
    "environment_context",
    "environment_details",
    "user_instructions",
    "INSTRUCTIONS",
    "permissions instructions",
    "collaboration_mode",
    "SYSTEM_NOTICE",
    "task-notification",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "command-name",
    "command-message",
    "command-args",
    "bash-stdout",
    "bash-stderr",
    "user-prompt-submit-hook",
    "ide_selection",
    "ide_opened_file",
    "new-diagnostics",
    "turn_aborted",
    "subagent_notification",
)
"""Tags in which programs put words of their own into a user's message."""
_OPEN = lazy_pattern("<(" + "|".join(map(re.escape, TAGS)) + ")>")
SUMMARIES: Final = (
    "This session is being continued from a previous conversation that ran out of context",
    "This conversation has been compacted",
    "Context summary:",
    "Another language model started to solve this problem and produced a summary of its thinking process",
    "<state_snapshot>",
    "<conversation_summary>",
    "<summary>",
)
"""The first words of messages that programs write in the place of those that a compression took away."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a message's words: its source, the tag of a reminder, and its place in code points."""

    source: Source
    start: int
    end: int
    tag: str = ""


def stretches_of(text: str) -> Iterator[Stretch]:
    """A user's words without a gap: reminders by their tags, a summary by its first words, the rest as history."""
    rest: Source = "summaries" if is_summary(text) else "history"
    at, unclosed = 0, set[str]()
    for opening in _OPEN.finditer(text):
        tag = opening[1]
        if opening.start() < at or tag in unclosed:
            continue
        closing = f"</{tag}>"
        end = text.find(closing, opening.end())
        if end < 0:
            unclosed.add(tag)
            continue
        if text[at : opening.start()].strip():
            yield Stretch(rest, at, opening.start())
            at = opening.start()
        yield Stretch("reminders", at, end + len(closing), tag)
        at = end + len(closing)
    if text[at:].strip() or not at:
        yield Stretch(rest, at, len(text))
    elif at < len(text):
        yield Stretch("reminders", at, len(text))


def is_summary(text: str) -> bool:
    """Whether a message begins as those do that programs put in the place of older ones."""
    return text.lstrip().startswith(SUMMARIES)
