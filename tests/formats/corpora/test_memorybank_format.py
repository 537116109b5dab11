"""MemoryBank's daily chats."""

from typing import Any

from ctxlab.formats import read_data


def person(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Ann",
        "summary": {},
        "history": {
            "2023-04-27": [{"query": "Hi", "response": "Hello"}, {"query": "Tea?", "response": "Yes"}],
            "2023-04-28": [{"query": "Again", "response": "Sure", "memory_strength": 1}],
        },
        **fields,
    }


def test_a_person_is_a_session_in_the_order_of_the_days() -> None:
    found = read_data({" 张曼婷 ": person(), "Bob": person()})

    assert found.format == "memorybank"
    assert [s.id for s in found.sessions] == ["张曼婷", "Bob"]
    session = found.pick("Bob")
    assert session.check() == ()
    assert [n.content for n in session.path()[1:]] == ["Hi", "Hello", "Tea?", "Yes", "Again", "Sure"]
    assert [n.role for n in session.path()[1:3]] == ["user", "assistant"]


def test_a_message_has_the_day_that_the_file_has_and_no_time_of_day() -> None:
    times = [n.timestamp for n in read_data({"Ann": person()}).pick().path()[1:]]

    assert times[:3] == ["2023-04-27"] * 3
    assert times == sorted(times, key=str)


def test_what_is_known_of_the_person_is_kept_where_it_says_something() -> None:
    session = read_data({"Ann": person(personality={"2023-04-27": "calm"}, overall_history="")}).pick()

    assert session.to_data()["memoryBank"] == {"name": "Ann", "personality": {"2023-04-27": "calm"}}
    assert session["2023-04-28-0-response"].meta("memoryBank") == {"memory_strength": 1}


def test_a_day_that_is_no_date_has_no_timestamps() -> None:
    found = read_data({"Ann": person(history={"some day": [{"query": "Hi", "response": None}]})})

    assert [n.timestamp for n in found.pick().path()[1:]] == [None, None]
    assert [str(loss) for loss in found.losses] == [
        "'Ann', some day: no date; its messages have no timestamps",
        "'Ann', some day[0].response: is NoneType, not text; its text is used",
    ]
