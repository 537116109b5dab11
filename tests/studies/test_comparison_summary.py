"""The sentence of a comparison is true of every run: what it names is so, and what it counts is all there is."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.api import build
from ctxlab.documents import Agent, Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import BudgetTooSmall, Services, Trace
from ctxlab.studies import Comparison, compare, comparison_summary
from ctxlab.testing.fakes import WordTokenizer

AGENT = Agent.model_validate(
    {"id": "ann", "presetMessages": [{"id": "p", "role": "system", "content": "be", "injectionStrategy": {"depth": 2}}]}
)
SENT = {"keeps", "keep", "cuts", "cut", "sends", "send"}


def chat(words: list[int]) -> Session:
    session = Session(id="chat").append("", role="system", id="root")
    for i, n in enumerate(words):
        session = session.append(" ".join(["word"] * n), role=("user", "assistant")[i % 2], id=f"m{i}")
    return session


def run(session: Session, **options: Any) -> Trace:
    agent = AGENT if options.pop("preset", False) else None
    return build(session, agent, services=Services(tokenizer=WordTokenizer()), **options)


options = st.fixed_dictionaries(
    {},
    optional={
        "budget_tokens": st.integers(12, 80),
        "preset": st.booleans(),
        "settings": st.fixed_dictionaries(
            {"token-limiter.strategy": st.sampled_from(["sliding", "middle-out", "block", "head-and-tail"])},
            optional={"token-limiter.retained_characters": st.integers(1, 9)},
        ),
    },
)


def compared(words: list[int], wishes: list[dict[str, Any]]) -> Comparison:
    session, runs = chat(words), dict[str, Trace]()
    for i, wish in enumerate(wishes):
        try:
            runs[f"run{i}"] = run(session, **wish)
        except BudgetTooSmall:
            continue
    return compare(runs)


def state(comparison: Comparison, key: str, name: str) -> str:
    line = next(line for line in comparison if line.key == key)
    return line.cells[list(comparison.traces).index(name)].state


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.lists(options, min_size=1, max_size=4))
def test_what_the_sentence_says_of_a_message_is_so(words: list[int], wishes: list[dict[str, Any]]) -> None:
    comparison = compared(words, wishes)
    names, text = list(comparison.traces), str(comparison_summary(comparison))

    same = sum(not line.differs for line in comparison)
    if len(names) > 1:
        counted = {0: "none is the same", 1: "1 is the same"}.get(same, f"{same} are the same")
        assert ("no message differs" in text) == (not comparison)
        assert not comparison or text.endswith(f"{counted}.")
    subjects: list[str] = []
    verb = ""
    for part in comparison_summary(comparison).parts:
        subjects = re.findall(r"run\d", part.words) if part.words.startswith("run") else subjects
        verb = next((each for each in part.words.split() if each in SENT or each == "never"), verb)
        for name in subjects if part.key else ():
            here, base = state(comparison, part.key, name), state(comparison, part.key, names[0])
            if verb.startswith("keep"):
                assert base == "cut"
            if verb in ("keeps", "keep", "sends", "send"):
                assert here not in ("cut", "not there")
            if verb in ("cuts", "cut"):
                assert here == "cut"
                assert base not in ("cut", "not there")
            if verb == "never":
                assert here == "not there"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.lists(options, min_size=2, max_size=4))
def test_runs_that_are_said_to_be_equal_send_and_cut_the_same(words: list[int], wishes: list[dict[str, Any]]) -> None:
    comparison = compared(words, wishes)
    traces = list(comparison.traces.values())

    for i, first in enumerate(comparison.equal_runs()):
        assert first <= i
        assert [draft.key for draft in traces[i].result.drafts] == [draft.key for draft in traces[first].result.drafts]
        assert traces[i].messages == traces[first].messages
        assert all(line.groups[i] == line.groups[first] for line in comparison)


def test_the_sentence_names_who_keeps_what_and_counts_the_rest() -> None:
    session = chat([3] * 9)
    whole, cut = run(session), run(session, budget_tokens=40)

    assert str(comparison_summary(compare({"whole": whole, "cut": cut, "again": whole}))) == (
        "3 runs, 9 messages: cut cuts m0, m1 and 2 more that whole sends; again does the same as whole; 5 are the same."
    )
    assert str(comparison_summary(compare({"whole": whole}))) == "1 run, 9 messages."
    assert str(comparison_summary(compare({"a": whole, "b": whole}))) == "2 runs, 9 messages: no message differs."


class Named(NamedTuple):
    name: str
    trace: Trace


def test_runs_can_be_a_list_of_values_with_a_name_and_a_trace() -> None:
    session = chat([3, 3])
    runs = [Named("as opened", run(session)), Named("again", run(session)), Named("as opened", run(session))]

    assert list(compare(runs).traces) == ["as opened", "again", "as opened 2"]
    with pytest.raises(CtxlabError, match="a run can't be named 'key'"):
        compare([Named("key", runs[0].trace)])
    with pytest.raises(CtxlabError, match="NamedRun"):
        compare([runs[0].trace])  # pyright: ignore[reportArgumentType]
