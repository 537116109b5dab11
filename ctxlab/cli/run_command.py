"""One command from its words to its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from copy import copy
from functools import cache
from io import TextIOWrapper
from typing import cast

import typer

from ctxlab.cli.app import app

# typer hands out only the leaves of its tree of errors; their common root is what a wrong option raises.
USAGE_ERROR = cast(
    "type[typer.BadParameter]", next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
)


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; what goes wrong is one line on standard error."""
    from ctxlab.errors import CtxlabError

    args = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app_with(args[0] if args else "")(args or ["--help"], prog_name="ctxlab", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has had enough. What is still buffered must not complain on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except CtxlabError as error:
        return _refused(str(error))
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        return _refused(f"{named}{error.strerror or error}")
    except USAGE_ERROR as error:
        from ctxlab.cli.output.usage_hints import with_hint

        return _refused(with_hint(error, args))
    return code if isinstance(code, int) else 0


@cache
def app_with(word: str) -> typer.Typer:
    """The command line with the one command of this name; with all of them for any other word, such as --help.

    typer makes the options of every command that it knows, a tenth of the time of a build.
    """
    for command in app.registered_commands:
        if word == (command.name or getattr(command.callback, "__name__", "")):
            one = copy(app)
            one.registered_commands, one.registered_groups = [command], []
            return one
    return app


def _refused(text: str) -> int:
    """One line, in the words of the command line where an error speaks in those of Python."""
    from ctxlab.cli.output.option_names import in_option_names
    from ctxlab.cli.output.terminal import complain

    complain(in_option_names(text))
    return 2
