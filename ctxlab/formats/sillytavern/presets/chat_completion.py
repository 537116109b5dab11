"""SillyTavern's prompt presets (chat completion): prompts, their order, and the settings beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, cast

from ctxlab.documents import Agent, MessageNode
from ctxlab.documents.agent.left_out_presets import LEFT_OUT
from ctxlab.documents.agent.named_models import NAMED_MODELS, OWN_MODEL
from ctxlab.documents.agent.system_as_user import SYSTEM_AS_USER
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.card_fields import CALLED, CARRIED, Data, converted, text_at
from ctxlab.formats.sillytavern.presets.parameters import (
    REFERENCE,
    models_from,
    own_model_from,
    parameters_from,
    system_as_user_from,
)
from ctxlab.formats.sillytavern.presets.prompt_order import (
    ALWAYS,
    DEPTH,
    HISTORY,
    MARKERS,
    ORDER,
    ROLES,
    Orders,
    by_identifier,
    is_marker,
    message,
    order_of,
    usual_order,
)
from ctxlab.formats.sillytavern.regex_scripts import OF_PRESET, rules_inside
from ctxlab.formats.source import mostly


def as_the_reference(prompts: Mapping[str, Data], orders: Orders) -> Iterator[Data]:
    """No markers but the history's and nothing blank; a place of its own only after the history."""
    after, ordered = False, orders.names()
    for name, enabled in orders.entries:
        if name == HISTORY:
            after = True
            yield {**message(name, {}, enabled=enabled, losses=[]), "type": MARKERS[HISTORY]}
        elif _has_words(name, prompts.get(name, {})):
            strategy = _reference_place(prompts[name]) if after else None
            preset = message(name, prompts[name], enabled=enabled, losses=[])
            yield {**preset, **({"injection_strategy": strategy} if strategy else {})}
    for name, prompt in prompts.items():
        if orders.index is not None and name not in ordered and _has_words(name, prompt):
            yield message(name, prompt, enabled=False, losses=[])


def _has_words(name: str, prompt: Mapping[str, Any]) -> bool:
    return not is_marker(name, prompt) and bool(text_at(prompt, "content", []).strip())


def _reference_place(prompt: Mapping[str, Any]) -> Data | None:
    depth, position = prompt.get("injection_depth"), prompt.get("injection_position")
    if isinstance(depth, int | float) and depth > 0:
        return {"depth": depth, "order": ORDER}
    if position in (1, 2):
        side = "before" if position == 1 else "after"
        return {"anchor_target": MARKERS[HISTORY], "anchor_position": side, "order": ORDER}
    return {"depth": DEPTH, "order": ORDER} if position == 4 else None


Reading = Literal["sillytavern", "reference"]

PERSONA: Final = "{{persona}}"
NEW_CHAT: Final = "newMainChat"
FORMATS: Final = {"charPersonality": "personality_format", "scenario": "scenario_format"}
"""Keys of the templates for the card's texts at their markers."""
EXAMPLES: Final = "dialogueExamples"
FORMAT, EXAMPLE_START = "stFormat", "stExampleStart"
"""Metadata of a marker: how a card's text is put there; the line before each of its examples."""
TRIGGERS, GROUP_TEXT = "stTriggers", "stGroupText"
"""Metadata of a prompt: the kinds of turns that it is meant for; the text in its place in a group."""
OWN_WORDS: Final = "stForbidOverrides"
"""Metadata of a prompt: no card may replace its text."""
ABSOLUTE: Final = 1
CHOSEN: Final = "character_id"
"""Key of the character whose order of prompts an agent follows."""
READING: Final = "reading"
"""Key of the way of reading, if other than SillyTavern's."""


def is_preset(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    raw = unwrapped(cast("Data", data))
    if isinstance(raw.get("prompt_order"), list):
        return isinstance(raw.get("prompts"), list)
    return not raw.get("prompt_order") and mostly(raw.get("prompts"), _is_prompt)


def _is_prompt(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(cast("Data", value).get("identifier"), str)


def unwrapped(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Prompts that were exported alone have an envelope."""
    inside = raw.get("data")
    return cast("Mapping[str, Any]", inside) if "prompts" not in raw and isinstance(inside, Mapping) else raw


def preset_from(
    raw: Mapping[str, Any],
    *,
    name: str,
    id: str = "",
    character_id: int | str | None = None,
    reading: Reading = "sillytavern",
) -> tuple[Agent, list[Loss]]:
    """The agent whose presets are a file's prompts in their order; the order is `character_id`'s, else the last.

    Relative prompts stay where they are, absolute ones go to their depth, markers become placeholders of the same
    name; what isn't in the order is kept, switched off, and a prompt without words as it is. With
    `reading="reference"` places and parameters are as the reference program takes them: by depth wherever one is
    given, and markers are left out.
    """
    body = unwrapped(raw)
    losses: list[Loss] = []
    orders = order_of(body, character_id, losses)
    prompts = by_identifier(body, losses)
    if reading == "reference":
        presets = list(as_the_reference(prompts, orders))
        about: Data = {"parameters": {key: body[key] for key in REFERENCE if key in body}}
    else:
        if not body.get("prompt_order"):
            orders = usual_order(prompts)
            losses.append(Loss("prompt_order", "the file has none; SillyTavern's usual order is followed"))
        presets = _presets(body, prompts, orders, losses)
        about = parameters_from(body, losses)
    extensions = coerce.as_object(body.get("extensions"))
    rules, found = rules_inside(extensions, name=name, id=id or name, priority=OF_PRESET)
    losses += found
    fields: Data = {
        "id": id or f"preset-{name}",
        "name": name,
        "preset_messages": presets,
        "macro_dialect": "sillytavern",
        "carried": {
            CARRIED: raw,
            CALLED: name,
            **({NAMED_MODELS: models} if (models := models_from(body)) else {}),
            **({SYSTEM_AS_USER: fields} if (fields := system_as_user_from(body)) else {}),
            **({OWN_MODEL: own} if (own := own_model_from(body)) else {}),
            **({CHOSEN: character_id} if character_id is not None else {}),
            **({READING: reading} if reading != "sillytavern" else {}),
        },
        "regex_config": {"presets": [rules]} if rules else None,
        **about,
    }
    return Agent.model_validate({key: value for key, value in fields.items() if value is not None}), losses


# --- as SillyTavern reads it


def _presets(body: Mapping[str, Any], prompts: Mapping[str, Data], orders: Orders, losses: list[Loss]) -> list[Data]:
    presets: list[Data] = []
    for name, enabled in orders.entries:
        prompt = prompts.get(name)
        if prompt is None and name not in MARKERS:
            losses.append(Loss("prompt_order", f"it names the prompt {name!r}, which isn't there"))
            continue
        if name == HISTORY:
            presets += _new_chat(body, enabled=enabled, losses=losses)
        presets.append(_preset(name, prompt or {}, body, enabled=enabled, losses=losses))
    ordered = orders.names()
    if HISTORY not in ordered:
        losses.append(Loss("prompt_order", "the history is not in it; SillyTavern sends none then"))
    rest = [name for name in prompts if name not in ordered and not is_marker(name, prompts[name])]
    presets += [_not_in_order(_preset(name, prompts[name], body, enabled=False, losses=losses)) for name in rest]
    _order_by_role(presets)
    return presets


def missing_markers(raw: Mapping[str, Any], seen: Collection[str | None]) -> Iterator[MessageNode]:
    """Placeholders that SillyTavern sends at the end where the order doesn't name them; a history that it then omits.

    `seen` are the names of the prompts that are there. A preset without an order has them all.
    """
    body = unwrapped(raw)
    for name in ALWAYS:
        if name not in seen:
            yield MessageNode.model_validate(_preset(name, {}, body, enabled=True, losses=[]))
    if HISTORY not in seen:
        yield MessageNode.model_validate(_not_in_order(_preset(HISTORY, {}, body, enabled=False, losses=[])))


def _preset(
    name: str, prompt: Mapping[str, Any], body: Mapping[str, Any], *, enabled: bool, losses: list[Loss]
) -> Data:
    preset = message(name, prompt, enabled=enabled, losses=losses)
    if is_marker(name, prompt):
        return {**preset, **_marker(name, body, preset)}
    if prompt.get("injection_position") in (ABSOLUTE, str(ABSOLUTE)):
        depth = _number(prompt, "injection_depth", DEPTH, losses)
        preset["injection_strategy"] = {"depth": depth, "order": _number(prompt, "injection_order", ORDER, losses)}
    if prompt.get("forbid_overrides"):
        preset["metadata"] = {**preset["metadata"], OWN_WORDS: True}
    if isinstance(kinds := prompt.get("injection_trigger"), list) and kinds:
        preset["metadata"] = {**preset["metadata"], TRIGGERS: kinds}
    return preset


def _not_in_order(preset: Data) -> Data:
    return {**preset, "metadata": {**preset["metadata"], LEFT_OUT: "not-in-order"}}


def _marker(name: str, body: Mapping[str, Any], preset: Data) -> Data:
    """Only the persona has words of its own; the card's texts come where one is joined to the preset."""
    content = PERSONA if name == "personaDescription" else "" if name in MARKERS else preset["content"]
    metadata = preset["metadata"]
    format = body.get(FORMATS.get(name, ""))
    if isinstance(format, str):
        metadata = {**metadata, FORMAT: converted(format)}
    if name == EXAMPLES and isinstance(start := body.get("new_example_chat_prompt"), str):
        metadata = {**metadata, EXAMPLE_START: converted(start)}
    return {"type": MARKERS.get(name, name), "content": content, "metadata": metadata}


def _new_chat(body: Mapping[str, Any], *, enabled: bool, losses: list[Loss]) -> list[Data]:
    """SillyTavern's texts in front of the history, which are off with it."""
    prompt = {"name": "New chat", "content": text_at(body, "new_chat_prompt", losses)}
    group = text_at(body, "new_group_chat_prompt", losses)
    if not prompt["content"].strip() and not group.strip():
        return []
    made = message(NEW_CHAT, prompt, enabled=enabled, losses=losses)
    return [{**made, "metadata": {**made["metadata"], GROUP_TEXT: converted(group)}} if group else made]


def _order_by_role(presets: Sequence[Data]) -> None:
    """At one depth and order SillyTavern sorts by role; where that matters, a fraction on the order says so."""
    points: dict[tuple[Any, Any], list[Data]] = {}
    for preset in presets:
        strategy = preset.get("injection_strategy")
        if strategy and preset["is_enabled"] and preset["content"].strip():
            points.setdefault((strategy["depth"], strategy["order"]), []).append(preset)
    for (depth, order), there in points.items():
        if len({preset["role"] for preset in there}) > 1:
            for preset in there:
                preset["injection_strategy"] = {"depth": depth, "order": order + ROLES.index(preset["role"]) / 4}


def _number(prompt: Mapping[str, Any], key: str, default: int, losses: list[Loss]) -> int | float:
    value = prompt.get(key)
    if value in (None, ""):
        return default
    try:
        return coerce.number(value)
    except ValueError as problem:
        losses.append(Loss(key, f"{coerce.shown(value)} {problem}; {default} is used"))
        return default
