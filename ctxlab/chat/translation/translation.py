"""A translation: the text, segment by segment, and the message that has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.translation.settings import DisplayMode
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import History, MessageNode, Note, Session
from ctxlab.errors import Refused, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.payload import Payload

State = Literal["translated", "cached", "fell back", "not asked"]
LABEL = "update_translation"


@dataclass(frozen=True, slots=True)
class TranslatedSegment:
    """A segment of the original, from character `start` up to `end`, and the text in its place.

    One that `fell back` has its own words, and `reason` says why. `mended` are clauses on what was put right.
    """

    start: int
    end: int
    original: str
    text: str
    state: State
    reason: str = ""
    mended: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Translation:
    """A translation of a text. Segments that couldn't be proved right are in it as they were, each with a note.

    `error` is a sentence where no segment was translated although there are words. `node_id` is the message that it is
    of, None for a text alone.
    """

    text: str
    original: str = field(repr=False)
    to: str = ""
    model: str = ""
    node_id: str | None = None
    display_mode: DisplayMode = "both"
    timestamp: str | None = None
    segments: tuple[TranslatedSegment, ...] = field(default=(), repr=False)
    requests: tuple[Payload, ...] = field(default=(), repr=False)
    notes: tuple[Note, ...] = field(default=(), repr=False)
    error: str | None = None

    def __repr__(self) -> str:
        if self.error is not None:
            return f"Translation(stays as it is: {short(self.error, 120)})"
        parts = [f"to {short(self.to)}", counted(len(self.segments), "segment")]
        fell = sum(segment.state in ("fell back", "not asked") for segment in self.segments)
        return (
            f"Translation({', '.join([repr(short(self.text)), *parts, *([f'{fell} as they were'] if fell else [])])})"
        )

    def _repr_html_(self) -> str:
        rows = ((each.original, each.text, each.state, each.reason) for each in self.segments)
        table = html_table(("original", self.to or "translation", "state", "reason"), rows, of="segments")
        return heading(self) + table + lines([note.text for note in self.notes])

    @property
    def fallen_back(self) -> tuple[TranslatedSegment, ...]:
        """The segments that are as they were."""
        return tuple(segment for segment in self.segments if segment.state in ("fell back", "not asked"))

    @property
    def metadata(self) -> dict[str, Any]:
        """The fields of a message's `metadata.translation`."""
        found = {"content": self.text, "targetLang": self.to, "modelIdentifier": self.model}
        when = {"timestamp": self.timestamp} if self.timestamp is not None else {}
        return {**found, **when, "visible": self.display_mode != "original", "displayMode": self.display_mode}

    @checked_arguments
    def applied(self, target: History | Session) -> Session:
        """The session whose message has this translation; in a history as a step that can be undone.

        Raises Refused for a translation of no message or that failed, and where the message has other words now.
        """
        if self.node_id is None:
            raise WrongArgument("this is a translation of a text: translate(session.node(id)) is one of a message")
        if self.error is not None:
            raise Refused(f"nothing is translated: {self.error}")
        session = target.session if isinstance(target, History) else target
        if session.node(self.node_id).content != self.original:
            raise Refused(f"message {self.node_id!r} was changed since it was translated: translate it anew")
        if isinstance(target, History):
            return target.do(Session.update_translation, self.node_id, self.metadata)
        return session.update_translation(self.node_id, self.metadata)


@dataclass(frozen=True, slots=True)
class Displayed:
    """The texts of a message that are shown: its original, its translation, or both; one that isn't is None."""

    original: str | None
    translation: str | None


def displayed(node: MessageNode) -> Displayed:
    """The texts that are shown of a message, by the display mode that its translation has; without one the original."""
    found: Any = node.meta("translation")
    if not isinstance(found, Mapping) or not isinstance(found.get("content"), str):
        return Displayed(node.content, None)
    mode = found.get("displayMode")
    if mode not in ("original", "translation", "both"):
        mode = "both"
    if found.get("visible") is False:
        mode = "original"
    content = str(found["content"])
    return Displayed(node.content if mode != "translation" else None, content if mode != "original" else None)


def with_display_mode(session: Session, node_id: str, mode: DisplayMode) -> Session:
    """The session in which a translated message is shown in another way; refuses a message without a translation."""
    found: Any = session.node(node_id).meta("translation")
    if not isinstance(found, Mapping):
        raise Refused(f"message {node_id!r} has no translation")
    return session.update_translation(node_id, {**found, "displayMode": mode, "visible": mode != "original"})
