"""`ctxlab compressions` and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ctxlab.cli.inputs.options import Form

COMPRESSIONS = """\b
Examples:
  ctxlab compressions datasets/gauge_agent.recording.jsonl
  ctxlab compressions datasets/gauge_agent.recording.jsonl --format json
"""


def compressions(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A recording: the log of a program, or what ctxlab record wrote."),
    ],
    before: Annotated[
        Path | None,
        typer.Option(
            "--before",
            metavar="FILE",
            help="The recording that this one goes on from, where its log begins with the summary.",
        ),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="For people, or every fact as JSON.")] = Form.text,
) -> None:
    """Say of each compression in a recording what went and what the summary kept of it.

    Rules, decisions, open tasks, errors, files, numbers and names are kept, weakened or lost; of a lost rule it is said
    which later action goes against it and where the user said it again. It is a report of words: no model is asked.
    """
    from ctxlab.cli.commands.compressions import print_compressions

    print_compressions(file, before, as_json=form is Form.json)
