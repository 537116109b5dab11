"""What a user types, as it is when it is sent."""

import ctxlab
from ctxlab import Agent, Origin, Pending, Session, UserProfile, Variables

AGENT, USER = Agent(id="ag", name="Nova"), UserProfile(name="Kim")


def chat() -> Session:
    return Session(id="s").append("", role="system").append("hello", timestamp="2025-11-07T14:30:05+08:00")


def test_what_is_typed_knows_the_conversation() -> None:
    expansion = ctxlab.expand_input("{{char}}, {{lastMessage}} {{time24}}, I am {{user}}", chat(), AGENT, user=USER)

    assert str(expansion) == "Nova, hello 14:30, I am Kim"


def test_it_can_be_built_with_and_each_character_knows_its_macro() -> None:
    session = chat()
    typed = ctxlab.expand_input("hi {{char}}", session, AGENT)

    trace = ctxlab.build(session, AGENT, pending=typed.pending)

    draft = trace.steps[0].after.drafts[-1]
    assert [(span.text, span.origin) for span in draft.text.spans] == [
        ("hi ", Origin("pending")),
        ("Nova", Origin("macro", "char")),
    ]
    assert [older.text for older in draft.text.spans[1].was] == ["{{char}}"]


def test_what_was_typed_is_kept_beside_it() -> None:
    assert ctxlab.expand_input("hi {{char}}", agent=AGENT).pending.original == "hi {{char}}"
    assert ctxlab.expand_input("hi", agent=AGENT).pending.original is None


def test_a_text_with_an_original_stands_for_all_of_it() -> None:
    plain = Pending(ctxlab.Text.of("hi Nova", Origin("pending")), original="hi {{char}}")

    (draft,) = ctxlab.build(Session(id="s"), pending=plain).steps[0].after.drafts

    assert [older.text for span in draft.text.spans for older in span.was] == ["hi {{char}}"]


def test_variables_go_on_from_one_input_to_the_next() -> None:
    first = ctxlab.expand_input("{{setvar::mood::calm}}", variables=Variables({"a": 1}))

    second = ctxlab.expand_input("{{getvar::mood}} {{getvar::a}}", variables=first.variables)

    assert str(second) == "calm 1"


def test_an_import_brings_its_agent() -> None:
    imported = ctxlab.read_data([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}])

    assert str(ctxlab.expand_input("{{lastUserMessage}}", imported)) == "hi"
