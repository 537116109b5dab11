"""The marks around a model's thoughts, found by what its template makes of short chats.

llama.cpp's server finds them so before its first chat, to know whether a model thinks and what it writes in front of a
reply that is continued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ctxlab.lazy_pattern import lazy_pattern

Render = Callable[[Mapping[str, Any]], "str | None"]
"""The text of a template for values; None where it refuses them."""

ASKED, ANSWERED, THOUGHT = "zq question zq", "zq answer zq", "zq thought zq"
USER: Final[Mapping[str, Any]] = {"role": "user", "content": ASKED}
ANSWER: Final[Mapping[str, Any]] = {"role": "assistant", "content": ANSWERED}
CALL: Final[Mapping[str, Any]] = {
    "id": "call00001",
    "type": "function",
    "function": {"name": "first", "arguments": {"one": "a", "two": "b"}},
}
TOOL: Final[Mapping[str, Any]] = {
    "type": "function",
    "function": {
        "name": "first",
        "description": "The first.",
        "parameters": {"type": "object", "properties": {"one": {"type": "string"}, "two": {"type": "string"}}},
    },
}
MARK = r"(?:<[^>]*>|\[[^\]]*\])"
_AROUND = lazy_pattern(rf"({MARK}\s*){THOUGHT}(\s*{MARK}\s*)")
_BEHIND = lazy_pattern(rf"{THOUGHT}\s*({MARK}\s*)")
_PIECES = lazy_pattern(rf"({MARK})")
TAIL = 64
"""Characters at the end of a text by which it is found in another."""


class ThoughtMarks(NamedTuple):
    """The marks before and behind thoughts, "" where there are none; `thinks` is whether thoughts were seen at all."""

    thinks: bool = False
    start: str = ""
    end: str = ""


def thought_marks(source: str, render: Render, *, calls: bool) -> ThoughtMarks:
    """The marks of a template; with `calls` it is tried with calls of tools too."""
    found = _by_source(source)
    if found is not None:
        return found
    found = _by_switch(render, _in_history(render))
    found = _beside_calls(render, found) if calls else found
    splits = "content.split('</think>')" in source and "reasoning_content" not in source
    return ThoughtMarks(True, "<think>", "</think>") if not found.thinks and splits else found


def _by_source(source: str) -> ThoughtMarks | None:
    """The marks of three families that the server knows by words of their templates."""
    if "laguna_glm_thinking" in source:
        return ThoughtMarks(True, "<think>", "</think>")
    if "Write your thoughts between <think></think> and write your response between <response></response>" in source:
        return ThoughtMarks(True, "<think>", "</think>")
    if all(f"<SPECIAL_{number}>" in source for number in (10, 11, 12)) and "<TOOL_RESPONSE>" in source:
        return ThoughtMarks(True, "<think>\n", "</think>")
    return None


def _in_history(render: Render) -> ThoughtMarks:
    """The marks around thoughts of an answer that was given."""
    thinking = {**ANSWER, "reasoning_content": THOUGHT}
    given = {"add_generation_prompt": False, "enable_thinking": True}
    bare = render({"messages": [USER, ANSWER], **given})
    text = render({"messages": [USER, thinking], **given})
    if bare is None or text is None or THOUGHT not in text:
        return ThoughtMarks()
    around = _AROUND.search(text)
    if around is not None:
        return ThoughtMarks(True, around[1], around[2])
    behind = _BEHIND.search(text)
    return ThoughtMarks(True, "", behind[1]) if behind is not None else ThoughtMarks()


def _by_switch(render: Render, found: ThoughtMarks) -> ThoughtMarks:
    """The marks that come, or go, where thoughts are switched on."""
    off, on = (render({"messages": [USER], "enable_thinking": each}) for each in (False, True))
    if off is None or on is None:
        return found
    only_off, only_on = _differing(off, on)
    if not only_off.strip() and only_on.strip():
        if on.endswith(only_on.strip()) and not found.start:
            return ThoughtMarks(True, only_on, found.end)
    elif only_off.strip() and not only_on.strip():
        if off.endswith(only_off.strip()) and not found.end:
            pieces = _pieces(off)
            is_pair = len(pieces) > 1 and pieces[-1] == only_off.strip() and _is_mark(pieces[-2])
            return ThoughtMarks(True, pieces[-2] if is_pair else found.start, only_off)
    elif only_off.strip():
        for base, longer in ((on, off), (off, on)):
            tail = base[-TAIL:]
            at = longer.rfind(tail)
            more = _pieces(longer[at + len(tail) :]) if at >= 0 else []
            if len(more) == 2 and all(map(_is_mark, more)):
                return ThoughtMarks(True, found.start or more[0], found.end or more[1])
    return found


def _beside_calls(render: Render, found: ThoughtMarks) -> ThoughtMarks:
    """The marks of thoughts that a template writes only beside a call."""
    given = {"tools": [TOOL], "add_generation_prompt": False, "enable_thinking": True}
    thinking = {**ANSWER, "reasoning_content": THOUGHT}
    calling = {**thinking, "content": None, "tool_calls": [CALL]}
    text, with_call = render({"messages": [USER, thinking], **given}), render({"messages": [USER, calling], **given})
    if text is None or with_call is None or THOUGHT in text or THOUGHT not in with_call:
        return found
    around = _AROUND.search(with_call)
    if around is not None:
        return ThoughtMarks(True, around[1], around[2].lstrip())
    behind = _BEHIND.search(with_call)
    return ThoughtMarks(True, found.start, behind[1]) if behind is not None else ThoughtMarks()


def _differing(one: str, other: str) -> tuple[str, str]:
    """The part of each of two texts that the other hasn't, whole marks of markup at a time."""
    if other.startswith(one):
        return "", other[len(one) :]
    left, right = _split(one), _split(other)
    same = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    left, right = left[same:], right[same:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    a, b = "".join(left), "".join(right)
    if left and right and not _is_mark(left[0]) and not _is_mark(right[0]):
        size = common_start(a, b)
        a, b = a[size:], b[size:]
    if left and right and not _is_mark(left[-1]) and not _is_mark(right[-1]):
        size = common_start(a[::-1], b[::-1])
        a, b = a[: len(a) - size], b[: len(b) - size]
    return a, b


def common_start(one: str, other: str) -> int:
    """The number of first characters that two texts have in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _split(text: str) -> list[str]:
    return [each for each in _PIECES.split(text) if each]


def _pieces(text: str) -> list[str]:
    return [each for each in _split(text) if each.strip()]


def _is_mark(piece: str) -> bool:
    return _PIECES.fullmatch(piece) is not None
