"""Files and calls go along with some message, or it is said what became of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ctxlab.context import AssetRef, Cause, Context, Draft, Edit, Origin, Request, Text
from ctxlab.documents import Session, ToolCall
from ctxlab.errors import UnexplainedRemoval
from ctxlab.pipeline import Pipeline, Services, processor
from ctxlab.testing.fakes import WordTokenizer

SERVICES = Services(tokenizer=WordTokenizer())
WHY = Cause("plugin", "rule")
MAP, SKETCH = AssetRef("map", "image", "map.png"), AssetRef("sketch", "image")
LOOK, WALK = ToolCall("c1", "look"), ToolCall("c2", "walk")


def draft(id: str, *files: AssetRef, calls: tuple[ToolCall, ...] = ()) -> Draft:
    origin = Origin("node", id)
    return Draft(id, "assistant", (Text.of(f"text of {id}", origin), *files), origin, calls)


def after(change: Callable[[Context], Context], *drafts: Draft) -> tuple[Draft, ...]:
    step = processor("plugin")(change)
    return Pipeline.of([step]).run(Context(Request(Session(id="s")), drafts), SERVICES).result.drafts


def each(**fields: Any) -> Callable[[Context], Context]:
    return lambda ctx: ctx.edit(lambda draft: replace(draft, **fields))


def test_a_file_that_is_gone_without_a_word_is_refused() -> None:
    words = r"plugin took file 'map' from 'a' \('text of a'\) and says nothing of it"

    with pytest.raises(UnexplainedRemoval, match=words):
        after(lambda ctx: ctx.edit(lambda draft: replace(draft, body=draft.body[:1])), draft("a", MAP))


def test_a_call_that_is_gone_without_a_word_is_refused() -> None:
    with pytest.raises(UnexplainedRemoval, match="plugin took call 'c2' from 'a'"):
        after(each(calls=(LOOK,)), draft("a", calls=(LOOK, WALK)))


def test_one_of_two_calls_of_the_same_id_is_missed() -> None:
    twice = (draft("a", calls=(LOOK,)), draft("b", calls=(LOOK,)))

    with pytest.raises(UnexplainedRemoval, match="call 'c1' from 'b'"):
        after(lambda ctx: ctx.edit(lambda d: replace(d, calls=()) if d.key == "b" else replace(d, pinned=True)), *twice)


def test_files_and_calls_may_be_lost_in_no_merge() -> None:
    def merges(ctx: Context) -> Context:
        a, b = ctx.drafts
        return ctx.arrange([replace(a, body=(a.text + b.text, *a.assets), merged=(*a.parts, *b.parts))])

    with pytest.raises(UnexplainedRemoval, match="file 'sketch' from 'b'"):
        after(merges, draft("a", MAP), draft("b", SKETCH))


@pytest.mark.parametrize("first", [(), (MAP,)])
def test_merging_keeps_them(first: tuple[AssetRef, ...]) -> None:
    (whole,) = after(
        lambda ctx: ctx.merge(["a", "b", "c"], " ", WHY),
        draft("a", *first),
        draft("b", SKETCH, calls=(LOOK,)),
        draft("c", SKETCH),
    )

    assert whole.assets == (*first, SKETCH, SKETCH)


def test_another_form_of_the_same_file_and_other_arguments_are_no_loss() -> None:
    def resolves(ctx: Context) -> Context:
        return ctx.edit(
            lambda draft: replace(
                draft, body=(draft.text, replace(MAP, kind="document")), calls=(replace(LOOK, arguments="{}"),)
            )
        )

    (resolved,) = after(resolves, draft("a", MAP, calls=(LOOK,)))

    assert [asset.kind for asset in resolved.assets] == ["document"]


def test_a_file_may_go_to_another_message() -> None:
    def moves(ctx: Context) -> Context:
        (shown,) = ctx.drafts
        return ctx.arrange([replace(shown, body=(shown.text,)), replace(draft("new", MAP), role="user")])

    assert [len(one.assets) for one in after(moves, draft("a", MAP))] == [0, 1]


def test_words_that_stand_in_its_place_say_what_became_of_a_file() -> None:
    def transcribes(ctx: Context) -> Context:
        heard = Text.of("a map of the reef", Origin("transcript", "map"), WHY)
        return ctx.edit(lambda draft: replace(draft, body=(draft.text + heard,)))

    (told,) = after(transcribes, draft("a", MAP))

    assert str(told.text) == "text of aa map of the reef"


def test_a_mark_of_a_deletion_says_it_too() -> None:
    def takes(ctx: Context) -> Context:
        mark = Text.of("look()", Origin("call", "c1")).splice([Edit(0, 6, "", WHY)])
        return ctx.edit(lambda draft: replace(draft, calls=(), body=(draft.text + mark,)))

    (told,) = after(takes, draft("a", calls=(LOOK,)))

    assert str(told.text) == "text of a"


@pytest.mark.parametrize("note", [("a asked for c1, which nothing answers", {}), ("a call is gone", {"call": "c1"})])
def test_a_note_that_names_it_says_it_too(note: tuple[str, dict[str, str]]) -> None:
    def takes(ctx: Context) -> Context:
        return each(calls=())(ctx).note("warning", note[0], **note[1])

    assert after(takes, draft("a", calls=(LOOK,)))[0].calls == ()


def test_what_is_dropped_takes_its_files_along() -> None:
    assert after(lambda ctx: ctx.drop(["a"], WHY), draft("a", MAP, calls=(LOOK,))) == ()
