"""Everything at hand as one value: sessions, agents, users, models, books, rules, presets, quick actions, knowledge,
files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from itertools import chain
from typing import Any, TypeVar

from ctxlab.argument_checks import checked_arguments, shown
from ctxlab.display.guessed_names import WithHints
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import called, counted, nearest
from ctxlab.documents.agent.agent import Agent, ModelProfile, UserProfile
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.knowledge_base import KnowledgeBase
from ctxlab.documents.lore import Worldbook
from ctxlab.documents.quick_actions import QuickActionSet
from ctxlab.documents.rules import RegexPreset
from ctxlab.documents.same_books import books_taken_once, books_with_entries_in_common
from ctxlab.documents.session.message import MessageNode
from ctxlab.documents.session.session import Session
from ctxlab.documents.stored import Note, Stored
from ctxlab.errors import CtxlabError, ReadError, SeveralSessions, UnknownName, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass

V = TypeVar("V", bound=Stored)

SHOWN_IDS = 8
HASH_CHARACTERS = 12
NO_FILES = FrozenDict()
NOUNS = {
    "sessions": ("session", "sessions"),
    "agents": ("agent", "agents"),
    "users": ("user", "users"),
    "models": ("model", "models"),
    "books": ("book", "books"),
    "rules": ("set of rules", "sets of rules"),
    "presets": ("preset", "presets"),
    "quick_actions": ("set of quick actions", "sets of quick actions"),
    "knowledge_bases": ("knowledge base", "knowledge bases"),
    "files": ("file", "files"),
}
"""One and several of each field, in the order of the fields."""
KINDS: Mapping[str, type[Stored]] = {
    "sessions": Session,
    "agents": Agent,
    "users": UserProfile,
    "models": ModelProfile,
    "books": Worldbook,
    "rules": RegexPreset,
    "presets": MessageNode,
    "quick_actions": QuickActionSet,
    "knowledge_bases": KnowledgeBase,
}


@dataclass(frozen=True, slots=True, repr=False)
class Library(WithHints):
    """Sessions, agents, users, models, books, rules, presets, quick actions, knowledge bases, and files by their path.

    Files are those attached to messages and the agents' own. Values are looked up by id or name. `|` joins two
    libraries and keeps everything: equal values once, different values of one id both, of which a lookup gives the
    later one. A file that is different under the same path is kept as `<path>~<hash>`. `check()` names what is there
    twice.
    """

    sessions: tuple[Session, ...] = ()
    agents: tuple[Agent, ...] = ()
    users: tuple[UserProfile, ...] = ()
    models: tuple[ModelProfile, ...] = ()
    books: tuple[Worldbook, ...] = ()
    rules: tuple[RegexPreset, ...] = ()
    presets: tuple[MessageNode, ...] = ()
    quick_actions: tuple[QuickActionSet, ...] = ()
    knowledge_bases: tuple[KnowledgeBase, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=lambda: NO_FILES)

    def __post_init__(self) -> None:
        for name in NOUNS:
            value = getattr(self, name)
            kind = FrozenDict if name == "files" else tuple
            if type(value) is not kind:
                if not isinstance(value, Mapping if name == "files" else Iterable) or isinstance(value, str | bytes):
                    wanted = "a dict of bytes by path" if name == "files" else f"a list of {NOUNS[name][1]}"
                    raise WrongArgument(f"{name} takes {wanted}, got {shown(value)}", function=type(self).__name__)
                object.__setattr__(self, name, kind(value))
            if name != "files":
                self._refuse_others(name)

    def _refuse_others(self, name: str) -> None:
        for index, value in enumerate(getattr(self, name)):
            if not isinstance(value, KINDS[name]):
                raise WrongArgument(
                    f"{name}[{index}] takes a {KINDS[name].__name__}, got {shown(value)}", function=type(self).__name__
                )

    def __or__(self, other: Library) -> Library:
        joined = self.joined_with(other)
        return self if _same(joined, self) else other if _same(joined, other) else Library(**joined)

    def __repr__(self) -> str:
        return f"Library({', '.join(self.counts()) or 'empty'})"

    def _repr_html_(self) -> str:
        values = (
            (noun, value) for name, (noun, _) in NOUNS.items() if name != "files" for value in getattr(self, name)
        )
        rows = chain(
            ((noun, _id(value), _name(value), _holds(value)) for noun, value in values),
            (("file", path, "", f"{len(data):,} bytes") for path, data in self.files.items()),
        )
        return heading(self) + html_table(("kind", "id", "name", "holds"), rows, of="values")

    @checked_arguments
    def joined_with(self, other: Library) -> dict[str, Any]:
        """The fields of both libraries together, as `|` joins them."""
        joined: dict[str, Any] = {
            name: _union(getattr(self, name), getattr(other, name)) for name in NOUNS if name != "files"
        }
        return {**joined, "files": _files_of_both(self.files, other.files)}

    def counts(self) -> list[str]:
        """The number of values of each kind that is there, with its noun."""
        return [counted(len(getattr(self, name)), *noun) for name, noun in NOUNS.items() if getattr(self, name)]

    def check(self) -> tuple[Note, ...]:
        """Notes on ids that several values have, paths of different files, and books with entries in common."""
        notes: list[Note] = []
        for name, (one, _) in NOUNS.items():
            twice = _twice_in_files(self.files) if name == "files" else _twice(getattr(self, name))
            notes += [Note("warning", f"{one} {id!r} is there {times} times; the last is used") for id, times in twice]
        books, taken_once = books_taken_once(self.books, named=())
        return (*notes, *taken_once, *books_with_entries_in_common(books))

    # --- lookups

    @checked_arguments
    def agent(self, name: str | None = None) -> Agent:
        """The agent of this id, else of this name; without a name the only agent."""
        return self._one(self.agents, "agents", name)

    @checked_arguments
    def user(self, name: str | None = None) -> UserProfile:
        """The user profile of this id, else of this name; without a name the only one."""
        return self._one(self.users, "users", name)

    @checked_arguments
    def model(self, name: str | None = None) -> ModelProfile:
        """The model profile of this id, else of this name; without a name the only one."""
        return self._one(self.models, "models", name)

    @checked_arguments
    def book(self, name: str | None = None) -> Worldbook:
        """The worldbook of this id, else of this name; without a name the only one."""
        return self._one(self.books, "books", name)

    @checked_arguments
    def rule_set(self, name: str | None = None) -> RegexPreset:
        """The set of rules of this id, else of this name; without a name the only one."""
        return self._one(self.rules, "rules", name)

    @checked_arguments
    def preset(self, name: str | None = None) -> MessageNode:
        """The preset of this id, else of this name; without a name the only one."""
        return self._one(self.presets, "presets", name)

    @checked_arguments
    def quick_action_set(self, name: str | None = None) -> QuickActionSet:
        """The set of quick actions of this id, else of this name; without a name the only one."""
        return self._one(self.quick_actions, "quick_actions", name)

    @checked_arguments
    def knowledge_base(self, name: str | None = None) -> KnowledgeBase:
        """The knowledge base of this id, else of this name; without a name the only one."""
        return self._one(self.knowledge_bases, "knowledge_bases", name)

    @checked_arguments
    def session(self, name: str | None = None) -> Session:
        """The session of this id, else of this name; without a name the only one."""
        return self.pick() if name is None else self._one(self.sessions, "sessions", name)

    @checked_arguments
    def pick(self, which: int | str | None = None) -> Session:
        """The only session, or the one of this index or id; raises SeveralSessions when it has to be said which."""
        if not self.sessions:
            others = " and ".join(count for count in self.counts() if not count.endswith(NOUNS["files"]))
            raise ReadError(f"{self._place()} holds no session, only {others or 'nothing that is read'}")
        if which is None:
            only, *others = self.sessions
            if others:
                raise SeveralSessions(
                    f"{self._place()} holds {len(self.sessions)} sessions: {self._session_ids()}; "
                    "say which with pick=, an index or an id"
                )
            return only
        if isinstance(which, int):
            return self._session_at(which)
        for session in reversed(self.sessions):
            if session.id == which:
                return session
        near = did_you_mean(which, [session.id for session in self.sessions])
        if "did you mean" not in near:
            near = f"; there are: {self._session_ids()}"
        raise SeveralSessions(f"{self._place()} has no session {which!r} for pick={near}")

    @checked_arguments
    def books_for(self, agent: Agent | None = None, user: UserProfile | None = None) -> tuple[Worldbook, ...]:
        """The books that the agent or the user names in `worldbook_ids`; of several with one id the last."""
        named = {*(agent.worldbook_ids if agent else ()), *(user.worldbook_ids if user else ())}
        if not named:
            return ()
        last = {book.book_id: book for book in self.books}
        return tuple(book for book in self.books if book.book_id in named and last[book.book_id] is book)

    def books_of_nobody(self) -> tuple[Worldbook, ...]:
        """The books that no agent and no user of the library names; of several with one id the last."""
        named = {id for speaker in (*self.agents, *self.users) for id in speaker.worldbook_ids}
        last = {book.book_id: book for book in self.books}
        return tuple(book for book in self.books if book.book_id not in named and last[book.book_id] is book)

    def rules_inside(self) -> tuple[RegexPreset, ...]:
        """The sets of rules; where there are none those that the agents and the users bring."""
        configs = [speaker.regex_config for speaker in (*self.agents, *self.users) if speaker.regex_config is not None]
        return self.rules or tuple(preset for config in configs for preset in config.presets)

    def _session_ids(self) -> str:
        """The ids of the sessions in a message; of many those with most messages, and what lists the others."""
        longest = sorted(self.sessions, key=len, reverse=True)[:SHOWN_IDS]
        if len(longest) == len(self.sessions):
            return _some_ids(self.sessions)
        return f"{_some_ids(longest)} {more_sessions(len(self.sessions) - len(longest))}"

    def _place(self) -> str:
        """The library's name in a message."""
        return "the library"

    def _session_at(self, index: int) -> Session:
        count = len(self.sessions)
        if not -count <= index < count:
            raise SeveralSessions(f"{self._place()} has no session {index} for pick=; indexes are 0 to {count - 1}")
        return self.sessions[index]

    def _one(self, values: Sequence[V], kind: str, name: str | None) -> V:
        one, many = NOUNS[kind]
        if name is None:
            if len(values) == 1:
                return values[0]
            which = f": {_some_ids(values)}; say which, by id or name" if values else ""
            raise CtxlabError(f"{self._place()} holds {len(values)} {many}, not one{which}")
        found = {_id(value): value for value in values if name == _id(value)}
        found = found or {_id(value): value for value in values if name in _names(value)}
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            ids = _some_ids(tuple(found.values()))
            raise CtxlabError(f"{self._place()} holds {len(found)} {many} named {name!r}: {ids}; say which by its id")
        near = nearest(name, list(dict.fromkeys(called for value in values for called in (_id(value), *_names(value)))))
        raise UnknownName(f"{self._place()} has no {one} {name!r}{near}", near=near)


# --- ids and names


def _id(value: Any) -> str:
    return value.book_id if isinstance(value, Worldbook) else str(value.id)


def _name(value: Any) -> str:
    return str(getattr(value, "shown_name", None) or getattr(value, "name", None) or "")


def _names(value: Any) -> tuple[str, ...]:
    found = (getattr(value, "name", None), getattr(value, "profile_name", None), _name(value))
    return tuple(dict.fromkeys(str(name) for name in found if name))


def _holds(value: Stored) -> str:
    """The parts of a value's repr besides its id and name."""
    names = called(_id(value), _name(value))
    return ", ".join(part for part in value._repr_parts() if part not in names)  # pyright: ignore[reportPrivateUsage]


def more_sessions(count: int) -> str:
    """The end of a list of sessions that leaves so many out, the shorter ones."""
    return f"and {count} more with fewer messages, which branches(library).summary() lists"


def _some_ids(values: Sequence[Stored]) -> str:
    ids = [repr(_id(value)) for value in values[:SHOWN_IDS]]
    more = len(values) - len(ids)
    return ", ".join(ids) + (f" and {more} more" if more else "")


# --- joining


def _union(ours: tuple[V, ...], theirs: tuple[V, ...]) -> tuple[V, ...]:
    """All values; what is in both keeps its later place, so that the last of an id is the one that came last."""
    if not ours or not theirs:
        return ours or theirs
    there: dict[tuple[str, str], list[V]] = {}
    for value in theirs:
        there.setdefault((_id(value), _name(value)), []).append(value)
    kept = [value for value in ours if not _among(value, there.get((_id(value), _name(value)), ()))]
    return (*kept, *theirs) if kept else theirs


def _among(value: V, others: Iterable[V]) -> bool:
    return any(_equal(value, other) for other in others)


def _equal(one: Stored, other: Stored) -> bool:
    try:
        return one is other or one == other
    except RecursionError:  # of data that is nested too deeply to be compared both are kept
        return False


def _files_of_both(ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """All files; ours that is different under the same path is kept as `<path>~<hash>`."""
    if not ours or not theirs:
        return theirs or ours
    both = {path: data for path, data in ours.items() if path not in theirs} | dict(theirs)
    for path, data in ours.items():
        if both[path] != data:
            both[_beside(path, data)] = data
    return FrozenDict({path: data for path, data in both.items() if not _is_there(path, data, both)})


def _beside(path: str, data: bytes) -> str:
    return f"{path}~{sha256(data).hexdigest()[:HASH_CHARACTERS]}"


def _is_there(path: str, data: bytes, files: Mapping[str, bytes]) -> bool:
    """Whether a file that was put beside another is under its own path again."""
    before = _path_of(path, data)
    return before is not None and files.get(before) == data


def _path_of(path: str, data: bytes) -> str | None:
    """The path that a file had before another took it; None for a file that is where it was."""
    before, sign, _ = path.rpartition("~")
    return before if sign and path == _beside(before, data) else None


def _twice(values: Sequence[Stored]) -> Iterator[tuple[str, int]]:
    times: dict[str, int] = {}
    for value in values:
        times[_id(value)] = times.get(_id(value), 0) + 1
    return ((id, n) for id, n in times.items() if n > 1 and id)


def _twice_in_files(files: Mapping[str, bytes]) -> Iterator[tuple[str, int]]:
    times: dict[str, int] = {}
    for path, data in files.items():
        first = _path_of(path, data)
        if first is not None and first in files:
            times[first] = times.get(first, 1) + 1
    return iter(times.items())


def _same(fields: Mapping[str, object], library: Library) -> bool:
    return all(fields[name] is getattr(library, name) for name in NOUNS)
