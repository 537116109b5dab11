"""Compression of conversations, by hand and by itself."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.compression import (
    Compression,
    CompressionSettings,
    PromptSize,
    VisiblePath,
    compression_if_needed,
    compression_settings,
    should_compress,
    with_summary_nodes,
)
from ctxlab.chat.compression.call_words import call_words
from ctxlab.documents import Agent, Asset, MessageNode, Session
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.errors import Refused, UnknownNode, WrongArgument
from ctxlab.testing import FakeReply, FakeServer
from ctxlab.testing.fake_server import Vendor

COUNTER = tokenizer_named("chars4+4")


def chat() -> Session:
    session = Session(id="s")
    for n in range(1, 7):
        session = session.append(f"question {n}: what of the lamp of {n} kg?", id=f"u{n}")
        session = session.append(f"answer {n}: the keeper took it at 1{n}:30.", role="assistant", id=f"a{n}")
    return session


CHAT = chat()
CHINESE = (
    Session(id="c")
    .append("请把灯塔的报告写成中文，不要用表格。", id="u")
    .append("好的，我记住了。", role="assistant", id="a")
)


Messages = Sequence[Mapping[str, Any]]


def says(words: object) -> Callable[[Messages], Any]:
    return lambda messages: words


def listens(prompts: list[str], words: str) -> Callable[[Messages], str]:
    """A summariser that keeps what it is asked."""

    def summariser(messages: Messages) -> str:
        prompts.append(messages[0]["content"])
        return words

    return summariser


def compress(session: Session, given: Mapping[str, Any] | None = None, **options: Any) -> Compression:
    own = {"protectRecentCount": 2, **(given or {})}
    everything: dict[str, Any] = {"summariser": says("SUMMARY"), **options}
    return ctxlab.compress(session, compression=own, tokenizer=COUNTER, **everything)


def result(id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "content": content, "metadata": {"toolCall": {"requestId": id, "toolName": "look"}}}


def with_tools(rounds: int) -> Session:
    """Rounds of a question, a call with reasoning, its long result, and an answer."""
    session = Session(id="t")
    for n in range(rounds):
        calls = [{"requestId": f"c{n}", "toolName": "look", "args": {"at": n}}]
        metadata = {"toolCallsRequested": calls, "reasoningContent": "It may be on the shelf. " * 20}
        session = session.append(f"where is {n}?", id=f"q{n}")
        session = session.append("", role="assistant", id=f"k{n}", metadata=metadata)
        session = session.append(id=f"r{n}", **result(f"c{n}", f"shelf {n}\n" + "dust " * 200))
        session = session.append(f"on shelf {n}", role="assistant", id=f"e{n}")
    return session


def sent(compression: Compression) -> list[str]:
    return [str(message["content"]) for message in compression.after.messages]


# --- ranges


def test_without_a_range_the_oldest_messages_go_and_the_newest_stay() -> None:
    done = compress(CHAT, {"compressCount": 4})

    assert done.gone == ("u1", "a1", "u2", "a2")
    assert sent(done)[:2] == ["SUMMARY", "question 3: what of the lamp of 3 kg?"]
    assert done.saved_tokens == done.before_tokens - done.after_tokens > 0


@pytest.mark.parametrize(
    ("given", "gone"),
    [
        ({"first": "u2", "last": "a3"}, ("u2", "a2", "u3", "a3")),
        ({"first": "a2", "last": "u3"}, ("u2", "a2", "u3", "a3")),
        ({"first": "a3", "last": "u2"}, ("u2", "a2", "u3", "a3")),
        ({"above": "u3"}, ("u1", "a1", "u2", "a2")),
        ({"above": "a3"}, ("u1", "a1", "u2", "a2")),
        ({"below": "a4"}, ("u5", "a5")),
        ({"below": "u4"}, ("u5", "a5")),
        ({"everything": True}, ("u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4", "u5", "a5")),
        ({"last": "a1"}, ("u1", "a1")),
    ],
)
def test_a_range_is_widened_to_whole_exchanges_and_stops_before_protected_messages(
    given: dict[str, Any], gone: tuple[str, ...]
) -> None:
    assert compress(CHAT, **given).gone == gone


def test_two_kinds_of_ranges_and_messages_that_are_not_there_are_refused() -> None:
    with pytest.raises(WrongArgument, match="one range at a time: above= or everything="):
        compress(CHAT, above="u2", everything=True)
    with pytest.raises(UnknownNode):
        compress(CHAT, first="u99")
    with pytest.raises(WrongArgument, match="protectRecentCount can't be 'many'"):
        compress(CHAT, {"protectRecentCount": "many"})


def test_where_all_messages_are_protected_the_remedy_of_the_sentence_is_one() -> None:
    done = compress(CHAT, {"protectRecentCount": 12})

    assert done.error is not None and "lower protect_recent_count" in done.error
    assert done.changes_nothing and done.session is done.original
    assert compress(CHAT, {"protectRecentCount": 11}).error is not None
    assert compress(CHAT, {"protectRecentCount": 10}).gone == ("u1", "a1")


def test_where_one_exchange_is_all_there_is_the_remedy_of_the_sentence_is_one() -> None:
    long = Session(id="s").append("do it", id="u")
    for n in range(5):
        long = long.append(f"step {n}", role="assistant", id=f"a{n}")

    done = compress(long)

    assert done.error is not None and "keep_exchanges_whole to False" in done.error
    assert compress(long, {"keepExchangesWhole": False}).gone == ("u", "a0", "a1", "a2")


def test_a_question_that_waits_for_its_answer_never_goes() -> None:
    asked = CHAT.append("and now?", id="u7")

    done = compress(asked, {"protectRecentCount": 0}, everything=True)

    assert "u7" not in done.gone and sent(done)[-1] == "and now?"


def test_a_summary_of_the_leaf_itself_is_the_leaf_afterwards() -> None:
    done = compress(CHAT, {"protectRecentCount": 0}, everything=True)

    assert done.session.active_leaf_id == done.leaf == done.summary_id
    assert sent(done) == ["SUMMARY"]


def test_the_places_for_cuts_say_why_not() -> None:
    cuts = ctxlab.legal_cuts(with_tools(2), protect=1)

    assert cuts.legal == (0, 4)
    reasons = {cut.at: cut.why_not for cut in cuts}
    assert reasons[1] == reasons[3] == "inside an exchange"
    assert reasons[2] == "between a tool call and its result"
    assert reasons[8] == "after protected messages"
    assert list(cuts.frame()["legal"]) == [cut.is_legal for cut in cuts]


# --- the summary


def test_the_summariser_gets_the_messages_what_to_keep_and_the_guidance() -> None:
    prompts: list[str] = []

    def summariser(messages: Messages) -> Iterator[str]:
        prompts.append(messages[0]["content"])
        yield from ("The lamp ", "of 1 kg.")

    done = compress(CHAT, summariser=summariser, must_keep="lamp of 1 kg", guidance="Mind the keeper.")

    assert done.summary == "The lamp of 1 kg." and done.summariser == "summariser" and done.lost == ()
    for words in ("answer 1: the keeper took it at 11:30.", "lamp of 1 kg", "Mind the keeper."):
        assert words in prompts[0]
    assert "answer 6" not in prompts[0]


def test_a_prompt_of_ones_own_is_filled_once_and_what_messages_say_is_no_place() -> None:
    prompts: list[str] = []
    session = Session(id="s").append("{context} {previous_summary} $1", id="u").append("b", role="assistant", id="a")

    def summariser(messages: Messages) -> str:
        prompts.append(messages[0]["content"])
        return "x"

    compress(session, {"protectRecentCount": 0, "summaryPrompt": "Short: {context}"}, summariser=summariser)

    assert prompts[0].startswith("Short: ") and prompts[0].count("{context} {previous_summary} $1") == 1


def test_a_chinese_conversation_is_summarised_in_chinese() -> None:
    prompts: list[str] = []
    compress(CHINESE, {"protectRecentCount": 0}, summariser=listens(prompts, "好"))

    assert prompts[0].startswith("下面的消息") and "The messages" not in prompts[0]
    offline = compress(CHINESE, {"protectRecentCount": 0}, summariser="extractive", must_keep=re.compile("不要.*?表格"))
    assert "不要用表格" in offline.summary and offline.lost == ()


def _fails(messages: object) -> str:
    raise ConnectionError("no route\nto host")


@pytest.mark.parametrize(
    ("summariser", "why"),
    [
        (_fails, "the summariser failed: ConnectionError: no route to host"),
        (says(" \n"), "the summariser gave an empty text"),
        (says(iter(())), "the summariser gave an empty text"),
        (says(3), "a text, pieces of a text or a reply, not int"),
        (says({"choices": [{"message": {"content": None}}]}), "the summariser gave an empty text"),
    ],
)
def test_a_failed_or_an_empty_summary_changes_nothing_and_can_be_written_by_hand(summariser: Any, why: str) -> None:
    done = compress(CHAT, summariser=summariser)

    assert done.error is not None and why in done.error and "\n" not in done.error
    assert done.session is done.original and done.nodes == ()
    with pytest.raises(Refused, match="nothing is compressed"):
        done.applied()
    assert sent(done.with_summary("by hand"))[0] == "by hand"


def test_a_reply_of_a_model_is_a_summary() -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": "From parts"}]}}]}

    assert compress(CHAT, summariser=says(reply)).summary == "From parts"


def test_an_edited_summary_is_checked_anew_and_a_blank_one_is_refused() -> None:
    done = compress(CHAT, must_keep=["2 kg", "never said"])

    assert [fact.text for fact in done.lost] == ["2 kg"]
    assert done.lost[0].source == "u2"
    assert CHAT["u2"].content[done.lost[0].start : done.lost[0].end] == "2 kg"
    assert "'2 kg'; it stands in u2, characters " in html.unescape(done._repr_html_())  # pyright: ignore[reportPrivateUsage]
    assert [note.text for note in done.notes] == ["'never said' is in none of the messages that go"]
    edited = done.with_summary("a lamp of 2  KG")
    assert edited.lost == () and edited.summary == "a lamp of 2  KG" and done.summary == "SUMMARY"
    with pytest.raises(WrongArgument, match="blank"):
        done.with_summary("  ")


def test_patterns_and_messages_are_items_too_and_a_pattern_that_finds_nothing_is_noted() -> None:
    items = [re.compile(r"at 1[12]:30"), CHAT["a3"], re.compile("lighthouse")]
    done = compress(CHAT, must_keep=items, summariser=says("at 11:30"))

    assert {fact.text for fact in done.lost} == {"at 12:30", CHAT["a3"].content}
    assert [note.text for note in done.notes] == ["pattern 'lighthouse' finds nothing in the messages that go"]


def test_a_pattern_that_would_run_for_ever_is_given_up() -> None:
    slow = Session(id="s").append("a" * 60 + "!", id="u").append("b", role="assistant", id="a")

    done = compress(slow, {"protectRecentCount": 0}, must_keep=re.compile(r"(a|aa)+$"))

    assert not done.changes_nothing
    assert [note.text for note in done.notes] == [
        "pattern '(a|aa)+$' takes longer than 0.5 s on one message; it isn't checked"
    ]


# --- earlier summaries


def test_folding_ten_times_keeps_one_summary_with_all_that_it_stands_for() -> None:
    session = CHAT
    hidden: list[str] = []
    for n in range(10):
        session = session.append(f"more {n}", id=f"m{n}").append(f"yes {n}", role="assistant", id=f"y{n}")

        prompts: list[str] = []
        done = compress(session, {"compressCount": 2}, summariser=listens(prompts, f"SUMMARY {n}"))
        assert n == 0 or f"SUMMARY {n - 1}" in prompts[0]
        hidden += [*done.gone, done.summary_id]
        session = done.applied()

    shown = [node for node in VisiblePath.of(session).nodes if node.is_summary]
    assert [node.content for node in shown] == ["SUMMARY 9"]
    assert sorted((*shown[0].hides, shown[0].id)) == sorted(hidden)
    assert shown[0].meta("compressionGeneration") == 10
    assert len(shown[0].meta("compressionLineage")) == 9
    assert shown[0].meta("originalMessageCount") == 20
    assert session.check() == ()


def test_earlier_summaries_stay_beside_a_new_one_where_they_are_not_to_be_folded() -> None:
    once = compress(CHAT, {"compressCount": 4}).applied()

    twice = compress(once, {"compressCount": 2, "foldSummaries": False}, summariser=says("SECOND"))

    shown = [node.content for node in VisiblePath.of(twice.session).nodes]
    assert shown[:2] == ["SUMMARY", "SECOND"] and twice.generation == 1


def test_a_summary_that_is_switched_off_gives_back_what_it_stood_for() -> None:
    done = compress(CHAT, {"compressCount": 4})

    trace = ctxlab.build(done.session.disable(done.summary_id), tokenizer=COUNTER)

    assert [m["content"] for m in trace.messages] == [m["content"] for m in done.before.messages]


# --- without a model


def test_old_results_and_reasoning_are_left_out_by_copies_that_keep_the_pairs() -> None:
    done = compress(with_tools(4), {"keepToolResults": 1}, tiers=["reasoning", "tool-results"])

    assert len(done.stand_ins) == 6 and done.gone == () and done.summary == ""
    roles = [message["role"] for message in done.after.messages]
    assert roles == [message["role"] for message in done.before.messages]
    results = [str(m["content"]) for m in done.after.messages if m["role"] == "tool"]
    assert all("left out to save room" in text and f"shelf {n}" in text for n, text in enumerate(results[:-1]))
    assert "dust dust" in results[-1]
    assert done.saved_tokens > 500


def test_a_summary_over_copies_goes_by_the_messages_behind_them() -> None:
    lean = compress(with_tools(4), {"keepToolResults": 0}, tiers=["tool-results"]).applied()
    prompts: list[str] = []

    done = compress(lean, {"compressCount": 4}, summariser=listens(prompts, "S"))

    assert "dust dust" in prompts[0] and {"r0", "e0"} <= set(done.hides)
    assert [node.id for node in done.originals] == ["q0", "k0", "r0", "e0"]


# --- by itself


def test_thresholds_are_passed_by_more_and_both_means_either() -> None:
    soft = CompressionSettings(token_threshold=100, count_threshold=9, min_history_count=0, trigger_mode="both")

    assert not should_compress(PromptSize(100, 9), soft)
    assert should_compress(PromptSize(101, 0), soft) and should_compress(PromptSize(0, 10), soft)
    hard = soft.with_(hard_token_threshold=200, min_history_count=50)
    assert not should_compress(PromptSize(200, 9), hard)
    assert should_compress(PromptSize(201, 9), hard).hard


def automatic(session: Session, **given: Any) -> Compression | None:
    trace = ctxlab.build(session, tokenizer=COUNTER)
    own = CompressionSettings(enabled=True, protect_recent_count=2, min_history_count=0).with_(**given)

    def rebuild(new: Session, leaf: str | None) -> ctxlab.Trace:
        return ctxlab.build(new, leaf=leaf, tokenizer=COUNTER)

    return compression_if_needed(
        trace,
        rebuild,
        settings=own,
        moment="before request",
        summariser=says("S"),
        timestamp="2026-01-01T00:00:00Z",
    )


def test_by_itself_nothing_happens_below_the_threshold_or_when_switched_off() -> None:
    assert automatic(CHAT) is None
    assert automatic(CHAT, token_threshold=1, enabled=False) is None
    assert automatic(CHAT, token_threshold=1, auto_trigger=False) is None


def test_by_itself_results_go_first_and_the_summary_only_where_that_is_not_enough() -> None:
    talk = with_tools(5)
    size = ctxlab.build(talk, tokenizer=COUNTER).tokens

    enough = automatic(talk, token_threshold=size - 50, keep_tool_results=2)
    more = automatic(talk, token_threshold=50, keep_tool_results=2)

    assert enough is not None and enough.summary == "" and enough.stand_ins
    assert more is not None and more.summary == "S" and more.trigger == "before request"
    assert more.nodes[-1]["metadata"]["compressionTimestamp"] == "2026-01-01T00:00:00Z"
    assert not {copy["parentId"] for copy in more.stand_ins} & set(more.gone)


def test_by_itself_a_summary_that_saves_too_little_is_left_unless_the_hard_threshold_is_passed() -> None:
    little = automatic(CHAT, token_threshold=1, least_gain=10_000)
    hard = automatic(CHAT, token_threshold=1, hard_token_threshold=1, least_gain=10_000)

    assert little is not None and little.changes_nothing and "least_gain is 10,000" in (little.error or "")
    assert hard is not None and not hard.changes_nothing


# --- settings, nodes, cache


def test_settings_of_the_call_beat_the_sessions_and_those_the_agents() -> None:
    agent = Agent(
        id="g", parameters={"contextCompression": {"compressCount": 6, "protectRecentCount": 0, "enabled": True}}
    )
    session = Session.model_validate({"id": "s", "parameterOverrides": {"contextCompression": {"compressCount": 8}}})

    settings, notes = compression_settings(agent, session, {"summary_role": "user", "compressCount": None})

    assert (settings.compress_count, settings.protect_recent_count, settings.enabled) == (8, 0, True)
    assert settings.summary_role == "user" and settings.token_threshold == 80_000 and notes == ()


def test_a_wrong_setting_of_a_file_is_a_note_and_the_one_below_counts() -> None:
    agent = Agent(id="g", parameters={"contextCompression": {"compressCount": 6, "tokenThreshold": -3}})
    session = Session.model_validate({"id": "s", "parameterOverrides": {"contextCompression": {"compressCount": "x"}}})

    settings, notes = compression_settings(agent, session)

    assert (settings.compress_count, settings.token_threshold) == (6, 80_000)
    assert [note.details["field"] for note in notes] == ["tokenThreshold", "compressCount"]


def test_the_node_has_the_metadata_that_files_have() -> None:
    done = compress(CHAT, {"compressCount": 4, "summaryRole": "user"}, timestamp="2026-05-01T10:00:00Z")

    node = MessageNode.model_validate(done.nodes[-1])
    assert node.role == "user" and node.is_summary and node.hides == ("u1", "a1", "u2", "a2")
    assert node.parent_id == "a2" and node.meta("originalMessageCount") == 4
    assert node.meta("compressionConfig")["summaryRole"] == "user"
    assert node.meta("compressionTimestamp") == "2026-05-01T10:00:00Z"
    assert with_summary_nodes(CHAT, done.nodes) == done.session


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"path": "a\\nb", "at": [1, {"to": 2}]}', ["[edit] path: a\nb", "[edit] at.0: 1", "[edit] at.1.to: 2"]),
        ("", ["[edit]"]),
        ("{}", ["[edit]"]),
        ('{"broken', ['[edit] {"broken']),
        ('{"bad": "\\ud800"}', ['[edit] {"bad": "\\ud800"}']),
        ("[" * 9_000, ["[edit] " + "[" * 9_000]),
        ('{"code": "a = (1);\\nb = [2];\\nif (a) {\\n  c();\\n}"}',
         ["[edit] code:\n```\na = (1);\nb = [2];\nif (a) {\n  c();\n}\n```"]),
    ],
    ids=["nested", "empty", "none", "broken", "surrogate", "deep", "code"],
)  # fmt: skip
def test_a_tool_call_is_read_as_its_values_behind_its_name_and_its_fields(arguments: str, words: list[str]) -> None:
    assert list(call_words("edit", arguments)) == words


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"protect_recent_count": -1}, "protect_recent_count"),
        ({"protectRecentCount": "many"}, "protectRecentCount"),
        ({"nope": 1}, "there is no setting 'nope'"),
        ({"compres_count": 1}, "there is no setting 'compres_count'; did you mean"),
    ],
)
def test_a_refused_setting_is_told_without_what_a_file_s_would_come_to(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(WrongArgument, match=re.escape(words)) as refused:
        compress(CHAT, wrong)

    assert "default" not in str(refused.value) and "left out" not in str(refused.value)


def test_a_file_without_words_takes_no_place_in_a_summary_of_chosen_sentences() -> None:
    picture = Asset(id="p", type="image", name="boat:1")
    session = Session(id="s").append("", id="u1", attachments=(picture,)).append("Nice.", role="assistant", id="a1")
    session = session.append("The keeper of the old lighthouse leaves Brest in May.", id="u2", attachments=(picture,))
    session = session.append("Good.", role="assistant", id="a2").append("And then?", id="u3")

    done = compress(session, {"protectRecentCount": 1}, summariser="extractive")
    alone = compress(session, {"protectRecentCount": 1}, summariser="extractive", must_keep="[image: boat:1]")

    assert "lighthouse" in done.summary and "boat:1" not in done.summary
    assert "[image: boat:1]" in alone.summary


def test_a_summary_that_saves_little_of_a_long_prompt_names_what_would_save_more() -> None:
    session = chat()
    for n in range(40):
        session = session.append(f"{n}: {'the tide rises ' * 60}").append("Noted.", role="assistant")

    little = compress(session, {"compressCount": 4})

    assert any("everything=True or a greater compress_count" in note.text for note in little.notes)
    assert not compress(session, everything=True).notes
    assert not little.with_range(everything=True).notes


def test_the_cache_keeps_what_comes_before_the_first_message_that_goes() -> None:
    done = compress(CHAT, first="u3", last="a4")

    kept = sum(message["tokens"] for message in done.before.messages[:4])
    assert done.prefix.kept_tokens == kept
    assert done.prefix.lost_tokens == done.before_tokens - done.prefix.kept_tokens
    assert done.prefix.new_tokens == done.after_tokens - done.prefix.kept_tokens


def test_a_history_records_it_and_refuses_one_that_was_previewed_for_an_older_state() -> None:
    history = ctxlab.History(CHAT)
    done = compress(CHAT)

    done.applied(history)

    assert history.labels[-1] == "compress" and history.undo() == CHAT
    history.do(Session.append, "on", id="x")
    with pytest.raises(Refused, match="gone on since"):
        done.applied(history)


# --- a model that summarises


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_a_model_summarises_by_the_settings_over_the_network(provider: Vendor) -> None:
    with FakeServer(FakeReply("A short story.")) as server:
        model = ctxlab.model_summariser(provider=provider, key="sk-secret", base_url=server.base_url(provider))
        done = compress(CHAT, {"summaryMaxTokens": 77}, summariser=model)

        (request,) = server.requests
        sent_body = request.body if isinstance(request.body, str) else str(request.body)

    assert done.summary == "A short story." and done.error is None
    assert "77" in sent_body and "question 1" in sent_body
    assert "sk-secret" not in f"{model!r} {done!r} {done.nodes}"


def test_a_model_that_does_not_answer_is_an_error_in_words_without_the_key() -> None:
    with FakeServer(FakeReply(status=401)) as server:
        model = ctxlab.model_summariser(provider="openai", key="sk-secret", base_url=server.base_url("openai"))
        done = compress(CHAT, summariser=model)

    assert done.changes_nothing and done.error is not None
    assert "sk-secret" not in done.error and done.error.startswith("the summariser failed")


def test_the_report_is_of_all_messages_behind_the_summary_those_of_earlier_ones_too() -> None:
    once = compress(CHAT, {"compressCount": 4}, summariser=says("A lamp of 1 kg, taken at 11:30."))
    twice = compress(once.applied(), {"compressCount": 2}, summariser=says("A lamp of 1 kg."))

    states = {(fact.text, fact.source): fact.state for fact in twice.report().facts}

    assert {source for _, source in states} >= {"u1", "a1", "a2", "a3"}
    assert states["1 kg", "u1"] == "kept" and states["11:30", "a1"] == "lost"
    with pytest.raises(Refused, match="no summary to look at"):
        compress(CHAT, summariser=_fails).report()


def test_messages_that_the_limiter_had_cut_are_noted_since_the_tokens_before_are_without_them() -> None:
    small = ctxlab.build(CHAT, tokenizer=COUNTER).tokens // 2

    done = compress(CHAT, {"compressCount": 4}, budget_tokens=small)

    assert [note.text for note in done.notes] == [
        "4 messages of those that go had been left out by token-limiter already"
    ]


# --- poor summaries, and sentences that say why


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"choices": [{"message": {"content": "Half a"}, "finish_reason": "length"}]}, "raise summary_max_tokens"),
        ("<think>Well, the lamp.</think>\n", "its thoughts alone"),
        ("<think>Well, the lamp.", "its thoughts alone"),
    ],
)
def test_half_a_summary_and_one_of_thoughts_alone_never_enter(answer: object, why: str) -> None:
    done = compress(CHAT, summariser=says(answer))

    assert done.changes_nothing and why in (done.error or "")


def test_thoughts_in_front_of_a_summary_are_left_out() -> None:
    assert compress(CHAT, summariser=says("<think>a</think> The lamp.")).summary == "The lamp."


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "openai-responses"])
def test_a_summary_that_a_model_breaks_off_never_enters(provider: Vendor) -> None:
    with FakeServer(FakeReply("Half a", finish="length")) as server:
        model = ctxlab.model_summariser(provider=provider, key="sk-secret", base_url=server.base_url(provider))
        done = compress(CHAT, summariser=model)

    assert done.changes_nothing and "raise summary_max_tokens" in (done.error or "")


def test_a_summary_that_is_no_shorter_is_noted_until_another_takes_its_place() -> None:
    done = compress(CHAT, {"compressCount": 2}, summariser=says("A lamp. " * 100))

    (note,) = done.notes
    assert note.level == "warning" and "the messages that it replaces have" in note.text
    assert done.with_summary("A lamp.").notes == ()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"above": "u1"}, "no message above 'u1' could go into a summary"),
        ({"below": "a6"}, "no message below 'a6' could go into a summary"),
        ({"below": "a5"}, "the messages below 'a5' are among the newest"),
        ({"first": "u6"}, "the messages in this range are among the newest"),
        ({"above": "a1"}, "no whole exchange above 'a1'"),
        ({"tiers": []}, "tiers is empty"),
    ],
)
def test_a_range_without_anything_to_compress_says_so_of_that_range(given: dict[str, Any], why: str) -> None:
    assert why in (compress(CHAT, **given).error or "")


def test_the_root_is_named_as_one() -> None:
    with pytest.raises(UnknownNode, match="is the root, which has no words and isn't sent; the first message is 'u1'"):
        compress(CHAT, above=CHAT.path()[0].id)


def test_no_messages_to_compress_say_which_setting_wants_none() -> None:
    assert "compress_count is 0" in (compress(CHAT, {"compressCount": 0}).error or "")


def test_items_without_words_are_refused_or_noted() -> None:
    with pytest.raises(WrongArgument, match=r"must_keep\[0\] is a pattern of bytes"):
        compress(CHAT, must_keep=re.compile(b"x"))  # pyright: ignore[reportArgumentType]
    with pytest.raises(WrongArgument, match=r"must_keep\[1\] is blank"):
        compress(CHAT, must_keep=["lamp", " "])
    assert "an item of must_keep is blank; it is left out" in [
        note.text for note in compress(CHAT, {"mustKeep": [""]}).notes
    ]


def test_a_tiny_conversation_keeps_a_sentence_or_the_earlier_summary() -> None:
    tiny = Session(id="t").append("Hi", id="u").append("The lamp is out.", role="assistant", id="a")
    once = compress(tiny, {"protectRecentCount": 0}, summariser="extractive")
    assert once.error is None and "The lamp is out." in once.summary

    more = once.applied().append("Ok", id="v").append("Yes", role="assistant", id="b")
    assert once.summary in compress(more, {"protectRecentCount": 0}, summariser="extractive").summary
