"""A check that a cause names the step that ran, a rule and a reason."""

from __future__ import annotations

from ctxlab.context import Cause
from ctxlab.errors import LawBroken


def check_cause(cause: object, processor: str, what: str, error: type[LawBroken]) -> None:
    """Raise `error` where a cause doesn't name the step that ran, with a rule and a reason."""
    if not isinstance(cause, Cause):
        raise error(f"{processor} {what} with {cause!r}, not a Cause")
    if cause.processor != processor:
        raise error(f"{processor} {what} in the name of {cause.processor!r}: a cause names the step that ran")
    if not cause.rule or not cause.reason:
        raise error(f"{processor} {what} for no reason: a cause has a rule and a reason")
