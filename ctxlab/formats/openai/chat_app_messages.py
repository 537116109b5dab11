"""Messages as chat programs store them, in OpenAI's form: entities with a `body`, camel case, segments, summaries.

An entity is `{"id", "chatId", "body": message, "tokens"}`. A summary is `{"messageIds", "startMessageId", "summary"}`;
its place is that of the first message that it hides. The newest active one is sent, under a heading; the others are
switched off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]

ALIASES = {"toolCalls": "tool_calls", "toolCallId": "tool_call_id", "reasoningContent": "reasoning_content"}
THOUGHTS = ("reasoning", "thinking")
SUMMARIES = ("compressionSummary", "compressedSummary", "compressionSummaries", "compressedSummaries", "summaries")
"""Keys of the summaries, one or a list, in an object around messages."""
SUMMARY_HEADING = "[Previous conversation summary...]\n\n"
"""Words in front of a summary, as the program sends it."""
TIMES = ("createdAt", "createTime", "created_at", "timestamp", "updatedAt", "updateTime", "updated_at", "id")
"""Fields that say which of several summaries is the newest: the first that all of them have."""


def message_in(value: Any) -> Any:
    """The message of an entity, with fields named as OpenAI names them; what is neither comes back as it is."""
    if not isinstance(value, dict):
        return value
    fields = _body(cast("Data", value))
    found = {ALIASES.get(key, key) if ALIASES.get(key) not in fields else key: item for key, item in fields.items()}
    segments = fields.get("segments")
    if isinstance(segments, list) and segments:
        thoughts, texts = _segments(cast("list[Any]", segments))
        if thoughts and found.get("reasoning_content") is None:
            found["reasoning_content"] = "\n\n".join(thoughts)
        if texts and found.get("content") is None:
            found["content"] = "".join(texts)
    return found


def _body(fields: Data) -> Data:
    body = fields.get("body")
    if "role" in fields or not isinstance(body, dict) or "role" not in body:
        return fields
    inner = cast("Data", body)
    around = {key: value for key, value in fields.items() if key != "body"}
    name = "entity" if "entity" not in inner else "around"
    return {**inner, name: around} if around else inner


def _segments(segments: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The thoughts and the words of a message's segments."""
    thoughts: list[str] = []
    texts: list[str] = []
    for segment in segments:
        fields = cast("Data", segment) if isinstance(segment, dict) else {}
        text = fields.get("content", fields.get("text"))
        if isinstance(text, str) and text:
            kind = fields.get("type")
            into = thoughts if kind in THOUGHTS else texts if kind == "text" else []
            into.append(text)
    return thoughts, texts


# --- summaries


@dataclass(frozen=True, slots=True)
class StoredSummary:
    """A summary of some messages; `hides` and `start` are their ids as in the file."""

    text: str
    hides: tuple[str, ...]
    start: str | None
    rest: Mapping[str, Any]

    @property
    def headed_text(self) -> str:
        """The summary as the program sends it, under its heading."""
        return self.text if self.text.startswith(SUMMARY_HEADING) else SUMMARY_HEADING + self.text

    @property
    def is_active(self) -> bool:
        """Whether the program would send it: neither its flag nor its status says no."""
        flags = [self.rest[name] for name in ("isActive", "active", "enabled") if name in self.rest]
        status = self.rest.get("status")
        is_on = not isinstance(status, str) or status.casefold() in ("active", "completed", "complete", "success")
        return all(bool(flag) for flag in flags) and is_on


def newest_active(summaries: Sequence[StoredSummary]) -> StoredSummary | None:
    """The newest of the active summaries, by their times, else by their ids, else the last; None if none is active."""
    active = [summary for summary in summaries if summary.is_active]
    for name in TIMES:
        times: list[Any] = [summary.rest.get(name) for summary in active]
        if any(times and all(type(time) in kinds for time in times) for kinds in ((int, float), (str,))):
            return active[max(range(len(active)), key=lambda i, times=times: (times[i], i))]
    return active[-1] if active else None


def summary_in(value: Any) -> StoredSummary | None:
    """The summary that a value is; None when it is none."""
    fields = cast("Data", value) if isinstance(value, dict) else {}
    ids, text = fields.get("messageIds"), fields.get("summary")
    if "role" in fields or not isinstance(ids, list) or not isinstance(text, str):
        return None
    start = fields.get("startMessageId")
    rest = {key: item for key, item in fields.items() if key not in ("messageIds", "summary", "startMessageId")}
    return StoredSummary(text, tuple(map(str, cast("list[Any]", ids))), None if start is None else str(start), rest)


def summaries_around(fields: Mapping[str, Any]) -> tuple[list[StoredSummary], list[str]]:
    """The summaries that an object around messages holds, and the keys under which there is nothing else."""
    found: list[StoredSummary] = []
    keys: list[str] = []
    for key in SUMMARIES:
        stored = fields.get(key)
        items = [summary_in(item) for item in (cast("list[Any]", stored) if isinstance(stored, list) else [stored])]
        summaries = [item for item in items if item is not None]
        if summaries and len(summaries) == len(items):
            found += summaries
            keys.append(key)
    return found, keys


def places_of(messages: Iterable[tuple[int, Any]]) -> dict[str, int]:
    """The place in the list of every message that has an id, its own or its entity's."""
    return {str(key): index for index, message in messages for key in reversed([*_ids(message)])}


def _ids(message: Any) -> Iterator[Any]:
    fields = cast("Data", message) if isinstance(message, dict) else {}
    around = fields.get("entity")
    for holder in (cast("Data", around) if isinstance(around, dict) else {}, fields):
        if isinstance(holder.get("id"), str | int):
            yield holder["id"]


def id_of(message: Any) -> Any:
    """The id of a message: its entity's, else its own, a number as its digits; None for one without."""
    fields = cast("Data", message) if isinstance(message, dict) else {}
    around = fields.get("entity")
    holders = (cast("Data", around) if isinstance(around, dict) else {}, fields)
    found = next((holder["id"] for holder in holders if holder.get("id") is not None), None)
    return str(found) if type(found) is int else found


def placed(
    summary: StoredSummary, places: Mapping[str, int], nodes: Sequence[int], where: str, losses: list[Loss]
) -> tuple[int, list[int]]:
    """The place among `nodes`, the messages that can be hidden, before which it goes, and those that it hides."""
    there = set(nodes)
    hidden = [places[key] for key in summary.hides if places.get(key) in there]
    if missing := len(summary.hides) - len(hidden):
        losses.append(Loss(where, f"{missing} of the {len(summary.hides)} messages that it stands for are not there"))
    start = places.get(summary.start or "")
    first = min([start] if start is not None else hidden, default=0)
    return min((index for index in nodes if index >= first), default=first), sorted(hidden)
