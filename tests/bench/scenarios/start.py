"""From nothing to a first result: what a command, a notebook's first cell and help cost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

COMMAND = "import sys; from ctxlab.cli import main; sys.exit(main())"
HARBOUR = Path(__file__).parents[3] / "datasets/harbour_roleplay.session.json"


def command(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def build_command() -> Iterator[None]:
    """`ctxlab build` of a small file, the whole process"""
    yield
    command("-c", COMMAND, "build", str(HARBOUR))


def explain_command() -> Iterator[None]:
    """`ctxlab explain` of a small file, the whole process"""
    yield
    command("-c", COMMAND, "explain", str(HARBOUR))


def check_command() -> Iterator[None]:
    """`ctxlab check` of a small file, the whole process"""
    yield
    command("-c", COMMAND, "check", str(HARBOUR))


def help_command() -> Iterator[None]:
    """`ctxlab --help`, the whole process"""
    yield
    command("-c", COMMAND, "--help")


def first_build() -> Iterator[None]:
    """`import ctxlab` and the first build of 30 messages"""
    from ctxlab.testing import generated_session

    name = Path("thirty.session.json")
    name.write_text(json.dumps(generated_session(30, seed=1)))
    yield
    command("-c", f"import ctxlab; ctxlab.build({str(name)!r})")


def first_messages() -> Iterator[None]:
    """`import ctxlab`, the first build of 30 messages, and what is sent with its tokens"""
    from ctxlab.testing import generated_session

    name = Path("thirty.session.json")
    name.write_text(json.dumps(generated_session(30, seed=1)))
    yield
    command("-c", f"import ctxlab; ctxlab.build({str(name)!r}).messages")
