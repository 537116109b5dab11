"""One conversation of a checkout: its run now, its run at the other commit, and its findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ctxlab.api.check import check, recording_at
from ctxlab.cli.inputs.files import load
from ctxlab.cli.inputs.options import CommandOptions
from ctxlab.cli.mcp_server.served_folder import ServedFolder
from ctxlab.cli.prompt_review.git_files import Checkout, beside
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.recordings.findings.finding import Findings


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """A conversation that changed. A recording has findings alone; `problem` says why a file can't be built now."""

    name: str
    before: Trace | None = None
    after: Trace | None = None
    findings: Findings | None = None
    problem: str = ""
    gone: bool = False


def reviewed(checkout: Checkout, names: Sequence[str], options: CommandOptions) -> Iterator[ReviewedFile]:
    """Each conversation, built as it was and as it is, with the same options."""
    now = ServedFolder(checkout.root)
    with TemporaryDirectory(prefix="ctxlab-review-") as folder:
        then = Path(folder)
        for name in names:
            checkout.before([name, *beside(name)], then)
            yield _reviewed(name, now, ServedFolder(then), options)


def _reviewed(name: str, now: ServedFolder, then: ServedFolder, options: CommandOptions) -> ReviewedFile:
    if not (now.root / name).exists():
        return ReviewedFile(name, before=_before(name, then, options), gone=True)
    try:
        path = now.path(name)
        recording = recording_at(path)
        if recording is not None:
            return ReviewedFile(name, findings=check(recording))
        after = load(replace(options, file=path)).trace()
        return ReviewedFile(name, _before(name, then, options), after, check(after))
    except (CtxlabError, OSError) as error:
        return ReviewedFile(name, problem=now.without_root(str(error)))


def _before(name: str, then: ServedFolder, options: CommandOptions) -> Trace | None:
    """The run as it was; None where the conversation wasn't there or couldn't be built."""
    try:
        return load(replace(options, file=then.path(name))).trace()
    except (CtxlabError, OSError):
        return None
