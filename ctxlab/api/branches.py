"""The branches of conversations, measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ctxlab.api.sources import SessionSource, session_or_library
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.progress import ProgressOption, progress_of
from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.errors import ReadError
from ctxlab.formats.results import Import, SessionOrigin
from ctxlab.pipeline.services import TokenCounter

if TYPE_CHECKING:
    from ctxlab.studies.branches import SessionBranches

BranchSource: TypeAlias = SessionSource | Sequence[Session]


@checked_arguments
def branches(
    sessions: BranchSource, *, tokenizer: TokenCounter | str | None = None, progress: ProgressOption = True
) -> SessionBranches:
    """The branches of a session, or of every session of a library, a path or a list, with tokens counted once.

    A folder is read file by file, and no text is kept but the beginnings that are shown and compared: `notes` say
    which of its files were left out. `progress` is as in `ctxlab.survey`.

    `tokenizer` is one, or the name of a model or an encoding; by default o200k_base. `summary()` has a row a session,
    `branches()` one a branch, `frame()` one a message; `sunburst()`, `divergence()`, `survival()` and `timeline()` are
    figures, `clusters()` finds branches whose words are nearly equal.
    """
    from ctxlab.studies.branches import session_branches

    if isinstance(sessions, str | os.PathLike) and Path(sessions).expanduser().is_dir():
        return _of_folder(sessions, tokenizer, progress)
    found, origins = _sessions(sessions)
    return session_branches(found, tokenizer, origins)


def _of_folder(
    path: str | os.PathLike[str], tokenizer: TokenCounter | str | None, progress: ProgressOption
) -> SessionBranches:
    from ctxlab import formats
    from ctxlab.studies.branches import session_branches

    name = Path(path).name
    with progress_of(f"looking through {name}", progress is True) as step:
        parts = formats.folder_parts(path, step=step)
    if not len(parts):
        raise ReadError(parts.refusal())
    origins: list[SessionOrigin] = []
    failed: list[str] = []

    def sessions(step: Callable[[float], object]) -> Iterator[Session]:
        for number, (place, part) in enumerate(parts, start=1):
            if isinstance(part, ReadError):
                failed.append(f"{place}: {part}")
            else:
                origins.extend([SessionOrigin(part.format, place)] * len(part.sessions))
                yield from part.sessions
            step(number / len(parts))

    with progress_of(counted(len(parts), "file"), progress) as step:
        found = session_branches(sessions(step), tokenizer)
    return replace(found, origins=tuple(origins), notes=(*parts.left_out_sentences(), *failed))


def _sessions(source: BranchSource) -> tuple[Sequence[Session], Sequence[SessionOrigin]]:
    if isinstance(source, Sequence) and not isinstance(source, str) and source:
        found = [each for each in source if isinstance(each, Session)]
        if len(found) == len(source):
            return found, ()
    value = session_or_library(source)  # pyright: ignore[reportArgumentType]  # messages, or refused there
    if isinstance(value, Session):
        return (value,), ()
    return value.sessions, value.session_origins if isinstance(value, Import) else ()
