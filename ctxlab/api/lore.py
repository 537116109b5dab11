"""Decisions on lore entries: of books on a text or a session, and message by message as a conversation grows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias, Unpack

from ctxlab.api.options import ScanOptions, listed
from ctxlab.api.resolve import session_of, start_of
from ctxlab.api.sources import AgentSource, BookSources, SessionSource, agent_or_library, books_of, session_or_library
from ctxlab.documents import Library, Session
from ctxlab.pipeline import Debugger
from ctxlab.pipeline.garbage_collector import without_collection

if TYPE_CHECKING:
    from ctxlab.engines.worldbook import LoreScan
    from ctxlab.studies import LoreTimeline


ChatSource: TypeAlias = (
    Session | Library | Annotated[os.PathLike[str], "a Path"] | Annotated[str | Sequence[str], "texts"]
)


@listed(ScanOptions)
def lore_scan(
    books: BookSources,
    chat: ChatSource,
    agent: AgentSource | None = None,
    **options: Unpack[ScanOptions],
) -> LoreScan:
    """The decision on every entry of these books: fired or not, by what, and the nearest change.

    `chat` is a session, or texts: one message of the user, or several, oldest first. `options` are those of `build`;
    settings of the scan are `settings={"worldbook-processor.scan_depth": 4}`. `scan.with_change(key)` scans again with
    an entry's nearest change.
    """
    from ctxlab.engines.worldbook.explain import scan_of
    from ctxlab.processors import WorldbookProcessor

    debugger = Debugger(start_of(_session_of(chat), agent, **options, books=books))
    context = debugger.run_until(WorldbookProcessor.id)
    step = debugger.pipeline.stage(WorldbookProcessor.id).processor
    if isinstance(step, WorldbookProcessor):  # its scan is also there where no book is in force
        with without_collection():
            return step.scan(context, debugger.trace.services)
    if not debugger.done:
        context = debugger.step().after
    return scan_of(context)


@listed(ScanOptions)
def lore_timeline(
    session: SessionSource,
    agent: AgentSource | None = None,
    *,
    books: BookSources,
    **options: Unpack[ScanOptions],
) -> LoreTimeline:
    """The entries that fire at each message of the path to a leaf (default: the active one), as the conversation grows.

    Each message is scanned as if it were the newest, with the lore that fired before it; so does `build` with an
    earlier trace's `activations`. `options` are those of `build`. The time grows with the messages times the entries.
    It grows with the square of the messages where a whole build is needed for each: with steps of other packages before
    the worldbook step, with `pending` or `html_to_markdown`, with macros in rules that mean something else at each
    message, and with a rule that was stopped. A summary, which hides messages, has all loaded again.
    """
    from ctxlab.api.lore_along_path import scans_along_path
    from ctxlab.studies import LoreTimeline

    session = session_or_library(session)
    speaker = agent_or_library(agent) if agent is not None else None
    known = options.get("activations") or {}
    scans: dict[str, LoreScan] = {}
    path = scans_along_path(books_of(books), session, session_of(session, options), speaker, options, lore_scan)
    for message, scanned in path:
        scans[message] = scanned(known)
        known = scans[message].activations
    return LoreTimeline(scans)


def _session_of(chat: ChatSource) -> SessionSource:
    """A conversation, or a new one of these texts, all of them the user's."""
    if isinstance(chat, Session | Library | os.PathLike):
        return chat
    session = Session(id="texts").append("", role="system")
    for text in [chat] if isinstance(chat, str) else chat:
        session = session.append(text)
    return session
