"""Which candidates are sent and which are cut, by what; and the nearest change that would bring one in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from ctxlab.display.short_texts import counted
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.knowledge.policy.candidates import Candidate
from ctxlab.lazy_dataclass import dataclass

Cut = Literal["", "tags", "minimum", "decay", "base limit", "limit", "characters"]
Overflow = Literal["stop", "skip"]


@dataclass(frozen=True, slots=True)
class CutRules:
    """Rules that cut candidates. Minimums and limits may be of single bases, by id; 0 characters is no cap.

    With `required_tags` only pieces with one of them stay; an empty tuple asks for none, None asks for tags that the
    query doesn't name. At a piece that doesn't fit the cap it stops, or with `skip` tries the shorter ones after it.
    """

    minimum: float = 0.0
    limit: int = 5
    max_characters: int = 0
    overflow: Overflow = "stop"
    base_minimums: Mapping[str, float] = field(default_factory=FrozenDict)
    base_limits: Mapping[str, int] = field(default_factory=FrozenDict)
    limit_per_base: int | None = None
    required_tags: tuple[str, ...] | None = None

    def minimum_of(self, base: str) -> float:
        return self.base_minimums.get(base, self.minimum)

    def limit_of(self, base: str) -> int | None:
        return self.base_limits.get(base, self.limit_per_base)

    def changed(self, change: Mapping[str, Any]) -> CutRules:
        """The rules after a change as `nearest_change` gives it."""
        rules = self
        if "only_tagged" in change:
            rules = replace(rules, required_tags=None)
        if "min_score" in change:
            rules = replace(rules, minimum=change["min_score"], base_minimums=FrozenDict())
        if "limit_per_base" in change:
            rules = replace(rules, limit_per_base=change["limit_per_base"], base_limits=FrozenDict())
        if "limit" in change:
            rules = replace(rules, limit=change["limit"])
        return replace(rules, max_characters=change.get("max_characters", rules.max_characters))


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """Whether a candidate is sent, as the how manieth (from 1), or what cut it; `reason` is a clause."""

    candidate: Candidate
    sent: bool
    cut: Cut
    reason: str
    place: int | None = None


def decide(candidates: Sequence[Candidate], rules: CutRules) -> tuple[Decision, ...]:
    """A decision for each candidate, in their order."""
    decisions: list[Decision] = []
    in_base: dict[str, int] = {}
    taken = used = sent = 0
    is_over = False
    for candidate in candidates:
        base, length = candidate.hit.base, len(candidate.hit.text)
        cut, reason = _refused(candidate, rules)
        if not cut:
            most = rules.limit_of(base)
            in_base[base] = in_base.get(base, 0) + 1
            if most is not None and in_base[base] > most:
                cut, reason = "base limit", f"number {in_base[base]:,} of its base, of which {most:,} may be sent"
        if not cut:
            taken += 1
            if taken > rules.limit:
                cut, reason = "limit", f"number {taken:,}, and {rules.limit:,} may be sent"
        if not cut and rules.max_characters and (is_over or used + length > rules.max_characters):
            left = rules.max_characters - used
            after = "comes after one that didn't fit" if is_over else f"needs {counted(length, 'character')}"
            cut, reason = "characters", f"{after}, {left:,} of {rules.max_characters:,} were left"
            is_over = rules.overflow == "stop"
        if cut:
            decisions.append(Decision(candidate, False, cut, reason))
            continue
        used, sent = used + length, sent + 1
        decisions.append(Decision(candidate, True, "", _found_by(candidate), sent))
    return tuple(decisions)


def nearest_change(candidates: Sequence[Candidate], which: int, rules: CutRules) -> dict[str, Any]:
    """The smallest values that bring in candidate number `which`: `min_score`, `limit`, `max_characters`, and so on.

    Empty for one that is sent. A minimum is rounded down to two digits.
    """
    wanted = candidates[which]
    change: dict[str, Any] = {}
    if not _has_tag(wanted, rules):
        change["only_tagged"] = False
    if wanted.measure < rules.minimum_of(wanted.hit.base):
        change["min_score"] = _just_below(wanted.measure)
    before = _passing(candidates[: which + 1], rules.changed(change))
    of_base = sum(each.hit.base == wanted.hit.base for each in before)
    most = rules.changed(change).limit_of(wanted.hit.base)
    if most is not None and of_base > most:
        change["limit_per_base"] = of_base
    taken = sum(not one.cut or one.cut in ("limit", "characters") for one in _up_to(candidates, which, rules, change))
    if taken > rules.limit:
        change["limit"] = taken
    if rules.max_characters and not _up_to(candidates, which, rules, change)[-1].sent:
        change["max_characters"] = _enough(candidates, which, rules, change)
    return change


def change_in_words(change: Mapping[str, Any], rules: CutRules, base: str) -> str:
    """A change as `minimum 0.71 → 0.69; limit 5 → 7`; empty for none."""
    return "; ".join(_words_of(change, rules, base))


def _words_of(change: Mapping[str, Any], rules: CutRules, base: str) -> Iterator[str]:
    if "only_tagged" in change:
        yield "pieces without a tag of the query too"
    if "min_score" in change:
        yield f"minimum {rules.minimum_of(base):g} → {change['min_score']:g}"
    if "limit_per_base" in change:
        yield f"limit of its base {rules.limit_of(base):,} → {change['limit_per_base']:,}"
    if "limit" in change:
        yield f"limit {rules.limit:,} → {change['limit']:,}"
    if "max_characters" in change:
        yield f"most characters {rules.max_characters:,} → {change['max_characters']:,}"


def _refused(candidate: Candidate, rules: CutRules) -> tuple[Cut, str]:
    if not _has_tag(candidate, rules):
        asked = ", ".join(rules.required_tags or ()) or "none is known"
        return "tags", f"it has no tag that the query names ({asked})"
    least = rules.minimum_of(candidate.hit.base)
    if candidate.measure >= least:
        return "", ""
    words = f"{candidate.measured_by} {candidate.measure:.3g}"
    if candidate.fresh >= least:
        turns = counted(candidate.back, "turn")
        return "decay", f"{words} after {turns}, from {candidate.fresh:.3g}, is below the minimum {least:g}"
    return "minimum", f"{words} is below the minimum {least:g}"


def _found_by(candidate: Candidate) -> str:
    if not candidate.engine:
        return "taken by its id"
    found = f"rank {candidate.rank:,} by {candidate.engine}, score {candidate.score:.3g}"
    if candidate.engine != "vector":
        found += f", {candidate.measured_by} {candidate.measure:.3g}"
    return f"{found}, of the query {counted(candidate.back, 'turn')} ago" if candidate.back else found


def _has_tag(candidate: Candidate, rules: CutRules) -> bool:
    if rules.required_tags is None:
        return True
    tags = {tag.casefold() for tag in candidate.hit.tags}
    return any(tag.casefold() in tags for tag in rules.required_tags)


def _passing(candidates: Sequence[Candidate], rules: CutRules) -> list[Candidate]:
    return [each for each in candidates if not _refused(each, rules)[0]]


def _up_to(
    candidates: Sequence[Candidate], which: int, rules: CutRules, change: Mapping[str, Any]
) -> tuple[Decision, ...]:
    return decide(candidates[: which + 1], rules.changed(change))


def _just_below(measure: float) -> float:
    """The measure rounded down to two digits, or itself where rounding would put it higher."""
    return min(math.floor(measure * 100) / 100, measure)


def _enough(candidates: Sequence[Candidate], which: int, rules: CutRules, change: Mapping[str, Any]) -> int:
    """The least cap found under which the candidate fits: what was sent before it, and itself."""
    everything = _up_to(candidates, which, rules, {**change, "max_characters": 0})
    whole = sum(len(one.candidate.hit.text) for one in everything if one.sent)
    length, cap = len(candidates[which].hit.text), rules.max_characters
    while rules.overflow == "skip" and cap < whole:
        before = _up_to(candidates, which, rules, {**change, "max_characters": cap})
        if before[-1].sent:
            return cap
        cap = max(cap + 1, sum(len(one.candidate.hit.text) for one in before if one.sent) + length)
    return whole
