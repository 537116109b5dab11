"""How macros are evaluated: what is nested, what is data, what is remembered."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.context import BuildInput, Context, Origin, Text, Variables
from ctxlab.documents import Agent, Session, UserProfile
from ctxlab.engines.macros import MacroEnv, expand


def text(said: str) -> Text:
    return Text.of(said, Origin("preset", "p"))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("hi {{user}}", "hi Kim"),
        ("{{char}} and {{char}}", "Nova and Nova"),
        ("{{ persona }}", "likes cats"),
        ("{{user}}{{char}}", "KimNova"),
        ("{{nothing}}", "{{nothing}}"),
        ("{{user", "{{user"),
        ("{{ {{user}}", "{{ Kim"),
        ("{{{user}}}", "{Kim}"),
        ("{{{{user}}}}", "{{Kim}}"),
        ("{user}", "{user}"),
        ("}}{{user}}}}", "}}Kim}}"),
        ("{{User}}", "{{User}}"),
        (r"\{{user}}", "{{user}}"),
        (r"\{{user}} {{user}}", "{{user}} Kim"),
        (r"\\{{user}}", r"\{{user}}"),
        (r"{{random::\{{user}}}}", "{{user}}"),
        ("nothing here", "nothing here"),
        ("", ""),
    ],
)
def test_known_macros_become_their_values(said: str, expected: str, env: MacroEnv) -> None:
    assert str(expand(text(said), env).text) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{{random::{{user}}::x}}", "x"),
        ("{{random::x::{{user}}}}", "Kim"),
        ("{{getvar::{{getvar::k}}}}", "inner"),
        ("{{setvar::n::{{user}}}}{{getvar::n}}", "Kim"),
        ("{{repeat::{{char}}::2}}", "NovaNova"),
        ("{{repeat::{{newline}}::2}}", "\n\n"),
        ("{{{{getvar::name}}}}", "Nova"),
        ("{{foo::{{user}}}}", "{{foo::Kim}}"),
        ("{{random::a}b::a}b}}", "a}b"),
        ('{{setvar::j::{"a": {"b": 1}}}}{{getvar::j}}', '{"a": {"b": 1}}'),
        ("{{setvar::j::a::b}}{{getvar::j}}", "a::b"),
    ],
)
def test_macros_nest(said: str, expected: str, env: MacroEnv) -> None:
    env = env.with_variables(Variables({"k": "v", "v": "inner", "name": "char"}))

    assert str(expand(said, env).text) == expected


@pytest.mark.parametrize("value", ["{{char}}", r"\{{char}}", r"\1 \g<0> $1", "$&", "$$5", "{{getvar::t}}", "}}", "::"])
def test_a_value_is_data(value: str, env: MacroEnv) -> None:
    env = env.with_variables(Variables({"t": value}))

    assert str(expand("{{getvar::t}} / {{char}}", env).text) == f"{value} / Nova"
    assert str(expand("{{random::{{getvar::t}}}}", env).text) == value
    assert str(expand("{{random::{{getvar::t}}::{{getvar::t}}}}", env).text) == value


def test_the_same_macro_twice_runs_twice(env: MacroEnv) -> None:
    expansion = expand("{{incvar::c}}{{incvar::c}}{{getvar::c}}", env)

    assert (str(expansion), expansion.count) == ("2", 3)


def test_state_changes_before_anything_is_read_in_the_order_of_the_text(env: MacroEnv) -> None:
    expansion = expand("{{getvar::a}} {{setvar::a::1}}{{setvar::b::{{getvar::a}}}}{{setvar::a::2}}{{getvar::b}}", env)

    assert str(expansion) == "2 1"


def test_an_inner_macro_runs_when_the_one_around_it_needs_it(env: MacroEnv) -> None:
    expansion = expand("{{random::{{setvar::x::1}}a}} {{getvar::x}}", env)

    assert str(expansion) == "a 1"


def test_the_text_after_each_phase_is_told(env: MacroEnv) -> None:
    expansion = expand("{{setvar::c::5}}{{user}} {{getvar::c}} {{date_ymd}}", env)

    assert expansion.phases == (
        "{{user}} {{getvar::c}} {{date_ymd}}",
        "Kim 5 {{date_ymd}}",
        "Kim 5 2025-11-07",
    )


def test_variables_come_back_changed_and_those_given_stay_as_they_were(env: MacroEnv) -> None:
    given = env.variables

    changed = expand("{{setvar::k::1}}{{incglobalvar::n}}", env).variables

    assert (changed.session["k"], changed.everywhere["n"]) == (1, 8)
    assert (given.session["k"], given.everywhere["n"]) == ("v", 7)
    assert expand("{{getvar::k}}", env).variables is given


def test_a_template_is_read_like_the_text_around_it(env: MacroEnv) -> None:
    env = MacroEnv.of(_request(Agent(name="Nova", visual_guideline="Like {{char}}, {{getvar::k}}")))

    expansion = expand("{{setvar::k::1}}{{visual_guideline}}!", env)

    assert str(expansion) == "Like Nova, 1!"
    assert {origin.kind for origin in expansion.text.at(5).origins()} == {"macro", "text"}


def test_a_template_that_contains_itself_stays_there() -> None:
    env = MacroEnv.of(_request(Agent(name="Nova", visual_guideline="[{{visual_guideline}}]")))

    expansion = expand("{{visual_guideline}}", env)

    assert str(expansion) == "[{{visual_guideline}}]"
    assert len(expansion.notes) == 1


# --- what is remembered


@pytest.mark.parametrize("said", ["nothing here", "{{nothing}}", "{{user", "", "<USER>"])
def test_a_text_without_known_macros_is_the_same_object(said: str, env: MacroEnv) -> None:
    typed = text(said)

    assert expand(typed, env).text is typed


def test_a_value_says_which_macro_stood_there(env: MacroEnv) -> None:
    expanded = expand(text("hi {{user}}!"), env)

    assert expanded.count == 1
    span = expanded.text.at(3)
    assert (span.text, span.origin) == ("Kim", Origin("macro", "user"))
    assert [older.text for older in span.was] == ["{{user}}"]
    assert str(span.cause) == "macros / user: stood at character 3, substitute phase"
    assert expanded.text.at(0).origin == Origin("preset", "p")


def test_a_value_remembers_the_macros_inside(env: MacroEnv) -> None:
    (span,) = expand(text("{{repeat::{{user}}::2}}"), env).text.spans

    assert [older.text for older in span.was] == ["{{repeat::", "Kim", "::2}}"]
    assert [older.text for older in span.was[1].was] == ["{{user}}"]


def test_what_stood_in_a_macro_of_several_hands_is_remembered(env: MacroEnv) -> None:
    typed = text("{{us") + Text.of("er}}", Origin("preset", "q"))

    assert expand(typed, env).text.origins() == {Origin("macro", "user"), Origin("preset", "p"), Origin("preset", "q")}


def test_an_escape_keeps_the_hand_that_wrote_it(env: MacroEnv) -> None:
    expanded = expand(text(r"\{{user}}"), env)

    assert expanded.count == 0
    assert expanded.text.origins() == {Origin("preset", "p")}


def test_a_macro_that_gives_nothing_leaves_a_mark(env: MacroEnv) -> None:
    expanded = expand(text("a{{setvar::x::1}}b"), env)

    assert [(span.text, [older.text for older in span.was]) for span in expanded.text.spans] == [
        ("a", []),
        ("", ["{{setvar::x::1}}"]),
        ("b", []),
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("a \n {{trim}} \n b", "ab"),
        (" {{trim}} x {{trim}} {{trim}} ", "x"),
        ("a {{newline}}{{trim}} {{user}}", "aKim"),
        ("{{repeat::a {{trim}} b::2}}", "abab"),
        ("{{foo:: {{trim}} b}}", "{{foo::b}}"),
    ],
)
def test_a_trim_takes_the_blanks_around_it_along(said: str, expected: str, env: MacroEnv) -> None:
    assert str(expand(text(said), env).text) == expected


def test_an_outlet_shows_lore_as_it_is(env: MacroEnv) -> None:
    lore = Text.of("dragons, {{user}}", Origin("lore", "b/1"))

    expanded = expand(text("[{{outlet::beasts}}]"), env.with_outlets({"beasts": lore})).text

    assert str(expanded) == "[dragons, {{user}}]"
    assert expanded.at(1).origin == Origin("lore", "b/1")
    assert [older.text for older in expanded.at(1).was] == ["{{outlet::beasts}}"]


def test_values_can_be_made_fit_for_a_regular_expression(env: MacroEnv) -> None:
    expansion = expand("^{{repeat::{{getvar::p}}::2}}.$", env.with_variables(Variables({"p": "a|b"})), transform=_pipes)

    assert str(expansion) == r"^a\|ba\|b.$"


def _pipes(value: str) -> str:
    return value.replace("|", r"\|")


# --- where values come from


def test_names_come_from_the_agent_and_the_user() -> None:
    env = MacroEnv.of(_request(Agent(name="Nova"), UserProfile(name="Kim", content="likes cats")))

    assert (env.char, env.user, env.persona) == ("Nova", "Kim", "likes cats")


def test_without_an_agent_or_a_user_there_are_plain_names() -> None:
    bare, blank = MacroEnv.of(_request(None)), MacroEnv.of(_request(Agent(), UserProfile()))

    assert (bare.user, bare.char, bare.persona) == (blank.user, blank.char, blank.persona) == ("User", "Assistant", "")


def test_dice_fall_differently_in_each_place_and_the_same_way_again() -> None:
    build_input = _request(None)
    env = MacroEnv.of(build_input, dice=Context(build_input).dice)
    said = "{{roll::1d1000}} {{roll::1d1000}}"

    here, again, there = (str(expand(said, env.at(place))) for place in ("preset:0", "preset:0", "preset:1"))

    assert here == again != there
    assert len(set(here.split())) == 2


# --- what people are told


def notes(said: str, env: MacroEnv) -> list[str]:
    return [note.text for note in expand(said, env).notes]


def test_an_unknown_macro_earns_a_note_with_the_nearest_name(env: MacroEnv) -> None:
    assert notes("hi\n {{usr}} {{usr}}", env.at("preset:0")) == [
        "preset:0: 2:2: macro 'usr' is not known and stays; did you mean 'user'?"
    ]


def test_what_is_no_name_is_no_macro(env: MacroEnv) -> None:
    assert notes("{{}} {{ }} {{#if}} {{1}} {{a}b}} {{'x'}}", env) == []


def test_a_macro_with_wrong_arguments_stays_and_says_why(env: MacroEnv) -> None:
    expansion = expand("{{random}} {{repeat::x::-1}} {{roll::d6}} {{user::x}}", env)

    assert str(expansion) == "{{random}} {{repeat::x::-1}} {{roll::d6}} Kim"
    assert [note.text for note in expansion.notes] == [
        "1:30: macro 'roll' stays: 'd6' are no dice; 2d6 are two of six sides",
        "1:43: macro 'user' takes no arguments, not 1; what is too many has no effect",
        "1:1: macro 'random' stays: takes 1 or more arguments, not none",
        "1:12: macro 'repeat' stays: '-1' is not how often: a whole number from 0 to 1000 is",
    ]


TEMPLATES = {
    "persona": "persona", "description": "description", "personality": "personality", "scenario": "scenario",
    "mesExamples": "mes_examples",
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["ctxlab", "sillytavern"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_macros_in_a_text_that_people_write_are_expanded(env: MacroEnv, name: str, dialect: str) -> None:
    own = replace(env, user="Kim", char="Ann", **{TEMPLATES[name]: "{{char}} meets {{user}}."}).speaking(dialect)
    assert str(expand(f"About: {{{{{name}}}}}", own).text) == "About: Ann meets Kim."


def test_a_text_that_holds_itself_stays_with_a_note(env: MacroEnv) -> None:
    expansion = expand("{{description}}", replace(env, description="So: {{description}}"))
    assert str(expansion) == "So: {{description}}"
    assert ["stands inside itself" in note.text for note in expansion.notes] == [True]


@given(st.integers(1, 3), st.sampled_from(["user", "time", "date", "newline", "lastMessage"]))
def test_an_argument_too_many_is_never_dropped_in_silence(count: int, name: str) -> None:
    text = "{{" + "::".join([name, *["UTC+2"] * count]) + "}}"
    assert any(f"not {count}; what is too many" in note for note in notes(text, MacroEnv(user="Kim")))


def test_facts_about_the_machine_are_not_told(env: MacroEnv) -> None:
    expansion = expand("[{{hostname}}{{os}}]", env)

    assert str(expansion) == "[]"
    assert [note.level for note in expansion.notes] == ["info"]


def _request(agent: Agent | None, user: UserProfile | None = None) -> BuildInput:
    return BuildInput(Session(id="s"), agent=agent, user=user)
