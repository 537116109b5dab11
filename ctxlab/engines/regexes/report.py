"""The report of rules: their hits in messages."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.context.step_report import Row, report_html
from ctxlab.display.short_texts import counted
from ctxlab.documents import RegexRule
from ctxlab.engines.regexes.rule_selection import BoundRule
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RuleHit:
    """The changes of one rule in one message: their number, and the words around the first, before and after."""

    key: str
    bound: BoundRule
    hits: int
    before: str
    after: str

    @property
    def rule(self) -> RegexRule:
        return self.bound.rule

    @property
    def preset(self) -> str:
        """The name of the rule's set, else its id."""
        return self.bound.preset.name or self.bound.preset.id

    def as_data(self) -> Row:
        return {
            "key": self.key,
            "rule": self.rule.shown_name,
            "rule_id": self.rule.id,
            "preset": self.preset,
            "layer": self.bound.layer,
            "hits": self.hits,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True, slots=True, eq=False)
class RuleHits:
    """Every hit, in the order of the messages and of their rules."""

    name = "rule-hits"
    hits: tuple[RuleHit, ...]

    def __repr__(self) -> str:
        return f"RuleHits({self.summary()})"

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        return tuple([hit.as_data() for hit in self.hits])

    def summary(self) -> str:
        """`3 rules, 12 hits`."""
        rules = {id(hit.bound) for hit in self.hits}
        return f"{counted(len(rules), 'rule')}, {counted(sum(hit.hits for hit in self.hits), 'hit')}"
