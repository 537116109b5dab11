"""`ctxlab record`: the recorder, until Ctrl+C or until the program that it has started ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

from ctxlab.cli.output.terminal import Screen
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError
from ctxlab.recordings.recorder.base_urls import endpoints_of, recorded_environment
from ctxlab.recordings.recorder.proxy import RecordingProxy
from ctxlab.secrets import secrets_of_environment


def run_recorder(
    program: Sequence[str],
    *,
    to: str | None,
    port: int,
    out: Path,
    stall_seconds: float,
    until: threading.Event | None = None,
) -> int:
    """Record until Ctrl+C (or until the event is set), or while a program runs; gives its exit code, else 0."""
    if to is None and not program:
        raise typer.BadParameter("record takes --to, the endpoint to listen in front of, or a PROGRAM behind --")
    command = _found(program)
    environment = dict(os.environ)
    endpoints = to if to is not None else endpoints_of(environment)
    secrets = secrets_of_environment(environment)
    name = Path(program[0]).name if program else ""
    with RecordingProxy(endpoints, out, port=port, stall_seconds=stall_seconds, program=name, secrets=secrets) as proxy:
        if command:
            code = _run(command, recorded_environment(environment, proxy.url, by_vendor=to is None))
        else:
            _announce(proxy, str(endpoints), out)
            code = _wait(until or threading.Event())
    _report(proxy, out)
    return code


def _found(program: Sequence[str]) -> list[str]:
    if not program:
        return []
    path = shutil.which(program[0])
    if path is None:
        raise CtxlabError(f"there is no program {program[0]!r} on this machine")
    return [path, *program[1:]]


def _run(command: list[str], environment: dict[str, str]) -> int:
    with _ctrl_c_is_the_programs():
        try:
            code = subprocess.run(command, env=environment, check=False).returncode
        except OSError as error:
            raise CtxlabError(f"{command[0]} can't be started: {error.strerror or error}") from error
    return code if code >= 0 else 128 - code


@contextmanager
def _ctrl_c_is_the_programs() -> Generator[None]:
    """Leave Ctrl+C to the program, which gets it as well; only the main thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: Any = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _announce(proxy: RecordingProxy, to: str, out: Path) -> None:
    screen = Screen()
    screen.line(("address  ", "label"), proxy.url, (f"   in the place of {to}", "label"))
    screen.line(("file     ", "label"), str(out))
    screen.line("Ctrl+C ends it")


def _wait(until: threading.Event) -> int:
    with suppress(KeyboardInterrupt):
        until.wait()
    return 0


def _report(proxy: RecordingProxy, out: Path) -> None:
    typer.echo(f"ctxlab: {counted(proxy.log.requests, 'request')} recorded in {out}", err=True)
    if proxy.log.failure:
        typer.echo(f"ctxlab: {proxy.log.masked(proxy.log.failure)}", err=True)
