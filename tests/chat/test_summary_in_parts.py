"""Summaries of a history that is longer than what the summariser takes at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.compression import Compression, CompressionSettings
from ctxlab.chat.compression.model_summariser import ModelSummariser
from ctxlab.documents import ModelProfile, Session
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.testing import FakeServer

COUNTER = tokenizer_named("chars4+4")
LIMIT = 900
Messages = Sequence[Mapping[str, Any]]


def long_chat(exchanges: int = 8) -> Session:
    chat = Session(id="s")
    for n in range(exchanges):
        chat = chat.append(f"question {n}: " + "what of the lamp? " * 20, id=f"u{n}")
        chat = chat.append(f"answer {n}: " + "the keeper took it. " * 20, role="assistant", id=f"a{n}")
    return chat


def asked(prompts: list[str], fails_at: int = 0) -> Callable[[Messages], str]:
    """A summariser that keeps what it is asked, and fails at one of its parts."""

    def summariser(messages: Messages) -> str:
        prompts.append(messages[0]["content"])
        return "" if len(prompts) == fails_at else f"PART {len(prompts)}"

    return summariser


def compress(session: Session, prompts: list[str], *, fails_at: int = 0, **options: Any) -> Compression:
    own = {"protectRecentCount": 0, "summaryInputTokens": LIMIT, **options.pop("given", {})}
    given: dict[str, Any] = {"summariser": asked(prompts, fails_at), "everything": True, **options}
    return ctxlab.compress(session, compression=own, tokenizer=COUNTER, **given)


def test_each_part_fits_and_has_the_summary_of_the_one_before() -> None:
    prompts: list[str] = []
    done = compress(long_chat(), prompts)

    assert len(prompts) > 2 and done.error is None and done.summary == f"PART {len(prompts)}"
    assert all(COUNTER.count(prompt) <= LIMIT for prompt in prompts)
    assert all(f"PART {n}" in prompt for n, prompt in enumerate(prompts) if n > 0)
    for n in range(8):  # whole exchanges, each in one part
        assert [f"question {n}:" in p for p in prompts] == [f"answer {n}:" in p for p in prompts]
        assert sum(f"question {n}:" in prompt for prompt in prompts) == 1
    assert len(done.gone) == 16 and len([n for n in done.session.nodes.values() if n.is_summary]) == 1
    assert [note.text for note in done.notes] == [
        f"the summary was made in {len(prompts)} parts, as {LIMIT} tokens fit into one request"
    ]


def test_a_part_that_fails_is_an_error_and_nothing_counts() -> None:
    prompts: list[str] = []
    done = compress(long_chat(), prompts, fails_at=2)

    assert done.error == "part 2 of the summary: the summariser gave an empty text"
    assert len(prompts) == 2 and done.changes_nothing and done.session is done.original


def test_what_fits_is_one_part_and_chosen_sentences_need_none() -> None:
    prompts: list[str] = []
    done = compress(long_chat(), prompts, given={"summaryInputTokens": 100_000})
    offline = compress(long_chat(), [], summariser="extractive", given={"summaryInputTokens": 1})

    assert len(prompts) == 1 and done.notes == ()
    assert offline.error is None and offline.summary and offline.notes == ()


def test_an_exchange_that_is_too_long_is_taken_apart_and_a_message_that_is_is_named() -> None:
    session = Session(id="s").append("long " * 500, id="u").append("long " * 500, role="assistant", id="a")
    prompts: list[str] = []
    apart = compress(session, prompts, given={"summaryInputTokens": 1_100})
    done = compress(session, [], given={"summaryInputTokens": 400})

    assert apart.summary == "PART 2" and len(prompts) == 2
    assert done.error is not None and "with 'u' alone, and 400 fit" in done.error and done.changes_nothing


def test_a_call_and_its_results_are_never_in_two_parts() -> None:
    session = Session(id="s").append("go", id="u")
    for n in range(6):
        calls = [{"requestId": f"c{n}", "toolName": "look", "args": {"at": n}}]
        session = session.append(f"call {n}", role="assistant", metadata={"toolCallsRequested": calls})
        found = {"metadata": {"toolCall": {"requestId": f"c{n}"}}}
        session = session.append(f"result {n} " + "dust " * 200, role="tool", **found)
    session = session.append("done", role="assistant")
    prompts: list[str] = []
    done = compress(session, prompts)

    assert done.error is None and len(prompts) > 2
    for n in range(6):
        assert [f"call {n}" in p for p in prompts] == [f"result {n} " in p for p in prompts]


def test_items_that_must_be_kept_go_into_their_part_and_all_that_follow() -> None:
    prompts: list[str] = []
    compress(long_chat(), prompts, must_keep=["question 0", "answer 7"])

    assert all("- question 0" in prompt for prompt in prompts)
    assert ["- answer 7" in prompt for prompt in prompts] == [False] * (len(prompts) - 1) + [True]


def test_an_earlier_summary_goes_into_the_first_part() -> None:
    once = compress(long_chat(2), []).applied()
    for n in range(2, 8):
        once = once.append(f"question {n}: " + "what of the lamp? " * 20)
        once = once.append(f"answer {n}: " + "the keeper took it. " * 20, role="assistant")
    prompts: list[str] = []
    done = compress(once, prompts)

    assert "PART 1" in prompts[0] and done.generation == 2 and len(done.originals) == 16


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        ("gpt-4", 8_192 - 819 - 4_096),
        (ModelProfile(id="own", context_window=20_000), 20_000 - 2_000 - 4_096),
        (ModelProfile(id="own", context_window=3_000), 0),
        ("a-model-that-nobody-knows", None),
    ],
)
def test_a_model_takes_what_its_window_allows_beside_the_answer(model: str | ModelProfile, limit: int | None) -> None:
    assert ModelSummariser(model, None).input_tokens(CompressionSettings()) == limit


def test_a_model_is_asked_part_by_part_by_its_own_window() -> None:
    model = ModelProfile(id="small", name="small", context_window=2_000)
    with FakeServer(lambda request: "A summary.") as server:
        summariser = ctxlab.model_summariser(
            model, provider="openai-compatible", base_url=server.base_url("openai"), key="sk-x"
        )
        own = {"protectRecentCount": 0, "summaryMaxTokens": 700}
        done = ctxlab.compress(long_chat(), compression=own, tokenizer=COUNTER, everything=True, summariser=summariser)

    assert done.error is None and done.summary == "A summary." and len(server.requests) > 1
