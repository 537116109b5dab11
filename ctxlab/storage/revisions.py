"""Revisions: the number of times a value was saved, and a hash of what was saved, in a field of the value itself."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Self, TypeVar

from ctxlab.documents.stored import Stored, as_json
from ctxlab.lazy_dataclass import dataclass

S = TypeVar("S", bound=Stored)

FIELD = "workspaceRevision"
"""The field of a stored value, which survives in it as unknown fields do."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A saved state of a value. Two states of one number differ by their hash, as after an edit by hand."""

    number: int
    digest: str

    def __str__(self) -> str:
        return f"{self.number}-{self.digest}"

    @classmethod
    def parse(cls, text: object) -> Self | None:
        """The revision that a text names; None for what names none."""
        number, dash, digest = text.partition("-") if isinstance(text, str) else ("", "", "")
        return cls(int(number), digest) if dash and number.isascii() and number.isdigit() and len(number) < 16 else None


def content_digest(data: dict[str, Any]) -> str:
    """A hash of a value's JSON data without its revision; layout and blanks of a file don't matter."""
    return blake2b(as_json(content_of(data)), digest_size=10).hexdigest()


def content_of(data: dict[str, Any]) -> dict[str, Any]:
    """A value's JSON data without its revision."""
    return {name: value for name, value in data.items() if name != FIELD} if FIELD in data else data


def revision_in(data: dict[str, Any]) -> Revision:
    """The revision of a file's data: its number, and the hash of what is really there."""
    named = Revision.parse(data.get(FIELD))
    return Revision(named.number if named else 0, content_digest(data))


def revision_of(value: Stored) -> Revision | None:
    """The revision that a value was read or saved as; None for one that never was."""
    return Revision.parse((value.model_extra or {}).get(FIELD))


def with_revision(value: S, revision: Revision) -> S:
    """The value as this revision."""
    return value.with_extra({**(value.model_extra or {}), FIELD: str(revision)})


def without_revision(value: S) -> S:
    """The value as one that no workspace has seen."""
    extra = value.model_extra or {}
    return value.with_extra({k: v for k, v in extra.items() if k != FIELD}) if FIELD in extra else value
