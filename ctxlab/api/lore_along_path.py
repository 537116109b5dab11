"""The scan of worldbooks at each message of a path: what the scans have in common is done once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctxlab.api.options import ScanOptions
from ctxlab.api.resolve import start_of, timestamp_of
from ctxlab.api.sources import node_id_of
from ctxlab.documents import Agent, Library, MessageNode, Session, Worldbook
from ctxlab.pipeline import Trace
from ctxlab.pipeline.garbage_collector import without_collection
from ctxlab.processors.growing_history import GrowingHistory

if TYPE_CHECKING:
    from ctxlab.engines.worldbook import GrowingChat, LoreScan

Scan = Callable[[Mapping[str, str]], "LoreScan"]
"""The scan at a message, given the lore that fired before it."""


class _Writers(NamedTuple):
    """The agent and the model that the message of a leaf, or the nearest above it, names."""

    agent_id: str | None
    model_id: str | None


class _Stretch(NamedTuple):
    """Messages for which one loading does: who wrote them, and how many summaries are above."""

    writers: _Writers
    summaries: int


def scans_along_path(
    books: Sequence[Worldbook],
    session: Session | Library,
    chosen: Session,
    agent: Agent | Library | None,
    options: ScanOptions,
    anew: Callable[..., LoreScan],
) -> Iterator[tuple[str, Scan]]:
    """The ids of the messages of a path, without an empty root, each with its scan, to be made in this order.

    `anew` makes a scan by itself, where nothing is shared.
    """
    leaf = options.get("leaf")
    at = node_id_of(leaf) if leaf is not None else chosen.active_leaf_id
    if at is None:
        return
    chosen.node(at)
    nodes = chosen.path(at)
    keys = [*(node.parent_id or "" for node in nodes[1:]), at]
    stretches = _stretches(nodes)
    last = {stretch: number for number, stretch in enumerate(stretches)}
    work = _Scans(books, session, agent, options, keys, anew)
    for number, (key, node, stretch) in enumerate(zip(keys, nodes, stretches, strict=True)):
        if not node.is_empty_root:
            yield key, partial(work.at, number, stretch, last[stretch])


def _stretches(nodes: Sequence[MessageNode]) -> list[_Stretch]:
    found: list[_Stretch] = []
    writers, summaries = _Writers(None, None), 0
    for node in nodes:
        model = node.meta("modelId")
        writers = _Writers(node.agent_id or writers.agent_id, model if isinstance(model, str) else writers.model_id)
        summaries += node.is_summary
        found.append(_Stretch(writers, summaries))
    return found


class _Scans:
    """Scans along a path. Of all agents and models the conversation so far is kept, until a summary comes."""

    def __init__(
        self,
        books: Sequence[Worldbook],
        session: Session | Library,
        agent: Agent | Library | None,
        options: ScanOptions,
        keys: Sequence[str],
        anew: Callable[..., LoreScan],
    ) -> None:
        self._anew = anew
        self.books, self.session, self.agent, self.options, self.keys = books, session, agent, options, keys
        self._histories: dict[_Writers, tuple[int, Trace, GrowingHistory]] = {}
        self._chats: dict[_Writers, GrowingChat] = {}

    def at(self, number: int, stretch: _Stretch, last: int, known: Mapping[str, str]) -> LoreScan:
        """The scan at a message of the path; `last` is the last one of its stretch."""
        with without_collection():
            start, history = self._history(stretch, last)
            build_input = start.start.input
            given = self.options.get("timestamp")
            time = given if given is not None else timestamp_of(build_input.session, self.keys[number])
            build_input = replace(build_input, leaf=self.keys[number], timestamp=time, activations=known)
            if history.can_scan(build_input):
                return history.scan(build_input, number)
        options: ScanOptions = {**self.options, "leaf": self.keys[number], "activations": known}
        return self._anew(self.books, self.session, self.agent, **options)

    def _history(self, stretch: _Stretch, last: int) -> tuple[Trace, GrowingHistory]:
        from ctxlab.engines.worldbook import GrowingChat

        there = self._histories.get(stretch.writers)
        if there is None or there[0] != stretch.summaries:
            options: ScanOptions = {**self.options, "leaf": self.keys[last]}
            start = start_of(self.session, self.agent, **options, books=tuple(self.books))
            chat = self._chats.setdefault(stretch.writers, GrowingChat())
            there = (stretch.summaries, start, GrowingHistory(start, self.keys[: last + 1], chat))
            self._histories[stretch.writers] = there
        return there[1], there[2]
