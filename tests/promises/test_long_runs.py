"""What is asked of a run, and what a page gets of it, grows no faster than the conversation."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import ctxlab
import ctxlab_widgets
from ctxlab import Draft, Trace
from ctxlab.pipeline import Services
from ctxlab.testing import generated_session
from ctxlab_widgets._shared.widget import Widget, synced_state

FEW, MANY = 500, 2000
BUDGET = 4000


@cache
def run_of(messages: int) -> Trace:
    return ctxlab.build(ctxlab.read_data(generated_session(messages, seed=1)).pick(), budget_tokens=BUDGET)


class Counted:
    """A tokenizer that also writes down which drafts it was asked to count."""

    def __init__(self, counter: Any) -> None:
        self.counter = counter
        self.drafts: list[Draft] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.counter, name)

    def count_draft(self, draft: Draft) -> int:
        self.drafts.append(draft)
        return self.counter.count_draft(draft)


def watched(trace: Trace) -> tuple[Trace, Counted]:
    counter = Counted(trace.services.tokenizer)
    services: Services = replace(trace.services, tokenizer=counter)  # type: ignore[arg-type]
    return replace(trace, services=services), counter


@pytest.mark.parametrize("question", ["ledger", "view", "cuts"])
def test_each_message_of_a_run_is_counted_once(question: str) -> None:
    trace, counter = watched(run_of(FEW))

    getattr(trace, question)()

    assert counter.drafts
    assert set(Counter(map(id, counter.drafts)).values()) == {1}


def test_steps_that_leave_the_messages_alone_share_their_list() -> None:
    steps = run_of(FEW).view()["steps"]

    assert len({id(step["drafts"]) for step in steps}) < len(steps)
    for i, step in enumerate(run_of(FEW).steps):
        if i and step.after.drafts is step.before.drafts:
            assert steps[i]["drafts"] is steps[i - 1]["drafts"]


def test_a_request_is_shown_without_counting_what_is_cut() -> None:
    trace, counter = watched(run_of(FEW))
    cut = {id(draft) for group in trace.result.dropped for draft in group.drafts}

    ctxlab_widgets.RequestView(ctxlab.payload(trace, provider="openai"))

    assert len(cut) > FEW / 2
    assert cut.isdisjoint(map(id, counter.drafts))


def shown(name: str, messages: int) -> Widget:
    trace = run_of(messages)
    if name == "BranchTree":
        return ctxlab_widgets.BranchTree(trace.start.input.session)
    if name == "ChatPanel":
        return ctxlab_widgets.ChatPanel(trace.start.input.session)
    if name == "RequestView":
        return ctxlab_widgets.RequestView(ctxlab.payload(trace, provider="openai"))
    return getattr(ctxlab_widgets, name)(trace)


def size_bytes(name: str, messages: int) -> int:
    return len(json.dumps(synced_state(shown(name, messages)), ensure_ascii=False, default=str).encode())


@pytest.mark.parametrize("name", ["StepDebugger", "TokenBudget", "SentView", "InjectionMap", "BranchTree", "ChatPanel"])
def test_what_lists_all_messages_grows_as_they_do(name: str) -> None:
    assert size_bytes(name, MANY) < 1.1 * MANY / FEW * size_bytes(name, FEW)


@pytest.mark.parametrize("name", ["RequestView", "TokenView", "RuleView", "LoreView", "KnowledgeView"])
def test_what_shows_a_request_or_one_message_does_not_grow_with_what_is_cut(name: str) -> None:
    assert size_bytes(name, MANY) < 1.5 * size_bytes(name, FEW)
