"""The places of a lorebook's entries, and the uids that they get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a file's entries: its key there, its value, and the uid that it gets; None is no entry."""

    at: str | int
    raw: Any
    uid: int | str | None

    @property
    def place(self) -> str:
        raw = coerce.as_object(self.raw)
        title = next((value for name in ("comment", "name") if isinstance(value := raw.get(name), str) and value), "")
        return f"entry {self.at!r}" + (f" ({title[:40]!r})" if title else "")


def slots_of(raw: Mapping[str, Any], losses: list[Loss]) -> list[Slot]:
    """The places of a book's entries. Stored uids come first; an entry without one of its own gets a free one."""
    places = list(_places(raw, losses))
    wanted = [_stored_uid(item) for _, item in places]
    free = free_numbers(wanted)
    taken: set[str] = set()
    slots: list[Slot | None] = [None] * len(places)
    for i, ((at, item), uid) in enumerate(zip(places, wanted, strict=True)):
        if not isinstance(item, Mapping):
            slots[i] = Slot(at, item, None)
        elif uid is not None:
            own = uid if str(uid) not in taken else next(free)
            taken.add(str(own))
            slots[i] = slot = Slot(at, item, own)
            if own != uid:
                losses.append(Loss(f"{slot.place}, uid", f"{uid!r} is there twice; this one is {own!r} now"))
    for i, (at, item) in enumerate(places):
        if slots[i] is None:
            own = i if str(i) not in taken else next(free)
            taken.add(str(own))
            slots[i] = Slot(at, item, own)
    return [slot for slot in slots if slot is not None]


def _places(raw: Mapping[str, Any], losses: list[Loss]) -> Iterator[tuple[str | int, Any]]:
    entries = raw.get("entries")
    if isinstance(entries, Mapping):
        yield from cast("Mapping[str, Any]", entries).items()
    elif isinstance(entries, list):
        yield from enumerate(cast("list[Any]", entries))
    elif entries is not None:
        losses.append(Loss("entries", f"{coerce.shown(entries)} is neither an object nor a list; there are none"))


def _stored_uid(raw: Any) -> int | str | None:
    entry = coerce.as_object(raw)
    for key in ("uid", "id"):
        value = entry.get(key)
        if isinstance(value, str) and value:
            return _number_or_word(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _number_or_word(value)
    return None


def _number_or_word(value: str | float) -> int | str:
    try:
        return coerce.whole(value)
    except ValueError:
        return str(value)


def free_numbers(wanted: Sequence[int | str | None]) -> Iterator[int]:
    """Numbers above all that are wanted, and above all that places could give."""
    n = max((uid for uid in wanted if isinstance(uid, int)), default=-1)
    n = max(n, len(wanted) - 1)
    while True:
        n += 1
        yield n
