"""A small data folder of the program, of invented texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.sillytavern.case_folder import as_bytes, picture

MARKERS = (
    *("worldInfoBefore", "personaDescription", "charDescription", "charPersonality", "scenario", "worldInfoAfter"),
    *("dialogueExamples", "chatHistory"),
)
PRESET: Mapping[str, Any] = {
    "preset_settings_openai": "Quiet",
    "chat_completion_source": "custom",
    "custom_model": "gpt-4o",
    "openai_max_context": 4000,
    "openai_max_tokens": 200,
    "squash_system_messages": False,
    "new_chat_prompt": "[Here it begins]",
    "prompts": [
        {"identifier": "main", "name": "Main", "role": "system", "content": "You are {{char}}.", "system_prompt": True},
        {"identifier": "jailbreak", "name": "Last", "role": "system", "content": "Stay brief.", "system_prompt": True},
        *({"identifier": name, "name": name, "marker": True, "system_prompt": True} for name in MARKERS),
    ],
    "prompt_order": [
        {
            "character_id": 100001,
            "order": [{"identifier": name, "enabled": True} for name in ("main", *MARKERS, "jailbreak")],
        }
    ],
}
PERSONA = {"description": "A ferrywoman.", "position": 0, "depth": 2, "role": 0, "lorebook": ""}
LORE: Mapping[str, Any] = {"world_info": {"globalSelect": [], "charLore": []}, "world_info_depth": 3}
SAID = (
    ("Odo", False, "The ferry is late."),
    ("Wenna", True, "Then we wait."),
    ("Odo", False, "We do."),
    ("Wenna", True, "Is there a lamp?"),
)


def write_folder(at: Path, **parts: Any) -> Path:
    """A folder with the card Odo and one chat, `evening`; `parts` take the place of settings by their key."""
    card = parts.pop("card", {})
    files: dict[str, bytes] = {
        "characters/odo.png": picture(_card(card)),
        "chats/odo/evening.jsonl": _chat(parts.pop("metadata", {}), parts.pop("said", SAID)),
        "secrets.json": b'{"api_key_openai": "never to be read"}',
        **{f"worlds/{name}.json": as_bytes(_world(text)) for name, text in parts.pop("worlds", {}).items()},
    }
    power_user = {
        "personas": {"w.png": "Wenna"},
        "persona_descriptions": {"w.png": {**PERSONA}},
        "default_persona": None,
    }
    settings: dict[str, Any] = {
        "username": "Wenna",
        "user_avatar": "w.png",
        "power_user": {**power_user, **parts.pop("power_user", {})},
        "world_info_settings": {**LORE, **parts.pop("world_info_settings", {})},
        "oai_settings": {**PRESET, **parts.pop("oai_settings", {})},
        "extension_settings": parts.pop("extension_settings", {}),
        **parts,
    }
    files["settings.json"] = as_bytes(settings)
    for place, content in files.items():
        (at / place).parent.mkdir(parents=True, exist_ok=True)
        (at / place).write_bytes(content)
    return at


def _card(more: Mapping[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {"name": "Odo", "description": "He rows.", "first_mes": "The ferry is late.", **more}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "name": "Odo", "chat": "evening", "data": data}


def _chat(metadata: Mapping[str, Any], said: Any) -> bytes:
    lines: list[Any] = [{"chat_metadata": metadata, "user_name": "unused", "character_name": "unused"}]
    lines += [{"name": name, "is_user": is_user, "is_system": False, "mes": text} for name, is_user, text in said]
    return b"".join(as_bytes(line) + b"\n" for line in lines)


def _world(text: str) -> dict[str, Any]:
    entry = {"uid": 0, "key": ["lamp"], "content": text, "position": 0, "order": 100, "selective": True}
    return {"entries": {"0": entry}}
