"""Laws of session variables."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.context import BuildInput, Context
from ctxlab.documents import Agent, Session
from ctxlab.engines.javascript.numbers import number_text
from ctxlab.engines.variables import Replay, definitions_of, look_up, number_of, put, readings, tags_in
from ctxlab.pipeline import Pipeline, Services
from ctxlab.processors import SessionLoader, VariableProcessor
from ctxlab.testing.fakes import WordTokenizer

NAMES = st.sampled_from(["gold", "hp", "bag.tea", "心情", "bag"])
WORDS = st.text(st.sampled_from("ab12 .<>\"'$[]={}/\\svar心\n"), max_size=20)
TAGS = st.builds(
    lambda name, op, value, quote: f"<svar name={quote}{name}{quote} op='{op}' value={quote}{value}{quote} />",
    NAMES,
    st.sampled_from(["=", "+", "-", "*", "/", "set", "^"]),
    st.one_of(st.integers(-9, 9).map(str), st.sampled_from(["1e308", "[1]", "x y", "0"])),
    st.sampled_from("\"'"),
)
PLACES = st.one_of(NAMES, st.sampled_from(["svars::json", "svars::table", "none"])).map(lambda name: f"$[{name}]")
MESSAGES = st.lists(st.one_of(TAGS, PLACES, WORDS), max_size=5).map("".join)
CONFIG: dict[str, Any] = {
    "enabled": True,
    "definitions": [
        {"key": "gold", "initialValue": 1},
        {"key": "hp", "initialValue": "7", "min": 0, "max": 10},
        {"key": "心情", "initialValue": "好"},
    ],
}
AGENT = Agent.model_validate({"id": "a", "variableConfig": CONFIG})


@given(st.lists(MESSAGES, max_size=5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_conversation_is_built_the_same_twice_and_stays_as_it_was(texts: list[str], keep: bool) -> None:
    session = Session(id="s").append("", role="system")
    for text in texts:
        session = session.append(text)
    before = session.to_json()
    step = VariableProcessor(VariableProcessor.Settings(keep_tags=keep))
    pipeline = Pipeline.of([SessionLoader(), step])

    first, second = (pipeline.run(Context(BuildInput(session, agent=AGENT)), Services(WordTokenizer())) for _ in "ab")

    assert first.result.as_data() == second.result.as_data()
    assert session.to_json() == before


@given(st.lists(MESSAGES, max_size=6))
@settings(max_examples=60, deadline=None)
def test_the_state_after_two_rows_of_messages_is_that_after_the_whole(texts: list[str]) -> None:
    definitions = definitions_of(CONFIG)
    whole, part = Replay(definitions), Replay(definitions)
    middle = len(texts) // 2

    for text in texts:
        whole.write(tags_in(text).found)
    for text in texts[:middle]:
        part.write(tags_in(text).found)
    rest = Replay(definitions)
    rest.values = part.values
    for text in texts[middle:]:
        rest.write(tags_in(text).found)

    assert rest.values == whole.values


@given(st.lists(TAGS, max_size=8))
def test_numbers_stay_finite_and_within_their_bounds(tags: list[str]) -> None:
    fold = Replay(definitions_of(CONFIG))

    changes = fold.write(tags_in("".join(tags)).found)

    numbers = [change.after for change in changes if isinstance(change.after, float | int)]
    assert all(math.isfinite(number) for number in numbers)
    hp = look_up(fold.values, "hp")
    assert not isinstance(hp, int | float) or 0 <= hp <= 10


@given(st.text(max_size=60) | MESSAGES)
def test_tags_and_places_lie_inside_the_text_in_order(text: str) -> None:
    definitions = definitions_of(CONFIG)

    spans = [(tag.start, tag.end) for tag in tags_in(text).found]
    places = [(place.start, place.end) for place in readings(text, definitions, definitions.initial)]

    for row in (spans, places):
        assert all(0 <= start < end <= len(text) for start, end in row)
        assert all(end <= start for (_, end), (start, _) in pairwise(row))


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53))
def test_a_number_that_is_written_is_read_back(number: float) -> None:
    assert number_of(number_text(number)) == number


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(".".join), st.integers())
def test_what_is_put_is_found_and_nothing_else_is_touched(path: str, value: int) -> None:
    values: dict[str, Any] = {"a": {"b": 1}, "z": {"y": 2}}

    after = put(values, path, value)

    assert look_up(after, path) == value
    assert after["z"] is values["z"]
    assert values == {"a": {"b": 1}, "z": {"y": 2}}
