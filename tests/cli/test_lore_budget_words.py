"""The budget of lore, its tokenizer and what it leaves out: `ctxlab lore`, `explain` and `request` say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ctxlab
from ctxlab import LoreEntry, Session, Worldbook

Given = tuple[Path | str, ...]


@pytest.fixture
def given(tmp_path: Path) -> Given:
    """A chat whose newest message calls up two entries, of which the budget lets one in."""
    preset = {
        "openai_model": "gpt-4-turbo",
        "openai_max_context": 80,
        "openai_max_tokens": 0,
        "prompts": [{"identifier": "main", "name": "Main", "content": "Go."}],
        "prompt_order": [{"character_id": 100001, "order": [{"identifier": "main", "enabled": True}]}],
    }
    (tmp_path / "preset.json").write_text(json.dumps(preset))
    rows = {
        str(n): LoreEntry(uid=n, comment=key, key=(key,), content="{{char}} built it of stone, of iron and of salt.")
        for n, key in enumerate(("tower", "wolf"))
    }
    ctxlab.write(Worldbook(id="b", name="Forest", entries=rows), tmp_path / "lore.worldbook.json")
    ctxlab.write(Session(id="s").append("", role="system").append("A tower, a wolf."), tmp_path / "chat.session.json")
    return (
        tmp_path / "chat.session.json",
        "--agent",
        tmp_path / "preset.json",
        "--book",
        tmp_path / "lore.worldbook.json",
    )


def test_lore_says_what_its_budget_is_a_share_of_and_with_what_it_was_counted(run, given: Given) -> None:
    out = run("lore", *given).out

    assert "its budget is 20, 25 % of 80; all entries would take" in " ".join(out.split())
    assert "counted with cl100k_base [exact for gpt-4-turbo, which the preset names]" in out
    assert "tokenizer cl100k_base [exact for gpt-4-turbo, which the preset names]" in run("build", *given).out


def test_the_least_share_is_offered_and_makes_it_fire(run, given: Given) -> None:
    out = " ".join(run("explain", *given, "--entry", "wolf").out.split())

    setting = out.partition("it fires with --set ")[2].partition(",")[0]
    assert setting.startswith("worldbook-processor.budget_percent=")
    assert "of 80, in place of 20" in out
    assert "✓ wolf" in run("explain", *given, "--entry", "wolf", "--set", setting).out
    (row,) = json.loads(run("explain", *given, "--entry", "wolf", "--format", "json").out)
    name, _, value = setting.partition("=")
    assert [each["settings"] for each in row["settings"]] == [{name: int(value)}]


def test_a_request_says_which_lore_the_budget_left_out_and_which_model_is_asked(run, given: Given) -> None:
    out = " ".join(run("request", *given, "--provider", "anthropic").out.split())

    assert "! lore tower left out by the budget of lore: with it lore has" in out
    assert "! lore wolf left out by the budget of lore: an entry before it didn't fit" in out
    assert "the preset is for 'gpt-4-turbo' and names none of Anthropic's" in out
    assert "counted with by-kind-safe [estimated for claude-sonnet-4-5]" in out


def test_words_alone_are_counted_for_the_model_that_is_named(run, given: Given) -> None:
    alone = ("lore", "--text", "A wolf.", *given[3:])

    assert "counted with o200k_base [exact for this encoding; no model is named]" in run(*alone).out
    assert "counted with by-kind-safe [estimated for claude-opus-4-6]" in run(*alone, "--model", "claude-opus-4-6").out
