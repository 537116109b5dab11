"""Tokens that llama.cpp's server reads again, beside a real server that gets prompts one after another."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.rendering.server.llama_cpp_cache import LlamaCppCache
from ctxlab.rendering.server.read_again import Prompt, read_again
from tests.engines.chat_templates.real_llama_cpp import write_model
from tests.rendering.server.tiny_models import CONTEXT, WINDOW, write_windowed_model

SERVER = Path(__file__).parent / "real_server.py"
BEGIN = 1
KINDS = ("append", "edit", "insert", "cut", "swap", "same", "new")
needs_server = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("gguf") is None, reason="xllamacpp and gguf are not installed"
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    found = {"plain": folder / "plain.gguf", "windowed": folder / "windowed.gguf"}
    write_model(found["plain"])
    write_windowed_model(found["windowed"])
    return found


def answers(model: Path, settings: dict[str, Any], prompts: list[Any]) -> list[dict[str, Any]]:
    file = model.parent / "prompts.json"
    file.write_text(json.dumps(prompts), "utf-8")
    command = [sys.executable, str(SERVER), str(model), json.dumps(settings), str(file)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(found.stdout)  # type: ignore[no-any-return]


def edited(dice: random.Random, number: int, size: int, most: int) -> Iterator[list[int]]:
    """Prompts of which each is made of one of the last three: at the front, in the middle, at the end."""

    def words(many: int) -> list[int]:
        return [dice.randrange(100) + 3 for _ in range(many)]

    last = [[BEGIN, *words(size)]]
    yield last[0]
    for _ in range(number):
        old = list(dice.choice(last[-3:]))
        at = 1 + int(dice.choice([0.02, 0.5, 0.97, dice.random()]) * (len(old) - 1))
        many = dice.choice([1, 5, 40, 200])
        kind = dice.choice(KINDS)
        new = {
            "append": lambda old=old, many=many: old + words(many),
            "edit": lambda old=old, at=at, many=many: old[:at] + words(many) + old[at + many :],
            "insert": lambda old=old, at=at, many=many: old[:at] + words(many) + old[at:],
            "cut": lambda old=old, at=at, many=many: old[:at] + old[at + many :],
            "swap": lambda old=old, at=at, many=many: (
                old[:at] + old[at + many : at + 2 * many] + old[at : at + many] + old[at + 2 * many :]
            ),
            "same": lambda old=old: old,
            "new": lambda: [BEGIN, *words(dice.randrange(50, most))],
        }[kind]()[:most]
        last.append(new if len(new) > 4 else [BEGIN, *words(size)])
        yield last[-1]


@pytest.mark.slow
@needs_server
@pytest.mark.parametrize(
    ("model", "settings", "options", "seed"),
    [
        ("plain", {"cache_ram_mib": 0}, {"memory_cache": False}, 1),
        ("plain", {}, {}, 2),
        ("plain", {"n_cache_reuse": 32}, {"cache_reuse": 32}, 3),
        ("windowed", {"cache_ram_mib": 0}, {"sliding_window": WINDOW, "memory_cache": False}, 5),
        ("windowed", {}, {"sliding_window": WINDOW}, 22),
        ("windowed", {"swa_full": True}, {"sliding_window": WINDOW, "whole_window": True}, 8),
        (
            "windowed",
            {"swa_full": True, "n_cache_reuse": 32},
            {"sliding_window": WINDOW, "whole_window": True, "cache_reuse": 32},
            9,
        ),
    ],
)
def test_the_tokens_that_are_read_again_are_those_of_a_real_server(
    models: dict[str, Path], model: str, settings: dict[str, Any], options: dict[str, Any], seed: int
) -> None:
    prompts = list(edited(random.Random(seed), 34, 600, 1_500))
    server = ctxlab.local_server("llama.cpp", context=CONTEXT, **options)
    predicted = read_again(server, [Prompt(tuple(each)) for each in prompts], context=CONTEXT)
    told = answers(models[model], settings, prompts)
    assert [each["tokens"] for each in told] == [len(each) for each in prompts]
    assert [each["tokens"] - each["cached"] for each in told] == predicted


@pytest.mark.slow
@needs_server
def test_a_long_prompt_has_checkpoints_that_an_edit_goes_back_to(models: dict[str, Path]) -> None:
    dice = random.Random(4)
    long = [BEGIN, *(dice.randrange(100) + 3 for _ in range(3_000))]
    prompts = [long, [*long[:1_500], 7, *long[1_500:]], [*long[:-2], 9, 9], [*long, 5, 5]]
    server = ctxlab.local_server("llama.cpp", context=CONTEXT, sliding_window=WINDOW, memory_cache=False)
    predicted = read_again(server, [Prompt(tuple(each)) for each in prompts], context=CONTEXT)
    assert predicted[1] > 3_000 - 1_500
    told = answers(models["windowed"], {"cache_ram_mib": 0}, prompts)
    assert [each["tokens"] - each["cached"] for each in told] == predicted


def test_a_reply_that_the_server_wrote_is_not_read_again() -> None:
    first, second = (1, 5, 6, 7), (1, 5, 6, 7, 20, 21, 22, 9, 9)
    for program in ("llama.cpp", "koboldcpp"):
        server = ctxlab.local_server(program, context=CONTEXT)
        prompts = [Prompt(first, reply=(20, 21, 22)), Prompt(second)]
        assert read_again(server, prompts, context=CONTEXT) == [4, 2]
    assert read_again(None, [Prompt(first), Prompt(second)], context=None) == [4, 5]


def test_vllm_keeps_whole_blocks_and_reads_the_last_token() -> None:
    first = tuple(range(40))
    server = ctxlab.local_server("vllm", context=CONTEXT)
    prompts = [Prompt(first), Prompt(first), Prompt((*first[:20], 99)), Prompt(first[:32])]
    assert read_again(server, prompts, context=CONTEXT) == [40, 8, 5, 16]


def test_a_slot_that_loses_more_than_half_is_remembered() -> None:
    one, other = tuple(range(3, 200)), tuple(range(300, 500))
    cache = LlamaCppCache.empty(ctxlab.local_server("llama.cpp", context=CONTEXT), CONTEXT)
    _, cache = cache.read(one)
    has, cache = cache.read(other)
    assert has == 0
    assert cache.read(one)[0] == len(one) - 1
    forgetful = LlamaCppCache.empty(ctxlab.local_server("llama.cpp", context=CONTEXT, memory_cache=False), CONTEXT)
    for prompt in (one, other):
        _, forgetful = forgetful.read(prompt)
    assert forgetful.read(one)[0] == 0
