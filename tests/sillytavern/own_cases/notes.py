"""The author's note with a character's own: in its place, before it, after it; intervals, roles, lore around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.sillytavern.live_cases import entry
from tests.sillytavern.own_cases.description import OwnCase, preset, prompt
from tests.sillytavern.own_cases.macros import KEEPER, TALK

TURNS = (
    {"do": "normal", "send": "The rye, please.", "reply": "It is the last one."},
    {"do": "normal", "send": "And salt.", "reply": "Salt is in the jar."},
    {"do": "swipe", "reply": "In the blue jar."},
)
REPLACES, BEFORE, AFTER = 0, 1, 2
AROUND = {
    "bakery": (
        entry("Above, at first.", "rye", "salt", position=2, order=10),
        entry("Above.", "rye", position=2),
        entry("Below.", "salt", position=3),
    )
}


def note(text: str, *, interval: int = 1, position: int = 1, depth: int = 2, role: int = 0) -> Mapping[str, Any]:
    return {
        "note_prompt": text,
        "note_interval": interval,
        "note_position": position,
        "note_depth": depth,
        "note_role": role,
    }


def own(text: str, position: int, *, use: bool = True, **more: Any) -> Mapping[str, Any]:
    """The note that a character has."""
    return {"note": {"chara": [{"name": "", "prompt": text, "useChara": use, "position": position}], **more}}


def case(name: str, **parts: Any) -> OwnCase:
    usual: dict[str, Any] = {"cards": (KEEPER,), "said": TALK, "turns": TURNS, "preset": preset()}
    return OwnCase(f"notes-{name}", **{**usual, **parts})


CASES = (
    case("replaces", metadata=note("Rain on the glass."), about=own("Tomas hums.", REPLACES)),
    case("before", metadata=note("Rain on the glass."), about=own("Tomas hums.", BEFORE)),
    case("after", metadata=note("Rain on the glass."), about=own("Tomas hums.", AFTER)),
    case("not-used", metadata=note("Rain on the glass."), about=own("Tomas hums.", BEFORE, use=False)),
    case("replaces-none", metadata=note(""), about=own("Tomas hums at {{user}}.", REPLACES)),
    case("before-none", metadata=note(""), about=own("Tomas hums.", BEFORE)),
    case("after-none", metadata=note(""), about=own("Tomas hums.", AFTER)),
    case("empty-own", metadata=note("Rain."), about=own("", REPLACES)),
    case("after-main", metadata=note("Rain.", position=0, role=1), about=own("Hums.", AFTER), worlds=AROUND),
    case("before-main", metadata=note("Rain.", position=2, role=2), about=own("Hums.", BEFORE), worlds=AROUND),
    case("around", metadata=note("Rain.", depth=1, role=1), about=own("Hums.", AFTER), worlds=AROUND),
    case("around-none", metadata=note("", depth=1), worlds=AROUND),
    case("interval-two", metadata=note("Every second.", interval=2), about=own("Hums.", BEFORE), worlds=AROUND),
    case("interval-four", metadata=note("Every fourth.", interval=4, depth=0)),
    case("interval-none", metadata=note("Never.", interval=0), about=own("Hums.", AFTER), worlds=AROUND),
    case("deep", metadata=note("At the top.", depth=40), about=own("Hums.", BEFORE)),
    case("blanks", metadata=note("  Rain. \n"), about=own(" Hums.\n", AFTER)),
    case(
        "of-new-chats",
        about=own("", BEFORE, default="Of all chats.", defaultPosition=1, defaultDepth=1, defaultInterval=1),
    ),
    case(
        "with-persona-and-prompts",
        metadata=note("Rain.", depth=2),
        about={**own("Hums.", AFTER), "persona": {"description": "Nele is wet.", "position": 3}},
        preset=preset(prompt("one", "At two.", depth=2), prompt("two", "First at two.", depth=2, injection_order=50)),
        worlds={"bakery": (entry("Lore at two.", "rye", position=4, depth=2), *AROUND["bakery"])},
    ),
    case(
        "scanned",
        metadata=note("Anchors hang on the wall."),
        about=own("A bell too.", AFTER, allowWIScan=True),
        worlds={"bakery": (entry("The anchor is iron.", "anchor"), entry("The bell is brass.", "bell"))},
    ),
)
