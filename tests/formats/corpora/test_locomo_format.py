"""LoCoMo conversations."""

from typing import Any

from ctxlab.formats import read_data


def turn(turn_id: str, speaker: str = "Ann", **fields: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": turn_id, "text": f"text of {turn_id}", **fields}


def sample(*questions: Any, **conversation: Any) -> dict[str, Any]:
    talks = {
        "session_2_date_time": "12:05 am on 9 May, 2023",
        "session_2": [turn("D2:1", "Bob")],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [turn("D1:1"), turn("D1:2", "Bob")],
    }
    speakers = {"speaker_a": "Ann", "speaker_b": "Bob"}
    return {"sample_id": "conv-1", "qa": list(questions), "conversation": {**speakers, **talks, **conversation}}


def question(*evidence: Any, **fields: Any) -> dict[str, Any]:
    return {"question": "When?", "answer": "May", "category": 2, "evidence": list(evidence), **fields}


def test_one_session_holds_all_talks_in_their_order() -> None:
    found = read_data([sample()])
    session = found.pick()

    assert (found.format, found.losses, session.check()) == ("locomo", (), ())
    assert (session.id, session.name) == ("conv-1", "Ann and Bob")
    assert [(node.id, node.role, node.name, node.timestamp) for node in session.path()[1:]] == [
        ("D1:1", "user", "Ann", "2023-05-08T13:56:00Z"),
        ("D1:2", "assistant", "Bob", "2023-05-08T13:56:00Z"),
        ("D2:1", "assistant", "Bob", "2023-05-09T00:05:00Z"),
    ]


def test_pictures_are_attachments_and_their_captions_are_kept() -> None:
    shown = turn("D1:1", img_url=["https://example.org/a.jpg"], blip_caption="a dog", query="dog")

    node = read_data(sample(session_1=[shown])).pick()["D1:1"]

    assert [(asset.type, (asset.model_extra or {})["url"]) for asset in node.attachments or ()] == [
        ("image", "https://example.org/a.jpg")
    ]
    assert node.meta("locomo") == {"session": 1, "blip_caption": "a dog", "query": "dog"}


def test_questions_name_messages_as_evidence() -> None:
    found = read_data(sample(question("D1:1; D2:1", "D1:02", "D1:1"), question("D9:9", "D", category=5)))

    first, second = found.pick().to_data()["locomo"]["questions"]
    assert first == question("D1:1", "D2:1", "D1:2")
    assert second == {**question(category=5), "evidenceNotFound": ["D9:9", "D"]}
    assert [str(loss) for loss in found.losses] == [
        "conv-1, qa[1]: evidence 'D9:9' is no message of the conversation; left out",
        "conv-1, qa[1]: evidence 'D' names no message; left out",
    ]


def test_what_else_is_said_of_a_conversation_is_kept() -> None:
    data = {**sample(session_3_date_time="1:00 pm on 1 June, 2023"), "session_summary": {"session_1_summary": "Tea."}}

    about = read_data(data).pick().to_data()["locomo"]

    assert about["speakers"] == {"Ann": "user", "Bob": "assistant"}
    assert about["session_summary"] == {"session_1_summary": "Tea."}
    assert about["conversation"] == {"session_3_date_time": "1:00 pm on 1 June, 2023"}


def test_strange_values_are_named() -> None:
    talk = [turn("D1:1", "Eve"), turn("D1:1", text=None), "no turn"]

    found = read_data([sample("no question", session_1=talk, session_1_date_time="soon", session_4={}), {"qa": []}])

    assert found.pick().check() == ()
    assert [node.id for node in found.pick().path()[1:]] == ["D1:1", "D1:1~2", "D2:1"]
    assert [loss.place for loss in found.losses] == [
        "conv-1, session_1",
        "conv-1, turn 'D1:1'",
        "conv-1, turn 'D1:1'",
        "conv-1, turn 'D1:1'",
        "conv-1, session_1[2]",
        "conv-1, session_4",
        "conv-1, qa[0]",
        "[1]",
    ]
