import re
from dataclasses import replace
from typing import Any

import pytest

from ctxlab.api import build
from ctxlab.context import AssetRef, BuildInput, Cause, Context, Draft, Origin, Text
from ctxlab.documents import (
    Agent,
    AppliesTo,
    RegexPreset,
    RegexRule,
    Session,
)
from ctxlab.documents.agent.new_preset import preset
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Pipeline, Processor, Remedy, Services, Trace, processor, provenance_lines
from ctxlab.processors import default_pipeline
from ctxlab.testing.fakes import WordTokenizer

SERVICES = Services(tokenizer=WordTokenizer())
SENT = AppliesTo(render=False, request=True)
WHY = Cause("censor", "names", "real names go")


@processor("censor", priority=350)
def censor(ctx: Context) -> Context:
    return ctx.edit(lambda draft: draft.edit_text(lambda text: text.sub(re.compile("Bob"), "someone", cause=WHY)))


def row(*ids: str) -> Context:
    origin = [Origin("node", id) for id in ids]
    drafts = tuple(Draft(o.ref, "user", (Text.of(f"I am {o.ref}", o),), o) for o in origin)
    return Context(BuildInput(Session(id="s")), drafts)


def run(ctx: Context, *steps: Any) -> Trace:
    return Pipeline.of(steps).run(ctx, SERVICES)


def chat() -> Trace:
    """A long old message, a merged pair, a name that is taken out."""
    session = Session(id="s").append("", role="system", id="root")
    session = session.append("an old story " * 30, id="old").append("I see", role="assistant", id="see")
    session = session.append("I am Bob", id="who").append("and you?", id="you")
    agent = Agent.model_validate(
        {"name": "Ann", "presetMessages": [{"id": "p", "role": "system", "content": "{{char}}"}]}
    )

    return build(
        session, agent, budget_tokens=40, services=SERVICES, pipeline=default_pipeline().with_processor(censor)
    )


def test_the_life_of_a_message_is_told_step_by_step() -> None:
    life = chat().why("node:who")

    assert [(event.step, event.kind) for event in life.events] == [
        ("session-loader", "added"),
        ("censor", "rewritten"),
        ("merge-consecutive", "merged"),
    ]
    assert str(life) == (
        "node:who\n"
        "  session-loader: added as message 3\n"
        "  censor: rewritten by censor / names: real names go: 8 -> 12 characters\n"
        "  merge-consecutive: merged with node:you\n"
        "  it is sent"
    )


def test_a_dropped_message_says_what_it_needed() -> None:
    life = chat().why("node:old")

    assert life.draft is None
    assert life.events[-1].text == "dropped: token-limiter / sliding: needed 94 tokens, 16 were left"
    assert str(life).endswith("\n  it is not sent; 78 more tokens would keep it: a budget of 118 or more")
    assert repr(life) == "Life('node:old', 2 events, dropped)"


def test_a6_what_would_keep_a_message_is_worked_out_when_it_is_asked_for() -> None:
    asked: list[Any] = []

    class Cutter(Processor):
        id = "cutter"

        def __call__(self, ctx: Context, services: Services) -> Context:
            return ctx.drop(["b"], Cause("cutter", "all"), needed=5, left=3)

        def what_keeps(self, ctx: Context, services: Services, keys: Any) -> Any:
            asked.append((ctx.draft("b") is not None, list(keys)))
            return {"b": Remedy("a longer rope would keep it", {"cutter.rope": 5})}

    life = run(row("a", "b"), Cutter).why("b")

    assert asked == []
    assert str(life).endswith(
        "cutter: dropped: cutter / all: needed 5 tokens, 3 were left\n  it is not sent; a longer rope would keep it"
    )
    assert life.remedy is not None
    assert life.remedy.settings == {"cutter.rope": 5}
    assert life.least_budget is None
    assert asked == [(True, ["b"])]


def test_a6_what_no_budget_dropped_no_budget_keeps() -> None:
    def drops(ctx: Context) -> Context:
        return ctx.drop(["b"], Cause("drops", "old", "why"))

    def wants_room(ctx: Context) -> Context:
        return ctx.drop(["c"], Cause("wants-room", "full"), needed=5, left=3)

    trace = run(row("a", "b", "c"), drops, wants_room)

    assert [trace.why(key).outcome for key in "abc"] == [
        "it is sent",
        "it is not sent; no budget would keep it: drops took it out, not for want of room",
        "it is not sent; wants-room does not say what would keep it",
    ]
    assert [trace.why(key).least_budget for key in "abc"] == [None, None, None]
    assert trace.why("a").remedy is None


def test_a6_a_part_of_a_merged_message_comes_back_with_the_whole() -> None:
    session = Session(id="s").append("", role="system", id="root").append("an old story " * 9, id="old")
    session = session.append("and more", id="more").append("I see", role="assistant", id="see").append("so", id="so")
    trace = build(session, budget_tokens=20, services=SERVICES, settings={"token-limiter.priority": 650})

    least = trace.why("node:more").least_budget

    assert least == trace.why("node:old").least_budget
    assert least is not None
    assert trace.rerun({"token-limiter.budget_tokens": least.tokens}).result.draft("node:more") is not None


def test_a_preset_says_where_it_was_put() -> None:
    life = chat().why("preset:0")

    assert life.events[0].step == "injection-assembler"
    assert life.draft is not None


def test_a_message_that_never_was_is_an_error_with_the_nearest() -> None:
    with pytest.raises(CtxlabError, match="no step had a message 'node:whoo'; did you mean 'node:who'"):
        chat().why("node:whoo")


def test_only_the_message_that_was_lifted_out_has_moved() -> None:
    def moves(ctx: Context) -> Context:
        return ctx.arrange((*ctx.drafts[1:], ctx.drafts[0].moved(0, Cause("moves", "rule", "why"))))

    trace = run(row("a", "b", "c"), moves)

    assert [event.text for event in trace.why("a").events] == ["was there from the start", "moved from place 1 to 3"]
    assert [event.kind for event in trace.why("b").events] == ["added"]


def test_a_message_does_not_move_when_others_come_and_go() -> None:
    def comes(ctx: Context) -> Context:
        ctx = ctx.drop(["b"], Cause("comes", "rule", "why"))
        return ctx.insert(0, Draft("new", "user", (Text.of("new", Origin("x")),), Origin("x")))

    trace = run(row("a", "b", "c"), comes)

    assert [event.kind for event in trace.why("c").events] == ["added"]


def test_a_change_of_fields_names_them() -> None:
    def changes(ctx: Context) -> Context:
        return ctx.edit(lambda draft: draft.changed(Cause("changes", "rule", "why"), role="system"))

    def pins(ctx: Context) -> Context:
        return ctx.edit(lambda draft: draft.changed(Cause("pins", "rule", "why"), pinned=True, speaker="x"))

    trace = run(row("a"), changes, pins)

    assert [event.text for event in trace.why("a").events[1:]] == [
        "role changed from user to system (why)",
        "changed: pinned, speaker (why)",
    ]


def test_a_rewrite_names_its_own_cause_and_not_an_older_one_of_the_same_text() -> None:
    older = Text.of("the old reef", Origin("lore", "b/1"), Cause("first", "reef", "why"))
    ctx = Context(BuildInput(Session(id="s")), (Draft("a", "user", (older,), Origin("lore", "b/1")),))

    def second(ctx: Context) -> Context:
        cut = re.compile("old")
        return ctx.edit(lambda d: d.edit_text(lambda text: text.sub(cut, "new", cause=Cause("second", "young", "why"))))

    (_, event) = run(ctx, second).why("a").events

    assert event.cause == Cause("second", "young", "why")
    assert event.text == "rewritten by second / young: why: 12 -> 12 characters"


def test_a_rewrite_by_several_rules_names_the_first_and_counts_the_others() -> None:
    def rules(ctx: Context) -> Context:
        def change(draft: Draft) -> Draft:
            text = draft.text.sub(re.compile("am"), "was", cause=Cause("rules", "past", "why"))
            return replace(draft, body=(text.sub(re.compile("I"), "she", cause=Cause("rules", "she", "why")),))

        return ctx.edit(change)

    (_, event) = run(row("a"), rules).why("a").events

    assert event.text == "rewritten by rules / past: why and 1 more: 6 -> 9 characters"


def test_a_part_is_not_rewritten_where_another_part_is() -> None:
    def merge(ctx: Context) -> Context:
        return ctx.merge(["a", "b"], "|", Cause("merge", "rule", "why"))

    def hush(ctx: Context) -> Context:
        return ctx.edit(
            lambda d: d.edit_text(lambda text: text.sub(re.compile("b"), "someone", cause=Cause("hush", "rule", "why")))
        )

    trace = run(row("a", "b", "c"), merge, hush)

    assert [event.kind for event in trace.why("a").events] == ["added", "merged", "rewritten"]
    assert [event.text for event in trace.why("b").events][1:] == [
        "merged with a",
        "rewritten by hush / rule: why: 6 -> 12 characters",
    ]
    assert [event.kind for event in trace.why("c").events] == ["added"]


def test_a_second_merge_names_what_came_and_its_own_cause() -> None:
    def first(ctx: Context) -> Context:
        return ctx.merge(["a", "b"], "|", Cause("first", "rule", "why"))

    def second(ctx: Context) -> Context:
        return ctx.merge([draft.key for draft in ctx.drafts], "|", Cause("second", "rule", "why"))

    events = run(row(*"abcdefghijk"), first, second).why("b").events

    assert [(event.text, event.cause and event.cause.processor) for event in events[1:]] == [
        ("merged with a", "first"),
        ("merged with c, d, e, f, g, h and 3 more", "second"),
    ]


def test_a_message_that_was_moved_and_rewritten_says_both() -> None:
    def both(ctx: Context) -> Context:
        first = ctx.drafts[0]
        text = first.text.sub(re.compile("am"), "was", cause=Cause("both", "rule", "why"))
        return ctx.arrange((*ctx.drafts[1:], replace(first, body=(text,)).moved(0, Cause("both", "rule", "why"))))

    kinds = [event.kind for event in run(row("a", "b", "c"), both).why("a").events]

    assert kinds == ["added", "rewritten", "moved"]


def test_a_file_that_is_gone_is_a_change_and_a_copy_is_none() -> None:
    file = AssetRef("f", "image")
    (plain,) = row("a").drafts
    ctx = Context(BuildInput(Session(id="s")), (replace(plain, body=(*plain.body, file)),))

    def copies(ctx: Context) -> Context:
        return ctx.edit(replace)

    def takes(ctx: Context) -> Context:
        return ctx.edit(lambda d: d.with_body(d.body[:1], Cause("takes", "rule", "why")))

    assert [event.text for event in run(ctx, copies, takes).why("a").events][1:] == ["picture went out of it (why)"]


def test_why_a_message_was_added_is_not_why_its_words_were_changed() -> None:
    html = "<p>one</p><p>two</p>"
    session = Session(id="s").append("", role="system", id="root")
    session = session.append(html, id="old", metadata={"placed": "on the moon"}).append("new", id="new")
    settings = {"session-loader.html_to_markdown": True, "session-loader.html_keep_newest": 1}

    (event, *_) = build(session, settings=settings, services=SERVICES).why("node:old").events

    assert (event.text, event.cause) == ("added as message 1", None)


def test_words_are_found_where_they_are_sent() -> None:
    (place,) = chat().where("and you")

    assert (place.key, place.state) == ("node:who", "sent")
    assert [span.origin.ref for span in place.spans] == ["you"]


def test_words_in_a_merged_message_name_the_part_that_they_belong_to() -> None:
    first, second, across = (chat().where(words)[0] for words in ("someone", "and you", "e\n\n---\n\nand"))

    assert [place.part for place in (first, second, across)] == ["node:who", "node:you", "node:who"]
    assert str(first).startswith("node:who characters 5-12: sent")
    assert str(second).startswith("node:you, in the merged node:who, characters 19-26: sent")


def test_words_that_were_replaced_in_a_merged_message_name_their_part() -> None:
    @processor("hush", priority=360)
    def hush(ctx: Context) -> Context:
        return ctx.edit(
            lambda draft: draft.edit_text(
                lambda text: text.sub(re.compile("b.*"), "", cause=Cause("hush", "rule", "why"))
            )
        )

    def merge(ctx: Context) -> Context:
        return ctx.merge(["a", "b", "c"], "", Cause("merge", "rule", "why"))

    (place,) = run(row("a", "b", "c"), hush, merge).where("b")

    assert (place.key, place.part, place.state) == ("a", "b", "replaced")


def test_words_of_a_message_that_is_not_merged_are_its_own() -> None:
    assert {place.part for place in chat().where("old story")} == {"node:old"}


def test_words_are_found_where_they_were_dropped_with_the_cause() -> None:
    places = chat().where("old story")

    assert len(places) == 30
    assert {place.state for place in places} == {"dropped"}
    assert "characters 3-12: dropped by token-limiter / sliding: needed 94 tokens" in str(places[0])


def test_words_are_found_where_they_were_replaced() -> None:
    (place,) = chat().where("Bob")

    assert (place.state, place.key, place.cause) == ("replaced", "node:who", WHY)
    assert str(place) == "\n".join(
        [
            "node:who characters 5-8 of the text after session-loader: replaced by censor / names: real names go",
            "  'Bob' from node who",
        ]
    )


def test_words_replaced_in_what_was_dropped_later_are_found_too() -> None:
    def drops(ctx: Context) -> Context:
        return ctx.drop(["Bob"], Cause("drops", "rule", "why"))

    trace = run(row("Bob"), censor, drops)

    assert [place.state for place in trace.where("Bob")] == ["replaced"]
    assert [place.state for place in trace.where("someone")] == ["dropped"]


def test_words_that_are_nowhere_give_nothing() -> None:
    assert chat().where("unheard of") == ()
    assert chat().where("") == ()


def test_the_story_of_a_span_goes_back_to_what_was_typed() -> None:
    text = Text.of("Bob", Origin("node", "n1")).sub(re.compile("o"), "0", cause=WHY)
    text = text.sub(re.compile("B0b"), "X", cause=Cause("second", "rule", "why"))

    (span,) = text.spans
    assert list(provenance_lines(span)) == [
        "'X' from node n1, put there by second / rule: why",
        "  in place of 'B0b' from node n1",
        "    with '0' from node n1, put there by censor / names: real names go",
        "      in place of 'o' from node n1",
    ]


def test_nested_macros_are_a_tree() -> None:
    text = expand(Text.of("{{random::{{user}}}}", Origin("preset", "p")), MacroEnv(user="Kim")).text

    (span,) = text.spans
    assert list(provenance_lines(span)) == [
        "'Kim' from macro {{random}}, which stood at character 0, post-process phase",
        "  in place of '{{random::Kim}}' from preset p",
        "    with 'Kim' from macro {{user}}, which stood at character 10, substitute phase",
        "      in place of '{{user}}' from preset p",
    ]


def test_a_rule_is_told_with_its_set_and_its_layer() -> None:
    rules = RegexPreset(
        name="Tidy", rules=(RegexRule(id="r", name="No Bob", regex="Bob", replacement="X", apply_to=SENT),)
    )
    session = Session(id="s").append("", role="system", id="root").append("I am Bob", id="who")

    trace = build(session, rules=[rules], services=SERVICES)

    (replaced,) = trace.where("Bob")
    (sent,) = trace.where("X")
    assert str(replaced).startswith(
        "node:who characters 5-8 of the text after session-loader: replaced by global rule 'No Bob' of preset 'Tidy'"
    )
    assert str(sent).splitlines()[1:] == [
        "  'X' from node who, rewritten by global rule 'No Bob' of preset 'Tidy'",
        "    in place of 'Bob' from node who",
    ]


def test_what_was_typed_is_found_although_parts_of_it_were_replaced() -> None:
    agent = Agent.model_validate(
        {"name": "Ann", "presetMessages": [{"id": "p", "content": "{{char}} and {{user}} talk"}]}
    )

    (place,) = build(Session(id="s"), agent, services=SERVICES).where("and {{user}} talk")

    assert (place.state, place.start, place.end) == ("replaced", 9, 26)
    assert place.cause is not None and place.cause.rule == "user"


def test_a_preset_is_asked_for_and_named_by_the_id_of_its_file() -> None:
    presets = [{"id": name, "role": "system", "content": name} for name in ("main", "twice", "twice", "note")]
    agent = Agent.model_validate({"id": "g", "presetMessages": presets})
    session = Session(id="s").append("hi", id="note")
    trace = build(session, agent, presets=[preset("Be brief.", depth=0, id="short")])

    assert str(trace.why("main")).splitlines()[0] == "main (preset:0)"
    assert trace.why("short").key == "preset:global/0"
    assert repr(trace.why("short")).startswith("Life('short (preset:global/0)', ")
    assert trace.why("note").key == "node:note"
    with pytest.raises(CtxlabError, match="did you mean 'preset:1' or 'preset:2'"):
        trace.why("twice")
