"""Agents as SillyTavern's prompt presets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import floor
from typing import Any, Final, cast

from ctxlab.documents import Agent, MessageNode
from ctxlab.errors import WriteError
from ctxlab.formats.results import Export, Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.card_fields import Data, original_of, prompt_name
from ctxlab.formats.sillytavern.presets.chat_completion import (
    ABSOLUTE,
    CHOSEN,
    NEW_CHAT,
    READING,
    Reading,
    is_preset,
    preset_from,
    unwrapped,
)
from ctxlab.formats.sillytavern.presets.parameters import parameters_to, unknown_parameters
from ctxlab.formats.sillytavern.presets.prompt_order import DEPTH, EVERYONE, MARKERS, ORDER, order_of
from ctxlab.formats.sillytavern.regex_scripts import SCRIPTS, misread_of_agent, scripts_of_agent
from ctxlab.formats.sillytavern.roundtrip import patched

IDENTIFIERS: Final = {anchor: name for name, anchor in MARKERS.items()}
NO_PLACE: Final = {
    "greetings": "greetings",
    "worldbook_ids": "books",
    "tools": "tools",
    "tool_call_config": "settings of tools",
    "preset_groups": "groups of presets",
    "assets": "files",
    "character_description": "character",
    "virtual_time_config": "clock",
    "variable_config": "variables",
    "quick_action_set_ids": "quick actions",
    "llm_think_rules": "rules of reasoning",
    "model_id": "model",
    "user_profile_id": "user",
}


def preset_data(agent: Agent) -> Export[Data]:
    """The preset's JSON: what was read with what changed since, else a new one."""
    original = original_of(agent)
    if original is None or not is_preset(original):
        return Export(_fields(agent, {}), tuple(_losses(agent)))
    body = unwrapped(original)
    chosen = (agent.carried or {}).get(CHOSEN)
    reading: Reading = "reference" if (agent.carried or {}).get(READING) == "reference" else "sillytavern"
    before, _ = preset_from(original, name=agent.name, id=agent.id, character_id=chosen, reading=reading)
    written = patched(body, _fields(before, body, chosen), _fields(agent, body, chosen))
    whole = original if written is body else written if body is original else {**original, "data": written}
    known = set(_losses(before))
    return Export(cast("Data", whole), tuple(loss for loss in _losses(agent) if loss not in known))


def preset_json(agent: Agent) -> Export[bytes]:
    """`preset_data` as UTF-8 JSON, indented."""
    export = preset_data(agent)
    try:
        return export.as_bytes()
    except (WriteError, RecursionError) as error:
        raise WriteError(f"the preset {agent.shown_name!r} holds data nested too deeply to be written") from error


def _fields(agent: Agent, body: Mapping[str, Any], chosen: Any = None) -> Data:
    nodes = [(_identifier(node, index), node) for index, node in enumerate(agent.preset_messages)]
    fields = parameters_to(agent, body)
    prompts: list[Data] = []
    for identifier, node in nodes:
        if identifier == NEW_CHAT:
            fields["new_chat_prompt"] = node.content
        else:
            prompts.append(_prompt(identifier, node))
    stored = cast("list[Any]", body.get("prompts") or [])
    places = {str(coerce.as_object(prompt).get("identifier")): place for place, prompt in enumerate(stored)}
    prompts.sort(key=lambda prompt: places.get(prompt["identifier"], len(stored)))  # their order says nothing
    if not any(identifier == NEW_CHAT for identifier, _ in nodes):
        fields["new_chat_prompt"] = ""
    orders = order_of(body, chosen, [])
    ordered = orders.names()
    entries = [
        {"identifier": identifier, "enabled": node.enabled}
        for identifier, node in nodes
        if identifier != NEW_CHAT and (node.enabled or identifier in ordered or not body)
    ]
    if (scripts := scripts_of_agent(agent)) or body:
        fields["extensions"] = {SCRIPTS: scripts}
    return {**fields, "prompts": prompts, "prompt_order": list(_orders(body, orders.index, entries))}


def _orders(body: Mapping[str, Any], index: int | None, entries: list[Data]) -> Iterator[Data]:
    stored = body.get("prompt_order") or []
    if index is None:
        yield from entries if stored else [{"character_id": EVERYONE, "order": entries}]
        return
    for n, order in enumerate(stored):
        yield {**coerce.as_object(order), "order": entries} if n == index else order


def _identifier(node: MessageNode, index: int) -> str:
    return prompt_name(node) or IDENTIFIERS.get(node.type or "") or node.id or f"preset-{index}"


def _prompt(identifier: str, node: MessageNode) -> Data:
    if node.type not in (None, "", "message"):
        return {"identifier": identifier, "name": node.name or identifier, "system_prompt": True, "marker": True}
    prompt = {
        "identifier": identifier,
        "name": node.name or identifier,
        "role": node.role,
        "content": node.content,
        "injection_position": 0,
        "injection_depth": DEPTH,
        "injection_order": ORDER,
    }
    strategy = node.injection_strategy
    if strategy is not None and strategy.depth is not None:
        order = ORDER if strategy.order is None else floor(strategy.order)
        prompt |= {"injection_position": ABSOLUTE, "injection_depth": int(strategy.depth), "injection_order": order}
    return prompt


def _losses(agent: Agent) -> list[Loss]:
    losses = [
        Loss(f"preset {index}", "a preset knows no anchors and no patterns of depths; it stands where it is listed")
        for index, node in enumerate(agent.preset_messages)
        if node.injection_strategy is not None and node.injection_strategy.depth is None
    ]
    losses += [
        Loss(f"parameters.{name}", "a preset has no place for it; left out") for name in unknown_parameters(agent)
    ]
    losses += misread_of_agent(agent)
    held = [words for field, words in NO_PLACE.items() if getattr(agent, field)]
    return [*losses, Loss("", f"a preset has no place for the agent's {', '.join(held)}; left out")] if held else losses
