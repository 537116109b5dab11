"""`ctxlab check` and its options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ctxlab.cli.inputs.options import CommandOptions, takes_build_options

CHECK = """\b
Examples:
  ctxlab check datasets/harbour_roleplay.session.json
  ctxlab check datasets/tidebook_agent.ctxrec.jsonl --level warning --fail-on never
  ctxlab check datasets/tidebook_agent.ctxrec.jsonl --rule unused-tools --format sarif --fail-on never
"""


class Level(StrEnum):
    error = "error"
    warning = "warning"
    note = "note"


class FailOn(StrEnum):
    error = "error"
    warning = "warning"
    note = "note"
    never = "never"


class FindingsForm(StrEnum):
    text = "text"
    json = "json"
    sarif = "sarif"


@takes_build_options(without=("until",))
def check(
    options: CommandOptions,
    form: Annotated[
        FindingsForm, typer.Option("--format", help="For people, as JSON, or as SARIF 2.1.0.")
    ] = FindingsForm.text,
    level: Annotated[Level, typer.Option("--level", help="The least that is printed.")] = Level.note,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="ID", help="Ask this rule alone; may be given again.", show_default=False),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="ID", help="Leave this rule out; may be given again.", show_default=False),
    ] = None,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="From which level on the exit code is 1.")
    ] = FailOn.warning,
) -> int:
    """Say what is wrong with a recording or a conversation, or carried along for nothing, with its cost and remedy.

    FILE is a recording of any kind; else it holds a conversation, which is built first with the options of a build. The
    exit code is 1 where something of --fail-on or worse was found, else 0.
    """
    from ctxlab.cli.commands.check import CheckOptions, print_findings

    wanted = CheckOptions(tuple(rule) if rule else None, tuple(ignore or ()), level.value, fail_on.value, form.value)
    return print_findings(options, wanted)
