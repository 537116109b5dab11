"""A recorded case as a data folder of SillyTavern, such as the program itself writes."""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

USER = "ilse.png"
KNOWN = frozenset(
    {
        *("topic", "active_books", "extra_books", "persona", "world_info", "power_user", "note", "turns", "clock"),
        *("model", "variables", "tags", "tag_map", "random", "oai"),
    }
)
"""Keys of case.json."""
LIVE_NAMES = {
    "temperature": "temp_openai",
    "frequency_penalty": "freq_pen_openai",
    "presence_penalty": "pres_pen_openai",
    "top_p": "top_p_openai",
    "top_k": "top_k_openai",
    "top_a": "top_a_openai",
    "min_p": "min_p_openai",
    "repetition_penalty": "repetition_penalty_openai",
}
"""Settings that a preset's file names otherwise than settings.json does."""
LORE = {
    "world_info_depth": 2,
    "world_info_min_activations": 0,
    "world_info_min_activations_depth_max": 0,
    "world_info_budget": 25,
    "world_info_include_names": True,
    "world_info_recursive": False,
    "world_info_overflow_alert": False,
    "world_info_case_sensitive": False,
    "world_info_match_whole_words": False,
    "world_info_character_strategy": 1,
    "world_info_budget_cap": 0,
    "world_info_use_group_scoring": False,
    "world_info_max_recursion_steps": 0,
}
"""With which the cases were recorded where they say nothing."""
GROUP: dict[str, Any] = {
    "name": "Mill",
    "allow_self_responses": False,
    "activation_strategy": 1,
    "generation_mode": 0,
    "disabled_members": [],
    "generation_mode_join_prefix": "",
    "generation_mode_join_suffix": "",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A folder of the inputs of a case, and of what was sent."""

    path: Path
    about: Mapping[str, Any]

    @classmethod
    def at(cls, path: Path) -> Case:
        return cls(path, json_of(path / "case.json"))

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def topic(self) -> str:
        return str(self.about.get("topic") or self.name.partition("-")[0])

    @property
    def clock(self) -> str | None:
        return self.about.get("clock") or None

    @property
    def is_group(self) -> bool:
        return (self.path / "group.json").exists()

    def turns(self) -> list[tuple[Mapping[str, Any], list[list[Mapping[str, Any]]]]]:
        """Each turn with the messages of the requests that it made."""
        sent = json_of(self.path / "sent.json")
        return [
            (turn.get("turn") or {}, [each.get("messages") or [] for each in turn.get("requests") or ()])
            for turn in sent.get("turns") or ()
        ]

    def notes(self) -> Iterator[str]:
        """What of the case isn't known here."""
        for key in self.about:
            if key not in KNOWN:
                yield f"case.json has a key that is not known here: {key!r}"
        known = {"case.json", "sent.json", "about.txt", "chat.jsonl", "preset.json", "regex.json", "group.json"}
        for path in self.path.iterdir():
            if path.is_file() and path.name not in known:
                yield f"it has a file that is not known here: {path.name!r}"


@dataclass(slots=True)
class WrittenFolder:
    """The data folder of a case, written; what a turn changes is written into it."""

    case: Case
    path: Path
    avatars: dict[str, str] = field(default_factory=dict[str, str])
    lines: list[Any] = field(default_factory=list[Any])
    settings: dict[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def of(cls, case: Case, path: Path) -> WrittenFolder:
        folder = cls(case, path)
        folder._cards()
        for world in sorted((case.path / "worlds").glob("*.json")):
            folder._put(f"worlds/{world.name}", world.read_bytes())
        folder._put(f"OpenAI Settings/{case.name}.json", (case.path / "preset.json").read_bytes())
        folder._put(f"User Avatars/{USER}", picture({}))
        folder._group()
        folder.lines = lines_of(case.path / "chat.jsonl")
        if not folder.lines or "mes" in folder.lines[0]:
            folder.lines.insert(0, {"chat_metadata": {}})
        folder.settings = folder._settings()
        folder.save()
        return folder

    @property
    def chat(self) -> str:
        """The file of the chat, below the data folder."""
        if self.case.is_group:
            return f"group chats/gc-{self.case.name}.jsonl"
        return f"chats/{next(iter(self.avatars.values())).removesuffix('.png')}/chat.jsonl"

    @property
    def metadata(self) -> dict[str, Any]:
        return self.lines[0].setdefault("chat_metadata", {})

    def save(self) -> None:
        """Write settings and chat as they are now."""
        self._put("settings.json", as_bytes(self.settings))
        self._put(self.chat, b"".join(as_bytes(line) + b"\n" for line in self.lines))

    def members(self) -> list[str | None]:
        """The names of those who reply in a turn, in order; None is the only character."""
        if not self.case.is_group:
            return [None]
        group = json_of(self.case.path / "group.json")
        muted = group.get("disabled_members") or ()
        return [member for member in group.get("members") or () if member not in muted] or [None]

    def _put(self, place: str, content: bytes) -> None:
        path = self.path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def _cards(self) -> None:
        for card in sorted((self.case.path / "cards").glob("*.json")):
            self.avatars[card.stem] = f"{self.case.name}--{card.stem}.png"
            self._put(f"characters/{self.avatars[card.stem]}", picture(json_of(card)))

    def _group(self) -> None:
        if not self.case.is_group:
            return
        own = json_of(self.case.path / "group.json")
        id, chat = f"g-{self.case.name}", f"gc-{self.case.name}"
        group: dict[str, Any] = {**GROUP, "id": id, "chat_id": chat, "chats": [chat], **own}
        for key in ("members", "disabled_members"):
            group[key] = [self.avatars.get(member, member) for member in group.get(key) or ()]
        self._put(f"groups/{id}.json", as_bytes(group))

    def _settings(self) -> dict[str, Any]:
        about, name = self.case.about, self.case.name
        persona = about.get("persona") or {}
        parts = {key: value for key, value in persona.items() if key != "name"}
        first = next(iter(self.avatars.values()), "").removesuffix(".png")
        note = json.loads(json.dumps(about.get("note") or {}))
        for own in note.get("chara") or ():
            own["name"] = first
        preset = json_of(self.case.path / "preset.json")
        live = {LIVE_NAMES.get(key, key): value for key, value in preset.items()}
        extra = list(about.get("extra_books") or ())
        return {
            "username": persona.get("name", "User"),
            "user_avatar": USER,
            "main_api": "openai",
            "active_character": None if self.case.is_group else next(iter(self.avatars.values()), None),
            "active_group": f"g-{name}" if self.case.is_group else None,
            "power_user": {
                "experimental_macro_engine": True,
                **(about.get("power_user") or {}),
                "personas": {USER: persona.get("name", "User")},
                "default_persona": None,
                "persona_descriptions": {USER: {"title": "", "connections": [], **parts}},
                "persona_description": parts.get("description", ""),
                **{f"persona_description_{key}": value for key, value in parts.items() if key != "description"},
            },
            "world_info_settings": {
                **LORE,
                **(about.get("world_info") or {}),
                "world_info": {
                    "globalSelect": list(about.get("active_books") or ()),
                    "charLore": [{"name": first, "extraBooks": extra}] if extra else [],
                },
            },
            "oai_settings": {
                **live,
                "chat_completion_source": "custom",
                "custom_model": about.get("model") or "gpt-4o",
                "custom_prompt_post_processing": "",
                **(about.get("oai") or {}),
                "preset_settings_openai": name,
            },
            "extension_settings": {
                "regex": json_of(self.case.path / "regex.json") if (self.case.path / "regex.json").exists() else [],
                "character_allowed_regex": list(self.avatars.values()),
                "preset_allowed_regex": {"openai": [name]},
                "note": {"default": "", "chara": [], "wiAddition": [], "allowWIScan": False, **note},
                "variables": {"global": dict((about.get("variables") or {}).get("global") or {})},
                "disabledExtensions": ["expressions", "memory", "translate", "quick-reply", "vectors"],
            },
            "tags": [{"id": tag, "name": tag} for tag in about.get("tags") or ()],
            "tag_map": {self.avatars.get(who, who): tags for who, tags in (about.get("tag_map") or {}).items()},
        }


def json_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def lines_of(path: Path) -> list[Any]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def as_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def picture(card: Any) -> bytes:
    """A PNG picture of one grey point with a card in it."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    text = b64encode(as_bytes(card))
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"tEXt", b"chara\0" + text), chunk(b"tEXt", b"ccv3\0" + text))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")
