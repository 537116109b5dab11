"""The lines of a SillyTavern chat: what each says, with all of its swipes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.chats.attached_files import attachments, unread
from ctxlab.formats.sillytavern.chats.dates import iso
from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]

HEADER = frozenset({"chat_metadata", "user_name", "character_name", "create_date"})
NO_RESULT = "[No content]"
"""The result that SillyTavern sends for a tool call without one."""
SPEAKING_SYSTEM = "SillyTavern System"


@dataclass(frozen=True, slots=True)
class Turn:
    """A message: the texts of its swipes, and which of them is shown. `at` is its index among the lines."""

    at: int
    raw: Mapping[str, Any]
    texts: tuple[str, ...]
    chosen: int

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the swipes' nodes."""
        if len(self.texts) == 1:
            return (f"m{self.at}",)
        return tuple(f"m{self.at}.{i}" for i in range(len(self.texts)))

    @property
    def name(self) -> str:
        return value if isinstance(value := self.raw.get("name"), str) else ""

    @property
    def calls(self) -> Sequence[Mapping[str, Any]]:
        """The tool calls that the message stands for, with their results."""
        found = self.extra(self.chosen).get("tool_invocations")
        return [call for call in cast("list[Any]", found) if isinstance(call, dict)] if isinstance(found, list) else []

    @property
    def role(self) -> str:
        if self.extra(self.chosen).get("type") == "narrator":
            return "system"
        if self.raw.get("is_user"):
            return "user"
        is_narration = self.name == SPEAKING_SYSTEM or bool(self.extra(self.chosen).get("type"))
        return "system" if self.raw.get("is_system") and is_narration else "assistant"

    def info(self, swipe: int) -> Mapping[str, Any]:
        """Fields of a swipe: those of the message for the one that is shown, else those in `swipe_info`."""
        return self.raw if swipe == self.chosen else self.swipe_info(swipe)

    def swipe_info(self, swipe: int) -> Mapping[str, Any]:
        infos = self.raw.get("swipe_info")
        if not isinstance(infos, list) or swipe >= len(cast("list[Any]", infos)):
            return {}
        return coerce.as_object(infos[swipe])

    def extra(self, swipe: int) -> Mapping[str, Any]:
        return coerce.as_object(self.info(swipe).get("extra"))


class Undated(NamedTuple):
    """A time that can't be read: the number of its line, the field, and what stands there."""

    at: int
    field: str
    value: Any


def is_header(line: Any) -> bool:
    return isinstance(line, dict) and "mes" not in line and not HEADER.isdisjoint(cast("Data", line))


def is_message(line: Any) -> bool:
    return isinstance(line, dict) and "mes" in line and not {"is_user", "name", "send_date"}.isdisjoint(line)


def header_of(lines: Sequence[Any]) -> Mapping[str, Any]:
    """Metadata of the chat in the first line; empty when that is a message."""
    return cast("Data", lines[0]) if lines and is_header(lines[0]) else {}


def turns_of(lines: Sequence[Any], places: Sequence[str], losses: list[Loss]) -> Iterator[Turn]:
    for at, (line, place) in enumerate(zip(lines, places, strict=True)):
        if at == 0 and is_header(line):
            continue
        if not isinstance(line, dict):
            losses.append(Loss(place, f"{coerce.shown(line)} is no message; it is left out"))
        elif "mes" not in line and "swipes" not in line:
            losses.append(Loss(place, "it has no `mes`, so it is no message; it is left out"))
        else:
            found: list[Loss] = []
            yield _turn(at, cast("Data", line), found)
            losses += [loss.inside(place) for loss in found]


def _turn(at: int, raw: Data, losses: list[Loss]) -> Turn:
    swipes = _swipes(raw, losses)
    mes = raw.get("mes")
    if mes is not None and not isinstance(mes, str):
        losses.append(Loss("mes", f"{coerce.shown(mes)} is no text; {_as_text(mes)!r} is used"))
        mes = _as_text(mes)
    chosen = _chosen(raw, swipes, mes, losses)
    shown = mes if mes is not None else swipes[chosen] if chosen < len(swipes) else ""
    texts = [*swipes[:chosen], shown, *swipes[chosen + 1 :]]
    losses += unread(coerce.as_object(raw.get("extra")))
    return Turn(at, raw, tuple(texts), chosen)


def _swipes(raw: Data, losses: list[Loss]) -> list[str]:
    swipes = raw.get("swipes")
    if swipes is None:
        return []
    if not isinstance(swipes, list):
        losses.append(Loss("swipes", f"{coerce.shown(swipes)} is no list; only `mes` is used"))
        return []
    texts = [_as_text(swipe) for swipe in cast("list[Any]", swipes)]
    for i, swipe in enumerate(cast("list[Any]", swipes)):
        if not isinstance(swipe, str):
            losses.append(Loss(f"swipes[{i}]", f"{coerce.shown(swipe)} is no text; {texts[i]!r} is used"))
    return texts


def _chosen(raw: Data, swipes: Sequence[str], mes: str | None, losses: list[Loss]) -> int:
    """The index of the swipe that is shown; one beyond the last where the text is none of several."""
    value = raw.get("swipe_id")
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(swipes):
        return value
    last = len(swipes) - 1
    found = swipes.index(mes) if mes in swipes else len(swipes) if mes is not None and last > 0 else 0
    if swipes and (value is not None or last > 0):
        used = f"swipe {found} is shown" if found <= last else "`mes` is one more swipe"
        losses.append(Loss("swipe_id", f"{coerce.shown(value)} is none of 0 to {last}; {used}"))
    return found


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else "" if isinstance(value, Mapping | list) or value is None else str(value)


def node_of(turn: Turn, swipe: int, *, names: tuple[str, str], undated: list[Undated], with_name: bool) -> Data:
    """The fields of a swipe's node. `names` are the user's and the character's, as the chat's first line has them."""
    role, info = turn.role, turn.info(swipe)
    fields: Data = {"role": role, "content": turn.texts[swipe]}
    usual = {"user": names[0], "assistant": names[1]}.get(role)
    if turn.name and (turn.name != usual or with_name):
        fields["name"] = turn.name
    if turn.calls:
        return {**fields, "content": "", "toolCalls": [_call(call) for call in turn.calls]}
    if turn.raw.get("is_system"):
        fields["isEnabled"] = False
    if (value := info.get("send_date")) not in (None, ""):
        time = iso(value)
        if time is None:
            field = "send_date" if swipe == turn.chosen else f"swipe_info[{swipe}].send_date"
            undated.append(Undated(turn.at, field, value))
        else:
            fields["timestamp"] = time
    if files := attachments(turn.extra(swipe), turn.ids[swipe]):
        fields["attachments"] = files
    metadata = _metadata(turn, swipe)
    return {**fields, "metadata": metadata} if metadata else fields


def _call(call: Mapping[str, Any]) -> Data:
    function = {"name": _as_text(call.get("name")), "arguments": _as_text(call.get("parameters"))}
    return {"id": _as_text(call.get("id")), "type": "function", "function": function}


def results_of(turn: Turn) -> Iterator[Data]:
    """The fields of a node for each result of a message's tool calls."""
    for call in turn.calls:
        result = _as_text(call.get("result")) or NO_RESULT
        yield {"role": "tool", "content": result, "toolCallId": _as_text(call.get("id"))}


def _metadata(turn: Turn, swipe: int) -> Data:
    key = {"user": "userProfileName", "assistant": "agentName"}.get(turn.role)
    metadata: Data = {key: turn.name} if key and turn.name else {}
    extra = turn.extra(swipe)
    for name, ours in (("reasoning", "reasoningContent"), ("model", "modelId")):
        if isinstance(value := extra.get(name), str) and value and turn.role == "assistant":
            metadata[ours] = value
    return metadata
