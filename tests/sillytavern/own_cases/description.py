"""A case in few words, and the files of the program that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.sillytavern.case_folder import as_bytes
from tests.sillytavern.live_cases import ENTRY

ORDER = (
    *("main", "worldInfoBefore", "personaDescription", "charDescription", "charPersonality", "scenario"),
    *("enhanceDefinitions", "nsfw", "worldInfoAfter", "dialogueExamples", "chatHistory", "jailbreak"),
)
"""The usual order of prompts; those of a case stand before the history."""
TEXTS = {
    "main": "Write what {{char}} says next to {{user}}.",
    "nsfw": "No more than four sentences.",
    "jailbreak": "Stay in the room.",
    "enhanceDefinitions": "Keep to what is known of {{char}}.",
}
TELLING: Mapping[str, Any] = {
    "temperature": 1,
    "openai_max_context": 8192,
    "openai_max_tokens": 300,
    "max_context_unlocked": True,
    "names_behavior": 0,
    "send_if_empty": "",
    "impersonation_prompt": "[What does {{user}} say?]",
    "new_chat_prompt": "[The evening begins]",
    "new_group_chat_prompt": "[In the room: {{group}}]",
    "new_example_chat_prompt": "[Another evening]",
    "continue_nudge_prompt": "[Go on after: {{lastChatMessage}}]",
    "group_nudge_prompt": "[{{char}} speaks]",
    "wi_format": "{0}",
    "scenario_format": "{{scenario}}",
    "personality_format": "{{personality}}",
    "assistant_prefill": "",
    "assistant_impersonation": "",
    "use_sysprompt": False,
    "squash_system_messages": False,
    "media_inlining": False,
    "continue_prefill": False,
    "continue_postfix": " ",
    "function_calling": False,
    "seed": -1,
    "n": 1,
    "extensions": {},
}
"""A preset besides its prompts."""
WHEN = "2026-10-02T18:00:00.000Z"
"""When all messages of the cases were sent."""
Said = Sequence[tuple[str, str]]
Turn = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OwnCase:
    """A conversation by its parts. `about` are the other keys of case.json, `user` is the persona's name."""

    name: str
    cards: Sequence[Mapping[str, Any]]
    said: Said
    turns: Sequence[Turn]
    preset: Mapping[str, Any]
    user: str = "Nele"
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    worlds: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict[str, Sequence[Mapping[str, Any]]])
    regex: Sequence[Mapping[str, Any]] = ()
    group: Mapping[str, Any] | None = None
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def topic(self) -> str:
        return self.name.partition("-")[0]

    def write(self, at: Path) -> Path:
        """A folder such as recorded cases have, without what was sent."""
        persona = {"name": self.user, "description": "", "position": 0, "depth": 2, "role": 0, "lorebook": ""}
        about = {
            "topic": self.topic,
            "active_books": list(self.worlds),
            "turns": list(self.turns),
            **self.about,
            "persona": {**persona, **self.about.get("persona", {})},
        }
        lines = [{"chat_metadata": self.metadata, "user_name": "unused", "character_name": "unused"}, *self._lines()]
        files: dict[str, bytes] = {
            "case.json": as_bytes(about),
            "preset.json": as_bytes(self.preset),
            "chat.jsonl": b"".join(as_bytes(line) + b"\n" for line in lines),
            **{f"cards/{card['data']['name']}.json": as_bytes(card) for card in self.cards},
            **{f"worlds/{name}.json": as_bytes(book_of(entries)) for name, entries in self.worlds.items()},
        }
        if self.regex:
            files["regex.json"] = as_bytes(list(self.regex))
        if self.group is not None:
            files["group.json"] = as_bytes(self.group)
        for place, content in files.items():
            (at / place).parent.mkdir(parents=True, exist_ok=True)
            (at / place).write_bytes(content)
        return at

    def _lines(self) -> Iterable[dict[str, Any]]:
        for name, text in self.said:
            is_user = name == self.user
            line = {"name": name, "is_user": is_user, "is_system": False, "send_date": WHEN, "mes": text, "extra": {}}
            own = {} if is_user else {"swipes": [text], "swipe_id": 0, "swipe_info": [{"send_date": WHEN, "extra": {}}]}
            yield {**line, **own}


def book_of(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    whole = {**ENTRY, "matchWholeWords": None, "characterFilter": {"isExclude": False, "names": [], "tags": []}}
    return {"entries": {str(uid): {"uid": uid, **whole, **entry} for uid, entry in enumerate(entries)}}


def card(name: str, **fields: Any) -> dict[str, Any]:
    """A card as the program writes it; `talkativeness`, `depth_prompt` and `world` are its extensions."""
    extensions = {
        "talkativeness": str(fields.pop("talkativeness", 0.5)),
        "fav": False,
        "world": fields.pop("world", ""),
        "depth_prompt": {"prompt": "", "depth": 4, "role": "system", **fields.pop("depth_prompt", {})},
    }
    data = {
        **dict.fromkeys(("description", "personality", "scenario", "first_mes", "mes_example", "creator_notes"), ""),
        **dict.fromkeys(("system_prompt", "post_history_instructions", "creator"), ""),
        "character_version": "1",
        "tags": [],
        "alternate_greetings": [],
        **fields,
        "name": name,
        "extensions": extensions,
    }
    top = {key: data[key] for key in ("name", "description", "personality", "scenario", "first_mes", "mes_example")}
    own = {"talkativeness": extensions["talkativeness"], "chat": "chat", "create_date": WHEN}
    return {**top, **own, "spec": "chara_card_v3", "spec_version": "3.0", "data": data}


def prompt(identifier: str, content: str = "", **more: Any) -> dict[str, Any]:
    """A prompt of a preset; with a `depth` it stands in the chat."""
    depth = more.pop("depth", None)
    place = {"injection_position": 0, "injection_depth": 4} if depth is None else {"injection_position": 1}
    usual: dict[str, Any] = {"role": "system", "system_prompt": False, "marker": False, "injection_order": 100}
    own = {"identifier": identifier, "name": identifier, "content": content, **place, **more}
    return {
        **usual,
        "injection_trigger": [],
        "forbid_overrides": False,
        **({} if depth is None else {"injection_depth": depth}),
        **own,
    }


def preset(
    *more: Mapping[str, Any],
    order: Sequence[str] | None = None,
    off: Sequence[str] = ("enhanceDefinitions",),
    fields: Mapping[str, Mapping[str, Any]] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """A preset with more prompts. Texts of the four usual prompts are given by name, other `fields` of prompts too."""
    texts = {**TEXTS, **{name: settings.pop(name) for name in TEXTS if name in settings}}
    markers = [name for name in ORDER if name not in texts]
    prompts: list[dict[str, Any]] = [
        *(prompt(name, text, system_prompt=True) for name, text in texts.items()),
        *({"identifier": name, "name": name, "system_prompt": True, "marker": True} for name in markers),
        *(dict(each) for each in more),
    ]
    prompts = [{**each, **(fields or {}).get(each["identifier"], {})} for each in prompts]
    usual = (*ORDER[:-2], *(each["identifier"] for each in more), *ORDER[-2:])
    rows = [{"identifier": name, "enabled": name not in off} for name in order or usual]
    return {**TELLING, "prompts": prompts, "prompt_order": [{"character_id": 100001, "order": rows}], **settings}
