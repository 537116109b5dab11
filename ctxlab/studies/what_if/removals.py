"""A build input without some of its presets, lore entries, rules and messages, each switched off where it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TypeVar

from ctxlab.context import BuildInput, Context
from ctxlab.documents import Agent, MessageNode, RegexConfig, UserProfile
from ctxlab.documents.session.session_builder import SessionBuilder
from ctxlab.engines.worldbook import LoreScan
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.pipeline.edits_by_hand import edits_in
from ctxlab.pipeline.trace import calls_to_replay

Holder = TypeVar("Holder", Agent, UserProfile)
LEVELS = ("", "user/", "global/")
"""By whose they are, what stands before the number in the key of a preset; the agent's have nothing."""
RULE_LEVELS = ("agent", "user", "global")


def run_on(trace: Trace, build_input: BuildInput) -> Trace:
    """The run with another input; answers of services are taken over, edits by hand are made again."""
    given = len(trace.start.notes) - len(trace.pipeline.warnings())
    context = Context(build_input, notes=trace.start.notes[:given])
    start = trace.pipeline.start(context, trace.services)
    return start.pipeline.resume(start, known=calls_to_replay(trace.steps, kept=0), edits=edits_in(trace.steps))


class Removals:
    """Takes things out of the input of a run, by key; everything else keeps its key.

    Keys are those of messages (`node:u5`, `pending`), of presets (`preset:0`, `preset:user/0`), of lore entries
    (`lore:book/3`) and of rules (`rule:agent/0/1`: whose, set, rule).
    """

    def __init__(self, trace: Trace) -> None:
        self.input = trace.start.input
        scan = trace.result.report(LoreScan)
        decisions = scan.decisions if scan is not None else ()
        self._entries = {one.key: (one.lore.book_index, one.lore.name) for one in decisions}

    def without(self, keys: Collection[str]) -> BuildInput:
        """The input without all of these."""
        found = replace(self.input, pending=None) if "pending" in keys else self.input
        by_kind: dict[str, list[str]] = {}
        for key in keys:
            kind, _, rest = key.partition(":")
            by_kind.setdefault(kind, []).append(key if kind == "lore" else rest)
        found = self._without_messages(found, by_kind.pop("node", []))
        found = _without_presets(found, by_kind.pop("preset", []))
        found = self._without_entries(found, by_kind.pop("lore", []))
        found = _without_rules(found, by_kind.pop("rule", []))
        by_kind.pop("pending", None)
        if by_kind:
            raise WrongArgument(f"{next(iter(by_kind))!r} can't be taken out: it is made by a step")
        return found

    def _without_messages(self, found: BuildInput, ids: Collection[str]) -> BuildInput:
        if not ids:
            return found
        builder = SessionBuilder(found.session)
        for node_id in ids:
            builder.put(node_id, is_enabled=False)
        return replace(found, session=builder.session())

    def _without_entries(self, found: BuildInput, keys: Collection[str]) -> BuildInput:
        if not keys:
            return found
        names: dict[int, list[str]] = {}
        for key in keys:
            at, name = self._entries[key]
            names.setdefault(at, []).append(name)
        books = list(found.books)
        for at, off in names.items():
            entries = dict(books[at].entries)
            entries.update({name: entries[name].model_copy(update={"disable": True}) for name in off})
            books[at] = books[at].model_copy(update={"entries": entries})
        return replace(found, books=tuple(books))


def preset_keys(build_input: BuildInput) -> Iterator[str]:
    """Keys of the presets that are switched on, in the order in which they are listed."""
    own = build_input.agent.preset_messages if build_input.agent else ()
    users = build_input.user.preset_messages if build_input.user else ()
    for level, presets in zip(LEVELS, (own, users, build_input.presets), strict=True):
        yield from (f"preset:{level}{n}" for n, preset in enumerate(presets) if preset.enabled)


def rule_keys(build_input: BuildInput) -> Iterator[tuple[str, str]]:
    """Keys of the rules that are switched on and apply to what is sent, each with its name."""
    for level in RULE_LEVELS:
        for n, rules in enumerate(_rules(build_input, level).presets):
            for m, rule in enumerate(rules.rules):
                if rules.enabled and rule.enabled and rule.apply_to.request:
                    yield f"rule:{level}/{n}/{m}", rule.shown_name


def _rules(build_input: BuildInput, level: str) -> RegexConfig:
    if level == "global":
        return build_input.rules
    holder = build_input.agent if level == "agent" else build_input.user
    return (holder.regex_config if holder else None) or RegexConfig()


def _without_presets(found: BuildInput, names: Collection[str]) -> BuildInput:
    off: dict[str, set[int]] = {}
    for name in names:
        level, slash, number = name.rpartition("/")
        off.setdefault(level + slash, set()).add(int(number.partition("@")[0]))
    if "" in off and found.agent is not None:
        found = replace(found, agent=_with_presets_off(found.agent, off[""]))
    if "user/" in off and found.user is not None:
        found = replace(found, user=_with_presets_off(found.user, off["user/"]))
    if "global/" in off:
        found = replace(found, presets=_switched_off(found.presets, off["global/"]))
    return found


def _with_presets_off(holder: Holder, numbers: Collection[int]) -> Holder:
    return holder.model_copy(update={"preset_messages": _switched_off(holder.preset_messages, numbers)})


def _switched_off(presets: tuple[MessageNode, ...], numbers: Collection[int]) -> tuple[MessageNode, ...]:
    return tuple([p.model_copy(update={"is_enabled": False}) if n in numbers else p for n, p in enumerate(presets)])


def _without_rules(found: BuildInput, places: Collection[str]) -> BuildInput:
    for place in places:
        level, n, m = place.split("/")
        config = _rules(found, level)
        sets = list(config.presets)
        rules = list(sets[int(n)].rules)
        rules[int(m)] = rules[int(m)].model_copy(update={"enabled": False})
        sets[int(n)] = sets[int(n)].model_copy(update={"rules": tuple(rules)})
        config = config.model_copy(update={"presets": tuple(sets)})
        if level == "global":
            found = replace(found, rules=config)
        elif level == "agent" and found.agent is not None:
            found = replace(found, agent=found.agent.model_copy(update={"regex_config": config}))
        elif level == "user" and found.user is not None:
            found = replace(found, user=found.user.model_copy(update={"regex_config": config}))
    return found
