"""The branches of conversations, measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ctxlab.api.sources import SessionSource, session_or_library
from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import Session
from ctxlab.formats.results import Import, SessionOrigin
from ctxlab.pipeline.services import TokenCounter

if TYPE_CHECKING:
    from ctxlab.studies.branches import SessionBranches

BranchSource: TypeAlias = SessionSource | Sequence[Session]


@checked_arguments
def branches(sessions: BranchSource, *, tokenizer: TokenCounter | str | None = None) -> SessionBranches:
    """The branches of a session, or of every session of a library, a path or a list, with tokens counted once.

    `tokenizer` is one, or the name of a model or an encoding; by default o200k_base. `summary()` has a row a session,
    `branches()` one a branch, `frame()` one a message; `sunburst()`, `divergence()`, `survival()` and `timeline()` are
    figures, `clusters()` finds branches whose words are nearly equal.
    """
    from ctxlab.studies.branches import session_branches

    found, origins = _sessions(sessions)
    return session_branches(found, tokenizer, origins)


def _sessions(source: BranchSource) -> tuple[Sequence[Session], Sequence[SessionOrigin]]:
    if isinstance(source, Sequence) and not isinstance(source, str) and source:
        found = [each for each in source if isinstance(each, Session)]
        if len(found) == len(source):
            return found, ()
    value = session_or_library(source)  # pyright: ignore[reportArgumentType]  # messages, or refused there
    if isinstance(value, Session):
        return (value,), ()
    return value.sessions, value.session_origins if isinstance(value, Import) else ()
