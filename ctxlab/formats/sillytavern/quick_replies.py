"""SillyTavern's sets of quick replies, version 1 (`quickReplySlots`) and version 2 (`qrList`).

A reply takes the place of the typed text, or joins it where its set injects the input, and is sent unless the set
doesn't send: that is a switch of the set. `preventAutoExecute` is none of sending: it keeps a reply that runs by itself
on startup, on messages and the like from running because of another such reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple, TypeGuard, cast

from ctxlab.documents import QuickAction, QuickActionSet
from ctxlab.documents.quick_actions import InputPlace
from ctxlab.documents.stored import as_json
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.native.quick_actions import others_left_out
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.roundtrip import patched
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.formats.values_to_export import pick_quick_actions
from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]

KEY, VERSION, NAME, OTHERS = "sillytavern", "version", "name", "others"
"""Keys of what is carried: JSON as it was read, its version, the name that the set got, what is no reply."""


class Switches(NamedTuple):
    """The switches of a set that are of each action here."""

    sends: bool
    input_place: InputPlace | None


@dataclass(frozen=True, slots=True)
class Keys:
    """The names of one version's fields. `runs` are those that make a reply run by itself."""

    version: int
    replies: str
    message: str
    hidden: str
    disable_send: str
    before_input: str
    inject_input: str
    context: str
    runs: tuple[str, ...]


V2 = Keys(
    2,
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
    1,
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
    around = {key: value for key, value in data.items() if key != keys.replies}
    switches = _switches(around, keys, losses)
    shown = coerce.field(data, "name", coerce.text, "", losses) or name
    names = Names()
    actions: list[QuickAction] = []
    others: list[Data] = []
    for index, reply in enumerate(cast("list[Any]", data[keys.replies])):
        found: list[Loss] = []
        if isinstance(reply, dict):
            action = _action(cast("Data", reply), keys, switches, found)
            own = names.take(action.id or str(index + 1))
            actions.append(action.with_(id=own, carried={KEY: reply, VERSION: keys.version}))
        else:
            found.append(Loss("", "no reply; it is left out"))
            others.append({"after": actions[-1].id if actions else None, "reply": reply})
        if losses is not None:
            losses += [loss.inside(f"reply {index + 1}") for loss in found]
    carried = {KEY: around, VERSION: keys.version, NAME: shown, **({OTHERS: others} if others else {})}
    return QuickActionSet(id=shown, name=shown, actions=tuple(actions), carried=carried)


def _switches(around: Mapping[str, Any], keys: Keys, losses: list[Loss] | None = None) -> Switches:
    sends = not coerce.field(around, keys.disable_send, coerce.flag, False, losses)
    if not coerce.field(around, keys.inject_input, coerce.flag, False, losses):
        return Switches(sends, None)
    is_first = coerce.field(around, keys.before_input, coerce.flag, False, losses)
    return Switches(sends, "after" if is_first else "before")


def _action(reply: Data, keys: Keys, switches: Switches, losses: list[Loss]) -> QuickAction:
    """The action of a reply; its id is empty where the reply has none."""
    content = coerce.field(reply, keys.message, coerce.text, "", losses)
    is_script = content.startswith("/") and switches.sends
    if is_script:
        losses.append(Loss(keys.message, "slash commands, which only SillyTavern runs; switched off"))
    losses += _unused(reply, keys)
    id = reply.get("id")
    fields: Data = {
        "id": str(id) if isinstance(id, int | str) else "",
        "label": coerce.field(reply, "label", coerce.text, "", losses),
        "content": content,
        "auto_send": switches.sends,
        "is_enabled": not is_script and not coerce.field(reply, keys.hidden, coerce.flag, False, losses),
        "description": coerce.field(reply, "title", coerce.text, "", losses) or None,
        "input_place": switches.input_place,
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
    return with_unsent_texts(Import(quick_actions=tuple(sets), losses=tuple(losses)), source)


# --- writing


def set_to_data(found: QuickActionSet) -> Data:
    """The set as SillyTavern's: the one that it was read from with what changed since, else of version 2."""
    carried = found.carried or {}
    keys = V1 if carried.get(VERSION) == V1.version else V2
    known = carried.get(KEY)
    around = cast("Data", dict(known)) if isinstance(known, Mapping) else None
    before = _switches(around or {}, keys)
    first = found.actions[0] if found.actions else None
    now = Switches(first.auto_send, first.input_place) if first else before
    made = _around_to(found.name, now, keys)
    if around is not None:
        made = patched(around, _around_to(str(carried.get(NAME, "")), before, keys), made)
    replies = _with_others([*_replies(found, keys, before)], found, carried.get(OTHERS))
    numbers = [reply["id"] for reply in replies if isinstance(reply, dict) and isinstance(reply.get("id"), int)]
    if keys is V2 and any(not _is_carried(each, keys) for each in found.actions):
        known_index = made.get("idIndex")
        made = {**made, "idIndex": max([*numbers, known_index if isinstance(known_index, int) else 0])}
    return {**made, keys.replies: replies}


def _around_to(name: str, switches: Switches, keys: Keys) -> Data:
    about: Data = {"version": 2} if keys is V2 else {}
    about |= {"name": name, keys.disable_send: not switches.sends}
    place = switches.input_place
    return about | {keys.before_input: place == "after", keys.inject_input: place is not None}


def _replies(found: QuickActionSet, keys: Keys, switches: Switches) -> Iterator[Data]:
    """The replies of the actions; a new one gets its id where that is a number that no other has."""
    ids = [(each.carried or {})[KEY].get("id") for each in found.actions if _is_carried(each, keys)]
    taken = {id for id in ids if isinstance(id, int)}
    for each in found.actions:
        if _is_carried(each, keys):
            original = cast("Data", dict((each.carried or {})[KEY]))
            before = _reply_to(_action(original, keys, switches, []), keys)
            yield patched(original, before, _reply_to(each, keys))
        elif keys is V2:
            own = int(each.id) if each.id.isascii() and each.id.isdigit() and len(each.id) < 10 else 0
            number = own if own and own not in taken else next(n for n in count(1) if n not in taken)
            taken.add(number)
            yield {"id": number, **_reply_to(each, keys)}
        else:
            yield _reply_to(each, keys)


def _is_carried(action: QuickAction, keys: Keys) -> bool:
    """Whether an action was read from a reply of this version."""
    carried = action.carried or {}
    return isinstance(carried.get(KEY), Mapping) and carried.get(VERSION) == keys.version


def _reply_to(action: QuickAction, keys: Keys) -> Data:
    text = {"label": action.label, "title": action.description or "", keys.message: action.content}
    return {**text, keys.hidden: not action.is_enabled}


def _with_others(replies: list[Data], found: QuickActionSet, others: Any) -> list[Any]:
    """The replies, and what of the file was none in its old place."""
    behind: dict[str | None, list[Any]] = {}
    for other in cast("list[Any]", others) if isinstance(others, list) else []:
        if isinstance(other, dict) and "reply" in other:
            after = cast("Data", other).get("after")
            behind.setdefault(after if isinstance(after, str) else None, []).append(other["reply"])
    made: list[Any] = behind.pop(None, [])
    for action, reply in zip(found.actions, replies, strict=True):
        made += [reply, *behind.pop(action.id, [])]
    return made + [reply for rest in behind.values() for reply in rest]


def _losses(found: QuickActionSet) -> Iterator[Loss]:
    """Losses of a set: all that quick replies have no place for."""
    if not found.is_enabled:
        yield Loss("", "that the set is switched off has no place in it; left out")
    if found.description:
        yield Loss("description", "a set of quick replies has none; left out")
    first = found.actions[0] if found.actions else None
    for each in found.actions:
        place = f"action {each.shown_name!r}"
        if first is not None and each.auto_send != first.auto_send:
            yield Loss(
                place, f"one switch is for the whole set: it {'is' if first.auto_send else 'is not'} sent at once"
            )
        if first is not None and each.input_place != first.input_place:
            yield Loss(place, "where typed text goes is one switch for the whole set: it goes where the first says")
        if each.hotkey:
            yield Loss(place, f"a quick reply has no hotkey; {each.hotkey!r} is left out")
        if each.line_processing is not None and each.line_processing.does_something:
            yield Loss(place, "a quick reply doesn't process lines; left out")
        if first is not None and first.auto_send and each.is_enabled and each.content.startswith("/"):
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
