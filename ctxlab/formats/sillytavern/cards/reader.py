"""SillyTavern's character cards, versions 1 to 3, from JSON and from PNG pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ctxlab.documents import Agent, Worldbook
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.card_fields import (
    BOOK_INSIDE,
    CALLED,
    CARRIED,
    CHARACTER,
    DEPTH_PROMPT,
    JAILBREAK,
    OTHER_NAMES,
    PROMPT_NAME,
    SLOTS,
    Data,
    converted,
    inner,
    notes_key,
    text_at,
)
from ctxlab.formats.sillytavern.lorebooks.reader import book_from
from ctxlab.formats.sillytavern.regex_scripts import OF_CARD, Compat, rules_inside
from ctxlab.lazy_dataclass import dataclass

DIALECT: Final = "sillytavern"
ROLES: Final = ("system", "user", "assistant")
DEPTH: Final = 4
"""Of a depth prompt that doesn't say."""
ORDER: Final = 100
FIRST: Final = "first_mes"
EXAMPLE: Final = "mes_example"
NO_PICTURE: Final = "none"
FIRST_OR_EXAMPLE: Final = frozenset({FIRST, EXAMPLE, *OTHER_NAMES[FIRST], *OTHER_NAMES[EXAMPLE]} - {"greeting"})
"""Keys of which one makes a card; "greeting" is too common a word."""
TEXTS: Final = (*(slot.key for slot in SLOTS), FIRST)


@dataclass(frozen=True, slots=True)
class Card:
    """An agent made of a character card, with the book that was in it."""

    agent: Agent
    book: Worldbook | None = None
    losses: tuple[Loss, ...] = ()


def is_card(data: Any) -> bool:
    """Whether data is a character card of any version; empty texts don't matter."""
    if not isinstance(data, dict):
        return False
    raw = cast("Data", data)
    if str(raw.get("spec", "")).startswith("chara_card"):
        return True
    if "nodes" in raw or "messages" in raw:
        return False
    return not FIRST_OR_EXAMPLE.isdisjoint(raw) or {"name", "description", "personality", "scenario"} <= set(raw)


def card_from(raw: Mapping[str, Any], *, name: str = "", id: str = "", compat: Compat = "ctxlab") -> Card:
    """The agent in a card's JSON; `name` is used where the card has none, `id` is by default made of the name.

    The agent's `description` and `creator_notes` are what the creator notes; the character's own description is
    `character_description` and the preset `charDescription`, the depth prompt `depth_prompt` and the preset
    `depthPrompt`. What ctxlab has no place for is kept in `carried` and written back. `compat="reference"` reads regex
    scripts as the reference does, and takes "none" for a picture.
    """
    data, losses = inner(raw), list[Loss]()
    own = text_at(data, "name", losses).strip()
    if not own:
        losses.append(Loss("name", f"the card has none; {name!r} is used"))
    agent_id = id or f"card-{own or name}"
    book = _book(data, agent_id, own or name, losses)
    fields: Data = {
        "id": agent_id,
        "name": own or name,
        "preset_messages": (*_presets(data, losses), *_depth_prompt(data, losses)),
        "greetings": _greetings(data, losses),
        "display_preset_count": 0,
        "macro_dialect": DIALECT,
        "carried": {
            CARRIED: raw,
            **({} if own else {CALLED: name}),
            **({BOOK_INSIDE: book.book_id} if book else {}),
        },
        **_about(raw, data, losses),
    }
    if compat == "ctxlab" and fields["icon"] == NO_PICTURE:
        fields["icon"] = None
    fields["worldbook_ids"] = (book.book_id,) if book else _linked_book(data)
    rules, found = rules_inside(
        _extensions(data), data, name=fields["name"], id=agent_id, priority=OF_CARD, compat=compat
    )
    losses += found
    if rules is not None:
        fields["regex_config"] = {"presets": [rules]}
    present = {key: value for key, value in fields.items() if value not in (None, ())}
    return Card(Agent.model_validate(present), book, tuple(losses))


def _about(raw: Mapping[str, Any], data: Mapping[str, Any], losses: list[Loss]) -> Data:
    """Fields that aren't sent: notes, tags, the picture, another name to show; and the texts that macros give."""
    fields: Data = {slot.field: converted(text_at(data, slot.key, [])) or None for slot in CHARACTER}
    fields["description"] = fields["creator_notes"] = text_at(data, notes_key(raw), losses) or None
    fields["depth_prompt"] = converted(text_at(_depth_prompt_of(data), "prompt", [])) or None
    fields["display_name"] = text_at(data, "nickname", losses) or None
    avatar = text_at(data, "avatar", losses)
    fields["icon"] = avatar or None
    if data.get("tags") is not None:
        try:
            fields["tags"] = coerce.texts(data["tags"])
        except ValueError as problem:
            losses.append(Loss("tags", f"{coerce.shown(data['tags'])} {problem}; left out"))
    return fields


def _presets(data: Mapping[str, Any], losses: list[Loss]) -> list[Data]:
    presets: list[Data] = []
    for slot in SLOTS:
        content = converted(text_at(data, slot.key, losses))
        if not content.strip():
            continue
        preset = _preset(slot.prompt, slot.title, content)
        if slot.prompt == JAILBREAK:
            preset["injection_strategy"] = {"depth": 0, "order": ORDER}
        presets.append(preset)
    return presets


def _preset(prompt: str, title: str, content: str, role: str = "system") -> Data:
    metadata = {PROMPT_NAME: prompt}
    return {
        "id": prompt,
        "role": role,
        "content": content,
        "name": title,
        "type": "message",
        "is_enabled": True,
        "metadata": metadata,
    }


def _depth_prompt(data: Mapping[str, Any], losses: list[Loss]) -> list[Data]:
    stored = _depth_prompt_of(data)
    content = converted(text_at(stored, "prompt", losses))
    if not content.strip():
        return []
    depth, role = stored.get("depth"), stored.get("role")
    try:
        at = DEPTH if depth in (None, "") else coerce.whole(depth)
    except ValueError as problem:
        losses.append(Loss("depth_prompt.depth", f"{coerce.shown(depth)} {problem}; {DEPTH} is used"))
        at = DEPTH
    if role not in (None, "", *ROLES):
        losses.append(Loss("depth_prompt.role", f"{coerce.shown(role)} is no role; system is used"))
    preset = _preset(DEPTH_PROMPT, "Depth Prompt", content, role if role in ROLES else "system")
    return [{**preset, "injection_strategy": {"depth": at, "order": ORDER}}]


def _depth_prompt_of(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return coerce.as_object(_extensions(data).get("depth_prompt"))


def _greetings(data: Mapping[str, Any], losses: list[Loss]) -> tuple[Data, ...]:
    """The first message and the others; blank ones are none, and the numbers are of those that are left."""
    first = converted(text_at(data, FIRST, losses))
    greetings = [{"id": FIRST, "name": "First Message", "content": first}] if first.strip() else []
    others = data.get("alternate_greetings")
    if others is not None and not isinstance(others, list):
        losses.append(Loss("alternate_greetings", f"{coerce.shown(others)} is no list; left out"))
        others = None
    texts = (
        converted(text_at({"": other}, "", losses)) for other in cast("list[Any]", others or []) if other is not None
    )
    for n, text in enumerate((text for text in texts if text.strip()), start=1):
        greetings.append({"id": f"alternate-{n}", "name": f"Alternate Greeting {n}", "content": text})
    return tuple({**greeting, "role": "assistant"} for greeting in greetings)


def _book(data: Mapping[str, Any], agent_id: str, name: str, losses: list[Loss]) -> Worldbook | None:
    raw = data.get("character_book")
    if raw in (None, {}, [], ""):
        return None
    if not isinstance(raw, Mapping):
        losses.append(Loss("character_book", f"{coerce.shown(raw)} is no lorebook; left out"))
        return None
    book, found = book_from(cast("Mapping[str, Any]", raw), name=f"{name}'s Lorebook", id=f"{agent_id}-book")
    losses += [loss.inside("character_book") for loss in found]
    return book


def _linked_book(data: Mapping[str, Any]) -> tuple[str, ...]:
    """A lorebook that lies beside the card, by its name."""
    world = _extensions(data).get("world")
    return (world,) if isinstance(world, str) and world else ()


def _extensions(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return coerce.as_object(data.get("extensions"))
