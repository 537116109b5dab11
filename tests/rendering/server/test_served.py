"""A build on a server: what it reads, which messages lose something, and remedies that were tried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import CtxlabError
from ctxlab.local_models import LocalModel
from ctxlab.rendering.text_of_run import with_drafts
from tests.engines.chat_templates.real_llama_cpp import write_model
from tests.rendering.server.test_read_again import answers, models, needs_server

__all__ = ["models"]
CHATML = Path("datasets/chatml.jinja")
HARBOUR = 1_800


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    """A model of one token a byte with ChatML, whose own context isn't known."""
    pytest.importorskip("gguf")
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_model(path)
    template = ctxlab.JinjaTemplate(CHATML.read_text("utf-8"), "chatml")
    return replace(ctxlab.local_model(path), templates=FrozenDict({"default": template}), context_length=None)


@pytest.fixture(scope="module")
def run() -> ctxlab.Trace:
    return ctxlab.build(ctxlab.example("harbour"), budget_tokens=HARBOUR)


def size(text: str) -> int:
    """Tokens of a prompt: one a byte, three a blank, and one at the beginning."""
    return len(text.replace(" ", "▁").encode()) + 1


def served(run: ctxlab.Trace, model: LocalModel, program: Any, **options: Any) -> ctxlab.ServedPrompt:
    found = ctxlab.rendered(run, model, server=ctxlab.local_server(program, **options)).served
    assert found is not None
    return found


def test_a_prompt_that_fits_is_the_rendered_text(run: ctxlab.Trace, model: LocalModel) -> None:
    found = ctxlab.rendered(run, model, server=ctxlab.local_server("llama.cpp", context=16_384))
    assert found.engine == "llama.cpp"
    assert found.served is not None
    assert found.served.outcome == "whole"
    assert str(found.served.text) == found.text
    assert found.served.tokens == size(found.text)
    assert not found.served.cuts
    assert not found.served.remedies


@pytest.mark.parametrize("context", [1_500, 3_000, 6_000, 7_000])
def test_ollama_leaves_out_the_oldest_and_what_is_left_is_cut(
    run: ctxlab.Trace, model: LocalModel, context: int
) -> None:
    found = served(run, model, "ollama", context=context)
    drafts = run.result.drafts
    assert found.outcome == "cut"
    kept = [draft for draft in drafts if draft.key not in found.dropped]
    gone = [draft for draft in drafts if draft.key in found.dropped]
    assert all(draft.role != "system" for draft in gone)
    assert drafts[-1].key not in found.dropped
    newest = [draft for draft in kept if draft.role != "system"]
    others = [draft for draft in drafts if draft.role != "system"]
    assert newest == others[len(others) - len(newest) :]
    assert found.tokens <= context - found.room
    # One message more would be over the context.
    if gone:
        text = ctxlab.rendered(
            with_drafts(run, sorted([*gone[-1:], *kept], key=drafts.index)), model, engine="llama.cpp"
        ).text
        assert size(text) > context
    if found.fate.outcome == "cut":
        assert found.rendered is not None
        whole, text = str(found.rendered.text), str(found.text)
        head = next(n for n in range(len(text), -1, -1) if whole.startswith(text[:n]))
        assert whole.endswith(text[head:])
        assert abs(size(text) - found.tokens) <= 6  # two cuts within a character
    assert {each.key for each in found.cuts} >= set(found.dropped)
    for each in found.cuts:
        assert 0 <= each.left < each.characters
        assert "Ollama" in each.sentence


def test_each_remedy_is_true(run: ctxlab.Trace, model: LocalModel) -> None:
    tried = 0
    for program, options in (
        ("llama.cpp", {"context": 6_000, "answer": 300}),
        ("llama.cpp", {"context": 12_000, "slots": 2}),
        ("ollama", {"context": 7_000}),
        ("koboldcpp", {"context": 7_000, "answer": 200}),
        ("vllm", {"context": 7_000, "answer": 200}),
    ):
        server = ctxlab.local_server(program, **options)
        found = ctxlab.rendered(run, model, server=server).served
        assert found is not None
        assert found.outcome != "whole"
        assert found.remedies
        for each in found.remedies:
            after = run if each.settings is None else run.rerun(each.settings)
            again = ctxlab.rendered(after, model, server=each.server or server).served
            assert again is not None
            assert again.outcome == "whole"
            tried += 1
    assert tried >= 8


def test_cut_characters_are_those_that_are_not_in_the_text(run: ctxlab.Trace, model: LocalModel) -> None:
    found = served(run, model, "koboldcpp", context=4_000, answer=500)
    assert found.outcome == "cut"
    text = str(found.text)
    cuts = {each.key: each for each in found.cuts}
    assert 0 < len(cuts) < len(run.result.drafts)
    for draft in run.result.drafts:
        words, cut = str(draft.text), cuts.get(draft.key)
        if cut is None:
            assert words.strip() in text
        elif cut.left:
            assert text.startswith(words.rstrip()[-cut.left + 2 :][:40], 0) or words.rstrip()[-40:] in text
            assert words.strip() not in text
        else:
            assert words.strip() not in text
    lost = len(str(found.rendered.text)) - len(text) if found.rendered is not None else 0
    assert 0 < sum(each.characters - each.left for each in found.cuts) < lost  # the rest is markup
    assert found.frame().left.sum() == sum(each.left for each in found.cuts)
    assert found.as_data()["outcome"] == "cut"


def test_a_model_without_a_vocabulary_is_told_of(run: ctxlab.Trace) -> None:
    found = ctxlab.rendered(run, CHATML, server=ctxlab.local_server("ollama", context=4_096))
    with pytest.raises(CtxlabError, match=r"vocabulary of .* isn't at hand"):
        _ = found.served


def test_a_template_that_refuses_what_is_left_is_told_of(run: ctxlab.Trace, model: LocalModel) -> None:
    source = "{% if messages[0].role != 'system' %}{{ raise_exception('begin with a system message') }}{% endif %}"
    strict = replace(model, templates=FrozenDict({"default": ctxlab.JinjaTemplate(source + CHATML.read_text("utf-8"))}))
    chat = [{"role": "system", "content": "Keep watch."}, {"role": "user", "content": "x" * 900}]
    found = served(ctxlab.build(chat), strict, "ollama", context=500)
    assert found.outcome == "cut"
    alternating = "{% if messages[0].role == 'assistant' %}{{ raise_exception('users first') }}{% endif %}"
    strict = replace(
        model, templates=FrozenDict({"default": ctxlab.JinjaTemplate(alternating + CHATML.read_text("utf-8"))})
    )
    turns = [("user", "a" * 400), ("assistant", "b" * 400), ("user", "c" * 50)]
    found = served(ctxlab.build([{"role": r, "content": c} for r, c in turns]), strict, "ollama", context=600)
    assert found.outcome == "refused"
    assert "users first" in found.sentence
    assert str(found.text) == ""


@pytest.mark.slow
@needs_server
def test_a_real_server_refuses_and_counts_as_predicted(models: dict[str, Path], model: LocalModel) -> None:
    server = ctxlab.local_server("llama.cpp", context=700)  # padded to 768
    chats = [
        [{"role": "system", "content": "Keep watch."}, {"role": "user", "content": "灯塔 " * many}]
        for many in (10, 90, 94, 95, 96, 97, 98, 120)
    ]
    bodies = [{"messages": chat} for chat in chats]
    settings = {"n_ctx": 700, "chat_template": CHATML.read_text("utf-8")}
    told = answers(models["plain"], settings, bodies)
    outcomes = set()
    for chat, answer in zip(chats, told, strict=True):
        found = ctxlab.rendered(ctxlab.build(chat), model, server=server).served
        assert found is not None
        outcomes.add(found.outcome)
        if found.outcome == "refused":
            assert answer["error"].startswith(f"request ({found.sent_tokens} tokens) exceeds")
            assert f"({found.window} tokens)" in answer["error"]
        else:
            assert answer["tokens"] == found.tokens
    assert outcomes == {"whole", "refused"}
