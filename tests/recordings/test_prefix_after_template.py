"""Builds in a row as an open model reads them: a template's own breaks, and the tokens that a server reads again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import TemplateRefused, WrongArgument
from ctxlab.local_models import LocalModel
from tests.engines.chat_templates.real_llama_cpp import write_model
from tests.rendering.server.test_read_again import answers, models, needs_server
from tests.rendering.server.tiny_models import CONTEXT, WINDOW

__all__ = ["models"]
CHATML = Path("datasets/chatml.jinja").read_text("utf-8")
TWO_MARKS = (
    "{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant<|message|>{% endif %}"
)
MARK_AROUND = (
    "{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
NO_ROLE = (
    "{% for m in messages %}{% if m.role == 'assistant' %}{{ m.content }}</s>"
    "{% else %}[INST] {{ m.content }} [/INST]{% endif %}{% endfor %}"
)
TURNS = [
    ("system", "Keep the tower."),
    ("user", "灯亮着吗？"),
    ("assistant", "It is."),
    ("user", "And now?"),
    ("assistant", "It is too."),
    ("user", "Thanks."),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    pytest.importorskip("gguf")
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_model(path)
    return replace(ctxlab.local_model(path), context_length=None)


def with_template(model: LocalModel, source: str) -> LocalModel:
    return replace(model, templates=FrozenDict({"default": ctxlab.JinjaTemplate(source, "mine")}))


def builds(*, days: bool = False) -> list[ctxlab.Trace]:
    """The builds of three turns; with `days` each on a day of its own."""
    return [
        ctxlab.build(
            [{"role": role, "content": content} for role, content in TURNS[:number]],
            timestamp=f"2026-11-{number if days else 1:02d}T10:00:00+00:00",
        )
        for number in (2, 4, 6)
    ]


def test_a_template_that_leaves_old_turns_alone_breaks_nothing(tiny: LocalModel) -> None:
    found = ctxlab.prefix(builds(), model=with_template(tiny, CHATML), tokens_per_second=10.0)
    assert [each.state for each in found] == ["first", "whole", "whole"]
    texts = [ctxlab.rendered(run, with_template(tiny, CHATML)).text for run in builds()]
    assert all(texts[n + 1].startswith(texts[n]) for n in (0, 1))
    assert [each.total_tokens for each in found] == [tiny.vocabulary.count(text) for text in texts]  # type: ignore[union-attr]
    # The reply is the server's own: only what stands behind it is read.
    behind = [text.partition(reply)[2] for text, reply in zip(texts[1:], ("It is.", "It is too."), strict=True)]
    again = [each.read_again_tokens for each in found]
    assert again == [found.turns[0].total_tokens, *(tiny.vocabulary.count(text) for text in behind)]  # type: ignore[union-attr]
    assert [each.seconds for each in found] == [(tokens or 0) / 10 for tokens in again]
    assert found.read_again_tokens == sum(each or 0 for each in again)


@pytest.mark.parametrize(
    ("source", "said", "line"),
    [
        (
            "{{ '<|now|>' ~ strftime_now('%Y-%m-%d') }}\n" + CHATML,
            "writes the time of the build: “>2026-11-04<|im_start|>",
            None,
        ),
        (
            CHATML.rstrip() + "\n{%- if add_generation_prompt %}<think>{% endif %}",
            "begins a reply otherwise than it writes one that is there",
            None,
        ),
        (
            "{% for m in messages %}\n{% if m.role != 'assistant' or loop.index > messages | length - 3 %}"
            "<{{ m.role }}>{{ m.content }}{% endif %}\n{% endfor %}",
            "no longer writes the words of message 3",
            None,
        ),
        (
            "{{ messages | length }} messages\n{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}",
            "though all messages up to there are as they were",
            None,
        ),
        (
            "{% if messages | length > 4 %}A long talk.{% else %}A short talk.{% endif %}\n" + CHATML,
            "though all messages up to there are as they were: “A short talk",
            1,
        ),
    ],
)
def test_what_a_template_breaks_by_itself_is_its_own_cause_with_its_line(
    tiny: LocalModel, source: str, said: str, line: int | None
) -> None:
    found = ctxlab.prefix(builds(days=True), model=with_template(tiny, source))
    cause = found.breaks[-1].cause
    assert cause is not None
    assert cause.kind == "template"
    assert said in cause.sentence
    assert "Template 'mine'" in cause.sentence
    assert line is None or f"line {line}," in cause.sentence
    assert found.breaks[-1].lost_tokens > 0
    assert found.by_step().cause.tolist() == ["template"]


def test_a_message_that_the_pipeline_changed_is_the_pipelines(tiny: LocalModel) -> None:
    runs = builds()
    edited = [{"role": role, "content": content.replace("灯", "旗")} for role, content in TURNS[:4]]
    found = ctxlab.prefix([runs[0], ctxlab.build(edited)], model=with_template(tiny, CHATML))
    assert found.breaks[0].cause is not None
    assert found.breaks[0].cause.kind == "edited"
    texts = [ctxlab.rendered(each.trace, with_template(tiny, CHATML)).text for each in found]
    shared = texts[0].partition("灯")[0]
    assert found.turns[1].common_tokens >= tiny.vocabulary.count(shared)  # type: ignore[union-attr]


def test_a_cut_of_the_server_is_a_cause_and_a_refused_prompt_has_no_figure(tiny: LocalModel) -> None:
    model = with_template(tiny, CHATML)
    long = ctxlab.build([{"role": "user", "content": "x" * 900}])
    server = ctxlab.local_server("ollama", context=600)
    found = ctxlab.prefix([builds()[0], long], model=model, server=server)
    assert found.breaks[0].cause is not None
    assert found.breaks[0].cause.kind == "server"
    assert "Ollama reads" in found.breaks[0].cause.sentence
    refusing = ctxlab.local_server("llama.cpp", context=512)
    found = ctxlab.prefix([builds()[0], long], model=model, server=refusing)
    assert found.turns[1].state == "unknown"
    assert found.turns[1].read_again_tokens is None
    assert found.read_again_tokens is None


def test_a_server_without_a_model_and_a_template_that_refuses_are_errors(tiny: LocalModel) -> None:
    with pytest.raises(WrongArgument, match="server needs model="):
        ctxlab.prefix(builds(), server=ctxlab.local_server("llama.cpp"))
    with pytest.raises(WrongArgument, match="tokens_per_second needs model="):
        ctxlab.prefix(builds(), tokens_per_second=10.0)
    refusing = with_template(tiny, "{{ raise_exception('not today') }}")
    with pytest.raises(TemplateRefused, match="not today"):
        ctxlab.prefix(builds(), model=refusing)


@pytest.mark.slow
@needs_server
@pytest.mark.parametrize(
    ("name", "template"),
    [
        ("plain", CHATML),
        ("windowed", CHATML),
        ("windowed", TWO_MARKS),
        ("windowed", MARK_AROUND),
        ("windowed", NO_ROLE),
    ],
)
def test_a_real_server_reads_as_many_tokens_of_chats_again(models: dict[str, Path], name: str, template: str) -> None:
    model = with_template(ctxlab.local_model(models[name]), template)
    turns = [("system", "Keep the tower. " + "Say little. " * 20)]
    for number in range(5):
        turns += [("user", f"{number}: 灯亮着吗？ " * 6), ("assistant", f"{number}: it is. " * 6)]
    turns += [("user", "Thanks.")]
    edits: list[tuple[str, Any]] = [
        ("as it is", lambda old: old),
        ("a note at the end", lambda old: [*old, ("system", "Be brief.")]),
        ("the middle edited", lambda old: [*old[:5], (old[5][0], "no"), *old[6:]]),
        ("the last edited", lambda old: [*old[:-1], (old[-1][0], "And then?")]),
        ("lore at depth 3", lambda old: [*old[:-3], ("system", "The fog comes."), *old[-3:]]),
        ("the first edited", lambda old: [("system", "Sleep."), *old[1:]]),
    ]
    chats = [turns]
    for _, edit in edits:
        chats.append(edit(chats[-1]))
    bodies = [{"messages": [{"role": r, "content": c} for r, c in chat]} for chat in chats]
    options = {"sliding_window": WINDOW} if name == "windowed" else {}
    server = ctxlab.local_server("llama.cpp", context=CONTEXT, **options)
    found = ctxlab.prefix([ctxlab.build(body["messages"]) for body in bodies], model=model, server=server)
    told = answers(models[name], {"chat_template": template}, bodies)
    assert [each.total_tokens for each in found] == [each["tokens"] for each in told]
    assert [each.read_again_tokens for each in found] == [each["tokens"] - each["cached"] for each in told]
