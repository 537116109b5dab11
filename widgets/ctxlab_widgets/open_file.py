"""A file that is dropped on a page, as a run: a conversation is built, anything else is put into the run there is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

import ctxlab
from ctxlab.documents import Library, RegexConfig
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace

LONGEST_NAME = 60
"""Characters of a file's name that are used, its last ones: no name is too long for the disk then."""
PLAIN = (str, int, float, bool, type(None), os.PathLike)


def run_of_file(run: Trace, name: str, data: bytes) -> Trace:
    """The run of a file's conversation; or of a file without one, the run with its agent, books, rules or user.

    Raises ReadError for what can't be read, CtxlabError for a file with nothing to show.
    """
    library = _read(name, data)
    if library.sessions:
        return ctxlab.build(library)
    changes: dict[str, Any] = {}
    if library.agents:
        changes["agent"] = library
    elif library.books:
        changes["books"] = [*_without(run.start.input.books, library.books), *library.books]
    if library.rules and not library.agents:
        changes["rules"] = RegexConfig(presets=(*run.start.input.rules.presets, *library.rules))
    if library.users:
        changes["user"] = library.user()
    if not changes:
        raise CtxlabError(f"{_base(name)} holds no conversation, agent, book, rules or user")
    return ctxlab.rebuild(run, **changes)


def _read(name: str, data: bytes) -> Library:
    """The name of a file comes from a page: only what stands behind its last separator is used."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / _base(name)
        path.write_bytes(data)
        try:
            return ctxlab.read(path)
        except CtxlabError as problem:
            raise CtxlabError(str(problem).replace(f"{folder}{os.sep}", "")) from None


def _base(name: str) -> str:
    base = PurePath(name.replace("\\", "/")).name.replace("\0", "")[-LONGEST_NAME:]
    return base if base not in ("", ".", "..") else "file"


def _without(books: tuple[Any, ...], others: tuple[Any, ...]) -> list[Any]:
    ids = {book.book_id for book in others}
    return [book for book in books if book.book_id not in ids]


def call_as_code(shown: object, agent: object, options: Mapping[str, Any]) -> str:
    """The call of `ctxlab.build` as code, where all it was given can be written down; else empty.

    >>> call_as_code("chat.json", None, {"budget_tokens": 1800})
    "run = ctxlab.build('chat.json', budget_tokens=1800)"
    """
    given = (shown, agent, *options.values())
    if shown is None or not all(map(_is_plain, given)):
        return ""
    parts = [_written(shown), *([_written(agent)] if agent is not None else [])]
    parts += [f"{name}={_written(value)}" for name, value in options.items()]
    return f"run = ctxlab.build({', '.join(parts)})"


def _is_plain(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    return isinstance(value, PLAIN)


def _written(value: object) -> str:
    return repr(os.fspath(value)) if isinstance(value, os.PathLike) else repr(value)
