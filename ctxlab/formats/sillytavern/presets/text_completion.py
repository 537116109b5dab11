"""SillyTavern's presets for text completion: context templates, system prompts, instruct sequences.

ctxlab sends messages, so the order of the texts is read from such a preset; how it makes one text of all messages is
kept in `carried`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from ctxlab.documents import Agent
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern.card_fields import (
    CALLED,
    CARRIED,
    JAILBREAK,
    MAIN,
    Data,
    converted,
    text_at,
)
from ctxlab.formats.sillytavern.presets.chat_completion import EXAMPLES, FORMAT, PERSONA
from ctxlab.formats.sillytavern.presets.prompt_order import HISTORY, MARKERS, message
from ctxlab.lazy_pattern import lazy_pattern

PLACES: Final = {
    "system": MAIN,
    "wiBefore": "worldInfoBefore",
    "loreBefore": "worldInfoBefore",
    "description": "charDescription",
    "personality": "charPersonality",
    "scenario": "scenario",
    "wiAfter": "worldInfoAfter",
    "loreAfter": "worldInfoAfter",
    "persona": "personaDescription",
    "mesExamples": EXAMPLES,
}
"""Names in a story string, with the prompt whose text each of them shows."""
IDLE: Final = frozenset({"anchorBefore", "anchorAfter", "trim"})
END_IF: Final = "{{/if}}"
CONDITION: Final = r"\{\{#if\s+(?P<condition>\w+)\s*\}\}(?P<body>.*?)\{\{/if\}\}"
NAMED: Final = rf"\{{\{{(?P<shown>{'|'.join([*PLACES, *sorted(IDLE)])})\}}\}}"
PIECE: Final = lazy_pattern(f"{CONDITION}|{NAMED}", re.DOTALL)
SHOWN: Final = lazy_pattern(f"(?P<condition>(?!))?{NAMED}")
ELSE: Final = lazy_pattern(r"\{\{else\}\}.*", re.DOTALL)
BRACED: Final = lazy_pattern(r"\{\{[#/][^{}]*\}\}")


def is_context(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("story_string"), str)


def is_instruct(data: Mapping[str, Any]) -> bool:
    return {"input_sequence", "output_sequence"} <= data.keys()


def is_system_prompt(data: Mapping[str, Any]) -> bool:
    named = isinstance(data.get("name"), str) and isinstance(data.get("content"), str)
    return named and data.keys() <= {"name", "content", "post_history"}


PARTS: Final[tuple[tuple[str, Callable[[Mapping[str, Any]], bool]], ...]] = (
    ("sysprompt", is_system_prompt),
    ("context", is_context),
    ("instruct", is_instruct),
)
"""The parts that a file of several presets has, by key."""


def parts_of(data: Any) -> dict[str, Data]:
    """The presets in a file, by kind: the file is one, or holds several."""
    if not isinstance(data, dict):
        return {}
    raw = cast("Data", data)
    alone = {kind: raw for kind, test in PARTS if test(raw)}
    inside = {kind: raw[kind] for kind, test in PARTS if isinstance(raw.get(kind), dict) and test(raw[kind])}
    return alone or inside


def text_preset_from(raw: Mapping[str, Any], *, name: str, id: str = "") -> tuple[Agent, list[Loss]]:
    """The agent whose presets are the texts of a context template, a system prompt or an instruct preset, in order."""
    parts = parts_of(raw)
    losses: list[Loss] = []
    system = parts.get("sysprompt", {})
    text = text_at(system, "content", losses) or text_at(parts.get("instruct", {}), "system_prompt", losses)
    main = {"name": "System Prompt", "content": text}
    presets = list(_story_presets(parts["context"], main, losses)) if "context" in parts else list(_main(main, losses))
    after = text_at(system, "post_history", losses)
    if after.strip():
        presets.append(_after_history(after, losses))
    if "instruct" in parts:
        losses.append(Loss("instruct", "its sequences are kept, but messages are sent, not one text made of them"))
    fields = {
        "id": id or f"preset-{name}",
        "name": name,
        "preset_messages": presets,
        "macro_dialect": "sillytavern",
        "carried": {CARRIED: raw, CALLED: name},
    }
    return Agent.model_validate(fields), losses


def _main(prompt: Data, losses: list[Loss]) -> Iterator[Data]:
    if prompt["content"].strip():
        yield message(MAIN, prompt, enabled=True, losses=losses)


def _after_history(text: str, losses: list[Loss]) -> Data:
    prompt = {"name": "Post-History Instructions", "content": text}
    preset = message(JAILBREAK, prompt, enabled=True, losses=losses)
    return {**preset, "injection_strategy": {"depth": 0, "order": 100}}


# --- the story string


def _story_presets(context: Mapping[str, Any], main: Data, losses: list[Loss]) -> Iterator[Data]:
    """A preset for each text that the story string shows, and for the words between them; then the history."""
    story_string = converted(str(context["story_string"]))
    seen: set[str] = set()
    end = 0
    for found in _pieces(story_string):
        yield from _words(story_string[end : found.start()], len(seen), losses)
        end = found.end()
        name = found["condition"] or found["shown"]
        body = found["body"] if found["condition"] else f"{{{{{name}}}}}"
        if name in IDLE:
            continue
        if name not in PLACES or PLACES[name] in seen:
            losses.append(Loss("story_string", f"the text for {name!r} has no place of its own; left out"))
            continue
        seen.add(PLACES[name])
        yield _place(PLACES[name], body, main, losses)
    yield from _words(story_string[end:], len(seen), losses)
    if MAIN not in seen and main["content"].strip():
        losses.append(Loss("story_string", "it doesn't show the system prompt; left out"))
    if EXAMPLES not in seen:
        yield _marker(EXAMPLES, "")
    yield _marker(HISTORY, "")
    for key in ("chat_start", "example_separator"):
        if text_at(context, key, losses).strip():
            losses.append(Loss(key, f"{context[key]!r} is kept, but not sent"))


def _pieces(story_string: str) -> Iterator[re.Match[str]]:
    """The pieces in order. Behind the last end of a condition none is looked for, which would take long."""
    last = story_string.rfind(END_IF)
    end = last + len(END_IF) if last >= 0 else 0
    yield from PIECE.finditer(story_string, 0, end)
    yield from SHOWN.finditer(story_string, end)


def _place(prompt: str, body: str, main: Data, losses: list[Loss]) -> Data:
    if ELSE.search(body) or BRACED.search(body):
        losses.append(Loss("story_string", f"what stands there without {prompt!r} is left out"))
        body = BRACED.sub("", ELSE.sub("", body))
    if prompt != MAIN:
        return _marker(prompt, body.strip())
    return message(MAIN, main, enabled=True, losses=losses)


def _marker(prompt: str, format: str) -> Data:
    preset = message(prompt, {}, enabled=True, losses=[])
    content = (format or PERSONA) if prompt == "personaDescription" else ""
    metadata = {**preset["metadata"], **({FORMAT: format} if format else {})}
    return {**preset, "type": MARKERS[prompt], "content": content, "metadata": metadata}


def _words(text: str, index: int, losses: list[Loss]) -> Iterator[Data]:
    if BRACED.search(text):
        losses.append(Loss("story_string", "a condition that isn't known is left out; its text stays"))
        text = BRACED.sub("", text)
    if text.strip():
        yield message(f"story-{index}", {"name": "Story", "content": text.strip()}, enabled=True, losses=losses)
