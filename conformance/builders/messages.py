"""Which messages a prompt has: the path, presets and where they go, merging, roles."""

from __future__ import annotations

from typing import Any

from builders.common import Json, Topic, chat, ids, placed, preset

topic = Topic("messages")


def node(id: str, parent: str | None, role: str, words: str, **more: Any) -> Json:
    return {"id": id, "parent": parent, "role": role, "content": words, **more}


TREE = [
    node("root", None, "user", "Where does the ferry land?"),
    node("north", "root", "assistant", "At the north pier."),
    node("south", "root", "assistant", "At the south pier."),
    node("why", "north", "user", "Why there?"),
    node("when", "south", "user", "When is it due?"),
    node("tide", "why", "assistant", "The tide is kinder."),
    node("noon", "when", "assistant", "At noon."),
    node("late", "when", "assistant", "It is late today."),
]
WAYS = {
    "root": "root",
    "north": "root north",
    "south": "root south",
    "why": "root north why",
    "when": "root south when",
    "tide": "root north why tide",
    "noon": "root south when noon",
    "late": "root south when late",
}


def paths() -> None:
    for leaf, way in WAYS.items():
        says = f"The path to {leaf!r} is what leads from the root to it, and no sibling of any of them."
        topic.case("path", says, {"nodes": TREE, "leaf": leaf}, sent=placed(way.split()))
    blank = [node("root", None, "system", ""), node("hi", "root", "user", "Hello.")]
    topic.case("path", "A root without words only holds the tree and is no message.", {"nodes": blank}, sent=[["hi"]])
    spoken = [node("root", None, "system", "Be kind."), node("hi", "root", "user", "Hello.")]
    topic.case("path", "A root with words is a message like any other.", {"nodes": spoken}, sent=[["root"], ["hi"]])
    shuffled = [TREE[5], TREE[3], TREE[1], TREE[0]]
    topic.case(
        "path",
        "The order in which a file lists its messages doesn't matter: parents do.",
        {"nodes": shuffled, "leaf": "tide"},
        sent=placed(["root", "north", "why", "tide"]),
    )


def left_out() -> None:
    row = chat("u: One.", "a: Two.", "u: Three.", "a: Four.", "u: Five.")
    for n in range(5):
        messages = [{**each, "enabled": i != n} for i, each in enumerate(row)]
        rest = [f"m{i}" for i in range(1, 6) if i != n + 1]
        topic.case(
            "left-out",
            f"Message {n + 1} of five is switched off, so it isn't sent, and the others are.",
            {"messages": messages},
            sent=placed(rest),
            dropped={f"m{n + 1}": "disabled"},
        )
    for words, what in (("", "no words"), ("   ", "blanks"), ("\n\t\n", "line breaks and tabs")):
        messages = [row[0], {**row[1], "content": words}, row[2]]
        topic.case(
            "left-out",
            f"A message that has {what} alone isn't sent.",
            {"messages": messages},
            sent=ids("1 3"),
            dropped={"m2": "blank"},
        )
    summary = {"id": "sum", "role": "system", "content": "They counted.", "summarises": ["m1", "m2"]}
    topic.case(
        "left-out",
        "A summary is sent in the place of the messages that it stands for.",
        {"messages": [*row[:2], summary, *row[2:]]},
        sent=placed(["sum", "m3", "m4", "m5"]),
        dropped={"m1": "summarised", "m2": "summarised"},
    )
    topic.case(
        "left-out",
        "A summary that is switched off hides nothing.",
        {"messages": [*row[:2], {**summary, "enabled": False}, *row[2:]]},
        sent=ids("1 2 3 4 5"),
        dropped={"sum": "disabled"},
    )
    for model, fits in (("tern-large", True), ("gull-small", False)):
        messages = [row[0], {**row[1], "models": ["^tern"]}, row[2]]
        kept = "it is sent" if fits else "it isn't sent"
        topic.case(
            "left-out",
            f"A message for models that begin with tern: to {model} {kept}.",
            {"messages": messages, "model": model},
            sent=ids("1 2 3" if fits else "1 3"),
        )
        messages = [row[0], {**row[1], "notModels": ["^tern"]}, row[2]]
        kept = "isn't sent" if fits else "is sent"
        topic.case(
            "left-out",
            f"A message for all models but those that begin with tern {kept} to {model}.",
            {"messages": messages, "model": model},
            sent=ids("1 3" if fits else "1 2 3"),
        )


def skeleton() -> None:
    row = chat("u: Good evening.", "a: Good evening to you.")
    top, end = preset("top", "You keep the ferry's log."), preset("end", "Answer in one line.")
    marker = preset("here", "", marks="chat_history")
    topic.case("skeleton", "A preset without a place stands before the history.", {"messages": row, "presets": [top]},
               sent=placed(["top", "m1", "m2"]))  # fmt: skip
    topic.case("skeleton", "Presets without a place keep their order.", {"messages": row, "presets": [top, end]},
               sent=placed(["top", "end", "m1", "m2"]))  # fmt: skip
    topic.case("skeleton", "The marker of the history says where it goes among the presets.",
               {"messages": row, "presets": [top, marker, end]}, sent=placed(["top", "m1", "m2", "end"]))  # fmt: skip
    topic.case("skeleton", "A marker before all presets puts the history first.",
               {"messages": row, "presets": [marker, top, end]}, sent=placed(["m1", "m2", "top", "end"]))  # fmt: skip
    topic.case("skeleton", "The history is sent once, at the first of two markers.",
               {"messages": row, "presets": [marker, top, {**marker}]}, sent=placed(["m1", "m2", "top"]))  # fmt: skip
    topic.case("skeleton", "A preset that is switched off isn't sent.",
               {"messages": row, "presets": [{**top, "enabled": False}, end]}, sent=placed(["end", "m1", "m2"]))  # fmt: skip
    topic.case("skeleton", "Without presets the history alone is sent.", {"messages": row, "presets": []},
               sent=placed(["m1", "m2"]))  # fmt: skip
    for role in ("system", "user", "assistant"):
        said = {"role": role, "content": "You keep the ferry's log."}
        history = [{"role": each["role"], "content": each["content"]} for each in row]
        topic.case("skeleton", f"A preset goes under its own role, here {role}.",
                   {"messages": row, "presets": [{**top, "role": role}]}, messages=[said, *history])  # fmt: skip


def depths() -> None:
    """Before how many of the newest messages a preset of a depth stands: so many as the depth says, at most all."""
    lines = ("u: One.", "a: Two.", "u: Three.", "a: Four.")
    for length in (1, 2, 4):
        row = chat(*lines[:length])
        names = [each["id"] for each in row]
        for depth in range(length + 2):
            at = length - depth if depth < length else 0
            where = "after the newest" if depth == 0 else f"before the newest {depth}" if depth < length else "first"
            note = preset("note", "It rains.", place={"depth": depth})
            topic.case(
                "depth",
                f"At depth {depth} in a history of {length} a preset stands {where}.",
                {"messages": row, "presets": [note]},
                sent=placed([*names[:at], "note", *names[at:]]),
            )


CYCLES = [
    ("2", 5, [2]),
    ("1, 3", 5, [1, 3]),
    ("3, 1", 5, [1, 3]),
    ("0", 3, [0]),
    ("1~2", 5, [1, 3, 5]),
    ("2~2", 6, [2, 4, 6]),
    ("0~3", 6, [0, 3, 6]),
    ("3~5", 4, [3]),
    ("2~0", 4, [2]),
    ("1, 2~2", 4, [1, 2, 4]),
    ("2, 2", 4, [2]),
    ("4", 4, [4]),
    ("1，3", 4, [1, 3]),
    ("1～2", 4, [1, 3]),
    ("9, 1", 4, [1]),
]


def several_depths() -> None:
    lines = ("u: One.", "a: Two.", "u: Three.", "a: Four.", "u: Five.", "a: Six.")
    for config, length, found in CYCLES:
        row = chat(*lines[:length])
        sent: list[str] = []
        for i in range(length + 1):
            sent += ["note"] if length - i in found else []
            sent += [f"m{i + 1}"] if i < length else []
        shown = ", ".join(map(str, found))
        topic.case(
            "depths",
            f"The depths {config!r} in a history of {length} are {shown}, each once.",
            {"messages": row, "presets": [preset("note", "It rains.", place={"depths": config})]},
            sent=placed(sent),
        )
    topic.case(
        "depths",
        "A preset whose every depth lies beyond the history isn't sent.",
        {"messages": chat("u: One."), "presets": [preset("note", "It rains.", place={"depths": "7"})]},
        sent=ids("1"),
        dropped={"note": "no-place"},
    )


def same_place() -> None:
    row = chat("u: One.", "a: Two.", "u: Three.")

    def note(name: str, order: float | None, **place: Any) -> Json:
        held = place if order is None else {**place, "order": order}
        return preset(name, f"Note {name}.", place=held)

    for first, second, expected in ((1, 2, "a b"), (2, 1, "b a"), (5, 5, "a b"), (-1, 0, "a b"), (100, None, "a b")):
        a, b = note("a", first, depth=1), note("b", second, depth=1)
        shown = "100, which is the order of one that says none," if second is None else str(second)
        topic.case(
            "same-place",
            f"Of two presets at one depth with orders {first} and {shown} {expected[0]} stands first.",
            {"messages": row, "presets": [a, b]},
            sent=placed(["m1", "m2", *expected.split(), "m3"]),
        )
    topic.case(
        "same-place",
        "A preset of a greater depth stands before one of a smaller depth, whatever their orders.",
        {"messages": row, "presets": [note("a", 1, depth=0), note("b", 99, depth=2)]},
        sent=placed(["m1", "b", "m2", "m3", "a"]),
    )
    topic.case(
        "same-place",
        "Two presets deeper than the history stand at its head, the deeper one first.",
        {"messages": row, "presets": [note("a", None, depth=5), note("b", None, depth=9)]},
        sent=placed(["b", "a", "m1", "m2", "m3"]),
    )
    topic.case(
        "same-place",
        "Presets at three depths each stand at their own place of the history as it was.",
        {"messages": row, "presets": [note("a", None, depth=1), note("b", None, depth=2), note("c", None, depth=0)]},
        sent=placed(["m1", "b", "m2", "a", "m3", "c"]),
    )


def anchors() -> None:
    row = chat("u: One.", "a: Two.")
    marker = preset("here", "", marks="chat_history")
    profile = preset("who", "The user mends nets.", marks="user_profile")
    top = preset("top", "Keep the log.")

    def by(name: str, anchor: str, side: str, order: float = 100) -> Json:
        return preset(name, f"Beside {name}.", place={"anchor": anchor, "side": side, "order": order})

    history = "chat_history"
    before, after = by("x", history, "before"), by("y", history, "after")
    topic.case("anchor", "A preset before the history stands between the others and the history.",
               {"messages": row, "presets": [top, before]}, sent=placed(["top", "x", "m1", "m2"]))  # fmt: skip
    topic.case("anchor", "A preset after the history stands behind its newest message.",
               {"messages": row, "presets": [top, after]}, sent=placed(["top", "m1", "m2", "y"]))  # fmt: skip
    topic.case("anchor", "What is beside the history goes with its marker.",
               {"messages": row, "presets": [marker, top, before, after]},
               sent=placed(["x", "m1", "m2", "y", "top"]))  # fmt: skip
    topic.case("anchor", "A preset after the history stands behind one at depth 0.",
               {"messages": row, "presets": [after, preset("d", "Now.", place={"depth": 0})]},
               sent=placed(["m1", "m2", "d", "y"]))  # fmt: skip
    topic.case("anchor", "Of two presets before one anchor the smaller order stands first.",
               {"messages": row, "presets": [by("x", history, "before", 9), by("z", history, "before", 3)]},
               sent=placed(["z", "x", "m1", "m2"]))  # fmt: skip
    topic.case("anchor", "Of two presets after one anchor the smaller order stands first.",
               {"messages": row, "presets": [by("x", history, "after", 9), by("z", history, "after", 3)]},
               sent=placed(["m1", "m2", "z", "x"]))  # fmt: skip
    topic.case("anchor", "A placeholder's own words are sent at its place.",
               {"messages": row, "presets": [top, profile]}, sent=placed(["top", "who", "m1", "m2"]))  # fmt: skip
    topic.case("anchor", "Presets can stand around a placeholder of another anchor.",
               {"messages": row, "presets": [profile, top, by("x", "user_profile", "before"),
                                             by("y", "user_profile", "after")]},
               sent=placed(["x", "who", "y", "top", "m1", "m2"]))  # fmt: skip
    topic.case("anchor", "A preset of an anchor that isn't known stands just before the history.",
               {"messages": row, "presets": [by("x", "lantern", "after"), top]},
               sent=placed(["top", "x", "m1", "m2"]))  # fmt: skip
    topic.case("anchor", "A preset of an anchor without a placeholder stands just before the history.",
               {"messages": row, "presets": [by("x", "user_profile", "after"), top]},
               sent=placed(["top", "x", "m1", "m2"]))  # fmt: skip


def build() -> Topic:
    from builders import merging

    paths()
    left_out()
    skeleton()
    depths()
    several_depths()
    same_place()
    anchors()
    merging.build(topic)
    return topic
