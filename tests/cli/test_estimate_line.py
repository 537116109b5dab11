"""`build` and `explain` say how far off an estimated count may be, and when a budget may be broken."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROW = "2026-11-{day:02d}T12:00:07.{n:03d}Z,{a:.3f},{b:.2f},{id:08x}"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A chat about a log of numbers, of which vocabularies count 1,770 to 2,800 tokens."""
    rows = (
        ROW.format(day=n % 28 + 1, n=n * 37 % 1000, a=n * 7.31, b=n * 1.17, id=n * 2654435761 % 2**32)
        for n in range(60)
    )
    said = [("user", "\n".join(rows)), ("assistant", "Thanks."), ("user", "What is odd?")]
    file = tmp_path / "log.json"
    file.write_text(json.dumps([{"role": role, "content": words} for role, words in said]))
    return file


def words_of(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("command", ["build", "explain"])
def test_what_is_free_by_an_estimate_may_be_over(run, log: Path, command: str) -> None:
    out = words_of(run(command, log, "--model", "qwen3-32b", "--budget", "2500").out)

    found = re.search(r"! estimate; between ([\d,]+) and ([\d,]+) by five open vocabularies; it may be over", out)
    assert found is not None
    low, high = (int(each.replace(",", "")) for each in found.groups())
    assert low < 2_500 < high
    assert f"over the budget, by up to {high - 2_500:,}; --set token-limiter.estimate=safe cuts by the safe side" in out


def test_the_remedy_is_taken_and_keeps_within_the_budget_by_the_vocabularies(run, log: Path) -> None:
    chat = json.loads(log.read_text())
    log.write_text(json.dumps([*chat, *chat, {"role": "user", "content": "And now?"}]))
    given = ("build", log, "--model", "qwen3-32b", "--budget", "3000")

    mean, safe = run(*given).out, run(*given, "--set", "token-limiter.estimate=safe").out

    assert "it may be over the budget" in words_of(mean)
    assert "cuts by the safe side" not in words_of(safe)


def test_a_roomy_budget_is_no_warning(run, log: Path) -> None:
    out = words_of(run("build", log, "--model", "qwen3-32b", "--budget", "9000").out)

    assert "· estimate; between" in out
    assert "may be over" not in out


def test_an_exact_count_has_no_range(run, log: Path) -> None:
    assert "open vocabularies" not in run("build", log, "--model", "gpt-4o", "--budget", "2500").out


def test_the_safe_side_has_no_remedy_that_does_nothing(run, log: Path) -> None:
    out = words_of(run("build", log, "--tokenizer", "by-kind-safe", "--budget", "2950").out)

    assert "token-limiter.estimate" not in out
