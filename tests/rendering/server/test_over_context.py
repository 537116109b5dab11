"""Prompts over the context of a server: what of them is read, by numbers."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.errors import WrongArgument
from ctxlab.rendering.server import PROGRAMS, SERVERS, fate_of


@pytest.mark.parametrize(
    ("context", "tokens", "begins", "read"),
    [
        (65_536, 65_536, False, 32_770),  # ollama issue 17427: gpt-oss, num_keep 4
        (32_768, 160_689, True, 16_387),  # ollama issue 3839
        (4_096, 5_000, True, 2_051),  # ollama pull request 16856
    ],
)
def test_published_cases_of_ollama_come_out_to_the_token(context: int, tokens: int, begins: bool, read: int) -> None:
    found = fate_of(ctxlab.local_server("ollama", context=context), tokens, adds_begin=begins)
    assert (found.outcome, found.tokens) == ("cut", read)
    assert f"{read:,} of {tokens:,}" in found.sentence


def test_a_prompt_that_fits_is_read_whole_and_one_token_more_is_cut_to_half() -> None:
    server = ctxlab.local_server("ollama", context=1_000)
    assert fate_of(server, 999).kept == ((0, 999),)
    assert fate_of(server, 1_000).kept == ((0, 4), (502, 1_000))


@pytest.mark.parametrize("options", [{"truncate": False}, {"shift": False}, {"own_template": False}])
def test_ollama_refuses_where_its_cut_is_off(options: dict[str, bool]) -> None:
    found = fate_of(ctxlab.local_server("ollama", context=1_000, **options), 1_000)
    assert found.outcome == "refused"
    assert "1,000 tokens" in found.sentence


def test_koboldcpp_keeps_the_end_and_the_room_for_the_reply() -> None:
    found = fate_of(ctxlab.local_server("koboldcpp", context=2_048, answer=300), 3_000)
    assert found.kept == ((3_000 - 1_748, 3_000),)
    assert found.room == 300
    found = fate_of(ctxlab.local_server("koboldcpp", context=2_048, answer=300), 3_000, adds_begin=True)
    assert found.kept == ((0, 1), (3_000 - 1_747, 3_000))


def test_vllm_refuses_or_truncates_as_it_is_asked() -> None:
    assert fate_of(ctxlab.local_server("vllm", context=100, answer=20), 81).outcome == "refused"
    assert fate_of(ctxlab.local_server("vllm", context=100, answer=20), 80).outcome == "whole"
    found = fate_of(ctxlab.local_server("vllm", context=100, answer=20, truncate=-1), 300)
    assert found.kept == ((220, 300),)
    assert fate_of(ctxlab.local_server("vllm", context=100, answer=20, truncate=90), 300).outcome == "refused"


@pytest.mark.parametrize(
    ("context", "slots", "shared", "own", "window"),
    [  # each measured on a real server
        (500, 1, False, 4_096, 512),
        (2_048, 4, False, 4_096, 512),
        (2_048, 4, True, 4_096, 2_048),
        (1_000, 3, False, 4_096, 512),
        (8_192, 1, False, 4_096, 4_096),
        (4_096, 1, False, 1_000, 1_000),
        (None, 1, False, 1_000, 1_000),
        (100, 4, False, 4_096, 256),
    ],
)
def test_a_context_of_llama_cpp_is_padded_shared_and_limited_by_the_model(
    context: int | None, slots: int, shared: bool, own: int, window: int
) -> None:
    server = ctxlab.local_server("llama.cpp", context=context, slots=slots, shared_context=shared)
    assert server.window(own) == window
    assert fate_of(server, window - 1, own=own).room == 1
    assert fate_of(server, window, own=own).outcome == "refused"


@given(
    st.sampled_from(PROGRAMS),
    st.integers(300, 100_000),
    st.integers(1, 300_000),
    st.none() | st.integers(1, 200),
    st.booleans(),
)
def test_what_is_read_is_part_of_the_prompt_and_leaves_room(
    program: str, context: int, tokens: int, answer: int | None, begins: bool
) -> None:
    server = ctxlab.local_server(program, context=context, answer=answer)
    found = fate_of(server, tokens, adds_begin=begins)
    places = [each for kept in found.kept for each in kept]
    assert places == sorted(places)
    assert all(0 <= each <= tokens for each in places)
    if found.outcome == "refused":
        assert found.tokens == 0
    else:
        assert found.tokens + found.room == found.window
        assert found.room >= 1
        assert (found.tokens == tokens) == (found.outcome == "whole")
        assert places[-1] == tokens


@pytest.mark.parametrize(
    ("program", "options", "said"),
    [
        ("koboldcpp", {"context": 2_048, "keep": 4}, "KoboldCpp has no keep; it has context, answer"),
        ("ollama", {"context": 0}, "context should be a whole number of 1 or more, not 0"),
        ("vllm", {"context": 100, "truncate": True}, "truncate should be a whole number of -1 or more, not True"),
        ("llama.cpp", {"whole_window": 1}, "whole_window should be True or False, not 1"),
        ("lm-studio", {}, "lm-studio"),
    ],
)
def test_a_wrong_server_is_refused(program: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(WrongArgument, match=said):
        ctxlab.local_server(program, **options)


def test_an_unknown_context_is_asked_for() -> None:
    with pytest.raises(WrongArgument, match=r"4,096, 32,768 or 262,144.*give context="):
        fate_of(ctxlab.local_server("ollama"), 100)


def test_each_program_says_its_version_date_and_source() -> None:
    for program in PROGRAMS:
        server = ctxlab.local_server(program, context=1_000)
        assert pickle.loads(pickle.dumps(server)) == server
        facts = SERVERS[program]
        assert server.facts is facts
        assert all((facts.version, facts.date, facts.source, facts.over_context))
