"""Find and replace rules as ctxlab itself stores them: sets, the `presets` of a configuration, or rules alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard, cast

from ctxlab.documents import RegexPreset, RegexRule, read_stored
from ctxlab.documents.stored import as_json
from ctxlab.errors import ReadError
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss, losses_of
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.formats.values_to_export import left_out, pick_rules

Data = dict[str, Any]

KEYS = frozenset(field.alias for field in RegexRule.model_fields.values()) - {"regex", "id", "name"}
OF_CONFIGS = frozenset({"presets", "bindingMode"})
OF_SETS = frozenset(field.alias for field in RegexPreset.model_fields.values())


def rules_json(presets: Iterable[RegexPreset]) -> Export[bytes]:
    """Sets of rules in UTF-8, as the `presets` of a configuration."""
    return Export(as_json({"presets": [_data(preset) for preset in presets]}, indent=2))


def _data(preset: RegexPreset) -> Data:
    """Its JSON with the fields by which it is recognised, also those with their defaults."""
    return {"id": preset.id, **preset.to_data(), "rules": [{"regex": "", **rule.to_data()} for rule in preset.rules]}


# --- what it is


def sniff(data: Any) -> bool:
    return one_or_mostly(data, lambda value: _is_config(value) or _is_set(value) or _is_rule(value))


def _is_rule(value: Any) -> TypeGuard[Data]:
    return _has_regex(value) and not KEYS.isdisjoint(value)


def _is_set(value: Any) -> TypeGuard[Data]:
    """Recognised by its rules, or by having no key of another format."""
    return _holds_rules(value) and (mostly(value["rules"], _is_rule) or value.keys() <= OF_SETS)


def _is_config(value: Any) -> TypeGuard[Data]:
    if not isinstance(value, dict) or not isinstance(value.get("presets"), list):
        return False
    held = cast("Data", value)
    own = held.keys() <= OF_CONFIGS
    return mostly(held["presets"], _holds_rules if own else _is_set) or (own and not held["presets"])


def _has_regex(value: Any) -> TypeGuard[Data]:
    return isinstance(value, dict) and isinstance(value.get("regex"), str)


def _holds_rules(value: Any) -> TypeGuard[Data]:
    if not isinstance(value, dict) or not isinstance(value.get("rules"), list):
        return False
    rules = cast("Data", value)["rules"]
    return not rules or mostly(rules, _has_regex)


# --- what is in it


def read(source: Source) -> Import:
    reading = _Reading(source.stem, list(source.losses))
    for place, item in source.items():
        reading.add(item, place)
    return Import(rules=reading.sets(), losses=tuple(reading.losses))


class _Reading:
    """Sets of rules as they are found; rules that are in none become a set of their own, the last."""

    def __init__(self, name: str, losses: list[Loss]) -> None:
        self.name, self.losses = name, losses
        self._names = Names()
        self._sets: list[RegexPreset] = []
        self._alone: list[RegexRule] = []

    def add(self, item: Any, place: str) -> None:
        if _is_config(item):
            self._add_config(item, place)
        elif _is_set(item):
            self._add_set(item, place)
        elif _is_rule(item):
            rule, notes = read_stored(RegexRule, item, place="the rule")
            self.losses += [loss.inside(place) for loss in losses_of(notes)]
            self._alone.append(rule)
        else:
            self.losses.append(Loss(place, "no rules; it is left out"))

    def sets(self) -> tuple[RegexPreset, ...]:
        alone = RegexPreset(id=self._names.take(self.name), name=self.name, rules=tuple(self._alone))
        return (*self._sets, *([alone] if self._alone else []))

    def _add_config(self, config: Data, place: str) -> None:
        bound = config.get("bindingMode", "message")
        if bound != "message":
            remedy = "sets of rules don't say it; left out: RegexConfig(presets=..., binding_mode=...) does"
            self.losses.append(Loss("bindingMode", f"{bound!r:.60}: {remedy}").inside(place))
        others = [key for key in config if key not in OF_CONFIGS]
        if others:
            self.losses.append(Loss(place, f"{', '.join(others[:8])}: no rules; left out"))
        for index, held in enumerate(config["presets"]):
            here = f"{place}, presets.{index}" if place else f"presets.{index}"
            if _holds_rules(held):
                self._add_set(held, here)
            else:
                self.losses.append(Loss(here, "no set of rules; it is left out"))

    def _add_set(self, data: Data, place: str) -> None:
        preset, notes = read_stored(RegexPreset, data, place="the set of rules")
        self.losses += [loss.inside(place) for loss in losses_of(notes)]
        wanted = preset.id or preset.name or self.name
        own = self._names.take(wanted)
        if own != wanted:
            self.losses.append(Loss(place, f"set {wanted!r} is there twice; this one is {own!r} now"))
        self._sets.append(preset if own == preset.id else preset.with_(id=own))


# --- the format


def write(found: Import, pick: Pick) -> Export[bytes]:
    """All sets of rules, or the picked one."""
    sets = found.rules_inside()
    if not sets:
        raise ReadError(f"{found.source} holds no set of rules")
    losses = left_out(found, ("sessions", "agents", "users", "books", "quick_actions", "knowledge_bases"), "no rules; left out")
    return rules_json(sets if pick is None else [pick_rules(found, pick)]).after(losses)


RULES = Format("rules", "set of rules", (".rules.json",), sniff=sniff, read=read, write=write, holds=("rules",))
