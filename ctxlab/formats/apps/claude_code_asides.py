"""Lines of the program beside the conversation: they were never sent, are no branch of it and take nothing off it.

A hook's summary or a progress line may hang beside a reply or a result, and the next message on it. What follows such a
line follows the messages beside it: a reply is there, and a call without its result can't have been sent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.formats.apps.claude_code_api_messages import answers, is_reply, message_id

Data = dict[str, Any]
Links = Sequence[tuple[str, str | None]]


def asides_of(links: Links, lines: Mapping[str, Data], is_message: Callable[[Data], bool]) -> dict[str, str | None]:
    """The lines that hang beside others and have no message at or below them, each with what they hang on.

    `links` are keys with those above them, parents first. Where nothing at all goes on with a message, the last one
    stays. What lines hang on is never such a line itself: those below one are on the same as it.
    """
    holds = {key for key in lines if is_message(lines[key])}
    below: dict[str | None, list[str]] = {}
    for key, parent in reversed(links):
        below.setdefault(parent, []).append(key)
        if key in holds and parent is not None:
            holds.add(parent)
    places = {key: place for place, key in enumerate(lines)}
    found: dict[str, str | None] = {}
    for key, parent in links:
        siblings = below[parent]
        goes_on = any(other in holds for other in siblings)
        if parent in found:
            found[key] = found[parent]
        elif key not in holds and len(siblings) > 1 and (goes_on or key != max(siblings, key=places.__getitem__)):
            found[key] = parent
    return found


def past_asides(links: Links, lines: Mapping[str, Data], is_message: Callable[[Data], bool]) -> dict[str, str | None]:
    """The links, with each message that follows a line of the program under the newest of those beside that line.

    Only where the first of those beside it answers what both hang on: another prompt there is another branch.
    """
    beside = _Beside(links, lines, is_message)
    return {key: beside.above(key, parent) for key, parent in links}


class _Beside:
    """The messages beside the lines of the program."""

    def __init__(self, links: Links, lines: Mapping[str, Data], is_message: Callable[[Data], bool]) -> None:
        self._lines, self._is_message = lines, is_message
        self._order = {key: place for place, key in enumerate(_in_time(lines))}
        self._said: dict[str | None, str | None] = {None: None}
        """The message at or nearest above a line."""
        for key, parent in links:
            self._said[key] = key if is_message(lines[key]) else self._said[parent]
        first, last = self._first_and_last_children(links)
        self._begins: dict[str, str] = {}
        """For a line of the program, where that begins which was said beside it, or beside one above it."""
        answers_of: dict[str | None, list[str]] = {}
        for key, parent in links:
            if key in first and self._is_answer(first[key], self._said[parent]):
                answers_of.setdefault(parent, []).append(key)
        for key, parent in links:
            if not is_message(lines[key]):
                others = [each for each in answers_of.get(parent, ())[-2:] if each != key]
                found = others[-1] if others else self._begins.get(parent or "")
                if found is not None:
                    self._begins[key] = found
        self._ways: dict[str, tuple[list[str], list[int], int]] = {}
        """For each line, the way down along the newest lines that it is on, their places, and its own number in it."""
        for key, parent in links:
            if parent in self._ways and last.get(parent) == key:
                way, places, _ = self._ways[parent]
            else:
                way, places = [], []
            way.append(key)
            places.append(max(self._order[key], places[-1] if places else 0))
            self._ways[key] = (way, places, len(way) - 1)

    def _first_and_last_children(self, links: Links) -> tuple[dict[str, str], dict[str | None, str]]:
        """The first message at or below each line that holds one, and the newest line below each that does."""
        first: dict[str, str] = {}
        last: dict[str | None, str] = {}
        oldest: dict[str | None, str] = {}
        for key, parent in reversed(links):
            if self._is_message(self._lines[key]):
                first[key] = key
            elif key in oldest:
                first[key] = first[oldest[key]]
            if key in first:
                if parent not in oldest or self._order[key] < self._order[oldest[parent]]:
                    oldest[parent] = key
                if parent not in last or self._order[key] > self._order[last[parent]]:
                    last[parent] = key
        return first, last

    def _is_answer(self, key: str, above: str | None) -> bool:
        if above is None:
            return False
        line, before = self._lines[key], self._lines[above]
        return bool(answers(line)) if is_reply(before) else is_reply(line)

    def above(self, key: str, parent: str | None) -> str | None:
        """The line that a line follows."""
        begin, line = self._begins.get(parent or ""), self._lines[key]
        if begin is None or not self._is_message(line) or answers(line):
            return parent
        way, places, number = self._ways[begin]
        last = self._said[way[max(number, bisect_left(places, self._order[key]) - 1)]]
        if last is None or last == self._said[parent] or self._order[last] > self._order[key]:
            return parent
        newest = self._lines[last]
        if (line.get("isSidechain") is True) != (newest.get("isSidechain") is True):
            return parent
        both = is_reply(line) and is_reply(newest)
        return parent if both and (message_id(line) or 0) != message_id(newest) else last


def _in_time(lines: Mapping[str, Data]) -> Sequence[str]:
    """The lines from the oldest, where all say when they were written; else in the order of the file."""
    times = {key: line.get("timestamp") for key, line in lines.items()}
    if not all(isinstance(time, str) and time.endswith("Z") for time in times.values()):
        return [*lines]
    return sorted(lines, key=lambda key: str(times[key]))


def kept_after(lines: Mapping[str, Data], links: Mapping[str, str | None]) -> Iterator[tuple[str, list[str]]]:
    """For each compaction that kept messages as they were: the line after which they were sent again, and their lines.

    The program names the first and the last of them, and the line that they follow, in `preservedSegment`. A segment
    whose ends aren't linked in the log gives none.
    """
    for line in lines.values():
        told = line.get("compactMetadata")
        segment = cast("Data", told).get("preservedSegment") if isinstance(told, dict) else None
        if not isinstance(segment, dict):
            continue
        head, anchor, tail = (cast("Data", segment).get(name) for name in ("headUuid", "anchorUuid", "tailUuid"))
        kept: list[str] = []
        seen: set[str] = set()
        at: str | None = tail if isinstance(tail, str) else None
        while at is not None and at not in seen and at in lines:
            seen.add(at)
            kept.append(at)
            at = None if at == head else links.get(at)
        if kept and kept[-1] == head and isinstance(anchor, str) and anchor in lines and anchor not in seen:
            yield anchor, kept[::-1]


def with_kept(lines: Mapping[str, Data], links: dict[str, str | None]) -> dict[str, str | None]:
    """The links, with the messages that a compaction kept between its summary and what followed."""
    changed = dict(links)
    below: dict[str | None, list[str]] = {}
    for key, parent in links.items():
        below.setdefault(parent, []).append(key)
    for anchor, kept in kept_after(lines, links):
        again = set(kept)
        first, passed = anchor, {anchor, *kept}
        while (above := changed.get(first)) is not None and above not in passed:
            passed.add(above)
            first = above
        changed |= {key: kept[-1] for key in below.get(anchor, ()) if key not in again}
        changed[first] = changed.get(kept[0])
        changed[kept[0]] = anchor
    return changed
