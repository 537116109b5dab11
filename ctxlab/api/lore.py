"""Decisions on lore entries: of books on a text or a session, and message by message as a conversation grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from ctxlab.api.options import ScanOptions, listed
from ctxlab.api.resolve import session_of, start_of
from ctxlab.documents import Agent, Library, Session, Worldbook
from ctxlab.pipeline import Debugger

if TYPE_CHECKING:
    from ctxlab.engines.worldbook import LoreScan
    from ctxlab.studies import LoreTimeline


@listed(ScanOptions)
def lore_scan(
    books: Worldbook | Sequence[Worldbook],
    chat: Session | Library | str | Sequence[str],
    agent: Agent | Library | None = None,
    **options: Unpack[ScanOptions],
) -> LoreScan:
    """The decision on every entry of these books: fired or not, by what, and the nearest change.

    `chat` is a session, or texts: one message of the user, or several, oldest first. `options` are those of `build`;
    settings of the scan are `settings={"worldbook-processor.scan_depth": 4}`. `scan.with_change(key)` scans again with
    an entry's nearest change.
    """
    from ctxlab.engines.worldbook.explain import scan_of
    from ctxlab.processors import WorldbookProcessor

    session = chat if isinstance(chat, Session | Library) else _session_of([chat] if isinstance(chat, str) else chat)
    debugger = Debugger(start_of(session, agent, **options, books=_listed(books)))
    context = debugger.run_until(WorldbookProcessor.id)
    step = debugger.pipeline.stage(WorldbookProcessor.id).processor
    if isinstance(step, WorldbookProcessor):  # its scan is also there where no book is in force
        return step.scan(context, debugger.trace.services)
    if not debugger.done:
        context = debugger.step().after
    return scan_of(context)


@listed(ScanOptions)
def lore_timeline(
    session: Session | Library,
    agent: Agent | Library | None = None,
    *,
    books: Worldbook | Sequence[Worldbook],
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

    chosen = session_of(session, options)
    known = options.get("activations") or {}
    scans: dict[str, LoreScan] = {}
    for message, scanned in scans_along_path(_listed(books), session, chosen, agent, options):
        scans[message] = scanned(known)
        known = scans[message].activations
    return LoreTimeline(scans)


def _listed(books: Worldbook | Sequence[Worldbook]) -> tuple[Worldbook, ...]:
    return (books,) if isinstance(books, Worldbook) else tuple(books)


def _session_of(texts: Sequence[str]) -> Session:
    session = Session(id="texts").append("", role="system")
    for text in texts:
        session = session.append(text)
    return session
