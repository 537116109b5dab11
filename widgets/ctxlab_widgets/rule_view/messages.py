"""The texts of a run as its rules found them, and which of them a person can choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from ctxlab import Draft, RegexConfig, Trace
from ctxlab.context import Text
from ctxlab.engines.regexes.report import RuleHit, RuleHits
from ctxlab.engines.regexes.rule_selection import BoundRule
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors import RegexProcessor
from ctxlab.secrets import masked_beginning

STEP = RegexProcessor.id
ROLES = ("system", "user", "assistant", "tool")
MOST_COUNTED = 200
"""Changed messages whose tokens are counted before and after the rules."""
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


def changed_input(now: TestInput, where: Mapping[str, Any]) -> TestInput:
    """The input with some of it said otherwise; raises CtxlabError where a value can't be."""
    known = ("text", "role", "depth", "stage")
    if wrong := set(where) - set(known):
        raise CtxlabError(f"a text has no {sorted(wrong)[0]!r}; it has a text, a role, a depth and a stage")
    text, role, depth, stage = (where.get(name, getattr(now, name)) for name in known)
    if not isinstance(text, str):
        raise CtxlabError(f"a text is text, not {text!r}")
    if role not in (None, *ROLES):
        raise CtxlabError(f"a role is one of {', '.join(ROLES)} or None, not {role!r}")
    if stage not in ("request", "render"):
        raise CtxlabError(f"a stage is request or render, not {stage!r}")
    if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 0):
        raise CtxlabError(f"a depth is a number from 0, or None, not {depth!r}")
    return TestInput(text, role, depth, stage)


def messages_of(trace: Trace) -> list[RuleMessage]:
    """The texts that the rules saw, oldest first; a message's further texts have a number behind their key."""
    step = next((step for step in trace.steps if step.id == STEP and not step.skipped), None)
    if step is None:
        return []
    changed = Counter(hit.key for hit in hits_of(trace))
    newest = len(step.before.drafts) - 1
    out: list[RuleMessage] = []
    for i, draft in enumerate(step.before.drafts):
        texts = [part for part in draft.body if isinstance(part, Text)]
        for number, text in enumerate(texts, 1):
            key = draft.key if number == 1 else f"{draft.key}#{number}"
            own = TestInput(str(text), draft.role if draft.role in ROLES else None, newest - i)
            out.append(RuleMessage(key, i + 1, draft, text, own, changed[draft.key]))
    return out


def message_key(key: str) -> str:
    return key.split("#")[0]


def hits_of(trace: Trace) -> Sequence[RuleHit]:
    """The hits of a run's rules, in the order of the messages and of their rules."""
    report = trace.result.report(RuleHits)
    return report.hits if report is not None else ()


def first_changed(hits: Sequence[RuleHit], rules: Sequence[BoundRule]) -> str:
    """The key of the first message that the first rule with hits changed."""
    for bound in rules:
        for hit in hits:
            if hit.bound.rule is bound.rule:
                return hit.key
    return hits[0].key


def changed_tokens(trace: Trace, keys: Collection[str]) -> dict[str, int] | None:
    """By message, the tokens that the rules put to it; negative where they took some. None of very many messages."""
    if len(keys) > MOST_COUNTED:
        return None
    step, counter = trace.step(STEP), trace.services.tokenizer
    before = {draft.key: draft for draft in step.before.drafts if draft.key in keys}
    after = {draft.key: draft for draft in step.after.drafts if draft.key in keys}
    return {
        key: (counter.count_draft(after[key]) if key in after else 0) - counter.count_draft(draft)
        for key, draft in before.items()
    }


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
            "words": " ".join(masked_beginning(row.own.text, 2 * SHORT).split())[:SHORT],
            "rules": row.changed_by,
        }
        for row in (rows if len(rows) <= 2 * NEWEST else kept)
    ]


def stage_of(config: RegexConfig) -> Stage:
    """The request stage, unless the rules are only for rendering."""
    rules = [rule for preset in config.presets for rule in preset.rules]
    is_shown_only = bool(rules) and not any(rule.apply_to.request for rule in rules)
    return "render" if is_shown_only else "request"


def why_empty(trace: Trace) -> str:
    """Why a run has no messages to show."""
    if any(step.id == STEP and not step.skipped for step in trace.steps):
        return "This run has no messages that rules could change."
    return f"This run's rules haven't run: the step {STEP} is off, failed or still to come."


def processor_of(trace: Trace) -> RegexProcessor | None:
    """The step that ran the rules; None where the pipeline has none of this kind."""
    stage = next((stage for stage in trace.pipeline.stages if stage.id == STEP), None)
    return stage.processor if stage is not None and isinstance(stage.processor, RegexProcessor) else None
