"""`ctxlab ledger`, `compare` and `convert`."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlab
from ctxlab.cli import main

DATASETS = Path(__file__).parents[2] / "datasets"
CODING = DATASETS / "coding_chat.session.json"


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(list(args))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_ledger_ends_with_the_tokens_that_are_sent(capsys: pytest.CaptureFixture[str]) -> None:
    session = ctxlab.load(CODING)
    trace = ctxlab.build(session, ctxlab.load_agent(DATASETS / "coding_chat.agent.json"), budget_tokens=2000)

    code, out, _ = run(capsys, "ledger", str(CODING), "--budget", "2000")

    sums = [line for line in out.splitlines() if "= all" in line]
    assert code == 0
    assert len(sums) == len(trace.steps)
    assert sums[-1].split()[-1] == f"{trace.tokens:,}"


def test_strategies_are_compared_at_every_budget(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "compare", str(CODING), "--strategies", "sliding,block", "--budgets", "2000,4000")

    assert code == 0
    for name in ("sliding 2,000", "sliding 4,000", "block 2,000", "block 4,000"):
        assert name in out
    assert "× cut" in out


def test_a_budget_that_is_too_small_is_told_and_the_others_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "compare", str(CODING), "--strategies", "sliding", "--budgets", "50,4000")

    assert code == 0
    assert "sliding 50: the budget is 50 tokens" in out
    assert "sliding 4,000" in out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--budgets", "many"), "'many'"),
        (("--strategies", "sliding,sideways"), "sideways"),
        (("--budgets", "50"), "the budget is 50 tokens"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], says: str
) -> None:
    code, _, err = run(capsys, "compare", str(CODING), *options)

    assert code == 2
    assert says in err.splitlines()[-1]
    assert "Traceback" not in err


def test_a_conversation_is_converted_and_read_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "chat.zip"

    code, out, _ = run(capsys, "convert", str(CODING), str(target))

    assert code == 0
    assert str(target) in out
    assert ctxlab.load(target).to_data() == ctxlab.load(CODING).to_data()


def test_an_ending_that_says_nothing_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "convert", str(CODING), str(tmp_path / "chat.xyz"))

    assert code == 2
    assert "chat.xyz" in err
    assert not (tmp_path / "chat.xyz").exists()
