"""A file format as one value: how a file of it is recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Literal

from ctxlab.formats.results import Export, Import
from ctxlab.formats.source import Source
from ctxlab.lazy_dataclass import dataclass

Kind = Literal["sessions", "agents", "users", "books", "rules", "quick_actions", "knowledge_bases"]
"""Kinds of values in a file, as fields of an Import."""
Pick = int | str | None
"""One of several values: its index, id or name; None is the only one, or all where a file holds all."""


def always(data: Any) -> bool:
    """Yes, of whatever data."""
    return True


def never(data: Any) -> bool:
    """No, of whatever data."""
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """A file format; `sniff` and `read` are None where it is only written, `write` where it is only read.

    `noun` is an item of such a file, in messages. `endings` of file names ask for it, the longest of all formats that
    fits. `sniff` recognises parsed data by its content. `read` may leave the Import's `format` and `source` empty.
    `write` gives the file's bytes, with a Loss for everything that isn't in them; `holds` are the kinds of values of
    which it needs one, none for a format that checks that itself. `only_conversations` says of recognised data whether
    there is nothing in it for other conversations, such as a card or a book.
    """

    name: str
    noun: str
    endings: tuple[str, ...] = ()
    sniff: Callable[[Any], bool] | None = field(default=None, repr=False)
    read: Callable[[Source], Import] | None = field(default=None, repr=False)
    write: Callable[[Import, Pick], Export[bytes]] | None = field(default=None, repr=False)
    holds: tuple[Kind, ...] = ()
    only_conversations: Callable[[Any], bool] = field(default=never, repr=False)
