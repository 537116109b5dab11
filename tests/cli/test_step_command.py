"""`ctxlab step`: the debugger, driven by what is typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxlab import api
from ctxlab.cli.commands.step import Prompt
from ctxlab.cli.inputs.files import load
from ctxlab.cli.inputs.options import CommandOptions
from ctxlab.cli.output.terminal import Screen
from ctxlab.pipeline import Trace
from ctxlab.processors import default_pipeline

Built = Callable[..., Trace]
MS = re.compile(r"\s+[\d.,]+$")


@pytest.fixture
def prompt(harbour: Path) -> Prompt:
    return Prompt(Screen(width=100), load(CommandOptions(harbour, budget=1500)).debugger())


def rows(text: str) -> list[str]:
    """The lines that name a step, without the milliseconds."""
    steps = ("session-loader", "injection-assembler", "token-limiter", "merge-")
    return [MS.sub("", line) for line in text.splitlines() if line.startswith(steps)]


def test_stepping_to_the_end_is_building(prompt: Prompt, built: Built) -> None:
    while not prompt.debugger.done:
        prompt.do("next")

    assert prompt.debugger.trace.messages == built(budget_tokens=1500).messages


def test_each_step_is_told_as_build_tells_it(run, harbour) -> None:
    stepped = run("step", harbour, "--budget", 1500, stdin="n\n" * len(default_pipeline().running()))
    built = run("build", harbour, "--budget", 1500)

    assert stepped.code == 0
    assert rows(stepped.out) == rows(built.out)
    assert "  − token-limiter / sliding: needed " in stepped.out


def test_back_undoes_and_next_does_it_again(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("u regex-processor", "n", "b"):
        prompt.do(command)
    assert prompt.debugger.next_id == "regex-processor"
    before = prompt.debugger.position

    prompt.do("next")

    assert prompt.debugger.position == before + 1
    assert "before regex-processor again: 19 messages" in capsys.readouterr().out


def test_until_stops_before_a_step_and_breakpoints_stop_a_run(prompt: Prompt) -> None:
    prompt.do("u token-limiter")
    assert prompt.debugger.next_id == "token-limiter"

    prompt.do("break merge-consecutive")
    prompt.do("r")

    assert prompt.debugger.next_id == "merge-consecutive"


def test_a_setting_undoes_the_steps_that_read_it(prompt: Prompt, built: Built) -> None:
    for command in ("r", "set token-limiter.budget_tokens=1200", "r"):
        prompt.do(command)

    assert prompt.debugger.trace.messages == built(budget_tokens=1200).messages


def test_a_message_can_be_taken_out_by_hand(prompt: Prompt) -> None:
    for command in ("u token-limiter", "drop u11", "r"):
        prompt.do(command)

    life = prompt.debugger.trace.why("node:u11")
    assert life.draft is None
    assert [step.id for step in prompt.debugger.trace.steps].count("edit") == 1


def test_what_the_last_step_changed_is_shown(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("u merge-system", "diff"):
        prompt.do(command)

    out = capsys.readouterr().out
    assert "- a8b  “" in out
    assert "messages the same" in out


def test_messages_lives_and_words_are_looked_into(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("u merge-system", "show", "show u13", "why a8b", "where 罗盘"):
        prompt.do(command)

    out = capsys.readouterr().out
    assert "node u13" in out
    assert "it is not sent" in out
    assert "“罗盘”" in out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("dance", "there is no command 'dance'"),
        ("why", "why needs KEY"),
        ("why nobody", "no step had a message 'nobody'"),
        ("until convert-system", "is switched off"),
        ("break nowhere", "the pipeline has no step 'nowhere'"),
        ("set token-limiter.budget_tokens=many", "token-limiter.budget_tokens"),
        ("b", "the run is at its start"),
        ("show a8x", "a8x"),
        ("drop u13", "u13"),
        ("diff", "no step is done yet"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    prompt: Prompt, capsys: pytest.CaptureFixture[str], command: str, words: str
) -> None:
    prompt.do(command)

    out = capsys.readouterr().out
    assert out.startswith("× ")
    assert words in out
    assert out.count("\n") == 1
    assert prompt.debugger.position == 0


def test_a_step_that_fails_can_be_mended_and_done(run, harbour) -> None:
    typed = "r\nset token-limiter.budget_tokens=2000\nr\nq\n"

    result = run("step", harbour, "--budget", 100, stdin=typed)

    assert result.code == 0
    assert "× the budget is 100 tokens" in result.out
    assert "merge-consecutive  " in result.out


def test_an_empty_line_does_the_last_move_again(prompt: Prompt) -> None:
    for command in ("n", "", "", "why u13", ""):
        prompt.do(command)

    assert prompt.debugger.position == 3


def test_commands_are_read_until_q_or_the_end(run, harbour) -> None:
    quit_early = run("step", harbour, stdin="?\nq\nn\n")

    assert quit_early.code == 0
    assert "set STEP.SETTING=VALUE" in quit_early.out
    assert rows(quit_early.out) == []
    assert run("step", harbour, stdin="").code == 0


def test_until_may_be_given_with_the_command(run, harbour) -> None:
    result = run("step", harbour, "--until", "injection-assembler", stdin="q\n")

    done = default_pipeline().ids.index("injection-assembler") + 1  # a step that is off comes between both
    assert f"{done} knowledge-processor> " in result.out


def test_the_debugger_starts_where_python_starts(harbour: Path) -> None:
    asked = load(CommandOptions(harbour))

    assert asked.debugger().pipeline.ids == api.debug(asked.session, asked.agent).pipeline.ids
