"""Macros in every place where a text can stand."""

from __future__ import annotations

from typing import Any

from tests.sillytavern.live_cases import entry, script
from tests.sillytavern.own_cases.description import OwnCase, card, preset, prompt

KEEPER = card(
    "Tomas",
    description="{{char}} keeps the night bakery. He was a sailor once.",
    personality="Slow, warm, never in a hurry.",
    scenario="{{user}} comes in from the rain before {{char}} has lit the oven.",
    first_mes="Shut the door, {{user}}. The dough is cold.",
)
TALK = (
    ("Tomas", "Shut the door, Nele. The dough is cold."),
    ("Nele", "Is there any bread from yesterday?"),
    ("Tomas", "Two loaves. One of rye."),
    ("Nele", "The rye, then."),
)
NEXT = ({"do": "normal", "send": "Give me the rye, {{char}}.", "reply": "Here, {{user}}. It is {{char}}'s own."},)
TWICE = (*NEXT, {"do": "normal", "send": "Thank you.", "reply": "Mind the step."})


def case(name: str, **parts: Any) -> OwnCase:
    usual: dict[str, Any] = {"cards": (KEEPER,), "said": TALK, "turns": TWICE, "preset": preset()}
    return OwnCase(f"macros-{name}", **{**usual, **parts})


CASES = (
    case(
        "card-fields",
        cards=(
            card(
                "Tomas",
                description="{{char}} bakes for {{user}}. {{// never sent}}Persona: {{persona}}.",
                personality="As in {{scenario}} | {{description}}",
                scenario="{{time}} is no matter; {{user}} waits. {{newline}}{{char}} hums.",
                mes_example=(
                    "<START>\n{{user}}: Is it hot, {{char}}?\n{{char}}: Ask {{user}}'s thumb.\n{{random::One}} line."
                ),
                system_prompt="{{original}} Also: {{char}} hums.",
                post_history_instructions="{{original}} And {{user}} is tired.",
                creator_notes="By {{user}}.",
                depth_prompt={"prompt": "{{char}} smells of {{random::flour}}.", "depth": 1},
            ),
        ),
        about={"clock": "2026-10-02T19:00:00.000Z", "persona": {"description": "{{user}} delivers letters."}},
    ),
    case(
        "every-prompt",
        preset=preset(
            prompt("one", "{{charDescription}} / {{charPersonality}} / {{charScenario}}"),
            prompt("two", "{{trim}}\n\n  {{user}}\n{{trim}}", role="user"),
            prompt("three", "{{lastMessage}}|{{lastUserMessage}}|{{lastCharMessage}}|{{lastMessageId}}", depth=2),
            prompt("four", "{{// all of it is a note }}", depth=1),
            prompt("five", "{{newline}}", depth=0),
            main="{{char}}{{noop}} and {{user}}: {{reverse::olleh}}",
            jailbreak="{{input}}|{{maxPrompt}}|{{model}}",
            new_chat_prompt="[{{char}} and {{user}}]",
            new_example_chat_prompt="[{{user}} before]",
            scenario_format="Now: {{scenario}}",
            personality_format="{{char}} is: {{personality}}",
            wi_format="({0})",
        ),
        worlds={"bakery": (entry("{{user}} likes rye.", "rye"), entry("The oven of {{char}}.", "rye", position=1))},
    ),
    case(
        "lore",
        preset=preset(prompt("out", "Shelf: {{outlet::shelf}} / {{outlet::{{reverse::lootS}}}}")),
        worlds={
            "bakery": (
                entry("{{char}} sells rye to {{user}}.", "rye"),
                entry("{{setvar::grain::oats}}{{getvar::grain}}", "rye", order=10),
                entry("Later: {{getvar::grain}}", "rye", order=200, position=1),
                entry("At a depth: {{getvar::grain}} {{char}}", "rye", position=4, depth=2),
                entry("{{// empty }}", "rye", position=4, depth=1),
                entry("On the shelf of {{char}}.", "rye", position=7, outletName="shelf"),
                entry("{{user}}: Rye?\n{{char}}: Rye.", "rye", position=5),
                entry("Above the note: {{user}}", "rye", position=2),
                entry("Named by the key.", "{{char}}'s own"),
            )
        },
        metadata={"note_prompt": "The note of {{char}}.", "note_interval": 1, "note_position": 1, "note_depth": 3},
    ),
    case(
        "note-and-persona",
        about={"persona": {"description": "{{user}} carries {{setvar::bag::letters}}{{getvar::bag}}.", "position": 2}},
        metadata={
            "note_prompt": "{{user}} has {{getvar::bag}}.{{newline}}{{char}} sees: {{persona}}",
            "note_interval": 1,
            "note_position": 1,
            "note_depth": 1,
            "note_role": 1,
        },
    ),
    case(
        "persona-at-depth",
        about={"persona": {"description": " {{user}} is wet.\n", "position": 4, "depth": 1, "role": 1}},
        preset=preset(main="{{persona}}|{{char}}"),
    ),
    case(
        "messages",
        said=(
            ("Tomas", "{{user}}, this is {{char}}.{{// aside}} \\{\\{user\\}\\}"),
            ("Nele", "I said: {{lastMessage}} / {{getvar::a}}{{setvar::a::bread}}"),
            ("Tomas", "{{getvar::a}} {{random::x}} {{reverse::abc}}{{newline}}next"),
            ("Nele", "{{unknown}} {{unknown::{{user}}}} {user} {{ user }} {{USER}} <USER> <BOT> {{"),
        ),
        turns=(
            {
                "do": "normal",
                "send": "{{getvar::a}} {{setvar::b::2}}{{addvar::b::3}}{{getvar::b}}",
                "reply": "Yes, {{user}}.",
            },
            {"do": "normal", "send": "{{input}} {{getvar::b}}", "reply": "{{getvar::b}} and {{getvar::a}}"},
            {"do": "continue"},
        ),
    ),
    case(
        "swipes",
        turns=(
            {"do": "normal", "send": "One?", "reply": "First, {{user}}."},
            {"do": "swipe", "reply": "Second of {{char}}."},
            {"do": "swipe", "reply": "Third."},
            {"do": "regenerate", "reply": "Fourth."},
            {"do": "normal", "send": "And then?", "reply": "Then sleep."},
        ),
        preset=preset(jailbreak="{{lastSwipeId}}/{{currentSwipeId}} {{lastGenerationType}} {{lastCharMessage}}"),
    ),
    case(
        "conditions",
        preset=preset(
            prompt("one", "{{if description}}known{{else}}unknown{{/if}} {{if {{getvar::none}}}}a{{else}}b{{/if}}"),
            prompt("two", "{{if !personality}}\n  bare\n{{else}}\n  # {{personality}}\n  - kept\n{{/if}}"),
            prompt("three", "{{if user}}{{if char}}both{{/if}}{{/if}} {{#if user}}\n  as is\n{{/if}}"),
            prompt("four", "{{.count ||= 3}}{{.count}} {{.count -= 1}} {{.count--}} {{.count > 0}} {{.none || 7}}"),
            prompt("five", "{{.count >= 1}} {{.count != 1}} {{$all ??= x}} {{$all}} {{.name = {{user}}}}{{.name}}"),
            prompt("six", "{{if .name == Nele}}it is she{{/if}}{{if {{.name}}}} set{{/if}}"),
        ),
    ),
    case(
        "scoped",
        preset=preset(
            prompt("one", "{{setvar::recipe}}\n  Flour\n    and salt\n{{/setvar}}{{getvar::recipe}}|"),
            prompt("two", "{{reverse}}{{user}}{{/reverse}} {{// }}hidden {{user}}{{///}}."),
            prompt("three", "{{trim}}\n\n kept {{/trim}}. {{newline::3}}."),
            prompt("four", "{{addvar::recipe:: more}}{{getvar::recipe}} {{incvar::n}}{{incvar::n}}{{decvar::n}}"),
            prompt("five", "{{getglobalvar::g}}{{setglobalvar::g::5}}{{addglobalvar::g::2}}{{getglobalvar::g}}"),
        ),
        about={"variables": {"global": {"g": "4"}}},
    ),
    case(
        "times",
        about={"clock": "2026-02-28T21:05:09.000Z"},
        preset=preset(
            prompt("one", "{{time}} | {{date}} | {{weekday}} | {{isotime}} | {{isodate}}"),
            prompt("two", "{{datetimeformat::YYYY-MM-DD HH:mm:ss dddd}} | {{datetimeformat::D. MMMM}}"),
            prompt("three", "{{time_UTC+2}} | {{time::UTC+9}} | {{time::UTC-5}}"),
            prompt("four", "{{timeDiff::2026-01-01 10:00:00::2026-01-03 10:00:00}} | {{idle_duration}}"),
        ),
    ),
    case(
        "chinese",
        user="林晚",
        cards=(
            card(
                "沈舟",
                description="{{char}}守着渡口的茶馆。{{user}}常来。",
                personality="寡言,心细。",
                scenario="夜里下雨,{{user}}推门进来。",
                mes_example="<START>\n{{user}}: 茶凉了吗?\n{{char}}: 还温着。",
                depth_prompt={"prompt": "{{char}}今晚很累。", "depth": 2, "role": "user"},
            ),
        ),
        said=(
            ("沈舟", "{{user}},坐。{{char}}给你倒茶。"),
            ("林晚", "外面的雨好大。"),
            ("沈舟", "渡船停了。{{// 心里不安}}"),
        ),
        turns=(
            {"do": "normal", "send": "那我等到天亮,{{char}}。", "reply": "{{user}}可以睡在楼上。"},
            {"do": "normal", "send": "有灯笼吗?", "reply": "在柜台下面。"},
        ),
        preset=preset(
            prompt("one", "{{setvar::心情::平静}}{{getvar::心情}} {{if .心情}}有{{else}}无{{/if}} {{reverse::渡口}}"),
            prompt("two", "{{lastUserMessage}}|{{lastCharMessage}}", depth=1),
            main="你是{{char}}。回答{{user}}。",
            nsfw="不超过四句。",
            jailbreak="留在屋里。",
            new_chat_prompt="[{{char}}与{{user}}]",
        ),
        about={"persona": {"description": "{{user}}是送信的人。"}},
        worlds={
            "渡口": (
                entry("灯笼是{{char}}的父亲留下的。", "灯笼"),
                entry("雨夜,{{user}}怕水。", "雨", position=4, depth=1),
            )
        },
    ),
    case(
        "older-engine",
        about={"power_user": {"experimental_macro_engine": False}, "persona": {"description": "{{user}} is wet."}},
        preset=preset(
            prompt("one", "{{setvar::a::1}}{{getvar::a}} {{ user }} {{addvar::a::4}}{{getvar::a}}"),
            prompt("two", "{{reverse:abc}} {{random:x}} {{newline}}{{trim}} {{// note}} {{noop}}{{persona}}"),
            prompt("three", "<USER> {{lastMessage}} {{char}}{{charIfNotGroup}} {{maxPrompt}}"),
        ),
    ),
    case(
        "scripts",
        regex=(
            script("find", "{{user}}", "<{{char}}>", 1, 2, promptOnly=True, substituteRegex=1),
            script("put", "/rye/g", "{{setvar::w::barley}}{{getvar::w}} of {{user}}", 1, promptOnly=True),
            script("keep", "/loaves/g", "{{match}} and {{char}}", 2),
        ),
        turns=(
            {"do": "normal", "send": "More rye, says {{user}}.", "reply": "No loaves for {{user}}, Nele."},
            {"do": "normal", "send": "Nele goes.", "reply": "Good night."},
        ),
    ),
    case(
        "other-kinds",
        turns=(
            {"do": "impersonate"},
            {"do": "normal", "send": "Warm in here.", "reply": "It is the {{char}} way."},
            {"do": "continue", "reply": "And {{user}} knows."},
            {"do": "continue", "reply": "That is all."},
            {"do": "impersonate"},
        ),
        preset=preset(
            impersonation_prompt="[{{user}} answers {{char}}: {{lastGenerationType}}]",
            continue_nudge_prompt="[{{char}} said: {{lastChatMessage}} {{lastGenerationType}}]",
        ),
    ),
)
