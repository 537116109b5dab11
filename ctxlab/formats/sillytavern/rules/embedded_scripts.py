"""Regex scripts that travel inside cards and presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.documents import Agent, RegexPreset
from ctxlab.formats.loss import Loss
from ctxlab.formats.sillytavern.rules import regex_scripts

KEY = "regex_scripts"
OF_CARD, OF_PRESET = 101, 102
"""Priorities: SillyTavern runs everyone's scripts first, then the card's, then the preset's."""
RULES_OF_PRESET = "presetRules"
"""Where an agent joined of a card and a preset names the rules that are the preset's."""


def rules_inside(
    *places: Mapping[str, Any], name: str, id: str, priority: int, compat: regex_scripts.Compat = "ctxlab"
) -> tuple[RegexPreset | None, list[Loss]]:
    """The scripts of the first place that has some, as one set of rules; None where there are none."""
    scripts = next((found for place in places if isinstance(found := place.get(KEY), list) and found), None)
    if scripts is None:
        return None, []
    rules, losses = regex_scripts.preset_of(
        cast("list[Any]", scripts), name=f"{name}: regex scripts", id=f"{id}-regex", compat=compat
    )
    return rules.with_(priority=priority), [loss.inside(KEY) for loss in losses]


def scripts_of(agent: Agent) -> list[Any]:
    """The agent's rules as scripts, without those that a preset brought to its card."""
    return [script for preset in _own(agent) for script in regex_scripts.scripts_of(preset)]


def misread_of(agent: Agent) -> list[Loss]:
    """What those scripts can't say."""
    return [
        loss.inside(f"set of rules {preset.id or preset.name!r}")
        for preset in _own(agent)
        for loss in regex_scripts.misread(preset)
    ]


def _own(agent: Agent) -> list[RegexPreset]:
    others = (agent.carried or {}).get(RULES_OF_PRESET) or ()
    return [preset for preset in (agent.regex_config.presets if agent.regex_config else ()) if preset.id not in others]
