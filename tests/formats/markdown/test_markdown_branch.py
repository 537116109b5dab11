"""A path, a branch or finished messages as Markdown."""

from datetime import timedelta, timezone
from typing import Any

import pytest

import ctxlab
from ctxlab.documents import Agent, MessageNode, Session, UserProfile
from ctxlab.errors import UnknownNode, WriteError
from ctxlab.formats import (
    CHINESE,
    ENGLISH,
    Export,
    branch_markdown,
    path_markdown,
    payload_markdown,
)

TIME = "2026-01-02T03:04:05.678Z"


def node(node_id: str, role: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"id": node_id, "role": role, "content": content, **fields}


def chain(*nodes: dict[str, Any], **fields: Any) -> Session:
    """A session whose messages follow one another."""
    linked: dict[str, Any] = {"root": {"id": "root", "parentId": None, "role": "system", "content": ""}}
    for one in nodes:
        linked[one["id"]] = {**one, "parentId": list(linked)[-1]}
    ends = {"rootNodeId": "root", "activeLeafId": list(linked)[-1]}
    return Session.model_validate({"id": "s", "name": "Tea", "nodes": linked, **ends, **fields})


def summary(content: str, *hides: str, **fields: Any) -> dict[str, Any]:
    about = {"isCompressionNode": True, "compressedNodeIds": list(hides)}
    return node("S", "system", content, metadata=about, **fields)


TALK = chain(
    node("u", "user", "Hi", timestamp=TIME),
    node("a", "assistant", "Hello\nthere", metadata={"agentId": "x", "modelId": "gpt-5"}),
    node("v", "user", "Bye", isEnabled=False),
)
SHORTENED = chain(
    node("u", "user", "q1"),
    node("a", "assistant", "r1"),
    summary("They said hello.", "u", "a"),
    node("v", "user", "q2"),
)


def body(export: Export[str]) -> str:
    """What follows the lines about the whole."""
    return str(export).partition("\n---\n\n")[2]


def test_a_branch_reads_like_this() -> None:
    export = branch_markdown(TALK, exported_at="2026-01-03T00:00:00Z", people=[Agent(id="x", name="Nova")])

    assert export.losses == ()
    assert str(export) == (
        "# Conversation: Tea\n"
        "\n"
        "Exported: 2026-01-03 00:00:00  \n"
        "Times: UTC  \n"
        "Messages: 3  \n"
        "Participants: Nova (Assistant)\n"
        "\n"
        "---\n"
        "\n"
        "## User (2026-01-02 03:04:05)\n"
        "\n"
        "Hi\n"
        "\n"
        "## Nova\n"
        "\n"
        "*Model: gpt-5*\n"
        "\n"
        "Hello\n"
        "there\n"
        "\n"
        "## User [disabled]\n"
        "\n"
        "Bye\n"
    )


def test_a_path_is_what_was_said() -> None:
    session = chain(
        node("s", "system", "Be brief."),
        node("u", "user", "Hi"),
        createdAt="2026-01-01T00:00:00Z",
        updatedAt="2026-01-02T00:00:00Z",
    )

    export = path_markdown(session)

    assert "Created: 2026-01-01 00:00:00  \nLast changed: 2026-01-02 00:00:00" in str(export)
    assert body(export) == "## User\n\nHi\n"
    assert [str(loss) for loss in export.losses] == [
        "the path: 1 of its messages is of other roles than user, assistant, tool"
    ]
    assert "Be brief." in str(path_markdown(session, roles=("system", "user")))


@pytest.mark.parametrize("write", [path_markdown, branch_markdown])
def test_a_shortened_session_keeps_its_summary(write: Any) -> None:
    export = write(SHORTENED)

    assert body(export) == "## Summary\n\n*Messages that it stands for: 2*\n\nThey said hello.\n\n## User\n\nq2\n"
    assert [str(loss) for loss in export.losses] == ["node 'S': it stands for others, which are left out: 2"]


def test_a_disabled_summary_hides_nothing() -> None:
    session = chain(node("u", "user", "q1"), summary("They said hello.", "u", isEnabled=False))

    assert body(branch_markdown(session)) == "## User\n\nq1\n\n## Summary [disabled]\n\nThey said hello.\n"


@pytest.mark.parametrize(("span", "texts"), [((1, 1), ["Hi"]), ((2, 3), ["Hello", "Bye"]), ((3, 9), ["Bye"])])
def test_a_span_counts_from_one_and_includes_both_ends(span: tuple[int, int], texts: list[str]) -> None:
    session = chain(node("u", "user", "Hi"), node("a", "assistant", "Hello"), node("v", "user", "Bye"))

    export = branch_markdown(session, span=span)

    assert [line for line in body(export).splitlines() if line and not line.startswith("#")] == texts
    assert f"Messages: {len(texts)}  \nOf them: {span[0]} to {min(span[1], 3)}" in str(export)


@pytest.mark.parametrize("span", [(0, 2), (3, 2), (4, 4)])
def test_a_span_without_a_message_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(WriteError, match=r"counts from 1, and there are 3"):
        branch_markdown(TALK, span=span)


def test_presets_come_first_and_dont_count() -> None:
    presets = [
        MessageNode(id="p", role="system", content="Be kind.", name="Main"),
        MessageNode(id="q", role="user", content="", type="chat_history"),
    ]

    merged = branch_markdown(TALK, "u", presets=presets)
    apart = branch_markdown(TALK, "u", presets=presets, presets_apart=True)

    assert "Messages: 1\n" in str(merged)
    assert body(merged) == "## System [Main]\n\nBe kind.\n\n## User (2026-01-02 03:04:05)\n\nHi\n"
    assert body(apart) == (
        "## Presets\n\n### System [Main]\n\nBe kind.\n\n## Messages\n\n### User (2026-01-02 03:04:05)\n\nHi\n"
    )


def test_what_is_known_of_a_message_is_shown_or_not() -> None:
    metadata = {
        "agentDisplayName": "Nova",
        "modelName": "GPT",
        "profileName": "Mine",
        "usage": {"totalTokens": 30, "promptTokens": 20, "completionTokens": 10},
        "error": "timed\nout",
        "reasoningContent": "I think\nof tea.",
        "toolCallsRequested": [{"requestId": "c", "toolName": "brew", "args": '{"cups":2,"note":"```"}'}],
    }
    files = [{"id": "f", "type": "document", "name": "a.txt"}, {"id": "g", "type": "image"}]
    session = chain(node("a", "assistant", "Yes", metadata=metadata, attachments=files))

    assert body(branch_markdown(session)) == (
        "## Nova\n"
        "\n"
        "*Model: GPT (Mine)*\n"
        "\n"
        "> Reasoning:\n"
        "> I think\n"
        "> of tea.\n"
        "\n"
        "Yes\n"
        "\n"
        "Calls `brew`:\n"
        "\n"
        "````json\n"
        "{\n"
        '  "cups": 2,\n'
        '  "note": "```"\n'
        "}\n"
        "````\n"
        "\n"
        "*Attachments: a.txt (file), picture*\n"
        "\n"
        "*Tokens: 30 (20 in, 10 out)*\n"
        "\n"
        "*Error: timed out*\n"
    )
    assert body(branch_markdown(session, show=())) == "## Assistant\n\nYes\n"


def test_texts_of_attachments_stand_where_they_belong() -> None:
    files = [{"id": "f", "name": "a.txt"}, {"id": "g", "name": "b.txt"}, {"id": "h", "name": "c.txt"}]
    session = chain(node("u", "user", r"See 【file::f】, 【file::h】 and 【file::none】", attachments=files))

    export = branch_markdown(session, files={"f": r"\1 of a", "g": "text of b", "none": "?"})

    assert body(export).split("\n\n")[1:4] == [
        r"See \1 of a, 【file::h】 and 【file::none】",
        "*Text of b.txt:*",
        "text of b",
    ]


def test_names_of_speakers_come_from_the_message_else_from_the_people_given() -> None:
    session = chain(
        node("u", "user", "1", metadata={"userProfileId": "p"}),
        node("v", "user", "2", metadata={"userProfileName": "Ann", "userProfileId": "p"}),
        node("w", "user", "3", name="Eve"),
        node("g", "assistant", "4", name="First message", metadata={"isGreeting": True}),
        node("t", "tool", "5", metadata={"toolCall": {"requestId": "c", "toolName": "brew"}}),
    )

    export = branch_markdown(session, people=[UserProfile(id="p", name="Bob", display_name="Bobby")])

    assert [line for line in body(export).splitlines() if line.startswith("#")] == [
        "## Bobby",
        "## Ann",
        "## Eve",
        "## Assistant [First message]",
        "## Tool [brew]",
    ]
    assert "Participants: Bobby (User), Ann (User), Eve (User)\n" in str(export)


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("UTC", "2026-01-02 03:04:05"),
        ("Asia/Shanghai", "2026-01-02 11:04:05"),
        (timezone(timedelta(hours=-5)), "2026-01-01 22:04:05"),
    ],
)
def test_times_are_in_the_zone_that_is_asked_for(zone: Any, shown: str) -> None:
    assert f"## User ({shown})" in str(branch_markdown(TALK, zone=zone))


@pytest.mark.parametrize(("stored", "shown"), [("2026-01-02T03:04:05", "2026-01-02 03:04:05"), ("soon", "soon")])
def test_times_without_a_zone_are_utc_and_other_words_stay(stored: str, shown: str) -> None:
    assert f"## User ({shown})" in str(branch_markdown(chain(node("u", "user", "Hi", timestamp=stored))))


def test_labels_translate_all_or_some_words() -> None:
    some = {"user": "Gast", "count": "{n} Nachrichten, {x}"}

    assert "## 用户 (2026-01-02 03:04:05)" in str(branch_markdown(TALK, labels=CHINESE))
    assert "3 Nachrichten, {x}\n" in str(branch_markdown(TALK, labels=some))
    assert "## Gast (2026" in str(branch_markdown(TALK, labels=some))
    assert ENGLISH.keys() == CHINESE.keys()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"labels": {"usr": "Gast"}}, "no export has a label 'usr'; did you mean 'user'?"),
        ({"zone": "Mars"}, "there is no time zone 'Mars'"),
        ({"zone": "Asia"}, "there is no time zone 'Asia'"),
        ({"show": ["modle"]}, "show= has no 'modle'; did you mean 'model'?"),
    ],
)
def test_what_no_export_knows_is_refused(how: Any, said: str) -> None:
    with pytest.raises(WriteError, match=said.replace("?", r"\?")):
        branch_markdown(TALK, **how)


def test_a_leaf_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownNode, match="'w'"):
        branch_markdown(TALK, "w")


def test_a_path_that_breaks_off_is_written_as_far_as_it_goes() -> None:
    session = chain(node("u", "user", "Hi"), node("a", "assistant", "Hello"))
    broken = session.model_copy(update={"nodes": {"a": session["a"]}})

    export = branch_markdown(broken)

    assert body(export) == "## Assistant\n\nHello\n"
    assert [loss.place for loss in export.losses] == ["the path"]


def test_titles_stay_on_one_line() -> None:
    session = chain(node("u", "user", "Hi", name="a\n## b"), name="one\n\n# two")

    assert str(branch_markdown(session)).startswith("# Conversation: one # two\n\n")
    assert body(branch_markdown(session)).startswith("## a ## b\n")


def test_finished_messages_read_like_this() -> None:
    called = {"id": "c", "type": "function", "function": {"name": "brew", "arguments": "not json"}}
    messages = [
        {"role": "system", "content": "Be kind.", "tokens": 4},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "See"},
                {"type": "image_url", "image_url": {"url": "x"}},
                {"type": "file", "file": {"filename": "a.pdf"}},
                {"type": "asset", "kind": "audio", "name": "b.mp3"},
            ],
        },
        {"role": "assistant", "content": None, "tool_calls": [called], "reasoning_content": "Hm."},
    ]

    export = payload_markdown(messages, name="Tea")

    assert str(export).startswith("# What was sent: Tea\n\nMessages: 3  \nThese are the messages as ")
    assert body(export) == (
        "## System\n\nBe kind.\n\n*Tokens: 4*\n\n"
        "## User\n\nSee\n\n> picture\n\n> a.pdf (file)\n\n> b.mp3 (sound)\n\n"
        "## Assistant\n\n> Reasoning:\n> Hm.\n\nCalls `brew`:\n\n```json\nnot json\n```\n"
    )


def test_a_traces_messages_can_be_written() -> None:
    trace = ctxlab.build(TALK)

    assert body(payload_markdown(trace.messages)).startswith("## User\n\nHi\n\n*Tokens: ")


def test_a_notebook_shows_the_beginning_and_a_console_its_size() -> None:
    export = branch_markdown(TALK)

    assert "<pre" in export._repr_html_()
    assert str(export).splitlines()[0] in export._repr_html_()
    assert repr(export) == f"Export({len(str(export))} characters, 0 losses)"
