"""The first place at which two prompts differ, and what made them differ there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from ctxlab.context.equal_stretch import equal_after
from ctxlab.display.short_texts import first_of, short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.alignment import aligned, texts_alike
from ctxlab.prompt import PromptPart
from ctxlab.recordings.prefix.prompt_heads import CLOCK, PromptHead, region
from ctxlab.recordings.prefix.prompt_tree import PromptTree, TreeMessage, texts_of
from ctxlab.recordings.prefix.request_prefix import AROUND, CauseKind, PrefixCause
from ctxlab.secrets import masked_stretch

SHOWN: Final = 24
"""Characters that a sentence shows of each side."""
TAKEN_OUT: Final = 0.2
"""The share of a tool's result under which what stands in its place is no result."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as its head and the place of its last message; `compacted` where the log tells of a compression."""

    head: PromptHead
    place: int
    compacted: bool = False


@dataclass(frozen=True, slots=True)
class Break:
    """The beginning that two prompts share, and why it ends; `cause` is None where one of them ends there.

    `place` is the last message of it, None where the heads differ, of which `parts` are shared then.
    """

    tokens: int
    characters: int
    place: int | None = None
    parts: int = 0
    cause: PrefixCause | None = None
    is_another_conversation: bool = False


def break_between(old: Prompt, new: Prompt, tree: PromptTree, count: Callable[[str], int]) -> Break:
    """The common beginning of two prompts and the cause of its end; `count` counts tokens."""
    if old.head.key != new.head.key:
        return _break_of_heads(old, new, tree, count)
    place = tree.common(old.place, new.place)
    tokens, characters = old.head.tokens[-1] + tree.tokens[place], old.head.characters[-1] + tree.characters[place]
    if place in (old.place, new.place):
        return Break(tokens, characters, place)
    was, now = (tree.behind(place, each.place, tree.depth[each.place] - tree.depth[place]) for each in (old, new))
    more_tokens, more_characters = _common_of_parts(was[0].parts, now[0].parts, count)
    cause = _cause_of_messages(was, now, tree.depth[place] + 1, compacted=new.compacted)
    is_other = not place and cause.kind == "edited" and _is_another_conversation(was, now)
    return Break(tokens + more_tokens, characters + more_characters, place, 0, cause, is_other)


def _is_another_conversation(was: Sequence[TreeMessage], now: Sequence[TreeMessage]) -> bool:
    """Whether nothing of a prompt comes again, so that it isn't the first one's next turn."""
    if {each.digest for each in was} & {each.digest for each in now}:
        return False
    a, b = ("".join(part.text for part in each[0].parts) for each in (was, now))
    return equal_after(a, b) < max(len(a), len(b)) / 2


# --- the head


def _break_of_heads(old: Prompt, new: Prompt, tree: PromptTree, count: Callable[[str], int]) -> Break:
    a, b = old.head, new.head
    at = next(
        (n for n, (x, y) in enumerate(zip(a.keys[1:], b.keys[1:], strict=False)) if x != y),
        min(len(a.parts), len(b.parts)),
    )
    before, after = (_part_at(prompt, at, tree) for prompt in (old, new))
    at_text = equal_after(before.text, after.text) if before and after else 0
    common = at_text if before and after and _is_alike(before, after) else 0
    # Heads are in the order in which a vendor reads them, so what changed is of the region that comes first.
    first = min(region(part) for head in (a, b) for part in head.parts[at : at + 1])
    was, now = ([part for part in head.parts if region(part) == first] for head in (a, b))
    kind = _KINDS[(was or now)[0].source]
    cause = _placed(kind, _SENTENCES[kind](was, now), before, after, at_text)
    is_text = before is not None and before.source != "parameters"
    tokens = a.tokens[at] + (count(before.text[:common]) if before is not None and is_text else 0)
    characters = a.characters[at] + (common if is_text else 0)
    return Break(tokens, characters, None, at, cause)


def _part_at(prompt: Prompt, at: int, tree: PromptTree) -> PromptPart | None:
    """The part at a number of the head; behind its last one the first part of the first message."""
    if at < len(prompt.head.parts):
        return prompt.head.parts[at]
    first = tree.behind(0, prompt.place, 1)
    return first[0].parts[0] if first and first[0].parts else None


def _is_alike(a: PromptPart, b: PromptPart) -> bool:
    """Whether two parts are of the same thing, so that their texts can begin alike."""
    return (a.source, a.role, a.name) == (b.source, b.role, b.name)


def _of_tools(was: Sequence[PromptPart], now: Sequence[PromptPart]) -> str:
    old, new = _by_name(was), _by_name(now)
    added = [name for name in new if name not in old]
    gone = [name for name in old if name not in new]
    changed = [name for name in new if name in old and old[name] != new[name]]
    said = [
        f"{words}: {first_of([repr(short(name)) for name in names], 3)}"
        for words, names in (("new", added), ("gone", gone), ("changed", changed))
        if names
    ] or ["the same ones in another order"]
    renamed = [(name, twin) for name in gone if (twin := _twin(name, old, added, new))]
    said += [f"{short(twin)!r} is {short(name)!r} by another name" for name, twin in renamed[:1]]
    differ = (n for n, (a, b) in enumerate(zip(was, now, strict=False), start=1) if a.text != b.text)
    return f"The tools are others from number {next(differ, min(len(was), len(now)) + 1)} on; {', '.join(said)}."


def _by_name(tools: Sequence[PromptPart]) -> dict[str, list[str]]:
    """The definitions of tools by their names; a name may be there twice."""
    found: dict[str, list[str]] = {}
    for part in tools:
        found.setdefault(part.name, []).append(part.text)
    return found


def _twin(name: str, old: Mapping[str, list[str]], added: Sequence[str], new: Mapping[str, list[str]]) -> str | None:
    """The new tool that is an old one in all but its name."""
    wanted = [text.replace(f'"{name}"', '""') for text in old[name]]
    return next((each for each in added if [text.replace(f'"{each}"', '""') for text in new[each]] == wanted), None)


def _of_system(was: Sequence[PromptPart], now: Sequence[PromptPart]) -> str:
    found = aligned([part.text for part in was], [part.text for part in now])
    change = found.first_change(lambda i, j: texts_alike(was[i].text, now[j].text))
    if change is None:
        return "The system texts are the same with another name."
    if change.kind == "added":
        return f"System text {change.new + 1} is new."
    if change.kind == "gone":
        return f"System text {change.old + 1} is gone."
    if change.kind == "moved":
        return f"System text {change.old + 1} has moved: it is number {change.new + 1} now."
    old, new = was[change.old].text, now[change.new].text
    place = equal_after(old, new)
    clock = " (a time or a date)" if _is_clock(old, place) and _is_clock(new, place) else ""
    return f"System text {change.old + 1} is another from character {place + 1:,} on{clock}: {_sides(old, new, place)}."


def _of_parameters(was: Sequence[PromptPart], now: Sequence[PromptPart]) -> str:
    old, new = ({part.name: part.text for part in parts} for parts in (was, now))
    name = next(name for name in (*old, *new) if old.get(name) != new.get(name))
    if name in old and name in new:
        place = equal_after(old[name], new[name])
        return f"The parameter {short(name)!r} changed: {_sides(old[name], new[name], place)}."
    return f"The parameter {short(name)!r} is {'new' if name in new else 'gone'}."


_KINDS: Final[Mapping[str, CauseKind]] = {"tools": "tools", "system": "system", "parameters": "parameters"}
_SENTENCES: Final = {"tools": _of_tools, "system": _of_system, "parameters": _of_parameters}


def _is_clock(text: str, at: int) -> bool:
    """Whether a place is inside a time or a date."""
    begin = max(0, at - AROUND)
    return any(found.start() + begin <= at < found.end() + begin for found in CLOCK.finditer(text[begin : at + AROUND]))


# --- messages


def _cause_of_messages(
    was: Sequence[TreeMessage], now: Sequence[TreeMessage], number: int, *, compacted: bool
) -> PrefixCause:
    """The change at the first message of both that differs; `number` is that message's, from 1."""
    found = aligned([each.digest for each in was], [each.digest for each in now])
    change = found.first_change(lambda i, j: _similarity(was[i], now[j]))
    assert change is not None
    gone, come = next(found.blocks())
    old, new = was[0], now[0]
    came = [now[j] for j in come[:4]]
    if compacted or (gone and _has(came, "summaries") and not _has(was[:1], "summaries")):
        text = f"From message {number:,} on a summary stands in the place of older messages."
        return _placed_in("summary", text, old, new)
    if change.kind == "moved":
        text = f"Message {number + change.old:,} has moved: it is message {number + change.new:,} now."
        return _placed_in("reordered", text, old, new)
    if change.kind == "added":
        kind: CauseKind = "reminder" if _is_injected(new) else "summary" if _has([new], "summaries") else "edited"
        text = f"In front of message {number:,} now stands {_described(new)} that wasn't there."
        return _placed_in(kind, text, old, new)
    if change.kind == "gone":
        kind = "reminder" if _is_injected(old) else "left out"
        return _placed_in(kind, f"Message {number:,}, {_described(old)}, is left out.", old, new)
    return _cause_of_parts(old, new, number)


def _similarity(old: TreeMessage, new: TreeMessage) -> float:
    """The share of two messages' words that is the same; of other roles they are alike with the same words alone."""
    a, b = ("".join(part.text for part in each.parts) for each in (old, new))
    if [part.role for part in old.parts[:1]] != [part.role for part in new.parts[:1]]:
        return float(a == b)
    return texts_alike(a, b)


def _cause_of_parts(old: TreeMessage, new: TreeMessage, number: int) -> PrefixCause:
    """Two messages at one place: the first stretch of them that differs."""
    pairs = zip_longest(old.parts, new.parts)
    first = next(((a, b) for a, b in pairs if a is None or b is None or texts_of([a]) != texts_of([b])), None)
    if first is None:
        return PrefixCause("edited", f"Message {number:,} differs in a field that is no text.")
    a, b = first
    sources = {part.source for part in first if part is not None}
    if a is None or b is None:
        what = _stretch(b or a)
        kind: CauseKind = "reminder" if sources == {"reminders"} else "left out" if b is None else "edited"
        text = f"In message {number:,} {what} is {'new' if a is None else 'gone'}."
        return _placed(kind, text, a, b, 0)
    at = equal_after(a.text, b.text)
    role = f" ({new.parts[0].role})"
    kind = "reminder" if "reminders" in sources else "summary" if "summaries" in sources else "edited"
    if kind == "edited" and a.source in ("results", "files") and len(b.text) < TAKEN_OUT * len(a.text):
        text = f"Of message {number:,} {_stretch(a)} was taken out: {_sides(a.text, b.text, at)}."
        return _placed("left out", text, a, b, at)
    what = f", {_stretch(b)}," if kind == "reminder" else ""
    if a.text == b.text:
        return _placed(kind, f"Message {number:,}{role} has the same text with another role, name or id.", a, b, at)
    text = f"Message {number:,}{role}{what} is another: {_sides(a.text, b.text, at)}."
    return _placed(kind, text, a, b, at)


def _common_of_parts(a: Sequence[PromptPart], b: Sequence[PromptPart], count: Callable[[str], int]) -> tuple[int, int]:
    """Tokens and characters with which two messages begin alike."""
    tokens = characters = 0
    for old, new in zip(a, b, strict=False):
        if texts_of([old]) == texts_of([new]):
            tokens, characters = tokens + old.tokens, characters + len(old.text)
            continue
        if _is_alike(old, new) and old.call == new.call:
            same = equal_after(old.text, new.text)
            tokens, characters = tokens + count(old.text[:same]), characters + same
        break
    return tokens, characters


def _has(messages: Sequence[TreeMessage], source: str) -> bool:
    return any(part.source == source for each in messages for part in each.parts)


def _is_injected(message: TreeMessage) -> bool:
    """Whether a program put a message there by itself."""
    return bool(message.parts) and all(part.source in ("reminders", "system") for part in message.parts)


def _described(message: TreeMessage) -> str:
    if not message.parts:
        return "a message without text"
    if _is_injected(message):
        return f"one that the program put there ({_stretch(message.parts[0])})"
    return f"one of the {message.parts[0].role}"


def _stretch(part: PromptPart | None) -> str:
    """A stretch of a message in words."""
    if part is None:
        return "a stretch"
    words = {
        "reminders": "a reminder",
        "results": "a tool's result",
        "files": "a file's text",
        "calls": "a call",
        "reasoning": "a thought",
        "attachments": "an attachment",
        "system": "a system text",
        "summaries": "a summary",
    }.get(part.source, "a text")
    return f"{words} {short(part.name)!r}" if part.name else words


def _sides(a: str, b: str, at: int) -> str:
    """The first characters that differ, of both."""
    old, new = (
        repr(short(masked_stretch(text, at, at + SHOWN + 1), SHOWN)) if at < len(text) else "nothing" for text in (a, b)
    )
    return f"{old} was there, {new} is there now"


# --- values


def _placed_in(kind: CauseKind, sentence: str, old: TreeMessage, new: TreeMessage) -> PrefixCause:
    """A cause at the first stretches of two messages that differ."""
    found = _cause_of_parts(old, new, 0)
    return replace(found, kind=kind, sentence=sentence)


def _placed(
    kind: CauseKind, sentence: str, before: PromptPart | None, after: PromptPart | None, at: int
) -> PrefixCause:
    old, new = (
        masked_stretch(part.text, max(0, at - AROUND), at + AROUND) if part is not None else ""
        for part in (before, after)
    )
    return PrefixCause(kind, sentence, before, after, at, old, new)
