"""Every macro of the table, one row each at least."""

from dataclasses import replace

import pytest

from ctxlab.context import BuildInput, Pending, Text, Variables
from ctxlab.documents import Agent, Session
from ctxlab.engines.macros import MACROS, MacroEnv, expand, macro_names

ROWS = {
    "user": "Kim",
    "char": "Nova",
    "agent": "Nova",
    "persona": "likes cats",
    "description": "a guide",
    "personality": "kind",
    "scenario": "a forest",
    "mesExamples": "Nova: hello",
    "lastMessage": "",
    "lastUserMessage": "",
    "lastCharMessage": "",
    "input": "typed",
    "modelId": "gpt-4o",
    "modelName": "GPT-4o",
    "profileId": "p1",
    "profileName": "My profile",
    "provider": "openai",
    "agentVersion": "1.2",
    "outlet::none": "",
    "setvar::x::1": "",
    "setglobalvar::x::1": "",
    "incvar::x": "",
    "decvar::x": "",
    "incglobalvar::x": "",
    "decglobalvar::x": "",
    "getvar::k": "v",
    "getvar::none": "",
    "getglobalvar::n": "7",
    "roll::1d6": "4",
    "roll::2D6": "8 (4, 4)",
    "random::a::b::c": "b",
    "random::::b": "b",
    "pick::A::B::C": "C",
    "randomInt::1::100": "51",
    "randomInt::5::5": "5",
    "repeat::ab::3": "ababab",
    "repeat::ab::0": "",
    "newline": "\n",
    "trim": "",
    "os": "",
    "osVersion": "",
    "arch": "",
    "platform": "",
    "hostname": "",
    "locale": "",
    "assets": "No assets available for this agent.",
    "tools": "",
    "tool_usage": "",
    "tool_context": "",
    "kb": "【kb】",
    "kb_list": "未配置知识库。",
    "cssvar::--primary": "",
    "time": "2:30 PM",
    "time24": "14:30",
    "date": "November 7, 2025",
    "date_ymd": "2025-11-07",
    "datetime": "2025-11-07 14:30:05",
    "isotime": "2025-11-07T14:30:05.123Z",
    "timestamp": "1762525805123",
    "weekday": "Friday",
    "datetime_format": "2025-11-07 14:30:05",
    "datetime_format::D MMM YY, h:mm a": "7 Nov 25, 2:30 pm",
    "datetime_format::[Today is] dddd": "Today is Friday",
    "datetime_format::HH::mm": "14::30",
    "date_cn": "2025年11月7日",
    "datetime_cn": "2025年11月7日星期五 14:30",
    "weekday_cn": "星期五",
    "date_jp": "2025年11月7日（金）",
    "datetime_jp": "2025年11月7日（金） 午後2時30分",
    "date_ko": "2025년 11월 7일 (금)",
    "datetime_locale": "2025年11月7日星期五 14:30",
    "datetime_locale::zh-TW": "2025年11月7日星期五 下午02:30",
    "datetime_locale::ja": "2025年11月7日金曜日 14:30",
    "datetime_locale::ko": "2025년 11월 7일 금요일 PM 02:30",
    "datetime_locale::en": "Friday, November 7, 2025 at 02:30 PM",
    "datetime_locale::british": "Friday, 7 November 2025 at 14:30",
    "datetime_locale::de": "Freitag, 7. November 2025 um 14:30",
    "datetime_locale::ar": "الجمعة، ٧ نوفمبر ٢٠٢٥ في ٠٢:٣٠ م",
    "datetime_locale::pl": "piątek 7 listopada 2025 14:30",
    "date_cn_ancient": "乙巳年（蛇年）九月十八",
    "time_cn_ancient": "未时六刻",
    "datetime_cn_ancient": "乙巳年（蛇年）九月十八 未时六刻",
    "shichen": "未时",
    "date_en_ancient": "the 7th day of November, in the year of our Lord 2025",
    "datetime_en_ancient": "half past 2 in the afternoon, on the 7th day of November, in the year of our Lord 2025",
    "date_cn_uppercase": "贰零贰伍年壹拾壹月柒日",
    "time_cn_uppercase": "壹拾肆时叁拾分",
    "datetime_cn_uppercase": "贰零贰伍年壹拾壹月柒日 壹拾肆时叁拾分",
}


@pytest.mark.parametrize(("said", "expected"), ROWS.items())
def test_a_macro_gives_its_value(said: str, expected: str, env: MacroEnv) -> None:
    expansion = expand(f"<{{{{{said}}}}}>", env)

    assert str(expansion) == f"<{expected}>"
    assert expansion.count == 1


def test_every_macro_has_a_row_and_says_what_it_gives() -> None:
    shown = {said.partition("::")[0] for said in ROWS}

    assert set(MACROS) - shown == {"visual_guideline"}
    assert all(macro.description.endswith(".") for macro in MACROS.values())
    assert set(macro_names()) >= set(MACROS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("user", "none"), ("setvar", "2"), ("random", "1 or more"), ("assets", "0 or 1"), ("kb", "0 to 2")],
)
def test_the_table_says_how_many_arguments_each_takes(name: str, expected: str) -> None:
    assert MACROS[name].arguments == expected


# --- variables


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{{setvar::n::10}}", 10),
        ("{{setvar::n::1.5}}", 1.5),
        ("{{setvar::n::007}}", "007"),
        ("{{setvar::n::1.50}}", "1.50"),
        ("{{setvar::n::}}", ""),
        ("{{setvar::n::abc}}{{incvar::n}}", 1),
        ("{{setvar::n::0.5}}{{incvar::n}}{{incvar::n}}", 2.5),
        ("{{setvar::n::7}}{{decvar::n}}", 6),
    ],
)
def test_a_variable_keeps_what_was_written_and_can_be_counted(said: str, expected: object, env: MacroEnv) -> None:
    variables = expand(said, env).variables

    assert variables.session["n"] == expected
    assert type(variables.session["n"]) is type(expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, "true"), (None, "null"), (1.0, "1"), (0.1, "0.1"), ([1, "a"], '[1,"a"]'), (1e21, "1e+21"), (1e-7, "1e-7")],
)
def test_any_stored_value_can_be_shown(value: object, expected: str, env: MacroEnv) -> None:
    assert str(expand("{{getvar::x}}", env.with_variables(Variables({"x": value})))) == expected


# --- messages


def chat() -> Session:
    session = Session(id="s").append("", role="system").append("first").append("reply", role="assistant")
    return session.append("out", role="tool").append("second", id="u2")


ROOT_WITH_TEXT = Session.model_validate(
    {"rootNodeId": "a", "activeLeafId": "a", "nodes": {"a": {"id": "a", "role": "user", "content": "first words"}}}
)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (BuildInput(chat()), "second|second|reply"),
        (BuildInput(chat().disable("u2")), "out|first|reply"),
        (BuildInput(chat(), pending=Pending(Text())), "||reply"),
        (BuildInput(chat(), pending=Pending("now")), "now|now|reply"),
        (BuildInput(Session(id="s")), "||"),
        (BuildInput(Session(id="s").append("", role="system")), "||"),
        (BuildInput(ROOT_WITH_TEXT), "first words|first words|"),
    ],
)
def test_the_newest_messages_are_those_of_the_path(request_: BuildInput, expected: str) -> None:
    env = MacroEnv.of(request_)

    assert str(expand("{{lastMessage}}|{{lastUserMessage}}|{{lastCharMessage}}", env)) == expected


# --- what the application offers

OFFERS = Agent(
    name="S",
    assets=(
        {"id": "ok", "filename": "ok.PNG", "type": "image", "group": "stickers", "description": "thumbs up"},
        {"id": "odd", "filename": "odd", "type": "file", "group": "ghost"},
    ),
    assetGroups=[{"id": "stickers"}],
    toolCallConfig={"enabled": True},
    knowledgeBaseConfig={
        "enabled": True,
        "bindings": [
            {"kbName": "lore", "enabled": True, "limit": 5, "minScore": 0.3},
            {"kbName": "rules", "enabled": True, "mode": "gate", "modeParams": ["magic", "law"], "group": "g"},
            {"kbName": "off", "enabled": False},
        ],
    },
)  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "{{assets}}",
            "Available Assets:\nReference format: agent-asset://{group}/{id}.{ext}\n\n"
            "- [File] agent-asset://ghost/odd\n- [Image] agent-asset://stickers/ok.png: thumbs up",
        ),
        (
            "{{assets::default}}",
            'Assets in group "default":\nReference format: agent-asset://{group}/{id}.{ext}\n\n'
            "- [File] agent-asset://ghost/odd",
        ),
        ("{{assets::bgm}}", 'No assets in group "bgm".'),
        ("{{kb}}", "【kb::lore::5::0.30】\n【kb::rules::::::gate::magic,law】"),
        ("{{kb::lore::2}}", "【kb::lore::2::0.30】"),
        ("{{kb::off}}", "【kb::off】"),
        ("{{kb_list}}", "可用知识库 (2 个):\n- [lore] 模式=always, 上限=5\n- [rules] 模式=gate, 分组=g"),
        ("{{tools::a::b}}", "tools a b"),
        ("{{tool_context}}", "context"),
    ],
)
def test_offers_come_from_the_agent_and_from_services(said: str, expected: str, env: MacroEnv) -> None:
    offers = {"tools": lambda ids: " ".join(["tools", *ids]), "tool_context": lambda ids: "context"}

    assert str(expand(said, replace(env, agent=OFFERS, offers=offers))) == expected


def test_what_no_service_answers_is_empty_and_noted(env: MacroEnv) -> None:
    expansion = expand("[{{tool_usage}}]", env)

    assert str(expansion) == "[]"
    assert [note.text for note in expansion.notes] == ["macro 'tool_usage' is empty: no service answers it"]


def test_facts_about_the_machine_are_told_where_they_are_given(env: MacroEnv) -> None:
    assert str(expand("{{os}}", replace(env, host={"os": "Linux"}))) == "Linux"
