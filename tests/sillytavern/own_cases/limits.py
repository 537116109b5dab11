"""A context that is too small, at twenty sizes and with several tokenizers."""

from __future__ import annotations

from typing import Any

from tests.sillytavern.live_cases import entry
from tests.sillytavern.own_cases.description import OwnCase, card, preset, prompt
from tests.sillytavern.own_cases.notes import note

SIZES = (420, 450, 480, 510, 540, 570, 600, 640, 680, 720, 760, 800, 850, 900, 960, 1030, 1100, 1200, 1320, 1500)
WARY = card(
    "Ada",
    description="Ada mends clocks in a cellar. She counts under her breath.",
    personality="Exact; kind to clumsy people.",
    scenario="The clock of the town hall has stopped, and Nele has brought its smallest wheel.",
    mes_example=(
        "<START>\nNele: How old is it?\nAda: Older than the street.\nAnd louder.\n"
        "<START>\nNele: Can it be mended?\nAda: Everything can. Not everything should."
    ),
    depth_prompt={"prompt": "Her lamp is going out.", "depth": 3},
)
ENGLISH = (
    "The wheel has {} teeth, and one of them is bent.",
    "Hold it to the light; do you see the scratch at tooth {}?",
    "I see it. Somebody has filed here before us, badly, and in a hurry.",
    "Then we do it again, slowly. Pass me the brass file, number {}.",
)
CHINESE = (
    "这个齿轮有{}个齿。",
    "把它举到灯下,看第{}个齿上的划痕。",
    "看到了,有人锉过。",
    "那我们慢慢再来一次,给我{}号锉刀。",
)


def talk(words: tuple[str, ...], count: int) -> tuple[tuple[str, str], ...]:
    return tuple((("Ada", "Nele")[number % 2], words[number % 4].format(number + 3)) for number in range(count))


def case(name: str, **parts: Any) -> OwnCase:
    sizes = parts.pop("sizes", SIZES)
    settings: dict[str, Any] = {"openai_max_tokens": 120, **parts.pop("settings", {})}
    turns = [{"do": "normal", "send": "And now?", "reply": "Now it turns."}]
    turns += [{"do": "regenerate", "reply": "Now it turns.", "oai": {"openai_max_context": size}} for size in sizes]
    usual: dict[str, Any] = {
        "cards": (WARY,),
        "said": talk(ENGLISH, 44),
        "turns": turns,
        "preset": preset(prompt("near", "The lamp flickers.", depth=2), **settings),
        "metadata": note("It is past midnight.", depth=4),
        "worlds": {
            "cellar": (
                entry("The file is from Ada's mother.", "file"),
                entry("The cellar floods in spring.", constant=True, position=4, depth=6),
            )
        },
    }
    return OwnCase(f"limits-{name}", **{**usual, **parts})


CASES = (
    case("gpt-4o"),
    case("gpt-3.5-turbo", about={"model": "gpt-3.5-turbo"}),
    case("unknown-model", about={"model": "house-model-12b"}),
    case("chinese", said=talk(CHINESE, 60), sizes=SIZES[::2]),
    case("chinese-gpt-3.5", said=talk(CHINESE, 60), sizes=SIZES[1::2], about={"model": "gpt-3.5-turbo-16k"}),
    case("squash-and-names", settings={"squash_system_messages": True, "names_behavior": 1}, sizes=SIZES[::3]),
    case("name-fields", settings={"names_behavior": 2}, sizes=SIZES[::3], about={"model": "gpt-4"}),
    case("pinned-examples", sizes=SIZES[::3], about={"power_user": {"pin_examples": True}}),
    case(
        "lore-in-percent",
        sizes=SIZES[::2],
        about={"world_info": {"world_info_budget": 6}},
        worlds={
            "cellar": tuple(
                entry(f"Clock {number} stands on shelf {number % 7} and loses {number} minutes.", "wheel", order=number)
                for number in range(1, 9)
            )
        },
    ),
)
