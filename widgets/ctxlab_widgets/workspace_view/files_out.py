"""A value of a workspace as a file of any format that is written, and what is known of its own file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ctxlab
from ctxlab import formats
from ctxlab.display.short_texts import counted
from ctxlab.documents.stored import Stored
from ctxlab.errors import CtxlabError
from ctxlab.storage.file_names import file_stem
from ctxlab.storage.kinds import KindName
from ctxlab.storage.revisions import revision_of, without_revision
from ctxlab.storage.workspace import Workspace

LONGEST_NAME = 60
"""Characters of a value's name that are in the name of a file."""
UNWANTED = frozenset('/\\:*?"<>|')
"""Characters that some system takes in no name of a file."""


def endings_of(kind: str) -> dict[str, str]:
    """By name of a format that a value of this kind is written in, the ending of such a file."""
    return {
        form.name: form.endings[0] for form in formats.FORMATS if form.write and form.endings and kind in form.holds
    }


def exported(value: Stored, kind: str, name: str, format: str) -> tuple[str, bytes, dict[str, Any]]:
    """The name of the file, its bytes, and what came of it: `{"text", "losses"}`. Raises CtxlabError."""
    endings = endings_of(kind)
    if format not in endings:
        raise CtxlabError(f"this is written as {', '.join(endings) or 'no file'}, not as {format[:40]!r}")
    file = f"{_stem(name)}{endings[format]}"
    with TemporaryDirectory() as folder:
        export = ctxlab.write(without_revision(value), Path(folder) / f"export{endings[format]}", format=format)
    text = f"{file}: {counted(len(export.data), 'byte')}"
    return file, export.data, {"text": text, "losses": [str(loss) for loss in export.losses]}


def on_disk(workspace: Workspace, kind: KindName, id: str, value: Stored) -> list[tuple[str, str]]:
    """Names and words: the file of a value, its revision, and in a folder its size."""
    path = workspace.path_of(id, kind=kind)
    revision = revision_of(value)
    found = [("file", path), ("revision", f"{revision.number:,}" if revision is not None else "none")]
    if workspace.folder is not None and (file := workspace.folder / path).is_file():
        found.append(("size", counted(file.stat().st_size, "byte")))
    return found


def _stem(name: str) -> str:
    """The printable characters of a name that every system takes, a few of them; never none."""
    kept = "".join(each for each in name if each.isprintable() and each not in UNWANTED).strip(" .")
    return kept[:LONGEST_NAME].strip(" .") or file_stem(name)[:LONGEST_NAME] or "value"
