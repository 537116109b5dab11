"""`--knowledge` of the commands that build, and the pieces that `explain --piece` tells of."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

import ctxlab
from tests.cli.conftest import Run, Written

ENTRIES = {"灯塔": "港口的灯塔建于1890年。", "Rope": "A rope of hemp holds the boat at the lighthouse."}
ASKED = "When was the lighthouse 灯塔 built? 【kb::harbour::1】"
BY_WORDS = ("--set", "knowledge-processor.engine=keyword", "--set", "knowledge-processor.min_score=0")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.knowledge.json"
    ctxlab.write(ctxlab.knowledge_base("harbour", entries=ENTRIES), path)
    return path


@pytest.fixture
def chat(written: Written) -> Path:
    return written(("user", ASKED))


def test_a_base_is_searched_and_sent(run: Run, chat: Path, base: Path) -> None:
    result = run("build", chat, "--knowledge", base, *BY_WORDS, "--format", "json")

    (message,) = json.loads(result.out)
    assert ("1890" in message["content"], "【kb" in message["content"]) == (True, False)
    assert "1 of 2 pieces of knowledge sent" in run("build", chat, "--knowledge", base, *BY_WORDS).out


def test_a_folder_is_a_base_of_its_files_under_its_name(run: Run, chat: Path, tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "塔.md").write_text("# 灯塔\n\n港口的灯塔建于1890年。\n", "utf-8")
    (folder / "map.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\x00" * 40)

    out = run("build", chat, "--knowledge", folder, *BY_WORDS).out

    assert "1 of 1 piece of knowledge sent" in out
    assert "lost in reading: map.png: left out" in out


def test_without_a_base_a_note_says_what_to_give(run: Run, chat: Path) -> None:
    assert "no knowledge base is given" in run("build", chat).out


def test_a_piece_tells_its_scores_and_the_change_that_brings_it_in(run: Run, chat: Path, base: Path) -> None:
    given = (chat, "--knowledge", base, *BY_WORDS)
    rows = json.loads(run("explain", *given, "--piece", "harbour", "--format", "json").out)
    (cut,) = [row for row in rows if not row["sent"]]

    out = run("explain", *given, "--piece", cut["title"]).out

    change = re.search(r"\((--set .*)\)$", out, re.MULTILINE)
    assert change is not None, out
    (again,) = json.loads(
        run("explain", *given, *shlex.split(change[1]), "--piece", cut["title"], "--format", "json").out
    )
    assert again["sent"]
    assert (out.startswith("【kb::harbour::1】  in m0, asked by keyword"), "⊘ " in out) == (True, True)


def test_a_piece_that_nobody_asked_for_is_one_line(run: Run, written: Written) -> None:
    result = run("explain", written(("user", "Hi")), "--piece", "harbour")

    assert (result.code, result.out) == (2, "")
    assert "no knowledge was asked for" in result.err
