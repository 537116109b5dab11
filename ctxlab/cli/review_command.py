"""`ctxlab review` and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ctxlab.cli.check_command import FailOn
from ctxlab.cli.inputs.options import BudgetOption, ModelOption

REVIEW = """\b
Examples:
  ctxlab review
  ctxlab review --base HEAD "prompts/**/*.json" --budget 8000
  ctxlab review --base HEAD --sarif ctxlab.sarif
"""
PATTERNS = ("**/*.session.json", "**/*.chat.json", "**/*.openai.json", "**/*.ctxrec.jsonl")


def review(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATTERN...]",
            help=f"Conversations and recordings, from the top of the checkout; else {' '.join(PATTERNS)}.",
            show_default=False,
        ),
    ] = None,
    base: Annotated[str, typer.Option("--base", metavar="COMMIT", help="The commit to compare with.")] = "HEAD",
    budget: BudgetOption = None,
    model: ModelOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="OUT", help="Where to write the Markdown; else it is printed.")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="SARIF", help="Where to write the findings as SARIF 2.1.0.")
    ] = None,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="From which level of findings on the exit code is 1.")
    ] = FailOn.error,
) -> int:
    """Say what changed in the prompts of a git checkout since a commit: built messages side by side, and findings.

    A conversation counts as changed where its file did, or the agent, user, lore or rules beside it. The exit code is 1
    where something of --fail-on or worse was found, or where a conversation can't be built any more.
    """
    from ctxlab.cli.commands.review import ReviewOptions, print_review

    return print_review(ReviewOptions(base, patterns or PATTERNS, budget, model, out, sarif, fail_on.value))
