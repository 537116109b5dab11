"""Rules by their place: found, changed, and put back into the run that they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import ctxlab
from ctxlab import Agent, RegexConfig, RegexRule, Trace, UserProfile
from ctxlab.context import BuildInput
from ctxlab.display.short_texts import counted, short
from ctxlab.documents.rules import DepthRange
from ctxlab.engines.regexes.compile_rule import pattern_of
from ctxlab.engines.regexes.pattern import written_flags
from ctxlab.engines.regexes.rule_selection import BoundRule, RuleLayer, RuleSource
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass

FLAGS = {"javascript": "dgimsuvy", "python": "gimsuxa"}


class WrongField(CtxlabError):
    """A value that a field of a rule can't have; `field` is its name."""

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class RulePosition:
    """A rule's address: its owner, the preset among the owner's, and its position in that."""

    layer: RuleLayer
    preset: int
    rule: int

    @property
    def key(self) -> str:
        return f"{self.layer}/{self.preset}/{self.rule}"


def positions_of(sources: Sequence[RuleSource], rules: Sequence[BoundRule]) -> list[RulePosition]:
    """The place of each rule."""
    free: dict[tuple[str, int, int], list[RulePosition]] = {}
    for source in sources:
        for number, preset in enumerate(source.config.presets):
            for index, rule in enumerate(preset.rules):
                place = RulePosition(source.layer, number, index)
                free.setdefault((source.layer, id(preset), id(rule)), []).append(place)
    return [free[bound.layer, id(bound.preset), id(bound.rule)].pop(0) for bound in rules]


def rule_key(which: str, rules: Mapping[str, BoundRule]) -> str:
    """The key of the rule of this key, id or name."""
    if which in rules:
        return which
    for found in (
        [key for key, bound in rules.items() if bound.rule.id == which],
        [key for key, bound in rules.items() if bound.rule.name == which],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise CtxlabError(f"there are {len(found)} rules {which!r}; say one of the keys {', '.join(found[:8])}")
    known = [name for bound in rules.values() for name in (bound.rule.id, bound.rule.name) if name]
    raise CtxlabError(f"there is no rule {which!r}{did_you_mean(which, known)}")


def with_rule(config: RegexConfig, place: RulePosition, fields: Mapping[str, Any]) -> RegexConfig:
    """These rules, with other fields in one."""
    presets = list(config.presets)
    rules = list(presets[place.preset].rules)
    rules[place.rule] = rules[place.rule].changed(fields)
    presets[place.preset] = presets[place.preset].model_copy(update={"rules": tuple(rules)})
    return config.model_copy(update={"presets": tuple(presets)})


def flags_of(rule: RegexRule) -> str:
    """The flags that the rule runs with."""
    return pattern_of(rule).flags


def with_flags(rule: RegexRule, flags: str) -> dict[str, str]:
    """The fields that give a rule other flags: those in `/body/flags` are changed there."""
    known = FLAGS[rule.flavor]
    wrong = next((flag for i, flag in enumerate(flags) if flag not in known or flag in flags[:i]), None)
    if wrong is not None:
        twice = "stands there twice" if wrong in known else "is not one of them"
        raise WrongField("flags", f"flags are some of {', '.join(known)}; {wrong!r} {twice}")
    if not written_flags(rule.regex, flavor=rule.flavor):
        return {"flags": flags}
    return {"regex": f"{rule.regex[: rule.regex.rindex('/') + 1]}{flags}", "flags": flags}


Edits = Mapping[str, str]
"""New values of a rule as they were typed: pattern, replacement, flags, name, min_depth and max_depth."""
EDITED = ("pattern", "replacement", "flags", "name", "min_depth", "max_depth")


def fields_of(rule: RegexRule, edits: Edits) -> dict[str, Any]:
    """The fields of a rule with these edits; raises WrongField."""
    fields: dict[str, Any] = {}
    if "pattern" in edits:
        fields["regex"] = edits["pattern"]
    if "replacement" in edits:
        fields["replacement"] = edits["replacement"]
    if "name" in edits:
        fields["name"] = edits["name"] or None
    if "flags" in edits:
        fields |= with_flags(rule.changed(fields), edits["flags"])
    if "min_depth" in edits or "max_depth" in edits:
        fields["depth_range"] = _depth_range(rule.depth_range or DepthRange(), edits)
    return fields


def _depth_range(now: DepthRange, edits: Edits) -> DepthRange | None:
    ends = {"min": now.min, "max": now.max}
    for end in ends:
        field = f"{end}_depth"
        words = edits.get(field, "").strip()
        if words and not (words.isascii() and words.isdigit()):
            raise WrongField(field, f"a depth is a whole number from 0, or nothing for no bound, not {short(words)!r}")
        if field in edits:
            ends[end] = int(words) if words else None
    least, most = ends["min"], ends["max"]
    if least is not None and most is not None and least > most:
        wrong = "min_depth" if "min_depth" in edits else "max_depth"
        raise WrongField(wrong, f"there is no depth from {least:,} to {most:,}: the first is at most the second")
    return DepthRange(min=least, max=most) if (least, most) != (None, None) else None


# --- whose they are


def holder_of(source: RuleSource, build_input: BuildInput) -> Agent | UserProfile | None:
    """The agent or the user whose rules these are; None for everyone's."""
    known: Sequence[Agent | UserProfile | None] = ()
    if source.layer == "agent":
        known = (build_input.agent, *build_input.agents)
    elif source.layer == "user":
        known = (build_input.user, *build_input.users)
    return next((one for one in known if one is not None and one.regex_config is source.config), None)


def rebuilt(trace: Trace, source: RuleSource, config: RegexConfig) -> Trace:
    """The run again with other rules in one layer. Those of an agent or a user are changed in them, for this run."""
    build_input = trace.start.input
    if source.layer == "global":
        return ctxlab.rebuild(trace, rules=config)
    old = holder_of(source, build_input)
    if old is None:
        raise CtxlabError(f"whose {source.layer}'s rules these are is not known; change them in the {source.layer}")
    new = old.with_(regex_config=config)

    def swapped(one: Any) -> Any:
        return new if one is old else one

    build_input = replace(
        build_input,
        agent=swapped(build_input.agent),
        agents=tuple(map(swapped, build_input.agents)),
        user=swapped(build_input.user),
        users=tuple(map(swapped, build_input.users)),
    )
    return ctxlab.rebuild(replace(trace, start=replace(trace.start, input=build_input)), rules=build_input.rules)


# --- in words


def change_label(rule: RegexRule, fields: Mapping[str, Any]) -> str:
    """The change in words, as the line after it says."""
    name = short(rule.shown_name or rule.regex)
    if "enabled" in fields:
        return f"“{name}” is {'on' if fields['enabled'] else 'off'}."
    return f"“{name}” is changed."


def scope_text(rule: RegexRule) -> str:
    """The scope of a rule: stages, roles and depths."""
    stages = [word for word, is_on in (("sent", rule.apply_to.request), ("shown", rule.apply_to.render)) if is_on]
    return ", ".join([" and ".join(stages) or "nowhere", "/".join(rule.target_roles) or "no role", *_depths(rule)])


def _depths(rule: RegexRule) -> Iterator[str]:
    span = rule.depth_range
    if span is None or (span.min is None and span.max is None):
        return
    if span.max is None:
        yield f"depth {span.min} and more"
    elif span.min is None:
        yield f"depth up to {span.max}"
    else:
        yield f"depth {span.min}" if span.min == span.max else f"depth {span.min} to {span.max}"


def error_sentence(problem: str) -> str:
    """Why a rule was left out, as one sentence without the engine's prefix."""
    words = problem.replace("\n", " ").strip()
    head = "it doesn't compile: "
    if words.startswith(head):
        reason = words.removeprefix(head)
        if ": " in reason and reason.startswith("Invalid regular expression"):
            reason = reason.rsplit(": ", 1)[1]
        return f"The pattern doesn't compile: {reason}."
    return f"{words[:1].upper()}{words[1:]}".rstrip(".") + "."


def match_count(hits: int) -> str:
    return f"matched {'once' if hits == 1 else counted(hits, 'time')}"
