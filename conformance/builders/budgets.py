"""What a prompt costs by the counter that a case declares."""

from __future__ import annotations

from builders.common import Json, Topic, chat, preset

topic = Topic("budgets")


def build() -> Topic:
    row = chat("u: Where is the ferry now?", "a: Behind the island.", "u: And the tide?")
    words = 5 + 3 + 3
    characters = len("Where is the ferry now?") + len("Behind the island.") + len("And the tide?")

    def counts(says: str, tokens: int, unit: str = "words", each: int = 0, request: int = 0, **more: object) -> None:
        given: Json = {"messages": row, "counter": {"unit": unit, "perMessage": each, "perRequest": request}, **more}
        topic.case("count", says, given, tokens=tokens)

    counts("A prompt costs the words of its messages.", words)
    counts("A prompt costs the characters of its messages, blanks and signs too.", characters, "characters")
    for each in (1, 4):
        counts(f"Each of three messages costs {each} besides.", words + 3 * each, each=each)
    for request in (1, 3):
        counts(f"A request costs {request} once, however many messages it has.", words + request, request=request)
    counts("Tokens a message and those of the request add up.", words + 3 * 2 + 5, each=2, request=5)
    counts("A preset costs its words.", words + 3, presets=[preset("p", "Keep the log.")])
    counts("A preset that is switched off costs nothing.", words, presets=[preset("p", "Keep the log.", enabled=False)])
    counts(
        "A preset at two depths costs twice.", words + 4, presets=[preset("p", "It rains.", place={"depths": "0, 2"})]
    )
    counts(
        "Lore that fires costs its words.", words + 2, entries=[{"uid": 1, "keys": ["tide"], "content": "Spring tide."}]
    )
    counts(
        "Lore that doesn't fire costs nothing.", words, entries=[{"uid": 1, "keys": ["kelp"], "content": "Green kelp."}]
    )
    calls = [{"id": "c1", "name": "tide_table", "arguments": '{"port": "Oban"}'}]
    asked = [row[0], {"id": "m2", "role": "assistant", "content": "", "calls": calls},
             {"id": "m3", "role": "tool", "content": "six and noon", "answers": "c1"}]  # fmt: skip
    topic.case("count", "A call costs its tool's name and its arguments, a result its words.",
               {"messages": asked}, tokens=5 + 1 + 2 + 3)  # fmt: skip
    topic.case("count", "A call costs the characters of its tool's name and of its arguments.",
               {"messages": asked, "counter": {"unit": "characters"}},
               tokens=len("Where is the ferry now?") + len("tide_table") + len('{"port": "Oban"}') + len("six and noon"))  # fmt: skip
    topic.case("count", "A Chinese text without blanks is one word.", {"messages": chat("u: 船到了吗")}, tokens=1)
    topic.case("count", "A Chinese text has as many characters as people count.",
               {"messages": chat("u: 船到了吗"), "counter": {"unit": "characters"}}, tokens=4)  # fmt: skip
    topic.case("count", "Merging two messages adds the separator's characters and saves one message's tokens.",
               {"messages": chat("u: ab", "u: cd"), "steps": ["merge-neighbours"], "separator": "--",
                "counter": {"unit": "characters", "perMessage": 3}}, tokens=2 + 2 + 2 + 3)  # fmt: skip
    topic.case("count", "What was cut costs nothing: the prompt is counted as it is sent.",
               {"messages": row, "budget": 7}, tokens=6)  # fmt: skip
    for budget, left in ((11, 0), (12, 1), (20, 9)):
        topic.case("count", f"Of a budget of {budget} a prompt of 11 words leaves {left}.",
                   {"messages": row, "budget": budget}, tokens=budget - left)  # fmt: skip
    return topic
