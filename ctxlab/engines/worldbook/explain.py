"""Why a lore entry is sent or not, in words, from the decisions of a scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from ctxlab.context import Context, Draft, Origin
from ctxlab.display.short_texts import nearest_name
from ctxlab.documents import LoreEntry
from ctxlab.engines.worldbook.decision import Decision
from ctxlab.engines.worldbook.scan import LoreScan
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

LORE = "lore"
"""The kind of origin of an entry's words."""
Outcome = Literal["fired", "blocked", "not hit"]
Label = Literal["fired", "blocked", "not hit", "keys", "seen", "lost to", "placed", "tokens", "nearest", "or", "price"]

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
class KeyPlace:
    """The characters of the key that called an entry up, and the text that has them where the scan has it.

    With `in_name` the text begins with the name of the speaker. `through` are texts that a match runs on into.
    """

    where: str
    start: int
    end: int
    text: str | None = None
    in_name: bool = False
    through: tuple[str, ...] = ()

    def in_words(self, named: Callable[[str], str]) -> str:
        """The place in words; `named` gives what a text is called by its key."""
        name = "the name of " if self.in_name else ""
        on = f", and on into {named(self.through[-1])}" if self.through else ""
        return f"{name}{named(self.where)}, characters {self.start:,} to {self.end:,}{on}"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence on a decision, and its subject."""

    label: Label
    text: str


def scan_of(ctx: Context) -> LoreScan:
    """The scan that a run left; raises CtxlabError where it made none."""
    scan = ctx.report(LoreScan)
    if scan is None:
        raise CtxlabError(why_undecided(ctx))
    return scan


def decisions(ctx: Context) -> Sequence[Decision]:
    """One decision an entry, those that fire first; none when no book is in force or no step made a scan yet."""
    scan = ctx.report(LoreScan)
    return scan.fired_first() if scan is not None else ()


def why_undecided(ctx: Context) -> str:
    """The reason why a run has no decisions on lore."""
    if ctx.input.books:
        return "nothing is decided on lore yet: the worldbook step wasn't done"
    return "no book is in force, so there are no lore entries"


def outcome(decision: Decision) -> Outcome:
    """Fired; blocked by a gate although it was called up or needn't be; not hit when none of its keys was found."""
    if decision.fired:
        return "fired"
    return "not hit" if decision.gate == "no-key" else "blocked"


# --- by name


def entries_named(ctx: Context, name: str) -> Sequence[Decision]:
    """The decisions on the entries that a name means: a key, a title, a uid, a keyword, or a part of a title.

    In a key the book's name does for its id, and `lore` where there is one book.

    Raises CtxlabError, naming what is near, when there is none.
    """
    scan_of(ctx)
    known = decisions(ctx)
    if not known:
        raise CtxlabError(why_undecided(ctx))
    wanted = name.strip().casefold()
    alone = len({one.lore.book_index for one in known}) == 1
    names_of: tuple[Callable[[Decision], Sequence[str]], ...] = (_keys, _title, _uid, _keywords, _by_book(alone=alone))
    for named in names_of:
        found = [one for one in known if wanted in (each.casefold() for each in named(one))]
        if found:
            return found
    parts = [one for one in known if wanted and wanted in one.title.casefold()]
    if 0 < len(parts) <= FEW:
        return parts
    raise CtxlabError(f"there is no lore entry {name!r}{nearest_name(name, {o.title: _keywords(o) for o in known})}")


def _keys(decision: Decision) -> tuple[str, ...]:
    return (decision.key, decision.key.removeprefix("lore:"))


def _title(decision: Decision) -> tuple[str, ...]:
    return (decision.title,)


def _uid(decision: Decision) -> tuple[str, ...]:
    return (str(decision.lore.entry.uid),)


def _by_book(*, alone: bool) -> Callable[[Decision], Sequence[str]]:
    """Keys with the book's name for its id; of the only book also with `lore`."""

    def names(decision: Decision) -> Sequence[str]:
        book, uid = decision.lore.book, decision.lore.entry.uid
        heads = (book.shown_name, *((LORE,) if alone else ()))
        return tuple(name for head in heads for name in (f"{LORE}:{head}/{uid}", f"{head}/{uid}"))

    return names


def _keywords(decision: Decision) -> tuple[str, ...]:
    return decision.lore.entry.all_keys


# --- in words


def key_place(ctx: Context, decision: Decision) -> KeyPlace | None:
    """The characters that called an entry up; None when none did, or it fires without a key."""
    matched = decision.matched
    if matched is None:
        return None
    scan = scan_of(ctx)
    if matched.where.startswith("lore:"):
        by = scan[matched.where]
        text = scan.scan_input.scanned_words_of(by.lore) if by.fired else None
    else:
        spoken = next((each for each in scan.scan_input.chat.messages if each.key == matched.where), None)
        text = None if spoken is None else spoken.scanned if matched.in_name else spoken.text
    return KeyPlace(matched.where, matched.start, matched.end, text, matched.in_name, matched.through)


def sentences(ctx: Context, decision: Decision) -> Iterator[Sentence]:
    """The whole decision: the verdict, the keys, the winner of its group, its place, its tokens, the nearest change."""
    fired, entry = decision.fired, decision.lore.entry
    yield Sentence(outcome(decision), _verdict(decision))
    if entry.all_keys:
        yield Sentence("keys", _all_keys(entry))
    if decision.lost_to is not None:
        yield Sentence("lost to", _winner(scan_of(ctx), decision.lost_to))
    place = requested_place(decision)
    yield Sentence("placed", f"{place}: {_outcome(ctx, decision)}" if fired else f"it would stand {place}")
    if decision.tokens is not None:
        yield Sentence("tokens", _tokens(decision.tokens, decision.left))
    if decision.remedy:
        yield Sentence("nearest", f"it {'stays out' if fired else 'fires'} with {decision.remedy}")


def _verdict(decision: Decision) -> str:
    if decision.fired:
        passed = f", in pass {decision.made_in}: other lore called it up" if decision.made_in > 1 else ""
        return f"because {decision.reason}{passed}"
    return decision.reason if decision.gate == "no-key" else f"at gate {decision.gate}: {decision.reason}"


def _all_keys(entry: LoreEntry) -> str:
    own = ", ".join(entry.all_keys)
    if not entry.selective or not entry.keysecondary:
        return own
    logic = {1: "and not all of", 2: "and none of", 3: "and all of"}.get(entry.selective_logic, "and one of")
    return f"{own}; {logic} {', '.join(entry.keysecondary)}"


def _winner(scan: LoreScan, key: str) -> str:
    title = next((one.title for one in scan.decisions if one.key == key), "")
    return f"“{title}” ({key})" if title else key


def _tokens(tokens: int, left: int | None) -> str:
    return f"{tokens:,}" + (f"; {left:,} of the budget are left" if left is not None else "")


def requested_place(decision: Decision) -> str:
    """The place that its author wants, in words."""
    entry = decision.lore.entry
    name, role, order = entry.position_name, entry.role_name, f"order {entry.order:g}"
    if name == "at_depth":
        return f"at depth {entry.depth:g} of the history, as {role}, {order}"
    if name == "outlet":
        return f"where {{{{outlet::{entry.outlet_name}}}}} stands, {order}"
    return f"{PLACES.get(name, 'before the history')}, as {role}, {order}"


def _outcome(ctx: Context, decision: Decision) -> str:
    """The outcome of an entry that fired, in words."""
    own = ctx.draft(decision.key)
    if own is not None:
        return f"it is in message {ctx.drafts.index(own) + 1}"
    gone = ((group.cause, draft) for group in ctx.dropped for draft in group.drafts)
    cause = next((cause for cause, draft in gone if _is_of(draft, decision.key)), None)
    if cause is not None:
        return f"it is not sent, {cause}"
    origin = Origin(LORE, decision.key.removeprefix("lore:"))
    holders = [n for n, draft in enumerate(ctx.drafts, start=1) if origin in draft.text.origins()]
    if holders:
        return f"it is in message {', '.join(str(n) for n in holders)}"
    is_placed = any(draft.origin.kind in (LORE, "preset") for draft in ctx.drafts)
    return "it is empty" if is_placed else "it isn't placed yet"


def _is_of(draft: Draft, key: str) -> bool:
    return key in (draft.key, *(part.key for part in draft.merged))
