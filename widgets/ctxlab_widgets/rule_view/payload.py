"""Rules as the page gets them: their fields, their scope, and their steps on the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ctxlab import RegexRule, Trace
from ctxlab.display.short_texts import counted
from ctxlab.engines.regexes.report import RuleHit
from ctxlab.engines.regexes.rule_selection import BoundRule
from ctxlab.engines.regexes.rule_steps import RegexStep, RegexSteps
from ctxlab.pipeline.explain.message_names import message_name
from ctxlab_widgets.rule_view.editing import error_sentence, flags_of, match_count, scope_text
from ctxlab_widgets.rule_view.messages import RuleMessage, changed_tokens, hits_of
from ctxlab_widgets.rule_view.text_diff import diff_pieces, diff_through

LONGEST = 20_000
"""Characters of the last text that are shown."""
MOST_LISTED = 60
"""Changed messages that the page names; all are among those that can be chosen."""
MOST_NAMED = 3


def row_of(key: str, bound: BoundRule, step: RegexStep, holder: str) -> dict[str, Any]:
    rule = bound.rule
    state, outcome = _state(step, rule)
    row: dict[str, Any] = {
        "key": key,
        "name": rule.shown_name or rule.regex,
        "preset": bound.preset.name or bound.preset.id,
        "layer": bound.layer,
        "holder": holder,
        "pattern": rule.regex,
        "replacement": rule.replacement,
        "flags": flags_of(rule),
        "flavor": rule.flavor,
        "min_depth": _depth(rule, "min"),
        "max_depth": _depth(rule, "max"),
        "own_name": rule.name or "",
        "where": scope_text(rule),
        "on": rule.enabled,
        "state": state,
        "outcome": outcome,
        "remarks": list(step.remarks),
    }
    return row | ({"pieces": diff_pieces(str(step.before), step.hits)} if step.hits else {})


def _state(step: RegexStep, rule: RegexRule) -> tuple[str, str]:
    """Matched, nothing to change, off, failed or passed by, and that in words."""
    if step.problem:
        return "failed", error_sentence(step.problem)
    if step.idle and "switched off" in step.idle:
        return "off", step.idle.removeprefix("it is ")
    if step.idle and step.idle.endswith("stage"):
        kinds = [word for word, is_on in (("sent", rule.apply_to.request), ("shown", rule.apply_to.render)) if is_on]
        return "idle", f"only for what is {kinds[0]}" if kinds else "for nothing, neither sent nor shown"
    if step.idle:
        return "idle", step.idle
    return ("matched", match_count(len(step.hits))) if step.hits else ("none", "nothing to change")


def _depth(rule: RegexRule, end: str) -> str:
    depth = getattr(rule.depth_range, end, None)
    return "" if depth is None else str(depth)


# --- the sentence above the rules, and the messages that they changed

AnswerPart = tuple[str, str]
"""Words, and the key of the rule that they lead to; empty where they lead nowhere."""


def hits_json(trace: Trace, messages: Mapping[str, RuleMessage]) -> dict[str, Any]:
    """The messages of a run that its rules changed, with the tokens that came or went, and of all of them together."""
    changed = {hit.key: messages[hit.key] for hit in hits_of(trace) if hit.key in messages}
    tokens = changed_tokens(trace, changed)
    rows = [
        {"key": key, "name": message_name(one.draft), "number": one.number, "tokens": (tokens or {}).get(key)}
        for key, one in list(changed.items())[:MOST_LISTED]
    ]
    return {"count": len(changed), "tokens": None if tokens is None else sum(tokens.values()), "messages": rows}


def answer_of_run(
    hits: Sequence[RuleHit], rules: Mapping[str, BoundRule], changed: Mapping[str, Any]
) -> list[AnswerPart]:
    """A sentence on how many rules changed how many messages of a run, and which."""
    if not hits:
        return [("No rule changed a message", "")]
    found = {(hit.bound.layer, id(hit.bound.preset), id(hit.bound.rule)): hit.bound for hit in hits}
    keys = {(bound.layer, id(bound.preset), id(bound.rule)): key for key, bound in rules.items()}
    tokens = "" if changed["tokens"] is None else f", {_signed(changed['tokens'])}"
    words = f"{counted(len(found), 'rule')} changed {counted(changed['count'], 'message')}{tokens}: "
    parts: list[AnswerPart] = [(words, "")]
    for i, (which, bound) in enumerate(list(found.items())[:MOST_NAMED]):
        parts += [*([(", ", "")] if i else []), (bound.rule.shown_name or bound.rule.regex, keys.get(which, ""))]
    more = len(found) - MOST_NAMED
    return [*parts, (f" and {more:,} more", "")] if more > 0 else parts


def answer_of_text(steps: RegexSteps, keys: Sequence[str]) -> list[AnswerPart]:
    """A sentence on how many rules matched in a text of one's own, and which failed."""
    if not len(steps):
        return [("There are no rules", "")]
    matched = [len(step.hits) for step in steps if step.hits]
    places = f", in {counted(sum(matched), 'place')}" if matched else ""
    return [(f"{len(matched):,} of {counted(len(steps), 'rule')} matched{places}", ""), *failures_of(steps, keys)]


def failures_of(steps: RegexSteps, keys: Sequence[str]) -> list[AnswerPart]:
    """The rules that can't be used here."""
    failed = [(step.rule, key) for step, key in zip(steps, keys, strict=True) if step.problem is not None]
    if not failed:
        return []
    parts: list[AnswerPart] = [(f"; {len(failed):,} can't be used: ", "")]
    for i, one in enumerate(failed[:MOST_NAMED]):
        parts += [*([(", ", "")] if i else []), one]
    return parts if len(failed) <= MOST_NAMED else [*parts, (f" and {len(failed) - MOST_NAMED:,} more", "")]


def last_of(steps: RegexSteps, count: Callable[[str], int] | None) -> dict[str, Any]:
    """The text after all rules with what came and went, and in words its length; tokens where a run counts them."""
    before, after = str(steps.start), str(steps.text)
    summary = f"{counted(len(before), 'character')} → {len(after):,}"
    if count is not None:
        summary += f", {counted(count(before), 'token')} → {count(after):,}"
    return {"pieces": diff_through(before, [step.hits for step in steps], longest=LONGEST), "summary": summary}


def _signed(tokens: int) -> str:
    return f"{'+' if tokens > 0 else '−' if tokens < 0 else '±'}{counted(abs(tokens), 'token')}"
