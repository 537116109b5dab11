"""Agents as character cards: JSON, and PNG pictures with the card inside."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from ctxlab.documents import Agent, MessageNode, Worldbook
from ctxlab.documents.stored import as_json
from ctxlab.errors import WriteError
from ctxlab.formats.results import Export, Loss
from ctxlab.formats.sillytavern.card_fields import (
    BOOK_INSIDE,
    CARRIED,
    CHARACTER,
    DEPTH_PROMPT,
    MAIN,
    OTHER_NAMES,
    SLOTS,
    Data,
    as_named_in,
    called,
    inner,
    notes_key,
    original_of,
    prompt_name,
    text_at,
    version,
)
from ctxlab.formats.sillytavern.cards.assets import CARD_URI, CHUNK, INLINE, OF_PICTURE
from ctxlab.formats.sillytavern.cards.png import BUNDLE, plain_picture, read_chunks, with_chunks
from ctxlab.formats.sillytavern.cards.reader import DEPTH, FIRST, NO_PICTURE, card_from, is_card
from ctxlab.formats.sillytavern.lorebooks.writer import book_to, written_form
from ctxlab.formats.sillytavern.regex_scripts import SCRIPTS, misread_of_agent, scripts_of_agent
from ctxlab.formats.sillytavern.roundtrip import patched

OF_PRESET: Final = "preset"
"""Key of the preset's JSON in an agent joined of a card and a preset."""
HISTORY: Final = "chat_history"
SKELETON: Final = frozenset({MAIN, *(slot.prompt for slot in CHARACTER)})
"""Texts of a card that go to no depth."""
SPEC: Final = {"spec": "chara_card_v2", "spec_version": "2.0"}
NO_PLACE: Final = {
    "parameters": "parameters",
    "processors": "settings of steps",
    "tools": "tools",
    "tool_call_config": "settings of tools",
    "preset_groups": "groups of presets",
    "virtual_time_config": "clock",
    "variable_config": "variables",
    "quick_action_set_ids": "quick actions",
    "llm_think_rules": "rules of reasoning",
    "model_id": "model",
    "user_profile_id": "user",
    "default_greeting_id": "default greeting",
    "worldbook_settings": "settings of books",
    "visual_guideline": "guideline for pictures",
    "category": "category",
}
"""Fields of an agent that a card can't hold, in words."""


def card_data(agent: Agent, *, book: Worldbook | None = None, takes_files: bool = False) -> Export[Data]:
    """The card's JSON: the one that was read, with what changed since, else a new card of version 2.

    `book` is the lorebook to put inside; without one, that of the card that was read stays. What an agent is sent as
    counts: a text is taken from its preset, and from the agent's field where there is no such preset. Files that aren't
    in the card's own JSON are a loss, unless something around the card `takes_files`.
    """
    files = [] if takes_files else _files_left_out(agent, (INLINE,))
    return _card_data(agent, book).after(files)


def _card_data(agent: Agent, book: Worldbook | None) -> Export[Data]:
    original = original_of(agent)
    if original is None or not is_card(original):
        return _fresh(agent, book)
    before = card_from(original, name=called(agent), id=agent.id).agent
    shape = version(original)
    joined = OF_PRESET in (agent.carried or {})
    card = patched(original, _fields(before, original), _fields(before if joined else agent, original, about=agent))
    losses = _losses(agent, shape) if not joined else [Loss("presets", "a card can't hold the preset it was joined to")]
    losses += [*_unsent(agent, before), *_other_books(agent, book)]
    return Export(_with_book(card, agent, book, shape), tuple(losses))


def card_json(agent: Agent, *, book: Worldbook | None = None) -> Export[bytes]:
    """`card_data` as UTF-8 JSON, indented."""
    export = card_data(agent, book=book)
    return Export(_as_json(export.data, agent), export.losses)


def card_png(
    agent: Agent, picture: str | os.PathLike[str] | bytes | None = None, *, book: Worldbook | None = None
) -> Export[bytes]:
    """The card inside a PNG picture, of which all but the card is kept; without one a plain picture is made.

    `picture` is the PNG's bytes or its file, such as the one that the card was read from.
    """
    export = _card_data(agent, book)
    raw, source = _bytes_of(picture)
    held = {f"{OF_PICTURE}{keyword.removeprefix(CHUNK).lstrip(':')}" for keyword in read_chunks(raw, source)}
    export = export.after(_files_left_out(agent, (INLINE, *held)))
    lost = [Loss("picture", "the agent bundle in it is taken out; it would hide the card")] if _bundled(raw) else []
    return Export(_in_picture(export.data, agent, raw, source), (*export.losses, *lost))


# --- pictures


def _bytes_of(picture: str | os.PathLike[str] | bytes | None) -> tuple[bytes, str]:
    if picture is None or isinstance(picture, bytes):
        return picture or plain_picture(), "the picture"
    try:
        return Path(picture).expanduser().read_bytes(), os.fspath(picture)
    except OSError as error:
        raise WriteError(f"the picture {os.fspath(picture)!r} can't be read: {error.strerror or error}") from error


def _bundled(picture: bytes) -> bool:
    return BUNDLE in read_chunks(picture, "the picture")


def _in_picture(card: Data, agent: Agent, picture: bytes, source: str) -> bytes:
    """Older programs look under `chara` and newer ones under `ccv3`, so version 3 goes under both."""
    newest = version(card) == 3
    older = {**card, **SPEC} if newest else card
    texts = {
        BUNDLE: None,
        "chara": b64encode(_as_json(older, agent)).decode(),
        "ccv3": b64encode(_as_json(card, agent)).decode() if newest else None,
    }
    return with_chunks(picture, texts, source=source)


def _as_json(card: Data, agent: Agent) -> bytes:
    try:
        return as_json(card, indent=2)
    except (WriteError, RecursionError) as error:
        raise WriteError(f"the card of {agent.shown_name!r} holds data nested too deeply to be written") from error


# --- fields


def _fields(agent: Agent, original: Mapping[str, Any], *, about: Agent | None = None) -> Data:
    """The agent's texts in the fields of a card; `about` has those that aren't sent as a preset."""
    about = about or agent
    data: Data = {
        "name": "" if called(about) == about.name else about.name,
        **_texts(agent),
        **_greetings(about),
        notes_key(original): _notes(about),
        "avatar": _avatar(about),
        "tags": list(about.tags),
        "extensions": {"depth_prompt": _depth_prompt(agent), "world": _linked(about), SCRIPTS: scripts_of_agent(about)},
    }
    if version(original) == 3:
        data["nickname"] = about.display_name or ""
    data = as_named_in(original, data)
    if not isinstance(original.get("data"), Mapping):
        return data
    return {**{key: value for key, value in data.items() if key in original}, "data": data}


def _avatar(agent: Agent) -> str:
    """The agent's icon; of one that is a file of its own, what the card that was read says of its picture."""
    icon = agent.icon or ""
    if not icon.startswith("assets/"):
        return icon
    said = text_at(inner(original_of(agent) or {}), "avatar", [])
    return "" if said == NO_PICTURE else said


def _files_left_out(agent: Agent, kept: Collection[str]) -> list[Loss]:
    """A loss that names the agent's files but those whose address in the card is kept, and but its icon."""
    gone = [asset for asset in agent.assets if str(asset.get(CARD_URI)).lower() not in kept]
    if not gone:
        return []
    first = gone[0].get("path") or gone[0].get("id")
    return [Loss("files", f"{len(gone)} of the agent's, such as {first!r}, have no place here; a .charx holds them")]


def _texts(agent: Agent) -> Data:
    sent = {prompt_name(preset): preset.content for preset in reversed(agent.preset_messages)}
    return {slot.key: sent.get(slot.prompt, (getattr(agent, slot.field) or "") if slot.field else "") for slot in SLOTS}


def _notes(agent: Agent) -> str:
    """The creator's notes: the agent's description, of an agent that was no card also its own field of that name."""
    return agent.description or (agent.creator_notes if original_of(agent) is None else "") or ""


def _depth_prompt(agent: Agent) -> Data:
    preset = next((p for p in agent.preset_messages if prompt_name(p) == DEPTH_PROMPT), None)
    if preset is None:  # a card whose preset was taken out has no depth prompt any more
        prompt = agent.depth_prompt or "" if original_of(agent) is None else ""
        return {"prompt": prompt, "depth": DEPTH, "role": "system"}
    return {"prompt": preset.content, "depth": _depth(preset), "role": preset.role}


def _depth(preset: MessageNode) -> int:
    strategy = preset.injection_strategy
    return int(strategy.depth) if strategy and strategy.depth is not None else DEPTH


def _greetings(agent: Agent) -> Data:
    """The first message is the one that was it on reading; in an agent that was no card, the first."""
    first = next((greeting for greeting in agent.greetings if greeting.id == FIRST), None)
    if first is None and original_of(agent) is None:
        first = next(iter(agent.greetings), None)
    others = [greeting.content for greeting in agent.greetings if greeting is not first]
    return {FIRST: first.content if first else "", "alternate_greetings": others}


def _linked(agent: Agent) -> str:
    return next((name for name in agent.worldbook_ids if not _is_inside(name, agent)), "")


def _is_inside(book_id: str, agent: Agent) -> bool:
    return book_id == (agent.carried or {}).get(BOOK_INSIDE)


def _with_book(card: Data, agent: Agent, book: Worldbook | None, shape: int) -> Data:
    """The card with this book inside; without the one it had where the agent no longer names it."""
    held = inner(card).get("character_book")
    if book is not None:
        as_read = isinstance(held, Mapping) and (book.carried or {}).get(CARRIED) == held
        now = book_to(book, form=written_form(book) if as_read else "character_book")
    elif (was := (agent.carried or {}).get(BOOK_INSIDE)) and was not in agent.worldbook_ids:
        now = None
    else:
        return card
    if now is held:
        return card
    nested = isinstance(card.get("data"), dict)
    names = {"character_book", *OTHER_NAMES["character_book"]}
    holder = {key: value for key, value in (card["data"] if nested else card).items() if key not in names}
    if now is not None:
        holder["character_book"] = now
    return {**card, "data": holder} if nested else holder


# --- agents that never were cards, and what gets lost


def _fresh(agent: Agent, book: Worldbook | None) -> Export[Data]:
    losses = [
        *_losses(agent, 2, fresh=True, book=book),
        *_unsent(agent, Agent.model_validate({})),
        *_other_books(agent, book),
    ]
    data = _fields(agent, SPEC)
    data |= {"name": agent.shown_name, "creator": "", "character_version": agent.agent_version or ""}
    before = [preset.content for preset in _plain(agent)]
    data["system_prompt"] = "\n\n".join(text for text in [data["system_prompt"], *before] if text)
    if not data["extensions"][SCRIPTS]:
        del data["extensions"][SCRIPTS]
    if not data["extensions"]["depth_prompt"]["prompt"]:
        del data["extensions"]["depth_prompt"]
    return Export(_with_book({**SPEC, "data": data}, agent, book, 2), tuple(losses))


def _plain(agent: Agent) -> list[MessageNode]:
    """System messages before the history that are nothing in SillyTavern's prompt: they become the system prompt."""
    found: list[MessageNode] = []
    for preset in agent.preset_messages:
        if preset.type == HISTORY:
            break
        ordinary = preset.type in (None, "", "message") and preset.injection_strategy is None
        if ordinary and preset.enabled and preset.role == "system" and prompt_name(preset) is None:
            found.append(preset)
    return found


def _losses(agent: Agent, shape: int, *, fresh: bool = False, book: Worldbook | None = None) -> list[Loss]:
    known = {slot.prompt for slot in SLOTS} | {DEPTH_PROMPT}
    plain = {id(preset) for preset in _plain(agent)} if fresh else set[int]()
    losses: list[Loss] = []
    for index, preset in enumerate(agent.preset_messages):
        name = prompt_name(preset)
        if id(preset) in plain or preset.type == HISTORY:
            continue
        if name not in known:
            losses.append(Loss(f"preset {index}", "a card has no place for it; left out"))
            continue
        known = known - {name}
        if not preset.enabled:
            losses.append(Loss(f"preset {index}", "it is switched off, which a card can't say"))
        if name != DEPTH_PROMPT and preset.role != "system":
            losses.append(Loss(f"preset {index}", f"its role {preset.role!r} becomes system"))
        if name in SKELETON and preset.injection_strategy is not None:
            losses.append(Loss(f"preset {index}", "its place in the prompt is not said in a card"))
    held = [words for field, words in NO_PLACE.items() if getattr(agent, field)]
    if held:
        losses.append(Loss("", f"a card has no place for the agent's {', '.join(held)}; left out"))
    losses += [
        Loss(f"greeting {greeting.id!r}", f"its {what}; a card's greetings are the character's words alone")
        for greeting in agent.greetings
        for what, has_it in (("role is lost", greeting.role != "assistant"), ("files are lost", greeting.attachments))
        if has_it
    ]
    losses += misread_of_agent(agent)
    if agent.display_name and shape != 3 and not fresh:
        losses.append(Loss("displayName", "only cards of version 3 have a nickname; left out"))
    if fresh and agent.worldbook_ids and book is None:
        losses.append(Loss("worldbookIds", "the card names the first of its books; give it with book= to put it in"))
    return losses


def _unsent(agent: Agent, before: Agent) -> list[Loss]:
    """A loss for each changed text of the character in whose place its preset's is written."""
    sent = {prompt_name(preset): preset.content for preset in reversed(agent.preset_messages)}
    fields = [*((slot.field, slot.prompt) for slot in CHARACTER), ("depth_prompt", DEPTH_PROMPT)]
    losses = [
        Loss(field, f"the preset {prompt!r} says something else, and that is written; change the preset")
        for field, prompt in fields
        if (text := getattr(agent, field)) != getattr(before, field) and prompt in sent and (text or "") != sent[prompt]
    ]
    if agent.creator_notes != before.creator_notes and (agent.creator_notes or "") != _notes(agent):
        losses.append(Loss("creator_notes", "the agent's description is written in its place; change that"))
    return losses


def _other_books(agent: Agent, book: Worldbook | None) -> list[Loss]:
    """A loss for each book beyond the one inside the card and the one that it names."""
    inside = book.book_id if book is not None else (agent.carried or {}).get(BOOK_INSIDE)
    held = {inside, _linked(agent)}
    return [
        Loss(f"book {id!r}", "a card holds one and names one; left out") for id in agent.worldbook_ids if id not in held
    ]
