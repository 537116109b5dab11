"""Rows of one tab of a workspace, filtered and in order, with counts of what else could be chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from ctxlab.display.html_table import html_table
from ctxlab.documents.moments import seconds_of
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.kinds import KINDS, KindName
from ctxlab.storage.rows import SessionRow, ValueRow
from ctxlab.storage.trash import TrashEntry
from ctxlab.storage.workspace import Workspace
from ctxlab_widgets.workspace_view.found import Found, part_of

SHOWN_CHOICES = 40
"""Choices of a facet that are offered, the most frequent first."""
PERIODS = {"last day": 1, "last 7 days": 7, "last 30 days": 30, "last 365 days": 365}
"""Days of a choice of time."""
EARLIER = "earlier"
FAVOURITES, TRASH, FOLDER = "favourites", "trash", "folder:"
FACETS = ("place", "agent", "category", "tag", "time", "part", "problem")
"""Filters of rows; each has one choice, empty for all."""
NOTHING_CHOSEN: Mapping[str, str] = dict.fromkeys(FACETS, "")


@dataclass(frozen=True, slots=True)
class Row:
    """One value in the list: a session, a value of another kind, or, in the trash, what was deleted."""

    id: str
    name: str
    agent: str = ""
    agent_name: str = ""
    category: str = ""
    parts: int | None = None
    branches: int = 0
    tokens: int | None = None
    updated: str = ""
    tags: tuple[str, ...] = ()
    folder: str = ""
    favourite: bool = False
    problems: tuple[str, ...] = ()
    why: str = ""
    hits: tuple[Any, ...] = ()
    lengths: tuple[int, ...] = ()
    program: str = ""
    file: str = ""


class ShownRows(tuple[Row, ...]):
    """Rows of the list; a saved notebook shows them as a table, those with hits with the first words of these."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        found = any(row.hits for row in self)
        columns = ("name", "id", "program", "file", "parts", "updated", *(("hits", "first hit") if found else ()))
        rows = (
            [
                *(getattr(row, name) or "" for name in columns[:6]),
                *([len(row.hits), _first_words(row)] if found else ()),
            ]
            for row in self
        )
        return html_table(columns, rows, cells=100)


def _first_words(row: Row) -> str:
    return row.hits[0].snippet.text if row.hits else ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows that are shown, of how many, and for each facet its choices with their numbers.

    `counts` are the values of each kind, or the hits of a search in them.
    """

    rows: tuple[Row, ...]
    total: int
    facets: Mapping[str, Sequence[tuple[str, int]]]
    counts: Mapping[str, int]
    hits: int = 0

    def row(self, id: str) -> Row:
        """The row of this id. Raises CtxlabError."""
        found = next((row for row in self.rows if row.id == id), None)
        if found is None:
            raise CtxlabError(f"the list has no {id[:80]!r}")
        return found


@dataclass(frozen=True, slots=True)
class Kept:
    """All that a workspace keeps of a kind, in order, as it was when it was read; `counts` are of all kinds."""

    rows: tuple[Row, ...]
    deleted: tuple[TrashEntry, ...]
    counts: Mapping[str, int]


def with_choices(chosen: Mapping[str, str], choices: Mapping[str, str]) -> dict[str, str]:
    """The filters with other choices. Raises CtxlabError, naming the filters that there are."""
    for name in choices:
        if name not in FACETS:
            raise CtxlabError(f"there is no filter {name!r}; there are: {', '.join(FACETS)}")
    return {**chosen, **choices}


def kept_of(workspace: Workspace, kind: str, sort: str) -> Kept:
    """Read the list of a kind, and the number of values of all others."""
    rows = tuple(_rows(workspace, kind, sort))
    deleted = tuple(entry for entry in reversed(workspace.trash()) if entry.kind == kind)
    return Kept(rows, deleted, {**_counts(workspace, kind), kind: len(rows)})


def placed(kept: Kept, row: SessionRow | ValueRow) -> Kept:
    """The list with one row where that value is in the lists now; order and all else are as they were read."""
    changes = {"tags": row.tags, "folder": row.folder, "favourite": row.favourite}
    return replace(kept, rows=tuple(replace(each, **changes) if each.id == row.id else each for each in kept.rows))


def listing_of(
    kept: Kept, kind: str, chosen: Mapping[str, str], found: Found | None, *, now: datetime | None = None
) -> Listing:
    """The rows that are chosen. With a search only what was found, in its order; numbers of facets then count hits."""
    counts = kept.counts if found is None else found.counts()
    if chosen["place"] == TRASH:
        rows = [_deleted_row(entry) for entry in kept.deleted]
        return Listing(tuple(rows), len(rows), {"place": _places(kept.rows, len(kept.deleted))}, counts)
    rows = kept.rows if found is None else _with_hits(kept.rows, found.of_kind(kind), found.order)
    times = Times(now or datetime.now(UTC))  # noqa: TID251  (a list shows what was changed lately)
    tests = _tests(chosen, times)
    facets = _facets(rows, times, chosen, tests)
    facets["place"] = _places(rows, len(kept.deleted))
    shown = [row for row in rows if all(test(row) for test in tests.values())]
    if chosen["part"]:
        shown = [_only(row, chosen["part"]) for row in shown]
    return Listing(tuple(shown), len(kept.rows), facets, counts, sum(len(row.hits) for row in shown))


class Times:
    """Whether a time is in a period that ends now; times are ISO texts, which compare as they are in one zone."""

    def __init__(self, now: datetime) -> None:
        self._since = {
            name: (now - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S") for name, days in PERIODS.items()
        }

    def period(self, time: str) -> str:
        """The shortest period that a time is in; empty where there is no time."""
        return next((name for name, since in self._since.items() if time >= since), EARLIER) if time else ""

    def is_in(self, time: str, period: str) -> bool:
        """Whether a time is in a period; a longer one has the shorter ones in it."""
        if period == EARLIER:
            return self.period(time) == EARLIER
        return bool(time) and time >= self._since.get(period, "")


def _rows(workspace: Workspace, kind: str, sort: str) -> list[Row]:
    if kind != "sessions":
        return [
            Row(
                row.id,
                row.name or row.id,
                category=row.category,
                parts=row.parts,
                updated=row.updated or row.created,
                tags=row.tags,
                folder=row.folder,
                favourite=row.favourite,
            )
            for row in workspace.values(kind, sort=sort or None)  # pyright: ignore[reportArgumentType]
        ]
    names = {row.id: row.name for row in workspace.values("agents")}
    return [
        Row(
            row.id,
            row.name or row.id,
            agent=row.agent,
            agent_name=names.get(row.agent) or row.agent,
            parts=row.messages,
            branches=row.branches,
            tokens=row.tokens,
            updated=row.updated or row.created,
            tags=row.tags,
            folder=row.folder,
            favourite=row.favourite,
            problems=row.problems,
            lengths=row.lengths,
            program=row.program,
            file=row.file,
        )
        for row in workspace.sessions(sort=sort or None)  # pyright: ignore[reportArgumentType]
    ]


def _deleted_row(entry: TrashEntry) -> Row:
    return Row(entry.key, entry.name or entry.id, updated=entry.at, why=entry.why)


def _counts(workspace: Workspace, but: str) -> dict[str, int]:
    """Numbers of values of all kinds but one."""
    others: list[KindName] = [kind.name for kind in KINDS.values() if kind.name not in (but, "sessions")]
    counts: dict[str, int] = {str(name): len(workspace.values(name)) for name in others}
    return counts if but == "sessions" else {"sessions": len(workspace.sessions()), **counts}


def _with_hits(rows: Iterable[Row], hits: Mapping[str, Sequence[Any]], order: str) -> list[Row]:
    """Rows with their hits; the newest first go by the times that are shown, which are those of whole values."""
    known = {row.id: row for row in rows if row.id in hits}
    found = [replace(known[id], hits=tuple(each)) for id, each in hits.items() if id in known]
    return sorted(found, key=_moment, reverse=True) if order == "newest" else found


def _moment(row: Row) -> float:
    return seconds_of(row.updated) or 0.0


def _only(row: Row, part: str) -> Row:
    return replace(row, hits=tuple(hit for hit in row.hits if part_of(hit) == part))


Tests = Mapping[str, Callable[[Row], bool]]


def _tests(chosen: Mapping[str, str], times: Times) -> Tests:
    """For each filter that is set, whether a row passes it."""
    all_tests: Mapping[str, Callable[[Row, str], bool]] = {
        "place": lambda row, it: row.favourite if it == FAVOURITES else row.folder == it.removeprefix(FOLDER),
        "agent": lambda row, it: row.agent_name == it,
        "category": lambda row, it: row.category == it,
        "tag": lambda row, it: it in row.tags,
        "time": lambda row, it: times.is_in(row.updated, it),
        "part": lambda row, it: any(part_of(hit) == it for hit in row.hits),
        "problem": lambda row, it: it in row.problems,
    }
    return {
        name: lambda row, test=test, it=chosen[name]: test(row, it) for name, test in all_tests.items() if chosen[name]
    }


def _facets(
    rows: Sequence[Row], times: Times, chosen: Mapping[str, str], tests: Tests
) -> dict[str, Sequence[tuple[str, int]]]:
    """Choices with their numbers, each counted among what the other filters let through."""
    found: dict[str, Sequence[tuple[str, int]]] = {}
    for name in FACETS:
        if name == "place":
            continue
        others = [test for other, test in tests.items() if other != name]
        passed = [row for row in rows if all(test(row) for test in others)] if others else rows
        counts = _choices(passed, name, times)
        if name == "time":
            found[name] = _times(counts)
        else:
            ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0].casefold()))
            found[name] = _with_chosen(ordered, chosen[name])
    return found


def _times(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The periods with their numbers, of which a longer one has the shorter ones in it."""
    sums = accumulate(counts.get(period, 0) for period in PERIODS)
    all_of_them = [*zip(PERIODS, sums, strict=True), (EARLIER, counts.get(EARLIER, 0))]
    return [each for each in all_of_them if each[1]]


def _with_chosen(ordered: Sequence[tuple[str, int]], choice: str) -> list[tuple[str, int]]:
    """The first choices, and the one that holds wherever it is, so that it can be taken back."""
    shown = list(ordered[:SHOWN_CHOICES])
    if choice and choice not in [name for name, _ in shown]:
        shown.append((choice, dict(ordered).get(choice, 0)))
    return shown


def _choices(rows: Iterable[Row], facet: str, times: Times) -> Counter[str]:
    """Choices of a facet with their numbers: with a search each hit counts, else the row; of a time the period."""
    choices = _CHOICES.get(facet, lambda row: (times.period(row.updated),))
    counts: Counter[str] = Counter()
    if facet == "part":
        counts.update(part_of(hit) for row in rows for hit in row.hits)
    else:
        for row in rows:
            for choice in choices(row):
                counts[choice] += len(row.hits) or 1
    counts.pop("", None)
    return counts


_CHOICES: Mapping[str, Callable[[Row], tuple[str, ...]]] = {
    "agent": lambda row: (row.agent_name,),
    "category": lambda row: (row.category,),
    "tag": lambda row: row.tags,
    "problem": lambda row: row.problems,
}


def _places(rows: Sequence[Row], deleted: int) -> list[tuple[str, int]]:
    """All, the favourites, each folder by name, the trash; numbers of values or, with a search, of hits."""
    folders: Counter[str] = Counter()
    favourites = total = 0
    for row in rows:
        number = len(row.hits) or 1
        total += number
        favourites += number * row.favourite
        if row.folder:
            folders[f"{FOLDER}{row.folder}"] += number
    return [("", total), (FAVOURITES, favourites), *sorted(folders.items()), (TRASH, deleted)]
