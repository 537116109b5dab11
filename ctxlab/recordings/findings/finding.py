"""A finding: something of a context that costs, or that went wrong, with its place and what mends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, overload

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import fields_table, heading, html_table, lines
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, short
from ctxlab.formats.requests.blocks import Data
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd

Level = Literal["error", "warning", "note"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""Levels, the worst first."""
COLUMNS: Final = (
    "rule",
    "level",
    "title",
    "text",
    "tokens",
    "usd",
    "remedy",
    "request",
    "node",
    "name",
    "places",
    "file",
)


@dataclass(frozen=True, slots=True, repr=False)
class FindingPlace:
    """A place of a finding: a request, a message, a stretch of its content; "" and None where it has none.

    `node` is the id of a node of a recording's session, of a run the key of a message, such as `node:u5`. `start` and
    `end` are code points of its content; with no node and a name such as `system text 2` those of that text of the
    request's head. `name` is else that of a tool, a preset, a lore entry or a file. `file` is one of a folder that was
    checked whole, with the conversation where it holds several.
    """

    request: str = ""
    node: str = ""
    start: int | None = None
    end: int | None = None
    name: str = ""
    file: str = ""

    def __str__(self) -> str:
        at = f"{self.node}[{self.start}:{self.end}]" if self.start is not None else self.node
        return ", ".join(plain(part, 80) for part in (self.file, self.request, at, self.name) if part)

    def __repr__(self) -> str:
        return f"FindingPlace({short(str(self), 160)!r})"

    def _repr_html_(self) -> str:
        return fields_table(self.row())

    def row(self) -> Data:
        """The place as named values."""
        place = {"request": self.request, "node": self.node, "start": self.start, "end": self.end, "name": self.name}
        return {**place, **({"file": self.file} if self.file else {})}


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """A thing that a rule found: `text` is one sentence that is true of the context, `remedy` the smallest change.

    `tokens` are those that are carried for it over all requests, counted here; `usd` is their price, cached where they
    were read from a cache, None where no price is known. Secrets in `text` are masked.
    """

    rule: str
    level: Level
    title: str
    text: str
    places: tuple[FindingPlace, ...] = ()
    tokens: int = 0
    usd: float | None = None
    remedy: str = ""

    def row(self) -> Data:
        """The finding as a row of a table; of its places the first, and how many there are."""
        first = self.places[0] if self.places else FindingPlace()
        fields: Data = {name: getattr(self, name) for name in COLUMNS[:7]}
        place = {"request": first.request, "node": first.node, "name": first.name, "places": len(self.places)}
        return {**fields, **place, "file": first.file}

    def as_data(self) -> Data:
        """The finding with all its places, as JSON."""
        return {name: getattr(self, name) for name in COLUMNS[:7]} | {"places": [place.row() for place in self.places]}

    def in_file(self, file: str) -> Finding:
        """The finding with the file of a folder at each of its places."""
        return replace(self, places=tuple(replace(each, file=file) for each in self.places or (FindingPlace(),)))

    @property
    def order(self) -> tuple[Any, ...]:
        """By this findings are sorted: the worst first, then what costs most."""
        first = [(place.request, place.node, place.start or 0, place.name) for place in self.places]
        return LEVELS.index(self.level), -(self.usd or 0.0), -self.tokens, self.rule, first, self.text

    def __repr__(self) -> str:
        return f"Finding({self.rule!r}, {self.level}, {self.tokens:,} tokens, {short(self.text, 80)!r})"

    def _repr_html_(self) -> str:
        places = lines((str(place) for place in self.places), most=12)
        return heading(self) + fields_table({name: getattr(self, name) for name in COLUMNS[:7]}, cells=300) + places


@dataclass(frozen=True, slots=True, repr=False)
class Findings(Sequence[Finding]):
    """Findings, the worst first, then those that cost most; empty where nothing was found.

    `rules` are the ids of the rules that were asked, `notes` say which could not be, and why; `source` is the file or
    the session.
    """

    found: tuple[Finding, ...] = ()
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source: str = ""

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.found)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        return self.found[index]

    @checked_arguments
    def at_least(self, level: Level) -> tuple[Finding, ...]:
        """Those of a level and of worse ones."""
        return tuple(finding for finding in self.found if LEVELS.index(finding.level) <= LEVELS.index(level))

    @property
    def by_rule(self) -> dict[str, tuple[Finding, ...]]:
        """The findings by rule, in order."""
        found: dict[str, tuple[Finding, ...]] = {}
        for finding in self.found:
            found[finding.rule] = (*found.get(finding.rule, ()), finding)
        return found

    def frame(self) -> pd.DataFrame:
        """One row a finding: rule, level, sentence, tokens, dollars, remedy, and its first place."""
        return frame_of((finding.row() for finding in self.found), COLUMNS)

    def as_data(self) -> Data:
        """The findings as JSON."""
        found = [finding.as_data() for finding in self.found]
        return {"source": self.source, "rules": [*self.rules], "notes": [*self.notes], "findings": found}

    def __repr__(self) -> str:
        return f"Findings({levels_counted(self.found)}, from {short(self.source, 80)!r})"

    def _repr_html_(self) -> str:
        head = ("level", "finding", "tokens", "USD", "remedy")
        rows = (
            (
                finding.level,
                finding.text,
                finding.tokens,
                "" if finding.usd is None else f"{finding.usd:,.4f}",
                finding.remedy,
            )
            for finding in self.found
        )
        return heading(self) + html_table(head, rows, cells=240, of="findings") + lines(self.notes)


def levels_counted(found: Iterable[Finding]) -> str:
    """Numbers of findings by level, in words."""
    levels = [finding.level for finding in found]
    counts = [counted(levels.count(level), level) for level in LEVELS if level in levels]
    return ", ".join(counts) or "no findings"
