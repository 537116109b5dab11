"""The texts of a run as its rules found them, and which of them a person can choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ctxlab import Draft, Trace
from ctxlab.context import Text
from ctxlab.engines.regexes.report import RuleHits
from ctxlab.processors import RegexProcessor

STEP = RegexProcessor.id
ROLES = ("system", "user", "assistant", "tool")
NEWEST = 200
"""Messages that can be chosen beside those that a rule changed, where a conversation is long."""
SHORT = 60

Stage = Literal["request", "render"]


@dataclass(frozen=True, slots=True)
class TestInput:
    """A text, and where it is said to stand. A role or a depth of None is any."""

    text: str
    role: str | None = None
    depth: int | None = 0
    stage: Stage = "request"


@dataclass(frozen=True, slots=True, eq=False)
class RuleMessage:
    """A text of a run as its rules found it."""

    key: str
    number: int
    draft: Draft
    text: Text
    own: TestInput
    changed_by: int


def messages_of(trace: Trace) -> list[RuleMessage]:
    """The texts that the rules saw, oldest first; a message's further texts have a number behind their key."""
    step = next((step for step in trace.steps if step.id == STEP and not step.skipped), None)
    if step is None:
        return []
    changed: dict[str, int] = {}
    report = step.after.report(RuleHits)
    for hit in report.hits if report is not None else ():
        changed[hit.key] = changed.get(hit.key, 0) + 1
    newest = len(step.before.drafts) - 1
    out: list[RuleMessage] = []
    for i, draft in enumerate(step.before.drafts):
        texts = [part for part in draft.body if isinstance(part, Text)]
        for number, text in enumerate(texts, 1):
            key = draft.key if number == 1 else f"{draft.key}#{number}"
            own = TestInput(str(text), draft.role if draft.role in ROLES else None, newest - i)
            out.append(RuleMessage(key, i + 1, draft, text, own, changed.get(draft.key, 0)))
    return out


def message_key(key: str) -> str:
    return key.split("#")[0]


def default_message(messages: Mapping[str, RuleMessage]) -> str:
    """The newest that a rule changed, else the newest."""
    newest = list(messages.values())[::-1]
    return next((one.key for one in newest if one.changed_by), newest[0].key if newest else "")


def message_options(messages: Mapping[str, RuleMessage], shown: str) -> list[dict[str, Any]]:
    """Of a long conversation those that a rule changed, the newest, and the one that is shown."""
    rows = list(messages.values())
    newest = len(rows) - NEWEST
    kept = [row for i, row in enumerate(rows) if row.changed_by or i >= newest or row.key == shown]
    return [
        {
            "key": row.key,
            "number": row.number,
            "role": row.draft.role,
            "words": " ".join(row.own.text[: 2 * SHORT].split())[:SHORT],
            "rules": row.changed_by,
        }
        for row in (rows if len(rows) <= 2 * NEWEST else kept)
    ]
