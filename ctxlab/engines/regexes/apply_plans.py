"""Regex rules applied to Texts; replaced spans keep their provenance."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.context import Cause, Edit, Text
from ctxlab.documents import Note
from ctxlab.engines.javascript.utf16_offsets import Replacement16
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.regexes.compile_rule import Compat, CompiledRule, compiled_rule
from ctxlab.engines.regexes.replace import Plan, replace_all
from ctxlab.engines.regexes.rule_selection import BoundRule, Stage
from ctxlab.engines.regexes.work_limits import DEFAULT, Limits
from ctxlab.lazy_dataclass import dataclass
from ctxlab.secrets import masked_stretch


@dataclass(frozen=True, slots=True, eq=False)
class TextHit:
    """The changes of one rule in one text, in characters of the text before it."""

    text: int
    rule: int
    before: Text
    after: Text
    changes: tuple[Replacement16, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """The texts after their rules, and every hit in order. `problems` are, by rule, the reasons for leaving it out."""

    texts: tuple[Text, ...]
    hits: tuple[TextHit, ...]
    problems: dict[int, str]
    remarks: dict[int, tuple[str, ...]]

    def notes(self, rules: Sequence[BoundRule], processor: str) -> list[Note]:
        """Problems and remarks, naming rule and preset."""
        levels = [("warning", number, f"is left out: {why}") for number, why in self.problems.items()]
        levels += [("info", number, remark) for number, remarks in self.remarks.items() for remark in remarks]
        notes: dict[str, Note] = {}
        for level, number, text in levels:
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
        number: compiled_rule(rules[number].rule, env.speaking(rules[number].dialect), stage=stage, compat=compat)
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
    causes = [cause_of(rules[number], processor) for number in runnable]
    out: list[Text] = []
    hits: list[TextHit] = []
    for index, (text, steps) in enumerate(zip(texts, found.changes, strict=True)):
        for number, changes in steps:
            cause = causes[number]
            after = text.splice([Edit(start, end, new, cause) for start, end, new in changes])
            hits.append(TextHit(index, runnable[number], text, after, changes))
            text = after
        out.append(text)
    return Applied(tuple(out), tuple(hits), dict(sorted(problems.items())), remarks)


def _renumbered(plan: Plan, runnable: Sequence[int]) -> Plan:
    place = {number: i for i, number in enumerate(runnable)}
    return tuple(place[number] for number in plan if number in place)


def _why_not(ready: dict[int, CompiledRule]) -> dict[int, str]:
    return {number: made.why_not for number, made in ready.items() if made.why_not is not None}


def cause_of(bound: BoundRule, processor: str) -> Cause:
    """The cause of what a rule changes."""
    words = f"{bound.layer} {bound.label}"
    rule = bound.rule.id or bound.rule.shown_name or bound.rule.regex
    return Cause(processor, rule, words, words=words, rewrites=True)


AROUND = 24
LONGEST = 60


def excerpt(hit: TextHit) -> tuple[str, str]:
    """The place of a hit's first change, as it was and as it is, masked."""
    start, end, new = hit.changes[0]
    text = str(hit.before)
    return _around(text, start, end), _around(text[:start] + new + text[end:], start, start + len(new))


def _around(text: str, start: int, end: int) -> str:
    head, tail = max(0, start - AROUND), end + AROUND
    if end - start <= LONGEST:
        words = masked_stretch(text, head, tail)
    else:
        words = f"{masked_stretch(text, head, start + LONGEST - 1)}…{masked_stretch(text, end, tail)}"
    return ("…" if head else "") + words + ("…" if tail < len(text) else "")
