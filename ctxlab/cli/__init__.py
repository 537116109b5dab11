"""The door for the terminal: thin commands that parse, call and print."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code: 0 done, 1 nothing found, 2 refused, 130 interrupted."""
    from ctxlab.cli.run_command import run

    return run(argv)
