"""What-ifs in bulk: replay, ablate, sweep and minimise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ctxlab.api.options import BuildOptions
from ctxlab.api.resolve import session_of, start_of
from ctxlab.api.sources import SessionSource, session_or_library
from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import Library, Session
from ctxlab.pipeline import Trace

if TYPE_CHECKING:
    from ctxlab.studies.what_if.configuration import ConfigurationSource
    from ctxlab.studies.what_if.keeps import KeepSource
    from ctxlab.studies.what_if.minimise import Minimised
    from ctxlab.studies.what_if.replay import Conversation, Replay

Sessions: TypeAlias = SessionSource | Sequence[SessionSource]
Progress: TypeAlias = Callable[[float], None] | None
OPTIONS = frozenset({"agent", *BuildOptions.__annotations__})
REFUSED: Mapping[str, str] = {
    "leaf": "is each turn in turn: turns= says which",
    "pending": "is no part of an old conversation",
    "pick": "picks one session: give that session alone",
}


@checked_arguments
def replay(
    sessions: Any,
    before: Any,
    after: Any,
    *,
    turns: Literal["active", "all"] | Sequence[str] | None = None,
    must_keep: Any = (),
    progress: Progress = None,
) -> Replay:
    """Every turn of old conversations under two configurations; `.worst()` are those that change, the worst first."""
    from ctxlab.studies.what_if.configuration import configuration_of
    from ctxlab.studies.what_if.keeps import keeps_of
    from ctxlab.studies.what_if.replay import replay as replayed

    both = [
        configuration_of(each, known=OPTIONS, refused=REFUSED, name=name)
        for each, name in ((before, "before"), (after, "after"))
    ]
    facts = keeps_of(must_keep)
    return replayed(_conversations(sessions), *both, turns=turns, facts=facts, progress=progress)


@checked_arguments
def minimise(trace: Trace, *, keeps: Any, progress: Progress = None) -> Minimised:
    """x."""
    from ctxlab.studies.what_if.minimise import minimise as minimised

    return minimised(trace, keeps=keeps, progress=progress)


def _conversations(sessions: Sessions) -> list[Conversation]:
    given = sessions if isinstance(sessions, Sequence) and not isinstance(sessions, str) else [sessions]
    if given and all(isinstance(each, Mapping) for each in given):
        given = [given]  # a list of messages is one conversation
    found: list[Conversation] = []
    for each in given:
        found += _of_source(each)
    return found


def _of_source(source: SessionSource) -> list[Conversation]:
    from ctxlab.studies.what_if.replay import Conversation

    held = session_or_library(source)
    if isinstance(held, Session):
        return [Conversation(held.id, held, _start)]
    if len(held.sessions) < 2:
        only = session_of(held, {})
        return [Conversation(only.id, only, partial(_start_in, held))]
    return [Conversation(each.id, each, partial(_start_in, held)) for each in held.sessions]


def _start(session: Session, /, **options: Any) -> Trace:
    return start_of(session, options.pop("agent", None), **options)


def _start_in(library: Library, session: Session, /, **options: Any) -> Trace:
    """The start of a run of one of a library's sessions, with everything else that is in it."""
    return start_of(replace(library, sessions=(session,)), options.pop("agent", None), **options)
