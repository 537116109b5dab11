"""What broke a prompt's prefix, told apart by the place, the time, the model and the length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ctxlab.errors import WrongArgument
from ctxlab.formats.requests.reply_usage import RecordedUsage
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.prefix.analysis import Analysis
from ctxlab.recordings.prefix.prompt_heads import HeadReader
from ctxlab.recordings.prefix.prompt_tree import PromptTree
from ctxlab.recordings.recording import Recording

LONG = "The log of the lighthouse is kept by hand. " * 400
TIME = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)
SONNET = "claude-sonnet-4-5"
Talk = list[tuple[str, Any]]


def recorded(*sent: dict[str, Any], wire: Any = "anthropic", seconds: float = 10, **about: Any) -> Recording:
    """A recording of bodies, so many seconds after each other."""
    builder = RecordingBuilder("talk")
    for number, each in enumerate(sent):
        when = (TIME + timedelta(seconds=number * seconds)).isoformat()
        given: dict[str, Any] = {"model": each["model"], "time": when, **about}
        builder.body(each, wire, **given)
    return builder.recording()


def body(*talk: tuple[str, Any], system: str = LONG, tools: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    listed = [{"name": name, "description": "x", "input_schema": {}} for name in tools]
    messages = [{"role": role, "content": words} for role, words in talk]
    return {"model": SONNET, "system": system, "tools": listed, "messages": messages, **more}


ASKED: Talk = [("user", "Where is the light?"), ("assistant", "On the cliff."), ("user", "And the boat?")]
MORE: Talk = [*ASKED, ("assistant", "In the bay."), ("user", "Thanks.")]
REMINDER = "<system-reminder>It is ten.</system-reminder>"


def last(*sent: dict[str, Any], **about: Any) -> Any:
    return recorded(*sent, **about).prefix().requests[-1]


def test_a_request_that_goes_on_is_whole() -> None:
    found = last(body(*ASKED), body(*MORE))
    assert (found.state, found.cause, found.lost_tokens) == ("whole", None, 0)
    assert found.common_tokens == recorded(body(*ASKED)).prefix().requests[0].total_tokens


@pytest.mark.parametrize(
    ("now", "kind", "words"),
    [
        (body(*MORE, tools=("a", "b")), "tools", "new: 'b'"),
        (body(*MORE, tools=("b",)), "tools", "gone: 'a'"),
        (body(*MORE, tools=("a",), system=LONG + "10:30"), "system", "System text 1 is another from character"),
        (body(*MORE, tools=("a",), tool_choice={"type": "none"}), "parameters", "'tool_choice' is new"),
        (body(("user", "Where is the light?" + REMINDER), *MORE[1:], tools=("a",)), "reminder", "a reminder"),
        (body(("user", "Where is the lamp?"), *MORE[1:], tools=("a",)), "edited", "'amp?' is there now"),
        (body(("user", "<summary>Light and boat.</summary>"), tools=("a",)), "summary", "From message 1 on"),
        (body(MORE[0], *MORE[2:], tools=("a",)), "left out", "Message 2, one of the assistant, is left out"),
        (body(MORE[0], MORE[2], MORE[1], *MORE[3:], tools=("a",)), "reordered", "has moved: it is message"),
        (body(("user", REMINDER), *MORE, tools=("a",)), "reminder", "In front of message 1 now stands"),
        ({**body(*MORE, tools=("a",)), "model": "claude-opus-4-6"}, "model", "after 'claude-sonnet-4-5'"),
    ],
)
def test_what_broke_it_is_named(now: dict[str, Any], kind: str, words: str) -> None:
    found = last(body(*ASKED, tools=("a",)), now)
    assert found.cause.kind == kind
    assert words in found.cause.sentence
    assert found.state == ("other model" if kind == "model" else "cut")


def test_tools_in_another_order_are_said_to_be_the_same() -> None:
    found = last(body(*ASKED, tools=("a", "b")), body(*MORE, tools=("b", "a")))
    assert "the same ones in another order" in found.cause.sentence


def test_a_clock_in_the_system_text_is_called_one() -> None:
    before, now = (body(*MORE, system=f"It is 2026-11-03 {hour}:00. {LONG}") for hour in ("09", "10"))
    found = last(before, now)
    assert "(a time or a date)" in found.cause.sentence
    assert (found.cause.text_before[-26:], found.cause.at) == (before["system"][:57][-26:], 17)


def test_a_text_alone_is_the_same_as_a_list_of_one_block_and_marks_are_no_part_of_a_prompt() -> None:
    block = [{"type": "text", "text": "And the boat?", "cache_control": {"type": "ephemeral"}}]
    assert last(body(*ASKED[:2], ("user", block)), body(*MORE)).state == "whole"


@pytest.mark.parametrize(
    ("seconds", "ttl", "state"),
    [(299, None, "whole"), (301, None, "expired"), (301, "1h", "whole"), (3601, "1h", "expired")],
)
def test_a_prefix_lives_as_long_as_its_mark_asks(seconds: float, ttl: str | None, state: str) -> None:
    mark = {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {})
    marked = [{"type": "text", "text": "And the boat?", "cache_control": mark}]
    found = last(body(*ASKED[:2], ("user", marked)), body(*MORE), seconds=seconds)
    assert found.state == state
    assert (found.lost_tokens > 0) == (state == "expired")


def test_the_lifetime_is_also_read_from_the_reply() -> None:
    reply = {"usage": {"cache_creation": {"ephemeral_1h_input_tokens": 9}}}
    assert last(body(*ASKED), body(*MORE), seconds=1_000, reply=reply).state == "whole"


def test_a_prompt_under_the_vendors_least_length_is_short() -> None:
    found = last(body(*ASKED, system="Be brief."), body(*MORE, system="Be brief."))
    assert (found.state, found.lost_tokens) == ("short", 0)


def test_other_agents_have_prefixes_of_their_own() -> None:
    builder = RecordingBuilder("talk")
    for agent, talk in (("", ASKED), ("scout", MORE[:1]), ("", MORE)):
        builder.body(body(*talk), "anthropic", model=SONNET, agent=agent)
    found = builder.recording().prefix().requests
    assert [each.state for each in found] == ["first", "first", "whole"]
    assert found[2].before is found[0].request
    assert found[1].best is found[0].request


def test_a_prompt_that_the_vendor_holds_is_unknown() -> None:
    bodies = [{"model": "gpt-5", "input": LONG}, {"model": "gpt-5", "input": "And?", "previous_response_id": "r1"}]
    assert last(*bodies, wire="openai-responses").state == "unknown"


def test_openai_leaves_out_the_thoughts_of_a_turn_that_has_ended() -> None:
    thought = {"type": "reasoning", "summary": [], "encrypted_content": "x"}
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c1", "output": LONG}
    turn = [{"role": "user", "content": LONG}, thought, call, result]
    said = [{"type": "reasoning", "summary": []}, {"role": "assistant", "content": "There."}]
    bodies = [{"model": "gpt-5", "input": items} for items in (turn, [*turn, *said, {"role": "user", "content": "?"}])]
    found = last(*bodies, wire="openai-responses")
    assert (found.state, found.cause.kind) == ("cut", "left out")
    assert "message 2" in found.cause.sentence
    on = [{"model": "gpt-5", "input": items} for items in (turn, [*turn, said[1], result])]
    assert last(*on, wire="openai-responses").state == "whole"


def test_the_price_of_a_break_is_that_of_reading_anew_what_could_have_been_read_again() -> None:
    usage = RecordedUsage(10_000, 0, 10_000, 5)
    found = last(body(*ASKED), body(*MORE, system="It is ten. " + LONG), usage=usage)
    assert found.expected_tokens == 0
    assert 9_900 < found.lost_tokens < 10_000  # all but "It is ten.", which is new
    assert found.cost_usd == pytest.approx(found.lost_tokens * (3.75 - 0.30) / 1e6)
    nameless = [{**each, "model": "a-model-nobody-sells"} for each in (body(*ASKED), body(*MORE, system=LONG[1:]))]
    assert last(*nameless, usage=usage).cost_usd is None


def test_usage_is_set_beside_it() -> None:
    builder = RecordingBuilder("talk")
    usages = [RecordedUsage(5_000, 0, 5_000), RecordedUsage(5_100, 5_000, 100), RecordedUsage(5_200, 0, 5_200)]
    for talk, usage in zip((ASKED, MORE, [*MORE, *MORE[1:]]), usages, strict=True):
        builder.body(body(*talk), "anthropic", model=SONNET, usage=usage)
    report = builder.recording().prefix()
    assert [each.reported.state for each in report] == ["first", "whole", "cut"]
    assert [each.reported.readable for each in report] == [None, 5_000, 5_100]
    assert [each.agrees for each in report] == [None, True, False]
    assert report.agreement == (1, 2)


def logged(*talks: Talk, usages: list[RecordedUsage], models: list[str] | None = None) -> Any:
    """The report on a log without system texts and tools, whose last request is the first after a compression."""
    builder = RecordingBuilder("talk")
    for number, (talk, usage) in enumerate(zip(talks, usages, strict=True)):
        model = (models or [SONNET] * len(talks))[number]
        about: dict[str, Any] = {"compaction": {"trigger": "auto"}} if number == len(talks) - 1 else {}
        builder.body(body(*talk, system=""), "anthropic", model=model, usage=usage, whole=False, **about)
    return builder.recording().prefix()


SUMMED: Talk = [("user", "This session is being continued: light and boat. " * 300)]


def test_how_much_a_compression_lost_is_not_known_where_the_log_lacks_the_system_text() -> None:
    usages = [
        RecordedUsage(30_000, 0, 30_000),
        RecordedUsage(36_000, 30_000, 6_000),
        RecordedUsage(25_000, 20_000, 5_000),
    ]
    report = logged(ASKED, MORE, SUMMED, usages=usages)
    found = report.requests[-1]
    assert (found.state, found.cause.kind, found.lost_tokens, found.cost_usd) == ("cut", "summary", None, None)
    assert found.expected_tokens <= 25_000 - found.total_tokens  # the summary is new
    assert (report.unknown_losses, report.lost_tokens, report.unexplained) == ((found,), 0, ())
    assert report.frame()["lost_tokens"].isna().tolist() == [False, False, True]


def test_a_break_may_have_two_causes() -> None:
    usages = [RecordedUsage(30_000, 0, 30_000), RecordedUsage(25_000, 0, 25_000)]
    found = logged(ASKED, SUMMED, usages=usages, models=[SONNET, "claude-opus-4-6"]).requests[-1]
    assert (found.state, found.cause.kind, found.also.kind) == ("other model", "model", "summary")
    assert found.sentence.startswith("Another model was asked")
    assert "a summary stands in the place of older messages" in found.sentence
    late = last(body(*ASKED), body(*MORE, system=LONG + "10:30"), seconds=400)
    assert late.sentence.startswith("7 minutes went by")
    assert "System text 1 is another" in late.sentence


def test_what_only_the_vendor_tells_of_is_counted_apart() -> None:
    usages = [
        RecordedUsage(30_000, 0, 30_000),
        RecordedUsage(31_000, 9_000, 22_000),
        RecordedUsage(31_500, 31_000, 500),
    ]
    builder = RecordingBuilder("talk")
    for talk, usage in zip((ASKED, MORE, [*MORE, *MORE[1:]]), usages, strict=True):
        builder.body(body(*talk), "anthropic", model=SONNET, usage=usage)
    report = builder.recording().prefix()
    (found,) = report.unexplained
    assert (found.request.number, found.unexplained_tokens, found.lost_tokens) == (2, 21_000, 0)
    assert "it read 9,000 of 30,000 tokens that it could, and the log doesn't say why" in found.sentence
    assert found.unexplained_usd == pytest.approx(21_000 * (3.75 - 0.30) / 1e6)
    assert (report.breaks, report.unexplained_tokens, report.unexplained_usd) == ((), 21_000, found.unexplained_usd)
    assert "21,000 more unexplained" in repr(report)


def test_what_ifs_say_what_would_have_been_read_again() -> None:
    clock = [body(*talk, system=f"It is 09:0{n}. {LONG}") for n, talk in enumerate((ASKED, MORE))]
    tools = [body(*ASKED, tools=("b",)), body(*MORE, tools=("a", "b"))]
    stamped = [body((talk[0][0], talk[0][1] + stamp), *talk[1:]) for talk, stamp in ((ASKED, ""), (MORE, REMINDER))]
    for sent, name in ((clock, "clock"), (tools, "tools"), (stamped, "reminders"), (stamped, "reminders-last")):
        report = recorded(*sent).prefix(frozen=name)  # pyright: ignore[reportArgumentType]
        assert report.frozen is not None, name
        assert report.frozen.more_tokens > 0, name
        assert f"{report.frozen.more_tokens:,} more tokens" in report.frozen.sentence
        lost = report.requests[1].lost_tokens
        assert lost is not None
        assert 0 <= report.frozen.more_tokens - lost <= 2  # a digit of the clock is new, and sums are rounded


def test_a_what_if_has_a_known_name() -> None:
    with pytest.raises(WrongArgument, match="'clock'"):
        recorded(body(*ASKED)).prefix(frozen="clocks")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("alternating", [False, True])
def test_work_grows_with_what_is_new(alternating: bool) -> None:
    """Four times the requests are about four times the work, though what they send is sixteen times as much."""
    small, large = (_steps(count, alternating=alternating) for count in (100, 400))
    assert large < 8 * small


def _steps(requests: int, *, alternating: bool) -> int:
    builder = RecordingBuilder("talk")
    head = builder.head_of("anthropic")
    leaves = [START, START]
    for number in range(requests):
        own = number % 2 if alternating else 0
        for role in ("user", "assistant"):
            said = {"role": role, "content": f"{role} {own} {number}"}
            leaves[own] = builder.add(leaves[own], (said,), "anthropic", place="here")
        builder.request(leaves[own], head, model=SONNET)
    recording = builder.recording()
    tree = PromptTree(recording.parts)
    assert len(list(Analysis(recording, tree, HeadReader(recording.parts)).prefixes())) == requests
    return tree.steps
