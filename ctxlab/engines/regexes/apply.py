"""Rules on texts that remember: what was replaced stays known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxlab.context import Cause, Edit, Text
from ctxlab.documents import Note
from ctxlab.engines.javascript.utf16 import Change
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.regexes.compile import Compat, Prepared, prepared
from ctxlab.engines.regexes.limits import DEFAULT, Limits
from ctxlab.engines.regexes.replace import Plan, replace_all
from ctxlab.engines.regexes.rule_selection import BoundRule, Stage


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """What one rule changed in one text: the text before it, and the changes, in its characters."""

    text: int
    rule: int
    before: Text
    after: Text
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """The texts after their rules, and every hit in order. `problems` say, by rule, why it was left out."""

    texts: tuple[Text, ...]
    hits: tuple[Hit, ...]
    problems: dict[int, str]
    remarks: dict[int, tuple[str, ...]]

    def notes(self, rules: Sequence[BoundRule], processor: str) -> list[Note]:
        """Problems and remarks, naming rule and preset."""
        said = [("warning", number, f"is left out: {why}") for number, why in self.problems.items()]
        said += [("info", number, remark) for number, remarks in self.remarks.items() for remark in remarks]
        notes: dict[str, Note] = {}
        for level, number, text in said:
            bound = rules[number]
            sentence = f"{bound.label} {text}" if level == "warning" else f"{bound.label}: {text}"
            details = {"rule": bound.rule.id, "preset": bound.preset.id, "layer": bound.layer}
            notes.setdefault(sentence, Note("warning" if level == "warning" else "info", sentence, processor, details))
        return list(notes.values())


def apply(
    texts: Sequence[Text],
    plans: Sequence[Plan],
    rules: Sequence[BoundRule],
    env: MacroEnv,
    *,
    stage: Stage,
    processor: str,
    compat: Compat = "ctxlab",
    limits: Limits = DEFAULT,
) -> Applied:
    """`plans[i]` on `texts[i]`, every rule on what the one before it left."""
    ready = {
        number: prepared(rules[number].rule, env.speaking(rules[number].dialect), stage=stage, compat=compat)
        for number in sorted({number for plan in set(plans) for number in plan})
    }
    runnable = [number for number, made in ready.items() if made.replacement is not None]
    shorter = {plan: _renumbered(plan, runnable) for plan in set(plans)}
    replacements = [made.replacement for made in ready.values() if made.replacement is not None]
    found = replace_all(
        [str(text) for text in texts],
        [shorter[plan] for plan in plans],
        replacements,
        limits=limits,
    )
    problems = _why_not(ready) | {runnable[number]: why for number, why in found.problems.items()}
    remarks = {number: made.remarks for number, made in ready.items() if made.remarks}
    causes = [_cause(rules[number], processor) for number in runnable]
    out: list[Text] = []
    hits: list[Hit] = []
    for index, (text, steps) in enumerate(zip(texts, found.changes, strict=True)):
        for number, changes in steps:
            cause = causes[number]
            after = text.splice([Edit(start, end, new, cause) for start, end, new in changes])
            hits.append(Hit(index, runnable[number], text, after, changes))
            text = after
        out.append(text)
    return Applied(tuple(out), tuple(hits), dict(sorted(problems.items())), remarks)


def _renumbered(plan: Plan, runnable: Sequence[int]) -> Plan:
    place = {number: i for i, number in enumerate(runnable)}
    return tuple(place[number] for number in plan if number in place)


def _why_not(ready: dict[int, Prepared]) -> dict[int, str]:
    return {number: made.why_not for number, made in ready.items() if made.why_not is not None}


def _cause(bound: BoundRule, processor: str) -> Cause:
    words = f"{bound.layer} {bound.label}"
    rule = bound.rule.id or bound.rule.shown_name or bound.rule.regex
    return Cause(processor, rule, words, words=words, rewrites=True)
