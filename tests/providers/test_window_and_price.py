"""A prompt that is longer than the model's window is a problem, and its fix mends it; a local server has no price."""

import ctxlab
from ctxlab.providers import payload


def chat(words: int) -> ctxlab.Session:
    session = ctxlab.Session(id="long")
    for n in range(20):
        session = session.append("word " * (words // 20), role="user" if n % 2 == 0 else "assistant")
    return session.append("Well?", role="user")


def test_a_prompt_longer_than_the_window_is_a_problem_that_its_fix_mends() -> None:
    found = payload(ctxlab.build(chat(140_000), model="gpt-4o"), "openai")

    assert [problem.rule for problem in found.problems] == ["context-window"]
    assert "128,000" in found.problems[0].reason
    mended = found.mended(found.problems[0].fixes[0])
    assert mended.problems == ()
    assert mended.tokens <= 128_000


def test_a_prompt_that_fits_is_none_and_an_unknown_window_is_not_guessed() -> None:
    assert payload(ctxlab.build(chat(1_000), model="gpt-4o"), "openai").problems == ()
    assert payload(ctxlab.build(chat(140_000), model="nobody-knows-it"), "openai-compatible").problems == ()


def test_anthropic_counts_the_reply_too() -> None:
    """The limit of the reply and the prompt together stay in the window; other vendors cut the reply instead."""
    trace = ctxlab.build(chat(145_000), model="claude-sonnet-4-5")

    short, long = (payload(trace, "anthropic", parameters={"max_tokens": n}).problems for n in (1_000, 64_000))

    assert trace.tokens < 200_000
    assert (short, [problem.rule for problem in long]) == ((), ["context-window"])


def test_a_server_on_this_machine_has_no_price() -> None:
    trace = ctxlab.build(chat(1_000), model="gpt-4o")

    assert payload(trace, "openai-compatible").cost().input_usd is None
    assert payload(trace, "openai-compatible", base_url="https://models.example/v1").cost().input_usd is not None
