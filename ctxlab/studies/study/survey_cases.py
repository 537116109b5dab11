"""Cases of a survey: many conversations as they are, read one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxlab.documents import Library, Session
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.studies.study.case import BrokenCase, Case

MANY = (list, tuple)


class SurveyCases:
    """A case for each conversation of sessions, libraries and files; a file is read when its turn comes.

    One that can't be read, or has none, is a case that could not be made. Two conversations of one name have numbers.
    """

    def __init__(self, sources: Iterable[Any] | Callable[[], Iterable[Any]]) -> None:
        self._sources = sources

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
                case = _numbered(session.name or session.id, taken)
                yield Case(case, case, session, options=options)


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
