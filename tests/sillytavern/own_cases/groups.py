"""Groups in natural order: who is mentioned, who likes to talk; where the program draws, what it drew is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.sillytavern.live_cases import entry
from tests.sillytavern.own_cases.description import OwnCase, card, preset
from tests.sillytavern.own_cases.notes import note

NATURAL, LISTED, POOLED = 0, 1, 3


def member(name: str, talks: float, **more: Any) -> dict[str, Any]:
    """A card of one who plays an instrument."""
    usual = {
        "description": "{{char}} plays with the others of {{group}}.",
        "personality": f"{name} is loud.",
        "scenario": "A rehearsal in a barn.",
        "mes_example": "<START>\n{{user}}: Again?\n{{char}}: Again.",
    }
    return card(name, talkativeness=talks, **{**usual, **more})


SILENT = (member("Jorun", 0), member("Bas", 0), member("Old Pia", 0))
TALK = (("Jorun", "From the top."), ("Nele", "I am ready."), ("Bas", "My string is gone."))


def case(name: str, *cards: Mapping[str, Any], group: Mapping[str, Any] | None = None, **parts: Any) -> OwnCase:
    who = [each["data"]["name"] for each in cards or SILENT]
    usual: dict[str, Any] = {"cards": cards or SILENT, "said": TALK, "preset": preset()}
    chosen = {"members": who, "activation_strategy": NATURAL, **(group or {})}
    return OwnCase(f"groups-{name}", group=chosen, **{**usual, **parts})


def says(text: str, *replies: str, **more: Any) -> Mapping[str, Any]:
    return {"do": "normal", "send": text, "replies": list(replies or ("Yes.", "So.", "Well.")), **more}


CASES = (
    case("mentioned", turns=(says("Bas, play."), says("And now pia!"), says("JORUN and Bas together."))),
    case("part-of-a-name", turns=(says("Basalt is no name, old friend."), says("Is the Pia-song next?"))),
    case("nobody-talks", turns=(says("Hm.", draws=True), says("Again.", draws=True), says("More.", draws=True))),
    case(
        "all-talk",
        member("Jorun", 1),
        member("Bas", 1),
        member("Old Pia", 1),
        turns=(says("Go.", draws=True), says("Bas first.", draws=True), {"do": "swipe", "reply": "Not so."}),
    ),
    case(
        "one-talks",
        member("Jorun", 0),
        member("Bas", 1),
        member("Old Pia", 0),
        turns=(says("Go."), says("Jorun?"), says("Bas?"), {"do": "continue", "reply": "And on."}),
    ),
    case(
        "some-talk",
        member("Jorun", 0.9),
        member("Bas", 0.4),
        member("Old Pia", 0),
        turns=tuple(says(text, draws=True) for text in ("Go.", "More.", "Pia?", "Slower.", "Bas and Jorun.", "End.")),
    ),
    case("nothing-typed", turns=({"do": "normal", "replies": ["My turn."], "draws": True},)),
    case(
        "mentions-in-the-last-message",
        said=(*TALK, ("Old Pia", "Jorun, you are late.")),
        turns=({"do": "normal", "replies": ["I am not."]}, {"do": "normal", "replies": ["Hm."], "draws": True}),
    ),
    case(
        "names-itself",
        said=(*TALK, ("Bas", "Bas needs a new string.")),
        turns=({"do": "normal", "replies": ["Take mine."], "draws": True},),
    ),
    case(
        "names-itself-allowed",
        said=(*TALK, ("Bas", "Bas needs a new string.")),
        group={"allow_self_responses": True},
        turns=({"do": "normal", "replies": ["I do."]},),
    ),
    case(
        "muted",
        group={"disabled_members": ["Bas"]},
        turns=(says("Bas, Jorun: play."), says("Old one?"), {"do": "trigger", "who": "Bas", "reply": "At last."}),
    ),
    case(
        "chinese-names",
        member("沈舟", 0, description="{{char}}拉二胡。"),
        member("阿Bo", 0, description="{{char}}打鼓。"),
        member("Lin 晚", 0, description="{{char}}唱歌。"),
        said=(("沈舟", "从头来。"), ("Nele", "好。")),
        turns=(says("沈舟,请。", draws=True), says("Lin, please."), says("Bo,打鼓。", draws=True)),
    ),
    case(
        "accents",
        member("Zoë", 0),
        member("Jo", 0),
        said=(("Zoë", "Hello."), ("Nele", "Hi.")),
        turns=(says("Zoë?", draws=True), says("zo", draws=True), says("Jo!")),
    ),
    case(
        "pooled",
        group={"activation_strategy": POOLED},
        turns=(says("Who?", draws=True), {"do": "normal", "replies": ["I."], "draws": True}, says("So.", draws=True)),
    ),
    case(
        "in-a-list",
        group={"activation_strategy": LISTED, "disabled_members": ["Bas"]},
        turns=(says("All."), {"do": "regenerate", "replies": ["Anew.", "Also."]}, {"do": "impersonate"}),
    ),
    case(
        "joined",
        member("Jorun", 0, depth_prompt={"prompt": "{{char}} stands.", "depth": 1}),
        member("Bas", 1, depth_prompt={"prompt": "{{char}} sits.", "depth": 1, "role": "user"}),
        member("Old Pia", 0, mes_example="{{char}}: Ha."),
        group={
            "generation_mode": 1,
            "generation_mode_join_prefix": "# <FIELDNAME> of {{char}}\n",
            "generation_mode_join_suffix": "\n---",
            "disabled_members": ["Old Pia"],
        },
        turns=(says("Go."), says("Jorun?")),
    ),
    case(
        "joined-with-muted",
        group={"generation_mode": 2, "disabled_members": ["Old Pia"]},
        turns=(says("Jorun?"), {"do": "continue", "reply": "On."}),
    ),
    case(
        "with-lore-and-note",
        member("Jorun", 0, world="barn"),
        member("Bas", 0, world="strings"),
        worlds={"barn": (entry("The barn leaks.", "barn"),), "strings": (entry("Gut strings.", "string", position=1),)},
        metadata=note("The light goes.", depth=1),
        about={
            "active_books": [],
            "note": {"chara": [{"name": "", "prompt": "Bas counts.", "useChara": True, "position": 2}]},
        },
        turns=(says("Bas, is a string in the barn?"), says("Jorun, and yours?"), {"do": "swipe", "reply": "No."}),
    ),
    case(
        "names-in-text",
        preset=preset(
            names_behavior=2,
            group_nudge_prompt="",
            new_group_chat_prompt="[{{group}} | {{charIfNotGroup}} | {{notChar}}]",
        ),
        turns=(says("Old Pia, sing."), says("Now Bas.")),
    ),
)
