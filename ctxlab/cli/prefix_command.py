"""`ctxlab prefix` and its options."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

PREFIX = """\b
Examples:
  ctxlab prefix datasets/tidebook_agent.ctxrec.jsonl
  ctxlab prefix datasets/tidebook_agent.ctxrec.jsonl --frozen tools --frozen clock
  ctxlab prefix datasets/tidebook_agent.ctxrec.jsonl --format csv
"""


class PrefixForm(StrEnum):
    text = "text"
    json = "json"
    csv = "csv"


class Frozen(StrEnum):
    reminders = "reminders"
    reminders_last = "reminders-last"
    tools = "tools"
    tools_sorted = "tools-sorted"
    clock = "clock"


def prefix(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A recording: the log of a program, or what ctxlab record wrote."),
    ],
    frozen: Annotated[
        list[Frozen] | None,
        typer.Option("--frozen", help="What would have been if this had been kept still; may be given again."),
    ] = None,
    form: Annotated[
        PrefixForm, typer.Option("--format", help="For people, or a row a request as JSON or CSV.")
    ] = PrefixForm.text,
) -> None:
    """Say of each request in a recording where it stops to begin as the one before, what broke it, and what that costs.

    A prefix that was cut is told apart from one whose time ran out, from another model and from one that is too short,
    and is set beside the tokens that the vendor says it read from its cache. Nothing is sent.
    """
    from ctxlab.cli.commands.prefix import print_prefix

    print_prefix(file, [each.value for each in frozen or ()], form=form.value)
