"""Cache marks of a request: the prefix that stayed the same since the request before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, cast

from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.place import JsonPath, path_text, value_at
from ctxlab.providers.prefix_breaks import PrefixBreak, prefix_breaks
from ctxlab.providers.prefix_units import UNCACHED, Unit, shared, units_by_key, units_of
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.wires import WIRES

if TYPE_CHECKING:
    from ctxlab.providers.payload import Payload

MOST_MARKS = 4
"""Marks that Anthropic takes in a request (Prompt caching, 2026-10)."""
USUAL_LEAST = 1_024
"""The shortest prefix that is cached where the model's own isn't known."""
MARK = {"type": "ephemeral"}
SYSTEM: frozenset[tuple[str | int, ...]] = frozenset({("system",), ("systemInstruction",), ("instructions",)})
"""Fields in front of the messages that are messages of the run themselves."""
UNKNOWN_CACHE = frozenset({"openai-compatible"})


@dataclass(frozen=True, slots=True)
class CacheMark:
    """A place up to which the request is cached; `tokens` are those up to it. `reason` says why it is here.

    One that isn't `effective` is too short a prefix for the model, and isn't put into the body.
    """

    path: JsonPath
    key: str
    tokens: int
    effective: bool
    reason: str

    def as_data(self) -> dict[str, Any]:
        return {
            "path": list(self.path),
            "place": path_text(self.path),
            "key": self.key,
            "tokens": self.tokens,
            "effective": self.effective,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class CacheMarks:
    """The marks of a request, what stayed the same since the one before, and what broke it.

    `automatic` is a vendor that needs no marks: it caches by itself what begins alike. `read_tokens` are those that
    the request before has left in the cache, as long as they are kept there.
    """

    marks: tuple[CacheMark, ...] = ()
    same_messages: int = 0
    same_tokens: int = 0
    breaks: tuple[PrefixBreak, ...] = ()
    automatic: bool = False
    read_tokens: int = 0

    def __repr__(self) -> str:
        same = f"{counted(self.same_messages, 'message')} the same, {self.same_tokens:,} tokens"
        return f"CacheMarks({counted(len(self.marks), 'mark')}, {same}, {counted(len(self.breaks), 'break')})"

    def _repr_html_(self) -> str:
        rows = [("mark", path_text(mark.path), mark.reason) for mark in self.marks]
        rows += [
            ("break", each.key, f"{each.step}: {each.reason}" if each.step else each.reason) for each in self.breaks
        ]
        return heading(self) + html_table(("kind", "place", "reason"), rows, cells=160)

    def as_data(self) -> dict[str, Any]:
        return {
            "marks": [mark.as_data() for mark in self.marks],
            "sameMessages": self.same_messages,
            "sameTokens": self.same_tokens,
            "breaks": [each.as_data() for each in self.breaks],
            "automatic": self.automatic,
            "readTokens": self.read_tokens,
        }


@dataclass(slots=True, eq=False)
class _Prefix:
    """The units of a body, the tokens up to each, and which message each is of."""

    units: list[Unit]
    same: int
    tokens: list[int]
    keys: list[str]
    drafts: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    known: frozenset[str] = frozenset()

    def tokens_to(self, number: int) -> int:
        return self.tokens[number] if number >= 0 else 0


def put_marks(
    out: BodyWriter, prompt: Prompt, model: ModelInfo, provider: Provider, trace: Trace, after: Payload | None
) -> CacheMarks | None:
    """The marks of a body, put into it where the vendor wants them; None for a wire format that isn't known."""
    if provider.wire not in WIRES:
        return None
    automatic = provider.wire != "anthropic" and provider.name not in UNKNOWN_CACHE
    if after is None and provider.wire != "anthropic":
        return CacheMarks(automatic=automatic)
    prefix = _prefix(out, prompt, model, provider, trace, after)
    same_tokens = prefix.tokens_to(prefix.same - 1)
    breaks = _breaks(prefix, model, provider, trace, after) if after is not None else ()
    found = CacheMarks(
        same_messages=sum(all(n < prefix.same for n in numbers) for numbers in prefix.drafts.values()),
        same_tokens=same_tokens,
        breaks=breaks,
        automatic=automatic,
    )
    if provider.wire == "anthropic":
        return replace(found, marks=tuple(_put(out, prefix, model, after)), read_tokens=_left_by(after, same_tokens))
    if not same_tokens:
        return found
    mark = _automatic(prefix, model, provider, automatic=automatic)
    return replace(found, marks=(mark,), read_tokens=mark.tokens if mark.effective else 0)


def _left_by(after: Payload | None, same_tokens: int) -> int:
    """Tokens up to the last mark of the request before that is in what stayed the same."""
    marks = after.marks.marks if after is not None and after.marks is not None else ()
    return max((mark.tokens for mark in marks if mark.effective and mark.tokens <= same_tokens), default=0)


def _prefix(
    out: BodyWriter, prompt: Prompt, model: ModelInfo, provider: Provider, trace: Trace, after: Payload | None
) -> _Prefix:
    units = units_of(out.body, provider.wire)
    alike = after is not None and after.provider.name == provider.name and after.model.name == model.name
    same = shared(units_of(after.body, provider.wire), units) if after is not None and alike else 0
    drafts = units_by_key(units, out.places)
    costs = [0] * len(units)
    keys = [""] * len(units)
    counter = trace.services.tokenizer
    for draft in prompt.drafts:
        numbers = drafts.get(draft.key)
        if numbers:
            costs[max(numbers)] += counter.count_draft(draft)
            for number in numbers:
                keys[number] = draft.key
    for number, unit in enumerate(units):
        if unit.path == ("tools",):
            costs[number] += counter.count_tools(prompt.tools)
    tokens: list[int] = []
    for cost in costs:
        tokens.append(cost + (tokens[-1] if tokens else 0))
    known = frozenset(place.key for place in after.places) if after is not None else frozenset[str]()
    return _Prefix(units, same, tokens, keys, drafts, known)


# --- Anthropic


def _put(out: BodyWriter, prefix: _Prefix, model: ModelInfo, after: Payload | None) -> list[CacheMark]:
    least = model.min_cache_tokens or USUAL_LEAST
    found: list[CacheMark] = []
    left = MOST_MARKS - _marks_there(out.body)
    for number, reason in _wanted(out.body, prefix, first=after is None):
        tokens, path = prefix.tokens[number], prefix.units[number].path
        enough = tokens >= least
        if not enough:
            reason = f"a prefix of {tokens:,} tokens isn't cached; {model.name} caches {least:,} or more"
        elif left <= 0:
            continue
        else:
            path = _mark(out, path)
            left -= 1
        found.append(CacheMark(path, prefix.keys[number], tokens, enough, reason))
    return found


def _wanted(body: dict[str, Any], prefix: _Prefix, *, first: bool) -> list[tuple[int, str]]:
    """The units to be marked: the last in front of the messages, and the last message that stays."""
    units = prefix.units
    heads = next((number for number, unit in enumerate(units) if not unit.head), len(units))
    if first:
        kept_heads, kept = heads, _start_of_newest(units)
        reason = "the last message before the newest one"
    else:
        kept_heads, kept = min(heads, prefix.same), prefix.same
        reason = "the last message that is the same as in the request before"
    found = (
        (_last_markable(body, units, range(kept_heads)), "the end of what stands in front of the messages"),
        (_last_markable(body, units, range(heads, kept)), reason),
    )
    return [(number, why) for number, why in found if number is not None]


def _last_markable(body: dict[str, Any], units: Sequence[Unit], numbers: range) -> int | None:
    return next((number for number in reversed(numbers) if _can_be_marked(body, units[number])), None)


def _start_of_newest(units: Sequence[Unit]) -> int:
    """The number of the first unit of the last turn."""
    turn = units[-1].path[:2] if units else ()
    return next((number for number, unit in enumerate(units) if unit.path[:2] == turn), 0)


def _can_be_marked(body: dict[str, Any], unit: Unit) -> bool:
    if not unit.path or unit.path[0] not in ("tools", "system", "messages"):
        return False
    value: Any = value_at(body, unit.path)
    if isinstance(value, str):
        return bool(value)
    if unit.path == ("tools",):
        return isinstance(value, list) and bool(value) and isinstance(value[-1], dict)
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind not in UNCACHED and value.get("text") != ""


def _mark(out: BodyWriter, path: JsonPath) -> JsonPath:
    """Put a mark on a block; a text alone becomes a block first. Returns the path of the block."""
    value: Any = value_at(out.body, path)
    if path == ("tools",):
        path, value = ("tools", len(value) - 1), value[-1]
    elif isinstance(value, str):
        block = {"type": "text", "text": value}
        holder: Any = value_at(out.body, path[:-1]) if path[:-1] else out.body
        holder[path[-1]] = [block]
        out.places = [replace(place, path=(*path, 0, "text")) if place.path == path else place for place in out.places]
        path, value = (*path, 0), block
    holder = value_at(out.body, path[:-1])
    holder[path[-1]] = {**cast("dict[str, Any]", value), "cache_control": dict(MARK)}
    return path


def _marks_there(body: dict[str, Any]) -> int:
    """The marks that a body has already, on tools, blocks, and blocks of results."""
    blocks = [*_blocks(body.get("tools")), *_blocks(body.get("system"))]
    for turn in _blocks(body.get("messages")):
        blocks += _blocks(turn.get("content"))
    inside = (inner for block in blocks if "content" in block for inner in _blocks(block["content"]))
    return sum("cache_control" in block for block in (*blocks, *inside))


def _blocks(value: object) -> list[dict[str, Any]]:
    return [each for each in cast("list[Any]", value) if isinstance(each, dict)] if isinstance(value, list) else []


# --- vendors that cache by themselves


def _automatic(prefix: _Prefix, model: ModelInfo, provider: Provider, *, automatic: bool) -> CacheMark:
    number = prefix.same - 1
    tokens, least = prefix.tokens[number], model.min_cache_tokens or USUAL_LEAST
    if not automatic:
        enough, reason = False, "whether this server caches what begins alike isn't known"
    elif tokens >= least:
        enough, reason = True, f"{provider.title} caches by itself what begins alike, from {least:,} tokens on"
    else:
        enough = False
        reason = f"a prefix of {tokens:,} tokens isn't cached; {provider.title} caches {least:,} or more by itself"
    return CacheMark(prefix.units[number].path, prefix.keys[number], tokens, enough, reason)


# --- what broke the prefix


def _breaks(
    prefix: _Prefix, model: ModelInfo, provider: Provider, trace: Trace, after: Payload
) -> tuple[PrefixBreak, ...]:
    if after.provider.name != provider.name:
        return (PrefixBreak("", "", f"the request before was for {after.provider.title}"),)
    if after.model.name != model.name:
        return (PrefixBreak("", "", f"the request before was for {after.model.name}"),)
    found = list(prefix_breaks(after.trace, trace))
    old, units, at = units_of(after.body, provider.wire), prefix.units, prefix.same
    if at >= min(len(old), len(units)):
        return tuple(found)
    if (old[at].head or units[at].head) and not {old[at].path[:1], units[at].path[:1]} & SYSTEM:
        names = [unit.path[0] if unit.path else "tool choice or thinking" for unit in (old[at], units[at]) if unit.head]
        return (PrefixBreak("", "", f"{names[0]} isn't as in the request before"), *found)
    if not found and prefix.keys[at] in prefix.known:
        title = provider.title
        found.append(PrefixBreak(prefix.keys[at], "", f"{title}'s form of it isn't as in the request before"))
    return tuple(found)
