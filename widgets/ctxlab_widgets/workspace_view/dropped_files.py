"""Files that come from the page, read and put into a workspace."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

import ctxlab
from ctxlab.documents import Library
from ctxlab.errors import CtxlabError

LONGEST_NAME = 60
"""Characters of a file's name that are used, its last ones: no name is too long for the disk then."""
PASTED = "pasted.txt"
MOST_LOSSES = 100
KNOWLEDGE = ".knowledge.json"


def library_of(name: str, data: bytes) -> Library:
    """All that a file holds. Of its name, which comes from a page, only what is behind the last separator is used."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / _base(name)
        path.write_bytes(data)
        try:
            return ctxlab.read(path)
        except CtxlabError as problem:
            raise CtxlabError(str(problem).replace(f"{folder}{os.sep}", "")) from None


def knowledge_of(name: str, data: bytes) -> Library:
    """The knowledge bases of a file, else one of its text that has its name, with what was lost of it."""
    if _base(name).endswith(KNOWLEDGE):
        return library_of(name, data)
    with TemporaryDirectory() as folder:
        path = Path(folder) / _base(name)
        path.write_bytes(data)
        try:
            return Library(knowledge_bases=(ctxlab.knowledge_base(path.stem, path),))
        except CtxlabError as problem:
            raise CtxlabError(str(problem).replace(f"{folder}{os.sep}", "")) from None


def pasted_name(text: str) -> str:
    """A name for pasted text by which its format is found: JSON by its first character, lines of JSON by several."""
    start = text.lstrip()[:1]
    if start not in "{[" or not start:
        return PASTED
    lines = [line for line in text.splitlines() if line.strip()]
    several = len(lines) > 1 and all(line[:1] == "{" and line.rstrip()[-1:] == "}" for line in lines[:3])
    return "pasted.jsonl" if several else "pasted.json"


def added_as_data(name: str, added: Any, library: Library) -> dict[str, Any]:
    """`{"text", "losses"}`: what came of it in one sentence, and what couldn't be carried over."""
    own = [loss for base in library.knowledge_bases for loss in base.losses]
    losses = list(dict.fromkeys([*map(str, getattr(added, "losses", None) or getattr(library, "losses", ())), *own]))
    more = len(losses) - MOST_LOSSES
    shown = [*losses[:MOST_LOSSES], *([f"and {more:,} more"] if more > 0 else [])]
    return {"text": f"{_base(name)}: {_summary(added)}", "losses": shown}


def _summary(added: Any) -> str:
    return ", ".join(added.in_words())


def _base(name: str) -> str:
    base = PurePath(name.replace("\\", "/")).name.replace("\0", "")[-LONGEST_NAME:]
    return base if base not in ("", ".", "..") else "file"
