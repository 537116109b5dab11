"""Secrets that the pieces of a stream hold between them, each a part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

_PLACES = ("index", "output_index", "content_index", "item_id")
_Slot = tuple[Any, Any]
"""The object or list that holds a text, and under which name or number."""


def mask_across_pieces(events: Sequence[Any], masked: Callable[[str], str]) -> None:
    """Mask, in place, texts of events that are whole only when they are put together.

    Texts at the same place of successive events (the same names, and the same `index` on the way) are pieces of one.
    Where that one changes by masking, its first piece gets all that is left of it and the others become empty.
    """
    threads: dict[tuple[Any, ...], list[_Slot]] = {}
    for event in events:
        for path, slot in _texts(event, ()):
            threads.setdefault(path, []).append(slot)
    for slots in threads.values():
        _mask_thread(slots, masked)


def _mask_thread(slots: list[_Slot], masked: Callable[[str], str]) -> None:
    pieces = [cast("str", holder[name]) for holder, name in slots]
    if len(pieces) < 2:
        return
    joined = "".join(pieces)
    whole = masked(joined)
    if whole == joined:
        return
    first, last = _changed(joined, whole)
    start = 0
    for (holder, name), piece in zip(slots, pieces, strict=True):
        end = start + len(piece)
        if end > first and start < last:
            before, after = piece[: max(first - start, 0)], piece[max(last - start, 0) :] if last < end else ""
            middle = whole[first : len(whole) - (len(joined) - last)] if start <= first else ""
            holder[name] = before + middle + after
        start = end


def _changed(old: str, new: str) -> tuple[int, int]:
    """The part of a text that a change touched: what is before and behind it is the same."""
    most = min(len(old), len(new))
    first = next((at for at in range(most) if old[at] != new[at]), most)
    same = next((at for at in range(most - first) if old[-1 - at] != new[-1 - at]), most - first)
    return first, len(old) - same


def _texts(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], _Slot]]:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        path = (*path, *(f"{name}={fields[name]}" for name in _PLACES if isinstance(fields.get(name), int | str)))
        items: Any = fields.items()
    elif isinstance(value, list):
        items = enumerate(cast("list[Any]", value))
    else:
        return
    for name, item in items:
        if isinstance(item, str):
            if name not in _PLACES:
                yield (*path, name), (value, name)
        else:
            yield from _texts(item, (*path, name))
