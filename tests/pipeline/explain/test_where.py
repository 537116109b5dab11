"""Where words stand or stood: texts between steps, between the rules of one step, and before they were joined."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ctxlab.api import build
from ctxlab.context import BuildInput, Cause, Context, Draft, Edit, Origin, Pending, Text
from ctxlab.documents import Agent, AppliesTo, LoreEntry, RegexRule, Session, Worldbook
from ctxlab.pipeline import Debugger, Occurrence, Pipeline, Services, Trace
from ctxlab.pipeline.explain.text_versions import TextHistory
from ctxlab.testing.fakes import WordTokenizer

SERVICES = Services(tokenizer=WordTokenizer())


def rule(name: str, regex: str, replacement: str) -> RegexRule:
    sent = AppliesTo(render=False, request=True)
    return RegexRule(id=name, name=name, regex=regex, replacement=replacement, apply_to=sent)


def fox(*rules: RegexRule) -> Trace:
    session = Session(id="s").append("", role="system", id="root").append("the quick brown fox", id="n")
    return build(session, rules=list(rules), services=SERVICES)


def row(*texts: str) -> Context:
    origins = [Origin("node", f"n{i}") for i in range(len(texts))]
    drafts = tuple(Draft(o.ref, "user", (Text.of(text, o),), o) for o, text in zip(origins, texts, strict=True))
    return Context(BuildInput(Session(id="s")), drafts)


def run(ctx: Context, *steps: Any) -> Trace:
    return Pipeline.of(steps).run(ctx, SERVICES)


def facts(place: Occurrence) -> tuple[Any, ...]:
    return place.key, place.state, place.start, place.end, str(place.version), place.cause and place.cause.rule


def test_a10_words_are_found_across_an_insertion() -> None:
    trace = fox(rule("wide", "(?=brown)", "very "))

    (place,) = trace.where("quick brown")

    assert facts(place) == ("node:n", "replaced", 4, 15, "the text after session-loader", "wide")
    assert [span.origin.ref for span in place.spans] == ["n"]
    assert [each.state for each in trace.where("very brown")] == ["sent"]


def test_a10_words_are_found_in_the_text_between_two_rules_of_one_step() -> None:
    trace = fox(rule("slower", "quick", "slow"), rule("calmer", "slow", "calm"))

    (place,) = trace.where("the slow brown")

    assert facts(place)[:4] == ("node:n", "replaced", 0, 14)
    assert str(place.version).startswith("the text inside regex-processor after global rule 'slower'")
    assert place.cause is not None
    assert (place.cause.rule, place.step) == ("calmer", "regex-processor")


def test_a10_of_two_rules_at_different_places_the_texts_are_those_in_their_order() -> None:
    trace = fox(rule("one", "fox", "dog"), rule("two", "quick", "slow"))

    assert [facts(place)[-1] for place in trace.where("quick brown dog")] == ["two"]
    assert trace.where("slow brown fox") == ()


def test_a10_what_broke_a_place_is_the_first_edit_that_did() -> None:
    trace = fox(rule("first", "brown", "red"), rule("second", "red fox", "dog"))

    assert [facts(place)[-1] for place in trace.where("brown fox")] == ["first"]
    assert [facts(place)[-1] for place in trace.where("red")] == ["second"]


def test_a10_words_are_found_in_the_texts_of_earlier_steps_as_they_stood_alone() -> None:
    def calms(ctx: Context) -> Context:
        return ctx.edit(
            lambda d: d.edit_text(lambda text: text.sub(re.compile("b"), "x", cause=Cause("calms", "b", "why")))
        )

    def merges(ctx: Context) -> Context:
        return ctx.merge(["n0", "n1"], "|", Cause("merges", "rule", "why"))

    def shouts(ctx: Context) -> Context:
        return ctx.edit(
            lambda d: d.edit_text(lambda text: text.sub(re.compile("c"), "C", cause=Cause("shouts", "c", "why")))
        )

    trace = run(row("a", "b c"), calms, merges, shouts)

    (alone,) = trace.where("b c")
    (merged,) = trace.where("x c")
    assert (alone.key, alone.part, alone.start, str(alone.version)) == ("n0", "n1", 0, "the text at the start")
    assert (merged.key, merged.part, merged.start, str(merged.version)) == ("n0", "n1", 2, "the text after merges")
    assert str(alone).startswith(
        "n1, in the merged n0, characters 0-3 of the text at the start: replaced by calms / b: why"
    )


def test_a10_parts_are_told_apart_where_a_step_joins_and_edits_at_once() -> None:
    def both(ctx: Context) -> Context:
        (whole,) = ctx.merge(["n0", "n1"], "", Cause("both", "joined", "why")).drafts
        text = whole.text.splice([Edit(2, 3, "", Cause("both", "cut", "why"))])
        return replace(ctx, drafts=(replace(whole, body=(Text(text.spans),)),))

    places = run(row("ab", "b"), both).where("b")

    assert [(place.state, place.part, place.start) for place in places] == [("sent", "n0", 1), ("replaced", "n1", 0)]


def test_a10_spans_alone_tell_what_stood_between_two_rules() -> None:
    def rules(ctx: Context) -> Context:
        def change(draft: Draft) -> Draft:
            text = draft.text.sub(re.compile("quick"), "slow", cause=Cause("rules", "one", "why"))
            text = text.sub(re.compile("slow brown"), "calm", cause=Cause("rules", "two", "why"))
            return replace(draft, body=(text + Text.of("!", Origin("notice"), Cause("rules", "three", "why")),))

        return ctx.edit(change)

    trace = run(row("the quick brown fox"), rules)

    (between,) = trace.where("slow b")
    assert facts(between) == (
        "n0",
        "replaced",
        0,
        6,
        "a stretch of the text inside rules after rules / one: why",
        "two",
    )
    assert [facts(place)[-1] for place in trace.where("quick")] == ["one"]
    assert [facts(place)[-1] for place in trace.where("brown fox")] == ["two"]
    assert [place.state for place in trace.where("calm fox!")] == ["sent"]


def test_a10_words_of_a_message_that_a_person_took_out_or_changed_say_so() -> None:
    debugger = Debugger(run(row("one two", "three")))
    debugger.edit(lambda ctx: replace(ctx, drafts=ctx.drafts[:1]))
    debugger.edit(lambda ctx: ctx.edit(lambda d: replace(d, body=(Text.of("one 2", d.origin),))))
    trace = debugger.trace

    (gone,), (changed,) = trace.where("three"), trace.where("two")
    assert str(gone).startswith("n1 characters 0-5: dropped by edit / by hand: taken out in the debugger")
    assert str(changed).startswith("n0 characters 4-7 of the text at the start: replaced by edit / by hand")
    assert [place.state for place in trace.where("one")] == ["sent"]


def test_a10_what_was_put_back_by_hand_is_not_dropped() -> None:
    def drops(ctx: Context) -> Context:
        return ctx.drop(["n0"], Cause("drops", "rule", "why"))

    debugger = Debugger(run(row("one", "two"), drops))
    debugger.run()
    debugger.edit(lambda ctx: replace(ctx, drafts=(*ctx.dropped[0].drafts, *ctx.drafts), dropped=()))
    assert [place.state for place in debugger.trace.where("one")] == ["sent"]

    debugger.edit(lambda ctx: replace(ctx, drafts=ctx.drafts[1:]))
    assert [place.state for place in debugger.trace.where("one")] == ["dropped"]


def test_a10_what_was_typed_before_its_macros_is_found() -> None:
    session = Session(id="s").append("", role="system", id="root")
    trace = build(session, pending=Pending("hi Kim", original="hi {{user}}"), services=SERVICES)

    (place,) = trace.where("hi {{user}}")

    assert facts(place) == (
        "pending", "replaced", 0, 11, "the text inside session-loader before its edits", "expanded-input",
    )  # fmt: skip


def test_a10_macros_of_lore_in_an_outlet_are_found_in_the_text_that_had_them() -> None:
    entry = LoreEntry(
        uid=1, comment="reef", constant=True, content="{{user}} fears the reef", position=7, outlet_name="o"
    )
    other = LoreEntry(uid=2, comment="tide", constant=True, content="the tide turns", position=7, outlet_name="o")
    agent = Agent.model_validate(
        {"name": "Ann", "presetMessages": [{"id": "p", "role": "system", "content": "see {{outlet::o}}"}]}
    )
    session = Session(id="s").append("", role="system", id="root").append("hi", id="n")
    book = Worldbook(id="b", entries={"1": entry, "2": other})
    trace = build(session, agent, books=[book], services=SERVICES)

    (raw,) = trace.where("{{user}} fears the reef")

    assert (raw.key, raw.state, raw.cause and raw.cause.rule) == ("preset:0", "replaced", "user")
    assert len(trace.where("see {{outlet::o}}")) == 1


def test_a10_a_text_is_searched_as_often_as_there_are_texts_not_edits() -> None:
    """Spans, edits and steps grow together: twice as many are about twice the work."""

    def work(n: int) -> int:
        def step(i: int) -> Any:
            def edits(ctx: Context) -> Context:
                return ctx.edit(
                    lambda d: d.edit_text(lambda t: t.splice([Edit(i, i + 1, "x", Cause(f"s{i}", "r", "why"))]))
                )

            edits.__name__ = f"s{i}"
            return edits

        trace = run(row("a" * 2 * n), *[step(i) for i in range(n)])
        return sum(len(gone.breaks) for gone in TextHistory(trace).superseded)

    assert work(40) == 2 * work(20)
