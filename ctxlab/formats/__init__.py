"""Coming and going: readers and writers, each of which says what it could not carry.

What a file is, is told by its content, not by its name. A format is one file with a `READER`, and one line here.
"""

from __future__ import annotations

import os
from typing import Any

from ctxlab.errors import BrokenFile, UnknownFormat
from ctxlab.formats import memorybank, oasst, openai, seed, sharegpt, swe_agent, tau_bench
from ctxlab.formats.cleaning import cleaned
from ctxlab.formats.elsewhere import name_of
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.material import Material, Reader, described
from ctxlab.formats.openai_export import Export, openai_messages, write_openai
from ctxlab.formats.parsing import loaded
from ctxlab.formats.writing import session_json, write_session

__all__ = [
    "READERS",
    "Export",
    "Import",
    "Loss",
    "Material",
    "Reader",
    "names",
    "openai_messages",
    "read",
    "read_data",
    "session_json",
    "write_openai",
    "write_session",
]

READERS: tuple[Reader, ...] = (
    seed.READER,
    tau_bench.READER,
    swe_agent.READER,
    oasst.READER,
    sharegpt.READER,
    memorybank.READER,
    openai.READER,
)
"""Formats in the order they are tried: the one with the most telling keys first."""


def names() -> tuple[str, ...]:
    """Names of the formats that are read."""
    return tuple(reader.name for reader in READERS)


def read(path: str | os.PathLike[str]) -> Import:
    """Everything in a file, whatever its format; raises ReadError when there is nothing that can be read."""
    return _read(loaded(path, known=_known()))


def read_data(data: Any, *, source: str = "data") -> Import:
    """The same for parsed JSON, such as a list of message dicts; the data is copied, not kept."""
    try:
        plain, losses = cleaned(data)
    except RecursionError as error:
        raise BrokenFile(f"{source} is {error}, or holds itself") from None
    return _read(Material(plain, source, losses=tuple(losses)))


def _read(material: Material) -> Import:
    for reader in READERS:
        if reader.sniff(material.data):
            try:
                return reader.read(material)
            except RecursionError:
                raise BrokenFile(f"{material.source} is nested too deeply to be read") from None
    name = name_of(material.data)
    if name is not None:
        raise UnknownFormat(f"{material.source} is {name}, which is not read yet; formats: {_known()}")
    raise UnknownFormat(
        f"{material.source} is in no known format: it is {described(material.data)}; formats: {_known()}"
    )


def _known() -> str:
    return ", ".join(names())
