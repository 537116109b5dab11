"""Which entries of a lorebook fire, in which order, and what stops the others."""

from __future__ import annotations

from typing import Any

from builders.common import Json, Topic, chat

topic = Topic("lore")


def entry(uid: int, keys: str = "", content: str = "Lore.", **more: Any) -> Json:
    return {"uid": uid, "keys": [key for key in keys.split(",") if key], "content": content, **more}


def decide(
    family: str, says: str, entries: list[Json], fired: str, blocked: str = "", *lines: str, **more: Any
) -> None:
    """A case: `fired` are uids in order, `blocked` are uids with the gate of each, as `2:no-key`."""
    messages = chat(*(lines or ("u: The harbour bell rang at dawn.",)))
    stopped = dict(each.split(":") for each in blocked.split())
    topic.case(family, says, {"messages": messages, "entries": entries, **more},
               fired=[int(uid) for uid in fired.split()], blocked=stopped)  # fmt: skip


def one(family: str, says: str, given: Json, gate: str, *lines: str, **more: Any) -> None:
    """A case of one entry: `gate` is what stops it, nothing where it fires."""
    decide(
        family,
        says,
        [given],
        "" if gate else str(given["uid"]),
        f"{given['uid']}:{gate}" if gate else "",
        *lines,
        **more,
    )


def keys() -> None:
    one("keys", "An entry fires where its key stands in a message.", entry(1, "bell"), "")
    one("keys", "An entry whose key is nowhere doesn't fire.", entry(1, "kelp"), "no-key")
    one("keys", "One of several keys is enough.", entry(1, "kelp,dawn"), "")
    one("keys", "An entry without keys that isn't constant doesn't fire.", entry(1), "no-key")
    one("keys", "A key is found in another case of letters.", entry(1, "HARBOUR"), "")
    one("keys", "A key that minds case isn't found in another one.", entry(1, "HARBOUR", caseSensitive=True), "no-key")
    one("keys", "A key that minds case is found as it is written.", entry(1, "harbour", caseSensitive=True), "")
    one("keys", "A setting makes all keys mind case where an entry doesn't say.", entry(1, "Bell"), "no-key",
        settings={"caseSensitive": True})  # fmt: skip
    one("keys", "What an entry says of case goes before the setting.", entry(1, "Bell", caseSensitive=False), "",
        settings={"caseSensitive": True})  # fmt: skip
    one("keys", "A key is found inside a longer word.", entry(1, "arbo"), "")
    one("keys", "A key of whole words isn't found inside a longer word.", entry(1, "arbo", wholeWords=True), "no-key")
    one("keys", "A key of whole words is found between blanks.", entry(1, "bell", wholeWords=True), "")
    one("keys", "A key of whole words is found before a full stop.", entry(1, "dawn", wholeWords=True), "")
    one("keys", "A setting makes all keys whole words where an entry doesn't say.", entry(1, "bel"), "no-key",
        settings={"wholeWords": True})  # fmt: skip
    one("keys", "A Chinese key is found inside a text without blanks.", entry(1, "灯塔"), "", "u: 远处的灯塔亮了。")
    one("keys", "A Chinese key of whole words is found too: only Latin words have edges.",
        entry(1, "灯塔", wholeWords=True), "", "u: 远处的灯塔亮了。")  # fmt: skip
    one("keys", "A key of two words is found with one blank between them.", entry(1, "harbour bell"), "")
    one(
        "keys",
        "A key of two words isn't found where another word stands between them.",
        entry(1, "harbour rang"),
        "no-key",
    )
    one("keys", "A pattern between slashes is looked for as one.", entry(1, "/b[aeiou]ll/"), "")
    one("keys", "A pattern that fits nowhere isn't found.", entry(1, "/b[xyz]ll/"), "no-key")
    one("keys", "A pattern minds case unless its flags say i.", entry(1, "/HARBOUR/"), "no-key")
    one("keys", "A pattern with the flag i doesn't mind case.", entry(1, "/HARBOUR/i"), "")
    one("keys", "The name of the character stands for its macro in a key.", entry(1, "{{char}}"), "", "u: Ask Morwenna.",
        character="Morwenna")  # fmt: skip
    one("keys", "The name of the user stands for its macro in a key.", entry(1, "{{user}}"), "", "a: Well, Piran?",
        user="Piran")  # fmt: skip
    one("keys", "A constant entry fires without keys.", entry(1, constant=True), "")
    one(
        "keys",
        "A constant entry fires in a conversation without messages that name it.",
        entry(1, "kelp", constant=True),
        "",
    )
    one(
        "keys",
        "An entry that is switched off doesn't fire, whatever its keys.",
        entry(1, "bell", disable=True),
        "disabled",
    )
    one(
        "keys", "A constant entry that is switched off doesn't fire.", entry(1, constant=True, disable=True), "disabled"
    )
    one(
        "keys",
        "A text that begins with @@activate makes an entry fire without keys.",
        entry(1, "kelp", "@@activate\nLore."),
        "",
    )
    one("keys", "A text that begins with @@dont_activate keeps an entry from firing.",
        entry(1, "bell", "@@dont_activate\nLore."), "decorator")  # fmt: skip
    one("keys", "The persona is looked at where an entry says so.", entry(1, "smith", persona=True), "",
        persona="A smith from Zennor.")  # fmt: skip
    one("keys", "The persona isn't looked at where an entry doesn't say so.", entry(1, "smith"), "no-key",
        persona="A smith from Zennor.")  # fmt: skip


ROW = ("u: alder", "a: birch", "u: cedar", "a: elm")


def depth() -> None:
    for words, back in (("alder", 4), ("birch", 3), ("cedar", 2), ("elm", 1)):
        for scanned in (0, 1, 2, 3, 4):
            gate = "" if back <= scanned else "no-key"
            found = "is found" if not gate else "isn't found"
            one("depth", f"A key in message {back} from the end {found} where {scanned} are looked at.",
                entry(1, words, scanDepth=scanned), gate, *ROW)  # fmt: skip
    one("depth", "Without any word on it the newest two messages are looked at.", entry(1, "cedar"), "", *ROW)
    one("depth", "Without any word on it the third from the end isn't looked at.", entry(1, "birch"), "no-key", *ROW)
    one(
        "depth",
        "A setting says how many messages are looked at.",
        entry(1, "alder"),
        "",
        *ROW,
        settings={"scanDepth": 4},
    )
    one("depth", "What an entry says of depth goes before the setting.", entry(1, "alder", scanDepth=1), "no-key", *ROW,
        settings={"scanDepth": 4})  # fmt: skip


def secondary() -> None:
    """By logic: what the second keys have to do for the entry to fire; found are none, one or both of two."""
    texts = {
        "none": "u: The bell rang.",
        "one": "u: The bell rang in fog.",
        "both": "u: The bell rang in fog and rain.",
    }
    fires = {
        "and_any": {"none": False, "one": True, "both": True},
        "and_all": {"none": False, "one": False, "both": True},
        "not_any": {"none": True, "one": False, "both": False},
        "not_all": {"none": True, "one": True, "both": False},
    }
    for logic, by_found in fires.items():
        for found, is_fired in by_found.items():
            gate = "" if is_fired else "secondary-keys"
            verb = "fires" if is_fired else "doesn't fire"
            one("secondary", f"With {logic} an entry {verb} where {found} of its two second keys stands there.",
                entry(1, "bell", secondary=["fog", "rain"], logic=logic), gate, texts[found])  # fmt: skip
    one("secondary", "Second keys without a first one call nothing up.", entry(1, "kelp", secondary=["fog"]), "no-key",
        texts["one"])  # fmt: skip
    one("secondary", "Second keys don't count where the entry isn't selective.",
        entry(1, "bell", secondary=["snow"], selective=False), "")  # fmt: skip
    one(
        "secondary",
        "A constant entry fires whatever its second keys.",
        entry(1, "bell", secondary=["snow"], constant=True),
        "",
    )
    one("secondary", "Second keys are looked for in the same messages as first ones.",
        entry(1, "elm", secondary=["alder"], scanDepth=2), "secondary-keys", *ROW)  # fmt: skip


def build() -> Topic:
    from builders import lore_choice

    keys()
    depth()
    secondary()
    lore_choice.build(decide, one, entry)
    return topic
