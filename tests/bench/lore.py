"""What a scan of ten thousand keys costs, and what an alternation of `re` would."""

from __future__ import annotations

import random
import re
from pathlib import Path

import ctxlab
from ctxlab.documents.lore import LoreEntry, Worldbook
from ctxlab.engines.worldbook import ActiveBook, Chat, ScanInput, ScannedMessage, key_search, prepared_entry, scan
from ctxlab.engines.worldbook.key_matches import KeyMatches
from ctxlab.engines.worldbook.prepared_entry import EntryPreparer
from ctxlab.pipeline.garbage_collector import without_collection
from ctxlab.testing import generated_session
from tests.bench.timing import Work, ms, timed

KEYS, CHARACTERS = 10_000, 1_000_000
SYLLABLES = [
    "dra",
    "gon",
    "ca",
    "stle",
    "ri",
    "ver",
    "sto",
    "rm",
    "el",
    "f",
    "or",
    "wi",
    "zard",
    "the",
    "城",
    "山",
    "河",
]
ALTERNATION_KEYS, ALTERNATION_CHARACTERS = 1_000, 100_000


def words(dice: random.Random, least: int, most: int) -> str:
    return "".join(dice.choice(SYLLABLES) for _ in range(dice.randint(least, most)))


def material(keys: int, characters: int) -> tuple[Worldbook, Chat]:
    dice = random.Random(1)
    known = list(dict.fromkeys(words(dice, 3, 5) for _ in range(3 * keys)))[:keys]
    book = Worldbook(
        id="b",
        entries={str(i): LoreEntry(uid=i, key=(key,), content=words(dice, 40, 40)) for i, key in enumerate(known)},
    )
    texts: list[str] = []
    size = 0
    while size < characters:
        texts.append(" ".join(words(dice, 1, 4) for _ in range(60)))
        size += len(texts[-1])
    return book, Chat(tuple(ScannedMessage(str(i), text, str(i)) for i, text in enumerate(texts)))


def forget() -> None:
    key_search._automaton.cache_clear()  # pyright: ignore[reportPrivateUsage]
    prepared_entry._PREPARED.clear()  # pyright: ignore[reportPrivateUsage]


def alternation(book: Worldbook, chat: Chat) -> int:
    """The same keys as one pattern; overlapping ones are lost."""
    pattern = re.compile("|".join(re.escape(entry.key[0]) for entry in book.entries.values()), re.IGNORECASE)
    return sum(1 for spoken in chat.messages for _ in pattern.finditer(spoken.text))


def look(asked: ScanInput) -> KeyMatches:
    """Every key in every message, from nothing."""
    maker = EntryPreparer(asked)
    return KeyMatches.over(asked, maker.all(), maker.search)


def decided(asked: ScanInput) -> None:
    """Every decision and every nearest change, with the collector off as in a build."""
    with without_collection():
        for one in scan(asked).decisions:
            assert one.nearest


def timeline_rows() -> list[tuple[str, str]]:
    """A lore timeline of a conversation, of one twice as long, and so on."""
    folder = Path(__file__).parents[2] / "datasets"
    books = ctxlab.read(folder / "harbour_lore.json").books
    sessions = {n: ctxlab.read_data(generated_session(n, seed=1)).pick() for n in (125, 250, 500, 1_000)}
    ctxlab.lore_timeline(sessions[125], books=books)
    works = {str(n): Work(lambda it=it: ctxlab.lore_timeline(it, books=books)) for n, it in sessions.items()}
    times = timed(works)
    shown = ", ".join(ms(seconds) for seconds in times.values())
    return [
        ("a lore timeline of 125, 250, 500 and 1,000 messages", shown),
        ("of 1,000 beside 500", f"{times['1000'] / times['500']:.1f}x"),
    ]


def lore_rows() -> list[tuple[str, str]]:
    """Keys alone and all decisions with their nearest changes; the ratio is of the same 1,000 keys in 0.1 MB."""
    book, chat = material(KEYS, CHARACTERS)
    asked = ScanInput((ActiveBook(book),), chat)
    small, short = material(ALTERNATION_KEYS, ALTERNATION_CHARACTERS)
    little = ScanInput((ActiveBook(small),), short)
    times = timed(
        {
            "keys_cold": Work(lambda: look(asked), before=forget),
            "keys_warm": Work(lambda: look(asked)),
            "scan_cold": Work(lambda: decided(asked), before=forget),
            "scan_warm": Work(lambda: decided(asked)),
            "rows": Work(scan(asked).rows),
            "few_keys": Work(lambda: look(little)),
            "re": Work(lambda: alternation(small, short)),
        }
    )
    return [
        ("10,000 keys over 1 MB, cold", ms(times["keys_cold"])),
        ("10,000 keys over 1 MB, warm", ms(times["keys_warm"])),
        ("the same with a decision and the nearest change for each entry, cold", ms(times["scan_cold"])),
        ("the same, warm", ms(times["scan_warm"])),
        ("rows of that table", ms(times["rows"])),
        ("an `re` alternation of 1,000 keys over 0.1 MB", f"{times['re'] / times['few_keys']:,.0f}x of ours"),
    ]
