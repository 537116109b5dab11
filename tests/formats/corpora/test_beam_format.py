"""BEAM conversations."""

from typing import Any

from ctxlab.formats import read_data
from ctxlab.formats.corpora.beam import conversation_name


def message(id: int, role: str = "user", **fields: Any) -> dict[str, Any]:
    return {"role": role, "id": id, "content": f"text of {id}", **fields}


def batch(*messages: Any, number: int = 1, day: str | None = "March-15-2024") -> dict[str, Any]:
    return {"batch_number": number, "time_anchor": day, "turns": [list(messages)]}


def test_one_session_holds_all_batches_each_with_its_day() -> None:
    second = batch(message(2, time_anchor="April-01-2024"), message(3, "assistant"), number=2, day=None)

    found = read_data([batch(message(0), message(1, "assistant")), second])

    session = found.pick()
    assert (found.format, found.losses, session.check()) == ("beam", (), ())
    assert [(node.id, node.role, node.content, node.timestamp) for node in session.path()[1:]] == [
        ("0", "user", "text of 0", "2024-03-15"),
        ("1", "assistant", "text of 1", "2024-03-15"),
        ("2", "user", "text of 2", "2024-04-01"),
        ("3", "assistant", "text of 3", "2024-04-01"),
    ]


def test_the_bookkeeping_behind_a_users_words_is_kept_beside_them() -> None:
    asked = message(0, content="Is 1 ->-> 2? ->-> 1,2", index="1,2")
    answered = message(1, "assistant", content="Yes ->-> 1,2")

    first, second = read_data([batch(asked, answered)]).pick().path()[1:]

    assert (first.content, first.meta("beam")) == (
        "Is 1 ->-> 2?",
        {"batch": 1, "index": "1,2", "mark": "->-> 1,2"},
    )
    assert second.content == "Yes ->-> 1,2"


def test_broken_messages_are_told_by_their_place() -> None:
    found = read_data([batch(message(0), message(0), "none", message(5, "sage"), day="some day"), 7, batch(message(9))])

    assert [node.id for node in found.pick().path()[1:]] == ["0", "0~2", "5", "9"]
    assert [str(loss) for loss in found.losses] == [
        "[0]: its day 'some day' is none that is known; its messages have no timestamps",
        "[0].turns[0][1]: the id '0' is there twice; this one is '0~2' now",
        "[0].turns[0][2]: no message; it is left out",
        "[0].turns[0][3]: role 'sage' is none that is known; it is a user message now",
        "[1]: no batch of turns; it is left out",
    ]


def test_a_conversation_has_the_name_of_its_folders() -> None:
    assert conversation_name("beam/100K/3/chat.json") == "100K-3"
    assert conversation_name("talks/chat.json") == "talks"
    assert conversation_name("talks/harbour.json") == "harbour"
    assert conversation_name("chat.json") == "chat"
