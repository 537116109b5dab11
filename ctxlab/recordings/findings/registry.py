"""The rules by id: those of ctxlab, and those that other packages announce as `ctxlab.findings`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache

from ctxlab.errors import UnknownName, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import announced
from ctxlab.recordings.findings.finding import LEVELS
from ctxlab.recordings.findings.finding_rule import ALL, FindingRule

GROUP = "ctxlab.findings"


@dataclass(frozen=True, slots=True, eq=False)
class FindingRules:
    """Rules by id, and why some that are announced can't be used; `packages` names those of other packages."""

    by_id: Mapping[str, FindingRule]
    problems: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict[str, str])


@cache
def finding_rules() -> FindingRules:
    """Every rule that can be named; scanned once per process."""
    from ctxlab.recordings.findings.rules import RULES

    problems: list[str] = []
    found = {rule.id: rule for rule in RULES}
    packages: dict[str, str] = {}
    for plugin in announced(GROUP, problems):
        rule = plugin.value
        problem = _problem(rule, found)
        if problem:
            problems.append(plugin.left_out(problem))
        else:
            found[rule.id], packages[rule.id] = rule, plugin.package
    return FindingRules(found, tuple(problems), packages)


def _problem(rule: object, known: Mapping[str, FindingRule]) -> str:
    if not isinstance(rule, FindingRule):
        return "it is no FindingRule"
    if rule.id in known:
        return f"there is a rule {rule.id!r} already"
    if rule.level not in LEVELS or not set(rule.works_on) <= set(ALL):
        return f"its level is one of {', '.join(LEVELS)}, and it works on {', '.join(ALL)}"
    return ""


def rules_of(
    wanted: Sequence[str | FindingRule] | None, ignore: Iterable[str]
) -> tuple[tuple[FindingRule, ...], tuple[str, ...]]:
    """The rules that are wanted, by default all, without those to ignore; and which plugins can't be used.

    Raises UnknownName for an id that there is not.
    """
    known = finding_rules()
    rules = (
        tuple(known.by_id.values())
        if wanted is None
        else tuple(_named(each, known.by_id) if isinstance(each, str) else each for each in wanted)
    )
    left_out = {_named(id, {rule.id: rule for rule in (*known.by_id.values(), *rules)}).id for id in ignore}
    unique = {rule.id: rule for rule in rules if rule.id not in left_out}
    return tuple(unique.values()), known.problems


def _named(id: str, known: Mapping[str, FindingRule]) -> FindingRule:
    if id not in known:
        raise UnknownName(f"there is no rule {id!r} of findings{did_you_mean(id, list(known))}")
    return known[id]
