"""`ctxlab explain` tells what became of a message or of some words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import ctxlab
from ctxlab.pipeline import Trace

Built = Callable[..., Trace]


def test_without_a_question_every_message_has_one_line(run, harbour, built: Built) -> None:
    out = run("explain", harbour, "--budget", 1500).out

    result = built(budget_tokens=1500).result
    keys = [part.key for draft in result.drafts for part in draft.parts]
    for group in result.dropped:
        here = [draft.key for draft in group.drafts]
        keys += here if len(here) <= 3 else [str(len(here))]
    assert [line.split()[0] for line in out.splitlines()[1:]] == keys
    assert "dropped: token-limiter / sliding: needed " in out


@pytest.mark.parametrize("name", ["node:a8b", "a8b"])
def test_a_cut_message_says_which_step_and_what_would_have_kept_it(run, harbour, built: Built, name: str) -> None:
    out = run("explain", harbour, "--budget", 1500, "--key", name).out

    life = built(budget_tokens=1500).why("node:a8b")
    assert out.startswith("node:a8b  assistant\n")
    assert "dropped: token-limiter / sliding: needed 122 tokens, 98 were left" in out
    assert "it is not sent; 24 more tokens would keep it" in out
    assert life.outcome in out


def test_b2_an_older_message_says_its_own_reason_and_what_it_would_need(run, harbour, built: Built) -> None:
    out = run("explain", harbour, "--budget", 1500, "--key", "a7").out

    least = built(budget_tokens=1500).why("node:a7").least_budget
    assert "dropped: token-limiter / sliding: older than a8b, which needed 122 where 98 were left" in out
    assert f"it is not sent; {least} " in out.replace("\n", " ") + " "
    assert least.extra_tokens > 24


@pytest.mark.parametrize("key", ["a8b", "a7", "u5"])
def test_a6_as_many_more_tokens_do_keep_it(run, harbour, built: Built, key: str) -> None:
    enough = built(budget_tokens=1500).why(f"node:{key}").least_budget.tokens

    assert "it is not sent" in run("explain", harbour, "--budget", enough - 1, "--key", key).out
    assert "it is not sent" not in run("explain", harbour, "--budget", enough, "--key", key).out


def test_a6_as_data_the_least_budget_has_its_figures(run, harbour, built: Built) -> None:
    (told,) = json.loads(run("explain", harbour, "--budget", 1500, "--key", "a7", "--format", "json").out)
    (sent,) = json.loads(run("explain", harbour, "--budget", 1500, "--key", "a10", "--format", "json").out)

    least = built(budget_tokens=1500).why("node:a7").least_budget
    assert told["least_budget"] == least.as_data()
    assert told["remedy"] == {"text": str(least), "settings": {"token-limiter.budget_tokens": least.tokens}}
    assert "remedy" not in sent


def test_a_preset_is_found_by_its_id_in_all_its_places(run, harbour) -> None:
    out = run("explain", harbour, "--key", "preset-bell").out

    assert out.count("injection-assembler  added as message") > 3
    assert "depth 8" in out


def test_words_are_traced_to_who_wrote_them(run, harbour) -> None:
    out = run("explain", harbour, "--text", "You are 沈砚").out

    assert "sent in message 1, characters 0 to 10" in out
    assert "“沈砚” from macro {{char}}, which stood at character 8, substitute phase" in out
    assert "in place of “{{char}}” from preset preset-frame" in out


def test_dropped_and_replaced_words_are_found(run, harbour) -> None:
    out = run("explain", harbour, "--text", "{{char}}").out

    assert "dropped with preset:2, characters " in out
    assert "replaced in message 1, characters 8 to 16 of the text inside injection-assembler before its edits: " in out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("second thought", "with other capitals: “Second Thought” in preset:0"),
        ("把抽屉打开", "on another branch, in u8: --leaf u8"),
        ("no such words", "shorter words may find it"),
    ],
)
def test_words_that_are_nowhere_earn_a_hint(run, harbour, words: str, hint: str) -> None:
    result = run("explain", harbour, "--text", words)

    assert result.code == 1
    assert "is in the text of no message" in result.out
    assert hint in result.out


def test_a10_words_that_an_insertion_took_apart_are_shown_in_the_text_that_had_them(run, harbour) -> None:
    words = "with {{user}} in the"
    out = run("explain", harbour, "--text", words).out

    assert "1 place" in out
    assert "replaced in message 1" in out
    assert words in out.splitlines()[2]


def test_a10_words_beside_a_text_are_named(run, written) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"at": "the pier"}'}}
    asks = {"role": "assistant", "content": "", "tool_calls": [call]}
    path = written(("user", "hi"), asks, {"role": "tool", "tool_call_id": "c", "content": "wet"})

    result = run("explain", path, "--text", "the pier")

    assert result.code == 1
    assert "it is in the call look of" in result.out


def test_a10_words_replaced_in_what_was_dropped_later_name_the_message(run, harbour) -> None:
    rules = harbour.with_name("harbour_rules.json")
    out = run("explain", harbour, "--budget", 1500, "--rules", rules, "--text", "煤油灯的气味").out

    assert "replaced in a5, which is not sent, characters " in out
    assert "message None" not in out


def test_an_unknown_key_says_where_to_look(run, harbour) -> None:
    assert "did you mean 'preset-bell'?" in run("explain", harbour, "--key", "preset-bel").err
    assert "not on the path to 'u13'" in run("explain", harbour, "--key", "u8").err


def test_key_and_text_exclude_each_other(run, harbour) -> None:
    result = run("explain", harbour, "--key", "u13", "--text", "a")

    assert result.code == 2
    assert result.err.count("\n") == 1


def test_of_very_many_places_the_first_are_shown(run, written) -> None:
    path = written(*[("user", "la la la la")] * 30)

    out = run("explain", path, "--text", "la").out

    assert "120 places" in out
    assert "more places" in out
    assert len(out.splitlines()) < 60


def test_many_messages_that_went_for_one_reason_are_one_line(run, tmp_path) -> None:
    ids = [f"6251d922-28a1-48a5-af9f-6874184a{n:04}" for n in range(12)]
    session = ctxlab.Session(id="long").append("", role="system", id="root")
    for n, id in enumerate(ids):
        session = session.append(f"word {n} and more words", role="assistant" if n % 2 else "user", id=id)
    ctxlab.write(session, tmp_path / "long.session.json")

    out = run("explain", tmp_path / "long.session.json", "--budget", 40).out.replace("\n", " ")
    went = built_of(session).cuts()
    assert f"{len(went) - 1} messages, {ids[0]} to" in out
    assert out.count("older than “word") == 1
    border = went[went["needed"].notna()].iloc[0]
    assert f"older than “{border['text']}”, which needed" in out


def built_of(session: ctxlab.Session) -> Trace:
    return ctxlab.build(session, budget_tokens=40)


def test_a_request_of_a_recording_is_explained_and_built_as_it_was_sent(run) -> None:
    file = Path(ctxlab.__file__).parents[1] / "datasets" / "tidebook_agent.ctxrec.jsonl"
    request = ctxlab.read_recording(file).requests[1]

    explained = run("explain", file, "--request", 2)
    built = run("build", file, "--request", 2, "--format", "json")

    assert (explained.code, "node:m1   user       sent in message 2" in explained.out) == (0, True)
    assert json.loads(built.out) == json.loads(json.dumps(request.trace.messages))
    assert "request 2 of 50 in tidebook_agent.ctxrec.jsonl, as it was sent" in explained.err


@pytest.mark.parametrize("command", ["build", "explain", "tree", "ledger"])
def test_a_recording_without_a_request_says_what_leads_on(run, command: str) -> None:
    file = Path(ctxlab.__file__).parents[1] / "datasets" / "tidebook_agent.ctxrec.jsonl"

    result = run(command, file)

    assert result.code == 2
    assert "is a recording of 50 requests, which are not built again; ctxlab explain" in result.err
    assert "--request 50" in result.err


def test_a_request_that_is_not_there_and_options_of_a_build_are_refused(run) -> None:
    file = Path(ctxlab.__file__).parents[1] / "datasets" / "tidebook_agent.ctxrec.jsonl"

    assert "has no request 51; its requests are 1 to 50" in run("explain", file, "--request", 51).err
    assert "--budget is of a build, leave it out" in run("build", file, "--request", 1, "--budget", 50).err
