"""What goes wrong is one line on standard error and exit code 2, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ctxlab.cli import main


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--leaf", "u99"], "has no node 'u99'"),
        (["--until", "token-limitr"], "did you mean 'token-limiter'?"),
        (["--until", "convert-system"], "step 'convert-system' is switched off"),
        (["--set", "token-limitr.strategy=sliding"], "did you mean 'token-limiter'?"),
        (["--set", "token-limiter.budgt_tokens=3"], "did you mean 'budget_tokens'?"),
        (["--set", "token-limiter.strategy=nonsense"], "token-limiter.strategy: "),
        (["--set", "token-limiter.budget_tokens=many"], "token-limiter.budget_tokens: "),
        (["--set", "merge-system.enabled=perhaps"], "expected true or false, got 'perhaps'"),
        (["--set", "nonsense"], "write step.setting=value"),
        (["--budget", "100"], "what must stay needs"),
        (["--budget", "0"], "'--budget'"),
        (["--budget", "some"], "'--budget'"),
        (["--format", "xml"], "'--format'"),
        (["--agent", "agent-shenyen"], "did you mean 'agent-shenyan'?"),
        (["--agent", "nowhere.json"], "nowhere.json does not exist"),
        (["--user", "nobody"], "there is no user 'nobody'"),
        (["--colour"], "--colour"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_options(run, harbour, options: list[str], words: str) -> None:
    result = run("build", harbour, *options)

    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert result.err.startswith("ctxlab: ")
    assert result.err.count("\n") == 1


def test_a_budget_that_is_too_small_names_what_is_too_big(run, harbour) -> None:
    result = run("build", harbour, "--budget", 100)

    assert result.code == 2
    assert "needs" in result.err
    assert "the largest are node:s1 (" in result.err
    assert "Raise --budget" in result.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "does not exist"),
        ("", "is empty"),
        ('{"nodes": {"a": {"id": "a", "par', "the text ends too early"),
        ('{"recipe": "soup"}', "in no known format"),
        ('{"entries": {"0": {"key": ["a"], "content": "A"}}}', "holds no conversation, only 1 book; ctxlab "),
    ],
)
@pytest.mark.parametrize("command", ["build", "explain", "step", "tree"])
def test_files_that_hold_no_conversation(run, tmp_path: Path, command: str, content: str | None, words: str) -> None:
    path = tmp_path / "file.json"
    if content is not None:
        path.write_text(content)

    result = run(command, path)

    assert result.code == 2
    assert words in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("command", ["build", "explain", "step", "tree"])
def test_several_sessions_are_named(run, tmp_path: Path, command: str) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps({"messages": [{"role": "user", "content": c}]}) + "\n" for c in "ab"))

    result = run(command, path)

    assert result.code == 2
    assert (
        result.err
        == f"ctxlab: {path} holds 2 sessions: 'chats-1', 'chats-2'; say which with --pick, an index or an id\n"
    )


def test_control_characters_in_an_error_are_escaped(run, harbour) -> None:
    result = run("build", harbour, "--leaf", "\x1b[31m\nu13")

    assert result.err.count("\n") == 1
    assert "\x1b" not in result.err


def test_an_unknown_command_is_one_line_too(run) -> None:
    result = run("bild")

    assert result.code == 2
    assert result.err.count("\n") == 1


def test_an_interrupt_is_130(run, harbour, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)

    assert run("step", harbour).code == 130


def test_a_reader_that_goes_away_is_no_error(harbour) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "ctxlab.cli", "build", harbour], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()

    err = process.stderr.read().decode()
    process.stderr.close()

    assert process.wait() == 0
    assert "Traceback" not in err and "BrokenPipe" not in err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for args in ([], ["--help"], ["build", "--help"], ["explain", "-h"], ["step", "-h"], ["tree", "-h"]):
        assert main(args) == 0
        assert "ctxlab " in capsys.readouterr().out.partition("Examples:")[2]


def test_the_version_is_printed(run) -> None:
    import ctxlab

    assert run("--version").out == f"ctxlab {ctxlab.__version__}\n"
