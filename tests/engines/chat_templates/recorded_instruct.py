"""Prompts of text completion that SillyTavern 1.19.0 sent, with presets and chats that were written to be tried."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from ctxlab.context import Draft, Origin, Placement, Text
from ctxlab.documents.session.message import Role
from ctxlab.engines.chat_templates.instruct import InstructPreset, read_instruct_preset

FILE = Path(__file__).parents[2] / "sillytavern" / "recorded_text" / "instruct.json"
USER, CHAR = "Ilse", "Maren"
CARD = (("description", "charDescription"), ("personality", "charPersonality"), ("scenario", "scenario"))
IN_CHAT = 1
ROLES: tuple[Role, ...] = ("system", "user", "assistant")


@dataclass(frozen=True)
class RecordedText:
    """A prompt with its stop strings, and what it was made of."""

    name: str
    preset: InstructPreset
    drafts: tuple[Draft, ...]
    kind: Literal["normal", "continue", "impersonate"]
    ends_with_user: bool
    prompt: str
    stop: tuple[str, ...]


@cache
def recorded_texts() -> tuple[RecordedText, ...]:
    """All of them."""
    data = json.loads(FILE.read_text("utf-8"))
    return tuple(_recorded(data, case) for case in data["cases"])


def _recorded(data: Mapping[str, Any], case: Mapping[str, Any]) -> RecordedText:
    parts = {key: {**data[key], **case.get(key, {})} for key in ("instruct", "context", "sysprompt", "card")}
    chat: Sequence[Mapping[str, Any]] = case.get("chat", data["chat"])
    card = parts.pop("card")
    head = [*_card(card, case.get("persona", "")), *_examples(card["mes_example"])]
    drafts = (*head, *_chat(chat, case.get("inject", ()), is_continued=case.get("kind") == "continue"))
    return RecordedText(
        name=case["name"],
        preset=read_instruct_preset(parts, name="tried"),
        drafts=drafts,
        kind=case.get("kind", "normal"),
        ends_with_user=bool(chat[-1].get("is_user")),
        prompt=case["prompt"],
        stop=tuple(case["stop"]),
    )


def draft(key: str, role: Role, text: str, origin: Origin | None = None, **fields: Any) -> Draft:
    """A message with an origin of its own."""
    origin = origin or Origin("node", key)
    return Draft(key, role, (Text.of(text, origin),) if text else (), origin, **fields)


def _filled(text: str) -> str:
    return text.replace("{{user}}", USER).replace("{{char}}", CHAR)


def _card(card: Mapping[str, str], persona: str) -> list[Draft]:
    texts = [*((ref, card[key]) for key, ref in CARD), ("personaDescription", persona)]
    return [draft(ref, "system", _filled(text), Origin("preset", ref)) for ref, text in texts if text]


def _examples(text: str) -> list[Draft]:
    """The talks of a card as a build makes them: a heading, and the lines by who says them."""
    out: list[Draft] = []
    for block in re.split("(?i)<START>", _filled(text)):
        turns: list[list[str]] = []
        for line in block.strip().split("\n"):
            said = re.match(rf"({USER}|{CHAR}):(.*)", line)
            if said:
                turns.append([said[1], said[2]])
            elif turns:
                turns[-1][1] += "\n" + line
        origin = Origin("preset", "dialogueExamples")
        if turns:
            out.append(draft(f"example{len(out)}", "system", "[A talk]", origin))
        for who, words in turns:
            speaker = "example_user" if who == USER else "example_assistant"
            out.append(draft(f"example{len(out)}", "system", words.strip(), origin, speaker=speaker))
    return out


def _chat(
    chat: Sequence[Mapping[str, Any]], injected: Sequence[Mapping[str, Any]], *, is_continued: bool
) -> list[Draft]:
    out: list[Draft] = []
    for number, message in enumerate(chat):
        is_told = message.get("extra", {}).get("type") == "narrator"
        role: Role = "system" if is_told else "user" if message.get("is_user") else "assistant"
        words = message["mes"].replace("\r\n", "\n")
        out.append(draft(f"chat{number}", role, words, speaker=cast("str | None", message.get("name"))))
    last = [out.pop()] if is_continued else []
    injected = [each for each in injected if each["position"] == IN_CHAT]
    for depth in sorted({each["depth"] for each in injected}):
        for rank in (2, 1, 0):
            texts = [_filled(each["text"]) for each in injected if (each["depth"], each["role"]) == (depth, rank)]
            if texts:
                at = max(0, len(out) - max(0, depth - len(last))) if depth <= len(chat) else 0
                place = Placement("depth", depth=depth)
                origin = Origin("preset", f"depth{depth}")
                out.insert(at, draft(f"at{depth}{rank}", ROLES[rank], "\n".join(texts), origin, placement=place))
    return [*out, *last]
