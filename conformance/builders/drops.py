"""What is cut to fit a budget, by each strategy; pairs of calls and results, what is pinned, heads that stay.

Counters are declared: a word or a character is a token. `u2 a3` are messages of two and three words.
"""

from __future__ import annotations

from typing import Any

from builders.common import Json, Topic, gone, ids, sized

topic = Topic("drops")


def cut(family: str, says: str, pattern: str, budget: int, kept: str, **more: Any) -> None:
    """A case: of the messages of a pattern those of these numbers are kept, and the others have no room."""
    messages = sized(pattern)
    out = " ".join(str(n) for n in range(1, len(messages) + 1) if str(n) not in kept.split())
    given: Json = {"messages": messages, "budget": budget, **more}
    topic.case(family, says, given, sent=ids(kept), dropped=gone(out))


def sliding() -> None:
    """The newest user message always stays; with the rest of the budget the newest others, up to the first too long."""
    patterns = {
        "u2 a3 u2 a3 u2": range(2, 14),
        "u1 a1 u9 a1 u1": range(1, 15, 2),
        "u4 a1 u1 a6 u2": range(2, 15, 2),
    }
    for pattern, budgets in patterns.items():
        sizes = [int(each[1:]) for each in pattern.split()]
        for budget in budgets:
            first, room = len(sizes) - 1, budget - sizes[-1]
            while first and sizes[first - 1] <= room:
                first -= 1
                room -= sizes[first]
            kept = " ".join(str(n + 1) for n in range(first, len(sizes)))
            says = f"Sliding keeps the newest that fit into {budget} words of {' '.join(map(str, sizes))}."
            cut("sliding", says, pattern, budget, kept)
    cut("sliding", "The newest message and the newest of the user both stay, whatever stands between them.",
        "u1 a5 u2 a5 a1", 4, "3 5")  # fmt: skip
    cut("sliding", "A message that doesn't fit is the border: older ones go though they would fit.",
        "u1 a9 u1", 5, "3")  # fmt: skip
    cut("sliding", "A budget of just what all messages need cuts nothing.", "u3 a4 u5", 12, "1 2 3")
    cut("sliding", "One token less than all messages need cuts the oldest.", "u3 a4 u5", 11, "2 3")
    topic.case("sliding", "Without a budget and a window nothing is cut.", {"messages": sized("u90 a90 u90")},
               sent=ids("1 2 3"), dropped={})  # fmt: skip
    for window, reserve, kept in ((12, 0, "1 2 3"), (12, 1, "2 3"), (12, 4, "3"), (20, 8, "1 2 3")):
        messages = sized("u3 a4 u5")
        out = " ".join(str(n) for n in (1, 2, 3) if str(n) not in kept)
        topic.case("sliding", f"A window of {window} with {reserve} kept for the reply is a budget of {window - reserve}.",
                   {"messages": messages, "window": window, "reserve": reserve}, sent=ids(kept), dropped=gone(out))  # fmt: skip


def counters() -> None:
    lines = ["abc", "de", "fghi"]
    messages = [{"id": f"m{n}", "role": "user" if n % 2 else "assistant", "content": words}
                for n, words in enumerate(lines, 1)]  # fmt: skip
    for each, budget, kept in (
        (0, 9, "1 2 3"),
        (0, 8, "2 3"),
        (0, 5, "3"),
        (2, 15, "1 2 3"),
        (2, 14, "2 3"),
        (2, 9, "3"),
    ):
        out = " ".join(str(n) for n in (1, 2, 3) if str(n) not in kept)
        topic.case("counter", f"With {each} tokens a message besides its characters {budget} hold messages {kept}.",
                   {"messages": messages, "budget": budget, "counter": {"unit": "characters", "perMessage": each}},
                   sent=ids(kept), dropped=gone(out))  # fmt: skip
    topic.case("counter", "Tokens of the request itself are taken off the budget once.",
               {"messages": messages, "budget": 10, "counter": {"unit": "characters", "perRequest": 2}},
               sent=ids("2 3"), dropped=gone("1"))  # fmt: skip
    chinese = [{"id": "m1", "role": "user", "content": "灯塔在哪里"}, {"id": "m2", "role": "assistant", "content": "北边"},
               {"id": "m3", "role": "user", "content": "多远"}]  # fmt: skip
    topic.case("counter", "A Chinese character is one character, whatever its bytes.",
               {"messages": chinese, "budget": 4, "counter": {"unit": "characters"}}, sent=ids("2 3"), dropped=gone("1"))  # fmt: skip
    topic.case("counter", "A character beyond the basic plane is one character.",
               {"messages": [{**chinese[0], "content": "🦀🦀🦀"}, *chinese[1:]], "budget": 7,
                "counter": {"unit": "characters"}}, sent=ids("1 2 3"), dropped={})  # fmt: skip


ENDS = "u2 a2 u2 a2 u2 a2 u2"


def both_ends() -> None:
    """Room is the budget without the newest message of the user, which stays: of ENDS the budget less 2."""

    def head(budget: int, kept: str, share: float = 0.5, pattern: str = ENDS) -> None:
        says = f"Head-and-tail gives a share of {share} of the room to the oldest: a budget of {budget} keeps {kept}."
        cut("head-and-tail", says, pattern, budget, kept, strategy="head-and-tail", headShare=share)

    head(6, "1 6 7")
    head(8, "1 5 6 7")
    head(10, "1 2 5 6 7")
    head(14, "1 2 3 4 5 6 7")
    head(10, "1 4 5 6 7", 0.25)
    head(8, "4 5 6 7", 0.0)
    head(8, "1 2 3 7", 1.0)
    head(5, "6 7")
    head(2, "7")
    head(9, "2 3 4 5", 0.5, "u6 a2 u2 a2 u2")
    head(11, "1 2 5", 0.75, "u2 a4 u5 a4 u2")
    for budget, kept in (
        (2, "7"),
        (4, "6 7"),
        (6, "1 6 7"),
        (8, "1 5 6 7"),
        (10, "1 2 5 6 7"),
        (12, "1 2 4 5 6 7"),
        (14, "1 2 3 4 5 6 7"),
    ):
        cut("middle-out", f"Middle-out goes inwards from both ends, the end first: a budget of {budget} keeps {kept}.",
            ENDS, budget, kept, strategy="middle-out")  # fmt: skip
    cut("middle-out", "Middle-out takes from the side that has spent less: after a long end two short ones of the start.",
        "u1 a1 u2 a3 u1", 6, "1 2 4 5", strategy="middle-out")  # fmt: skip
    cut("middle-out", "Middle-out stops at the first that doesn't fit, though a later one would.",
        "u1 a1 u9 a1 u1", 4, "1 4 5", strategy="middle-out")  # fmt: skip


def exchanges() -> None:
    pattern = "u1 a2 u1 a2 u1"
    for budget, kept in ((1, "5"), (3, "5"), (4, "3 4 5"), (6, "3 4 5"), (7, "1 2 3 4 5")):
        cut("whole-exchanges", f"An exchange stays whole or goes whole: a budget of {budget} keeps {kept}.", pattern,
            budget, kept, strategy="whole-exchanges")  # fmt: skip
    cut("whole-exchanges", "An exchange is a question with all that follows up to the next question.",
        "u1 a1 a1 a1 u1 a1", 5, "5 6", strategy="whole-exchanges")  # fmt: skip
    cut("whole-exchanges", "Messages before the first question are an exchange of their own.",
        "a2 a2 u1 a1 u1", 6, "3 4 5", strategy="whole-exchanges")  # fmt: skip
    cut("whole-exchanges", "Of the newest exchange the question and the newest message stay, and the rest may go.",
        "u1 a4 a1", 3, "1 3", strategy="whole-exchanges")  # fmt: skip


def priorities() -> None:
    def ranked(says: str, pattern: str, weights: str, budget: int, kept: str) -> None:
        messages = [{**each, "priority": int(p)} for each, p in zip(sized(pattern), weights.split(), strict=True)]
        out = " ".join(str(n) for n in range(1, len(messages) + 1) if str(n) not in kept.split())
        topic.case("by-priority", says, {"messages": messages, "budget": budget, "strategy": "by-priority"},
                   sent=ids(kept), dropped=gone(out))  # fmt: skip

    ranked("The message of the highest priority stays before newer ones.", "u2 a2 u2 a2 u2", "5 0 0 0 0", 4, "1 5")
    ranked("Of equal priorities the newer one stays.", "u2 a2 u2 a2 u2", "5 0 5 0 0", 4, "3 5")
    ranked("Of equal priorities both stay where both fit.", "u2 a2 u2 a2 u2", "5 0 5 0 0", 6, "1 3 5")
    ranked("With no priority at all the newest stay.", "u2 a2 u2 a2 u2", "0 0 0 0 0", 6, "3 4 5")
    ranked("A negative priority goes first, however new the message is.", "u2 a2 u2 a2 u2", "0 0 0 -1 0", 8, "1 2 3 5")
    ranked(
        "The first that doesn't fit is the border, and smaller ones of lower priority go.",
        "u1 a9 u2 a1 u1",
        "0 3 0 0 0",
        6,
        "5",
    )
    ranked("What is kept is sent in the order of the conversation.", "u1 a1 u1 a1 u1", "1 2 3 4 0", 4, "2 3 4 5")
    ranked("The newest message of the user stays, whatever its priority.", "u1 a1 u1", "9 9 -9", 2, "2 3")


def blocks() -> None:
    for budget, pattern, kept, says in (
        (10, "u2 a2 u2 a2 u2", "1 2 3 4 5", "Where everything fits block cuts nothing."),
        (10, "u2 a2 u2 a2 u2 a2 u2", "5 6 7",
         "When the sixth of two words each fills the room of ten, block drops to five: it begins with the fifth."),
        (10, "u2 a2 u2 a2 u2 a2 u2 a2 u2", "5 6 7 8 9", "Until the room is full again the prompt begins with the same message."),
        (10, "u2 a2 u2 a2 u2 a2 u2 a2 u2 a2 u2", "9 10 11",
         "When the room is full again block drops the oldest again."),
    ):  # fmt: skip
        cut("block", says, pattern, budget, kept, strategy="block", blockShare=0.5)
    cut("block", "With a share of 0 nothing stays but the message that filled the room and what must stay.",
        "u2 a2 u2 a2 u2 a2 u2", 10, "6 7", strategy="block", blockShare=0.0)  # fmt: skip
    cut("block", "With a share of 1 block goes on like sliding.", "u2 a2 u2 a2 u2 a2 u2", 10, "3 4 5 6 7",
        strategy="block", blockShare=1.0)  # fmt: skip


def build() -> Topic:
    from builders import pairs_and_pins

    sliding()
    counters()
    both_ends()
    exchanges()
    priorities()
    blocks()
    pairs_and_pins.build(topic)
    return topic
