"""Cases of a survey: many conversations as they are, read one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxlab.display.progress import ProgressOption, progress_of
from ctxlab.display.short_texts import counted
from ctxlab.documents import Library, Session
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.formats.folder import FolderParts
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import title
from ctxlab.studies.study.case import BrokenCase, Case

MANY = (list, tuple)
GROUP = "group"
"""The field of a session in which a format says of what task it is one run."""


class SurveyCases:
    """A case for each conversation of sessions, libraries and files; a file is read when its turn comes.

    A folder is its files: each is read when its turn comes, with the cards, books and rules of the folder, and a
    conversation that stands in two of them is one case. A case is named as its conversation is, or by the
    conversation's id where that name is only its first words; two of one name have numbers. What it belongs to is what
    `group`, a pattern with one group, finds in that name, else what its file's format says: the task of which it is one
    run. One that can't be read is a case that could not be made.
    """

    def __init__(
        self, sources: Iterable[Any] | Callable[[], Iterable[Any]], *, group: re.Pattern[str] | None = None
    ) -> None:
        self._sources = sources
        self._group = group
        self._grouped: dict[str, str] = {}
        self._folders: dict[str, FolderParts] = {}
        self._losses: dict[str, tuple[Loss, ...]] = {}
        self.share = 0.0
        """The share of the sources whose cases were given, in [0, 1]; 0 where their number isn't known."""

    def prepare(self, progress: ProgressOption) -> None:
        """Look once at the files of each folder, which counts them and finds what is for all of its conversations."""
        for source in self._known():
            if isinstance(source, str | Path) and (place := Path(source).expanduser()).is_dir():
                # A function is told of the work itself alone, of which this is no share.
                with progress_of(f"looking through {place.name}", progress is True) as step:
                    self._folder(source, step)

    @property
    def work(self) -> str | None:
        """The number of sources in words, such as "1,500 files"; None where the number of sources isn't known."""
        known = self._known()
        files = sum(isinstance(each, str | Path) for each in known)
        total = self._total()
        if not total:
            return None
        return counted(total, "file" if files == len(known) else "source")

    def __call__(self) -> Iterator[Case | BrokenCase]:
        taken: dict[str, int] = {}
        total = self._total()
        self.share = 0.0
        for number, (name, parts) in enumerate(self._parts()):
            if isinstance(parts, CtxlabError):
                case = _numbered(name, taken)
                yield BrokenCase(case, case, str(parts))
                continue
            sessions, options = parts
            for i, session in enumerate(sessions):
                case = _numbered(_own_name(session), taken)
                self.share = min(1.0, (number + i / len(sessions)) / total) if total else 0.0
                yield Case(case, self._belongs_to(case, session), session, options=options)
        self.share = 1.0 if total else 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on files that are left out, on what was lost in reading, and on cases that are runs of one task."""
        groups = len(set(self._grouped.values()))
        if groups == len(self._grouped):
            return self.files_left_out
        cases = counted(len(self._grouped), "case")
        runs = f"{cases} are runs of {counted(groups, 'task')}, as their file says: runs of one task count as one"
        return (*self.files_left_out, runs)

    @property
    def files_left_out(self) -> tuple[str, ...]:
        """Sentences on files of folders that hold nothing that is read, and on what was lost in reading others."""
        found = [said for parts in self._folders.values() for said in parts.left_out_sentences()]
        if self._losses:
            name, (first, *_) = next(iter(self._losses.items()))
            losses = counted(sum(map(len, self._losses.values())), "thing")
            said = first if Path(name).name in first.place else first.inside(name)
            found.append(f"{losses} lost in reading {counted(len(self._losses), 'file')}; the first: {said}")
        return tuple(found)

    def _known(self) -> Sequence[Any]:
        """The sources where they are a row, which is looked at again; none where they come one by one."""
        return self._sources if isinstance(self._sources, MANY) else ()

    def _total(self) -> int:
        return sum(
            len(self._folders[str(each)]) if isinstance(each, str | Path) and str(each) in self._folders else 1
            for each in self._known()
        )

    def _folder(self, source: str | Path, step: Callable[[float], object] | None = None) -> FolderParts:
        from ctxlab import formats

        if str(source) not in self._folders:
            self._folders[str(source)] = formats.folder_parts(source, step=step)
        return self._folders[str(source)]

    def _parts(self) -> Iterator[tuple[str, tuple[Sequence[Session], Mapping[str, Any]] | CtxlabError]]:
        """Conversations that come together, with what came with them; or why there are none."""
        found = self._sources() if callable(self._sources) else self._sources
        for i, source in enumerate(found):
            name = str(source) if isinstance(source, str | Path) else f"sessions[{i}]"
            if isinstance(source, str | Path) and Path(source).expanduser().is_dir():
                yield from self._parts_of_folder(source)
                continue
            try:
                sessions, options, losses = _sessions(source, name)
            except WrongArgument:
                raise
            except CtxlabError as problem:
                yield name, problem
                continue
            if losses:
                self._losses[name] = losses
            yield name, (sessions, options)

    def _parts_of_folder(
        self, source: str | Path
    ) -> Iterator[tuple[str, tuple[Sequence[Session], Mapping[str, Any]] | CtxlabError]]:
        folder = self._folder(source)
        if not len(folder):
            yield str(source), CtxlabError(folder.refusal())
        for_all = _options(folder.for_sessions(Library()))  # one value for all, so that its hash is taken once
        for place, part in folder:
            name = f"{source}/{place}"
            if isinstance(part, CtxlabError):
                yield name, part
                continue
            if part.losses:
                self._losses[name] = part.losses
            has_own = part.counts() != Library(part.sessions).counts()
            yield name, (part.sessions, _options(folder.for_sessions(part)) if has_own else for_all)

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


def _sessions(source: Any, name: str) -> tuple[Sequence[Session], Mapping[str, Any], tuple[Loss, ...]]:
    """The conversations of one source, who and what came with them, and what was lost; CtxlabError for none."""
    if isinstance(source, Session):
        return (source,), {}, ()
    if isinstance(source, Library):
        found, losses = source, ()
    elif isinstance(source, str | Path):
        from ctxlab import formats

        found = formats.read(source)
        losses = found.losses
    else:
        raise WrongArgument(f"sessions takes sessions, libraries and paths, got a {type(source).__name__}")
    if not found.sessions:
        raise CtxlabError(f"{name} holds no conversation")
    return found.sessions, _options(found), losses


def _options(found: Library) -> Mapping[str, Any]:
    """Options of a build for what lies beside conversations."""
    beside = {name: getattr(found, name) for name in ("agents", "users", "models", "books", "files")}
    own = found.agents_of_sessions if isinstance(found, Import) else frozenset[str]()
    options: dict[str, Any] = {"library": Import(**beside, agents_of_sessions=own)} if any(beside.values()) else {}
    options |= {"books": found.books_of_nobody()} if found.books_of_nobody() else {}
    return options | ({"rules": found.rules} if found.rules else {})


def sources_of(sessions: Any) -> Iterable[Any] | Callable[[], Iterable[Any]]:
    """Several sources as they are, one alone as a row of one."""
    is_one = isinstance(sessions, (str, Path, Session, Library))
    return (sessions,) if is_one else sessions
