"""The report of a knowledge step: a row for each candidate, sent or cut, with the nearest change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from ctxlab.context.portable_pickles import by_fields
from ctxlab.context.step_report import Row, report_html
from ctxlab.display.short_texts import counted
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.knowledge.policy.activation import Activation
from ctxlab.knowledge.policy.bases import BoundBase
from ctxlab.knowledge.policy.cuts import CutRules, Decision, change_in_words, nearest_change
from ctxlab.knowledge.policy.overrides import PlaceholderOverride, overrides_text
from ctxlab.lazy_dataclass import dataclass

OF_PLACEHOLDER = frozenset({"mode", "params", "search_disabled"})
"""Values that only a placeholder has."""
COLUMNS = (
    *("key", "placeholder", "where", "base", "base_name", "entry", "title", "chunk", "place", "tags", "query"),
    *("engine", "rank", "score", "measure", "scores", "ranks", "words", "back", "sent", "sent_rank", "cut", "reason"),
    *("nearest", "remedy", "characters", "content"),
)
"""Names of the fields of a row, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaceholderResult:
    """The outcome of one placeholder: was it active, what it searched, and a decision on each candidate.

    `where` is the key of its message. `own` are the names of values that are not the step's settings but its own or a
    binding's; `overrides` what the step's settings say of it. `problem` says why nothing was searched or found.
    """

    placeholder: str
    where: str
    activation: Activation
    rules: CutRules = field(default_factory=CutRules)
    query: str = ""
    engine: str = ""
    searched: int = 0
    decisions: tuple[Decision, ...] = ()
    switched_off: tuple[BoundBase, ...] = ()
    problem: str = ""
    own: frozenset[str] = frozenset()
    is_static: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)

    @property
    def sent(self) -> tuple[Decision, ...]:
        """The decisions on what is sent, in order."""
        return tuple([one for one in self.decisions if one.sent])

    def nearest(self, decision: Decision) -> dict[str, Any]:
        """The nearest change that brings a cut candidate in, by names of values; empty for one that is sent."""
        if decision.sent or self.is_static:
            return {}
        found = [one.candidate for one in self.decisions]
        return nearest_change(found, self.decisions.index(decision), self.rules)


@dataclass(frozen=True, slots=True, eq=False)
class KnowledgeReport:
    """The results of all placeholders, in the order in which they are sent; its table is `knowledge`.

    `step` is the id of the step and `overrides` what its settings say of single placeholders.
    """

    name = "knowledge"
    changes_bring_in = True
    """Its rows' `nearest` are settings that bring in more text, so that a budget may be too small for them."""
    results: tuple[PlaceholderResult, ...]
    step: str
    overrides: Mapping[str, PlaceholderOverride] = field(default_factory=FrozenDict)

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)

    def _repr_html_(self) -> str:
        return report_html(self)

    def summary(self) -> str:
        """`2 of 9 pieces of knowledge sent`; empty when there was nothing to send."""
        every = sum(len(result.decisions) for result in self.results)
        sent = sum(len(result.sent) for result in self.results)
        idle = sum(not result.activation.active for result in self.results)
        words = f"{sent:,} of {counted(every, 'piece')} of knowledge sent"
        return words + (f", {counted(idle, 'placeholder')} not active" if idle else "")

    def rows(self) -> Sequence[Row]:
        """A row for each candidate; of a placeholder without candidates one that says why."""
        return tuple([row for result in self.results for row in self._rows_of(result)])

    def settings_for(self, result: PlaceholderResult, change: Mapping[str, Any]) -> dict[str, Any]:
        """A change as settings that `Trace.rerun` takes."""
        if not change:
            return {}
        settings: dict[str, Any] = {}
        own = {name: value for name, value in change.items() if name in OF_PLACEHOLDER or name in result.own}
        settings.update({f"{self.step}.{name}": value for name, value in change.items() if name not in own})
        if own:
            here = self.overrides.get(result.placeholder, PlaceholderOverride()).changed(own)
            settings[f"{self.step}.overrides"] = overrides_text({**self.overrides, result.placeholder: here})
        return settings

    def _rows_of(self, result: PlaceholderResult) -> Iterator[Row]:
        if not result.activation.active:
            idle = result.activation
            yield self._row(result, idle.reason, cut="not active", change=idle.change, remedy=idle.remedy)
            return
        for base in result.switched_off:
            words = f"switch on the binding of {base.name}"
            change = {"search_disabled": True}
            yield self._row(result, base.barred, cut="switched off", base=base, change=change, remedy=words)
        if result.problem and not result.decisions and (result.query or not result.switched_off):
            yield self._row(result, result.problem, cut="nothing found")
        for decision in result.decisions:
            yield self._candidate_row(result, decision)

    def _row(
        self,
        result: PlaceholderResult,
        reason: str,
        *,
        cut: str,
        base: BoundBase | None = None,
        change: Mapping[str, Any] = FrozenDict(),
        remedy: str = "",
    ) -> Row:
        row = dict.fromkeys(COLUMNS)
        row |= {"key": f"kb:{base.id}" if base else "", "base": base.id if base else None}
        row |= {"base_name": base.name if base else None, "placeholder": result.placeholder, "where": result.where}
        row |= {"query": result.query, "engine": result.engine, "tags": [], "scores": {}, "ranks": {}, "words": ""}
        row |= {"sent": False, "cut": cut, "reason": reason, "remedy": remedy}
        return row | {"nearest": self.settings_for(result, change), "characters": 0}

    def _candidate_row(self, result: PlaceholderResult, decision: Decision) -> Row:
        found, hit = decision.candidate, decision.candidate.hit
        change = result.nearest(decision)
        shares = sorted(hit.words, key=lambda each: -each.score)
        return {
            "key": f"kb:{hit.base}/{hit.chunk}",
            "placeholder": result.placeholder,
            "where": result.where,
            "base": hit.base,
            "base_name": hit.base_name,
            "entry": hit.entry,
            "title": hit.title,
            "chunk": hit.chunk,
            "place": hit.place,
            "tags": list(hit.tags),
            "query": found.query,
            "engine": found.engine,
            "rank": found.rank,
            "score": found.score,
            "measure": found.measure,
            "scores": dict(hit.scores),
            "ranks": dict(hit.ranks),
            "words": ", ".join([f"{share.word} {share.score:.2f}" for share in shares]),
            "back": found.back,
            "sent": decision.sent,
            "sent_rank": decision.place,
            "cut": decision.cut,
            "reason": decision.reason,
            "nearest": self.settings_for(result, change),
            "remedy": change_in_words(change, result.rules, hit.base),
            "characters": len(hit.text),
            "content": hit.text,
        }
