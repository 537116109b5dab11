"""Errors, one class per remedy.

CtxlabError
├── ReadError               a file can't be read at all: look at the file
│   ├── BrokenFile          it is not the JSON (or JSON lines) it should be
│   ├── UnknownFormat       it is readable, but no reader knows its shape
│   └── NoTextLayer         a PDF of pictures: its text has to be recognised
├── WriteError              a file can't be written: look at the place, or at what is to be written
├── SeveralSessions         say which: `pick=` an index or an id
├── UnknownNode             the tree has no such node
├── UnknownName             a library holds nothing of this id or name
├── Refused                 the tree would break: the message says why
├── ChangedMeanwhile        another wrote the same value: look at `.theirs`, or save with on_conflict="merge"
├── WrongArgument           a function doesn't take this argument, or not this value: a TypeError too
├── PipelineError           the pipeline is put together wrongly
│   ├── UnknownProcessor    no step has this id
│   └── WrongSetting        no such setting, or a value it doesn't take
├── ProcessorFailed         a step raised; `.trace` holds the run so far (this one and those below: pipeline/failures)
│   ├── BudgetTooSmall      what must stay is larger than the budget
│   ├── NothingToSend       no message is left: write one
│   ├── OverBudget          steps after the limiter add more than it left room for: let it run after them
│   └── StartsWithToolResult  the first message answers a call that isn't there: let tool pairs be repaired
├── LawBroken               a step lost something without saying why: mend the step
│   ├── DuplicateKey        a message is there twice
│   ├── InvalidDraft        a draft that no vendor could get
│   ├── UnexplainedChange   a field, a file or a place changed: use draft.changed, with_body, moved
│   ├── UnexplainedDrop     a draft is gone: drop it with a cause
│   ├── UnexplainedRewrite  words are gone or new: use splice or sub
│   └── UnpairedTool        a call without its result, or a result without its call
├── TemplateRefused         a chat template raised an error: mend the messages as it says, or take another template
├── SendFailed              no answer, or half of one: the message says what came and what may be tried
├── MissingKey              there is no key for a vendor: give one, or set the variable that the message names
└── MissingExtra            an optional dependency is not installed
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.secrets import masked

__all__ = [
    "BrokenFile",
    "ChangedMeanwhile",
    "CtxlabError",
    "DuplicateKey",
    "InvalidDraft",
    "LawBroken",
    "MissingExtra",
    "MissingKey",
    "NoTextLayer",
    "PipelineError",
    "ReadError",
    "Refused",
    "SendFailed",
    "SeveralSessions",
    "TemplateRefused",
    "UnexplainedChange",
    "UnexplainedDrop",
    "UnexplainedRewrite",
    "UnknownFormat",
    "UnknownName",
    "UnknownNode",
    "UnknownProcessor",
    "UnpairedTool",
    "WriteError",
    "WrongArgument",
    "WrongSetting",
    "did_you_mean",
]


class CtxlabError(Exception):
    """Anything that ctxlab says no to. Its words have no secret, whatever they quote."""

    def __str__(self) -> str:
        return masked(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again without calling the class, so that a subclass may ask anything of those who call it."""
        return _unpickled, (type(self), *self.args), self.__dict__


def _unpickled(kind: type[CtxlabError], *args: Any) -> CtxlabError:
    return kind.__new__(kind, *args)


class ReadError(CtxlabError):
    """A file can't be read; the message names the place."""


class BrokenFile(ReadError):
    """The file is not the JSON that its name or its first bytes promise."""


class UnknownFormat(ReadError):
    """The file is readable, but no reader knows its shape."""


class NoTextLayer(ReadError):
    """The pages of the PDF have no letters, only pictures; `pages` is their number."""

    def __init__(self, message: str, *, pages: int) -> None:
        super().__init__(message)
        self.pages = pages


class WriteError(CtxlabError):
    """A file can't be written; the message names it."""


class SeveralSessions(CtxlabError):
    """The file holds more than one session and none was picked."""


class UnknownNode(CtxlabError):
    """The session has no node of this id."""


class UnknownName(CtxlabError):
    """The library holds nothing of this id or name; `near` is the clause that names the nearest, or is empty."""

    def __init__(self, message: str, *, near: str = "") -> None:
        super().__init__(message)
        self.near = near


class Refused(CtxlabError):
    """The operation would break the tree."""


class ChangedMeanwhile(CtxlabError):
    """A value that was saved by another since it was read; nothing was written.

    `theirs` is what is kept now, `ours` what was to be saved, `base` what both came from, None where that isn't known,
    and `merged` what `on_conflict="merge"` would save.
    """

    def __init__(self, message: str, *, theirs: Any, ours: Any, base: Any = None, merged: Any = None) -> None:
        super().__init__(message)
        self.theirs, self.ours, self.base, self.merged = theirs, ours, base, merged


class WrongArgument(CtxlabError, TypeError):
    """An argument that a function doesn't have, or a value that it doesn't take; the message names both.

    `function` is empty until the function that was called is known, and then begins the message.
    """

    def __init__(self, message: str, *, function: str = "") -> None:
        super().__init__(f"{function}: {message}" if function else message)
        self.function = function


class PipelineError(CtxlabError):
    """The pipeline is put together wrongly."""


class UnknownProcessor(PipelineError):
    """No step of the pipeline has this id."""


class WrongSetting(PipelineError):
    """A setting that the step doesn't have, or a value it doesn't take."""


class LawBroken(CtxlabError):
    """A step broke the conservation law; the message names step and message."""


class DuplicateKey(LawBroken):
    """Two drafts have the same key, or one message is there twice."""


class UnexplainedDrop(LawBroken):
    """A draft is gone and no cause says why."""


class InvalidDraft(LawBroken):
    """A draft has a role, a body or a part that none can have."""


class UnexplainedChange(LawBroken):
    """A field, a file or the place of a draft changed, and no Change says why."""


class UnpairedTool(LawBroken):
    """A tool call is without its result, or a result without its call, and was not before."""


class UnexplainedRewrite(LawBroken):
    """Words of a draft are gone and no span remembers them, or came and no span says who put them."""


class TemplateRefused(CtxlabError):
    """A chat template raised an error, can't be read or was stopped; `line` is its line, None if unknown."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class SendFailed(CtxlabError):
    """A request that got no answer, or half of one. No text of it has a key.

    `status` is the HTTP status, or the one that goes with the code of an error inside a stream; None where there was no
    answer; `retry_after_seconds` what the server asked to wait;
    `may_pass` whether the same request may do better later.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retry_after_seconds: float | None = None,
        may_pass: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.may_pass = may_pass


class MissingKey(CtxlabError):
    """There is no key for a vendor; the message names the environment variable in which it may be."""


class MissingExtra(CtxlabError):
    """An optional dependency is missing; the message is what to type."""


MOST_NAMED = 30
"""Names that a message lists before it says how many more there are."""


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A clause that names what is nearest to `name`, or what there is.

    >>> did_you_mean("token-limitr", ["token-limiter", "merge-system"])
    "; did you mean 'token-limiter'?"
    """
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {near[0]!r}?"
    more = f" and {len(known) - MOST_NAMED:,} more" if len(known) > MOST_NAMED else ""
    return f"; there are: {', '.join(known[:MOST_NAMED])}{more}" if known else ""
