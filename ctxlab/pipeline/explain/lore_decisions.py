"""Why a lore entry is sent or not, in words, from the rows that the worldbook step leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.context import Draft, Origin
from ctxlab.context.report import rows_named
from ctxlab.documents import LoreEntry
from ctxlab.documents.lore import POSITIONS
from ctxlab.errors import CtxlabError
from ctxlab.pipeline.explain.provenance_text import LORE_STEP

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace

LORE = "lore"
Row = Mapping[str, Any]
Identity = tuple[str, str, str]
Standing = Literal["fired", "blocked", "not hit"]
Label = Literal["fired", "blocked", "not hit", "keys", "seen", "lost to", "placed", "tokens", "nearest"]

FEW = 12
PLACES = {
    "before_char": "before the character's description",
    "after_char": "after the character's description",
    "before_an": "before the author's note",
    "after_an": "after the author's note",
    "before_em": "before the example messages",
    "after_em": "after the example messages",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """The words that called an entry up, where they stand, and the text that they stand in where it is at hand."""

    where: str
    start: int
    end: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of a decision, and what it is about."""

    label: Label
    text: str


def decisions(trace: Trace) -> Sequence[Row]:
    """One row an entry; none when no book is in force or the step wasn't done yet."""
    return rows_named(trace.result, LORE)


def standing(row: Row) -> Standing:
    """Fired; blocked by a gate although it was called up or needn't be; not hit when its keys are nowhere in sight."""
    if row["fired"]:
        return "fired"
    return "not hit" if row["gate"] == "no-key" else "blocked"


def entries_named(trace: Trace, name: str) -> Sequence[Row]:
    """The decisions on the entries that a name means: a key, a title, a uid, a keyword, or a part of a title.

    Raises CtxlabError, naming what is near, when there is none.
    """
    rows = decisions(trace)
    if not rows:
        raise CtxlabError(why_undecided(trace))
    entries = _entries(trace)
    keywords = {row["key"]: _keywords(entries.get(_identity(row)), row) for row in rows}
    wanted = name.strip().casefold()
    names_of: tuple[Callable[[Row], Sequence[str]], ...] = (_keys, _title, _uid, lambda row: keywords[row["key"]])
    for named in names_of:
        found = [row for row in rows if wanted in (each.casefold() for each in named(row))]
        if found:
            return found
    parts = [row for row in rows if wanted and wanted in str(row["title"]).casefold()]
    if 0 < len(parts) <= FEW:
        return parts
    names = {str(row["title"]): keywords[row["key"]] for row in rows}
    raise CtxlabError(f"there is no lore entry {name!r}{nearest_name(name, names)}")


def nearest_name(wanted: str, names: Mapping[str, Sequence[str]]) -> str:
    """A clause that names what is near, by the names themselves, by words in them or by what else they go by."""
    from difflib import get_close_matches

    goes_by: dict[str, str] = {}
    for name, others in names.items():
        for each in (name, *name.split(), *others):
            goes_by.setdefault(each.casefold(), name)
    near = get_close_matches(wanted.strip().casefold(), goes_by, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {goes_by[near[0]]!r}?"
    first = ", ".join(list(names)[:FEW])
    return f"; there are {len(names):,}, the first are {first}" if len(names) > FEW else f"; there are: {first}"


def why_undecided(trace: Trace) -> str:
    if trace.start.input.books:
        return f"nothing is decided on lore yet: {LORE_STEP} wasn't done"
    return "no book is in force, so there are no lore entries"


def _keys(row: Row) -> tuple[str, ...]:
    return (row["key"], row["key"].removeprefix("lore:"))


def _title(row: Row) -> tuple[str, ...]:
    return (str(row["title"]),)


def _uid(row: Row) -> tuple[str, ...]:
    return (str(row["uid"]),)


def _keywords(entry: LoreEntry | None, row: Row) -> tuple[str, ...]:
    return entry.all_keys if entry is not None else tuple(row["keys"])


def entry_of(trace: Trace, row: Row) -> LoreEntry | None:
    """The entry itself, as its book has it."""
    return _entries(trace).get(_identity(row))


def _entries(trace: Trace) -> dict[Identity, LoreEntry]:
    return {
        (book.book_id, str(entry.uid), entry.title): entry
        for book in trace.start.input.books
        for entry in book.entries.values()
    }


def _identity(row: Row) -> Identity:
    return (str(row["book_id"]), str(row["uid"]), str(row["title"]))


def seen(trace: Trace, row: Row) -> Seen | None:
    """Where the words stand that called it up; None when nothing did, or nothing had to."""
    if row["characters"] is None or row["message"] is None:
        return None
    where, (start, end) = str(row["message"]), row["characters"]
    if where.startswith("lore:"):
        text = next((other["content"] for other in decisions(trace) if other["key"] == where), None)
        return Seen(where, start, end, text)
    step = next((step for step in trace.steps if any(report.name == LORE for report in step.reports)), None)
    draft = step.before.draft(where) if step is not None else None
    return Seen(where, start, end, str(draft.text) if draft is not None else None)


def sentences(trace: Trace, row: Row) -> Iterator[Said]:
    """The whole decision: what it is, what called it up, what stopped it, where it stands, what would turn it."""
    fired = bool(row["fired"])
    yield Said(standing(row), _verdict(row))
    entry = entry_of(trace, row)
    if entry is not None and entry.all_keys:
        yield Said("keys", _all_keys(entry))
    if row["lost_to"] is not None:
        yield Said("lost to", _winner(trace, row["lost_to"]))
    yield Said("placed", _placed(trace, row) if fired else f"it would stand {asked_place(row)}")
    if row["tokens"] is not None:
        yield Said("tokens", _tokens(row))
    if row["remedy"]:
        yield Said("nearest", f"it {'stays out' if fired else 'fires'} with {row['remedy']}")


def _verdict(row: Row) -> str:
    if row["fired"]:
        passed = f", in pass {row['pass']}: other lore called it up" if row["pass"] > 1 else ""
        return f"because {row['reason']}{passed}"
    return str(row["reason"]) if row["gate"] == "no-key" else f"at gate {row['gate']}: {row['reason']}"


def _all_keys(entry: LoreEntry) -> str:
    own = ", ".join(entry.all_keys)
    if not entry.selective or not entry.keysecondary:
        return own
    logic = {1: "and not all of", 2: "and none of", 3: "and all of"}.get(entry.selective_logic, "and one of")
    return f"{own}; {logic} {', '.join(entry.keysecondary)}"


def _winner(trace: Trace, key: str) -> str:
    title = next((row["title"] for row in decisions(trace) if row["key"] == key), "")
    return f"“{title}” ({key})" if title else key


def _tokens(row: Row) -> str:
    left = row["budget_left"]
    return f"{row['tokens']:,}" + (f"; {left:,} of the budget are left" if left is not None else "")


def asked_place(row: Row) -> str:
    """Where its author wants it, in words."""
    position = row["position"]
    name = POSITIONS[position] if 0 <= position < len(POSITIONS) else ""
    order = f"order {row['order']:g}"
    if name == "at_depth":
        return f"at depth {row['depth']:g} of the history, as {row['role']}, {order}"
    if name == "outlet":
        return f"where {{{{outlet::{row['outlet']}}}}} stands, {order}"
    return f"{PLACES.get(name, 'before the history')}, as {row['role']}, {order}"


def _placed(trace: Trace, row: Row) -> str:
    """What its author asked for, and what became of it."""
    return f"{asked_place(row)}: {_fate(trace, row)}"


def _fate(trace: Trace, row: Row) -> str:
    drafts = trace.result.drafts
    own = trace.result.draft(row["key"])
    if own is not None:
        return f"it is in message {drafts.index(own) + 1}"
    cause = next((group.cause for group in trace.result.dropped for draft in group.drafts if _is(draft, row)), None)
    if cause is not None:
        return f"it is not sent, {cause}"
    origin = Origin(LORE, row["key"].removeprefix("lore:"))
    holders = [n for n, draft in enumerate(drafts, start=1) if origin in draft.text.origins()]
    if holders:
        return f"it is in message {', '.join(str(n) for n in holders)}"
    is_decided = trace.result.report_named(LORE) is not None
    return "it isn't placed yet" if is_decided and not _is_over(trace) else "it is empty"


def _is(draft: Draft, row: Row) -> bool:
    return row["key"] in (draft.key, *(part.key for part in draft.merged))


def _is_over(trace: Trace) -> bool:
    return any(draft.origin.kind in (LORE, "preset") for draft in trace.result.drafts)
