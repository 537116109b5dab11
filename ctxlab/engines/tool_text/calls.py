"""Tool calls that a model writes in its text, as VCP spells them, from `<<<[TOOL_REQUEST]>>>` to its end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.tool_text.quoted import Thoughts, code_spans, is_quoted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

BEGIN, END = "<<<[TOOL_REQUEST]>>>", "<<<[END_TOOL_REQUEST]>>>"
OPEN, CLOSE = "「始」", "「末」"
NAME = "tool_name"
_KEY = lazy_pattern(r"([^\s「」:：,，]{1,100})\s*[:：]\s*「始([A-Za-z]{0,16})」")
"""A key and the opening of its value; letters in the opening stand in the closing too: a value may then hold 「末」."""
_FENCE = lazy_pattern(r"^[ \t]{0,3}(`{3,}|~{3,})([^\n`]*)$", re.MULTILINE)
_BEGIN_OR_THOUGHT = lazy_pattern(rf"{re.escape(BEGIN)}|<think(ing)?>", re.IGNORECASE)
_BETWEEN = lazy_pattern(r"[\s,，;；]*")


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call in a text, from its character `start` to `end`; `broken` says what is wrong with it, if anything is."""

    name: str
    arguments: Mapping[str, str]
    start: int
    end: int
    broken: str = ""


def calls_in_text(text: str) -> tuple[TextCall, ...]:
    """The calls that a text makes, in order.

    A request in a code fence is a call where the fence holds requests alone; among other words it is an example. One
    in inline code, in a line that is quoted with `>`, or between `<think>` and `</think>` is none.

    >>> text = "<<<[TOOL_REQUEST]>>> tool_name:「始」weather「末」, city:「始」上海「末」 <<<[END_TOOL_REQUEST]>>>"
    >>> [(call.name, dict(call.arguments)) for call in calls_in_text(text)]
    [('weather', {'city': '上海'})]
    """
    found = list(_requests(text))
    if not found:
        return ()
    examples = sorted((*_examples(text, found), *code_spans(text, found)))
    starts = [begin for begin, _ in examples]
    ends = list(accumulate((end for _, end in examples), max))

    def is_example(call: TextCall) -> bool:
        before = bisect_right(starts, call.start)
        return before > 0 and call.start < ends[before - 1]

    return tuple(call for call in found if not (is_example(call) or is_quoted(text, call)))


def without_calls(text: str) -> str:
    """The text without the calls that it makes, and without fences that held nothing else.

    >>> without_calls("Let me look.\\n<<<[TOOL_REQUEST]>>>tool_name:「始」now「末」<<<[END_TOOL_REQUEST]>>>")
    'Let me look.'
    """
    calls = calls_in_text(text)
    if not calls:
        return text
    kept, done = list[str](), 0
    for start, end in sorted([(call.start, call.end) for call in calls]):
        kept.append(text[done:start])
        done = end
    kept.append(text[done:])
    return re.sub(r"(`{3,}|~{3,})[^\n`~]*\n\s*\1", "", "".join(kept)).strip()


def reason_it_is_broken(raw: str) -> str:
    """The sentence that tells a model what is wrong with its request; empty for one that can be read."""
    calls = list(_requests(raw))
    return calls[0].broken if calls else ""


# --- reading


def _requests(text: str) -> Iterator[TextCall]:
    at, thoughts = 0, Thoughts(text)
    while (found := _BEGIN_OR_THOUGHT.search(text, at)) is not None:
        if found.group() == BEGIN:
            call = _request(text, found.start())
            yield call
            at = max(call.end, found.end())
        else:
            at = thoughts.end(found)


def _request(text: str, start: int) -> TextCall:
    """The request that begins here, read value by value, so that a value may hold the marks of others."""
    values: dict[str, str] = {}
    at = start + len(BEGIN)
    while True:
        at = _after_blanks(text, at)
        if text.startswith(END, at):
            return _finished(values, start, at + len(END))
        key = _KEY.match(text, at)
        if key is None:
            return _stopped(text, values, start, at)
        close = f"「末{key[2]}」"
        value_end = text.find(close, key.end())
        if value_end < 0:
            broken = f"the value of {key[1]!r} is not closed: {close} ends it"
            return TextCall(_name(values), _rest(values), start, len(text), broken)
        if key[1] in values:
            end = _end_after(text, value_end + len(close))
            return TextCall(_name(values), _rest(values), start, end, f"{key[1]!r} is given twice")
        values[key[1]] = text[key.end() : value_end].strip()
        at = value_end + len(close)


def _finished(values: dict[str, str], start: int, end: int) -> TextCall:
    broken = "" if values.get(NAME) else f"it names no tool: {NAME}:{OPEN}the name{CLOSE}"
    return TextCall(_name(values), _rest(values), start, end, broken)


def _stopped(text: str, values: dict[str, str], start: int, at: int) -> TextCall:
    if at >= len(text) or text.startswith(BEGIN, at):
        return TextCall(_name(values), _rest(values), start, at, f"it has no end: {END}")
    broken = f"there are words between its values: each is written key:{OPEN}value{CLOSE}"
    return TextCall(_name(values), _rest(values), start, _end_after(text, at), broken)


def _end_after(text: str, at: int) -> int:
    """The end of a broken request: behind its end, before the next one, or with the text."""
    following = text.find(BEGIN, at)
    limit = following if following >= 0 else len(text)
    end = text.find(END, at, limit)
    return end + len(END) if end >= 0 else limit


def _after_blanks(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _name(values: Mapping[str, str]) -> str:
    return values.get(NAME, "")


def _rest(values: Mapping[str, str]) -> Mapping[str, str]:
    return FrozenDict({key: value for key, value in values.items() if key != NAME})


# --- fences


def _examples(text: str, calls: list[TextCall]) -> list[tuple[int, int]]:
    """The stretches of fences in which requests stand among other words."""
    found: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    inside = iter(calls)
    call = next(inside, None)
    for fence in _FENCE.finditer(text):
        while call is not None and call.end <= fence.start():
            call = next(inside, None)
        if call is not None and call.start <= fence.start() < call.end:
            continue  # a fence inside a value
        if opened is None:
            opened = fence
        elif fence[1][0] == opened[1][0] and len(fence[1]) >= len(opened[1]) and not fence[2].strip():
            if _holds_other_words(text, opened.end(), fence.start(), calls):
                found.append((opened.end(), fence.start()))
            opened = None
    if opened is not None and _holds_other_words(text, opened.end(), len(text), calls):
        found.append((opened.end(), len(text)))
    return found


def _holds_other_words(text: str, start: int, end: int, calls: list[TextCall]) -> bool:
    at = start
    first = bisect_left(calls, start, key=_start)
    for call in calls[first : bisect_left(calls, end, key=_start)]:
        if text[at : call.start].strip():
            return True
        at = call.end
    return bool(text[at:end].strip())


def _start(call: TextCall) -> int:
    return call.start
