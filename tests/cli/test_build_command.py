"""`ctxlab build` shows exactly what Python builds, and why."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from ctxlab.cli.output.token_bar import spent
from ctxlab.pipeline import Trace

Built = Callable[..., Trace]
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("name", ["coding_chat", "harbour_roleplay", "research_tree"])
def test_json_is_exactly_the_messages(run, harbour, built: Built, name: str) -> None:
    result = run("build", harbour.with_name(f"{name}.session.json"), "--budget", 1500, "--format", "json")

    assert result.code == 0
    assert result.out == json.dumps(built(name, budget_tokens=1500).messages, ensure_ascii=False, indent=2) + "\n"


def test_json_is_utf8_whatever_the_locale(harbour, built: Built) -> None:
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    out = subprocess.check_output(
        [sys.executable, "-m", "ctxlab.cli", "build", harbour, "--format", "json"], env=env, stderr=subprocess.DEVNULL
    )

    assert json.loads(out.decode()) == built().messages


def test_what_lies_beside_a_session_is_read_and_said_in_one_line(run, harbour) -> None:
    result = run("build", harbour, "--format", "json")

    assert result.err == "ctxlab: also read harbour_roleplay.agent.json and harbour_roleplay.user.json\n"


def test_an_agent_is_found_by_file_and_by_id(run, harbour) -> None:
    beside = run("build", harbour, "--format", "json").out

    by_id = run("build", harbour, "--agent", "agent-shenyan", "--format", "json")
    by_file = run("build", harbour, "--agent", harbour.with_name("harbour_roleplay.agent.json"), "--format", "json")

    assert by_id.out == by_file.out == beside
    assert "agent.json" not in by_file.err


def test_every_cut_is_told_with_its_cause(run, harbour, built: Built) -> None:
    lines = run("build", harbour, "--budget", 1500).out.splitlines()

    groups = built(budget_tokens=1500).result.dropped
    assert any(group.cause.rule == "sliding" for group in groups)
    for group in groups:
        at = lines.index(f"  − {group.cause}")
        assert lines[at + 1].startswith(f"    {len(group.drafts)} message")


def test_steps_are_listed_with_what_they_did_and_the_tokens_after_them(run, harbour, built: Built) -> None:
    out = run("build", harbour, "--budget", 1500).out

    trace = built(budget_tokens=1500)
    for step in trace.steps:
        row = next(line for line in out.splitlines() if line.startswith(f"{step.id} "))
        assert trace.changes(step.id).summary in row
        assert f" {trace.tokens_of(step.after):,} " in row
    assert "off: continued-reply, break-markup, convert-system, ensure-alternating" in out


def test_head_and_sources_are_named(run, harbour) -> None:
    out = run("build", harbour, "--budget", 1500).out

    for words in (
        "雾港潮汐簿 (session-harbour)",
        "u13",
        "Mara Lindqvist",
        "gpt-4o",
        "o200k_base [exact for gpt-4o]",
        "budget 1,500",
    ):
        assert words in out
    assert "preset preset-scene + preset preset-length" in out


def test_what_was_rewritten_is_marked(run, harbour) -> None:
    assert "You are ‹沈砚" in run("build", harbour).out


def test_until_stops_after_a_step(run, harbour, built: Built) -> None:
    result = run("build", harbour, "--until", "injection-assembler", "--budget", 20, "--format", "json")

    assert json.loads(result.out) == built().upto("injection-assembler").messages


def test_settings_are_read_as_what_they_are(run, harbour, built: Built) -> None:
    options = ("--set", "merge-system.enabled=false", "--set", "merge-consecutive.separator=7", "--format", "json")

    result = run("build", harbour, *options)

    settings = {"merge-system.enabled": False, "merge-consecutive.separator": "7"}
    assert json.loads(result.out) == built(settings=settings).messages


def test_one_of_several_sessions_is_picked_by_id_or_index(run, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps({"messages": [{"role": "user", "content": c}]}) + "\n" for c in "ab"))

    by_index = run("build", path, "--pick", 1, "--format", "json")

    assert json.loads(by_index.out)[0]["content"] == "b"
    assert run("build", path, "--pick", "two-2", "--format", "json").out == by_index.out


def test_losses_of_reading_are_told(run, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"messages": [{"role": "user", "content": "hi"}]}\n{"broken\n')

    assert "! lost in reading: " in run("build", path).out


def test_users_text_never_reaches_the_terminal_raw(run, written) -> None:
    path = written(("user", "[bold]loud[/bold] :smile: \x1b[31mred\x1b]0;t\x07 \x9b2J \u202egnihton"), ("user", "\x00"))

    out = run("build", path).out

    assert "[bold]loud[/bold] :smile: \\x1b[31mred\\x1b]0;t\\x07 \\x9b2J \\u202egnihton" in out
    assert not set(out) & {"\x1b", "\x07", "\x00", "\x9b", "\u202e"}


def test_half_a_surrogate_pair_is_written_out(run, tmp_path: Path) -> None:
    path = tmp_path / "half.json"
    path.write_text('{"messages": [{"role": "user", "content": "half \\ud83d"}]}')

    assert json.loads(run("build", path, "--format", "json").out)
    assert run("build", path).code == 0


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("name", ["coding_chat", "harbour_roleplay"])
def test_on_a_terminal_no_line_is_wider_than_it(run, harbour, monkeypatch, name: str, columns: int) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))

    out = run("build", harbour.with_name(f"{name}.session.json"), "--budget", 1500).out

    assert "\x1b[33m" in out
    too_wide = [line for line in ANSI.sub("", out).splitlines() if cell_len(line) > columns]
    assert too_wide == []


def test_no_color_is_heeded(run, harbour, monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")

    out = run("build", harbour).out

    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", out)
    assert "You are ‹沈砚" in ANSI.sub("", out)


@pytest.mark.parametrize("name", ["coding_chat", "harbour_roleplay", "research_tree"])
def test_the_bar_accounts_for_every_token(built: Built, name: str) -> None:
    trace = built(name, budget_tokens=1500)

    assert sum(spent(trace).values()) == trace.tokens


def test_of_very_many_messages_the_first_and_the_newest_are_shown(run, written) -> None:
    path = written(*[("user" if i % 2 == 0 else "assistant", f"message number {i}") for i in range(500)])

    out = run("build", path).out

    assert "⋮ 460 messages between" in out
    assert "message number 0" in out
    assert "message number 499" in out
    assert len(out.splitlines()) < 200


def test_a_shortened_message_says_so(run, harbour) -> None:
    options = ("--budget", 1500, "--set", "token-limiter.retained_characters=100")

    out = run("build", harbour, *options).out

    assert "2 rewritten" in out or "1 rewritten" in out
    assert "[…]›" in out or "token-limiter / shortened" in out


def test_nothing_heavy_is_loaded(harbour) -> None:
    code = (
        "import sys; from ctxlab.cli import main; "
        f"[main(a) for a in (['build', {str(harbour)!r}], ['explain', {str(harbour)!r}], ['tree', {str(harbour)!r}], "
        "['demo'])]; print([m for m in ('pandas', 'plotly', 'networkx') if m in sys.modules])"
    )

    out = subprocess.check_output([sys.executable, "-c", code], text=True, stderr=subprocess.DEVNULL)

    assert out.splitlines()[-1] == "[]"
