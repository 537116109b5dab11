"""Prompts: every message gets a place to sort by, then whole lists of units are tried until one fits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

Json = dict[str, Any]


@dataclass
class Message:
    """A message on its way; `ids` are those that it was made of."""

    ids: list[str]
    role: str
    content: str
    fixed: bool = False
    name: str | None = None
    calls: list[Json] = field(default_factory=list)
    answers: str | None = None
    priority: int = 0


def read(given: Json) -> Json:
    """The prompt of a case."""
    if "gate" in given.get("steps", ()):
        raise NotImplementedError("the gate is not read here")
    dropped: dict[str, str] = {}
    history = [_message(each) for each in _path(given, dropped)]
    row = [message for _, message in sorted(_placed(given, history, dropped), key=lambda pair: pair[0])]
    row = _paired(row, dropped)
    count = _counter(given.get("counter", {}))
    budget = given.get("budget")
    if "window" in given:
        budget = given["window"] - given.get("reserve", 0)
    if budget is not None:
        room = budget - given.get("counter", {}).get("perRequest", 0)
        must = _protected(row)
        least = sum(count(row[i]) for i in must)
        if least > room:
            return {"error": "budget-too-small", "least": least + budget - room}
        if given.get("keepCharacters"):
            raise NotImplementedError("heads are not read here")
        row = _cut(row, must, room, given, count, dropped)
    row = _merged(row, given)
    tokens = given.get("counter", {}).get("perRequest", 0) + sum(map(count, row))
    return {"messages": [_shown(each) for each in row], "sent": [each.ids for each in row], "dropped": dropped,
            "shortened": [], "tokens": tokens}  # fmt: skip


def _message(each: Json, **more: Any) -> Message:
    fixed = "summarises" in each
    return Message([each["id"]], each["role"], each["content"], fixed, each.get("name"), each.get("calls", []),
                   each.get("answers"), each.get("priority", 0), **more)  # fmt: skip


def _shown(each: Message) -> Json:
    shown: Json = {"role": each.role, "content": each.content}
    shown |= {"name": each.name} if each.name else {}
    shown |= {"calls": each.calls} if each.calls else {}
    return shown | ({"answers": each.answers} if each.answers else {})


def _path(given: Json, dropped: dict[str, str]) -> list[Json]:
    nodes = given.get("nodes")
    if nodes is None:
        way = given["messages"]
    else:
        by_id = {each["id"]: each for each in nodes}
        way, at = [], given.get("leaf", nodes[-1]["id"])
        while at is not None:
            way.insert(0, by_id[at])
            at = way[0]["parent"]
        if not way[0]["content"].strip():
            way = way[1:]
    hidden = {id for each in way if each.get("enabled", True) for id in each.get("summarises", ())}
    sent = []
    for each in way:
        model = given.get("model", "")
        if not each.get("enabled", True):
            dropped[each["id"]] = "disabled"
        elif each["id"] in hidden:
            dropped[each["id"]] = "summarised"
        elif not (each["content"].strip() or each.get("calls") or "answers" in each):
            dropped[each["id"]] = "blank"
        elif ("models" in each and not any(re.search(p, model) for p in each["models"])) or any(
            re.search(p, model) for p in each.get("notModels", ())
        ):
            dropped[each["id"]] = "other-model"
        else:
            sent.append(each)
    return sent


def _placed(given: Json, history: list[Message], dropped: dict[str, str]) -> list[tuple[tuple, Message]]:
    """Messages with a key: the stretch of the prompt, the place in it, and what decides between neighbours."""
    presets = given.get("presets", [])
    on = [each for each in presets if each.get("enabled", True)]
    dropped |= {each["id"]: "disabled" for each in presets if not each.get("enabled", True)}
    marks = {each["marks"]: n for n, each in reversed(list(enumerate(presets))) if "marks" in each}
    here = marks.get("chat_history", len(presets))
    out = [((here, 1, i + 0.5), message) for i, message in enumerate(history)]
    length = len(history)
    for n, each in enumerate(presets):
        if each not in on:
            continue
        place = each.get("place", {})
        rank = place.get("order", 100)
        message = Message([each["id"]], each["role"], each["content"], fixed=True)
        if "marks" in each:
            out += [((n, 1, 0), message)] if each["content"].strip() and each["marks"] != "chat_history" else []
        elif "depth" in place:
            out.append(((here, 1, max(0, length - place["depth"]), -place["depth"], rank, n), message))
        elif "depths" in place:
            found = [depth for depth in _depths(place["depths"], length) if depth <= length]
            out += [((here, 1, length - depth, -depth, rank, n), message) for depth in found]
            if not found:
                dropped[each["id"]] = "no-place"
        elif "anchor" in place and place["anchor"] in {**marks, "chat_history": here}:
            at = marks.get(place["anchor"], here)
            out.append(((at, 0 if place["side"] == "before" else 2, rank, n), message))
        elif "anchor" in place:
            out.append(((here, 0.5, rank, n), message))
        else:
            out.append(((n, 1, 0), message))
    for each in given.get("entries", ()):
        if each.get("constant") or any(
            key in message.content for key in each.get("keys", ()) for message in history[-2:]
        ):
            out.append(((-1, 0, 0), Message([str(each["uid"])], "system", each["content"], fixed=True)))
    return out


def _depths(config: str, length: int) -> set[int]:
    found: set[int] = set()
    for part in re.split("[,，]", config):
        first, *every = re.split("[~～]", part.strip())
        step = int(every[0]) if every else 0
        found |= set(range(int(first), length + 1, step)) if step else {int(first)}
    return found


def _paired(row: list[Message], dropped: dict[str, str]) -> list[Message]:
    """Each result takes the nearest call before it that waits for it; what is left alone goes."""
    waiting: dict[str, list[tuple[Message, Json]]] = {}
    alone: list[Message] = []
    for each in row:
        for call in each.calls:
            waiting.setdefault(call["id"], []).append((each, call))
        if each.answers is not None:
            if waiting.get(each.answers):
                waiting[each.answers].pop()
            else:
                alone.append(each)
                dropped[each.ids[0]] = "orphan-result"
    for message, call in [pair for pairs in waiting.values() for pair in pairs]:
        message.calls = [each for each in message.calls if each is not call]
        if not message.calls and not message.content.strip():
            alone.append(message)
            dropped[message.ids[0]] = "unanswered-call"
    return [each for each in row if each not in alone]


def _counter(declared: Json) -> Any:
    def count(each: Message) -> int:
        texts = [each.content, *(words for call in each.calls for words in (call["name"], call["arguments"]))]
        unit = len if declared.get("unit") == "characters" else lambda text: len(text.split())
        return sum(map(unit, texts)) + declared.get("perMessage", 0)

    return count


def _units(row: list[Message]) -> list[list[int]]:
    """Positions that stay or go together, oldest first."""
    units: list[list[int]] = []
    holder: dict[str, list[int]] = {}
    for i, each in enumerate(row):
        if each.answers is not None:
            holder[each.answers].append(i)
            continue
        units.append([i])
        holder |= {call["id"]: units[-1] for call in each.calls}
    return [unit for unit in units if not row[unit[0]].fixed]


def _protected(row: list[Message]) -> set[int]:
    units = _units(row)
    users = [unit for unit in units if row[unit[0]].role == "user"]
    newest = max(units, key=max, default=[])
    return {i for i, each in enumerate(row) if each.fixed} | set(newest) | set(users[-1] if users else [])


def _cut(
    row: list[Message], must: set[int], room: int, given: Json, count: Any, dropped: dict[str, str]
) -> list[Message]:
    room -= sum(count(row[i]) for i in must)
    every = _units(row)
    free = [unit for unit in every if unit[0] not in must]

    def cost(units: list[list[int]]) -> int:
        return sum(count(row[i]) for unit in units for i in unit)

    def most(order: list[list[int]], room: int) -> list[list[int]]:
        return max((order[:n] for n in range(len(order) + 1) if cost(order[:n]) <= room), key=len)

    strategy = given.get("strategy", "sliding")
    if strategy == "sliding":
        kept = most(free[::-1], room)
    elif strategy == "head-and-tail":
        head = most(free, int(room * given.get("headShare", 0.25)))
        kept = head + most(free[len(head) :][::-1], room - cost(head))
    elif strategy == "by-priority":
        kept = most(sorted(free, key=lambda unit: (-max(row[i].priority for i in unit), -unit[-1])), room)
    elif strategy == "middle-out":
        order: list[list[int]] = []
        left, old, new = list(free), 0, 0
        while left:
            unit = left.pop() if new <= old else left.pop(0)
            new, old = (new + cost([unit]), old) if new <= old else (new, old + cost([unit]))
            order.append(unit)
        kept = most(order, room)
    elif strategy == "whole-exchanges":
        number, talks = 0, {}
        for unit in every:
            number += row[unit[0]].role == "user"
            talks.setdefault(number, []).extend([unit] if unit in free else [])
        whole = list(talks.values())[::-1]
        kept = max(([unit for talk in whole[:n] for unit in talk] for n in range(len(whole) + 1)
                    if cost([unit for talk in whole[:n] for unit in talk]) <= room), key=len)  # fmt: skip
    else:
        kept = _grown(row, every, must, room, given.get("blockShare", 0.5), cost)
    stay = must | {i for unit in kept for i in unit}
    dropped |= {row[i].ids[0]: "no-room" for i in range(len(row)) if i not in stay}
    return [each for i, each in enumerate(row) if i in stay]


def _grown(
    row: list[Message], every: list[list[int]], must: set[int], room: int, share: float, cost: Any
) -> list[list[int]]:
    """The conversation as it grew, unit by unit: when it was fuller than the room its oldest went."""
    capacity = room + cost([unit for unit in every if unit[0] in must])
    window: list[list[int]] = []
    for unit in every:
        window.append(unit)
        if cost(window) > capacity:
            while len(window) > 1 and cost(window) > int(capacity * share):
                window.pop(0)
            window = window if cost(window) <= capacity else []
    kept = [unit for unit in window if unit[0] not in must]
    while cost(kept) > room:
        kept.pop(0)
    return kept


def _merged(row: list[Message], given: Json) -> list[Message]:
    steps, separator = given.get("steps", ()), given.get("separator", "\n\n")

    def joined(run: list[Message]) -> Message:
        ids, calls = [id for each in run for id in each.ids], [call for each in run for call in each.calls]
        words = separator.join(each.content for each in run)
        return Message(ids, run[0].role, words, name=run[0].name, calls=calls, answers=run[0].answers)

    if "merge-system" in steps or "hoist-system" in steps:
        head = next((i for i, each in enumerate(row) if each.role != "system"), len(row))
        run = row[:head] if "merge-system" in steps else [each for each in row if each.role == "system"]
        row = ([joined(run)] if run else []) + [each for each in row if all(each is not other for other in run)]
    if "merge-neighbours" in steps:
        number = 0
        numbers = []
        for before, each in zip([None, *row], row, strict=False):
            alike = before and (before.role, before.name) == (each.role, each.name)
            number += not (alike and not before.calls and before.answers is None and each.answers is None)
            numbers.append(number)
        row = [
            joined([each for _, each in run])
            for _, run in groupby(zip(numbers, row, strict=True), key=lambda pair: pair[0])
        ]
    if "system-as-user" in steps:
        for each in row:
            each.role = "user" if each.role == "system" else each.role
    if "alternate" in steps:
        words = given.get("placeholders", {})
        out: list[Message] = []
        for each in row:
            if out and out[-1].role == each.role != "system":
                other = "assistant" if each.role == "user" else "user"
                out.append(Message(["placeholder"], other, words.get(other, "")))
            out.append(each)
        row = out
    return row
