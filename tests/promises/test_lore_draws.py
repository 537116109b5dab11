"""Entries with a probability: drawn at each turn, or once at each message that calls them up."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Session, Worldbook
from ctxlab.engines.worldbook import LoreScan

BY_PLACE = {"worldbook-processor.draw": "place", "worldbook-processor.scan_depth": 6}
WORDS = st.sampled_from(["The lamp burns.", "雾来了。", "Nothing.", "The bell and the lamp."])


def book(probability: float, **fields: object) -> Worldbook:
    keys = {"lamp": ["lamp"], "bell": ["bell"], "雾": ["雾"]}
    entries = {
        str(n): {"uid": n, "key": key, "content": f"Of {name}.", "useProbability": True, "probability": probability}
        | fields
        for n, (name, key) in enumerate(keys.items())
    }
    return Worldbook.model_validate({"name": "book", "entries": entries})


def talk(texts: list[str]) -> Session:
    session = Session(id="s")
    for number, text in enumerate(texts):
        session = session.append(text, role="user" if number % 2 == 0 else "assistant")
    return session


def fired(trace: ctxlab.Trace) -> dict[str, str]:
    """By key of each entry that fired, the message that called it up."""
    scan = trace.result.report(LoreScan)
    assert scan is not None
    return {one.key: one.matched.where if one.matched else "" for one in scan.fired}


def called(trace: ctxlab.Trace) -> dict[str, str]:
    """The same of entries that were called up, whatever the draw said."""
    scan = trace.result.report(LoreScan)
    assert scan is not None
    return {one.key: one.matched.where if one.matched else "" for one in scan.decisions if one.matched}


@settings(deadline=None)
@given(st.lists(WORDS, min_size=2, max_size=8), st.integers(5, 95), st.integers(0, 50))
def test_by_place_an_entry_is_drawn_once_at_each_message_that_calls_it_up(
    texts: list[str], probability: int, seed: int
) -> None:
    drawn: dict[tuple[str, str], bool] = {}
    for end in range(1, len(texts) + 1):
        trace = ctxlab.build(talk(texts[:end]), books=[book(probability)], settings=BY_PLACE, seed=seed)
        there = fired(trace)
        for key, where in called(trace).items():
            assert drawn.setdefault((key, where), key in there) == (key in there)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=5), WORDS, st.integers(5, 95), st.integers(0, 50))
def test_by_place_what_is_typed_is_drawn_as_it_is_when_it_is_sent(
    texts: list[str], typed: str, probability: int, seed: int
) -> None:
    books, session = [book(probability)], talk(texts)
    before = ctxlab.build(session, books=books, settings=BY_PLACE, seed=seed, pending=typed)
    after = ctxlab.build(session.append(typed, role="user"), books=books, settings=BY_PLACE, seed=seed)

    assert fired(before).keys() == fired(after).keys()


def test_by_turn_the_same_message_is_drawn_anew() -> None:
    outcomes = set[bool]()
    texts = ["The lamp burns.", *["Nothing."] * 5]
    for end in range(1, 7):
        trace = ctxlab.build(talk(texts[:end]), books=[book(50)], settings={"worldbook-processor.scan_depth": 6})
        outcomes.add(bool(fired(trace)))

    assert outcomes == {True, False}


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.integers(5, 95), st.integers(0, 50))
def test_by_place_a_nearest_change_does_what_it_says(texts: list[str], probability: int, seed: int) -> None:
    trace = ctxlab.build(
        talk(texts), books=[book(probability)], settings=BY_PLACE | {"worldbook-processor.scan_depth": 1}, seed=seed
    )
    scan = trace.result.report(LoreScan)
    assert scan is not None

    for one in scan.decisions:
        if not one.fired and one.nearest and one.nearest.message is None:
            assert scan.with_change(one.key)[one.key].fired
