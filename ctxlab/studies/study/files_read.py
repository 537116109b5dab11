"""Files that options of a build name by their paths, each read once: what is built is what the cells' keys are of."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ctxlab.documents import Library, Session
from ctxlab.studies.study.case import BrokenCase, Case
from ctxlab.studies.study.content_hash import content_hash
from ctxlab.studies.study.files_of_folder import folder_hash

if TYPE_CHECKING:
    from ctxlab.studies.study.plan import StudyPlan

READ = ("agent", "agents", "books", "knowledge", "library", "rules", "user")
"""Options of a build in which a path is a file that is read."""
FOLDERS = ("assets",)
"""Options in which a path is a folder."""
MOST_FILES = 32
"""Files that are kept, those that were asked for last."""
MOST_SESSIONS = 4


class FilesRead:
    """Files by path as they were when a run met them; one that can't be read is left to the build to refuse."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, Library | str] = OrderedDict()
        self._sessions: OrderedDict[int, tuple[object, bytes]] = OrderedDict()
        self._libraries: OrderedDict[int, tuple[object, bytes]] = OrderedDict()

    def __repr__(self) -> str:
        return f"FilesRead({len(self._files)} files)"

    def __getstate__(self) -> dict[str, Any]:
        """Without hashes, which are those of objects of this process."""
        return {"_files": self._files, "_sessions": OrderedDict(), "_libraries": OrderedDict()}

    def plan(self, plan: StudyPlan) -> StudyPlan:
        """The plan with what is in the files that it names."""
        variants = tuple([replace(each, options=self.options(each.options)) for each in plan.variants])
        return replace(plan, options=self.options(plan.options), variants=variants)

    def case(self, case: Case | BrokenCase) -> Case | BrokenCase:
        """The case with what is in the files that it names."""
        if not isinstance(case, Case):
            return case
        session: Any = case.session
        if not _is_path(session) and not any(name in case.options for name in READ):
            return case
        return replace(case, session=self._read(session), options=self.options(case.options))

    def options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Options with what is in the files that they name."""
        if not any(name in options for name in READ):
            return options
        return {name: self._read_each(value) if name in READ else value for name, value in options.items()}

    def _read_each(self, value: Any) -> Any:
        return [self._read(each) for each in cast("list[Any]", value)] if _is_row(value) else self._read(value)

    def _read(self, value: Any) -> Any:
        """The library of a path; anything else, and the path of what can't be read, as it is."""
        found = self._file(value) if _is_path(value) else value
        return value if isinstance(found, str) else found

    def _file(self, path: str | os.PathLike[str]) -> Library | str:
        """The bytes of a file, or the sentence that says why it can't be read."""
        from ctxlab import formats

        name = str(Path(path).expanduser().absolute()) if _is_there(path) else os.fspath(path)
        if name not in self._files:
            try:
                self._files[name] = formats.read(path)
            except Exception as problem:  # whatever a file makes its reader raise, the build raises too
                self._files[name] = str(problem)
        return _recent(self._files, name, MOST_FILES)

    # --- hashes

    def hash_of(self, value: object) -> bytes:
        """The hash of a value, kept where it is a session or a library, which several cases may share."""
        if isinstance(value, Library):
            known, most = self._libraries, MOST_FILES
        elif isinstance(value, Session):
            known, most = self._sessions, MOST_SESSIONS
        else:
            return content_hash(value)
        if id(value) not in known:
            known[id(value)] = (value, content_hash(_held(value)))  # held, so that no other has its id
        return _recent(known, id(value), most)[1]

    def hash_of_options(self, options: Mapping[str, Any]) -> bytes:
        """The hash of options by what is in their files and folders, not by where these are."""
        return content_hash({name: self._content(name, value) for name, value in options.items()})

    def _content(self, name: str, value: Any) -> Any:
        if name in FOLDERS and _is_path(value):
            return ("folder", folder_hash(Path(value).expanduser()))
        if name not in READ:
            return value
        if _is_row(value):
            return [self._content(name, each) for each in cast("list[Any]", value)]
        if _is_path(value):
            return (os.fspath(value), self._file(value))
        return self.hash_of(value) if isinstance(value, Library) else value


def _held(value: Session | Library) -> object:
    """The content of a session or a library; of one that was read not where it was."""
    if isinstance(value, Session):
        return value
    own = sorted(getattr(value, "agents_of_sessions", ()))
    return (
        [getattr(value, each.name) for each in fields(Library)],
        getattr(value, "format", ""),
        *((own,) if own else ()),
    )


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def _is_row(value: object) -> bool:
    return isinstance(value, list | tuple)


def _is_there(path: str | os.PathLike[str]) -> bool:
    try:
        return Path(path).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # too long, with a null character, of an unknown user
        return False


def _recent(kept: OrderedDict[Any, Any], key: object, most: int) -> Any:
    kept.move_to_end(key)
    found = kept[key]
    if len(kept) > most:
        kept.popitem(last=False)
    return found
