"""Ten small conversations for the real program, each with what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctxlab.context import TurnKind
from tests.sillytavern.case_folder import as_bytes, picture
from tests.sillytavern.small_folder import MARKERS, PERSONA, PRESET, write_folder

Turn = tuple[TurnKind, str | None]
"""A kind of turn, and what is typed with it."""
FIRST: Turn = ("normal", "And the lamp?")
TURNS: tuple[Turn, ...] = (FIRST, ("normal", "Row on, then."))
"""Of a case that says nothing of it; the second is on a chat that the program has written."""


@dataclass(frozen=True, slots=True)
class LiveCase:
    """A data folder by its parts, lore by its entries, and the turns."""

    name: str
    parts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    lore: tuple[Mapping[str, Any], ...] = ()
    turns: tuple[Turn, ...] = TURNS

    @property
    def stem(self) -> str:
        """The name of its files: a late write of the program's meets none of the next case's."""
        return self.name.replace(" ", "-")

    def write(self, at: Path) -> None:
        """Put its files into a data folder, and settings that have its chat open."""
        write_folder(at, **self._parts())
        (at / "characters" / "odo.png").rename(at / "characters" / f"{self.stem}.png")
        (at / "chats" / "odo").rename(at / "chats" / self.stem)
        entries = {str(uid): {"uid": uid, **ENTRY, **entry} for uid, entry in enumerate(self.lore)}
        files = {
            f"worlds/{self.stem}.json": as_bytes({"entries": entries}),
            "OpenAI Settings/Quiet.json": as_bytes({**PRESET, **self.parts.get("oai_settings", {})}),
            "User Avatars/w.png": picture({}),
        }
        for place, content in files.items():
            (at / place).parent.mkdir(parents=True, exist_ok=True)
            (at / place).write_bytes(content)

    def _parts(self) -> dict[str, Any]:
        active = [self.stem] if self.lore else []
        return {
            **self.parts,
            "active_character": f"{self.stem}.png",
            "power_user": {
                **persona(PERSONA["description"]),
                **self.parts.get("power_user", {}),
            },
            "world_info_settings": {
                "world_info_recursive": False,
                "world_info_match_whole_words": False,
                "world_info": {"globalSelect": active, "charLore": []},
                **self.parts.get("world_info_settings", {}),
            },
        }


ENTRY: Mapping[str, Any] = {
    "key": ["lamp"],
    "keysecondary": [],
    "comment": "",
    "content": "",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": False,
    "order": 100,
    "position": 0,
    "disable": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    "delayUntilRecursion": False,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": 0,
    "sticky": 0,
    "cooldown": 0,
    "delay": 0,
}
"""An entry as the program's editor writes it."""


def entry(content: str, *keys: str, **more: Any) -> Mapping[str, Any]:
    return {"content": content, **({"key": list(keys)} if keys else {}), **more}


def persona(text: str) -> dict[str, Any]:
    """The user's persona, as the program keeps the one that is chosen: by its picture, and as the current one."""
    own = {**PERSONA, "description": text}
    current = {f"persona_description_{part}": value for part, value in own.items() if part != "description"}
    return {"persona_descriptions": {"w.png": own}, "persona_description": text, **current}


def prompts(*more: Mapping[str, Any], **texts: str) -> dict[str, Any]:
    """The preset with other texts of its prompts, and with more prompts, which stand before the history."""
    known = [{**each, "content": texts.get(each["identifier"], each.get("content", ""))} for each in PRESET["prompts"]]
    own = [{"role": "system", "name": each["identifier"], "system_prompt": False, **each} for each in more]
    names = ("main", *MARKERS[:-1], *(each["identifier"] for each in own), MARKERS[-1], "jailbreak")
    order = [{"identifier": name, "enabled": True} for name in names]
    return {"prompts": [*known, *own], "prompt_order": [{"character_id": 100001, "order": order}]}


def deep(name: str, text: str, depth: int, **more: Any) -> Mapping[str, Any]:
    """A prompt that stands in the chat."""
    return {
        "identifier": name,
        "content": text,
        "injection_position": 1,
        "injection_depth": depth,
        "injection_order": 100,
        **more,
    }


def script(name: str, find: str, replacement: str, *places: int, **more: Any) -> Mapping[str, Any]:
    return {
        "id": f"id-{name}",
        "scriptName": name,
        "findRegex": find,
        "replaceString": replacement,
        "trimStrings": [],
        "placement": list(places),
        "disabled": False,
        "markdownOnly": False,
        "promptOnly": False,
        "runOnEdit": False,
        "substituteRegex": 0,
        "minDepth": None,
        "maxDepth": None,
        **more,
    }


NOTE = {"note_prompt": "Mind the tide.", "note_interval": 1, "note_position": 1, "note_depth": 2, "note_role": 0}
LONG = tuple(
    (("Odo", False), ("Wenna", True))[number % 2] + (f"Stroke {number}: the oars go in, and the bank goes by again.",)
    for number in range(40)
)

LIVE_CASES = (
    LiveCase(
        "lore in its order",
        turns=(FIRST, ("swipe", None)),
        lore=(
            entry("Late.", order=200),
            entry("Early.", order=10),
            entry(" Between. "),
            entry("After the card.", position=1),
            entry("Deep, second.", position=4, depth=1, order=60),
            entry("Deep, first.", position=4, depth=1, order=50),
            entry("Deep, said by the user.", position=4, depth=1, role=1),
            entry("Not called.", "anchor"),
        ),
    ),
    LiveCase(
        "names and marks are scanned",
        lore=(
            entry("Wenna has a scarf.", "Wenna:"),
            entry("It stands at no beginning.", "/^And/"),
            entry("From the newest to the older.", r"/lamp[\s\S]*We do/"),
            entry("From the older to the newest.", r"/We do[\s\S]*And/"),
        ),
    ),
    LiveCase(
        "lore around the note",
        parts={"metadata": NOTE},
        lore=(
            entry("Above, later.", position=2),
            entry("Above, first.", position=2, order=20),
            entry("Below.", position=3),
        ),
    ),
    LiveCase(
        "examples",
        turns=(FIRST, ("continue", None)),
        parts={
            "card": {
                "mes_example": "<START>\n{{user}}: Far?\n{{char}}: Two bends.\nNot more.\n<START>\n{{char}}: Sit down."
            },
            "oai_settings": {"new_example_chat_prompt": "[So they talk]", "continue_nudge_prompt": "[On from there]"},
        },
    ),
    LiveCase(
        "prompts in the chat",
        turns=(FIRST, ("regenerate", None)),
        parts={
            "card": {"extensions": {"depth_prompt": {"prompt": "He is tired.", "depth": 2, "role": "system"}}},
            "metadata": NOTE,
            "oai_settings": prompts(
                deep("one", "Water is cold.", 2),
                deep("two", "Fog.", 2),
                deep("three", "Rowing is slow.", 1, role="user"),
                deep("four", "Beyond.", 30),
            ),
        },
        lore=(entry("The lamp is green.", position=4, depth=2),),
    ),
    LiveCase(
        "macros wherever they stand",
        parts={
            "card": {"description": "{{char}} rows {{user}}. {{// not sent}}", "scenario": "{{persona}} waits."},
            "power_user": persona("{{user}} ferries."),
            "oai_settings": prompts(
                main="{{if personality}}has{{else}}none{{/if}} {{reverse}}abc{{/reverse}} {{char}}"
            ),
        },
        lore=(entry("{{char}} lit it.{{// }}"), entry("{{// nothing}}", position=1)),
        turns=(("normal", "I, {{user}}, saw {{random::one}} lamp, {{char}}."), ("normal", "{{lastUserMessage}}?")),
    ),
    LiveCase(
        "variables",
        parts={
            "oai_settings": prompts(
                main="{{setvar::mood::calm}}{{getvar::mood}} {{addvar::n::2}}{{.n}} {{.n += 1}} {{incglobalvar::g}}",
                jailbreak="{{getvar::mood}} {{.n}} {{getglobalvar::g}} {{hasvar::none}}",
            )
        },
    ),
    LiveCase(
        "regex scripts",
        parts={
            "extension_settings": {
                "regex": [
                    script("sent", "/o(a)r/gi", "<$1{{match}}>", 1, 2, promptOnly=True),
                    script("stored", "/lamp/g", "lantern", 1),
                    script("shown", "/ferry/g", "FERRY", 2, markdownOnly=True),
                    script("lore", "/green/", "grey, see anchor", 5, promptOnly=True),
                ]
            },
            "world_info_settings": {"world_info_recursive": True},
        },
        lore=(entry("The lantern is green.", "lantern"), entry("Iron.", "anchor", position=1)),
        turns=(("normal", "The oar and the lamp."), ("normal", "An OAR again.")),
    ),
    LiveCase(
        "squash",
        turns=(FIRST, ("impersonate", None)),
        parts={
            "oai_settings": {
                "squash_system_messages": True,
                "names_behavior": 2,
                "impersonation_prompt": "[Now as {{user}}]",
                **prompts({"identifier": "voice", "content": "I listen.", "role": "user"}, deep("last", "Fog.", 0)),
            },
            "card": {"mes_example": "<START>\n{{char}}: Sit down."},
        },
        lore=(entry("The lamp is green."), entry("It swings.", position=1)),
    ),
    LiveCase(
        "a small context",
        parts={
            "said": LONG,
            "metadata": NOTE,
            "card": {"mes_example": "<START>\n{{char}}: Sit down.\n<START>\n{{char}}: Sit still. Still, I say."},
            "oai_settings": {"openai_max_context": 620, "openai_max_tokens": 100},
            "world_info_settings": {"world_info_budget": 4},
        },
        lore=(entry("The lamp is green, and it swings."), entry("It has a long chain of iron rings.", order=90)),
    ),
)
