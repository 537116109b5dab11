"""The examples of the help, typed in a checkout."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from ctxlab.cli.app import app
from ctxlab.formats import FORMATS
from tests.cli.conftest import DATASETS

GROUP: Any = typer.main.get_command(app)
COMMANDS: dict[str, Any] = {"": GROUP, **GROUP.commands}
OPENS_A_PROGRAM = {"lab", "serve-fake", "record", "mcp"}


def examples() -> Iterator[tuple[str, str]]:
    for name, command in COMMANDS.items():
        for line in (command.epilog or "").replace("\\\n", " ").splitlines():
            if line.strip().startswith("ctxlab "):
                yield name, line.strip()


def test_every_help_has_an_example() -> None:
    assert {*COMMANDS} == {name for name, _ in examples()}


@pytest.mark.parametrize(("name", "line"), [*examples()])
def test_an_example_works_in_a_checkout(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, line: str
) -> None:
    if OPENS_A_PROGRAM & {*line.split()}:
        pytest.skip("it opens a program")
    (tmp_path / "datasets").symlink_to(DATASETS)
    monkeypatch.chdir(tmp_path)
    if name == "search":
        assert run("workspace", "import", "my-chats", *sorted(DATASETS.glob("harbour_r*.json"))).code == 0
    if name == "review":
        author = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        subprocess.run(["git", "init", "--quiet"], check=True)
        subprocess.run(["git", *author, "commit", "--quiet", "--allow-empty", "--message", "first"], check=True)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")  # nothing is typed, so nobody is asked

    result = run(*shlex.split(line)[1:])

    assert result.code == 0, result.err
    assert result.out


def test_the_help_of_convert_names_every_ending(run) -> None:
    out = run("convert", "--help").out
    endings = {ending for form in FORMATS if form.write for ending in form.endings} - {".markdown", ".agent.yml"}

    assert {ending for ending in endings if ending not in out.split()} == set()
