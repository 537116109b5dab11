"""Presets in the shape that authors give them: many switches, moved markers, prompts in the chat."""

from __future__ import annotations

from typing import Any

from tests.sillytavern.live_cases import entry, script
from tests.sillytavern.own_cases.description import ORDER, OwnCase, card, preset, prompt
from tests.sillytavern.own_cases.notes import note

POET = card(
    "Ruan",
    description="Ruan repairs radios on the roof of a tall house.",
    personality="Curious, short of breath.",
    scenario="A storm is coming, and {{user}} holds the antenna.",
    mes_example="<START>\n{{user}}: Do you hear it?\n{{char}}: Only rain. And a waltz.",
    system_prompt="{{original}}\nRuan never lies.",
    post_history_instructions="Ruan is cold.",
    depth_prompt={"prompt": "The wind is rising.", "depth": 4},
)
TALK = (
    ("Ruan", "Hold it higher, Nele."),
    ("Nele", "My arms are tired."),
    ("Ruan", "The valve is warm now."),
    ("Nele", "What do you hear?"),
    ("Ruan", "A ship. It calls the harbour."),
    ("Nele", "Which ship?"),
)
TURNS = (
    {"do": "normal", "send": "Listen, the storm!", "reply": "It is on every wave."},
    {"do": "swipe", "reply": "Shh."},
    {"do": "continue", "reply": "Now it sings."},
    {"do": "impersonate"},
)
LORE = {
    "roof": (
        entry("The house has nine floors.", constant=True, order=20),
        entry("Storms come from the west.", "storm", position=1),
        entry("The antenna is copper.", "antenna", "storm", position=4, depth=2),
        entry("The valve is from a ship.", "ship", "storm", position=4, depth=0, role=1),
    )
}
EARLY = ORDER[:-2]


def case(name: str, shape: Any, **parts: Any) -> OwnCase:
    usual: dict[str, Any] = {
        "cards": (POET,),
        "said": TALK,
        "turns": TURNS,
        "worlds": LORE,
        "metadata": note("Write slowly.", depth=3),
        "about": {"persona": {"description": "{{user}} delivers batteries."}},
    }
    return OwnCase(f"presets-{name}", preset=shape, **{**usual, **parts})


RULES = tuple(prompt(f"rule{number}", f"Rule {number}: {{{{char}}}} keeps it.") for number in range(1, 13))
LENGTHS = tuple(prompt(f"length{each}", f"Length: {each} lines.") for each in ("two", "five", "nine"))
MOODS = tuple(
    prompt(f"mood{number}", f"Mood {number} for {{{{user}}}}.", depth=number % 4, injection_order=100 - number)
    for number in range(6)
)

CASES = (
    case(
        "many-switches",
        preset(
            *RULES,
            *LENGTHS,
            off=("rule2", "rule5", "rule11", "lengthtwo", "lengthnine", "nsfw", "enhanceDefinitions"),
            squash_system_messages=True,
        ),
    ),
    case(
        "tags-around-markers",
        preset(
            *(
                prompt(name, text)
                for name, text in (
                    ("lore-open", "<lore>"),
                    ("lore-close", "</lore>"),
                    ("who-open", "<who name='{{char}}'>"),
                    ("who-close", "</who>"),
                    ("talk-open", "<talk>"),
                    ("talk-close", "</talk>"),
                )
            ),
            order=(
                *(
                    "main",
                    "lore-open",
                    "worldInfoBefore",
                    "worldInfoAfter",
                    "lore-close",
                    "who-open",
                    "charDescription",
                ),
                *("charPersonality", "scenario", "personaDescription", "who-close", "dialogueExamples", "talk-open"),
                *("chatHistory", "talk-close", "jailbreak"),
            ),
            squash_system_messages=True,
            wi_format="<entry>{0}</entry>",
            personality_format="[{{personality}}]",
            scenario_format="",
        ),
    ),
    case(
        "voices",
        preset(
            prompt("ask", "Are you ready to write {{char}}?", role="user"),
            prompt("yes", "I am {{char}}.", role="assistant"),
            prompt("think", "Before writing, list what {{user}} knows.", role="user"),
            order=(*EARLY, "ask", "yes", "chatHistory", "think", "jailbreak"),
            fields={"main": {"role": "user"}, "jailbreak": {"role": "assistant"}},
            names_behavior=2,
            assistant_prefill="Ruan:",
        ),
    ),
    case("in-the-chat", preset(*MOODS, off=("mood3",), names_behavior=1)),
    case(
        "roles-in-the-chat",
        preset(
            prompt("deep1", "As the user.", depth=1, role="user"),
            prompt("deep2", "As the assistant.", depth=1, role="assistant"),
            prompt("deep3", "As the system.", depth=1),
            prompt("deep4", "At the end.", depth=0, role="assistant"),
            prompt("deep5", "At the end, first.", depth=0, injection_order=10),
            prompt("deep6", "Order 200.", depth=1, injection_order=200),
            squash_system_messages=True,
        ),
    ),
    case(
        "markers-behind",
        preset(
            prompt("late", "After the talk of {{user}}."),
            order=(
                *("main", "nsfw", "chatHistory", "late", "worldInfoBefore", "charDescription", "worldInfoAfter"),
                *("personaDescription", "jailbreak", "charPersonality", "scenario", "dialogueExamples"),
            ),
        ),
    ),
    case(
        "markers-left-out",
        preset(
            order=("main", "charDescription", "dialogueExamples", "chatHistory", "jailbreak"), off=("dialogueExamples",)
        ),
    ),
    case(
        "usual-prompts-in-the-chat",
        preset(
            fields={
                "main": {"injection_position": 1, "injection_depth": 3},
                "jailbreak": {"injection_position": 1, "injection_depth": 0, "role": "user"},
                "nsfw": {"injection_position": 1, "injection_depth": 1},
            }
        ),
    ),
    case(
        "triggers",
        preset(
            prompt("on-normal", "Only when asked.", injection_trigger=["normal"]),
            prompt("on-swipe", "Only anew.", injection_trigger=["swipe", "regenerate"]),
            prompt("on-continue", "Only further.", injection_trigger=["continue"], depth=0),
            prompt("on-impersonate", "Only as the user.", injection_trigger=["impersonate"]),
        ),
    ),
    case(
        "overrides-forbidden",
        preset(fields={"main": {"forbid_overrides": True}, "jailbreak": {"forbid_overrides": True}}),
    ),
    case(
        "variables-as-switches",
        preset(
            prompt("set", "{{setvar::tone::dry}}{{setvar::length::three}}{{trim}}"),
            prompt("use", "Tone: {{getvar::tone}}; length: {{getvar::length}}."),
            prompt("again", "{{addvar::length::!}}{{getvar::length}}", depth=1),
            prompt("blank", "{{setvar::done::1}}"),
            prompt("spaces", "   "),
            order=("set", *EARLY, "use", "again", "blank", "spaces", "chatHistory", "jailbreak"),
        ),
    ),
    case(
        "scripts-in-the-preset",
        preset(
            prompt("plan", "<plan>Listen first.</plan>", role="assistant"),
            extensions={
                "regex_scripts": [
                    script("cut", "/<plan>[\\s\\S]*?<\\/plan>\\n?/g", "", 2, promptOnly=True),
                    script("old", "/wave/g", "band", 2, promptOnly=True, minDepth=1),
                    script("loud", "/!/g", ".", 1, promptOnly=True),
                ]
            },
        ),
        turns=(
            {"do": "normal", "send": "Listen!", "reply": "<plan>Hear.</plan>\nThe long wave."},
            {"do": "normal", "send": "And?", "reply": "<plan>Wait.</plan>\nA short wave."},
            {"do": "normal", "send": "Good night!", "reply": "Good night."},
        ),
    ),
    case(
        "continued-by-prefill",
        preset(continue_prefill=True, continue_postfix="\n", names_behavior=1, assistant_prefill="So"),
    ),
    case("merged", preset(*RULES[:3], *MOODS[:3]), about={"oai": {"custom_prompt_post_processing": "merge"}}),
    case("strict", preset(*RULES[:3], *MOODS[:3]), about={"oai": {"custom_prompt_post_processing": "strict"}}),
    case("single", preset(*RULES[:2]), about={"oai": {"custom_prompt_post_processing": "single"}}),
    case(
        "nothing-but-the-talk",
        preset(order=("chatHistory",), new_chat_prompt="", off=()),
        metadata=note(""),
        worlds={},
    ),
    case(
        "send-if-empty",
        preset(send_if_empty="[{{user}} is silent]"),
        turns=({"do": "normal", "reply": "Say something."}, TURNS[1]),
    ),
    case(
        "chinese",
        preset(
            prompt("规则", "规则:{{char}}只说一句。"),
            prompt("语气", "语气:冷。", depth=1, role="user"),
            main="扮演{{char}}。",
            nsfw="不写{{user}}的话。",
            jailbreak="【续写】",
            new_chat_prompt="【开始】",
            new_example_chat_prompt="【例】",
            wi_format="【设定】{0}",
            names_behavior=2,
            squash_system_messages=True,
        ),
        user="林晚",
        cards=(
            card("阮声", description="{{char}}修收音机。", mes_example="<START>\n{{user}}: 听见了?\n{{char}}: 雨。"),
        ),
        said=(("阮声", "举高些,{{user}}。"), ("林晚", "手酸了。"), ("阮声", "电子管热了。")),
        turns=({"do": "normal", "send": "暴风雨来了!", "reply": "嘘。"}, {"do": "continue", "reply": "听。"}),
        worlds={"屋顶": (entry("暴风雨从西边来。", "暴风雨"), entry("天线是铜的。", "暴风雨", position=4, depth=1))},
    ),
)
