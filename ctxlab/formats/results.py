"""Results of reading and writing: `Import` and `Export`, each with a `Loss` for what could not be kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

from ctxlab.display.text import counted
from ctxlab.documents import Agent, Note, RegexPreset, Session, UserProfile, Worldbook
from ctxlab.documents.stored import as_json
from ctxlab.errors import ReadError, SeveralSessions, did_you_mean

SHOWN_IDS = 8

T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class Import:
    """Everything that was read from one source; `losses` name what could not be kept.

    `files` are the agents' own files that came along, by the path that the agents name them by.
    """

    sessions: tuple[Session, ...] = ()
    agents: tuple[Agent, ...] = ()
    users: tuple[UserProfile, ...] = ()
    books: tuple[Worldbook, ...] = ()
    rules: tuple[RegexPreset, ...] = ()
    losses: tuple[Loss, ...] = ()
    format: str = ""
    source: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    def __repr__(self) -> str:
        held = [
            _counted(len(self.sessions), "session"),
            *(
                _counted(len(values), one)
                for values, one in (
                    (self.agents, "agent"),
                    (self.users, "user"),
                    (self.books, "book"),
                    (self.rules, "set of rules"),
                    (self.files, "file"),
                    (self.losses, "loss"),
                )
                if values
            ),
        ]
        return f"Import({self.format!r}, {', '.join(held)}, from {self.source!r})"

    def pick(self, which: int | str | None = None) -> Session:
        """The only session, or the one of this index or id; raises SeveralSessions when `which` is needed."""
        if not self.sessions:
            raise ReadError(f"{self.source} holds no session, only {self._without_sessions()}")
        if which is None:
            only, *others = self.sessions
            if others:
                raise SeveralSessions(
                    f"{self.source} holds {len(self.sessions)} sessions: {self._some_ids()}; "
                    "say which with pick=, an index or an id"
                )
            return only
        if isinstance(which, int):
            return self._at(which)
        for session in self.sessions:
            if session.id == which:
                return session
        near = did_you_mean(which, [session.id for session in self.sessions])
        if "did you mean" not in near:
            near = f"; there are: {self._some_ids()}"
        raise SeveralSessions(f"{self.source} has no session {which!r} for pick={near}")

    def _at(self, index: int) -> Session:
        count = len(self.sessions)
        if not -count <= index < count:
            raise SeveralSessions(f"{self.source} has no session {index} for pick=; indexes are 0 to {count - 1}")
        return self.sessions[index]

    def _some_ids(self) -> str:
        ids = [repr(session.id) for session in self.sessions[:SHOWN_IDS]]
        more = len(self.sessions) - len(ids)
        return ", ".join(ids) + (f" and {more} more" if more else "")

    def _without_sessions(self) -> str:
        held = [
            _counted(len(values), one)
            for values, one in (
                (self.agents, "agent"),
                (self.users, "user"),
                (self.books, "book"),
                (self.rules, "set of rules"),
            )
            if values
        ]
        return " and ".join(held) or "nothing that is read"


def _counted(n: int, one: str) -> str:
    many = {"loss": "losses", "set of rules": "sets of rules"}.get(one, one + "s")
    return f"{n} {one if n == 1 else many}"


@dataclass(frozen=True, slots=True, repr=False)
class Export(Generic[T]):
    """Something written: `data` is a file's bytes, its text or its JSON data, `losses` name what it can't hold.

    Markdown shows itself in a notebook. `ctxlab.write` puts any Export into a file.
    """

    data: T
    losses: tuple[Loss, ...] = ()

    def __repr__(self) -> str:
        return f"Export({_size(self.data)}, {counted(len(self.losses), 'loss', 'losses')})"

    def __str__(self) -> str:
        return self.data if isinstance(self.data, str) else repr(self)

    def _repr_markdown_(self) -> str | None:
        return self.data if isinstance(self.data, str) else None

    def as_bytes(self) -> Export[bytes]:
        """The same as a file's bytes: text in UTF-8, JSON data indented; WriteError for data nested too deeply."""
        if isinstance(self.data, bytes):
            return Export(self.data, self.losses)
        return Export(self.data.encode() if isinstance(self.data, str) else as_json(self.data, indent=2), self.losses)

    def after(self, losses: Iterable[Loss]) -> Export[T]:
        """The same with these losses before its own."""
        return Export(self.data, (*losses, *self.losses))


def _size(data: object) -> str:
    if isinstance(data, str):
        return f"{len(data):,} characters"
    if isinstance(data, bytes):
        return f"{len(data):,} bytes"
    held = cast("dict[str, Any]", data).get("messages") if isinstance(data, dict) else data
    if isinstance(held, list):
        return counted(len(cast("list[Any]", held)), "message")
    return counted(len(cast("dict[str, Any]", data)), "field")


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that could not be kept: where it was, and what was done about it.

    `field` is the field of a message that it is about; a file's losses of one field are counted, not listed.
    """

    place: str
    text: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text

    def inside(self, outer: str) -> Loss:
        """The same loss with the larger place named before its own."""
        return replace(self, place=_joined(outer, self.place))


def unused_fields(place: str, fields: Iterable[str], of: str = "a message's text") -> list[Loss]:
    """A loss for each field of something that has no room for it."""
    return [Loss(place, f"{name}: not part of {of}; left out", name) for name in fields]


def counted_by_field(losses: Sequence[Loss]) -> tuple[Loss, ...]:
    """The losses, those that say the same of the same field as one: the first, with their number."""
    same: dict[tuple[str, str], list[Loss]] = {}
    for loss in losses:
        if loss.field:
            same.setdefault((loss.field, loss.text), []).append(loss)
    if all(len(those) == 1 for those in same.values()):
        return tuple(losses)
    firsts = {id(those[0]): len(those) for those in same.values()}
    counted = [(loss, firsts.get(id(loss), 0 if loss.field else 1)) for loss in losses]
    return tuple(
        loss if times == 1 else replace(loss, text=f"{loss.text} (here first, {times:,} times in all)")
        for loss, times in counted
        if times
    )


def losses_of(notes: Iterable[Note], outer: str = "") -> list[Loss]:
    """Notes of a lenient reading as losses; the place that a note's text begins with becomes the loss's place."""
    found: list[Loss] = []
    for note in notes:
        place = str(note.details.get("place", ""))
        text = note.text.removeprefix(f"{place}: ") if place else note.text
        found.append(Loss(_joined(outer, place), text))
    return found


def _joined(outer: str, inner: str) -> str:
    return f"{outer}, {inner}" if outer and inner else outer or inner
