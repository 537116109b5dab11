"""Entries that compete or wait: order, chance, groups, budget, recursion, timing, filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builders.common import Json

Decide = Callable[..., None]


def build(decide: Decide, one: Decide, entry: Callable[..., Json]) -> None:
    order(decide, entry)
    chance(one, entry)
    groups(decide, entry)
    budget(decide, entry)
    recursion(decide, entry)
    timing(one, entry)
    filters(one, entry)


def order(decide: Decide, entry: Callable[..., Json]) -> None:
    for first, second, fired in ((1, 2, "2 1"), (2, 1, "1 2"), (5, 5, "1 2"), (-1, 0, "2 1")):
        decide("order", f"Of orders {first} and {second} entry {fired[0]} is taken first.",
               [entry(1, "bell", order=first), entry(2, "dawn", order=second)], fired)  # fmt: skip
    decide("order", "A constant entry is taken before others, whatever its order.",
           [entry(1, "bell", order=900), entry(2, constant=True, order=1)], "2 1")  # fmt: skip
    decide(
        "order",
        "The place of a key in the text says nothing of the order.",
        [entry(1, "dawn"), entry(2, "harbour")],
        "1 2",
    )
    decide(
        "order",
        "Each entry is decided on by itself.",
        [entry(1, "bell"), entry(2, "kelp"), entry(3, "dawn")],
        "1 3",
        "2:no-key",
    )


def chance(one: Decide, entry: Callable[..., Json]) -> None:
    """A number in [0, 1) is drawn for an entry, and it fires where a hundred times of it is at most its chance."""
    for percent, drawn in (
        (50, 0.49),
        (50, 0.51),
        (50, 0.5),
        (10, 0.09),
        (10, 0.2),
        (99, 0.995),
        (99, 0.98),
        (0, 0.01),
        (0, 0.9),
        (1, 0.0),
    ):
        gate = "" if drawn * 100 <= percent else "probability"
        verb = "fires" if not gate else "doesn't fire"
        one("chance", f"With a chance of {percent} in a hundred an entry {verb} where {drawn} is drawn.",
            entry(1, "bell", probability=percent), gate, dice={"1": drawn})  # fmt: skip
    one(
        "chance",
        "With a chance of a hundred an entry fires, and nothing is drawn.",
        entry(1, "bell", probability=100),
        "",
    )
    one("chance", "A chance that isn't used says nothing.", entry(1, "bell", probability=1, useProbability=False), "")
    one(
        "chance",
        "A constant entry has to have luck too.",
        entry(1, constant=True, probability=20),
        "probability",
        dice={"1": 0.7},
    )
    one("chance", "What has no key isn't drawn for.", entry(1, "kelp", probability=50), "no-key")


def groups(decide: Decide, entry: Callable[..., Json]) -> None:
    """Of a group one fires: by weight, at a number drawn for the group times the sum of all weights."""

    def pair(**second: Any) -> list[Json]:
        return [entry(1, "bell", group="sky"), entry(2, "dawn", group="sky", **second)]

    for drawn, weight, winner in (
        (0.1, 100, 1),
        (0.5, 100, 1),
        (0.51, 100, 2),
        (0.9, 100, 2),
        (0.3, 300, 2),
        (0.2, 300, 1),
        (0.6, 50, 1),
        (0.7, 50, 2),
    ):
        loser = 3 - winner
        decide("groups", f"Of weights 100 and {weight} entry {winner} wins where {drawn} is drawn.", pair(weight=weight),
               str(winner), f"{loser}:group", dice={"group:sky": drawn})  # fmt: skip
    decide("groups", "An entry that overrides wins its group without a draw.", pair(override=True), "2", "1:group")
    decide("groups", "Of two that override the first that is taken wins.",
           [entry(1, "bell", group="sky", override=True, order=1), entry(2, "dawn", group="sky", override=True, order=9)],
           "2", "1:group")  # fmt: skip
    decide("groups", "A group of which one entry is called up draws nothing.",
           [entry(1, "bell", group="sky"), entry(2, "kelp", group="sky")], "1", "2:no-key")  # fmt: skip
    decide("groups", "Entries of different groups don't compete.",
           [entry(1, "bell", group="sky"), entry(2, "dawn", group="sea")], "1 2")  # fmt: skip
    decide("groups", "With scoring the entry with more keys in sight wins.",
           [entry(1, "bell", group="sky", scoring=True), entry(2, "harbour,dawn", group="sky", scoring=True)], "2", "1:group")  # fmt: skip
    decide("groups", "With scoring a draw is between those with the most keys in sight.",
           [entry(1, "bell,rang", group="sky", scoring=True), entry(2, "harbour,dawn", group="sky", scoring=True),
            entry(3, "at", group="sky", scoring=True)], "2", "1:group 3:group", dice={"group:sky": 0.9})  # fmt: skip
    decide("groups", "An entry of two groups has to win both.",
           [entry(1, "bell", group="sky,sea"), entry(2, "dawn", group="sea", override=True)], "2", "1:group")  # fmt: skip
    decide("groups", "A winner without luck leaves its group empty.",
           [entry(1, "bell", group="sky", override=True, probability=10), entry(2, "dawn", group="sky")], "",
           "1:probability 2:group", dice={"1": 0.5})  # fmt: skip
    decide("groups", "An entry that is switched off takes no part in its group.",
           [entry(1, "bell", group="sky", override=True, disable=True), entry(2, "dawn", group="sky")], "2", "1:disabled")  # fmt: skip


def budget(decide: Decide, entry: Callable[..., Json]) -> None:
    """Contents of two, three and one words; a word is a token."""
    three = [
        entry(1, "bell", "one two", order=3),
        entry(2, "dawn", "one two three", order=2),
        entry(3, "rang", "one", order=1),
    ]
    for tokens, fired, blocked in (
        (6, "1 2 3", ""),
        (5, "1 2", "3:budget"),
        (4, "1", "2:budget 3:budget"),
        (2, "1", "2:budget 3:budget"),
        (1, "", "1:budget 2:budget 3:budget"),
    ):
        decide("budget", f"The budget of {tokens} is spent in order, and the first that doesn't fit ends it.", three,
               fired, blocked, settings={"budget": tokens})  # fmt: skip
    for tokens, fired, blocked in (
        (5, "1 2", "3:budget"),
        (4, "1 3", "2:budget"),
        (3, "1 3", "2:budget"),
        (1, "3", "1:budget 2:budget"),
    ):
        decide("budget", f"With skipping a budget of {tokens} goes on to smaller entries behind one that doesn't fit.", three,
               fired, blocked, settings={"budget": tokens, "overflow": "skip"})  # fmt: skip
    free = [three[0], {**three[1], "ignoreBudget": True}, three[2]]
    decide(
        "budget",
        "An entry that ignores the budget fires where it doesn't fit.",
        free,
        "1 2",
        "3:budget",
        settings={"budget": 4},
    )
    decide("budget", "Without a budget all fire.", three, "1 2 3")
    decide("budget", "A book's own budget holds for its entries.", three, "1 2", "3:budget", bookBudget=5)
    decide("budget", "Characters are tokens where the case counts so.", three, "1", "2:budget 3:budget",
           settings={"budget": 19}, counter={"unit": "characters"})  # fmt: skip
    decide("budget", "A constant entry is the first to be paid.", [three[0], {**three[2], "constant": True}], "3", "1:budget",
           settings={"budget": 2})  # fmt: skip


def recursion(decide: Decide, entry: Callable[..., Json]) -> None:
    first, second = entry(1, "bell", "The ringer lives in the tower."), entry(2, "tower", "It has a green door.")
    third = entry(3, "door", "The door is locked.")
    decide("recursion", "What an entry says calls up another.", [first, second], "1 2")
    decide("recursion", "What a called entry says calls up a third.", [first, second, third], "1 2 3")
    decide("recursion", "Entries that are called up come behind those that called, whatever their order.",
           [first, {**second, "order": 900}], "1 2")  # fmt: skip
    decide(
        "recursion",
        "Without recursion only messages are looked at.",
        [first, second],
        "1",
        "2:no-key",
        settings={"recursion": False},
    )
    decide(
        "recursion",
        "An entry that prevents recursion calls nothing up.",
        [{**first, "preventRecursion": True}, second],
        "1",
        "2:no-key",
    )
    decide("recursion", "An entry that excludes recursion is called up by messages alone.",
           [first, {**second, "excludeRecursion": True}], "1", "2:not-in-recursion")  # fmt: skip
    decide(
        "recursion",
        "With one pass nothing is called up by lore.",
        [first, second],
        "1",
        "2:pass-limit",
        settings={"maxPasses": 1},
    )
    decide(
        "recursion",
        "With two passes lore calls up lore once.",
        [first, second, third],
        "1 2",
        "3:pass-limit",
        settings={"maxPasses": 2},
    )
    decide("recursion", "An entry that waits for recursion isn't called up by messages alone.",
           [entry(1, "bell", delayUntilRecursion=True)], "", "1:recursion-only")  # fmt: skip
    decide(
        "recursion",
        "An entry that waits for recursion is called up by what lore says.",
        [first, {**second, "delayUntilRecursion": True}],
        "1 2",
    )
    decide("recursion", "An entry that waits for recursion fires by a message once other lore has fired.",
           [first, entry(2, "dawn", delayUntilRecursion=True)], "1 2")  # fmt: skip
    decide("recursion", "Two entries that name each other fire once each.",
           [entry(1, "bell", "See the tower."), entry(2, "tower", "See the bell.")], "1 2")  # fmt: skip
    decide(
        "recursion",
        "An entry that doesn't fire calls nothing up.",
        [{**first, "disable": True}, second],
        "",
        "1:disabled 2:no-key",
    )
    decide(
        "recursion",
        "A constant entry calls up others.",
        [entry(1, content="The tower is old.", constant=True), second],
        "1 2",
    )
    decide(
        "recursion",
        "An entry cut by the budget calls nothing up.",
        [first, second],
        "",
        "1:budget 2:no-key",
        settings={"budget": 2},
    )


def timing(one: Decide, entry: Callable[..., Json]) -> None:
    """The entry fired at a message; how many came after it decides."""
    row = ("u: The bell.", "a: Yes?", "u: Nothing.", "a: Ah.", "u: Well.")

    def fired_at(n: int, says: str, gate: str, **more: Any) -> None:
        one("timing", says, entry(1, "bell", scanDepth=1, **more), gate, *row, firedAt={"1": f"m{n}"})

    for n in (1, 2, 3, 4):
        after = 5 - n
        gate = "" if after < 3 else "no-key"
        verb = "still fires" if not gate else "no longer fires"
        fired_at(n, f"Sticky for three messages: an entry {verb} {after} after it fired.", gate, sticky=3)
    for n in (1, 2, 3, 4):
        after = 5 - n
        gate = "cooldown" if after < 3 else ""
        verb = "rests" if gate else "fires again"
        one("timing", f"A cooldown of three messages: an entry {verb} {after} after it fired.",
            entry(1, "well", cooldown=3), gate, *row, firedAt={"1": f"m{n}"})  # fmt: skip
    for n, gate in ((4, ""), (3, "cooldown"), (2, "cooldown"), (1, "")):
        one("timing", f"Sticky for two and then a cooldown of two: {5 - n} after it fired an entry {'rests' if gate else 'fires'}.",
            entry(1, "well", sticky=2, cooldown=2), gate, *row, firedAt={"1": f"m{n}"})  # fmt: skip
    for delay in (4, 5, 6):
        gate = "delay" if delay > 5 else ""
        verb = "waits" if gate else "fires"
        one("timing", f"With a delay of {delay} messages an entry {verb} in a conversation of five.",
            entry(1, "well", delay=delay), gate, *row)  # fmt: skip
    one("timing", "A cooldown says nothing of an entry that never fired.", entry(1, "well", cooldown=9), "", *row)
    one("timing", "An entry that fired at a message of another branch counts as one that never fired.",
        entry(1, "well", cooldown=9), "", *row, firedAt={"1": "elsewhere"})  # fmt: skip
    one("timing", "A sticky entry fires without a draw.", entry(1, "bell", scanDepth=1, sticky=4, probability=1), "", *row,
        firedAt={"1": "m3"})  # fmt: skip


def filters(one: Decide, entry: Callable[..., Json]) -> None:
    for who, gate in (("Morwenna", ""), ("Jory", "character-filter")):
        one("filters", f"An entry for Morwenna, in a conversation with {who}.", entry(1, "bell", only=["Morwenna"]), gate,
            character=who)  # fmt: skip
        other = "" if gate else "character-filter"
        one("filters", f"An entry for all but Morwenna, in a conversation with {who}.",
            entry(1, "bell", **{"except": ["Morwenna"]}), other, character=who)  # fmt: skip
    for trigger, gate in (("normal", "trigger"), ("swipe", "")):
        one("filters", f"An entry for swipes, in a turn that is {trigger}.", entry(1, "bell", triggers=["swipe"]), gate,
            trigger=trigger)  # fmt: skip
