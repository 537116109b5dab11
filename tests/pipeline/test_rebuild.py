"""A run is built again with something else in it, and what isn't named stays."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab import Agent, Session, Trace, Worldbook
from ctxlab.documents import LoreEntry
from ctxlab.providers import tokenizer_for


@pytest.fixture
def session() -> Session:
    said = [("user", "Where is it?"), ("assistant", "By the pier."), ("user", "Thanks.")]
    return ctxlab.read_data([{"role": role, "content": text} for role, text in said]).pick()


@pytest.fixture
def trace(session: Session) -> Trace:
    return ctxlab.build(session, budget_tokens=500, settings={"token-limiter.strategy": "middle-out"})


def words(trace: Trace) -> list[str]:
    return [str(message["content"]) for message in trace.messages]


def test_another_session_is_sent_with_the_same_settings(session: Session, trace: Trace) -> None:
    longer = session.append("And the ferry?")

    again = ctxlab.rebuild(trace, session=longer)

    assert words(again)[-1].endswith("And the ferry?")
    assert again.pipeline.stage("token-limiter").processor.settings == (
        trace.pipeline.stage("token-limiter").processor.settings
    )


def test_another_leaf_is_sent_as_build_would(session: Session, trace: Trace) -> None:
    above = session.path()[-2].id

    again = ctxlab.rebuild(trace, leaf=above)

    assert words(again) == words(ctxlab.build(session, leaf=above, budget_tokens=500))


def test_an_unknown_leaf_is_refused(trace: Trace) -> None:
    with pytest.raises(ctxlab.CtxlabError, match="nobody"):
        ctxlab.rebuild(trace, leaf="nobody")


def test_books_of_another_kind_fire(trace: Trace) -> None:
    book = Worldbook(name="harbour", entries={"0": LoreEntry(uid=0, key=("pier",), content="The pier is of oak.")})

    again = ctxlab.rebuild(trace, books=[book])

    assert any("of oak" in text for text in words(again))
    assert not any("of oak" in text for text in words(ctxlab.rebuild(again, books=[])))


def test_another_tokenizer_counts_anew(trace: Trace) -> None:
    again = ctxlab.rebuild(trace, tokenizer=tokenizer_for(ctxlab.ModelProfile(id="gpt-4")))

    assert again.services.tokenizer.name != trace.services.tokenizer.name
    assert words(again) == words(trace)


def test_an_agents_presets_come_in(trace: Trace) -> None:
    agent = ctxlab.load_agent("datasets/harbour_roleplay.agent.json")

    again = ctxlab.rebuild(trace, agent=agent)

    assert isinstance(again.start.input.agent, Agent)
    assert len(words(again)) > len(words(trace))


def test_notes_of_the_start_are_not_doubled(session: Session) -> None:
    orphan = session.update(session.path()[-1].id, metadata={"agentId": "gone"})
    trace = ctxlab.build(orphan)

    again = ctxlab.rebuild(trace, books=[])

    assert any("gone" in str(note) for note in trace.start.notes)
    assert again.start.notes == trace.start.notes
