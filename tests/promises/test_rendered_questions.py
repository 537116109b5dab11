"""Laws on a rendered run: each character and each token is of one source, and every question has a true answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.context import Origin, Text
from ctxlab.engines.chat_templates import Stretch
from ctxlab.errors import CtxlabError
from ctxlab.local_models import LocalModel
from ctxlab.rendering import RenderedPrompt, rendered
from tests.local_models.small_models import CHATML, hugging_face

pytest.importorskip("tokenizers", reason="counting with a vocabulary needs the extra `local`")

DROPPING = (
    "{% if messages[0].role == 'system' %}{{ messages[0].content.strip() }}\n{% endif %}"
    "{% for m in messages if m.role != 'system' %}<|im_start|>{{ m.role }}\n"
    "{{ m.content.split('</think>')[-1] }}<|im_end|>\n{% endfor %}"
)
REFUSING = (
    "{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('late') }}{% endif %}"
    "{{ m.content }}{% endfor %}"
)
AS_THEY_ARE = {"merge-system.enabled": False, "merge-consecutive.enabled": False}
WORDS = ["lamp", "灯塔", " the night", "\n", "<|im_end|>", "<think>x</think>", "  ", "é", "rain "]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LocalModel]:
    folder = tmp_path_factory.mktemp("models")
    made = {"chatml": CHATML, "dropping": DROPPING, "refusing": REFUSING}
    return {name: ctxlab.local_model(hugging_face(folder / name, text)) for name, text in made.items()}


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map("".join).filter(str.strip)
chats = st.lists(
    st.tuples(st.sampled_from(["system", "user", "assistant"]), texts).map(
        lambda each: {"role": each[0], "content": each[1]}
    ),
    min_size=1,
    max_size=7,
)
NAMES = st.sampled_from(["chatml", "dropping", "refusing"])


def found_of(models: dict[str, LocalModel], name: str, chat: list[dict[str, Any]], *, merged: bool) -> RenderedPrompt:
    trace = ctxlab.build(chat, model=models[name], settings={} if merged else AS_THEY_ARE)
    return rendered(trace, models[name])


@settings(max_examples=30, deadline=None)
@given(chats, NAMES, st.booleans())
def test_tokens_by_source_are_all_tokens_of_the_text(
    models: dict[str, LocalModel], chat: list[dict[str, Any]], name: str, merged: bool
) -> None:
    found = found_of(models, name, chat, merged=merged)

    budget = found.budget().drop(["free", "reserve"], errors="ignore")

    assert budget.sum() == (found.tokens or 0)
    assert (budget >= 0).all()


@settings(max_examples=30, deadline=None)
@given(chats, NAMES, st.booleans())
def test_the_ledger_balances_through_the_template(
    models: dict[str, LocalModel], chat: list[dict[str, Any]], name: str, merged: bool
) -> None:
    found = found_of(models, name, chat, merged=merged)

    ledger = found.ledger()

    last = ledger[ledger["step"] == "template"]
    assert last["in"].sum() == found.trace.tokens
    assert last["out"].sum() == (found.tokens or 0)
    assert last["characters_out"].sum() == len(found.text)
    paid = ledger[["kept", "cut", "rewritten", "merged", "seams"]].sum(axis=1)
    assert (ledger["in"] + ledger["added"] == paid).all()


@settings(max_examples=30, deadline=None)
@given(chats, NAMES, st.booleans(), st.data())
def test_the_places_of_words_are_theirs(
    models: dict[str, LocalModel], chat: list[dict[str, Any]], name: str, merged: bool, data: st.DataObject
) -> None:
    found = found_of(models, name, chat, merged=merged)
    start = data.draw(st.integers(0, max(0, len(found.text) - 1)))
    words = found.text[start : start + data.draw(st.integers(1, 12))]

    places = found.where(words) if words else ()

    assert not words or start in [place.start for place in places]
    for place in places:
        assert "".join(part.text for part in place.parts) == words == found.text[place.start : place.end]
        for part in place.parts:
            if part.field == "content":
                draft = next(each for each in found.trace.result.drafts if each.key == part.key)
                assert part.offset is not None
                assert str(draft.text)[part.offset : part.offset + len(part.text)] == part.text


@settings(max_examples=25, deadline=None)
@given(chats, NAMES, st.booleans(), st.integers(40, 400))
def test_every_message_has_an_answer_and_every_remedy_in_it_is_true(
    models: dict[str, LocalModel], chat: list[dict[str, Any]], name: str, merged: bool, budget: int
) -> None:
    chat = [{**each, "content": f"{each['content']} word{n}x"} for n, each in enumerate(chat)]
    settings = {} if merged else AS_THEY_ARE
    try:
        trace = ctxlab.build(chat, model=models[name], settings=settings, budget_tokens=budget)
    except CtxlabError:  # what must stay is larger than the budget
        return
    found = rendered(trace, models[name])

    for number in range(len(chat)):
        word = f"word{number}x"
        answer = found.why(word)
        assert answer.sentences
        assert bool(answer.places) == (word in found.text)
        if word not in found.text and answer.remedy is not None and not answer.remedy.sentence.count("budget"):
            assert word in rendered(trace.rerun(answer.remedy.settings), models[name]).text


def test_without_a_vocabulary_a_budget_is_refused_and_the_ledger_knows_characters(tmp_path: Path) -> None:
    path = tmp_path / "chatml.jinja"
    path.write_text(CHATML, "utf-8")
    found = rendered(ctxlab.build([{"role": "user", "content": "灯塔"}]), path)

    with pytest.raises(CtxlabError, match="chatml has no vocabulary"):
        found.budget()
    last = found.ledger().iloc[-1]
    assert (last["rule"], last["characters_out"]) == ("template", len(found.text) - len("灯塔"))


def test_of_a_text_that_could_not_be_traced_nothing_is_said_to_be_the_templates(models: dict[str, LocalModel]) -> None:
    found = rendered(ctxlab.build([{"role": "user", "content": "灯塔"}], model=models["chatml"]), models["chatml"])
    assert found.rendered is not None
    whole = Text.of(found.text, Origin("template", "chatml"))
    stretches = (Stretch(0, len(found.text), None, "template"),)
    untraced = replace(found, rendered=replace(found.rendered, text=whole, stretches=stretches, traced=False))

    assert untraced.budget().drop("free").to_dict() == {"not traced": found.tokens}
    (row,) = untraced.ledger().query("step == 'template'").to_dict("records")
    assert (row["rule"], row["in"], row["out"], row["characters_out"]) == (
        *("not traced", found.trace.tokens, found.tokens),
        len(found.text),
    )
    assert "not traced, so that it isn't known whose they are" in str(untraced.why("灯塔"))
    assert "could not be traced" in str(untraced.why("node:m0"))
    assert [each.kind for each in untraced.effects] == ["not traced"]
