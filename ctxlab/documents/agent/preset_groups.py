"""Groups of presets: which presets they keep out, and the verbs that switch them. Each verb gives a new agent.

A group that is off keeps all its presets out; of a radio group only the first preset that is on is sent. Presets are
named by their index or by their id; where an id repeats, its first one is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ctxlab.documents.agent.left_out_presets import LEFT_OUT
from ctxlab.documents.session.message import MessageNode
from ctxlab.documents.session.metadata_not_copied import without_metadata
from ctxlab.errors import Refused, did_you_mean

if TYPE_CHECKING:
    from ctxlab.documents.agent.agent import Agent, PresetGroup

REMEMBERED = "lastEnabledState"
"""Metadata of a preset whose group was switched off: whether it was on before."""

RADIO = "radio"


def kept_out_presets(agent: Agent) -> Mapping[int, str]:
    """Indexes of enabled presets that their group keeps out, with the reason in words."""
    groups = _groups(agent)
    if not groups:
        return {}
    reasons: dict[int, str] = {}
    chosen: dict[str, MessageNode] = {}
    for index, preset in enumerate(agent.preset_messages):
        group = groups.get(preset.group_id or "")
        if group is None or not preset.enabled:
            continue
        if not group.enabled:
            reasons[index] = f"its group {shown_name(group)!r} is switched off"
        elif group.selection_mode == RADIO and (first := chosen.setdefault(group.id, preset)) is not preset:
            title = first.name or first.id or first.content[:20]
            reasons[index] = f"its group {shown_name(group)!r} sends one preset, and {title!r} comes first"
    return reasons


def enable_group(agent: Agent, group_id: str) -> Agent:
    """The group switched on; its presets are on again that were on when it was switched off."""
    return _switched(agent, group_id, on=True)


def disable_group(agent: Agent, group_id: str) -> Agent:
    """The group switched off and its presets with it; each remembers whether it was on."""
    return _switched(agent, group_id, on=False)


def choose_preset(agent: Agent, preset: int | str) -> Agent:
    """This preset of a radio group switched on and the group's others off; if the group is off, for when it is on."""
    index = _index(agent, preset)
    group = _groups(agent).get(agent.preset_messages[index].group_id or "")
    if group is None or group.selection_mode != RADIO:
        raise Refused(f"preset {preset!r} is in no radio group: switch it with its isEnabled")
    members = list(agent.preset_messages)
    for n in _members(agent, group.id):
        members[n] = (
            _switched_preset(members[n], on=n == index) if group.enabled else _remembering(members[n], on=n == index)
        )
    return _with_presets(agent, members)


def shown_name(group: PresetGroup) -> str:
    """The name of a group for people: its name, else its id."""
    return group.name or group.id


def _switched(agent: Agent, group_id: str, *, on: bool) -> Agent:
    groups = _groups(agent)
    if group_id not in groups:
        near = did_you_mean(group_id, list(groups))
        raise Refused(f"agent {agent.shown_name!r} has no preset group {group_id!r}{near}")
    if groups[group_id].enabled == on:
        return agent
    members = list(agent.preset_messages)
    for n in _members(agent, group_id):
        members[n] = _restored(members[n]) if on else _remembering(members[n], on=members[n].enabled)
    changed = groups[group_id].with_(enabled=on)
    return _with_presets(agent, members).model_copy(
        update={"preset_groups": tuple(changed if g is groups[group_id] else g for g in agent.preset_groups)}
    )


def _groups(agent: Agent) -> dict[str, PresetGroup]:
    """Groups by id; of several with one id the first counts."""
    return {group.id: group for group in reversed(agent.preset_groups) if group.id}


def _members(agent: Agent, group_id: str) -> Iterable[int]:
    return (n for n, preset in enumerate(agent.preset_messages) if preset.group_id == group_id)


def _index(agent: Agent, preset: int | str) -> int:
    if isinstance(preset, int):
        if 0 <= preset < len(agent.preset_messages):
            return preset
        raise Refused(
            f"agent {agent.shown_name!r} has no preset {preset}: they are 0 to {len(agent.preset_messages) - 1}"
        )
    ids = [str(node.id) for node in agent.preset_messages]
    if preset not in ids:
        raise Refused(f"agent {agent.shown_name!r} has no preset {preset!r}{did_you_mean(preset, ids)}")
    return ids.index(preset)


def _switched_preset(preset: MessageNode, *, on: bool) -> MessageNode:
    if preset.enabled == on:
        return preset
    return without_metadata(preset, LEFT_OUT).with_(is_enabled=on)  # who switches it decides, no longer the file


def _remembering(preset: MessageNode, *, on: bool) -> MessageNode:
    return _switched_preset(preset, on=False).with_(metadata={**(preset.metadata or {}), REMEMBERED: on})


def _restored(preset: MessageNode) -> MessageNode:
    remembered = (preset.metadata or {}).get(REMEMBERED)
    if not isinstance(remembered, bool):
        return preset
    cleaned = without_metadata(preset, REMEMBERED)
    return _switched_preset(cleaned if cleaned.metadata else cleaned.without("metadata"), on=remembered)


def _with_presets(agent: Agent, presets: list[MessageNode]) -> Agent:
    if all(new is old for new, old in zip(presets, agent.preset_messages, strict=True)):
        return agent
    return agent.model_copy(update={"preset_messages": tuple(presets)})
