"""Two requests of which the second is the first after one edit, and what a report must say of it."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

Body = dict[str, Any]
TEXTS = (
    "continue",
    "ok",
    "好的",
    "Part one of it.",
    "第二部分。",
    "Where is the light?",
    "On the cliff.",
    "灯塔在哪里？",
)
"""Texts that come again and again in a conversation."""
LONG = "You keep the log of the lighthouse. " * 40


class EditedRequest(NamedTuple):
    """The bodies before and after, and the kind and the words of the cause that is the edit."""

    edit: str
    wire: str
    before: Body
    after: Body
    kind: str
    words: tuple[str, ...]
    """Beginnings of sentences that are true of it; more than one where nobody can tell which of equal things it was."""


def edited_request(dice: Random) -> EditedRequest:
    """An edit of messages, tools, system texts or parameters; the conversation may go on behind it."""
    return dice.choice((_of_messages, _of_messages, _of_tools, _of_systems, _of_parameters))(dice)


def _of_messages(dice: Random) -> EditedRequest:
    repeated = dice.random() < 0.7
    talk = [(_role(n), _text(dice, n, repeated=repeated)) for n in range(dice.randint(3, 24))]
    other, now = dice.choice(("insert", "drop", "move", "reword", "rename")), list(talk)
    at = dice.randrange(len(talk))
    if other == "insert":
        now.insert(at, (_role(at), _text(dice, 99, repeated=repeated)))
    elif other == "drop":
        del now[at]
    elif other == "move":
        moved = now.pop(at)
        now.insert(dice.randrange(len(talk)), moved)
    elif other == "reword":
        now[at] = (now[at][0], f"{now[at][1]} And then?")
    else:
        now[at] = ("assistant" if now[at][0] == "user" else "user", now[at][1])
    if dice.random() < 0.6 and (other != "drop" or at < len(talk) - 1):
        # What goes on says again what was said, but not what the edit touched: else it would look like another edit.
        more = [(_role(n), _text(dice, 100 + n, repeated=repeated)) for n in range(dice.randint(1, 3))]
        touched = {text for _, text in (*talk[at:], *now[at:])} if at >= len(talk) - 2 else {talk[at][1], now[at][1]}
        now += [(role, f"{text} {n}" if text in touched else text) for n, (role, text) in enumerate(more, start=200)]
    first = next((n for n, (a, b) in enumerate(zip(talk, now, strict=False)) if a != b), None)
    if first is None:
        return _of_messages(dice)
    kinds, words = _true_of(talk, now, first, other)
    return EditedRequest(other, *_bodies(dice, (talk, now)), kinds, words)


def _true_of(talk: list[Any], now: list[Any], first: int, edit: str) -> tuple[str, tuple[str, ...]]:
    """The kinds and sentences that are true of an edit, where equal texts make one look like another."""
    number = first + 1
    went, came = f"Message {number}, one of", f"In front of message {number} now stands"
    if edit == "reword":
        return "edited", (f"Message {number} ({now[first][0]}) is another: ",)
    if edit == "rename":
        same = f"Message {number} ({now[first][0]}) has the same text with another role"
        is_like_the_next = talk[first + 1 : first + 2] == [now[first]]
        return ("any", (same, went)) if is_like_the_next else ("edited", (same,))
    if edit == "insert":
        return "edited", (came,)
    if edit == "drop":
        return "left out", (went,)
    once = talk.count(talk[first]) == now.count(talk[first]) == 1
    again = talk.count(now[first]) == now.count(now[first]) == 1
    if once and again:
        return "reordered", (f"Message {number} has moved: ", *_moves_to(talk, now, first))
    return "any", (f"Message {number} has moved: ", *_moves_to(talk, now, first), went, came)


def _moves_to(talk: list[Any], now: list[Any], first: int) -> tuple[str, ...]:
    old = [n for n, each in enumerate(talk) if each == now[first]]
    return tuple(f"Message {n + 1} has moved: it is message {first + 1} now." for n in old)


def _of_tools(dice: Random) -> EditedRequest:
    names = dice.sample(["read", "list", "grep", "look", "sing", "灯"], dice.randint(2, 5))
    edit, now = (
        dice.choice(("insert", "drop", "move", "reword", "rename")),
        [(name, f"It can {name}.") for name in names],
    )
    was, at = list(now), dice.randrange(len(names))
    words = "the same ones in another order"
    if edit == "insert":
        now.insert(dice.randrange(len(names) + 1), ("other", "Does another thing."))
        words = "new: 'other'."
    elif edit == "drop":
        words = f"gone: {now.pop(at)[0]!r}."
    elif edit == "move":
        now.insert((at + dice.randrange(1, len(names))) % len(names), now.pop(at))
    elif edit == "reword":
        now[at], words = (names[at], "It can do more."), f"changed: {names[at]!r}."
    else:
        now[at], words = (
            ("other", now[at][1]),
            f"new: 'other', gone: {names[at]!r}, 'other' is {names[at]!r} by another name.",
        )
    if was == now:
        return _of_tools(dice)
    first = next((n for n, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    said = f"The tools are others from number {first + 1} on; {words}"
    return EditedRequest(edit, *_bodies(dice, (_talk(), _talk()), tools=(was, now)), "tools", (said,))


def _of_systems(dice: Random) -> EditedRequest:
    was = [LONG, *(f"Rule {n}: {dice.choice(TEXTS)}" for n in range(dice.randint(1, 4)))]
    now, edit, at = list(was), dice.choice(("insert", "drop", "reword", "move")), dice.randrange(len(was))
    if edit == "insert":
        now.insert(at, "A rule that is new.")
        said = (f"System text {at + 1} is new.",)
    elif edit == "drop":
        del now[at]
        said = (f"System text {at + 1} is gone.",)
    elif edit == "reword":
        now[at] = f"{now[at]} Always."
        said = (f"System text {at + 1} is another from character {len(was[at]) + 1:,} on",)
    else:
        now.insert((at + dice.randrange(1, len(was))) % len(was), now.pop(at))
        moves = [(n, now.index(text)) for n, text in enumerate(was) if now.index(text) != n]
        said = tuple(f"System text {n + 1} has moved: it is number {m + 1} now." for n, m in moves)
    return EditedRequest(edit, *_bodies(dice, (_talk(), _talk()), systems=(was, now)), "system", said)


def _of_parameters(dice: Random) -> EditedRequest:
    wire = dice.choice(("anthropic", "openai-chat"))
    values: dict[str, Any] = (
        {"tool_choice": {"type": "auto"}, "thinking": {"type": "enabled", "budget_tokens": 2000}}
        if wire == "anthropic"
        else {"prompt_cache_key": "a", "response_format": {"type": "text"}, "reasoning_effort": "low"}
    )
    name = dice.choice(sorted(values))
    kept = {other: value for other, value in values.items() if other != name and dice.random() < 0.6}
    edit = dice.choice(("add a parameter", "drop", "reword"))
    whole = {key: values[key] for key in dice.sample(sorted({*kept, name}), len(kept) + 1)}
    if edit == "reword":
        was, now = whole, {**kept, name: "other" if isinstance(values[name], str) else {"type": "other"}}
    else:
        was, now = (kept, whole) if edit == "add a parameter" else (whole, kept)
    said = {"add a parameter": "is new.", "drop": "is gone.", "reword": "changed: "}[edit]
    sent = _bodies(dice, (_talk(), _talk()), wire=wire, parameters=(was, now))
    return EditedRequest(edit, *sent, "parameters", (f"The parameter {name!r} {said}",))


# --- bodies


def _bodies(
    dice: Random,
    talks: tuple[Any, Any],
    *,
    wire: str = "",
    tools: tuple[Any, Any] = ((), ()),
    systems: tuple[Any, Any] = ((LONG,), (LONG,)),
    parameters: tuple[Body, Body] = ({}, {}),
) -> tuple[str, Body, Body]:
    wire = wire or dice.choice(("anthropic", "openai-chat"))
    made = [_body(wire, *each) for each in zip(talks, tools, systems, parameters, strict=True)]
    return wire, made[0], made[1]


def _body(wire: str, talk: Any, tools: Any, systems: Any, parameters: Body) -> Body:
    messages = [{"role": role, "content": text} for role, text in talk]
    if wire == "anthropic":
        listed = [{"name": name, "description": words, "input_schema": {}} for name, words in tools]
        system = [{"type": "text", "text": text} for text in systems]
        return {"model": "claude-sonnet-4-5", **parameters, "system": system, "tools": listed, "messages": messages}
    listed = [{"type": "function", "function": {"name": name, "description": words}} for name, words in tools]
    messages = [*({"role": "system", "content": text} for text in systems), *messages]
    return {"model": "gpt-5", **parameters, "tools": listed, "messages": messages}


def _talk() -> list[tuple[str, str]]:
    return [("user", "Where is the light?"), ("assistant", "On the cliff."), ("user", "And the boat?")]


def _role(number: int) -> str:
    return "assistant" if number % 2 else "user"


def _text(dice: Random, number: int, *, repeated: bool) -> str:
    return dice.choice(TEXTS) if repeated and dice.random() < 0.5 else f"{dice.choice(TEXTS)} {number}"
