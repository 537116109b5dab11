"""Requests for every vendor, whatever the conversation: no problem, true places, nothing lost in silence."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.context import Text
from ctxlab.documents import Agent, Session
from ctxlab.pipeline import BudgetTooSmall, NothingToSend, Trace
from ctxlab.providers import Payload, built_in, payload
from ctxlab.providers.place import value_at
from ctxlab.testing import refusals_of
from tests.assets.made_files import pdf
from tests.promises.strategies import agents, rich_sessions
from tests.promises.test_files_reach_the_model import FILES as SAMPLES

VENDORS = tuple(built_in())
FILES = {"f/two.pdf": pdf(["the first leaf", "the second leaf"]), **{n: SAMPLES[n] for n in sorted(SAMPLES)[:8]}}
TOOL = {
    "type": "function",
    "function": {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}},
}


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Session, Agent]:
    """Sessions with calls, orphans, files, speakers and summaries; agents with presets at every place, and tools."""
    session, agent = draw(rich_sessions()), draw(agents())
    data = session.to_data()
    for node in data["nodes"].values():
        if draw(st.integers(0, 5)) == 0 and node["role"] in ("user", "tool"):
            path = draw(st.sampled_from(sorted(FILES)))
            node["attachments"] = [{"id": path, "type": "other", "name": path.partition("/")[2], "path": path}]
    if draw(st.booleans()):
        agent = agent.with_(tools=(TOOL,))
    return Session.model_validate(data), agent


def built(session: Session, agent: Agent, vendor: str, **options: Any) -> Trace:
    """The run for the vendor's usual model; a conversation of which nothing can be sent is no case here."""
    from ctxlab.assets.build_files import BuildFiles
    from ctxlab.assets.transcription import FileTranscriber
    from ctxlab.pipeline import Services
    from ctxlab.providers.tokenizers import tokenizer_for

    model = built_in()[vendor].default_model
    store = BuildFiles(FILES, agents=[agent])
    services = Services(tokenizer_for(model), assets=store, transcriber=FileTranscriber(store, engines=()))
    try:
        trace = ctxlab.build(session, agent, model=model, services=services, **options)
    except (NothingToSend, BudgetTooSmall):
        reject()
    if not any(str(draft.text).strip() or draft.assets or draft.calls for draft in trace.result.drafts):
        reject()
    return trace


def places_are_true(found: Payload) -> None:
    for place in found.places:
        value = value_at(found.body, place.path)
        if place.text is not None:
            assert value == str(place.text), place


def words_are_there(trace: Trace, found: Payload) -> None:
    """Every text of a message is a value of the body, or a loss names it."""
    lost = {loss.key for loss in found.losses if loss.kind == "part"}
    for draft in trace.result.drafts:
        words = [str(part) for part in draft.body if isinstance(part, Text) and str(part).strip()]
        mine = [str(place.text) for place in found.places_of(draft.key) if place.text is not None]
        assert all(word in mine for word in words) or draft.key in lost, (draft, mine)


@settings(deadline=None, max_examples=80)
@given(conversations())
def test_no_vendor_refuses_a_request_and_every_word_is_at_its_place(made: tuple[Session, Agent]) -> None:
    for vendor in VENDORS:
        trace = built(*made, vendor)
        found = payload(trace, vendor)

        assert [str(problem) for problem in found.problems] == [], vendor
        path = urlsplit(found.url).path
        assert refusals_of(found.body, vendor, model=found.model.name, path=path) == (), vendor
        places_are_true(found)
        words_are_there(trace, found)
        assert payload(trace, vendor).as_bytes() == found.as_bytes(), vendor


@settings(deadline=None, max_examples=40)
@given(conversations(), st.integers(30, 400), st.sampled_from(VENDORS))
def test_a_budget_holds_on_the_request(made: tuple[Session, Agent], budget: int, vendor: str) -> None:
    """The words of the body, counted as the run counts, are no more than the budget allows."""
    trace = built(*made, vendor, budget_tokens=budget)
    found = payload(trace, vendor)
    count = trace.services.tokenizer.count

    assert found.problems == ()
    assert found.tokens <= budget
    assert sum(count(str(place.text)) for place in found.places if place.text is not None) <= budget


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_key_in_the_body_is_in_nothing_that_a_request_says(vendor: str) -> None:
    secret = "sk-live-0123456789"
    custom = {"enabled": True, "params": {"api_key": secret, "extra_headers": {"Authorization": f"Bearer {secret}"}}}
    agent = Agent.model_validate({"id": "a", "parameters": {"custom": custom}})
    found = payload(ctxlab.build(Session(id="s").append("hi", role="user"), agent), vendor)

    said = [found.curl(), repr(found), found._repr_html_(), str(found.as_data()), *map(str, found.problems)]

    assert secret in str(found.body)  # it is posted as it was asked for
    assert all(secret not in text for text in said)
    assert "$API_KEY" in found.curl()


@pytest.mark.parametrize("address", ["https://me:sk-live-0123456789@host/v1", "https://host/v1?key=sk-live-0123456789"])
def test_an_address_with_a_key_is_refused_without_saying_it(address: str) -> None:
    trace = ctxlab.build(Session(id="s").append("hi", role="user"))

    with pytest.raises(ctxlab.CtxlabError) as refused:
        payload(trace, "openai", base_url=address)

    assert "sk-live" not in str(refused.value)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_problem_names_the_page_that_says_so(vendor: str) -> None:
    """Of a body that lacks what every vendor wants."""
    trace = ctxlab.build(Session(id="s").append("hi", role="user"))
    empty = {"messages": [], "input": [], "contents": []}
    found = payload(trace, vendor, parameters={"custom": {"enabled": True, "params": empty}})

    rows = found.as_data()["problems"]

    assert rows
    assert all(row["source"] and row["asOf"] for row in rows)
