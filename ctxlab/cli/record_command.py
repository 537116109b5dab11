"""`ctxlab record` and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RECORD = """\b
Examples:
  ctxlab record --to https://api.openai.com/v1 --port 8080
  ctxlab record -- claude
  ctxlab record --to https://api.anthropic.com --out claude.ctxrec.jsonl -- claude -p "Hi"
"""


def record(
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- PROGRAM ARGS...]", help="Started with its base addresses set.", show_default=False),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="URL", help="The endpoint, as a base address. Else the vendors', for a PROGRAM."),
    ] = None,
    port: Annotated[int, typer.Option("--port", metavar="N", help="Where to listen; 0 is any free port.")] = 0,
    out: Annotated[Path, typer.Option("--out", metavar="OUT", help="Where to write; it is added to.")] = Path(
        "recording.ctxrec.jsonl"
    ),
    stall: Annotated[
        float, typer.Option("--stall", metavar="SECONDS", help="Silence after which an endpoint is given up.")
    ] = 600.0,
) -> int:
    """Listen between a program and its endpoint: all passes unchanged, each request and reply is a line of a file.

    It listens at 127.0.0.1 alone and contacts the endpoint and nobody else. The address that it prints stands in the
    place of --to as it is. Keys are never written. It ends with the PROGRAM, whose exit code it gives, or with Ctrl+C.
    """
    from ctxlab.cli.commands.record import run_recorder

    return run_recorder(program or [], to=to, port=port, out=out, stall_seconds=stall)
