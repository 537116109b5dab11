"""Claude Code's logs."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents.session.replay_artifacts import artifacts_of
from ctxlab.errors import UnknownFormat
from ctxlab.formats import Import, read, read_data

UNNAMED = "active branch: the file doesn't say which branch is active; the last message's is taken"


def line(uuid: str, parent: str | None, content: Any = None, **fields: Any) -> dict[str, Any]:
    role = fields.pop("role", "user")
    return {
        "type": role,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s1",
        "timestamp": f"2026-01-01T00:00:{len(uuid):02}Z",
        "message": {"role": role, "content": f"text of {uuid}" if content is None else content},
        **fields,
    }


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def written(folder: Path, *lines: Any) -> Import:
    path = folder / "log.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines), encoding="utf-8")
    return read(path)


def test_messages_make_a_tree_with_the_last_one_as_leaf() -> None:
    found = read_data(
        [
            line("u", None, cwd="/tmp", version=None),
            line("a", "u", role="assistant"),
            line("b", "u", role="assistant"),
            line("v", "a"),
        ]
    )
    session = found.pick()

    assert (found.format, session.check()) == ("claude-code", ())
    assert [str(loss) for loss in found.losses] == [UNNAMED]
    assert [node.id for node in session.path()] == ["root", "u", "a", "v"]
    assert session.children("u") == ("a", "b")
    assert session["u"].last_selected_child_id is None
    assert session["u"].metadata == {"claudeCode": {"cwd": "/tmp"}}
    assert session.created_at == session["u"].timestamp


def test_a_call_and_its_result_are_linked() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "xyz"}
    content = [thinking, {"type": "text", "text": "Let me look."}, call("Bash", "t1", command="ls")]

    session = read_data(
        [
            line("u", None),
            line("a", "u", message={"role": "assistant", "model": "claude-5", "content": content}, role="assistant"),
            line("r", "a", [result("t1", "a.txt", is_error=True)], toolUseResult={"stdout": "a.txt"}),
        ]
    ).pick()
    asked = session["a"].tool_calls[0]

    assert (session["a"].content, session["a"].reasoning) == ("Let me look.", "Hm.")
    assert session["a"].meta("modelId") == "claude-5"
    assert (asked.id, asked.name, json.loads(asked.arguments)) == ("t1", "Bash", {"command": "ls"})
    assert (session["r"].role, session["r"].content, session["r"].result_of) == ("tool", "a.txt", "t1")
    assert session["r"].meta("toolCall") == {"requestId": "t1", "toolName": "Bash", "status": "error"}
    assert session["r"].meta("claudeCode") == {"toolUseResult": {"stdout": "a.txt"}}
    assert session["a"].meta("claudeCode") is None
    assert session["a"].meta("reasoningArtifacts") == [
        {"wire": "anthropic", "item": thinking, "before": "text", "replayPolicy": "always"}
    ]


def test_thoughts_are_kept_as_anthropic_wants_them_back_each_before_what_it_led_to() -> None:
    first = {"type": "thinking", "thinking": "Hm.", "signature": "xyz"}
    sealed = {"type": "redacted_thinking", "data": "c2VhbGVk"}
    content = [first, said("Let me look."), sealed, call("Bash", "t1"), {**first, "thinking": ""}, call("Bash", "t2")]

    found = read_data([line("u", None), line("a", "u", content, role="assistant")])

    kept = artifacts_of(found.pick()["a"].metadata)
    assert [(artifact.before, dict(artifact.item)) for artifact in kept] == [
        ("text", first),
        ("t1", sealed),
        ("t2", {**first, "thinking": ""}),
    ]
    assert found.losses == ()


@pytest.mark.parametrize("signature", [{}, {"signature": ""}, {"signature": None}])
def test_a_thought_without_a_signature_is_words_alone_and_a_loss(signature: dict[str, Any]) -> None:
    content = [{"type": "thinking", "thinking": "Hm.", **signature}, said("Yes.")]

    found = read_data([line("u", None), line("a", "u", content, role="assistant")])

    node = found.pick()["a"]
    assert (node.reasoning, node.meta("reasoningArtifacts")) == ("Hm.", None)
    assert [loss.text for loss in found.losses] == ["a thought without a signature, which can't be sent again"]


def test_thoughts_at_the_end_of_a_message_come_first_and_a_loss_says_so() -> None:
    content = [said("Yes."), {"type": "thinking", "thinking": "Hm.", "signature": "xyz"}]

    found = read_data([line("u", None), line("a", "u", content, role="assistant")])

    assert [artifact.before for artifact in artifacts_of(found.pick()["a"].metadata)] == ["text"]
    assert [loss.text for loss in found.losses] == [
        "thoughts after a text, and no call after them; they come first now"
    ]


def test_a_line_with_several_results_becomes_several_messages() -> None:
    results = [result("t1", [{"type": "text", "text": "one"}]), result("t2", None), {"type": "text", "text": "and?"}]

    session = read_data(
        [
            line("a", None, [call("A", "t1"), call("B", "t2")], role="assistant"),
            line("r", "a", results),
            line("b", "r", role="assistant"),
        ]
    ).pick()

    assert [(node.id, node.role, node.content, node.result_of) for node in session.path()[2:]] == [
        ("r", "tool", "one", "t1"),
        ("r-2", "tool", "", "t2"),
        ("r-3", "user", "and?", None),
        ("b", "assistant", "text of b", None),
    ]


def test_pictures_are_attachments_of_messages_and_of_results() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    picture = {"type": "image", "source": source}
    paper = {"type": "document", "title": "A paper", "source": {"type": "url", "url": "https://example.org/a.pdf"}}

    session = read_data(
        [line("u", None, [{"type": "text", "text": "see"}, picture, paper]), line("r", "u", [result("t", [picture])])]
    ).pick()

    seen, read_ = session["u"].attachments or ()
    assert (seen.type, seen.mime_type, seen.size) == ("image", "image/png", 3)
    assert (read_.type, read_.name) == ("document", "A paper")
    assert [asset.mime_type for asset in session["r"].attachments or ()] == ["image/png"]


def test_sidechains_are_branches_and_never_the_leaf() -> None:
    session = read_data(
        [
            line("u", None),
            line("a", "u", role="assistant"),
            line("x", None, isSidechain=True),
            line("y", "x", role="assistant", isSidechain=True),
        ]
    ).pick()

    assert session.active_leaf_id == "a"
    assert session.children("root") == ("u", "x")
    assert session["x"].meta("claudeCode") == {"isSidechain": True}


def test_lines_of_the_program_link_messages_but_are_disabled() -> None:
    hook = {
        "type": "system",
        "subtype": "hook",
        "content": "Running hook",
        "uuid": "h",
        "parentUuid": "u",
        "sessionId": "s1",
    }

    session = read_data([line("u", None), hook, line("a", "h", role="assistant")]).pick()

    assert [node.id for node in session.path()] == ["root", "u", "h", "a"]
    assert (session["h"].enabled, session["h"].content) == (False, "Running hook")
    assert session["h"].meta("claudeCode") == {"type": "system", "subtype": "hook"}


def progress(uuid: str, parent: str | None) -> dict[str, Any]:
    return {"type": "progress", "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "data": {"type": "hook"}}


def test_lines_of_the_program_that_end_beside_the_conversation_are_no_branches_and_stay_with_what_they_hang_on() -> (
    None
):
    first, hook = progress("p0", None), progress("p1", "a")
    below, last = progress("p2", "p1"), progress("p3", "v")
    found = read_data([first, line("u", None), line("a", "u", role="assistant"), hook, below, line("v", "a"), last])
    session = found.pick()

    assert [node.id for node in session.path()] == ["root", "u", "a", "v", "p3"]
    assert [session.leaves(), found.losses] == [("p3",), ()]
    assert session["a"].meta("claudeCode") == {"asides": [hook, below]}
    assert session.to_data()["claudeCode"] == {"asides": [first]}
    assert read_data(session.to_data()).pick().to_data() == session.to_data()


def test_a_log_of_a_sub_agent_has_an_id_of_its_own() -> None:
    of_agent = {"isSidechain": True, "agentId": "a7"}
    alone = read_data([line("x", None, **of_agent), line("y", "x", role="assistant", **of_agent)]).pick()
    among = read_data([line("u", None), line("x", None, **of_agent)]).pick()

    assert (alone.id, among.id) == ("agent-a7", "s1")
    assert alone.to_data()["claudeCode"] == {"sessionId": "s1"}


def test_a_shortened_conversation_keeps_what_its_summary_stands_for() -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "uuid": "c",
        "parentUuid": None,
        "logicalParentUuid": "a",
        "sessionId": "s1",
    }

    session = read_data(
        [
            line("u", None),
            line("a", "u", role="assistant"),
            boundary,
            line("s", "c", isCompactSummary=True),
            line("v", "s"),
        ]
    ).pick()

    assert [node.id for node in session.path()] == ["root", "u", "a", "c", "s", "v"]
    assert session["s"].is_summary
    assert session["s"].hides == ("u", "a", "c")


def test_sessions_are_told_apart_and_summaries_name_them() -> None:
    summary = {"type": "summary", "summary": "About tea", "leafUuid": "u2"}
    lost = {"type": "summary", "summary": "About nothing", "leafUuid": "elsewhere"}

    found = read_data([summary, line("u1", None), line("u2", None, sessionId="s2"), lost])

    assert [(session.id, session.name) for session in found.sessions] == [("s1", "text of u1"), ("s2", "About tea")]
    assert found.sessions[1].to_data()["claudeCode"] == {"summaries": [summary]}
    assert [loss.place for loss in found.losses] == ["[3]"]


def test_messages_that_are_there_twice_are_kept_once_or_renamed() -> None:
    found = read_data([line("u", None), line("u", None), line("u", None, "another"), line("a", "u", role="assistant")])

    assert {key: node.content for key, node in found.pick().nodes.items() if key != "root"} == {
        "u": "text of u",
        "u~2": "another",
        "a": "text of a",
    }
    assert [str(loss) for loss in found.losses] == [
        "[1]: message 'u' is there twice, word for word; one is kept",
        "[2]: uuid 'u' is there twice; this one is 'u~2' now",
        UNNAMED,
    ]


def test_parents_that_are_missing_or_run_in_a_circle_are_said() -> None:
    found = read_data([line("u", "gone"), line("x", "y"), line("y", "x"), line("z", "y")])

    assert found.pick().check() == ()
    assert len(found.pick()) == 5
    assert [loss.place for loss in found.losses] == ["s1, message 'u'", "s1, message 'x'", "active branch"]


def test_a_log_without_any_links_is_read_in_its_order() -> None:
    found = read_data([line("u", None), line("a", None, role="assistant"), line("v", None)])

    assert [node.id for node in found.pick().path()] == ["root", "u", "a", "v"]
    assert [str(loss) for loss in found.losses] == ["[0]: no message names its parent; they are in the file's order"]


def test_broken_lines_are_lost_with_their_number(tmp_path: Path) -> None:
    snapshot = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}

    found = written(tmp_path, line("u", None), "{broken", 42, {"silly": "this"}, snapshot, snapshot, line("a", "u"))

    assert [node.id for node in found.pick().path()] == ["root", "u", "a"]
    assert [(loss.place.rpartition("/")[2], loss.text[:22]) for loss in found.losses] == [
        ("log.jsonl line 2", "not JSON (column 2: Ex"),
        ("line 3", "no line of a log, but "),
        ("line 4", "no line of a log, but "),
        ("line 5", "2 lines are of type 'f"),
    ]


def test_strange_messages_are_read_somehow() -> None:
    found = read_data(
        [
            line("a", None, message="just text"),
            line("b", "a", message={"role": "user"}),
            line("c", "b", {"no": "list"}),
            line("d", "c", [7, {"type": "hologram"}, {"type": "text", "text": "x", "citations": [1]}]),
            line("e", "d", message={"role": "narrator", "content": "y"}),
            line("f", "e", [result("t", [{"type": "hologram"}])]),
        ]
    )

    assert found.pick().check() == ()
    assert [node.content for node in found.pick().path()[1:]] == [
        "just text",
        "",
        '{"no": "list"}',
        "x",
        "y",
        '{"type": "hologram"}',
    ]
    assert [loss.place for loss in found.losses] == [
        "[0]",
        "[1]",
        "[2]",
        "[3].content[0]",
        "[3].content[1]",
        "[3].content[2]",
        "[4]",
        "[5].content[0].content[0]",
    ]


def test_a_file_of_summaries_holds_no_session() -> None:
    found = read_data([{"type": "summary", "summary": "Tea", "leafUuid": "u"}])

    assert (found.format, found.sessions, len(found.losses)) == ("claude-code", (), 1)


# --- lines of one message of the API


def part(uuid: str, parent: str | None, block: dict[str, Any], *, of: str = "m1", **fields: Any) -> dict[str, Any]:
    """A line with one block of the message `of`."""
    message = {"role": "assistant", "id": of, "content": [block], **fields}
    return line(uuid, parent, role="assistant", message=message)


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_b7_lines_of_one_message_are_one_node() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "xyz"}

    session = read_data(
        [
            line("u", None),
            part("a1", "u", thinking, usage={"output_tokens": 1}, model="claude-5", stop_reason=None),
            part("a2", "a1", said("Let me look."), usage={"output_tokens": 1}, stop_reason=None),
            part("a3", "a2", call("Bash", "t1", command="ls"), usage={"output_tokens": 9}, stop_reason="tool_use"),
            line("r", "a3", [result("t1", "a.txt")]),
            part("b", "r", said("One file."), of="m2"),
        ]
    ).pick()

    assert [(node.id, node.content, node.result_of) for node in session.path()[1:]] == [
        ("u", "text of u", None),
        ("a1", "Let me look.", None),
        ("r", "a.txt", "t1"),
        ("b", "One file.", None),
    ]
    whole = session["a1"]
    assert (whole.reasoning, [asked.id for asked in whole.tool_calls]) == ("Hm.", ["t1"])
    assert (whole.meta("modelId"), whole.timestamp) == ("claude-5", "2026-01-01T00:00:02Z")
    assert whole.meta("claudeCode") == {
        "message": {"id": "m1", "usage": {"output_tokens": 9}, "stop_reason": "tool_use"},
        "lines": [
            {"uuid": "a1", "timestamp": "2026-01-01T00:00:02Z", "message": {"usage": {"output_tokens": 1}}},
            {"uuid": "a2", "timestamp": "2026-01-01T00:00:02Z", "message": {"usage": {"output_tokens": 1}}},
            {"uuid": "a3", "timestamp": "2026-01-01T00:00:02Z"},
        ],
    }
    assert ctxlab.build(session).messages[1]["content"] == "Let me look."


CALLS = [part("a1", "u", call("A", "t1")), part("a2", "a1", call("B", "t2"))]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            [*CALLS, line("r1", "a2", [result("t1", "1")]), line("r2", "r1", [result("t2", "2")])],
            id="results after all calls",
        ),
        pytest.param(
            [*CALLS, line("r1", "a1", [result("t1", "1")]), line("r2", "a2", [result("t2", "2")])],
            id="each result under the line of its call",
        ),
        pytest.param(
            [
                part("a1", "u", call("A", "t1")),
                progress("p1", "a1"),
                part("a2", "p1", call("B", "t2")),
                line("r1", "a1", [result("t1", "1")]),
                progress("p2", "r1"),
                line("r2", "a2", [result("t2", "2")]),
            ],
            id="progress between the calls",
        ),
        pytest.param(
            [
                part("a1", "u", call("A", "t1")),
                line("r1", "a1", [result("t1", "1")]),
                part("a2", "r1", call("B", "t2")),
                line("r2", "a2", [result("t2", "2")]),
            ],
            id="a result before the next call",
        ),
        pytest.param(
            [
                line("a1", "u", [call("A", "t1"), call("B", "t2")], role="assistant"),
                line("r1", "a1", [result("t1", "1")]),
                line("r2", "a1", [result("t2", "2")]),
            ],
            id="one line with both calls, two results beside one another",
        ),
    ],
)
def test_b7_results_of_one_message_stand_in_a_row_behind_it(lines: list[dict[str, Any]]) -> None:
    found = read_data([line("u", None), *lines, part("b", "r2", said("Done."), of="m2")])

    session = found.pick()
    assert (found.losses, session.check()) == ((), ())
    path = [node for node in session.path()[1:] if node.enabled]
    assert [node.id for node in path] == ["u", "a1", "r1", "r2", "b"]
    assert [asked.id for asked in path[1].tool_calls] == ["t1", "t2"]
    assert [node.meta("toolCall") for node in path[2:4]] == [
        {"requestId": "t1", "toolName": "A"},
        {"requestId": "t2", "toolName": "B"},
    ]


def test_b7_branches_of_a_log_stay_branches() -> None:
    session = read_data(
        [
            line("u", None),
            part("a1", "u", said("one"), of="m1"),
            part("a2", "a1", call("A", "t1"), of="m1"),
            part("b1", "u", said("another answer"), of="m2"),
            line("r1", "a2", [result("t1", "first")]),
            line("r2", "a2", [result("t1", "run again")]),
            line("v", "r2"),
            part("c", "v", said("the same id after the user spoke"), of="m1"),
        ]
    ).pick()

    assert session.children("u") == ("a1", "b1")
    assert session.children("a1") == ("r1", "r2")
    assert [node.id for node in session.path()] == ["root", "u", "a1", "r2", "v", "c"]


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["after", "under", "between"])), min_size=1, max_size=6))
def test_b7_every_call_of_a_log_has_its_result_on_the_path(turns: list[tuple[int, str]]) -> None:
    lines = [line("u", None)]
    last = "u"
    for n, (calls, way) in enumerate(turns):
        waiting: list[tuple[str, str]] = []
        for k in range(calls):
            uuid, call_id = f"a{n}-{k}", f"t{n}-{k}"
            lines.append(part(uuid, last, call("A", call_id), of=f"m{n}"))
            last = uuid
            waiting.append((uuid, call_id))
            if way == "between":
                last = _answered(lines, *waiting.pop(), under=uuid)
        for uuid, call_id in waiting:
            last = _answered(lines, uuid, call_id, under=uuid if way == "under" else last)

    path = read_data(lines).pick().path()

    assert [node.role for node in path[2:]] == [r for calls, _ in turns for r in ("assistant", *["tool"] * calls)]
    assert [asked.id for node in path for asked in node.tool_calls] == [n.result_of for n in path if n.role == "tool"]


def _answered(lines: list[dict[str, Any]], uuid: str, call_id: str, *, under: str) -> str:
    lines.append(line(f"r-{uuid}", under, [result(call_id, "done")]))
    return f"r-{uuid}"


@pytest.mark.parametrize(
    "before",
    [
        [],
        [line("m", None, "Caveat: put there by the program", isMeta=True)],
        [line("c", None, "<command-name>/clear</command-name>")],
        [line("r", None, [result("t", "of a tool")]), line("c", "r", [{"type": "text", "text": " <local-command>"}])],
    ],
)
def test_a_session_is_named_by_what_a_person_typed_first(before: list[dict[str, Any]]) -> None:
    typed = line("u", before[-1]["uuid"] if before else None, "点亮灯塔的灯\nand more")

    assert read_data([*before, typed]).pick().name == "点亮灯塔的灯"


# --- lines of the program beside messages


def hook(uuid: str, parent: str | None, **fields: Any) -> dict[str, Any]:
    return {"type": "system", "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "subtype": "stop", **fields}


def answer(uuid: str, parent: str | None, content: Any = None, **fields: Any) -> dict[str, Any]:
    said = line(uuid, parent, content, role="assistant", **fields)
    said["message"]["id"] = f"msg_{uuid}"
    return said


def ways(lines: list[dict[str, Any]], folder: Path) -> list[list[str]]:
    """The path of the session, and what each request of the recording sent."""
    path = folder / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    session = read(path).pick()
    assert session.check() == ()
    recording = ctxlab.read_recording(path)
    sent = [[message.id for message in request.tree.way_to(request.leaf)] for request in recording]
    return [[node.id for node in session.path()[1:] if node.enabled], *sent]


def test_what_follows_a_hook_beside_a_reply_follows_the_reply(tmp_path: Path) -> None:
    lines = [
        line("u1", None),
        answer("a1", "u1"),
        hook("s1", "u1"),
        hook("s2", "s1"),
        line("u2", "s2"),
        answer("a2", "u2"),
    ]
    for order in (lines, [*lines[:1], *lines[2:4], lines[1], *lines[4:]]):
        assert ways(order, tmp_path) == [["u1", "a1", "u2", "a2"], ["u1"], ["u1", "a1", "u2"]]
    assert read_data(lines).losses == ()


def test_what_follows_progress_beside_a_result_follows_what_came_of_the_result(tmp_path: Path) -> None:
    lines = [
        line("u1", None),
        answer("a1", "u1", [call("Bash", "t1")]),
        progress("p1", "a1"),
        line("r1", "a1", [result("t1", "res")]),
        answer("a2", "r1"),
        line("u2", "p1"),
        answer("a3", "u2"),
    ]
    expected = ["u1", "a1", "r1", "a2", "u2", "a3"]
    assert ways(lines, tmp_path) == [expected, ["u1"], ["u1", "a1", "r1"], ["u1", "a1", "r1", "a2", "u2"]]


def test_an_answer_that_follows_progress_beside_its_result_was_sent_the_result(tmp_path: Path) -> None:
    lines = [
        line("u1", None),
        answer("a1", "u1", [call("Bash", "t1")]),
        line("r1", "a1", [result("t1", "res")]),
        progress("p1", "a1"),
        answer("a2", "p1"),
    ]
    assert ways(lines, tmp_path) == [["u1", "a1", "r1", "a2"], ["u1"], ["u1", "a1", "r1"]]


def test_a_prompt_beside_a_line_of_the_program_is_another_branch(tmp_path: Path) -> None:
    begun = [line("u1", None), answer("a1", "u1"), hook("s1", "a1")]
    typed_again = [*begun, line("u2", "s1"), answer("a2", "u2"), line("u3", "s1"), answer("a3", "u3")]
    gone_back = [
        *begun[:2],
        line("u2", "a1"),
        answer("a2", "u2"),
        hook("s1", "a1"),
        line("u3", "s1"),
        answer("a3", "u3"),
    ]
    tried_again = [line("u1", None), answer("a1", "u1"), hook("s1", "u1"), answer("a3", "s1")]
    assert ways(typed_again, tmp_path)[0] == ["u1", "a1", "u3", "a3"]
    assert ways(gone_back, tmp_path)[0] == ["u1", "a1", "u3", "a3"]
    assert ways(tried_again, tmp_path)[0] == ["u1", "a3"]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.booleans()), min_size=1, max_size=8))
def test_hooks_and_progress_anywhere_take_nothing_off_the_path(turns: list[tuple[bool, int, bool]]) -> None:
    """`turns`: whether the model calls a tool, how many notes come after, and whether the next turn hangs on them."""
    lines: list[dict[str, Any]] = []
    said: list[str] = []
    above: str | None = None
    for number, (calls, notes, hangs_on_them) in enumerate(turns):
        lines.append(line(f"u{number}", above))
        block = [call("Bash", f"t{number}")] if calls else None
        lines.append(answer(f"a{number}", f"u{number}", block))
        said += [f"u{number}", f"a{number}"]
        beside = f"a{number}" if calls else f"u{number}"
        if calls:
            lines.append(line(f"r{number}", f"a{number}", [result(f"t{number}", "res")]))
            said.append(f"r{number}")
        above = said[-1]
        for note in range(notes):
            lines.append(hook(f"s{number}-{note}", f"s{number}-{note - 1}" if note else beside))
        if notes and hangs_on_them:
            above = f"s{number}-{notes - 1}"
    lines.append(line("end", above))
    session = read_data([{**each, "timestamp": f"2026-01-01T00:00:{n:02}Z"} for n, each in enumerate(lines)]).pick()
    assert [node.id for node in session.path()[1:] if node.enabled] == [*said, "end"]


def compacted(*, segment: bool) -> list[dict[str, Any]]:
    told = {"preservedSegment": {"headUuid": "u2", "anchorUuid": "c1", "tailUuid": "a2"}} if segment else {}
    return [
        line("u1", None),
        answer("a1", "u1"),
        line("u2", "a1"),
        answer("a2", "u2"),
        hook(
            "b1", None, subtype="compact_boundary", logicalParentUuid="a2", compactMetadata={"trigger": "auto", **told}
        ),
        line("c1", "b1", "A summary.", isCompactSummary=True),
        line("u3", "c1"),
        answer("a3", "u3"),
    ]


def test_messages_that_a_compaction_kept_stand_after_its_summary(tmp_path: Path) -> None:
    session = read_data(compacted(segment=True)).pick()
    assert [node.id for node in session.path()[1:] if node.enabled] == ["u1", "a1", "c1", "u2", "a2", "u3", "a3"]
    assert session["c1"].meta("compressedNodeIds") == ["u1", "a1", "b1"]
    sent = [message["content"] for message in ctxlab.build(session).messages]
    assert sent == ["A summary.\n\n---\n\ntext of u2", "text of a2", "text of u3", "text of a3"]
    last = ways(compacted(segment=True), tmp_path)[-1]
    assert last == ["c1", "u2-kept", "a2-kept", "u3"]
    assert ways(compacted(segment=False), tmp_path)[-1] == ["c1", "u3"]


def test_a_kept_segment_that_is_not_in_the_log_changes_nothing(tmp_path: Path) -> None:
    lines = compacted(segment=True)
    for name in ("headUuid", "anchorUuid", "tailUuid"):
        broken = json.loads(json.dumps(lines))
        broken[4]["compactMetadata"]["preservedSegment"][name] = "gone"
        assert ways(broken, tmp_path) == ways(compacted(segment=False), tmp_path)


# --- logs of other programs with the same envelope


def of_qwen(uuid: str, parent: str | None, role: str, *parts: Any) -> dict[str, Any]:
    return {**line(uuid, parent), "type": role, "message": {"role": role, "parts": list(parts)}}


def test_a_log_whose_messages_hold_no_content_is_refused_by_its_name(tmp_path: Path) -> None:
    lines = [of_qwen("u1", None, "user", {"text": "List files"}), of_qwen("a1", "u1", "assistant", {"text": "One."})]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    for reader in (read, ctxlab.read_recording):
        with pytest.raises(UnknownFormat, match="Qwen Code"):
            reader(path)
    bare = [{**line("u1", None), "message": {"role": "user", "words": "List files"}}]
    with pytest.raises(UnknownFormat, match="without content"):
        read_data(bare)


def test_a_star_of_prompts_and_answers_is_read_in_the_order_of_the_file(tmp_path: Path) -> None:
    lines = [line("h", None), *(line(f"u{n}", "h") if n % 2 else answer(f"a{n}", "h") for n in range(8))]
    found = read_data(lines)
    row = [each["uuid"] for each in lines]
    unlinked = [{**each, "parentUuid": None} for each in lines]
    assert [(ways(each, tmp_path)[0], ways(each, tmp_path)[-1]) for each in (lines, unlinked)] == [(row, row[:-2])] * 2
    assert ["all name it as their parent" in loss.text for loss in found.losses] == [True]
