"""`ctxlab review`: what changed in built prompts since a commit, for a comment and for code scanning."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ctxlab.cli.inputs.options import CommandOptions
from ctxlab.cli.prompt_review.git_files import Checkout
from ctxlab.cli.prompt_review.markdown import markdown
from ctxlab.cli.prompt_review.reviewed import ReviewedFile, reviewed
from ctxlab.documents.stored import as_json
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.findings.finding import Level
from ctxlab.recordings.findings.sarif import sarif_of_files
from ctxlab.secrets import masked_data

FOUND = 1
"""Exit code where something of the level of `--fail-on` or worse was found, or a conversation can't be built."""


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """The commit to compare with, the files to look at, where to write, and when the command fails."""

    base: str
    patterns: Sequence[str]
    budget: int | None
    model: str | None
    out: Path | None
    sarif: Path | None
    fail_on: Level | Literal["never"]


def print_review(options: ReviewOptions) -> int:
    """Write the review as Markdown, and its findings as SARIF where asked; gives 1 where the command fails, else 0."""
    checkout = Checkout.at(Path(), options.base)
    build = CommandOptions(Path(), budget=options.budget, model=options.model, command="review")
    files = list(reviewed(checkout, checkout.changed_conversations(options.patterns), build))
    if options.sarif is not None:
        found = [(file.name, file.findings) for file in files if file.findings is not None]
        options.sarif.write_bytes(as_json(masked_data(sarif_of_files(found)), indent=2) + b"\n")
    text = markdown(files).encode("utf-8", "backslashreplace")
    if options.out is not None:
        options.out.write_bytes(text)
    else:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    return FOUND if any(_fails(file, options.fail_on) for file in files) else 0


def _fails(file: ReviewedFile, level: Level | Literal["never"]) -> bool:
    if level == "never":
        return False
    return bool(file.problem) or bool(file.findings and file.findings.at_least(level))
