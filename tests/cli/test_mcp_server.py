"""`ctxlab mcp` as its own client sees it, and what keeps it inside its folder."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ctxlab import api
from ctxlab.cli.mcp_server.answers import LONGEST_ANSWER, json_text
from ctxlab.cli.mcp_server.server import server_of
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from tests.cli.conftest import DATASETS, Run

mcp = pytest.importorskip("mcp")

HARBOUR = {"file": "harbour_roleplay.session.json", "budget_tokens": 1800}
T = TypeVar("T")
Ask = Callable[[Any], Awaitable[T]]
Built = Callable[..., Trace]


def asked(server: Any, ask: Ask[T]) -> T:
    """What a client of a server learns: one in this process, or parameters of one to start."""

    async def session() -> T:
        async with mcp.Client(server) as client:
            return await ask(client)

    return asyncio.run(session())


def called(folder: Path, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a tool said no, and its text."""

    async def call(client: Any) -> Any:
        return await client.call_tool(tool, arguments)

    result = asked(server_of(folder), call)
    return bool(result.is_error), result.content[0].text


def answer(folder: Path, tool: str, **arguments: Any) -> Any:
    refused, text = called(folder, tool, **arguments)
    assert not refused, text
    return json.loads(text)


def refusal(folder: Path, tool: str, **arguments: Any) -> str:
    refused, text = called(folder, tool, **arguments)
    assert refused, text
    return text


def test_a_client_over_standard_input_and_output_lists_the_tools_and_is_answered(built: Built) -> None:
    async def ask(client: Any) -> tuple[list[Any], list[Any]]:
        tools = (await client.list_tools()).tools
        first = await client.call_tool("build", {"run": HARBOUR})
        second = await client.call_tool("where", {"run": HARBOUR, "words": "沈砚"})
        refused = await client.call_tool("build", {"run": {"file": "../pyproject.toml"}})
        return tools, [first, second, refused]

    command = mcp.StdioServerParameters(command=sys.executable, args=["-m", "ctxlab.cli", "mcp", str(DATASETS)])
    tools, (first, second, refused) = asked(command, ask)

    assert [tool.name for tool in tools] == ["build", "why", "where", "lore_scan", "diff", "check"]
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
    trace = built(budget_tokens=1800)
    said = json.loads(first.content[0].text)
    assert said["tokens"] == trace.tokens
    assert [each["role"] for each in said["messages"]] == [each["role"] for each in trace.messages]
    assert json.loads(second.content[0].text)
    assert refused.is_error and "outside the folder" in refused.content[0].text


def test_build_gives_the_messages_and_what_is_cut_with_its_cause(built: Built) -> None:
    whole = answer(DATASETS, "build", run=HARBOUR, whole=True)
    trace = built(budget_tokens=1800)

    assert [each["text"] for each in whole["messages"]] == [each["content"] for each in trace.messages]
    assert [each["key"] for each in whole["cut"]] == list(trace.cuts()["key"])
    assert all(each["why"] for each in whole["cut"])


def test_why_says_what_would_keep_a_message_that_is_cut() -> None:
    cuts = answer(DATASETS, "build", run=HARBOUR)["cut"]
    cut = next(each["key"] for each in cuts if each["step"] == "token-limiter")
    (life,) = answer(DATASETS, "why", run=HARBOUR, message=cut)
    enough = {**HARBOUR, "settings": life["remedy"]["settings"]}

    assert not life["sent"] and life["least_budget"]["whole_tokens"] > 1800
    assert answer(DATASETS, "why", run=enough, message=cut)[0]["sent"]
    assert refusal(DATASETS, "why", run=HARBOUR, message=cut, rule="x").endswith("give one of them")


def test_diff_tells_two_runs_apart() -> None:
    same = answer(DATASETS, "diff", before=HARBOUR, after=HARBOUR)
    wider = answer(DATASETS, "diff", before=HARBOUR, after={**HARBOUR, "budget_tokens": 2600})

    assert same["changes"] == [] and same["tokens"]["before"] == same["tokens"]["after"]
    assert wider["tokens"]["after"] > wider["tokens"]["before"]
    assert {each["kind"] for each in wider["changes"]} & {"only in b"}


def test_a_text_is_scanned_for_lore() -> None:
    found = answer(DATASETS, "lore_scan", books=["harbour_lore.json"], text="灯塔 lighthouse")

    assert found["entries"] == len(found["decisions"]) > 0


def test_a_recording_is_checked() -> None:
    found = answer(DATASETS, "check", run={"file": "tidebook_agent.ctxrec.jsonl"})

    assert "unused-tools" in {each["rule"] for each in found["findings"]}
    assert str(DATASETS) not in json.dumps(found)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        "../secret.json",
        "/etc/passwd",
        "a\0b",
        "x" * 5_000,
        "out.json",
        "out/secret.json",
        "missing.json",
        "~",
    ],
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "served"
    folder.mkdir()
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps([{"role": "user", "content": "the word is heron"}]))
    (folder / "out.json").symlink_to(secret)
    (folder / "out").symlink_to(tmp_path)

    text = refusal(folder, "build", run={"file": name})

    assert "heron" not in text and str(tmp_path) not in text


@pytest.mark.parametrize("beside", ["talk.agent.json", "talk_lore.json", "talk/subagents/a.jsonl"])
def test_what_is_read_along_does_not_lead_out_either(tmp_path: Path, beside: str) -> None:
    folder = tmp_path / "served"
    folder.mkdir()
    api.write(api.example("harbour").session(), folder / "talk.session.json")
    (folder / beside).parent.mkdir(parents=True, exist_ok=True)
    (folder / beside).symlink_to(DATASETS / "harbour_roleplay.agent.json")

    assert "leads out" in refusal(folder, "build", run={"file": "talk.session.json"})


def test_other_options_than_a_file_are_kept_inside_too() -> None:
    for option in ({"agent": "/etc/hostname"}, {"user": "../README.md"}, {"books": ["../x"]}, {"rules": ["/dev/null"]}):
        assert "outside the folder" in refusal(DATASETS, "build", run={**HARBOUR, **option})


def test_wrong_arguments_are_told_and_nothing_else() -> None:
    assert "budget_tokns" in refusal(DATASETS, "build", run={**HARBOUR, "budget_tokns": 5})
    assert "token-limiter" in refusal(DATASETS, "build", run={**HARBOUR, "settings": {"token-limitr.budget": 1}})
    assert str(DATASETS) not in refusal(DATASETS, "build", run={"file": "README.md"})


def test_a_broken_character_and_a_long_answer_stay_json() -> None:
    assert json.loads(json_text({"a": "\ud83d"})) == {"a": "\ud83d"}
    long = json_text({"messages": [{"text": "x" * 900} for _ in range(5_000)]})
    assert len(long) <= LONGEST_ANSWER and "too long" in json.loads(long)["shortened"]


def test_a_folder_that_is_none_is_refused(run: Run, tmp_path: Path) -> None:
    result = run("mcp", tmp_path / "nowhere")

    assert result.code == 2 and "is no folder" in result.err
    with pytest.raises(CtxlabError):
        server_of(DATASETS / "harbour_lore.json")
