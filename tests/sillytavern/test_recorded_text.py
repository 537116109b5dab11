"""Whole prompts of SillyTavern's text completion: built from its data folder and written by an instruct preset."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.engines.chat_templates.instruct import instruct_text, read_instruct_preset, stop_strings
from ctxlab.pipeline import Trace
from tests.sillytavern.case_folder import Case, WrittenFolder

SHARED = Path(__file__).parents[3] / "shared" / "sillytavern"
PROMPTS = SHARED / "text" / "prompts.json"
LABELS = {"personality": "{{char}}'s personality: ", "scenario": "Scenario: "}


def _marks(of: Callable[[str], str], end: str, model: str = "assistant", **more: Any) -> dict[str, Any]:
    """Sequences of a model whose marks are these: the story is a system message, unless `more` says otherwise."""
    user, assistant, system = of("user"), of(model), of("system")
    sequences: dict[str, Any] = {"input_sequence": user, "output_sequence": assistant, "system_sequence": system}
    suffixes = {f"{who}_suffix": end for who in ("input", "output", "system")}
    story = {"story_string_prefix": system, "story_string_suffix": end}
    return {**sequences, **suffixes, **story, "stop_sequence": end.strip(), "wrap": True, **more}


MARKS: Mapping[str, dict[str, Any]] = {
    "ChatML": _marks("<|im_start|>{}".format, "<|im_end|>\n"),
    "Llama 3 Instruct": _marks("<|start_header_id|>{}<|end_header_id|>\n\n".format, "<|eot_id|>", wrap=False),
    "Gemma 2": _marks(
        "<start_of_turn>{}".format,
        "<end_of_turn>\n",
        "model",
        story_string_prefix="<start_of_turn>user",
        system_same_as_user=True,
    ),
    "Mistral V7": _marks(
        {"user": "[INST] ", "assistant": " ", "system": "[SYSTEM_PROMPT] "}.__getitem__,
        "</s>",
        input_suffix="[/INST]",
        system_suffix="[/SYSTEM_PROMPT]",
        story_string_suffix="[/SYSTEM_PROMPT]",
        wrap=False,
    ),
    "Vicuna 1.1": _marks(
        {"user": "\nUSER: ", "assistant": "\nASSISTANT: ", "system": ""}.__getitem__,
        "",
        output_suffix="</s>",
        system_same_as_user=True,
        story_string_prefix="BEGINNING OF CONVERSATION: ",
        wrap=False,
    ),
    # The program had not chosen Alpaca's preset but the one of its settings, which has nothing around the story.
    "Alpaca": _marks(
        {"user": "### Instruction:", "assistant": "### Response:", "system": "### Input:"}.__getitem__,
        "\n\n",
        story_string_prefix="",
        story_string_suffix="",
    ),
}
"""The marks of the models that were recorded, by the preset's name."""


def _context(name: str) -> dict[str, Any]:
    if name != "Default":
        return {}
    # What the settings have under this name: no trim at the end, two labels, headings that end an answer.
    slots = ("system", "wiBefore", "description", "personality", "scenario", "wiAfter", "persona")
    story = "".join([f"{{{{#if {slot}}}}}{LABELS.get(slot, '')}{{{{{slot}}}}}\n{{{{/if}}}}" for slot in slots])
    return {"story_string": story, "example_separator": "***", "chat_start": "***", "use_stop_strings": True}


def _recorded() -> list[dict[str, Any]]:
    return json.loads(PROMPTS.read_text("utf-8")) if PROMPTS.is_file() else []


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trace]:
    found: dict[str, Trace] = {}
    for name in {each["case"] for each in _recorded()}:
        case = Case.at(SHARED / "cases" / name)
        folder = WrittenFolder.of(case, tmp_path_factory.mktemp("data"))
        folder.save()
        found[name] = ctxlab.sillytavern(
            folder.path, chat=folder.chat, kind="normal", timestamp=case.clock, zone="UTC"
        ).build()
    return found


@pytest.mark.skipif(not _recorded(), reason="the recorded prompts are no part of the repository")
@pytest.mark.parametrize("row", _recorded(), ids=lambda row: f"{row['instruct']} {row['case']}")
def test_a_build_written_by_a_preset_is_the_prompt_that_was_sent(row: Mapping[str, Any], traces: Any) -> None:
    system = next(line for line in row["prompt"].splitlines() if "next reply" in line)
    marks = MARKS[row["instruct"]]
    preset = read_instruct_preset(
        {
            "instruct": marks,
            "context": _context(row["context"]),
            "sysprompt": {"content": system.removeprefix(marks["story_string_prefix"])},
        }
    )
    drafts = traces[row["case"]].result.drafts
    found = instruct_text(drafts, preset, user="Ilse", char="Maren")
    assert str(found.text) == row["prompt"]
    assert [*stop_strings(preset, user="Ilse", char="Maren")] == row["stop"]
    for draft in drafts:
        if draft.origin.kind == "node":
            assert str(draft.text) in str(found.text)


@pytest.mark.skipif(not _recorded(), reason="the recorded prompts are no part of the repository")
def test_every_recorded_prompt_is_tried() -> None:
    assert len(_recorded()) == 30
    assert {row["instruct"] for row in _recorded()} == MARKS.keys()
