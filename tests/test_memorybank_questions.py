"""The questions over MemoryBank's Chinese conversations name messages that are there and hold the answers."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ctxlab

ROOT = Path(__file__).parents[1]
FILE = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared")) / "data" / "memorybank" / "memory_bank_cn.json"
KINDS = {"single fact", "several messages", "time", "preference"}
real = pytest.mark.skipif(not FILE.exists(), reason="MemoryBank's conversations are not on this machine")


@cache
def questions() -> list[dict[str, Any]]:
    return json.loads((ROOT / "datasets" / "memorybank_cn_questions.json").read_text(encoding="utf-8"))


@cache
def conversations() -> dict[str, dict[str, str]]:
    return {s.id: {id: node.content for id, node in s.nodes.items()} for s in ctxlab.read(FILE).sessions}


def test_each_question_has_an_answer_evidence_and_a_kind() -> None:
    for each in questions():
        assert set(each) == {"person", "question", "answer", "evidence", "kind"}
        assert each["question"].endswith("？")
        assert each["answer"]
        assert len(set(each["evidence"])) == len(each["evidence"]) > 0
        assert each["kind"] in KINDS
        assert each["kind"] != "several messages" or len(each["evidence"]) > 1
    assert len(questions()) == len({(each["person"], each["question"]) for each in questions()}) >= 160
    assert min(Counter(each["person"] for each in questions()).values()) >= 10


def test_the_counts_of_the_readme_are_those_of_the_file() -> None:
    readme = (ROOT / "datasets" / "README.md").read_text(encoding="utf-8")

    assert f"holds {len(questions())} questions" in readme
    for kind, count in Counter(each["kind"] for each in questions()).items():
        assert f"`{kind}` {count}" in readme


@real
def test_every_evidence_is_a_message_of_the_person() -> None:
    assert {each["person"] for each in questions()} == conversations().keys()
    for each in questions():
        assert conversations()[each["person"]].keys() >= set(each["evidence"])


@real
def test_the_words_of_an_answer_stand_in_its_evidence() -> None:
    for each in questions():
        if each["kind"] in ("single fact", "preference"):
            words = " ".join(conversations()[each["person"]][id] for id in each["evidence"])
            assert [part for part in re.split("、", each["answer"]) if part not in words] == []


@real
def test_no_question_and_answer_copies_a_sentence() -> None:
    """Names and short facts are shared; eighteen characters in a row would be a copy."""
    for each in questions():
        whole = "\n".join(conversations()[each["person"]].values())
        for text in (each["question"], each["answer"]):
            runs = [text[i : i + 18] for i in range(len(text) - 17)]
            assert not any(run in whole for run in runs if run.isascii() is False), text
