"""SillyTavern's cards and presets: the cases through ctxlab's public API.

Of a picture a case asks one of three things without saying which, so all three are given, and those that it doesn't
ask for equal anything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from ctxlab.documents import Agent, MessageNode
from ctxlab.formats.decode import source_of
from ctxlab.formats.sillytavern.cards.png import read_chunks
from ctxlab.formats.sillytavern.cards.reader import card_from, is_card
from ctxlab.formats.sillytavern.presets.chat_completion import is_preset, preset_from
from ctxlab.formats.sillytavern.presets.prompt_order import HISTORY
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).resolve().parents[3] / "shared"))
REAL = SHARED / "data" / "sillytavern"
HEADINGS = {
    "Description": "[角色描述]\n",
    "Personality": "[角色性格]\n",
    "Scenario": "[场景设定]\n",
    "Example Messages": "[对话示例]\n",
}
"""What the reference writes above a text: its own words, like those of any built-in prompt."""


def _real(name: str) -> bytes:
    path = REAL / name.removeprefix("presets/")
    if not path.is_file():
        pytest.skip(f"the case is about {path}, which is not at hand")
    return path.read_bytes()


# --- cards


def _card(data: Data) -> Any:
    if "file" not in data:
        return {"chunks": ANY, "is_card": is_card(data["card"]), "parsed": _parsed(data["card"])}
    raw = _real(data["file"])
    texts, card = read_chunks(raw, data["file"]), source_of(raw, data["file"]).data
    chunks = {
        "keywords": list(texts),
        "lengths": {keyword: len(text) for keyword, text in texts.items()},
        "hasAioBundle": "aiob" in texts,
        "stCharacterKeys": list(card),
        "dataKeys": list(card["data"]),
        "spec": card["spec"],
        "spec_version": card["spec_version"],
    }
    return {"chunks": chunks, "is_card": is_card(card), "parsed": _parsed(card)}


def _parsed(card: Data) -> Any:
    agent = card_from(card, compat="reference").agent
    return {
        "agent": {"name": agent.name, "description": agent.description, "icon": agent.icon, "tags": list(agent.tags)},
        "shown": agent.display_preset_count,
        "greetings": [(greeting.role, greeting.name, greeting.content) for greeting in agent.greetings],
        "presets": [_preset(preset) for preset in agent.preset_messages],
        "rules": _rules(agent.regex_config.to_data() if agent.regex_config else {}),
    }


def _expected_card(case: Case) -> Any:
    said = case.expected
    nothing = {"chunks": ANY, "is_card": ANY, "parsed": ANY}
    if isinstance(said, bool):
        return {**nothing, "is_card": said}
    if "keywords" in said:
        return {**nothing, "chunks": said}
    parsed = said.get("parsed", said)
    agent = parsed["agent"]
    return {
        "chunks": ANY,
        "is_card": said.get("isCharacterCard", ANY),
        "parsed": {
            "agent": {
                **{key: agent.get(key) or None for key in ("description", "icon")},
                "name": agent["name"],
                "tags": agent.get("tags") or [],
            },
            "shown": agent["displayPresetCount"],
            "greetings": [(one["role"], one["name"], one["content"]) for one in parsed["greetings"]],
            "presets": [_expected_preset(preset) for preset in parsed["presetMessages"]],
            "rules": _rules(agent.get("regexConfig") or {}),
        },
    }


def _rules(config: Data) -> list[Data]:
    return [
        {key: value for key, value in rule.items() if key not in ("id", "carried")}
        for preset in config.get("presets", ())
        for rule in preset["rules"]
    ]


# --- presets


def _prompts(data: Data) -> Any:
    raw = json.loads(_real(data["file"])) if "file" in data else data["file_json"]
    if "characterId" not in data:
        return is_preset(raw)
    agent, _ = preset_from(raw, name="case", character_id=data["characterId"], reading="reference")
    return {
        "prompts": [_preset(preset) for preset in agent.preset_messages if preset.type == "message"],
        "history": _place_of_history(agent),
        "parameters": agent.parameters or {},
    }


def _place_of_history(agent: Agent) -> int | None:
    kinds = [preset.type for preset in agent.preset_messages]
    return kinds.index("chat_history") if "chat_history" in kinds else None


def _expected_prompts(case: Case) -> Any:
    said = case.expected
    if isinstance(said, bool):
        return said
    lists = (said["systemPrompts"], said["injectionPrompts"], said["unorderedPrompts"])
    return {
        "prompts": [_expected_preset(preset) for presets in lists for preset in presets],
        "history": len(lists[0]) if _has_history(case.input) else None,
        "parameters": said["parameters"],
    }


def _has_history(data: Data) -> bool:
    """Whether the order that counts has a place for the history; the real file's orders all have one."""
    if "file" in data:
        return True
    orders = data["file_json"]["prompt_order"]
    own = [order for order in orders if order["character_id"] == data["characterId"]]
    chosen: Iterable[Data] = (own or orders[-1:] or [{"order": []}])[0]["order"]
    return any(entry["identifier"] == HISTORY for entry in chosen)


# --- both


def _preset(preset: MessageNode) -> Data:
    strategy = preset.injection_strategy
    return {
        "role": preset.role,
        "name": preset.name,
        "text": preset.content,
        "on": preset.enabled,
        "place": strategy.to_data() if strategy else None,
    }


def _expected_preset(preset: Data) -> Data:
    return {
        "role": preset["role"],
        "name": preset["name"],
        "text": preset["content"].removeprefix(HEADINGS.get(preset["name"], "")),
        "on": preset["isEnabled"],
        "place": preset.get("injectionStrategy"),
    }


ADAPTERS: dict[str, Adapter] = {
    "st_card": Adapter(_card, _expected_card),
    "st_preset": Adapter(_prompts, _expected_prompts),
}
