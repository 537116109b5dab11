"""Users' find and replace on the way to the model."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.context import AssetRef, BuildInput, Context, Draft, Origin, Text
from ctxlab.documents import RegexConfig, RegexPreset, RegexRule, Session
from ctxlab.documents.rules import AppliesTo, DepthRange
from ctxlab.processors import RegexProcessor
from ctxlab.testing.fakes import WordTokenizer
from tests.reports import left


def rule(regex: str, replacement: str = "", **fields: Any) -> RegexRule:
    return RegexRule(
        **{"id": regex, "regex": regex, "replacement": replacement, "apply_to": AppliesTo(request=True), **fields}
    )


def chat(*texts: str) -> Session:
    roles = ("user", "assistant")
    return ctxlab.read_data([{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]).pick()


def contents(trace: ctxlab.Trace) -> list[str]:
    return [message["content"] for message in trace.messages]


def test_messages_are_rewritten_and_remember_what_stood_there() -> None:
    trace = ctxlab.build(chat("hello Bob", "hi"), rules=[rule("/bob/i", "Ann", name="Names")])

    assert contents(trace) == ["hello Ann", "hi"]
    span = trace.result.drafts[0].text.at(6)
    assert (span.text, span.origin, span.was[0].text) == ("Ann", Origin("node", "m0"), "Bob")
    assert span.cause is not None
    assert (span.cause.processor, span.cause.rule) == ("regex-processor", "/bob/i")


def test_every_change_leaves_a_row() -> None:
    preset = RegexPreset(id="p", name="Cleaning", rules=(rule("o", "0", name="Zeros"), rule("none")))
    trace = ctxlab.build(chat("foo", "bar", "o"), rules=[preset])

    rows = left(trace.result, "regex-processor")

    assert [(row["key"], row["rule"], row["preset"], row["layer"], row["hits"]) for row in rows] == [
        ("node:m0", "Zeros", "Cleaning", "global", 2),
        ("node:m2", "Zeros", "Cleaning", "global", 1),
    ]
    assert (rows[0]["before"], rows[0]["after"]) == ("foo", "f0o")
    assert list(trace.table("regex-processor")["hits"]) == [2, 1]


def test_depth_counts_from_the_newest_message() -> None:
    rules = [rule("a", "old", depth_range=DepthRange(min=2)), rule("a", "new", depth_range=DepthRange(max=0))]

    assert contents(ctxlab.build(chat("a", "a", "a"), rules=rules)) == ["old", "a", "new"]


def test_what_is_typed_is_the_newest_message() -> None:
    rules = [rule("a", "b", depth_range=DepthRange(max=0))]

    assert contents(ctxlab.build(chat("a", "a"), pending="a", rules=rules)) == ["a", "a", "b"]


def test_a_rule_for_what_is_shown_does_nothing_here() -> None:
    trace = ctxlab.build(chat("a"), rules=[rule("a", "b", apply_to=AppliesTo())])

    assert contents(trace) == ["a"]
    assert trace.step("regex-processor").after is trace.step("regex-processor").before


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (rule("("), "doesn't compile"),
        (rule(r"(a+)+\1$"), "backtracks in one text"),
        (rule("a", replacement_type="script", script_content="return 'b'"), "not run"),
    ],
)
def test_a_rule_that_cannot_run_is_named_and_the_others_run(bad: RegexRule, why: str) -> None:
    preset = RegexPreset(name="Mine", rules=(bad.with_(name="Bad one"), rule("!", "?")))

    trace = ctxlab.build(chat("a" * 40 + "!"), rules=[preset])

    assert contents(trace) == ["a" * 40 + "?"]
    (note,) = [note for note in trace.result.notes if note.processor == "regex-processor"]
    assert note.level == "warning"
    assert "rule 'Bad one' of preset 'Mine'" in note.text
    assert why in note.text


@pytest.mark.parametrize("script", [None, "", " \n"])
@pytest.mark.parametrize("compat", ["ctxlab", "reference"])
def test_b6_a_script_rule_without_a_script_is_the_plain_rule_that_it_also_is(script: str | None, compat: str) -> None:
    plain = rule("a(.)", "<$1>", replacement_type="script", script_content=script)

    trace = ctxlab.build(chat("ab"), rules=[plain], settings={"regex-processor.compat": compat})

    assert contents(trace) == ["<b>"]
    assert [note for note in trace.result.notes if note.processor == "regex-processor"] == []


def test_nothing_is_said_of_a_bad_rule_that_no_message_needs() -> None:
    trace = ctxlab.build(chat("a"), rules=[rule("(", target_roles=("tool",))])

    assert [note for note in trace.result.notes if note.processor == "regex-processor"] == []


@pytest.mark.parametrize(("compat", "texts"), [("ctxlab", ["X1", "X2"]), ("reference", ["X1", "m2"])])
def test_every_text_of_a_message_is_rewritten_and_its_files_stay(compat: Any, texts: list[str]) -> None:
    origin, file = Origin("node", "n"), AssetRef("a", "image")
    draft = Draft("node:n", "user", (file, Text.of("m1", origin), Text.of("m2", origin)), origin)
    build_input = BuildInput(Session(), rules=RegexConfig(presets=(RegexPreset(rules=(rule("m", "X"),)),)))
    step = RegexProcessor(RegexProcessor.Settings(compat=compat))

    result = step(Context(build_input, (draft,)), ctxlab.Services(WordTokenizer()))

    assert [str(part) for part in result.drafts[0].body[1:]] == texts
    assert result.drafts[0].body[0] is file


def test_a_message_that_is_emptied_stays_with_its_file() -> None:
    origin, file = Origin("node", "n"), AssetRef("a", "image")
    draft = Draft("node:n", "user", (Text.of("m", origin), file), origin)
    build_input = BuildInput(Session(), rules=RegexConfig(presets=(RegexPreset(rules=(rule("m"),)),)))

    result = RegexProcessor()(Context(build_input, (draft,)), ctxlab.Services(WordTokenizer()))

    assert str(result.drafts[0].text) == ""
    assert result.drafts[0].assets == (file,)
    assert result.drafts[0].text.origins() == {origin}


def test_the_same_session_runs_with_and_without_a_rule() -> None:
    with_rule = ctxlab.build(chat("a"), rules=[rule("a", "b")])

    assert contents(with_rule.rerun({"regex-processor.enabled": False})) == ["a"]
