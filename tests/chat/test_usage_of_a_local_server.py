"""A chat with a real llama.cpp server: it answers as any compatible one, and its counts are held against ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.api.expected_tokens import usage_notes
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.local_models import LocalModel
from tests.engines.chat_templates.real_llama_cpp import write_model
from tests.rendering.server.test_read_again import SERVER, needs_server

CHATML = Path("datasets/chatml.jinja").read_text("utf-8")
CHAT = [
    {"role": "system", "content": "Keep the tower."},
    {"role": "user", "content": "灯亮着吗？"},
    {"role": "assistant", "content": "It is."},
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gguf")
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_model(path)
    return path


@pytest.fixture(scope="module")
def address(file: Path) -> Iterator[str]:
    command = [sys.executable, str(SERVER), str(file), json.dumps({"chat_template": CHATML})]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield server.stdout.readline().strip()
        server.stdin.close()
        server.wait(timeout=60)


def model_of(file: Path, template: str = CHATML) -> LocalModel:
    return replace(ctxlab.local_model(file), templates=FrozenDict({"default": ctxlab.JinjaTemplate(template, "mine")}))


def sent(model: LocalModel, address: str, text: str = "And now?") -> ctxlab.Turn:
    return ctxlab.send(
        CHAT,
        text,
        model="tiny",
        tokenizer=model,
        provider="llama.cpp",
        base_url=f"{address}/v1",
        key="none",
        parameters={"max_tokens": 8},
    )


@pytest.mark.slow
@needs_server
def test_a_real_server_answers_and_counts_as_expected(file: Path, address: str) -> None:
    turn = sent(model_of(file), address)
    assert turn.error is None
    assert turn.usage["promptTokens"] == expected(turn.requests[0].trace)
    assert not [note for note in turn.notes if "counted" in note.text]


@pytest.mark.slow
@needs_server
def test_another_template_than_the_servers_is_noticed_by_its_count(file: Path, address: str) -> None:
    turn = sent(model_of(file, CHATML + "Mind the gap."), address)
    told = turn.usage["promptTokens"]
    note = next(note for note in turn.notes if "counted" in note.text)
    assert note.level == "warning"
    assert f"the server counted {told} tokens of the prompt" in note.text
    assert f"makes {expected(turn.requests[0].trace)} of it" not in note.text
    assert f"{expected(turn.requests[0].trace)} as llama.cpp renders it" in note.text


def expected(run: ctxlab.Trace) -> int:
    """Tokens of the text, and the one at the beginning."""
    model = run.services.tokenizer.model  # type: ignore[attr-defined]
    return model.vocabulary.count(ctxlab.rendered(run, model, engine="llama.cpp").text) + 1  # type: ignore[no-any-return]


def built(file: Path, chat: list[dict[str, str]]) -> ctxlab.Trace:
    return ctxlab.build(chat, model=model_of(file))


def test_a_later_prompt_of_a_turn_is_held_against_the_cache(file: Path) -> None:
    one, two = built(file, CHAT[:2]), built(file, [*CHAT, {"role": "user", "content": "And now?"}])
    usage: dict[str, Any] = {"promptTokens": expected(two)}
    [note] = usage_notes([one, two], usage)
    assert note.level == "info"
    assert f"the server read {expected(two)} tokens of the prompt again" in note.text
    assert not usage_notes([one, two], {**usage, "promptTokensDetails": {"cachedTokens": expected(one)}})
    assert not usage_notes([two], usage)


def test_nothing_is_expected_of_estimates_and_of_replies_without_counts(file: Path) -> None:
    run = built(file, CHAT[:2])
    assert not usage_notes([run], {})
    assert not usage_notes([run], {"promptTokens": 0})
    assert not usage_notes([ctxlab.build(CHAT[:2], model="gpt-4o")], {"promptTokens": 3})
    assert not usage_notes([ctxlab.build(CHAT[:2], model="qwen3-32b")], {"promptTokens": 3})
