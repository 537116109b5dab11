"""Calls that run, fail, hang, are refused and are cancelled."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.assets.capabilities import Capabilities
from ctxlab.chat.events import ApprovalAsked, ToolFinished, ToolStarted
from ctxlab.chat.tools import Runner, Tool, ToolCallConfig, artifact_tool, tool, tools_of
from ctxlab.documents import ToolCall
from ctxlab.documents.session.message import MessageNode
from ctxlab.errors import WrongArgument

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x02\x00\x00\x00\x02\x08\x02\x00\x00\x00\xfd\xd4\x9as"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
)
ASKS = ToolCallConfig(enabled=True)
FREE = ToolCallConfig(enabled=True, default_auto_approve=True)
SIDE_BY_SIDE = ToolCallConfig(enabled=True, default_auto_approve=True, parallel_execution=True)


def call(name: str, number: int = 1, /, **arguments: Any) -> ToolCall:
    return ToolCall(f"c{number}", name, json.dumps(arguments))


def results(runner: Runner, *calls: ToolCall, **keywords: Any) -> list[tuple[str, str]]:
    events = runner.run(calls, **keywords)
    return [(each.status, each.node["content"]) for each in events if isinstance(each, ToolFinished)]


def now() -> str:
    return "noon"


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What a hanging tool waits for; it is opened in the end."""
    gate = threading.Event()
    yield gate
    gate.set()


def test_a_result_is_a_node_that_answers_its_call() -> None:
    [started, done] = Runner(tools_of([now])).run([call("now")])

    assert isinstance(started, ToolStarted) and isinstance(done, ToolFinished)
    node = MessageNode.model_validate(done.node)
    assert (node.role, node.content, node.result_of) == ("tool", "noon", "c1")


def test_a_hanging_tool_is_left_and_the_others_go_on(gate: threading.Event) -> None:
    hangs = tool(gate.wait, name="hangs", timeout_seconds=0.05)

    def fails() -> str:
        raise FileNotFoundError(2, "No such file", "/home/me/private/a.txt")

    runner = Runner(tools_of([hangs, fails, now]), FREE)

    assert results(runner, call("hangs"), call("fails", 2), call("now", 3)) == [
        ("timed out", "no result within 0.05 seconds"),
        ("failed", "FileNotFoundError: [Errno 2] No such file: 'a.txt'"),
        ("done", "noon"),
    ]


@pytest.mark.parametrize(
    "words",
    ["sk-abcdefghijklmnop1234", "api_key=verysecretvalue", "https://me:verysecret@host/x", "Bearer verysecretvalue"],
)
def test_keys_in_an_exception_stay_behind(words: str) -> None:
    def fails() -> str:
        raise RuntimeError(f"no:\n{words}")

    [(status, text)] = results(Runner(tools_of([fails])), call("fails"))

    assert status == "failed" and "secret" not in text and "abcdefgh" not in text and "\n" not in text


def test_calls_side_by_side_wait_for_each_other_and_keep_their_order() -> None:
    both = threading.Barrier(2, timeout=120)

    def meet(name: str) -> str:
        both.wait()
        return name

    assert results(Runner(tools_of([meet]), SIDE_BY_SIDE), call("meet", name="a"), call("meet", 2, name="b")) == [
        ("done", "a"),
        ("done", "b"),
    ]


def test_a_cancel_ends_what_runs_and_what_waits(gate: threading.Event) -> None:
    begun = threading.Event()

    def hangs() -> None:
        begun.set()
        gate.wait()

    runner = Runner(tools_of([hangs, now]), FREE)

    found = results(runner, call("hangs"), call("now", 2), is_cancelled=begun.is_set)

    assert [status for status, _ in found] == ["cancelled", "cancelled"]
    assert found[1][1] == "cancelled before it began"


def test_coroutines_and_generators_are_run_to_their_end() -> None:
    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    def several() -> Iterator[int]:
        yield from (1, 2)

    runner = Runner(tools_of([later, several]))

    assert results(runner, call("later"), call("several", 2)) == [("done", "later"), ("done", "[1, 2]")]


def test_results_are_text_json_or_files(tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "a.png").write_bytes(PNG)
    values: list[Any] = [None, "a", {"b": [1, "二"]}, PNG, tmp_path / "a.png", Image.new("RGB", (2, 2)), ["see", PNG]]

    def give(number: int) -> Any:
        return values[number]

    events = Runner(tools_of([give])).run([call("give", number=number) for number in range(len(values))])
    nodes = [each.node for each in events if isinstance(each, ToolFinished)]

    assert [node["content"] for node in nodes[:3]] == ["(no result)", "a", '{"b": [1, "二"]}']
    assert [node["attachments"][0]["mimeType"] for node in nodes[3:]] == ["image/png"] * 4
    assert nodes[6]["content"] == "see" and "attachments" not in nodes[2]
    assert str(tmp_path) not in json.dumps(nodes)


def test_a_long_result_is_cut_and_says_so() -> None:
    def long() -> str:
        return "x" * 10_000_000

    [(status, text)] = results(Runner(tools_of([long])), call("long"))

    assert status == "done" and len(text) < 101_000
    assert text.endswith("[cut here: 100,000 of 10,000,000 characters are shown]")


def test_a_routed_artifact_is_a_file_of_the_result(tmp_path: Path) -> None:
    store = AssetFolder(tmp_path)
    asset = store.add(PNG, name="map.png")
    runner = Runner([artifact_tool(store, Capabilities(frozenset({"text", "vision"})))])

    [seen, missing] = [
        each
        for each in runner.run([call("get_artifact", ref=f"artifact:{asset.id}"), call("get_artifact", 2, ref="no")])
        if isinstance(each, ToolFinished)
    ]

    assert seen.node["attachments"][0]["name"] == "map.png"
    assert missing.status == "failed" and "artifact_not_found" in missing.node["content"]


# --- approval


def test_nobody_asked_means_that_nothing_runs() -> None:
    ran: list[str] = []

    def run() -> None:
        ran.append("run")

    [(status, text)] = results(Runner(tools_of([run]), ASKS), call("run"))

    assert (status, ran) == ("refused", []) and "approve=" in text


def test_an_approval_runs_what_it_was_asked_about() -> None:
    asked: list[str] = []

    def approve(each: ToolCall) -> bool | str:
        asked.append(each.id)
        return True if each.id == "c1" else "not at night"

    runner = Runner(tools_of([now]), ASKS, approve=approve)
    events = list(runner.run([call("now"), call("now", 2)]))

    assert events[0] == ApprovalAsked(("c1", "c2")) and asked == ["c1", "c2"]
    assert results(runner, call("now"), call("now", 2)) == [
        ("done", "noon"),
        ("refused", "refused by the user: not at night"),
    ]


def test_names_of_tools_are_an_approval() -> None:
    runner = Runner(tools_of([now, tool(now, name="then")]), ASKS, approve={"now"})

    assert [status for status, _ in results(runner, call("now"), call("then", 2))] == ["done", "refused"]


def test_the_agents_rules_approve() -> None:
    config = ToolCallConfig(enabled=True, auto_approve_tools={"clock": True}, auto_approve_methods={"clock.set": False})
    runner = Runner(tools_of([tool(now, name="clock.now"), tool(now, name="clock.set")]), config)

    assert [status for status, _ in results(runner, call("clock.now"), call("clock.set", 2))] == ["done", "refused"]


def test_a_cancel_ends_the_waiting_for_a_word(gate: threading.Event) -> None:
    asked = threading.Event()

    def approve(each: ToolCall) -> bool:
        asked.set()
        return gate.wait()

    runner = Runner(tools_of([now]), ASKS, approve=approve)

    assert [status for status, _ in results(runner, call("now"), call("now", 2), is_cancelled=asked.is_set)] == [
        "cancelled",
        "cancelled",
    ]


def test_an_unknown_tool_and_one_that_is_off_are_results() -> None:
    config = ToolCallConfig(enabled=True, default_auto_approve=True, tool_toggles={"then": False})
    runner = Runner(tools_of([now, tool(now, name="then")]), config)

    [(_, unknown), (_, off), (_, nameless)] = results(runner, call("nwo"), call("then"), ToolCall("c", ""))

    assert unknown == "tool 'nwo' is not known; did you mean 'now'?"
    assert off.startswith("tool 'then' is switched off")
    assert nameless == "the call names no tool"


def test_a_text_is_no_set_of_names() -> None:
    with pytest.raises(WrongArgument, match="a function of a call or a set of names"):
        Runner([], approve="now")


# --- tasks


def test_a_task_answers_at_once_and_later_requests_show_its_state(gate: threading.Event) -> None:
    import ctxlab

    def dive(depth: int) -> str:
        gate.wait()
        return f"{depth} m"

    made: Tool = tool(dive, background=True)
    runner = Runner([made], FREE)
    [(_, answer)] = results(runner, call("dive", depth=3))
    session = ctxlab.Session(id="s").append("go", id="a")
    session = session.append(
        "", role="assistant", metadata={"toolCallsRequested": [{"requestId": "c1", "toolName": "dive"}]}
    )
    session = session.append(answer, role="tool", metadata={"toolCall": {"requestId": "c1", "toolName": "dive"}})

    before = str(ctxlab.build(session, tasks=runner.states()).result.drafts[-1].text)
    gate.set()
    assert made.tasks is not None and made.tasks.wait(120)
    after = str(ctxlab.build(session, tasks=runner.states()).result.drafts[-1].text)

    assert json.loads(answer) == {"type": "async_task", "taskId": "c1", "status": "running"}
    assert '"status": "running"' in before and after == "The task is completed. Its result:\n3 m"


def test_the_files_that_a_task_gives_come_along_to_where_its_result_is_put() -> None:
    import ctxlab

    chart = ctxlab.tool(lambda: ["The tide.", PNG], name="chart", description="A chart", background=True)

    def model(messages: list[dict[str, Any]]) -> Any:
        if not any(message["role"] == "tool" for message in messages):
            call = {"id": "c1", "type": "function", "function": {"name": "chart", "arguments": "{}"}}
            return {"content": "", "tool_calls": [call]}
        return "Begun." if messages[-1]["role"] == "tool" else "Here it is."

    chat = ctxlab.Session(id="s").append("Hi", id="u").append("Hello", role="assistant", id="a")
    begun = ctxlab.send(chat, "A chart, please", model=model, tools=[chart])
    assert chart.tasks is not None and chart.tasks.wait(120)
    later = ctxlab.send(begun.session, "Is it there?", model=model, tools=[chart])

    (drawn,) = [draft for draft in later.requests[0].trace.result.drafts if draft.role == "tool"]
    assert str(drawn.text).startswith("The task is completed. Its result:\nThe tide.")
    assert [asset.mime_type for asset in drawn.assets] == ["image/png"]
    assert "data:image/png;base64," in later.requests[0].payload.as_bytes().decode()


def test_a_task_that_fails_says_so() -> None:
    def sink() -> None:
        raise ValueError("leak")

    made = tool(sink, background=True)
    results(Runner([made], FREE), call("sink"), call("sink"))

    assert made.tasks is not None and made.tasks.wait(120)
    assert made.tasks.states() == {name: {"status": "failed", "error": "ValueError: leak"} for name in ("c1", "c1-2")}
