"""Placement of presets changed: among the others, at depths of the history, or beside an anchor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from ctxlab.documents.session.message import InjectionStrategy, MessageNode
from ctxlab.errors import Refused, did_you_mean

if TYPE_CHECKING:
    from ctxlab.documents.agent.agent import Agent, UserProfile

Holder = TypeVar("Holder", "Agent", "UserProfile")
SIDES = ("before", "after")
OLDER_FORM = ("insertion_point", "anchor_point", "anchor_target")


def place_preset(
    holder: Holder,
    preset: int | str,
    *,
    depth: float | str | None = None,
    order: float | None = None,
    anchor: str | None = None,
    position: str | None = None,
) -> Holder:
    """The agent or user with another place for one preset; the preset is an index or an id, the rest as in `placed`."""
    presets = list(holder.preset_messages)
    index = _index(holder, preset)
    presets[index] = placed(presets[index], depth=depth, order=order, anchor=anchor, position=position)
    return holder.model_copy(update={"preset_messages": tuple(presets)})


def placed(
    preset: MessageNode,
    *,
    depth: float | str | None = None,
    order: float | None = None,
    anchor: str | None = None,
    position: str | None = None,
) -> MessageNode:
    """The preset with another place; what isn't named stays.

    `depth` 0 is after the newest message; a text such as `"3, 10~5"` names several. `anchor` is the id of a
    placeholder, and the `position` is before or after it; an empty anchor is none: the preset then stands among the
    others. Raises Refused for a place that doesn't exist.
    """
    if depth is not None and (anchor or position):
        raise Refused(f"a preset goes to a depth or to an anchor, not to both: depth {depth!r}, {anchor or position!r}")
    if position is not None and position not in SIDES:
        raise Refused(f"position can't be {position!r}: it is before or after an anchor")
    if depth is not None:
        preset = _at(preset, _at_depth(depth))
    elif anchor or (position and _is_at_anchor(preset)):
        preset = _at(preset, _beside(anchor or _anchor_of(preset), position or _side_of(preset)))
    elif position:
        raise Refused(f"position {position!r} needs an anchor: the preset has none")
    elif anchor is not None:
        preset = preset.without("injection_strategy", *OLDER_FORM)
    return preset if order is None else _in_order(preset, order)


def _at(preset: MessageNode, fields: dict[str, object]) -> MessageNode:
    """A strategy with these fields; its order stays, other forms of a place go."""
    old = preset.injection_strategy or InjectionStrategy()
    strategy = old.without("type", "depth", "depth_config", "anchor_target", "anchor_position").changed(fields)
    return preset.without(*OLDER_FORM).with_(injection_strategy=strategy)


def _at_depth(depth: float | str) -> dict[str, object]:
    if isinstance(depth, str):
        return {"type": "advanced_depth", "depth_config": depth}
    if isinstance(depth, bool) or not math.isfinite(depth) or depth < 0:
        raise Refused(f"depth can't be {depth!r}: it counts messages from the newest one, 0 is after it")
    return {"type": "depth", "depth": depth}


def _beside(anchor: str | None, side: str) -> dict[str, object]:
    target = {"anchor_target": anchor} if anchor is not None else {}
    return {"type": "anchor", **target, "anchor_position": side}


def _is_at_anchor(preset: MessageNode) -> bool:
    strategy = preset.injection_strategy
    if strategy is None:
        return preset.insertion_point is None and bool(preset.anchor_target or preset.anchor_point)
    if strategy.type:
        return strategy.type == "anchor"
    return strategy.depth is None and not strategy.depth_config and bool(strategy.anchor_target)


def _anchor_of(preset: MessageNode) -> str | None:
    strategy = preset.injection_strategy
    return strategy.anchor_target if strategy is not None else preset.anchor_target


def _side_of(preset: MessageNode) -> str:
    strategy = preset.injection_strategy
    side = strategy.anchor_position if strategy is not None else preset.anchor_point
    return "before" if side == "before" else "after"


def _in_order(preset: MessageNode, order: float) -> MessageNode:
    if isinstance(order, bool) or not math.isfinite(order):
        raise Refused(f"order can't be {order!r}: it is a number, smaller ones stand first")
    if preset.injection_strategy is None and _is_at_anchor(preset):
        preset = _at(preset, _beside(_anchor_of(preset), _side_of(preset)))
    strategy = preset.injection_strategy
    if strategy is None:
        raise Refused("order needs a depth or an anchor: a preset among the others stands where it is listed")
    return preset.with_(injection_strategy=strategy.changed({"order": order}))


def _index(holder: Agent | UserProfile, preset: int | str) -> int:
    presets = holder.preset_messages
    if isinstance(preset, int):
        if 0 <= preset < len(presets):
            return preset
        raise Refused(f"{holder.shown_name!r} has no preset {preset}: they are 0 to {len(presets) - 1}")
    ids = [str(node.id) for node in presets]
    if preset not in ids:
        raise Refused(f"{holder.shown_name!r} has no preset {preset!r}{did_you_mean(preset, ids)}")
    return ids.index(preset)
