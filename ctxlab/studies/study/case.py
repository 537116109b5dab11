"""A case of a study: one prompt to build, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.one_line import plain
from ctxlab.documents import Session
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass

WHOLE_NUMBERS = "whole numbers of a study are from -2**63 on and below 2**63"


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One prompt that is built under every variant.

    `conversation` names what the case belongs to: cases of one conversation aren't independent, so intervals and tests
    resample conversations. `question` is a user's message that isn't in the session yet, `leaf` the message at which
    the path ends (by default the active leaf). `evidence` are ids of messages that an answer needs, `must_keep` texts
    or patterns (`re:...`) that the prompt must hold, in words or in tool calls that are sent. `options` are further
    options of `ctxlab.build` (agent, user, books, rules, model, ...), `labels` further columns of the frame.
    """

    id: str
    conversation: str
    session: Session
    question: str | None = None
    leaf: str | None = None
    evidence: tuple[str, ...] = ()
    must_keep: tuple[str, ...] = ()
    kind: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    labels: Mapping[str, str | int | float] = field(default_factory=dict[str, str | int | float])

    def __post_init__(self) -> None:
        for name, value in (("id", self.id), ("conversation", self.conversation)):
            refuse_no_text(value, f"{name} of a case")
        refuse_wrong_labels(self.labels, f"case {plain(self.id)!r}")

    def _repr_html_(self) -> str:
        given = {
            "conversation": self.conversation,
            "session": self.session,
            "question": self.question,
            "leaf": self.leaf,
            "evidence": ", ".join(self.evidence),
            "must keep": ", ".join(self.must_keep),
            "kind": self.kind,
            "options": ", ".join(self.options),
            **self.labels,
        }
        return heading(self) + fields_table({name: value for name, value in given.items() if value})

    def __repr__(self) -> str:
        question = f", {plain(self.question, 40)!r}" if self.question else ""
        return f"Case({plain(self.id)!r} of {plain(self.conversation)!r}{question})"


def refuse_no_text(value: object, place: str) -> None:
    """Raise WrongArgument for what is no text."""
    if not isinstance(value, str):
        raise WrongArgument(f"{place} takes a text, got a {type(value).__name__}")


def refuse_wrong_labels(labels: Mapping[str, Any], place: str) -> None:
    """Raise WrongArgument for labels that no file of cells can hold."""
    if not isinstance(labels, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise WrongArgument(f"{place}: labels takes a dict, got a {type(labels).__name__}")
    for name, value in labels.items():
        if not isinstance(name, str) or not is_sound(name):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument(f"{place} has a label {name!r:.60}; a label's name is a text without half surrogates")
        if not isinstance(value, str | int | float | None):
            raise WrongArgument(
                f"{place}: label {plain(name)!r} is a {type(value).__name__}; labels are texts and numbers"
            )
        if isinstance(value, int) and not is_storable(value):
            raise WrongArgument(f"{place}: label {plain(name)!r} is a number beyond 64 bits; {WHOLE_NUMBERS}")


def is_storable(number: int) -> bool:
    """Whether a whole number has a place in a file of cells, of 64 bits."""
    return -(2**63) <= number < 2**63


def is_sound(text: str) -> bool:
    """Whether a text has no half surrogates, which no file in UTF-8 can hold."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


@dataclass(frozen=True, slots=True)
class BrokenCase:
    """A case that could not be made; `problem` is a sentence. It is a row with an error under every variant."""

    id: str
    conversation: str
    problem: str
    kind: str = ""
    labels: Mapping[str, str | int | float] = field(default_factory=dict[str, str | int | float])
