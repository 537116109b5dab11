"""The Python half of a recording's view: arrays that add up, pairs that are true, commands that are checked."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
import ctxlab_widgets
from ctxlab.errors import CtxlabError
from ctxlab.formats.requests.reply_usage import RecordedUsage
from ctxlab.prompt import PromptPart
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.recording import Recording
from ctxlab_widgets import RecordingView
from ctxlab_widgets.recording_view.headline import headline
from ctxlab_widgets.recording_view.pair import key_of, pair_of, rows_of
from ctxlab_widgets.recording_view.shown_requests import ShownRequests, about
from tests.gallery.recordings import body, long_recording, reading, recorded, tidebook


@pytest.fixture(scope="module")
def view() -> RecordingView:
    """One that tests choose requests in, and leave at the last one."""
    return RecordingView(tidebook())


def said(view: RecordingView, name: str) -> dict[str, Any]:
    return json.loads(getattr(view, name))


def asked(view: RecordingView, **command: Any) -> RecordingView:
    view._handle_custom_msg(command, [])
    return view


@cache
def pieces() -> list[tuple[RecordedRequest, RecordedRequest]]:
    requests = tidebook().requests
    return [(a, b) for a in requests[::7] for b in requests[::5]]


def test_every_stack_adds_up_to_all_tokens_of_a_request(view: RecordingView) -> None:
    series = said(view, "series")

    totals = [tidebook().parts.tokens(request) for request in tidebook().requests]

    assert series["counted"] == totals
    for name in ("source", "tool", "file"):
        columns = series["stacks"][name]
        assert [sum(values) for values in zip(*(each["values"] for each in columns), strict=True)] == totals
    assert series["numbers"] == [request.number for request in tidebook().requests]


def test_what_the_vendor_reports_is_told_apart_from_what_is_counted_here(view: RecordingView) -> None:
    series = said(view, "series")

    assert series["reported"] == [request.usage.input or -1 for request in tidebook().requests]
    assert series["cached"] == [
        -1 if request.usage.cached is None else request.usage.cached for request in tidebook().requests
    ]
    without = recorded(body({"role": "user", "content": "Hello."}))
    assert said(RecordingView(Recording(without.requests, without.session)), "series")["cached"] == [0]


def test_the_sentence_counts_requests_breaks_and_their_price(view: RecordingView) -> None:
    report = tidebook().prefix()

    sentence = said(view, "view")["sentence"]

    assert report.cost_usd is not None
    assert sentence.startswith(f"{len(tidebook())} requests; the prefix broke {len(report.breaks)} times: ")
    assert f"{report.lost_tokens:,} tokens were read anew" in sentence
    assert f"US$ {report.cost_usd:,.2f} at list prices" in sentence
    assert "1 compression" in sentence


def test_the_sentence_counts_lost_facts_and_the_head_has_the_price_of_all(view: RecordingView) -> None:
    (found,) = tidebook().compressions()
    prices = [request.usd for request in tidebook() if request.usd is not None]

    assert (
        f"1 compression lost {len(found.report.lost)} of {len(found.report.facts)} facts"
        in said(view, "view")["sentence"]
    )
    assert f"US$ {sum(prices):,.2f} at list prices" in said(view, "view")["about"]


def test_the_sentence_says_of_how_many_breaks_the_cost_is_not_known() -> None:
    first, second = (each for each in tidebook().prefix().breaks[:2])
    one, other = replace(first, lost_tokens=5_000), replace(second, lost_tokens=None)

    known = headline(tidebook().requests, [one, other], [], 50, checked=True)
    unknown = headline(tidebook().requests, [other], [], 50, checked=True)

    assert "the prefix broke twice: 5,000 tokens were read anew" in known
    assert known.endswith("; of 1 break it isn't known how much.")
    assert unknown.endswith("the prefix broke once; of 1 break it isn't known how much was read anew.")


def test_the_sentence_has_apart_what_the_log_does_not_explain() -> None:
    usages = [RecordedUsage(30_000, 0, 30_000, 1), RecordedUsage(31_000, 9_000, 22_000, 1)]
    builder, messages = RecordingBuilder("talk"), [{"role": "user", "content": "Look at the fog. " * 2_000}]
    for number, usage in enumerate(usages):
        sent = {"model": "claude-sonnet-4-5", "messages": messages * (number + 1)}
        builder.body(sent, "anthropic", model="claude-sonnet-4-5", usage=usage)
    found = RecordingView(builder.recording())

    report = builder.recording().prefix()
    assert report.unexplained_usd is not None
    assert said(found, "view")["sentence"] == (
        "2 requests; the prefix never broke for a cause that the log tells; in 1 request the vendor reports more, "
        f"which the log doesn't explain: {report.unexplained_tokens:,} tokens were read anew, "
        f"US$ {report.unexplained_usd:.2f} at list prices."
    )
    assert found.request == report.unexplained[0].request.id
    ((_, words, sentence, usd, level),) = said(found, "marks")["breaks"]
    assert (words, level) == ("not read, as reported", "note")
    assert usd == f"US$ {report.unexplained_usd:.2f}" and "the log doesn't say why" in sentence


def test_times_of_several_zones_are_shown_by_one_clock() -> None:
    builder = RecordingBuilder("talk")
    for time in ("2026-01-01T09:30:00+09:00", "2026-01-01T00:35:00Z", "2025-12-31T19:40:00-05:00"):
        sent = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": time}]}
        builder.body(sent, "anthropic", model="claude-sonnet-4-5", time=time)
    recording = builder.recording()

    assert ShownRequests(recording, "").series()["times"] == ["09:30", "09:35", "09:40"]
    assert "1 January 2026, 10 min" in about(recording)


def test_it_opens_at_the_break_that_cost_most(view: RecordingView) -> None:
    worst = max(tidebook().prefix().breaks, key=lambda each: each.cost_usd or 0)

    assert RecordingView(tidebook()).request == worst.request.id


def test_the_first_difference_of_two_requests_is_where_it_says(view: RecordingView) -> None:
    parts = tidebook().parts
    for first, second in pieces():
        found = pair_of(parts, first, second)
        ours, theirs = list(parts.of_request(first)), list(parts.of_request(second))
        count = len(found.same)
        assert [key_of(part) for part in ours[:count]] == [key_of(part) for part in theirs[:count]]
        assert (found.before, found.after) == (at(ours, count), at(theirs, count))
        if found.before is not None and found.after is not None:
            assert key_of(found.before) != key_of(found.after)
            assert found.before.text[: found.at] == found.after.text[: found.at]
            assert found.characters == sum(len(part.text) for part in found.same) + found.at


def at(parts: list[PromptPart], number: int) -> PromptPart | None:
    return parts[number] if number < len(parts) else None


def test_a_whole_difference_has_every_part_of_both_once() -> None:
    parts = tidebook().parts
    for first, second in pieces()[::4]:
        rows = rows_of(parts, first, second)
        for kinds, request in (("=-", first), ("=+", second)):
            shown = [key_of(part) for row in rows if row.kind in kinds for part in row.parts]
            assert shown == [key_of(part) for part in parts.of_request(request)]


WORDS = st.lists(st.sampled_from(["ebb", "flood", "ebb and flood", "灯塔"]), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None)
@given(WORDS, WORDS)
def test_two_made_requests_agree_up_to_their_first_difference(one: list[str], other: list[str]) -> None:
    made = recorded(*(body(*({"role": "user", "content": word} for word in words)) for words in (one, other)))
    first, second = made.requests

    found = pair_of(made.parts, first, second)

    a, b = ("\0".join(part.text for part in made.parts.of_request(each)) for each in (first, second))
    assert (a == b) == (found.before is None and found.after is None)
    begin = "\0".join(part.text for part in found.same)
    assert a.startswith(begin)
    assert b.startswith(begin)


def test_any_two_are_set_against_each_other(view: RecordingView) -> None:
    asked(view, command="select", request="e032", base="e010")

    assert said(view, "chosen")["title"] == "32 against 10"
    assert said(view, "chosen")["cause"] == ""  # the cause is of the one before
    asked(view, command="select", request="e032", base="")
    chosen = said(view, "chosen")
    assert chosen["title"] == "32 against 31"
    assert "the tool list differs" in chosen["same"]
    assert "gauge__calibrate" in chosen["cause"]
    assert chosen["cost"].startswith("US$")
    (_, before, after) = chosen["rows"]
    assert before["text"][0] == after["text"][0]
    assert (before["text"][1], after["text"][1]) == ("G", "g")


def test_results_are_listed_up_to_the_chosen_request(view: RecordingView) -> None:
    shown = ShownRequests(tidebook(), "")
    last = shown.table.rows(len(tidebook()) - 1)

    tables = [shown.table.rows(number) for number in range(len(tidebook()))]

    calls = [table["calls"] for table in tables]
    assert calls == sorted(calls)
    for table in tables:
        assert sum(row["tokens"] for row in table["rows"]) == table["tokens"]
        assert all(sum(file["tokens"] for file in row["files"]) <= row["tokens"] for row in table["rows"])
    results = {node.id for node in tidebook().session.nodes.values() if node.role == "tool"}
    sent = {id for each in tidebook().requests for message in each.sent for id in message.nodes}
    assert last["calls"] == len(results & sent)


def test_a_file_is_said_to_be_named_later_only_where_it_is() -> None:
    talk = [{"role": "user", "content": "Look."}, *reading(1, "src/tides.py", "1 2 3"), *reading(2, "a b.txt", "4")]
    first = recorded(body(*talk), body(*talk, {"role": "assistant", "content": "It is in tides.py."}))
    rows = ShownRequests(first, "").table.rows(1)["rows"]
    later = {file["name"]: file["later"] for row in rows for file in row["files"]}

    assert later == {"src/tides.py": ("named in 1 later message", False), "a b.txt": ("not named later", True)}


def test_results_are_summed_by_server() -> None:
    rows = ShownRequests(tidebook(), "").table.rows(len(tidebook()) - 1)

    (server,) = rows["servers"]

    of_gauge = [row for row in rows["rows"] if row["name"].startswith("gauge__")]
    assert server["name"] == "gauge"
    assert server["tokens"] == sum(row["tokens"] for row in of_gauge) > 0
    assert server["calls"] == sum(row["calls"] for row in of_gauge)


def test_a_finding_leads_to_its_request_and_its_words(view: RecordingView) -> None:
    number, finding = next((n, each) for n, each in enumerate(view.checks) if each.rule == "instructions-in-result")

    asked(view, command="place", finding=number, place=0)

    place = said(view, "place")
    node = tidebook().session.nodes[finding.places[0].node]
    assert view.request == finding.places[0].request
    assert place["text"][1] == node.content[finding.places[0].start : finding.places[0].end]
    assert "".join(place["text"]) == node.content
    asked(view, command="close", what="place")
    assert view.place == ""


def test_what_a_compression_kept_is_its_report(view: RecordingView) -> None:
    found = tidebook().compressions()[0]

    asked(view, command="compression", id=found.id)

    report = said(view, "compression")
    assert len(report["facts"]) + report["more"] == len(found.report.facts)
    grave, rest = report["facts"][: report["grave"]], report["facts"][report["grave"] :]
    for part in (grave, rest):
        order = [state for state, *_ in part]
        assert order == sorted(order, key=["lost", "weakened", "kept"].index)
    kinds = {"must-keep", "rule", "decision", "task", "error"}
    assert {kind for _, kind, *_ in grave} <= kinds
    assert not kinds & {kind for _, kind, *_ in rest}
    assert [sum(row[n] for row in report["counts"]) for n in (1, 2, 3)] == [*found.report.totals().values()]
    lost = found.report.lost[0]
    assert ["lost", lost.kind, lost.text, lost.reason] in report["facts"]


def test_steps_and_body_open_below(view: RecordingView) -> None:
    own = RecordingView(tidebook())
    page = own.page
    own.select("e020")

    trace = own.open_steps()
    assert page.steps is not None
    assert page.steps.trace is trace
    assert "request 20 are below" in own.opened
    made = own.open_request()
    assert made.body == tidebook().request("e020").payload
    assert page.body is not None
    assert page.children[1].children == (page.body,)
    own.close()


def test_the_places_of_a_recorded_body_are_the_words_of_its_messages() -> None:
    own = RecordingView(tidebook())
    own.select("e020")
    made = own.open_request()

    assert made.places
    for place in made.places:
        value: Any = made.body
        for step in place.path:
            value = value[step]
        assert value == str(place.text)


def test_a_body_that_the_log_has_not_is_refused() -> None:
    sent = body({"role": "user", "content": "Hello."})
    view = RecordingView(recorded(sent, whole=False))

    assert asked(view, command="request").error == "the log has only parts of the body of request 1"
    assert view.payload is None


def test_a_log_without_words_claims_nothing_of_them() -> None:
    nothing: dict[str, Any] = {"model": "claude-sonnet-4-5", "messages": []}
    made = recorded(nothing, nothing, whole=False)
    words = {"role": "user", "content": "Hello."}
    parts_only = recorded(body(words), body(words, words), whole=False)

    assert said(RecordingView(made), "chosen")["same"] == "the log has no words of them"
    assert "as far as the log goes" in said(RecordingView(parts_only), "chosen")["told"]


@pytest.mark.parametrize(
    "command",
    [
        {"command": "select", "request": "nobody", "base": ""},
        {"command": "select", "request": "e001", "base": "nobody"},
        {"command": "agent", "value": "nobody"},
        {"command": "stack", "value": "colour"},
        {"command": "what_if", "value": "everything"},
        {"command": "place", "finding": 4000, "place": 0},
        {"command": "place", "finding": 0, "place": 4000},
        {"command": "compression", "id": "nobody"},
        {"command": "row", "number": -1},
        {"command": "close", "what": "series"},
        {"command": "select"},
        {},
    ],
)
def test_wrong_commands_are_refused_and_change_nothing(view: RecordingView, command: dict[str, Any]) -> None:
    view.select("e050")
    before = (view.request, view.base, view.agent, view.stack, view.what_if, view.series, view.chosen)

    asked(view, **command)

    assert view.error
    assert before == (view.request, view.base, view.agent, view.stack, view.what_if, view.series, view.chosen)


def test_a_what_if_is_told_as_an_estimate_and_changes_no_number(view: RecordingView) -> None:
    marks = view.marks

    asked(view, command="what_if", value="tools")

    assert said(view, "view")["still"].startswith("If each request had all tools")
    assert "by estimate" in said(view, "view")["still"]
    assert view.marks == marks
    asked(view, command="what_if", value="")
    assert said(view, "view")["still"] == ""


def test_each_agent_has_requests_of_its_own() -> None:
    made = long_recording(12, agents=("", "scout"))
    view = RecordingView(made)

    asked(view, command="agent", value="scout")

    assert said(view, "series")["ids"] == [each.id for each in made.agents["scout"]]
    assert view.request in said(view, "series")["ids"]
    assert said(view, "view")["sentence"].startswith("6 of 12 requests;")
    view.select(made.agents[""][0].id)
    assert view.agent == ""
    assert said(view, "chosen")["title"] == "Request 1"


def test_a_long_recording_is_checked_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab_widgets.recording_view.MOST_CHARACTERS", 100)
    view = RecordingView(tidebook())

    assert (view.checked, view.findings) == (False, "")
    assert "there was 1 compression" in said(view, "view")["sentence"]
    asked(view, command="check")
    assert said(view, "findings")["rows"]
    assert "lost" in said(view, "view")["sentence"]


def test_arrays_are_sent_once_and_texts_when_they_are_asked_for() -> None:
    made = long_recording(300)
    view = RecordingView(made)
    before = view.series

    view.select(made.requests[7].id)
    view.show()

    assert view.series is before
    assert len(before) < 300 * 200
    assert len(view.chosen) < 20_000
    assert view.difference == ""


def test_a_page_of_a_report_brings_the_differences_along(tmp_path: Path) -> None:
    path = ctxlab_widgets.report(tidebook(), tmp_path / "recording.html")

    page = path.read_text(encoding="utf-8")
    assert "tidebook_agent" in page
    assert "32 against 31" in page
    (found,) = tidebook().compressions()
    assert found.report.lost[0].reason in page
    assert '\\"live\\":false' in page or '"live":false' in page


def test_what_shows_a_recorded_compression_is_named_where_another_view_refuses_it(tmp_path: Path) -> None:
    (found,) = tidebook().compressions()

    with pytest.raises(CtxlabError, match=r"RecordingView\(recording\)\.open_compression\(id\) shows it"):
        ctxlab_widgets.CompressionView(found)  # type: ignore[arg-type]
    with pytest.raises(CtxlabError, match=r"report\(recording, path\) has it"):
        ctxlab_widgets.report(found, tmp_path / "page.html")  # type: ignore[arg-type]


def test_without_a_recording_there_is_nothing_and_it_says_so() -> None:
    view = RecordingView()

    assert (view.view, repr(view)) == ("", "RecordingView()")
    with pytest.raises(CtxlabError, match=r"ctxlab\.read_recording"):
        view.select("e001")


def test_a_recording_shows_itself_by_the_view() -> None:
    from ctxlab_widgets import views

    assert ctxlab.read_recording.__name__ == "read_recording"
    assert views.recording(tidebook()) is None  # no notebook here
