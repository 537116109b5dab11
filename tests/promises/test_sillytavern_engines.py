"""What holds for SillyTavern's two macro engines in any text."""

from __future__ import annotations

from dataclasses import replace
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.context import Origin, Text, Variables
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.engines.macros.environment import MacroEngine
from ctxlab.pipeline.conservation.undo_step import text_before

ENGINES: tuple[MacroEngine, ...] = ("sillytavern", "sillytavern-old")
NAMES = (
    "user",
    "char",
    "persona",
    "description",
    "newline",
    "noop",
    "lastMessage",
    "getvar::a",
    "setvar::a::1",
    "date",
)
SCOPED = ("if 1", "if .a", "setvar::b", "reverse", "trim", "//", "unknown", "user", "#if 0")
PIECES = (
    "{{",
    "}}",
    "{",
    "}",
    "\\{",
    "::",
    ":",
    " ",
    "\n",
    "中文",
    "text",
    "<USER>",
    "{{else}}",
    "{{.a += 1}}",
    "{{trim}}",
)
ENDS = tuple(f"/{each.split(':')[0].split()[0]}" for each in SCOPED)
PARTS = (*PIECES, *(f"{{{{{name}}}}}" for name in (*NAMES, *SCOPED, *ENDS)))

mixes = st.lists(st.sampled_from(PARTS), max_size=14).map("".join)
engines = st.sampled_from(ENGINES)
plain = st.text(st.characters(exclude_characters="{<\\"), max_size=40)
HOSTILE = {
    "opened": "{{a " * 20_000,
    "nested": "{{reverse::" * 20_000 + "}}" * 20_000,
    "begun": "{{setvar::a}}" * 20_000,
    "full and begun": "{{setvar::a::1}}{{setvar::a}}" * 10_000 + "{{/setvar}}",
    "begun and ended": "{{if 1}}" * 10_000 + "{{/if}}" * 10_000,
    "ended": "{{/if}}" * 20_000,
    "the card": "{{description}}" * 20_000,
    "doubling": "{{setvar::a::xx}}" + "{{setvar::a::{{getvar::a}}{{getvar::a}}}}" * 60,
    "a list": "{{setvar::a::[]}}" + "{{addvar::a::x}}" * 20_000,
    "many else": "{{if 1}}" + "{{else}}" * 20_000 + "{{/if}}",
    "braces": "{" * 40_000 + "}" * 40_000,
    "empty pairs": "{{x::{{}}" * 20_000,
    "trims": "\n{{trim}}" * 20_000,
}


PERSONA = "{{user}} {{persona}} {{description}}"
DESCRIPTION = "{{// " + "x" * 5_000 + "}}{{char}}"


def env_of(engine: MacroEngine, value: str = "v") -> MacroEnv:
    env = MacroEnv(user="Kim", char="Nova", persona=PERSONA, description=DESCRIPTION)
    return replace(env, engine=engine, variables=Variables({"a": value}))


@given(plain, engines)
def test_a_text_without_braces_is_the_same_object(said: str, engine: MacroEngine) -> None:
    text = Text.of(said, Origin("preset", "p"))

    assert expand(text, env_of(engine)).text is text


@given(mixes, st.integers(0, 40), engines)
def test_what_was_typed_can_be_taken_back(said: str, cut: int, engine: MacroEngine) -> None:
    typed = Text.of(said[:cut], Origin("node", "a")) + Text.of(said[cut:], Origin("node", "b"))

    done = expand(typed, env_of(engine), processor="step").text

    assert text_before(done.spans, lambda span: span.cause is None) == said
    assert all(span.cause is None or (span.cause.processor == "step" and span.cause.reason) for span in done.spans)


@given(
    st.lists(st.sampled_from(("{{user}}", "{{CHAR}}", "<BOT>", "{{newline}}", " and ", "{{noop}}", "{x}")), max_size=8)
)
def test_both_agree_on_plain_names(pieces: list[str]) -> None:
    said = "".join(pieces)

    assert len({str(expand(said, env_of(engine))) for engine in ENGINES}) == 1


@given(mixes, engines, st.sampled_from(("{{user}}", "}}", "{{", "{{trim}}", "\\{", "1")))
def test_expanding_twice_from_the_start_gives_the_same(said: str, engine: MacroEngine, value: str) -> None:
    first, second = (expand(said, env_of(engine, value)) for _ in range(2))

    assert str(first) == str(second)
    assert dict(first.variables.session) == dict(second.variables.session)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_come_to_an_end(said: str, engine: MacroEngine) -> None:
    begun = process_time()

    done = expand(said, env_of(engine))

    assert len(str(done)) <= len(said) + 1_000_000
    assert len(done.notes) <= 20
    assert process_time() - begun < 10


SETTINGS: dict[str, Any] = {
    "injection-assembler.macro_engine": "sillytavern",
    "injection-assembler.macros_in_messages": True,
    "injection-assembler.macro_order": "sillytavern",
}


@given(st.lists(mixes, min_size=1, max_size=3), st.sampled_from(("sillytavern", "sillytavern-old")))
def test_messages_are_rewritten_with_their_causes(said: list[str], engine: str) -> None:
    messages = [{"role": "user", "content": f"x {words}"} for words in said]

    trace = ctxlab.build(messages, settings={**SETTINGS, "injection-assembler.macro_engine": engine})
    again = trace.rerun({"injection-assembler.macros_in_messages": True})

    assert [m["content"] for m in trace.messages] == [m["content"] for m in again.messages]
