"""The HTML of an agent for the notebook: its presets in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.documents.session.message import MessageNode

if TYPE_CHECKING:
    from ctxlab.documents.agent.agent import Agent, UserProfile


def agent_html(agent: Agent) -> str:
    """The description of an agent, its model, its presets, and the steps that it has settings for."""
    about = [f"model {agent.model_id}"] if agent.model_id else []
    about += [f"settings of {entry.id}" for entry in agent.processors]
    description = [agent.description] if agent.description else []
    return heading(agent) + lines(description) + presets_table(agent.preset_messages) + lines(about)


def user_html(user: UserProfile) -> str:
    """The persona of a user, and the presets."""
    return heading(user) + lines([user.content] if user.content else []) + presets_table(user.preset_messages)


def presets_table(presets: Sequence[MessageNode]) -> str:
    """One row a preset: its number, name, role, place and text; nothing where there are none."""
    rows = (
        (i, preset.name or preset.id, preset.role, _place(preset), preset.content, "" if preset.enabled else "off")
        for i, preset in enumerate(presets)
    )
    head = ("", "preset", "role", "place", "text", "")
    return html_table(head, rows, cells=80, of="presets") if presets else ""


def _place(preset: MessageNode) -> str:
    """The fields that place a preset, in words; empty for one of the skeleton."""
    return ", ".join(_place_words(preset))


def _place_words(preset: MessageNode) -> Iterator[str]:
    strategy = preset.injection_strategy
    if strategy is None:
        return
    if strategy.depth_config or strategy.depth is not None:
        depth = strategy.depth_config if strategy.depth_config else f"{strategy.depth:g}"
        yield f"depth {depth}"
    elif strategy.anchor_target:
        yield f"{strategy.anchor_position or 'at'} {strategy.anchor_target}"
    if strategy.order is not None:
        yield f"order {strategy.order:g}"
