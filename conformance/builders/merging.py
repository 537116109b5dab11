"""Merging and roles: what is joined, what stays apart, what a vendor's order of roles asks for."""

from __future__ import annotations

from typing import Any

from builders.common import Json, Topic, chat, placed, preset

CALL = {"id": "c1", "name": "tide_table", "arguments": '{"port":"Oban"}'}


def said(*lines: str) -> list[Json]:
    return [{"role": each["role"], "content": each["content"]} for each in chat(*lines)]


def asks(id: str, words: str = "", *calls: Json) -> Json:
    return {"id": id, "role": "assistant", "content": words, "calls": list(calls) or [CALL]}


def answers(id: str, words: str, call: str = "c1") -> Json:
    return {"id": id, "role": "tool", "content": words, "answers": call}


def build(topic: Topic) -> None:
    system_messages(topic)
    neighbours(topic)
    roles(topic)
    gate(topic)


def system_messages(topic: Topic) -> None:
    merged: dict[str, Any] = {"steps": ["merge-system"], "separator": "\n\n"}
    cases = [
        ("Two system messages at the head become one, with the separator between them.",
         ["s: Be kind.", "s: Be brief.", "u: Hello."], ["s: Be kind.\n\nBe brief.", "u: Hello."]),
        ("Three system messages at the head become one.",
         ["s: One.", "s: Two.", "s: Three.", "u: Hi."], ["s: One.\n\nTwo.\n\nThree.", "u: Hi."]),
        ("One system message alone stays as it is.", ["s: Be kind.", "u: Hi."], ["s: Be kind.", "u: Hi."]),
        ("A system message inside the history isn't joined with those at the head.",
         ["s: One.", "s: Two.", "u: Hi.", "s: Three."], ["s: One.\n\nTwo.", "u: Hi.", "s: Three."]),
        ("Two system messages inside the history stay two.",
         ["u: Hi.", "s: One.", "s: Two.", "u: So?"], ["u: Hi.", "s: One.", "s: Two.", "u: So?"]),
    ]  # fmt: skip
    for says, lines, expected in cases:
        topic.case("merge-system", says, {"messages": chat(*lines), **merged}, messages=said(*expected))
    topic.case(
        "merge-system",
        "Without the step two system messages stay two.",
        {"messages": chat("s: One.", "s: Two.", "u: Hi.")},
        messages=said("s: One.", "s: Two.", "u: Hi."),
    )
    for separator in ("\n", " / ", ""):
        topic.case(
            "merge-system",
            f"The separator {separator!r} is put between joined system messages.",
            {"messages": chat("s: One.", "s: Two.", "u: Hi."), "steps": ["merge-system"], "separator": separator},
            messages=[{"role": "system", "content": f"One.{separator}Two."}, {"role": "user", "content": "Hi."}],
        )
    topic.case(
        "merge-system",
        "Presets at the head are joined like any system messages, and the answer names both.",
        {"messages": chat("u: Hi."), "presets": [preset("a", "One."), preset("b", "Two.")], **merged},
        sent=placed(["a+b", "m1"]),
    )
    hoist: dict[str, Any] = {"steps": ["hoist-system"], "separator": "\n\n"}
    for says, lines, expected in [
        ("Hoisting moves a system message from inside the history to the head.",
         ["u: Hi.", "s: One.", "a: Yes."], ["s: One.", "u: Hi.", "a: Yes."]),
        ("Hoisting joins all system messages in their order.",
         ["s: One.", "u: Hi.", "s: Two.", "a: Yes.", "s: Three."], ["s: One.\n\nTwo.\n\nThree.", "u: Hi.", "a: Yes."]),
        ("Hoisting leaves a conversation without system messages alone.", ["u: Hi.", "a: Yes."], ["u: Hi.", "a: Yes."]),
    ]:  # fmt: skip
        topic.case("hoist", says, {"messages": chat(*lines), **hoist}, messages=said(*expected))


def neighbours(topic: Topic) -> None:
    step: dict[str, Any] = {"steps": ["merge-neighbours"], "separator": "\n\n"}
    for says, lines, expected in [
        ("Two messages of the user in a row become one.", ["u: One.", "u: Two.", "a: Yes."], ["u: One.\n\nTwo.", "a: Yes."]),
        ("Two messages of the assistant in a row become one.", ["u: Hi.", "a: One.", "a: Two."], ["u: Hi.", "a: One.\n\nTwo."]),
        ("Two system messages in a row become one, wherever they stand.",
         ["u: Hi.", "s: One.", "s: Two."], ["u: Hi.", "s: One.\n\nTwo."]),
        ("Three in a row become one.", ["u: 1", "u: 2", "u: 3"], ["u: 1\n\n2\n\n3"]),
        ("Messages that alternate stay as they are.", ["u: 1", "a: 2", "u: 3"], ["u: 1", "a: 2", "u: 3"]),
        ("Messages of one role with another between them aren't joined.",
         ["u: 1", "s: 2", "u: 3"], ["u: 1", "s: 2", "u: 3"]),
        ("Chinese texts are joined like any others.", ["u: 早上好。", "u: 船到了吗？"], ["u: 早上好。\n\n船到了吗？"]),
    ]:  # fmt: skip
        topic.case("merge-neighbours", says, {"messages": chat(*lines), **step}, messages=said(*expected))
    row = chat("u: One.", "u: Two.", "u: Three.")
    named = [{**row[0], "name": "Ann"}, {**row[1], "name": "Ann"}, {**row[2], "name": "Ben"}]
    topic.case("merge-neighbours", "Only messages of one speaker are joined.", {"messages": named, **step},
               sent=placed(["m1+m2", "m3"]))  # fmt: skip
    both = [*chat("u: When?"), asks("m2"), asks("m3", "", {**CALL, "id": "c2"}), answers("m4", "6", "c1"),
            answers("m5", "7", "c2")]  # fmt: skip
    topic.case("merge-neighbours", "A message with calls isn't joined with one behind it.",
               {"messages": both, **step}, sent=placed(["m1", "m2", "m3", "m4", "m5"]))  # fmt: skip
    topic.case("merge-neighbours", "Results of calls aren't joined.",
               {"messages": [*chat("u: When?"), asks("m2", "", CALL, {**CALL, "id": "c2"}), answers("m3", "6"),
                             answers("m4", "7", "c2")], **step},
               sent=placed(["m1", "m2", "m3", "m4"]))  # fmt: skip
    topic.case("merge-neighbours", "Words before a call are joined with it, and its calls stay.",
               {"messages": [*chat("u: When?", "a: Let me see."), asks("m3", "One moment."), answers("m4", "6")], **step},
               sent=placed(["m1", "m2+m3", "m4"]))  # fmt: skip
    topic.case("merge-neighbours", "A preset at a depth is joined with a neighbour of its role.",
               {"messages": chat("u: Hi.", "a: Yes."), "presets": [preset("n", "Ahem.", "user", place={"depth": 1})],
                **step}, sent=placed(["m1+n", "m2"]))  # fmt: skip


def roles(topic: Topic) -> None:
    for says, lines, expected in [
        ("A system message goes under the user's role.", ["s: Be kind.", "u: Hi."], ["u: Be kind.", "u: Hi."]),
        ("Each system message goes under the user's role, wherever it stands.",
         ["s: One.", "u: Hi.", "s: Two.", "a: Yes."], ["u: One.", "u: Hi.", "u: Two.", "a: Yes."]),
        ("Other roles stay.", ["u: Hi.", "a: Yes."], ["u: Hi.", "a: Yes."]),
    ]:  # fmt: skip
        topic.case("system-as-user", says, {"messages": chat(*lines), "steps": ["system-as-user"]},
                   messages=said(*expected))  # fmt: skip
    step: dict[str, Any] = {"steps": ["alternate"], "placeholders": {"user": "Go on.", "assistant": "Noted."}}
    for says, lines, expected in [
        ("Between two messages of the user an assistant's placeholder is put.",
         ["u: 1", "u: 2"], ["u: 1", "a: Noted.", "u: 2"]),
        ("Between two messages of the assistant a user's placeholder is put.",
         ["u: 1", "a: 2", "a: 3"], ["u: 1", "a: 2", "u: Go on.", "a: 3"]),
        ("Between three of one role two placeholders are put.",
         ["u: 1", "u: 2", "u: 3"], ["u: 1", "a: Noted.", "u: 2", "a: Noted.", "u: 3"]),
        ("Between two system messages nothing is put.", ["s: 1", "s: 2", "u: 3"], ["s: 1", "s: 2", "u: 3"]),
        ("A system message between two of the user is between them enough.", ["u: 1", "s: 2", "u: 3"], ["u: 1", "s: 2", "u: 3"]),
        ("Messages that alternate get no placeholder.", ["u: 1", "a: 2", "u: 3"], ["u: 1", "a: 2", "u: 3"]),
        ("A conversation that begins with the assistant gets nothing before it.", ["a: 1", "u: 2"], ["a: 1", "u: 2"]),
    ]:  # fmt: skip
        topic.case("alternate", says, {"messages": chat(*lines), **step}, messages=said(*expected))
    topic.case("alternate", "Merging comes first, so that neighbours of one role need no placeholder.",
               {"messages": chat("u: 1", "u: 2", "a: 3"), "steps": ["merge-neighbours", "alternate"],
                "separator": "\n\n"},
               messages=said("u: 1\n\n2", "a: 3"))  # fmt: skip
    topic.case("alternate", "System messages become the user's before roles are made to alternate.",
               {"messages": chat("s: 1", "u: 2"), "steps": ["system-as-user", "alternate"],
                "placeholders": {"user": "Go on.", "assistant": "Noted."}},
               messages=said("u: 1", "a: Noted.", "u: 2"))  # fmt: skip


def gate(topic: Topic) -> None:
    step = {"steps": ["gate"]}
    row = chat("u: When is high water?")
    end = {"id": "m9", "role": "user", "content": "Thanks."}
    topic.case("gate", "A result right behind its call stays.", {"messages": [*row, asks("m2"), answers("m3", "6"), end], **step},
               sent=placed(["m1", "m2", "m3", "m9"]), dropped={})  # fmt: skip
    topic.case("gate", "A result without its call isn't sent.", {"messages": [*row, answers("m3", "6", "c7"), end], **step},
               sent=placed(["m1", "m9"]), dropped={"m3": "orphan-result"})  # fmt: skip
    topic.case("gate", "A call without its result isn't sent, and neither is a message that is nothing else.",
               {"messages": [*row, asks("m2"), end], **step},
               sent=placed(["m1", "m9"]), dropped={"m2": "unanswered-call"})  # fmt: skip
    topic.case("gate", "A message with words stays when its call has no result, without the call.",
               {"messages": [*row, asks("m2", "Let me see."), end], **step},
               messages=[*said("u: When is high water?", "a: Let me see.", "u: Thanks.")])  # fmt: skip
    topic.case("gate", "Of two calls the one with a result stays.",
               {"messages": [*row, asks("m2", "", CALL, {**CALL, "id": "c2"}), answers("m3", "7", "c2"), end], **step},
               messages=[*said("u: When is high water?"),
                         {"role": "assistant", "content": "", "calls": [{**CALL, "id": "c2"}]},
                         {"role": "tool", "content": "7", "answers": "c2"}, *said("u: Thanks.")])  # fmt: skip
    topic.case("gate", "Results stand behind their call in the order of the calls.",
               {"messages": [*row, asks("m2", "", CALL, {**CALL, "id": "c2"}), answers("m3", "7", "c2"),
                             answers("m4", "6", "c1"), end], **step},
               sent=placed(["m1", "m2", "m4", "m3", "m9"]))  # fmt: skip
    topic.case("gate", "What stands between a call and its result comes after the result.",
               {"messages": [*row, asks("m2"), {"id": "m3", "role": "user", "content": "Hurry."}, answers("m4", "6")],
                **step}, sent=placed(["m1", "m2", "m4", "m3"]))  # fmt: skip
    topic.case("gate", "A system preset behind a user's preset goes in front of it, before the history.",
               {"messages": row, "presets": [preset("a", "One.", "user"), preset("b", "Two.")], **step},
               sent=placed(["b", "a", "m1"]))  # fmt: skip
    topic.case("gate", "A system preset at a depth stays at its depth.",
               {"messages": chat("u: 1", "a: 2"), "presets": [preset("b", "Two.", place={"depth": 1})], **step},
               sent=placed(["m1", "b", "m2"]))  # fmt: skip
    topic.case("gate", "A conversation whose every message was left out is refused.",
               {"messages": [{**row[0], "enabled": False}], **step}, error="nothing-to-send")  # fmt: skip
    topic.case("gate", "The message of an assistant without words, calls and files isn't sent.",
               {"messages": [*row, {"id": "m2", "role": "assistant", "content": ""}, end], **step},
               sent=placed(["m1", "m9"]))  # fmt: skip
