"""A file that a command names, or what comes through a pipe for `-`, read with a sign of progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    from ctxlab.formats import Import

PIPE = "-"
PIPE_NAME = "stdin"
"""The name in messages for the content of a pipe, and a session in it that has no id."""


def is_pipe(path: str | os.PathLike[str] | None) -> bool:
    return path is not None and os.fspath(path) == PIPE


def read(path: Path) -> Import:
    """Everything in the file, or in standard input for `-`."""
    from ctxlab import api, formats
    from ctxlab.cli.output.progress import progress

    if is_pipe(path):
        with progress("reading standard input"):
            return formats.read_bytes(piped(), PIPE_NAME)
    with progress(f"reading {path.name}", file=path):
        return api.read(path)


def piped() -> bytes:
    """All of standard input, as bytes; of a stream of text, which has none, in UTF-8."""
    stream = getattr(sys.stdin, "buffer", None)
    return stream.read() if stream is not None else sys.stdin.read().encode()


def refuse_two_pipes(paths: Iterable[str | os.PathLike[str] | None]) -> None:
    """Raise CtxlabError when `-` is there more than once: standard input can be read only once."""
    if sum(map(is_pipe, paths)) > 1:
        raise CtxlabError("- is standard input, which holds one file; give the others by name")
