"""Variants of a study's file: a list of strategies, tables by name, or a grid of axes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from ctxlab.documents import Agent, Worldbook
from ctxlab.errors import BrokenFile, did_you_mean
from ctxlab.studies.study.place_injections import (
    END,
    TOP,
    InjectedAt,
    frozen_lore,
    injected_presets,
    lore_at,
    presets_at,
)
from ctxlab.studies.study.plan import OWN_COLUMNS
from ctxlab.studies.study.study_file_keys import VARIANT_KEYS
from ctxlab.studies.study.study_file_table import options_of, settings_of
from ctxlab.studies.study.variant import STRATEGY, Variant
from ctxlab.studies.toml_table import TomlTable

LORE = ("moving", "frozen")


def variants_of_file(file: TomlTable, options: Mapping[str, Any]) -> tuple[Variant, ...]:
    """The variants of a file; `options` are those of its cases, whose agent and books variants may put elsewhere."""
    if ("grid" in file.data) == ("variants" in file.data):
        both = "both variants and a grid" if "grid" in file.data else "no variants"
        raise BrokenFile(f"{file.place} has {both}; a study needs cases, and either variants or a grid")
    if "grid" in file.data:
        return _grid(file.table("grid"), _Injections(options))
    if isinstance(file.data["variants"], list):
        return tuple([Variant(name, {STRATEGY: name}) for name in file.row("variants", str, [])])
    named, injections = file.table("variants"), _Injections(options)
    return tuple([_variant(name, named.table(name), injections) for name in named.data])


def _grid(grid: TomlTable, injections: _Injections) -> tuple[Variant, ...]:
    """A variant for every combination of one row of each axis; its labels are the rows by axis."""
    axes = {axis: grid.table(axis) for axis in grid.data}
    taken = next((axis for axis in axes if axis in OWN_COLUMNS), None)
    if taken is not None:
        raise grid.wrong(taken, "is a column that every study has; name the axis otherwise")
    empty = next((axis for axis, table in axes.items() if not table.data), None)
    if empty is not None or not axes:
        raise grid.wrong(empty or "<axis>", "has no rows; [grid.<axis>.<row>] is one")
    found: list[Variant] = []
    for rows in product(*(table.data for table in axes.values())):
        labels = dict(zip(axes, rows, strict=True))
        tables = [table.table(labels[axis]) for axis, table in axes.items()]
        found.append(_variant(", ".join(rows), _joined(tables), injections, labels))
    return tuple(found)


def _joined(tables: list[TomlTable]) -> TomlTable:
    """One table of several; raises ReadError where two say the same key."""
    data: dict[str, Any] = {}
    paths: dict[str, tuple[str, ...]] = {}
    for table in tables:
        twice = next((key for key in table.data if key in data), None)
        if twice is not None:
            raise table.wrong(twice, "is set by another axis of the grid too")
        data |= table.data
        paths |= dict.fromkeys(table.data, table.path)
    return TomlTable(data, tables[0].place, tables[0].text, tables[-1].path, paths)


def _variant(name: str, table: TomlTable, injections: _Injections, labels: Mapping[str, str] | None = None) -> Variant:
    """A variant of a table: `strategy`, `settings`, participants and places, or settings of steps at once."""
    steps = {key: value for key, value in table.data.items() if key not in VARIANT_KEYS}
    wrong = next((key for key, value in steps.items() if not isinstance(value, dict) and "." not in key), None)
    if wrong is not None:
        raise table.wrong(wrong, f"is not known{did_you_mean(wrong, list(VARIANT_KEYS))}")
    strategy = table.value("strategy", str, None)
    settings = {**settings_of(table.value("settings", dict, {})), **settings_of(steps)}
    options = options_of(table) | injections.options(table)
    return Variant(
        name, ({STRATEGY: strategy} if strategy is not None else {}) | settings, options, labels=labels or {}
    )


class _Injections:
    """Agents and books at places, each made once, so that variants with the same ones share their builds."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._agents: dict[tuple[str, InjectedAt], Agent] = {}
        self._books: dict[tuple[tuple[str, ...], InjectedAt | None, str], tuple[Worldbook, ...]] = {}

    def options(self, table: TomlTable) -> dict[str, Any]:
        """The agent and the books of a variant where it names a place for them."""
        found: dict[str, Any] = {}
        own = {**self._options, **options_of(table)}
        if "presets_at" in table.data:
            found["agent"] = self._agent(table, own.get("agent"))
        if "lore_at" in table.data or "lore" in table.data:
            found["books"] = self._books_at(table, tuple(own.get("books") or ()))
        return found

    def _agent(self, table: TomlTable, path: str | None) -> Agent:
        from ctxlab import formats

        if path is None:
            raise table.wrong("presets_at", "needs an agent; name one under [cases]")
        key = (path, _place(table, "presets_at"))
        if key not in self._agents:
            agent = formats.read(path).agent()
            if not injected_presets(agent):
                raise table.wrong("presets_at", f"finds nothing to move: no preset of {path} has a depth or an anchor")
            self._agents[key] = presets_at(agent, key[1])
        return self._agents[key]

    def _books_at(self, table: TomlTable, paths: tuple[str, ...]) -> tuple[Worldbook, ...]:
        from ctxlab import formats

        if not paths:
            raise table.wrong("lore" if "lore" in table.data else "lore_at", "needs books; name them under [cases]")
        place = _place(table, "lore_at") if "lore_at" in table.data else None
        lore = table.choice("lore", LORE)
        key = (paths, place, lore)
        if key not in self._books:
            books = [book for path in paths for book in formats.read(path).books]
            books = [frozen_lore(book) for book in books] if lore == "frozen" else books
            self._books[key] = tuple([lore_at(book, place) if place is not None else book for book in books])
        return self._books[key]


def _place(table: TomlTable, key: str) -> InjectedAt:
    value = table.data[key]
    is_depth = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if not is_depth and value not in (TOP, END):
        raise table.wrong(key, f'takes "top", "end" or a depth from 0 on, not {value!r:.60}')
    return value
