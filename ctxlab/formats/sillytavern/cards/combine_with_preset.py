"""A card and a prompt preset as one agent, which is sent as SillyTavern would send the two."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from ctxlab.documents import Agent, MessageNode, ProcessorEntry, RegexConfig, RegexPreset
from ctxlab.documents.agent.card_words import card_words
from ctxlab.documents.agent.left_out_presets import left_out
from ctxlab.documents.agent.named_models import NAMED_MODELS, OWN_MODEL
from ctxlab.documents.agent.system_as_user import SYSTEM_AS_USER
from ctxlab.formats.sillytavern.card_fields import JAILBREAK, MAIN, SLOTS, original_of, prompt_name
from ctxlab.formats.sillytavern.cards.writer import OF_PRESET
from ctxlab.formats.sillytavern.presets.chat_completion import FORMAT, OWN_WORDS, READING, is_preset, missing_markers
from ctxlab.formats.sillytavern.presets.prompt_order import HISTORY, MARKERS
from ctxlab.formats.sillytavern.regex_scripts import RULES_OF_PRESET
from ctxlab.lazy_pattern import lazy_pattern

ORIGINAL: Final = lazy_pattern(r"\{\{original\}\}", re.IGNORECASE)
OF_REQUESTS: Final = (NAMED_MODELS, OWN_MODEL, SYSTEM_AS_USER)
"""Keys of what a preset carries that requests ask for."""
MACROS: Final = {
    "charDescription": "description",
    "charPersonality": "personality",
    "scenario": "scenario",
    "dialogueExamples": "mesExamples",
}
"""Under which name a marker's format has the card's text."""


def joined(preset: Agent, card: Agent, *, overrides: Collection[str] = (MAIN, JAILBREAK)) -> Agent:
    """The card's agent with the preset's prompts and settings, the card's texts at the preset's markers.

    The card's system prompt and last instructions replace the preset's, where the preset allows it; `{{original}}` in
    them is the preset's own text. `overrides` are those of the two that may: SillyTavern has a setting for each. A
    marker that the preset's order doesn't name stands at the end, as SillyTavern sends it; a text without any is kept,
    switched off. What else the card brings (depth prompt, greetings, books, rules) comes along.
    """
    texts: dict[str | None, MessageNode] = {
        name: node for node in reversed(card.preset_messages) if (name := prompt_name(node)) in _NAMES
    }
    nodes = [*preset.preset_messages, *_missing(preset)]
    seen = {prompt_name(node) for node in nodes}
    kept = {MAIN, JAILBREAK}.difference(overrides)
    messages = [node if prompt_name(node) in kept else _filled(node, texts) for node in nodes]
    homeless = [left_out(node, "no-marker") for name, node in texts.items() if name not in seen]
    messages = [*_with_own(messages, card), *reversed(homeless)]
    rules = [*_rules(card), *_rules(preset)]  # the order in which SillyTavern runs them
    parts = {
        "preset_messages": tuple(messages),
        "parameters": {**(preset.parameters or {}), **(card.parameters or {})} or None,
        "processors": _merged(preset, card),
        "regex_config": RegexConfig(presets=tuple(rules)) if rules else None,
        "worldbook_ids": tuple(dict.fromkeys((*card.worldbook_ids, *preset.worldbook_ids))),
        "preset_groups": (*preset.preset_groups, *card.preset_groups),
        "model_id": card.model_id or preset.model_id,
        "macro_dialect": card.macro_dialect or preset.macro_dialect,
        "carried": {
            **(card.carried or {}),
            **{key: value for key, value in (preset.carried or {}).items() if key in OF_REQUESTS},
            OF_PRESET: original_of(preset) or {},
            RULES_OF_PRESET: [each.id for each in _rules(preset)],
        },
    }
    present = {name: value for name, value in parts.items() if value or name in card.model_fields_set}
    return card.with_(**present)


def _missing(preset: Agent) -> Iterator[MessageNode]:
    """Markers that a chat completion preset's order doesn't name, in SillyTavern's order."""
    raw = original_of(preset)
    if raw is not None and is_preset(raw) and READING not in (preset.carried or {}):
        yield from missing_markers(raw, {prompt_name(node) for node in preset.preset_messages})


_NAMES: Final = frozenset(slot.prompt for slot in SLOTS)


def _filled(node: MessageNode, texts: Mapping[str | None, MessageNode]) -> MessageNode:
    name = prompt_name(node)
    text = texts.get(name)
    if text is None or not text.enabled or not text.content.strip():
        return node
    words = text.content.strip()
    if name in (MAIN, JAILBREAK):
        return node if (node.metadata or {}).get(OWN_WORDS) else _made_of(node, _overriding(words, node.content))
    format = (node.metadata or {}).get(FORMAT)
    if not isinstance(format, str) or not format:
        return node.with_(content=words)
    return _made_of(node, _formatted(format, MACROS[name or ""], words))


def _made_of(node: MessageNode, pieces: Sequence[str]) -> MessageNode:
    """The preset with the content that these pieces are, the card's and its own in turn."""
    about = card_words(pieces)
    return node.with_(content="".join(pieces), **({"metadata": {**(node.metadata or {}), **about}} if about else {}))


def _overriding(text: str, original: str) -> Sequence[str]:
    first, *rest = ORIGINAL.split(text, maxsplit=1)
    return (first, original, ORIGINAL.sub("", rest[0])) if rest else (first,)


def _formatted(format: str, macro: str, text: str) -> Sequence[str]:
    first, *rest = re.split(rf"\{{\{{{macro}\}}\}}", format, flags=re.IGNORECASE)
    return ("", first, *(piece for own in rest for piece in (text, own)))


def _with_own(messages: list[MessageNode], card: Agent) -> Iterator[MessageNode]:
    """The card's other presets: those with a place of their own last, the rest just before the history."""
    others = [
        node for node in card.preset_messages if prompt_name(node) not in _NAMES and node.type != MARKERS[HISTORY]
    ]
    placed = [node for node in others if node.injection_strategy is not None]
    plain = [node for node in others if node.injection_strategy is None]
    for node in messages:
        if node.type == MARKERS[HISTORY]:
            yield from plain
            plain = []
        yield node
    yield from plain
    yield from placed


def _rules(agent: Agent) -> tuple[RegexPreset, ...]:
    return agent.regex_config.presets if agent.regex_config else ()


def _merged(preset: Agent, card: Agent) -> tuple[ProcessorEntry, ...]:
    """Settings of steps; the card's own beat the preset's."""
    own = {entry.id for entry in card.processors}
    return (*(entry for entry in preset.processors if entry.id not in own), *card.processors)
