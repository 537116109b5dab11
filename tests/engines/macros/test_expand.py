import pytest

from ctxlab.context import Origin, Text
from ctxlab.documents import Agent, UserProfile
from ctxlab.engines.macros import MacroEnv, expand

ENV = MacroEnv(user="Kim", char="Nova", persona="likes cats")


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
        ("{{{user}}}", "{Kim}"),
        ("{user}", "{user}"),
        (r"\{{user}}", "{{user}}"),
        (r"\{{user}} {{user}}", "{{user}} Kim"),
        ("nothing here", "nothing here"),
        ("", ""),
    ],
)
def test_known_macros_become_their_values(said: str, expected: str) -> None:
    assert str(expand(text(said), ENV).text) == expected


@pytest.mark.parametrize("said", ["nothing here", "{{nothing}}", "{{user", ""])
def test_a_text_without_known_macros_is_the_same_object(said: str) -> None:
    typed = text(said)

    assert expand(typed, ENV).text is typed


def test_a_value_says_which_macro_stood_there() -> None:
    expanded = expand(text("hi {{user}}!"), ENV)

    assert expanded.count == 1
    span = expanded.text.at(3)
    assert (span.text, span.origin) == ("Kim", Origin("macro", "user"))
    assert [older.text for older in span.was] == ["{{user}}"]
    assert span.cause is not None
    assert span.cause.rule == "user"
    assert expanded.text.at(0).origin == Origin("preset", "p")


def test_an_escape_keeps_the_hand_that_wrote_it() -> None:
    expanded = expand(text(r"\{{user}}"), ENV)

    assert expanded.count == 0
    assert expanded.text.origins() == {Origin("preset", "p")}


@pytest.mark.parametrize("value", ["{{char}}", r"\{{char}}", r"\1 \g<0> $1"])
def test_a_value_is_data(value: str) -> None:
    assert str(expand(text("{{user}}"), MacroEnv(user=value)).text) == value


def test_names_come_from_the_agent_and_the_user() -> None:
    env = MacroEnv.of(Agent(name="Nova"), UserProfile(name="Kim", content="likes cats"))

    assert env == ENV


def test_without_an_agent_or_a_user_there_are_plain_names() -> None:
    assert MacroEnv.of(None, None) == MacroEnv.of(Agent(), UserProfile()) == MacroEnv("User", "Assistant", "")
