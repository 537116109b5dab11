"""A server on a port of this machine, with folders of its own, for as long as it is needed."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

STARTING_SECONDS = 90
ENDING_SECONDS = 20


class DidNotStart(Exception):
    """The server ended or never answered; the message is the end of what it said."""


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


@contextmanager
def serving(words: Sequence[str], *, answers_at: str, folder: Path, env: Mapping[str, str]) -> Iterator[None]:
    """The command runs, and answers there, until the end of the block."""
    said = folder / "server.log"
    with said.open("wb") as log:
        named = {**os.environ, **env}
        process = subprocess.Popen(words, env=named, stdout=log, stderr=log, start_new_session=True)
        try:
            _wait(process, answers_at, said)
            yield
        finally:
            process.terminate()
            try:
                process.wait(ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, said: Path) -> None:
    deadline = time.monotonic() + STARTING_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise DidNotStart(said.read_text(errors="replace")[-3000:])
