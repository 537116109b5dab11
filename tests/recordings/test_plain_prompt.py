"""A prompt that is one text is one request, whose messages are told by a template's marks or by labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.errors import BrokenFile
from ctxlab.recordings.readers.plain_prompt import split_prompt

ROLES = [("system", "Be brief."), ("user", "灯塔在哪里？"), ("assistant", "East."), ("user", "Why?")]
PROMPTS = {
    "ChatML": "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n灯塔在哪里？<|im_end|>\n"
    "<|im_start|>assistant\nEast.<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n",
    "Llama 3": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\n灯塔在哪里？<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    "East.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "Llama 4": "<|begin_of_text|><|header_start|>system<|header_end|>\n\nBe brief.<|eot|><|header_start|>user"
    "<|header_end|>\n\n灯塔在哪里？<|eot|><|header_start|>assistant<|header_end|>\n\nEast.<|eot|><|header_start|>user"
    "<|header_end|>\n\nWhy?<|eot|>",
    "[INST]": "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\n灯塔在哪里？ [/INST] East. </s><s>[INST] Why? [/INST]",
    "Anthropic's Human and Assistant": "Be brief.\n\nHuman: 灯塔在哪里？\n\nAssistant: East.\n\n"
    "Human: Why?\n\nAssistant:",
    "labels at the beginnings of lines": "System: Be brief.\nUser: 灯塔在哪里？\nAssistant: East.\n"
    "User: Why?\nAssistant:",
    "marks of roles as Phi, GLM and Metharme have them": "<|system|>\nBe brief.<|end|>\n<|user|>\n灯塔在哪里？<|end|>\n"
    "<|assistant|>\nEast.<|end|>\n<|user|>\n"
    "Why?<|end|>\n<|assistant|>\n",
}


@pytest.mark.parametrize("template", PROMPTS)
def test_the_messages_of_a_template_are_told_and_its_marks_left_out(template: str) -> None:
    found = split_prompt(PROMPTS[template])
    assert (found.template, list(found.messages)) == (template, ROLES)


def test_labels_may_be_chinese_and_a_message_has_several_lines() -> None:
    found = split_prompt("系统：简短。\n用户：灯塔\n在哪里？\n助手：东边。\n用户：为什么？\n助手：")
    assert [role for role, _ in found.messages] == ["system", "user", "assistant", "user"]
    assert found.messages[1] == ("user", "灯塔\n在哪里？")


def test_a_prompt_is_one_request_whose_system_texts_are_its_head(tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text(PROMPTS["ChatML"], "utf-8")
    recording = ctxlab.read_recording(path)
    (request,) = recording.requests
    assert [(message["role"], message["content"]) for message in request.messages] == ROLES
    assert (request.head.system, request.payload, request.usage.input) == (("Be brief.",), None, None)
    assert [(message["role"], message["content"]) for message in request.trace.messages] == ROLES
    assert [str(loss) for loss in recording.losses] == [
        "the prompt is one text, its 4 messages told by ChatML, whose marks are left out"
    ]


@pytest.mark.parametrize("text", ["Where is the lighthouse?", "Note: bring oil.\nEnd.", "The assistant: a lamp."])
def test_what_nothing_tells_apart_is_one_message_of_the_user(text: str, tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text(text, "utf-8")
    recording = ctxlab.read_recording(path)
    assert recording.requests[0].messages == [{"role": "user", "content": text}]
    assert "nothing tells" in str(recording.losses[0])


def test_what_stands_before_between_and_in_unknown_roles_is_kept_with_a_note() -> None:
    text = "Once.\n<|im_start|>narrator\nFog.<|im_end|>\nloose\n<|im_start|>assistant\nI see"
    found = split_prompt(text)
    assert list(found.messages) == [("system", "Once."), ("user", "Fog."), ("user", "loose"), ("assistant", "I see")]
    assert len(found.notes) == 3


def test_an_empty_file_and_one_in_another_encoding_are_refused_by_name(tmp_path: Path) -> None:
    for content in (b" \n", "灯塔".encode("gb18030") + b"\xff"):
        path = tmp_path / "prompt.txt"
        path.write_bytes(content)
        with pytest.raises(BrokenFile, match=r"prompt[.]txt"):
            ctxlab.read_recording(path)
    (tmp_path / "log.jsonl").write_text("User: Hi")
    with pytest.raises(BrokenFile, match=r"log[.]jsonl"):
        ctxlab.read_recording(tmp_path / "log.jsonl")


PIECES = st.sampled_from(
    ["<|im_start|>user\n", "<|im_end|>", "\n\nHuman: ", "\n\nAssistant:", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>",
     "User: ", "\nSystem: ", "<|eot_id|>", "<|start_header_id|>tool<|end_header_id|>",
     "灯塔", "a", " ", "\n", "<s>", "</s>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_words_are_lost_or_made_up(text: str) -> None:
    messages = split_prompt(text).messages
    at = 0
    for _, words in messages:
        at = text.find(words, at)
        assert at >= 0
        at += len(words)
    assert sum(words.count("灯塔") for _, words in messages) == text.count("灯塔")
