"""Cases of a survey: many conversations as they are, read one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.documents import Library, Session
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.formats.session_tree_builder import title
from ctxlab.studies.study.case import BrokenCase, Case

MANY = (list, tuple)
GROUP = "group"
"""The field of a session in which a format says of what task it is one run."""


class SurveyCases:
    """A case for each conversation of sessions, libraries and files; a file is read when its turn comes.

    A case is named as its conversation is, or by the conversation's id where that name is only its first words; two of
    one name have numbers. What it belongs to is what `group`, a pattern with one group, finds in that name, else what
    its file's format says: the task of which it is one run. One that can't be read is a case that could not be made.
    """

    def __init__(
        self, sources: Iterable[Any] | Callable[[], Iterable[Any]], *, group: re.Pattern[str] | None = None
    ) -> None:
        self._sources = sources
        self._group = group
        self._grouped: dict[str, str] = {}

    def __call__(self) -> Iterator[Case | BrokenCase]:
        found = self._sources() if callable(self._sources) else self._sources
        taken: dict[str, int] = {}
        for i, source in enumerate(found):
            name = str(source) if isinstance(source, str | Path) else f"sessions[{i}]"
            try:
                sessions, options = _sessions(source, name)
            except WrongArgument:
                raise
            except CtxlabError as problem:
                case = _numbered(name, taken)
                yield BrokenCase(case, case, str(problem))
                continue
            for session in sessions:
                case = _numbered(_own_name(session), taken)
                yield Case(case, self._belongs_to(case, session), session, options=options)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence where several cases are runs of one task by what their files say."""
        groups = len(set(self._grouped.values()))
        if groups == len(self._grouped):
            return ()
        cases = counted(len(self._grouped), "case")
        return (f"{cases} are runs of {counted(groups, 'task')}, as their file says: runs of one task count as one",)

    def _belongs_to(self, case: str, session: Session) -> str:
        if self._group is not None:
            found = self._group.search(case)
            return (found[1] if found is not None else None) or case
        group = (session.model_extra or {}).get(GROUP)
        if not isinstance(group, str) or not group:
            return case
        self._grouped[case] = group
        return group


def _own_name(session: Session) -> str:
    """The name of a conversation, or its id where the name is nothing but its first words."""
    if not session.id or not session.name:
        return session.name or session.id
    first = next((node.content for node in session.nodes.values() if node.role == "user"), "")
    return session.id if session.name == title(first) else session.name


def _numbered(name: str, taken: dict[str, int]) -> str:
    """The name, with a number behind it where it is taken."""
    number = taken[name] = taken.get(name, 0) + 1
    if number == 1:
        return name
    return _numbered(f"{name} ({number})", taken)


def _sessions(source: Any, name: str) -> tuple[Sequence[Session], Mapping[str, Any]]:
    """The conversations of one source, and who and what came with them; raises CtxlabError where there is none."""
    if isinstance(source, Session):
        return (source,), {}
    if isinstance(source, Library):
        found = source
    elif isinstance(source, str | Path):
        from ctxlab import formats

        found = formats.read(source)
    else:
        raise WrongArgument(f"sessions takes sessions, libraries and paths, got a {type(source).__name__}")
    if not found.sessions:
        raise CtxlabError(f"{name} holds no conversation")
    beside = {name: getattr(found, name) for name in ("agents", "users", "models", "books", "files")}
    options: dict[str, Any] = {"library": Library(**beside)} if any(beside.values()) else {}
    options |= {"books": found.books_of_nobody()} if found.books_of_nobody() else {}
    return found.sessions, options | ({"rules": found.rules} if found.rules else {})


def sources_of(sessions: Any) -> Iterable[Any] | Callable[[], Iterable[Any]]:
    """Several sources as they are, one alone as a row of one."""
    is_one = isinstance(sessions, (str, Path, Session, Library))
    return (sessions,) if is_one else sessions
