"""`ctxlab demo` works wherever ctxlab is installed."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ctxlab.api import examples


def test_the_demo_shows_steps_a_cut_a_rewrite_and_a_comparison(run) -> None:
    result = run("demo")

    assert (result.code, result.err) == (0, "")
    for words in (
        "token-limiter / sliding: needed ",
        "it is not sent; ",
        "in place of “{{char}}” from preset preset-frame",
        "messages the same",
        "nearest  it fires with scan depth: 3",
    ):
        assert words in result.out


def test_every_command_that_the_demo_names_works(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    lines = run("demo").out.splitlines()

    commands = [line.lstrip("$ ") for line in lines if line.startswith(("$ ctxlab", "  ctxlab"))]

    assert len(commands) == 9
    for command in commands:
        assert run(*shlex.split(command)[1:], stdin="q\n").code == 0


def test_a_demo_without_its_conversations_says_so(run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(examples, "__file__", str(tmp_path / "ctxlab" / "api" / "examples.py"))

    result = run("demo")

    assert result.code == 2
    assert "is not installed here" in result.err


def test_an_installed_package_brings_its_conversations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "ctxlab" / "bundled" / "harbour_roleplay.session.json"
    file.parent.mkdir(parents=True)
    file.touch()
    monkeypatch.setattr(examples, "__file__", str(tmp_path / "ctxlab" / "api" / "examples.py"))

    assert examples.bundled(file.name) == file


def test_the_demo_is_written_as_a_notebook_beside_what_is_there(
    run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    demo = Path("ctxlab-demo.ipynb")

    assert run("demo", "--notebook").out == (
        "the demo is in ctxlab-demo.ipynb; open it with: ctxlab lab ctxlab-demo.ipynb\n"
    )
    run("demo", "--notebook")
    assert [path.name for path in tmp_path.iterdir()] == [demo.name]
    demo.write_text("mine")
    assert "ctxlab-demo-2.ipynb" in run("demo", "--notebook").out
    assert demo.read_text() == "mine"
    assert "ctxlab.example" in Path("ctxlab-demo-2.ipynb").read_text(encoding="utf-8")


def test_the_module_runs_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ctxlab.cli", "demo"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0
    assert done.stderr == ""
