"""Filters of a search, as an expression of labels, a range of row numbers, and flags that a row must have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import apsw

from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.search.folding import folded
from ctxlab.storage.search.numbers import TIME_SHIFT
from ctxlab.storage.search.query import all_of, any_of, phrase_of
from ctxlab.storage.search.rows import OWN, milliseconds
from ctxlab.storage.search.writing import ACTIVE, ENABLED, label

Names = str | Sequence[str] | None
Time = str | datetime | None
LARGEST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Filters:
    """Of each name one is enough; all of the filters that are given must hold. `since` <= time < `until`."""

    kinds: Names = None
    session: Names = None
    agent: Names = None
    role: Names = None
    model: Names = None
    tag: Names = None
    since: Time = None
    until: Time = None
    only_enabled: bool = False
    only_active_path: bool = False

    @property
    def flags(self) -> int:
        return ENABLED * self.only_enabled | ACTIVE * self.only_active_path

    def numbers(self) -> tuple[int, int]:
        """The first number of a row, and the one after the last."""
        first = _ms(self.since, "since")
        end = _ms(self.until, "until")
        first = 0 if first is None and end is None else max(1, first or 0)  # what has no time, at 0, is in no range
        return first << TIME_SHIFT, LARGEST if end is None else end << TIME_SHIFT

    def expression(self, connection: apsw.Connection) -> str | None:
        """The expression of the labels; nothing where there is no filter, None where nothing can pass."""
        found = [
            [label("kind", kind) for kind in _each(self.kinds)],
            [label("doc", doc) for id in _each(self.session) for doc in _sessions(connection, id)],
            *([label(name, each) for each in _each(getattr(self, name))] for name in ("agent", "role", "model")),
            [each for tag in _each(self.tag) for each in _tagged(connection, tag)],
        ]
        given = (self.kinds, self.session, self.agent, self.role, self.model, self.tag)
        if any(names is not None and not labels for names, labels in zip(given, found, strict=True)):
            return None
        return all_of([_one_of(labels) for labels in found if labels])


def _one_of(labels: Iterable[str]) -> str:
    return any_of([phrase_of([each]) for each in labels])


def documents_expression(docs: Iterable[int]) -> str:
    """Rows of one of the documents."""
    return _one_of(label("doc", doc) for doc in docs)


def _each(names: Names) -> Sequence[str]:
    return () if names is None else (names,) if isinstance(names, str) else names


def _sessions(connection: apsw.Connection, id: str) -> list[int]:
    return [int(str(doc)) for (doc,) in connection.execute("SELECT doc FROM docs WHERE id = ? AND is_session", (id,))]


def _tagged(connection: apsw.Connection, tag: str) -> list[str]:
    """Labels of what has the tag itself, and of what agents with the tag said."""
    own = label("tag", folded(tag))
    sql = "SELECT agent FROM fts CROSS JOIN rows ON row = fts.rowid WHERE fts MATCH ? AND key = ? AND agent NOT NULL"
    agents = {str(agent) for (agent,) in connection.execute(sql, (phrase_of([own]), OWN))}
    return [own, *(label("agent", agent) for agent in sorted(agents))]


def _ms(time: Time, name: str) -> int | None:
    if time is None:
        return None
    found = milliseconds(time.isoformat() if isinstance(time, datetime) else time)
    if found is None:
        raise WrongArgument(f"{name} takes an ISO time such as '2026-11-23' or '2026-11-23T08:00Z', got {time!r}")
    return found
