"""SillyTavern's sets of quick replies, version 1 (`quickReplySlots`) and version 2 (`qrList`).

A reply takes the place of the typed text, or joins it where its set injects the input, and is sent unless the set
doesn't send: that is a switch of the set. `preventAutoExecute` is none of sending: it keeps a reply that runs by itself
on startup, on messages and the like from running because of another such reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar, cast

from ctxlab.documents import QuickAction, QuickActionSet
from ctxlab.documents.stored import as_json
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.native.quick_actions import others_left_out
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.roundtrip import patched
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.values_to_export import pick_quick_actions

Data = dict[str, Any]
T = TypeVar("T")

KEY = "sillytavern"


@dataclass(frozen=True, slots=True)
class Keys:
    """The names of one version's fields. `runs` are those that make a reply run by itself."""

    replies: str
    message: str
    hidden: str
    disable_send: str
    before_input: str
    inject_input: str
    context: str
    runs: tuple[str, ...]


V2 = Keys(
    "qrList",
    "message",
    "isHidden",
    "disableSend",
    "placeBeforeInput",
    "injectInput",
    "contextList",
    (
        "executeOnStartup",
        "executeOnUser",
        "executeOnAi",
        "executeOnChatChange",
        "executeOnGroupMemberDraft",
        "executeOnNewChat",
        "executeBeforeGeneration",
    ),
)
V1 = Keys(
    "quickReplySlots",
    "mes",
    "hidden",
    "quickActionEnabled",  # its words on the page were "Disable Send"
    "placeBeforeInputEnabled",
    "AutoInputInject",
    "contextMenu",
    ("autoExecute_appStartup", "autoExecute_userMessage", "autoExecute_botMessage", "autoExecute_chatLoad"),
)


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_set)


def _is_set(value: Any) -> TypeGuard[Data]:
    return isinstance(value, dict) and any(isinstance(value.get(keys.replies), list) for keys in (V2, V1))


def _keys_of(data: Mapping[str, Any]) -> Keys:
    return V2 if isinstance(data.get(V2.replies), list) else V1


# --- reading


def set_of(data: Data, *, name: str = "", losses: list[Loss] | None = None) -> QuickActionSet:
    """The set of quick actions that a file's set is; what isn't used is kept in `carried`, and is a loss."""
    keys = _keys_of(data)
    shown = _value(data, "name", coerce.text, "", losses) or name
    sends = not _value(data, keys.disable_send, coerce.flag, False, losses)
    place: str | None = None
    if _value(data, keys.inject_input, coerce.flag, False, losses):
        place = "after" if _value(data, keys.before_input, coerce.flag, False, losses) else "before"
    names = Names()
    actions: list[QuickAction] = []
    for index, reply in enumerate(cast("list[Any]", data[keys.replies])):
        found: list[Loss] = []
        if isinstance(reply, dict):
            actions.append(_action(cast("Data", reply), keys, names, index, found, sends=sends, place=place))
        else:
            found.append(Loss("", "no reply; it is left out"))
        if losses is not None:
            losses += [loss.inside(f"reply {index + 1}") for loss in found]
    return QuickActionSet(id=shown, name=shown, actions=tuple(actions), carried={KEY: data})


def _action(
    reply: Data, keys: Keys, names: Names, index: int, losses: list[Loss], *, sends: bool, place: str | None
) -> QuickAction:
    content = _value(reply, keys.message, coerce.text, "", losses)
    is_script = content.startswith("/") and sends
    if is_script:
        losses.append(Loss(keys.message, "slash commands, which only SillyTavern runs; switched off"))
    losses += _unused(reply, keys)
    own = names.take(str(reply["id"]) if isinstance(reply.get("id"), int | str) else str(index + 1))
    fields: Data = {
        "id": own,
        "label": _value(reply, "label", coerce.text, "", losses),
        "content": content,
        "auto_send": sends,
        "is_enabled": not is_script and not _value(reply, keys.hidden, coerce.flag, False, losses),
        "description": _value(reply, "title", coerce.text, "", losses) or None,
        "input_place": place,
    }
    return QuickAction(**{name: value for name, value in fields.items() if value is not None})


def _unused(reply: Data, keys: Keys) -> Iterator[Loss]:
    """A loss for what a reply says besides its text."""
    if runs := [name for name in keys.runs if reply.get(name)]:
        yield Loss(", ".join(runs), "a quick action runs when it is clicked, and not by itself")
    if reply.get(keys.context):
        yield Loss(keys.context, "a quick action has no menu; it is kept for SillyTavern")
    if reply.get("automationId"):
        yield Loss("automationId", "lore entries call no quick action; it is kept for SillyTavern")


def _value(data: Data, key: str, kind: Callable[[Any], T], default: T, losses: list[Loss] | None) -> T:
    value = data.get(key)
    if value is None:
        return default
    try:
        return kind(value)
    except ValueError as problem:
        if losses is not None:
            losses.append(Loss(key, f"{coerce.shown(value)} {problem}; {default!r} is used"))
        return default


def read(source: Source) -> Import:
    losses, names = list(source.losses), Names()
    sets: list[QuickActionSet] = []
    for place, item in source.items():
        if not _is_set(item):
            losses.append(Loss(place, "no set of quick replies; it is left out"))
            continue
        inside: list[Loss] = []
        found = set_of(item, name=source.stem, losses=inside)
        losses += [loss.inside(place) for loss in inside]
        own = names.take(found.id)
        sets.append(found if own == found.id else found.with_(id=own))
    return Import(quick_actions=tuple(sets), losses=tuple(losses))


# --- writing


def set_to_data(found: QuickActionSet) -> Data:
    """The set as SillyTavern's: the one that it was read from with what changed since, else of version 2."""
    original: Any = (found.carried or {}).get(KEY)
    if not _is_set(original):
        return _written(found, V2)
    keys = _keys_of(original)
    return cast("Data", patched(original, _written(set_of(original, name=found.name), keys), _written(found, keys)))


def _written(found: QuickActionSet, keys: Keys) -> Data:
    place = next((each.input_place for each in found.actions), None)
    numbers = _numbers(found)
    replies: list[Data] = []
    for number, each in zip(numbers, found.actions, strict=True):
        reply: Data = {"id": number} if keys is V2 else {}
        reply |= {"label": each.label, "title": each.description or "", keys.message: each.content}
        replies.append(reply | {keys.hidden: not each.is_enabled})
    about: Data = {"version": 2} if keys is V2 else {}
    about |= {"name": found.name, keys.disable_send: not _sends(found)}
    about |= {keys.before_input: place == "after", keys.inject_input: place is not None, keys.replies: replies}
    return about | ({"idIndex": max(numbers, default=0)} if keys is V2 else {})


def _numbers(found: QuickActionSet) -> list[int]:
    """A number for each action, its own id where that is one."""
    taken: set[int] = set()
    own: list[int | None] = []
    for each in found.actions:
        number = int(each.id) if each.id.isascii() and each.id.isdigit() and len(each.id) < 10 else None
        own.append(number if number not in taken else None)
        taken |= {number} if number is not None else set()
    free = (number for number in range(1, 2 * len(own) + 2) if number not in taken)
    return [next(free) if number is None else number for number in own]


def _sends(found: QuickActionSet) -> bool:
    """Whether the set sends: as its first action does."""
    return next((each.auto_send for each in found.actions), True)


def _losses(found: QuickActionSet) -> Iterator[Loss]:
    """What a set of quick replies has no place for."""
    if not found.is_enabled:
        yield Loss("", "that the set is switched off has no place in it; left out")
    if found.description:
        yield Loss("description", "a set of quick replies has none; left out")
    first = found.actions[0] if found.actions else None
    for each in found.actions:
        place = f"action {each.shown_name!r}"
        if first is not None and each.auto_send != first.auto_send:
            yield Loss(place, f"one switch is for the whole set: it {'is' if first.auto_send else 'is not'} sent at once")
        if first is not None and each.input_place != first.input_place:
            yield Loss(place, "where typed text goes is one switch for the whole set: it goes where the first says")
        if each.hotkey:
            yield Loss(place, f"a quick reply has no hotkey; {each.hotkey!r} is left out")
        if each.line_processing is not None and each.line_processing.does_something:
            yield Loss(place, "a quick reply doesn't process lines; left out")
        if _sends(found) and each.is_enabled and each.content.startswith("/"):
            yield Loss(place, "SillyTavern takes what begins with / for a command and runs it")


def quick_replies_json(found: QuickActionSet) -> Export[bytes]:
    """A file of quick replies in UTF-8, in the version that the set was read in, else version 2."""
    return Export(as_json(set_to_data(found), indent=2), tuple(_losses(found)))


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The only set, or the picked one."""
    return quick_replies_json(pick_quick_actions(found, pick)).after(others_left_out(found))


QUICK_REPLIES = Format(
    "quick-replies",
    "set of quick replies",
    (".quickreplies.json",),
    sniff=sniff,
    read=read,
    write=write,
    holds=("quick_actions",),
)
