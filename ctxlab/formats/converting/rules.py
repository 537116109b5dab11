"""Find and replace rules: as ctxlab stores them, and as SillyTavern's regex scripts."""

from __future__ import annotations

from ctxlab.documents import RegexPreset
from ctxlab.errors import ReadError
from ctxlab.formats.converting.written import Written, one_of
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.native.rules import rules_json
from ctxlab.formats.sillytavern.rules.regex_scripts import misread, scripts_json


def write_rules(found: Import, pick: int | str | None) -> Written:
    sets = rules_in(found)
    if not sets:
        raise ReadError(f"{found.source} holds no set of rules")
    return rules_json(sets if pick is None else [_one_set(found, pick)]), _beside(found)


def write_scripts(found: Import, pick: int | str | None) -> Written:
    preset = _one_set(found, pick)
    return scripts_json(preset), [*_beside(found), *misread(preset)]


def rules_in(found: Import) -> tuple[RegexPreset, ...]:
    """The sets of rules of a file, else those that its agents and users bring."""
    configs = [speaker.regex_config for speaker in (*found.agents, *found.users)]
    return found.rules or tuple([preset for config in configs if config for preset in config.presets])


def _one_set(found: Import, pick: int | str | None) -> RegexPreset:
    return one_of(
        rules_in(found),
        pick,
        source=found.source,
        names=lambda preset: (preset.id, preset.name),
        noun="set of rules",
        nouns="sets of rules",
    )


def _beside(found: Import) -> list[Loss]:
    held = {"session": found.sessions, "agent": found.agents, "user": found.users, "book": found.books}
    return [Loss(f"{one} {value.id!r}", "no rules; left out") for one, values in held.items() for value in values]
