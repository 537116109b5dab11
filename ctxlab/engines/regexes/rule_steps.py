"""One text, rule by rule: the changes of each, or the reason why it made none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, overload

from ctxlab.context import EMPTY, BuildInput, Context, Origin, Text
from ctxlab.display.data_frame import frame_of
from ctxlab.display.one_line import plain, visible
from ctxlab.display.short_texts import cut_off
from ctxlab.documents import RegexConfig
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.macros.environment import MacroEngine
from ctxlab.engines.regexes.apply_plans import Applied, apply
from ctxlab.engines.regexes.compile_rule import Compat
from ctxlab.engines.regexes.rule_selection import (
    SHOWN_BY_DEFAULT,
    BoundRule,
    RuleLayer,
    RuleSource,
    Stage,
    is_shown_by_default,
    listed,
    why_not_at,
    why_skipped,
)
from ctxlab.engines.regexes.work_limits import DEFAULT, Limits
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd

PROCESSOR = "regex-steps"
LONGEST = 2_000
"""Characters of a text that are shown in a notebook."""


@dataclass(frozen=True, slots=True)
class RegexHit:
    """The text that was found, from character `start` of the text before the rule, and its replacement."""

    start: int
    end: int
    found: str
    new: str


@dataclass(frozen=True, slots=True, eq=False)
class RegexStep:
    """The result of one rule: `hits`, empty when `idle` or `problem` gives a reason, or nothing was found."""

    rule: str
    preset: str
    layer: RuleLayer
    before: Text
    after: Text
    hits: tuple[RegexHit, ...] = ()
    idle: str | None = None
    problem: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """The number of changes, or the reason why there are none, in words."""
        if self.problem or self.idle:
            reasons = [f"passed by: {self.idle}"] if self.idle else []
            return "; ".join([*reasons, f"left out: {self.problem}"] if self.problem else reasons)
        return f"{len(self.hits)} changed" if self.hits else "nothing to change"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RegexSteps(Sequence[RegexStep]):
    """The steps in running order; shown as a table in a notebook and line by line in a terminal."""

    start: Text
    steps: tuple[RegexStep, ...]

    @property
    def text(self) -> Text:
        """The text after the last rule."""
        return self.steps[-1].after if self.steps else self.start

    @overload
    def __getitem__(self, index: int) -> RegexStep: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RegexStep, ...]: ...
    def __getitem__(self, index: int | slice) -> RegexStep | tuple[RegexStep, ...]:
        return self.steps[index]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[RegexStep]:
        return iter(self.steps)

    def __str__(self) -> str:
        return str(self.text)

    def __repr__(self) -> str:
        lines = [f"before: {cut_off(str(self.start), 300)!r}"]
        for number, step in enumerate(self.steps, 1):
            lines.append(f"{number}. {step.rule}: {step.outcome}")
            lines += (f"   {remark}" for remark in step.remarks)
            lines += (f"   {cut_off(hit.found, 60)!r} -> {cut_off(hit.new, 60)!r}" for hit in step.hits[:5])
            if len(step.hits) > 5:
                lines.append(f"   and {len(step.hits) - 5} more")
        return "\n".join([*lines, f"after:  {cut_off(str(self.text), 300)!r}"])

    def frame(self) -> pd.DataFrame:
        """One row per rule: rule, preset, layer, hits, outcome, and the text after it."""
        columns = ("rule", "preset", "layer", "hits", "outcome", "text")
        rows = ((s.rule, s.preset, s.layer, len(s.hits), s.outcome, str(s.after)) for s in self.steps)
        return frame_of((dict(zip(columns, row, strict=True)) for row in rows), columns)

    def _repr_html_(self) -> str:
        rows = [_row("", "before", escape(visible(cut_off(str(self.start), LONGEST))))]
        budget = 30_000  # bytes; a notebook's cell stays under 60 kB
        for number, step in enumerate(self.steps, 1):
            remarks = "<br>".join(escape(plain(words, 160)) for words in (step.outcome, *step.remarks[:5]))
            row = _row(f"{number}. {escape(plain(step.rule))}", remarks, visible(marked(step)))
            budget -= len(row.encode())
            if budget < 0:
                rows.append(_row("", f"… and {len(self.steps) - number + 1:,} more rules", ""))
                break
            rows.append(row)
        return f"<table style='text-align:left'>{''.join(rows)}</table>"


def regex_steps(
    text: Text | str,
    config: RegexConfig | Sequence[RuleSource],
    build_input: BuildInput,
    *,
    role: str | None = None,
    depth: int | None = 0,
    stage: Stage = "request",
    streaming: bool = False,
    compat: Compat = "ctxlab",
    engine: MacroEngine = "seed",
    limits: Limits = DEFAULT,
) -> RegexSteps:
    """Every rule of `config`, or of several layers, applied to one text; `build_input` has the values of macros.

    `engine` expands them.
    """
    start = text if isinstance(text, Text) else Text.of(text, Origin("text"))
    sources = [RuleSource("global", config)] if isinstance(config, RegexConfig) else config
    rows = listed(sources, stage=stage, streaming=streaming, model=build_input.model)
    bound = [rule for rule, _ in rows]
    idle = [why or why_skipped(rule.rule, role=role, depth=depth) for rule, why in rows]
    plan = tuple(number for number, why in enumerate(idle) if why is None)
    # Rules of another stage are tried on an empty text, to say whether they compile.
    others = [number for number in range(len(bound)) if rows[number][1] == why_not_at(stage)]
    texts, plans = [start, *[EMPTY] * len(others)], [plan, *[(number,) for number in others]]
    env = MacroEnv.of(build_input, dice=Context(build_input).dice, engine=engine)
    applied = apply(texts, plans, bound, env, stage=stage, processor=PROCESSOR, compat=compat, limits=limits)
    applied = replace(applied, hits=tuple(hit for hit in applied.hits if hit.text == 0))
    return RegexSteps(start, tuple(_steps(start, bound, idle, applied)))


def _steps(
    start: Text, bound: Sequence[BoundRule], idle: Sequence[str | None], applied: Applied
) -> Iterator[RegexStep]:
    hits = {hit.rule: hit for hit in applied.hits}
    now = start
    for number, (rule, why) in enumerate(zip(bound, idle, strict=True)):
        hit, before = hits.get(number), now
        now = hit.after if hit is not None else now
        whole = str(before)
        remarks = (f"it {SHOWN_BY_DEFAULT}",) if why == why_not_at("request") and is_shown_by_default(rule.rule) else ()
        yield RegexStep(
            rule.rule.shown_name or rule.rule.regex,
            rule.preset.name or rule.preset.id,
            rule.layer,
            before,
            now,
            tuple(RegexHit(a, b, whole[a:b], new) for a, b, new in hit.changes) if hit is not None else (),
            why,
            applied.problems.get(number),
            (*applied.remarks.get(number, ()), *remarks),
        )


def marked(step: RegexStep) -> str:
    """The text before a rule as HTML, with deletions struck out and insertions marked."""
    whole, parts, at, left = str(step.before), list[str](), 0, LONGEST
    for hit in step.hits:
        if left <= 0:
            break
        gone, come = cut_off(hit.found, 200), cut_off(hit.new, 200)
        parts.append(escape(cut_off(whole[at : hit.start], left)))
        parts.append(f"<del>{escape(gone)}</del>" if gone else "")
        parts.append(f"<ins>{escape(come)}</ins>" if come else "")
        left -= hit.start - at + len(gone) + len(come)
        at = hit.end
    return "".join(parts) + escape(cut_off(whole[at:], max(left, 0)))


def _row(*cells: str) -> str:
    return "<tr>" + "".join(f"<td style='white-space:pre-wrap;text-align:left'>{cell}</td>" for cell in cells) + "</tr>"
