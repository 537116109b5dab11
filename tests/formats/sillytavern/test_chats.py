"""SillyTavern's chats, in and out."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab import build
from ctxlab.documents import Session
from ctxlab.formats import FORMATS, chat_jsonl, chat_lines, convert, read, read_data, write
from ctxlab.formats.sillytavern.chats.dates import iso
from ctxlab.formats.sillytavern.chats.own_texts import note_of_chat
from ctxlab.formats.sillytavern.chats.reader import chat_from

HEADER: dict[str, Any] = {
    "user_name": "Mara",
    "character_name": "沈砚",
    "create_date": "2025-01-05@03h04m05s",
    "chat_metadata": {"timedWorldInfo": {"sticky": {"Harbour.9": {"start": 3, "end": 6}}}},
}
GREETING: dict[str, Any] = {
    "name": "沈砚",
    "is_user": False,
    "is_system": False,
    "send_date": "January 5, 2025 3:04pm",
    "mes": "请坐。",
    "extra": {},
    "swipes": ["Good evening.", "请坐。", "Who's there?"],
    "swipe_id": 1,
    "swipe_info": [{"send_date": 1736089445000, "extra": {}}, {}, {"extra": {"reasoning": "Somebody knocks."}}],
}
ASKED: dict[str, Any] = {"name": "Mara", "is_user": True, "is_system": False, "mes": "Whose hand is it?", "extra": {}}
ANSWERED: dict[str, Any] = {
    "name": "沈砚",
    "is_user": False,
    "is_system": False,
    "send_date": "2025-01-05T15:10:00.000Z",
    "mes": "阿蓉。",
    "extra": {"reasoning": "She has sharp eyes.", "model": "gpt-4o", "api": "openai"},
    "gen_started": "2025-01-05T15:09:00.000Z",
    "force_avatar": "x.png",
}
CHAT = [HEADER, GREETING, ASKED, ANSWERED]


def told(session: Session) -> list[tuple[str, str]]:
    return [(node.role, node.content) for node in session.path()[1:]]


def file(tmp_path: Path, lines: list[Any]) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_a_chat_file_is_a_session(tmp_path: Path) -> None:
    found = read(file(tmp_path, CHAT))
    session = found.pick()

    assert (found.format, session.id, session.created_at) == ("sillytavern-chat", "in", "2025-01-05T03:04:05")
    assert told(session) == [("assistant", "请坐。"), ("user", "Whose hand is it?"), ("assistant", "阿蓉。")]
    assert session.check() == ()
    assert [str(loss) for loss in found.losses] == [
        "line 1, chat_metadata.timedWorldInfo: the timed effects of lorebook entries: kept, but not used"
    ]


def test_swipes_are_siblings_and_what_follows_hangs_below_the_one_that_is_shown() -> None:
    session, _ = chat_from(CHAT)
    root = session.path()[0]

    assert [session[key].content for key in session.children(root.id)] == GREETING["swipes"]
    assert root.last_selected_child_id == "m1.1"
    assert session["m2"].parent_id == "m1.1"
    assert session["m1.2"].reasoning == "Somebody knocks."
    assert session["m1.0"].timestamp == "2025-01-05T15:04:05Z"


def test_the_first_message_with_alternates_is_a_greeting() -> None:
    session, _ = chat_from(CHAT)

    assert [node.id for node in session.nodes.values() if node.meta("isGreeting")] == ["m1.0", "m1.1", "m1.2"]


def test_reasoning_model_and_names_become_metadata() -> None:
    session, _ = chat_from(CHAT)

    assert session["m3"].reasoning == "She has sharp eyes."
    assert (session["m3"].meta("modelId"), session["m3"].meta("agentName")) == ("gpt-4o", "沈砚")
    assert (session["m2"].meta("userProfileName"), session["m2"].name) == ("Mara", None)


@pytest.mark.parametrize(
    ("fields", "role", "enabled"),
    [
        ({"is_user": True, "is_system": True}, "user", False),
        ({"is_system": True}, "assistant", False),
        ({"extra": {"type": "narrator"}}, "system", True),
        ({"is_system": True, "extra": {"type": "comment"}}, "system", False),
        ({"is_system": True, "name": "SillyTavern System"}, "system", False),
    ],
)
def test_hidden_messages_are_disabled_and_narrators_are_the_system(
    fields: dict[str, Any], role: str, enabled: bool
) -> None:
    session, _ = chat_from([HEADER, {"name": "A", "is_user": False, "mes": "x", **fields}])

    node = session.path()[-1]

    assert (node.role, node.enabled) == (role, enabled)
    assert chat_lines(session).data[1] == {"name": "A", "is_user": False, "mes": "x", **fields}


def test_tool_calls_of_a_chat_are_sent_as_calls_with_their_results() -> None:
    call = {"id": "c1", "name": "Tide", "displayName": "Tide", "parameters": '{"at":"pier"}', "result": "Low at nine"}
    extra = {"isSmallSys": True, "tool_invocations": [call, {**call, "id": "c2", "result": ""}]}
    calls = {"name": "沈砚", "is_user": False, "is_system": True, "mes": "Tool calls: Tide", "extra": extra}
    found = read_data([HEADER, ASKED, calls, GREETING])

    sent = build(found).messages

    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [made["function"] for made in sent[1]["tool_calls"]] == [{"name": "Tide", "arguments": '{"at":"pier"}'}] * 2
    assert [(each["tool_call_id"], each["content"]) for each in sent[2:4]] == [
        ("c1", "Low at nine"),
        ("c2", "[No content]"),
    ]
    assert not any("tool_invocations" in loss.place for loss in found.losses)


def test_in_a_group_every_answer_has_its_name() -> None:
    session, _ = chat_from([HEADER, ANSWERED, {**ANSWERED, "name": "阿蓉"}, ASKED])

    assert [node.name for node in session.path()[1:]] == ["沈砚", "阿蓉", None]


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("January 5, 2025 3:04pm", "2025-01-05T15:04:00"),
        ("Jan 5, 2025 12:04 AM", "2025-01-05T00:04:00"),
        ("2025-01-05@03h04m05s", "2025-01-05T03:04:05"),
        ("2023-7-12 @18h 53m 8s 921ms", "2023-07-12T18:53:08.921"),
        (1736089445123, "2025-01-05T15:04:05.123Z"),
        ("1736089445000", "2025-01-05T15:04:05Z"),
        ("2025-01-05T03:04:05+08:00", "2025-01-05T03:04:05+08:00"),
        ("5 janvier 2025", None),
        ("February 30, 2025 1:00pm", None),
        (1e300, None),
        (True, None),
    ],
)
def test_times_are_read_in_every_form(said: Any, time: str | None) -> None:
    assert iso(said) == time


# --- bad input


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ([1], "line 2: [1] is no message; it is left out"),
        ({"is_user": True}, "line 2: it has no `mes`, so it is no message; it is left out"),
        ({"mes": 5}, "line 2, mes: 5 is no text; '5' is used"),
        ({"mes": "a", "swipes": "a"}, "line 2, swipes: 'a' is no list; only `mes` is used"),
        ({"mes": "a", "swipes": ["a", None]}, "line 2, swipes[1]: None is no text; '' is used"),
        ({"mes": "a", "swipes": ["b", "a"], "swipe_id": 9}, "line 2, swipe_id: 9 is none of 0 to 1; swipe 1 is shown"),
        (
            {"mes": "c", "swipes": ["b", "a"], "swipe_id": 2},
            "line 2, swipe_id: 2 is none of 0 to 1; `mes` is one more swipe",
        ),
        ({"mes": "a", "send_date": "once"}, "line 2, send_date: no time can be read in 'once'"),
        ({"mes": "a", "extra": {"image": "../x.png"}}, "line 2, extra.image: '../x.png' names no file; left out"),
    ],
)
def test_what_is_wrong_is_a_loss_that_names_the_line(line: Any, said: str) -> None:
    session, losses = chat_from([{"user_name": "U", "chat_metadata": {}}, line])

    assert said in [str(loss) for loss in losses]
    assert session.check() == ()


def test_a_broken_line_is_left_out_and_the_others_are_read(tmp_path: Path) -> None:
    found = read(file(tmp_path, [HEADER, GREETING, '{"mes": "cut', ASKED]))

    assert told(found.pick()) == [("assistant", "请坐。"), ("user", "Whose hand is it?")]
    assert "line 3: not JSON" in str(found.losses[0])


def test_ten_thousand_messages_are_read_and_written() -> None:
    lines = [HEADER, *([ASKED, ANSWERED] * 5_000)]

    session, _ = chat_from(lines)

    assert chat_lines(session).data == lines


# --- writing


def test_a_chat_is_written_as_it_was_read(tmp_path: Path) -> None:
    session = read(file(tmp_path, [*CHAT, 7, {"is_user": True}])).pick()

    export = write(session, tmp_path / "out.jsonl")

    assert [json.loads(line) for line in export.data.splitlines()] == [*CHAT, 7, {"is_user": True}]
    assert export.losses == ()


def test_a_changed_text_is_changed_in_its_swipes_too() -> None:
    session, _ = chat_from(CHAT)

    lines = chat_lines(session.edit("m1.1", "坐吧。")).data

    assert (lines[1]["mes"], lines[1]["swipes"]) == ("坐吧。", ["Good evening.", "坐吧。", "Who's there?"])
    assert lines[2:] == CHAT[2:]


def test_another_swipe_brings_what_was_said_of_it() -> None:
    session, _ = chat_from(CHAT)

    export = chat_lines(session, leaf="m1.2")

    message = export.data[1]
    assert (message["mes"], message["swipe_id"]) == ("Who's there?", 2)
    assert message["extra"] == {"reasoning": "Somebody knocks."}
    assert message["swipe_info"][1]["send_date"] == "January 5, 2025 3:04pm"
    assert [str(loss) for loss in export.losses] == ["the tree: 2 messages are on other branches; left out"]


def test_a_new_answer_becomes_one_more_swipe() -> None:
    session, _ = chat_from(CHAT)
    session = session.append("没有人。", role="assistant", parent="m2", timestamp="2025-01-06T00:00:00Z")

    message = chat_lines(session).data[3]

    assert (message["swipes"], message["swipe_id"]) == (["阿蓉。", "没有人。"], 1)
    assert (message["mes"], message["send_date"]) == ("没有人。", "2025-01-06T00:00:00Z")
    assert message["swipe_info"][0]["extra"]["api"] == "openai"
    assert message["force_avatar"] == "x.png"


def test_a_session_from_elsewhere_is_written_with_its_answers_as_swipes() -> None:
    session = Session(id="s").append("", role="system", id="root")
    session = session.append("Hi", id="u").append("One", role="assistant", id="a")
    session = session.append("Other", parent="root", id="u2").append("Two", role="assistant", parent="u", id="b")
    session = session.append("Be quiet.", role="system").append("x", role="tool")

    export = chat_lines(session, user_name="Mara", character_name="Shen")

    assert export.data[0] == {"user_name": "Mara", "character_name": "Shen", "create_date": "", "chat_metadata": {}}
    assert [line["mes"] for line in export.data[1:]] == ["Hi", "Two", "Be quiet."]
    assert (export.data[2]["swipes"], export.data[2]["name"]) == (["One", "Two"], "Shen")
    assert export.data[3]["extra"] == {"type": "narrator"}
    assert [loss.place for loss in export.losses] == ["node 'node-6'", "the tree"]
    assert told(chat_from(export.data)[0]) == [("user", "Hi"), ("assistant", "Two"), ("system", "Be quiet.")]


def test_a_conversation_is_converted_to_a_chat_and_back(tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "datasets" / "harbour_roleplay.session.json"
    before = read(source).pick()

    losses = convert(source, tmp_path / "out.jsonl").losses
    after = read(tmp_path / "out.jsonl").pick()

    assert told(after) == [(node.role, node.content) for node in before.path()[1:] if not node.is_summary]
    assert [loss.place for loss in losses] == ["node 's1'", "the tree"]


def test_the_first_line_alone_is_a_chat(tmp_path: Path) -> None:
    found = read(file(tmp_path, [HEADER]))

    assert told(found.pick()) == []
    assert chat_jsonl(found.pick()).data == json.dumps(HEADER, ensure_ascii=False, separators=(",", ":")).encode()


def test_the_user_of_a_chat_comes_along(tmp_path: Path) -> None:
    found = read(file(tmp_path, CHAT))

    assert [user.name for user in found.users] == ["Mara"]
    assert read(file(tmp_path, [{**HEADER, "user_name": "unused"}, GREETING])).users == ()


def test_a_bad_time_of_a_swipe_is_told_of_that_swipe() -> None:
    info = [{"send_date": "once"}, {"send_date": "January 1, 2026 10:02am"}, {"send_date": "twice"}]
    message = {"name": "Ann", "mes": "b", "swipe_id": 1, "swipes": ["a", "b", "c"], "swipe_info": info}
    found = read_data([{"user_name": "Kim"}, {**message, "send_date": "January 1, 2026 10:02am"}])
    assert [loss.place.rpartition(", ")[2] for loss in found.losses] == ["swipe_info[0].send_date"]
    assert found.losses[0].text == "no time can be read in 'once', nor in 1 others"


def test_every_format_of_conversations_keeps_the_note_of_a_chat_or_says_that_it_does_not(tmp_path: Path) -> None:
    header = {**HEADER, "chat_metadata": {"note_prompt": "Keep the mood calm."}}
    found = read(file(tmp_path, [header, GREETING, ASKED]))
    for form in FORMATS:
        if form.write is None or "sessions" not in form.holds:
            continue
        export = write(found, tmp_path / f"out{form.endings[0]}", format=form.name)
        lost = [loss for loss in export.losses if "its author's note" in loss.text]
        kept = not lost and note_of_chat(read(tmp_path / f"out{form.endings[0]}").session())

        assert lost or kept, form.name
