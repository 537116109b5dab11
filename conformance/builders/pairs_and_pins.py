"""Cuts around what belongs together: calls with their results, presets, summaries, heads of long messages."""

from __future__ import annotations

from typing import Any

from builders.common import Json, Topic, chat, gone, ids, placed, preset, sized


def ask(id: str, *calls: str, words: str = "") -> Json:
    made = [{"id": call, "name": "look", "arguments": ""} for call in calls]
    return {"id": id, "role": "assistant", "content": words, "calls": made}


def result(id: str, call: str, size: int) -> Json:
    return {"id": id, "role": "tool", "content": " ".join(["found"] * size), "answers": call}


def user(id: str, size: int) -> Json:
    return {"id": id, "role": "user", "content": " ".join(["say"] * size)}


def build(topic: Topic) -> None:
    pairs(topic)
    pins(topic)
    heads(topic)
    too_small(topic)


def pairs(topic: Topic) -> None:
    """A call has one word, its tool's name."""
    row = [user("m1", 1), ask("m2", "c1"), result("m3", "c1", 3), user("m4", 1)]
    for budget, sent, out in ((6, "1 2 3 4", ""), (5, "2 3 4", "1"), (4, "4", "1 2 3"), (2, "4", "1 2 3")):
        topic.case("pairs", f"A call and its result stay or go together: a budget of {budget} keeps {sent}.",
                   {"messages": row, "budget": budget}, sent=ids(sent), dropped=gone(out))  # fmt: skip
    two = [user("m1", 1), ask("m2", "c1", "c2"), result("m3", "c1", 2), result("m4", "c2", 2), user("m5", 1)]
    for budget, sent, out in ((8, "1 2 3 4 5", ""), (7, "2 3 4 5", "1"), (6, "5", "1 2 3 4")):
        topic.case("pairs", f"Two calls of a message and both results are one unit: a budget of {budget} keeps {sent}.",
                   {"messages": two, "budget": budget}, sent=ids(sent), dropped=gone(out))  # fmt: skip
    newest = [user("m1", 1), user("m2", 1), ask("m3", "c1"), result("m4", "c1", 2)]
    topic.case("pairs", "The newest call with its result stays with the newest message of the user.",
               {"messages": newest, "budget": 4}, sent=ids("2 3 4"), dropped=gone("1"))  # fmt: skip
    orphan = [user("m1", 1), result("m2", "c9", 1), user("m3", 1)]
    topic.case("pairs", "A result that no call asks for goes, though there is room.",
               {"messages": orphan, "budget": 50}, sent=ids("1 3"), dropped=gone("2", "orphan-result"))  # fmt: skip
    mute = [user("m1", 1), ask("m2", "c1"), user("m3", 1)]
    topic.case("pairs", "A call that nothing answers goes, though there is room.",
               {"messages": mute, "budget": 50}, sent=ids("1 3"), dropped=gone("2", "unanswered-call"))  # fmt: skip
    spoken = [user("m1", 1), ask("m2", "c1", words="Let me see."), user("m3", 1)]
    topic.case("pairs", "Of a message with words an unanswered call is taken off, and the words stay.",
               {"messages": spoken, "budget": 50},
               messages=[{"role": "user", "content": "say"}, {"role": "assistant", "content": "Let me see."},
                         {"role": "user", "content": "say"}])  # fmt: skip
    topic.case("pairs", "Without a budget pairs are made whole as well.", {"messages": orphan}, sent=ids("1 3"),
               dropped=gone("2", "orphan-result"))  # fmt: skip
    early = [user("m1", 1), result("m2", "c1", 1), ask("m3", "c1"), result("m4", "c1", 1), user("m5", 1)]
    topic.case("pairs", "A result before its call answers nothing.", {"messages": early, "budget": 50},
               sent=ids("1 3 4 5"), dropped=gone("2", "orphan-result"))  # fmt: skip
    twice = [
        user("m1", 1),
        ask("m2", "c1"),
        result("m3", "c1", 1),
        ask("m4", "c1"),
        result("m5", "c1", 1),
        user("m6", 1),
    ]
    for budget, sent, out in ((6, "1 2 3 4 5 6", ""), (5, "2 3 4 5 6", "1"), (4, "4 5 6", "1 2 3")):
        topic.case("pairs", f"Each call takes the result behind it, where ids are used twice: {budget} keep {sent}.",
                   {"messages": twice, "budget": budget}, sent=ids(sent), dropped=gone(out))  # fmt: skip
    for strategy, sent, out in (("head-and-tail", "4", "1 2 3"), ("middle-out", "4", "1 2 3"),
                                ("by-priority", "4", "1 2 3"), ("whole-exchanges", "4", "1 2 3")):  # fmt: skip
        topic.case("pairs", f"By {strategy} too a call and its result go together.",
                   {"messages": row, "budget": 4, "strategy": strategy, "headShare": 0},
                   sent=ids(sent), dropped=gone(out))  # fmt: skip


def pins(topic: Topic) -> None:
    row = sized("u2 a2 u2")
    note = preset("note", "Three more words.", place={"depth": 2})
    for budget, sent, out in ((9, ["m1", "note", "m2", "m3"], ""), (8, ["note", "m2", "m3"], "1"), (6, ["note", "m3"], "1 2"),
                              (5, ["note", "m3"], "1 2")):  # fmt: skip
        topic.case("pins", f"A preset of three words inside the history is never cut: a budget of {budget}.",
                   {"messages": row, "presets": [note], "budget": budget}, sent=placed(sent), dropped=gone(out))  # fmt: skip
    head = preset("head", "One two.")
    topic.case("pins", "A preset before the history is never cut, and takes its room.",
               {"messages": row, "presets": [head], "budget": 6}, sent=placed(["head", "m2", "m3"]), dropped=gone("1"))  # fmt: skip
    summary: Json = {"id": "sum", "role": "system", "content": "They met.", "summarises": ["m1"]}
    topic.case("pins", "A summary is never cut, though it is the oldest.",
               {"messages": [row[0], summary, *row[1:]], "budget": 4}, sent=placed(["sum", "m3"]),
               dropped={"m1": "summarised", "m2": "no-room"})  # fmt: skip
    topic.case("pins", "What is switched off takes no room.",
               {"messages": [row[0], {**row[1], "enabled": False}, row[2]], "budget": 4}, sent=ids("1 3"),
               dropped={"m2": "disabled"})  # fmt: skip
    topic.case("pins", "Lore that fired is never cut, and takes its room.",
               {"messages": row, "budget": 5, "entries": [{"uid": 1, "constant": True, "content": "One two three."}]},
               sent=placed(["1", "m3"]), dropped=gone("1 2"))  # fmt: skip
    system = [{**row[0], "role": "system"}, *row[1:]]
    topic.case("pins", "A system message of the history is cut like any other.", {"messages": system, "budget": 4},
               sent=ids("2 3"), dropped=gone("1"))  # fmt: skip
    for strategy in ("sliding", "head-and-tail", "whole-exchanges", "by-priority", "middle-out", "block"):
        topic.case("pins", f"By {strategy} the newest message of the user stays when nothing else fits.",
                   {"messages": row, "budget": 2, "strategy": strategy}, sent=ids("3"), dropped=gone("1 2"))  # fmt: skip


def heads(topic: Topic) -> None:
    """Characters are tokens here; the marker is one character."""
    base: dict[str, Any] = {"counter": {"unit": "characters"}, "marker": "…"}
    row = chat("u: abcdefgh", "a: ijklmnop", "u: qrst")

    def short(says: str, budget: int, keep: int, texts: list[str], cut: str, out: str = "", **more: Any) -> None:
        given = {"messages": row, "budget": budget, "keepCharacters": keep, **base, **more}
        sent = [each for each in ("m1", "m2", "m3") if each not in out.split()]
        roles = {"m1": "user", "m2": "assistant", "m3": "user"}
        messages = [{"role": roles[each], "content": text} for each, text in zip(sent, texts, strict=True)]
        topic.case("heads", says, given, messages=messages, shortened=cut.split(),
                   dropped=dict.fromkeys(out.split(), "no-room"))  # fmt: skip

    short("The message at the border stays with its first three characters and the marker.", 16, 3,
          ["abc…", "ijklmnop", "qrst"], "m1")  # fmt: skip
    short("Where everything fits nothing is shortened.", 20, 3, ["abcdefgh", "ijklmnop", "qrst"], "")
    short("What is older than a shortened message goes.", 8, 3, ["ijk…", "qrst"], "m2", "m1")
    short("Where the head doesn't fit either the message goes.", 7, 3, ["qrst"], "", "m1 m2")
    short("With 0 characters no head stays.", 16, 0, ["ijklmnop", "qrst"], "", "m1")
    short("Of every older message the head may stay.", 11, 2, ["ab…", "ij…", "qrst"], "m1 m2", retain="each")
    short("Heads stay from the newest back while they fit.", 11, 3, ["ijk…", "qrst"], "m2", "m1", retain="each")
    short(
        "A head that with its marker would be no shorter is the whole message.", 19, 7, ["ijklmnop", "qrst"], "", "m1"
    )
    short("A head takes as many characters as it may.", 19, 6, ["abcdef…", "ijklmnop", "qrst"], "m1")
    short("The marker may be empty.", 15, 3, ["abc", "ijklmnop", "qrst"], "m1", marker="")
    short("The marker may be words, which count.", 19, 2, ["ijklmnop", "qrst"], "", "m1", marker=" [cut]")


def too_small(topic: Topic) -> None:
    row = sized("u2 a2 u4")
    topic.case("too-small", "A budget below the newest message of the user is refused, with the least that would do.",
               {"messages": row, "budget": 3}, error="budget-too-small", least=4)  # fmt: skip
    topic.case("too-small", "A budget of just the newest message of the user is enough.", {"messages": row, "budget": 4},
               sent=ids("3"))  # fmt: skip
    topic.case("too-small", "Presets count into the least budget.",
               {"messages": row, "budget": 5, "presets": [preset("p", "one two")]}, error="budget-too-small", least=6)  # fmt: skip
    topic.case("too-small", "The newest message counts into the least budget beside the newest of the user.",
               {"messages": sized("u1 a5"), "budget": 5}, error="budget-too-small", least=6)  # fmt: skip
    topic.case("too-small", "Tokens of each message count into the least budget.",
               {"messages": row, "budget": 5, "counter": {"unit": "words", "perMessage": 2}},
               error="budget-too-small", least=6)  # fmt: skip
    topic.case("too-small", "Tokens of the request count into the least budget.",
               {"messages": row, "budget": 5, "counter": {"unit": "words", "perRequest": 3}},
               error="budget-too-small", least=7)  # fmt: skip
