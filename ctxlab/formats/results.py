"""Results of reading and writing: `Import` and `Export`, each with a `Loss` for what could not be kept."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from html import escape
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from ctxlab.display.html_table import heading, html_table, title
from ctxlab.display.one_line import plain, visible
from ctxlab.display.short_texts import counted, cut_off, short
from ctxlab.documents import Library, Note
from ctxlab.documents.library import more_sessions
from ctxlab.documents.stored import as_json
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

T = TypeVar("T")
SHOWN = 5
"""Losses in a repr."""
SHOWN_IDS = 8
"""Sessions that a message names with their files."""
BEGINNING = 4_000
"""Characters of a written text that a notebook shows."""


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

    def __repr__(self) -> str:
        return f"Loss({short(self.place, 80)!r}, {short(self.text, 160)!r})"

    def _repr_html_(self) -> str:
        return losses_html((self,))

    def inside(self, outer: str) -> Loss:
        """This loss with the larger place named before its own."""
        return replace(self, place=_joined(outer, self.place))


class Losses(tuple[Loss, ...]):
    """Losses in order; a notebook shows them as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = [plain(str(loss), 120) for loss in self[:SHOWN]]
        shown += [f"and {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []
        return f"Losses({counted(len(self), 'loss', 'losses')}{': ' if shown else ''}{'; '.join(shown)})"

    def _repr_html_(self) -> str:
        return losses_html(self) or title("no losses")


def losses_html(losses: Sequence[Loss]) -> str:
    """One row a loss: where it was, and what was done about it; nothing where there are none."""
    head = title(counted(len(losses), "loss", "losses"))
    rows = ((loss.place, loss.text) for loss in losses)
    return head + html_table(("place", "loss"), rows, cells=160, of="losses") if losses else ""


def unused_fields(place: str, fields: Iterable[str], of: str = "a message's text") -> list[Loss]:
    """A loss for each field of something that has no room for it."""
    return [Loss(place, f"{name}: not part of {of}; left out", name) for name in fields]


LONG_TEXT = 10
"""Characters of a text that is no mere name, number or mark; losses tell of those that are longer."""


def texts_aside(place: str, rest: Mapping[str, Any], bookkeeping: Container[str] = ()) -> list[Loss]:
    """A loss for each field that is kept in the metadata alone and has text in it, at any depth.

    Fields of `bookkeeping` are the program's own notes (ids, versions, counts), which no model would read.
    """
    return [
        Loss(place, f"{name}: kept in the metadata, not sent", name)
        for name, value in rest.items()
        if name not in bookkeeping and _has_text(value, bookkeeping)
    ]


def texts_in(value: Any) -> Iterator[str]:
    """The texts of a JSON value that are no mere names, numbers or marks, at any depth."""
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, str):
            if len(found) > LONG_TEXT:
                yield found
        elif isinstance(found, Mapping):
            stack += cast("Mapping[str, Any]", found).values()
        elif isinstance(found, list | tuple):
            stack += cast("list[Any]", found)


def _has_text(value: Any, bookkeeping: Container[str]) -> bool:
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, str) and len(found) > LONG_TEXT:
            return True
        if isinstance(found, Mapping):
            stack += [it for key, it in cast("Mapping[str, Any]", found).items() if key not in bookkeeping]
        elif isinstance(found, list | tuple):
            stack += cast("list[Any]", found)
    return False


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


NONE = Losses()


# --- reading


class SessionOrigin(NamedTuple):
    """The format of the program that wrote a session, and the file that it was read from; empty where not known."""

    program: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Import(Library):
    """A library that was read from one source; `losses` says what could not be kept.

    `|` with another library is an Import too, with the losses of both. `picture` is the PNG that the values were in,
    `session_files` are the files of the sessions, in their order, where they were read from a folder, and
    `session_programs` the formats of those files; `session_origins` has both, of one file too. `agents_of_sessions` are
    ids of agents that conversations brought along, as a list of messages does its system prompt: they are for sessions
    that name them, and for no other.
    """

    losses: tuple[Loss, ...] = NONE
    format: str = ""
    source: str = ""
    picture: bytes = field(default=b"", compare=False)
    session_files: tuple[str, ...] = field(default=(), compare=False)
    session_programs: tuple[str, ...] = field(default=(), compare=False)
    agents_of_sessions: frozenset[str] = field(default=frozenset(), compare=False)

    def __post_init__(self) -> None:
        Library.__post_init__(self)
        object.__setattr__(self, "losses", Losses(self.losses))

    @property
    def session_origins(self) -> tuple[SessionOrigin, ...]:
        """The program and the file of each session, in their order; empty texts where that isn't known."""
        count = len(self.sessions)
        if len(self.session_files) == len(self.session_programs) == count:
            return tuple(map(SessionOrigin, self.session_programs, self.session_files))
        is_one = ", " not in self.format
        return (SessionOrigin(self.format, self.source) if is_one else SessionOrigin(),) * count

    def _repr_html_(self) -> str:
        return Library._repr_html_(self) + losses_html(self.losses)

    def __repr__(self) -> str:
        held = self.counts() if self.sessions else [counted(0, "session"), *self.counts()]
        held += [counted(len(self.losses), "loss", "losses")] if self.losses else []
        return f"Import({self.format!r}, {', '.join(held)}, from {self.source!r})"

    def __or__(self, other: Library) -> Import:
        return _import_of_both(self, other)

    def __ror__(self, other: Library) -> Import:
        return _import_of_both(other, self)

    def _session_ids(self) -> str:
        ids = [str(session.id) for session in self.sessions]
        if len(set(ids)) == len(ids) or len(self.session_files) != len(ids):
            return Library._session_ids(self)
        places = range(len(ids))
        if len(ids) > SHOWN_IDS:
            places = sorted(places, key=lambda at: len(self.sessions[at]), reverse=True)[:SHOWN_IDS]
        shown = [f"{ids[at]!r} ({self.session_files[at]})" for at in places]
        more = f" {more_sessions(len(ids) - SHOWN_IDS)}" if len(ids) > SHOWN_IDS else ""
        return f"{', '.join(shown)}{more}; of one id the last is used"

    def _place(self) -> str:
        return self.source or "the library"


def _import_of_both(ours: Library, theirs: Library) -> Import:
    first, second = (each if isinstance(each, Import) else Import() for each in (ours, theirs))
    known = set(first.losses)
    joined = ours.joined_with(theirs)
    from_files = {
        id(s): origin for each in (first, second) for s, origin in zip(each.sessions, each.session_origins, strict=True)
    }
    origins = [from_files.get(id(session), SessionOrigin()) for session in joined["sessions"]]
    return Import(
        **joined,
        losses=(*first.losses, *(loss for loss in second.losses if loss not in known)),
        format=_both(first.format, second.format),
        source=_both(first.source, second.source),
        session_files=tuple([origin.file for origin in origins]),
        session_programs=tuple([origin.program for origin in origins]),
        agents_of_sessions=first.agents_of_sessions | second.agents_of_sessions,
        picture=first.picture if not theirs.agents else second.picture if not ours.agents else b"",
    )


def _both(ours: str, theirs: str) -> str:
    """Each of the names that either lists, once."""
    return ", ".join(dict.fromkeys(name for names in (ours, theirs) for name in names.split(", ") if name))


# --- writing


@dataclass(frozen=True, slots=True, repr=False)
class Export(Generic[T]):
    """Something written: `data` is a file's bytes, its text or its JSON data, `losses` name what it can't hold.

    A notebook shows the beginning of what was written, and the losses. `ctxlab.write` puts any Export into a file.
    """

    data: T
    losses: tuple[Loss, ...] = NONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "losses", Losses(self.losses))

    def __repr__(self) -> str:
        return f"Export({_size(self.data)}, {counted(len(self.losses), 'loss', 'losses')})"

    def __str__(self) -> str:
        return self.data if isinstance(self.data, str) else repr(self)

    def _repr_html_(self) -> str:
        return heading(self) + _beginning(self.data) + losses_html(self.losses)

    def as_bytes(self) -> Export[bytes]:
        """The data as a file's bytes: text in UTF-8, JSON data indented; WriteError for data nested too deeply."""
        if isinstance(self.data, bytes):
            return Export(self.data, self.losses)
        if isinstance(self.data, str):
            return _encoded(self.data, self.losses)
        return Export(as_json(self.data, indent=2), self.losses)

    def after(self, losses: Iterable[Loss]) -> Export[T]:
        """This result with these losses before its own."""
        return Export(self.data, (*losses, *self.losses))


def _encoded(text: str, losses: tuple[Loss, ...]) -> Export[bytes]:
    """A text in UTF-8, with U+FFFD for halves of characters, which it has no bytes for."""
    whole, halves = HALF.subn("\ufffd", text)
    more = (Loss("text", f"{counted(halves, 'lone surrogate')}; U+FFFD is there"),) if halves else ()
    return Export(whole.encode(), (*losses, *more))


HALF: Final = lazy_pattern("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, repr=False)
class Conversion(Export[bytes]):
    """A file that was made of another one; `losses` are those of reading, then those of writing.

    `replaced` says that there was a file before, `repairs` what was mended in broken trees.
    """

    losses_of_reading: int = 0
    replaced: bool = False
    repairs: tuple[str, ...] = ()

    @property
    def lost_in_reading(self) -> tuple[Loss, ...]:
        return self.losses[: self.losses_of_reading]

    @property
    def lost_in_writing(self) -> tuple[Loss, ...]:
        return self.losses[self.losses_of_reading :]


def _beginning(data: object) -> str:
    """The first characters of a text or of JSON data, as they are in the file; of other bytes nothing."""
    if isinstance(data, bytes):
        text = data[: 4 * BEGINNING].decode(errors="replace") if data[:1] in (b"{", b"[", b"#", b"-") else ""
    else:
        text = data if isinstance(data, str) else as_json(data, indent=2).decode()
    if not text:
        return ""
    return f"<pre style='white-space:pre-wrap'>{escape(visible(cut_off(text, BEGINNING)))}</pre>"


def _size(data: object) -> str:
    if isinstance(data, str):
        return f"{len(data):,} characters"
    if isinstance(data, bytes):
        return f"{len(data):,} bytes"
    held = cast("dict[str, Any]", data).get("messages") if isinstance(data, dict) else data
    if isinstance(held, list):
        return counted(len(cast("list[Any]", held)), "message")
    return counted(len(cast("dict[str, Any]", data)), "field")
