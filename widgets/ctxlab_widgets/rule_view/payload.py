"""Rules as the page gets them: their fields, their scope, and their steps on the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ctxlab import RegexRule
from ctxlab.display.short_texts import counted
from ctxlab.engines.regexes.rule_selection import BoundRule
from ctxlab.engines.regexes.rule_steps import RegexStep, RegexSteps
from ctxlab_widgets.rule_view.editing import error_sentence, flags_of, match_count, scope_text
from ctxlab_widgets.rule_view.text_diff import diff_pieces

LONGEST = 20_000
"""Characters of the last text that are shown."""


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


def result_of(steps: RegexSteps) -> str:
    if not len(steps):
        return "no rules"
    matched = [len(step.hits) for step in steps if step.hits]
    failed = sum(step.problem is not None for step in steps)
    summary = f"{len(matched):,} of {counted(len(steps), 'rule')} matched, {counted(sum(matched), 'place')}"
    return f"{summary}, {failed:,} failed" if failed else summary


def last_of(steps: RegexSteps, count: Callable[[str], int] | None) -> dict[str, Any]:
    """The text after all rules, and in words what they made of its length; tokens where a run counts them."""
    before, after = str(steps.start), str(steps.text)
    summary = f"{counted(len(before), 'character')} → {len(after):,}"
    if count is not None:
        summary += f", {counted(count(before), 'token')} → {count(after):,}"
    more = len(after) - LONGEST
    return {"text": after[:LONGEST], "summary": summary, "more": f"{more:,} characters more" if more > 0 else ""}
