"""Entries prepared for a scan: defaults filled in from book and settings, keys parsed, decorators read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ctxlab.documents.lore import LoreEntry, Worldbook
from ctxlab.engines.worldbook.key_search import MARK, KeySearch
from ctxlab.engines.worldbook.keys import AnyKey, Key, PatternKey, key_of, with_names
from ctxlab.engines.worldbook.scan_input import SWITCHES, ActiveBook, Level, ScanInput, Source
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

_ESCAPED = lazy_pattern(r"[.*+?^${}()|\[\]\\/]")
_SIGNS = ("{{", "<", "\\{", "\\}")
"""Signs of which SillyTavern may make something else in a key."""
ACTIVATE, DONT_ACTIVATE = "@@activate", "@@dont_activate"
_LEVELS: Mapping[str, Mapping[Level, int]] = {
    "agent": {"chat": -1, "user": 0, "agent": 1, "global": 2},
    "global": {"chat": -1, "user": 0, "global": 1, "agent": 2},
    "neither": {"chat": -1, "user": 0, "agent": 0, "global": 0},
    "evenly": {"chat": -1, "user": 0, "agent": 1, "global": 1},
}
"""The owner whose entries come first. Among equals the order of files counts; in `evenly` the agent's go last."""


@dataclass(slots=True, eq=False)
class PreparedEntry:
    """An entry with the settings that it leaves open filled in.

    `index` is its place among all; `own` and `second` are the numbers of its keys in the search; `standing` sorts
    entries by who comes first where not all can have their way; `level_of_delay` is 0 for one that
    doesn't wait for recursion.
    """

    key: str
    index: int
    book_index: int
    name: str
    active_book: ActiveBook
    entry: LoreEntry
    content: str
    decorators: tuple[str, ...]
    depth: int
    has_own_depth: bool
    primary: tuple[AnyKey, ...]
    secondary: tuple[AnyKey, ...]
    own: tuple[int, ...]
    second: tuple[int, ...]
    groups: tuple[str, ...]
    scored: bool
    level_of_delay: int
    excluded: bool
    prevents: bool
    sources: tuple[Source, ...]
    sort_key: tuple[float, ...]
    heeds_book: bool = True
    """Whether its book's own settings count."""

    @property
    def book(self) -> Worldbook:
        return self.active_book.book

    @property
    def book_limit(self) -> int | None:
        """Most tokens for its book; 0 is no limit, as in the settings."""
        return (self.book.token_budget or None) if self.heeds_book else None

    @property
    def is_certain(self) -> bool:
        """Whether it fires without keys."""
        return self.entry.constant or ACTIVATE in self.decorators


@dataclass(frozen=True, slots=True)
class _Prepared:
    books: tuple[ActiveBook, ...]
    lores: Sequence[PreparedEntry]
    search: KeySearch


KEPT_CHATS = 8
_PREPARED: dict[tuple[Any, ...], _Prepared] = {}


class EntryPreparer:
    """Prepares the entries of one scan."""

    def __init__(self, scan_input: ScanInput) -> None:
        self.scan_input = scan_input
        self.reference = scan_input.rules.compat == "reference"
        self.joined = scan_input.rules.scan_text == "joined"
        chat = scan_input.chat
        self.names = {"user": chat.user, "char": chat.names[0] if chat.names else ""}
        self.number: dict[AnyKey, int] = {}
        self.search = KeySearch(())
        self.keys_vary = False
        """Whether what keys look for may differ in another scan of the same books."""

    def all(self) -> Sequence[PreparedEntry]:
        """Every entry of every book, in the order of the books and in each of them that of its file.

        The same books under the same rules are made ready once in a process.
        """
        lores, self.search = self._remembered() or self._remember(self._made())
        self.number = self.search.number
        return lores

    def _made(self) -> list[PreparedEntry]:
        out: list[PreparedEntry] = []
        taken: Counter[str] = Counter()
        for number, held in enumerate(self.scan_input.books):
            for name, entry in in_order(held.book):
                key = f"lore:{held.book.book_id or held.book.shown_name}/{entry.uid}"
                taken[key] += 1
                if taken[key] > 1:
                    key = f"{key}@{taken[key]}"
                out.append(self.ready(entry, held, key=key, index=len(out), book_index=number, name=name))
        return out

    def _remembered(self) -> tuple[Sequence[PreparedEntry], KeySearch] | None:
        """Prepared entries from the cache: books are frozen, so the same objects have the same entries."""
        prepared = _PREPARED.get(self._cache_key())
        if prepared is None or any(
            a.book is not b.book for a, b in zip(prepared.books, self.scan_input.books, strict=True)
        ):
            return None
        return prepared.lores, prepared.search

    def _remember(self, lores: list[PreparedEntry]) -> tuple[Sequence[PreparedEntry], KeySearch]:
        search = KeySearch(_all_keys(lores), lower=self.scan_input.rules.is_exact)
        self.number = search.number
        for lore in lores:
            lore.own, lore.second = self._numbers(lore.primary), self._numbers(lore.secondary)
        if self.keys_vary:
            return lores, search
        _PREPARED[self._cache_key()] = _Prepared(self.scan_input.books, lores, search)
        while len(_PREPARED) > KEPT_CHATS:
            _PREPARED.pop(next(iter(_PREPARED)), None)
        return lores, search

    def _cache_key(self) -> tuple[Any, ...]:
        books = tuple([(id(held.book), held.level) for held in self.scan_input.books])
        rules = self.scan_input.rules
        read_with = (rules.scan_depth, rules.case_sensitive, rules.whole_words, rules.group_scoring)
        how = (rules.first, rules.compat, rules.scan_text, rules.constants_first, rules.book_settings)
        return books, read_with, how, tuple(self.names.items())

    def _numbers(self, keys: Sequence[AnyKey]) -> tuple[int, ...]:
        """Keys that aren't searched for have the number -1, and are nowhere."""
        return tuple([self.number.get(key, -1) for key in keys]) if keys else ()

    def changed(self, lore: PreparedEntry, fields: Mapping[str, Any]) -> PreparedEntry:
        """The prepared entry with other fields."""
        return self.ready(
            with_fields(lore.entry, fields),
            lore.active_book,
            key=lore.key,
            index=lore.index,
            book_index=lore.book_index,
            name=lore.name,
        )

    def ready(
        self, entry: LoreEntry, held: ActiveBook, *, key: str, index: int, book_index: int, name: str
    ) -> PreparedEntry:
        book, rules = held.book, self.scan_input.rules
        case = rules.case_sensitive if entry.case_sensitive is None else entry.case_sensitive
        whole = rules.whole_words if entry.match_whole_words is None else entry.match_whole_words
        book_depth = book.scan_depth if rules.book_settings else None
        depth = next((d for d in (entry.scan_depth, book_depth) if d is not None), None)
        decorators, content = read_decorators(entry.content, alone=rules.is_exact)
        alone = book.recursive_scanning is False and rules.book_settings
        constant = entry.constant or ACTIVATE in decorators
        order = entry.order if entry.order == entry.order else 0.0  # NaN sorts nowhere
        first = 0.0 if constant and rules.constants_first else 1.0
        level = float(_LEVELS[rules.first][held.level])
        among_equals = float(rules.first == "evenly" and held.level == "agent")
        worded = self._worded(key, book)
        primary = self.keys(entry.all_keys, worded, case=case, whole=whole)
        secondary = self.keys(entry.keysecondary, worded, case=case, whole=whole) if entry.keysecondary else ()
        return PreparedEntry(
            key=key,
            index=index,
            book_index=book_index,
            name=name,
            active_book=held,
            entry=entry,
            content=content,
            decorators=decorators,
            depth=max(0, rules.scan_depth if depth is None else depth),
            has_own_depth=depth is not None,
            primary=primary,
            secondary=secondary,
            own=self._numbers(primary) if self.number else (),
            second=self._numbers(secondary) if self.number else (),
            groups=_groups(entry.group) if entry.group else (),
            scored=rules.group_scoring if entry.use_group_scoring is None else entry.use_group_scoring,
            level_of_delay=_level_of_delay(entry),
            excluded=entry.exclude_recursion or alone,
            prevents=entry.prevent_recursion or alone,
            sources=tuple([source for source, switch in SWITCHES.items() if getattr(entry, switch)]),
            sort_key=(float(index),) if self.reference else (first, level, -order, among_equals, float(index)),
            heeds_book=rules.book_settings,
        )

    def _worded(self, key: str, book: Worldbook) -> Callable[[str], str]:
        """Puts values in the place of a key's macros: names, in SillyTavern 1.19 of all."""
        rules, words_sent = self.scan_input.rules, self.scan_input.words_sent

        def worded(text: str) -> str:
            named = with_names(text, self.names)
            if not rules.is_exact or not any(sign in named for sign in _SIGNS):
                return named
            self.keys_vary = True
            return words_sent(key, named, book.macro_dialect)

        return worded

    def keys(
        self, texts: Sequence[str], worded: Callable[[str], str], *, case: bool, whole: bool
    ) -> tuple[AnyKey, ...]:
        out: list[AnyKey] = []
        for text in texts:
            named = worded(text)
            key = key_of(
                named if self.reference else named.strip(),
                case_sensitive=case,
                whole_words=whole,
                marked=self.reference,
                apart=self.joined,
            )
            if isinstance(key, Key) and self.joined and MARK in key.text:  # it runs from one message into the next
                key = PatternKey(key.text, _ESCAPED.sub(r"\\\g<0>", key.text), "" if case else "i", marked=True)
            elif isinstance(key, PatternKey) and self.scan_input.rules.is_exact and not compiles(key.body, key.flags):
                key = Key(key.text, case, whole, whole)
            if key is not None:
                out.append(key)
        return tuple(out)


@lru_cache(maxsize=10_000)
def compiles(body: str, flags: str) -> bool:
    """Whether SillyTavern takes it for a pattern, and JavaScript can; without an engine to say so it is one."""
    if not set(flags) <= set("gimsuy"):
        return False
    from ctxlab.engines.regexes import Pattern, RegexEngineUnavailable, first_matches

    try:
        return not first_matches([Pattern(body, flags)], [""]).problems
    except RegexEngineUnavailable:
        return True


def _all_keys(lores: Iterable[PreparedEntry]) -> tuple[AnyKey, ...]:
    """Every key of every entry, and its less strict forms."""
    keys: dict[AnyKey, None] = {}
    for lore in lores:
        for key in (*lore.primary, *lore.secondary):
            if key not in keys:
                keys[key] = None
                keys.update(dict.fromkeys(relaxed(key)))
    return tuple(keys)


def relaxed(key: AnyKey) -> Iterator[Key]:
    """Less strict forms of a key: without case, without whole words, without both."""
    if isinstance(key, Key) and not key.is_plain:
        yield Key(key.text, case_sensitive=False, whole_words=key.whole_words, apart=key.apart)
        yield Key(key.text, case_sensitive=key.case_sensitive, whole_words=False)
        yield Key(key.text)


def in_order(book: Worldbook) -> list[tuple[str, LoreEntry]]:
    """The entries of a book as JavaScript goes through them: numbers ascending, then the rest as in the file."""
    rows = list(book.entries.items())
    numbers = [row for row in rows if _is_index(row[0])]
    if len(numbers) == len(rows):
        return sorted(rows, key=lambda row: int(row[0]))
    return [*sorted(numbers, key=lambda row: int(row[0])), *(row for row in rows if not _is_index(row[0]))]


def read_decorators(content: str, *, alone: bool = False) -> tuple[tuple[str, ...], str]:
    """The decorators at the head of a content, and the words after them.

    A line of three signs is a fallback: it counts only where the decorator before it isn't known. Where a decorator has
    to be `alone`, a line with more words says nothing.
    """
    if not content.startswith("@@"):
        return (), content
    lines = content.split("\n")
    found: list[str] = []
    unknown = False
    for i, line in enumerate(lines):
        if not line.startswith("@@"):
            return tuple(found), "\n".join(lines[i:])
        if line.startswith("@@@") and not unknown:
            continue
        name = line.removeprefix("@") if line.startswith("@@@") else line
        word = next((word for word in (ACTIVATE, DONT_ACTIVATE) if name.split(" ")[0].strip() == word), None)
        unknown = word is None
        found += [] if word is None or (alone and name.strip() != word) else [word]
    return tuple(found), ""


def with_fields(entry: LoreEntry, fields: Mapping[str, Any]) -> LoreEntry:
    """The entry with some fields changed, named as in its file (`scanDepth`)."""
    names = {field.alias or name: name for name, field in LoreEntry.model_fields.items()}
    return entry.with_(**{names.get(alias, alias): value for alias, value in fields.items()})


def _groups(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))


def _level_of_delay(entry: LoreEntry) -> int:
    delay = entry.delay_until_recursion
    if delay is True:
        return max(1, entry.delay_until_recursion_level or 1)
    return max(0, int(delay))


def _is_index(name: str) -> bool:
    """Whether JavaScript takes it for the index of a list: up to 2**32 - 2, written plainly."""
    if not (name.isascii() and name.isdigit() and len(name) <= 10):
        return False
    return (name == "0" or name[0] != "0") and int(name) < 2**32 - 1
