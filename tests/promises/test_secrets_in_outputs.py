"""A key in any place of a file, a request, a reply or the environment is in no output, nor is a piece of it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
import typer

import ctxlab
import ctxlab_widgets
from ctxlab.cli import main
from ctxlab.cli.app import app
from ctxlab.cli.commands.serve_fake import serve
from ctxlab.recordings.recorder.read_records import read_records
from ctxlab.secrets import SecretMask, secrets_of_environment
from ctxlab.testing import FakeReply, FakeServer
from tests.planted_keys import AROUND, keys, pieces_of, surrounded

ONE, OTHER = keys("one"), keys("other")
CHATML = Path(__file__).parents[2] / "datasets" / "chatml.jinja"
PLANTED = ("openai project", "github", "aws", "anthropic", "private", "token")


class Planter:
    """Puts another key in other surroundings into each text that it is given."""

    def __init__(self, made: dict[str, str] = ONE) -> None:
        self._made, self.number, self.keys = made, 0, list[str]()

    def __call__(self, words: str = "") -> str:
        key = self._made[PLANTED[self.number % len(PLANTED)]]
        around = AROUND[(7 * self.number) % len(AROUND)]
        self.number += 1
        self.keys.append(key)
        return f"{words} {surrounded(key, around)} {words}".strip()

    def everywhere(self, value: Any, keep: tuple[str, ...] = ()) -> Any:
        """JSON with a key in each of its texts but those of fields that a format goes by."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.everywhere(each, keep) for each in value]
        if isinstance(value, dict):
            return {name: each if name in keep else self.everywhere(each, keep) for name, each in value.items()}
        return value


def assert_no_piece(text: str, found: Any = None) -> None:
    for made in (ONE, OTHER):
        for vendor in PLANTED:
            pieces = [*pieces_of(made[vendor], text)]
            at = text.find(pieces[0]) if pieces else 0
            assert not pieces, (vendor, found, text[max(0, at - 200) : at + 80])


# --- commands

FILLER = "the harbour light burned through the night and the keeper wrote it down "
PAGES = ("page.html", "recording.html", "figure.html")


def write_files(folder: Path, made: dict[str, str]) -> None:
    plant = Planter(made)
    session = ctxlab.Session(id="s-1", name=plant("harbour"))
    for turn in range(6):
        session = session.append(plant("lantern " + FILLER * turn), role="user", id=f"u{turn}", name=plant("who"))
        session = session.append(plant("answer " + FILLER), role="assistant", id=f"a{turn}")
    (folder / "chat.session.json").write_text(json.dumps(session.to_data()), encoding="utf-8")
    entry = {"keys": ["lantern", plant()], "content": plant("lore"), "extensions": {}, "enabled": True}
    entry |= {"insertion_order": 1, "name": plant("entry"), "comment": plant("entry")}
    data = {name: plant(name) for name in ("description", "personality", "scenario", "first_mes", "system_prompt")}
    data |= {"name": "Ann", "character_book": {"name": "book", "entries": [entry], "extensions": {}}}
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    (folder / "ann.card.json").write_text(json.dumps(card), encoding="utf-8")
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, _log(plant))), encoding="utf-8")


def _log(plant: Planter) -> Iterator[dict[str, Any]]:
    """A log of Claude Code, whose keys nobody masked."""
    above: str | None = None
    for turn in range(4):
        use = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": plant("curl")}}
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": plant(FILLER), "is_error": turn == 2}
        usage = {"input_tokens": 900, "output_tokens": 9, "cache_creation_input_tokens": 90}
        answer = {"content": [{"type": "text", "text": plant("a")}, use], "id": f"m{turn}", "usage": usage}
        for kind, message in (
            ("user", {"content": plant("question")}),
            ("assistant", {"model": "claude-sonnet-4-5", "type": "message", **answer}),
            ("user", {"content": [result]}),
        ):
            id = f"{kind}-{turn}-{'content' in message and isinstance(message['content'], list)}"
            row = {"uuid": id, "parentUuid": above, "type": kind, "message": {"role": kind, **message}}
            yield {**row, "sessionId": "z", "timestamp": f"2026-01-01T00:0{turn}:00Z", "version": "2"}
            above = id


CALLS: dict[str, tuple[str, ...]] = {
    "build": ("chat.session.json --budget 1300", "chat.session.json --agent ann.card.json", "{key}.json"),
    "explain": (
        *(
            "chat.session.json --budget 1300",
            "chat.session.json --budget 1300 --key u1",
            "chat.session.json --key {key}",
        ),
        *("chat.session.json --text lantern", "chat.session.json --text lantern --format json"),
        "chat.session.json --agent ann.card.json --entry lantern",
    ),
    "tree": ("chat.session.json",),
    "report": (
        "chat.session.json --budget 1300 --agent ann.card.json --out page.html",
        "log.jsonl --as recording --out recording.html",
    ),
    "ledger": ("chat.session.json --budget 1300",),
    "compress": ("chat.session.json",),
    "compare": ("chat.session.json --budgets 1300,1500 --strategies sliding,bm25",),
    "lore": tuple(f"chat.session.json --agent ann.card.json {form}" for form in ("", "--json", "--csv")),
    "convert": ("chat.session.json copy.md", "{key} copy.md"),
    "request": ("chat.session.json --provider openai --agent ann.card.json",),
    "render": tuple(
        f"chat.session.json --agent ann.card.json --template {CHATML} --format {form}{asked}"
        for form in ("text", "json")
        for asked in ("", " --why lantern", " --why node:u5", " --why {key}")
    ),
    "assets": ("ann.card.json", "ann.card.json --format json"),
    "minimise": ("chat.session.json --budget 1300 --keeps node:u5",),
    "ablate": ("chat.session.json --budget 1300 --only step", "chat.session.json --only step --format json"),
    "study": ("{key}.toml",),
    "survey": ("chat.session.json --budgets 1300",),
    "check": tuple(
        f"{file} --format {form}" for file in ("chat.session.json", "log.jsonl") for form in ("text", "json", "sarif")
    ),
    "prefix": tuple(f"log.jsonl --format {form}" for form in ("text", "json", "csv")),
    "compressions": ("log.jsonl", "log.jsonl --format json"),
    "workspace": ("create ws", "import ws chat.session.json", "list ws", "list ws --json", "check ws"),
    "search": ("ws lantern", "ws lantern --json"),
    "review": ("--base {key}",),
}
"""Calls of each command."""
ELSEWHERE = {
    "step": "its prompt is tried below",
    "chat": "a talk is tried below",
    "demo": "its conversation comes with ctxlab, and it takes no other",
    "mcp": "its answers are tried below",
    "record": "the recorder is tried below",
    "serve-fake": "its lines are tried below",
    "lab": "it starts JupyterLab on a notebook whose cells name the file, and prints nothing of what is in it",
}
AS_IT_IS = "messages that go on from here: build and request --format json, convert, compress --out, backups"


def _commands() -> set[str]:
    return set(cast("Any", typer.main.get_command(app)).commands)


def test_every_command_is_tried() -> None:
    assert _commands() == set(CALLS) | set(ELSEWHERE)


@pytest.mark.parametrize("command", CALLS)
def test_no_command_shows_a_piece_of_a_key(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, ONE)
    if command == "search":
        main(["workspace", "create", "ws"])
        main(["workspace", "import", "ws", "chat.session.json"])
    for call in CALLS[command]:
        words = [command, *(word.format(key=ONE["openai project"]) for word in call.split())]
        code = main(words)
        shown = b"\n".join(capfdbinary.readouterr()).decode()
        for page in PAGES:
            shown += (tmp_path / page).read_text() if (tmp_path / page).is_file() else ""

        assert ("{key}" in call) or code in (0, 1, 3), (call, shown[-300:])
        assert shown.strip()
        assert_no_piece(shown, call)


def _typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{' '.join(line.split())}\n" for line in lines)))


def test_the_prompt_of_step_shows_no_piece_of_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, ONE)
    _typed(
        monkeypatch,
        *("show", "n", "show", "diff", "b", "r", "show", "show u5", "why u1", "why u5", "where lantern", "lore"),
        *("lore lantern", f"lore {ONE['aws']}", "rules", "vars", "diff", "drop u3", "show", f"why {ONE['github']}"),
        *("help", f"{ONE['openai project']}", "set token-limiter.budget_tokens=1500", "r", "q"),
    )
    assert main(["step", "chat.session.json", "--agent", "ann.card.json", "--budget", "1300"]) == 0
    shown = b"\n".join(capfdbinary.readouterr()).decode()

    assert shown.count("lantern") > 20
    assert_no_piece(shown)


def test_a_talk_shows_no_piece_of_a_key_of_the_file_the_question_or_the_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", ONE["github"])
    write_files(tmp_path, ONE)
    plant = Planter()
    replies = [FakeReply(f"{plant('said')} and {plant('again')}", thinking=plant("thought")) for _ in range(6)]
    failure = FakeReply(message=plant("no"), status=400)
    with FakeServer([*replies, failure]) as server:
        asked = ("--provider", "openai", "--model", "gpt-4o", "--base-url", server.base_url("openai"))
        _typed(monkeypatch, *(plant("question") for _ in range(6)), "/why", "/why u1", "/budget", "/tree", "/compress")
        main(["chat", "chat.session.json", "--agent", "ann.card.json", *asked, "--out", "out.session.json"])
        _typed(monkeypatch, plant("refused"), "/regenerate", f"/save {ONE['aws']}/x.json", f"/{ONE['aws']}", "/undo")
        main(["chat", "chat.session.json", *asked, "--out", "two.session.json"])
    shown = b"\n".join(capfdbinary.readouterr()).decode()

    assert shown.count("said") >= 12
    assert_no_piece(shown)


def test_the_lines_of_a_fake_vendor_show_no_piece_of_a_key(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    until = threading.Event()
    said = threading.Thread(target=serve, kwargs={"port": 0, "script": None, "until": until}, daemon=True)
    said.start()
    lines, plant = [b"", b""], Planter()  # of both streams, each as it goes on: a line may come in pieces

    def shown() -> str:
        for number, more in enumerate(capfdbinary.readouterr()):
            lines[number] += more
        return b"\n".join(lines).decode()

    while "any key will do" not in shown():
        assert said.is_alive()
        time.sleep(0.02)
    base = re.search(r"http://\S+/v1(?=\s)", shown())
    assert base is not None
    for path in ("chat/completions", f"chat/completions?key={ONE['aws']}", ONE["openai project"]):
        body = {"model": "gpt-4o", "messages": [{"role": "user", "content": plant("question")}], plant("x"): 1}
        httpx.post(f"{base[0]}/{path}", headers={"authorization": f"Bearer {ONE['github']}"}, json=body)
    until.set()
    said.join()

    assert shown().count("POST") >= 3
    assert_no_piece(shown())


def _one_letter_else(key: str) -> str:
    """The key with another letter in its middle."""
    at = len(key) // 2
    return key[:at] + ("Q" if key[at] != "Q" else "R") + key[at + 1 :]


def test_a_review_of_changed_keys_shows_no_piece_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    monkeypatch.chdir(tmp_path)
    nobody = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    nobody |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for name, value in nobody.items():
        monkeypatch.setenv(name, value)
    changed = {vendor: _one_letter_else(ONE[vendor]) for vendor in PLANTED}
    subprocess.run(["git", "init", "-q"], check=True)
    for made in (ONE, changed):
        for vendor in PLANTED:
            content = [{"role": "user", "content": f"{FILLER * 4}see {made[vendor]} there {FILLER * 9}"}]
            (tmp_path / f"{vendor}.openai.json").write_text(json.dumps(content), encoding="utf-8")
        if made is ONE:
            subprocess.run(["git", "add", "-A"], check=True)
            subprocess.run(["git", "commit", "-qm", "one"], check=True)
    assert main(["review", "--base", "HEAD", "--sarif", "out.sarif"]) in (0, 1)
    shown = b"\n".join(capfdbinary.readouterr()).decode() + (tmp_path / "out.sarif").read_text()

    assert f"{len(PLANTED)} conversations changed" in shown
    assert_no_piece(shown)


def test_what_an_analysis_answers_has_no_piece_of_a_key(tmp_path: Path) -> None:
    write_files(tmp_path, ONE)
    recording = ctxlab.read_recording(tmp_path / "log.jsonl")
    session = ctxlab.load(tmp_path / "chat.session.json")
    trace, shorter = (ctxlab.build(session, budget_tokens=budget) for budget in (1300, 1600))
    other = ctxlab.build(session.edit("u5", _one_letter_else(session["u5"].content)), budget_tokens=1300)
    values: list[Any] = [recording, trace, ctxlab.check(recording), ctxlab.check(trace), recording.prefix()]
    values += [ctxlab.diff(trace, shorter), ctxlab.diff(trace, other), trace.why("node:u1"), trace.ledger(), session]
    values += [trace.result, trace.result.drafts[0], trace.result.drafts[0].text, recording.requests[0]]

    for value in values:
        assert_no_piece(repr(value), type(value))
        assert_no_piece(str(value) if isinstance(value, ctxlab.Diff) else "", type(value))
        if hasattr(value, "_repr_html_"):
            assert_no_piece(value._repr_html_(), type(value))


HALF, OTHER_HALF = ONE["openai project"][:30], ONE["openai project"][30:]


def split_run() -> ctxlab.Trace:
    """A run in which a card and a macro, and a message and a rule, hold a key between them."""
    text = f"{{{{setvar::k::{OTHER_HALF}}}}}the key is {HALF}{{{{getvar::k}}}} there"
    data = {"name": "Ann", "description": text}
    agent = ctxlab.read_data({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).agent()
    rule = {"id": "r", "scriptName": "half", "findRegex": "/HALF/g", "replaceString": OTHER_HALF, "placement": [1, 2]}
    session = ctxlab.Session(id="s").append(f"my key {HALF}HALF works {FILLER}", role="user", id="u1")
    session = session.append(f"ok {FILLER}", role="assistant", id="a1").append(f"{HALF}HALF", role="user", id="u2")
    run = ctxlab.build(session, agent, rules=ctxlab.read_data({**rule, "promptOnly": True}).rules)
    assert all(ONE["openai project"] in run.messages[at]["content"] for at in (0, 1))
    return run


def test_no_answer_has_a_piece_of_a_key_that_two_writers_hold_between_them() -> None:
    run = split_run()
    shorter = run.rerun({"regex-processor.enabled": False})
    values: list[Any] = [run, run.result, *run.result.drafts, *(run.changes(step) for step in range(len(run.steps)))]
    values += [run.why("node:u1"), run.where("works"), run.where("HALF"), ctxlab.diff(run, shorter), run.ledger()]
    values += [report for report in run.result.reports if report.name == "rule-hits"]

    for value in values:
        assert_no_piece(repr(value), type(value))
        if hasattr(value, "_repr_html_"):
            assert_no_piece(value._repr_html_(), type(value))


VIEWS = (
    *("Compare", "InjectionMap", "LoreView", "RequestView", "RuleView", "SentView", "StepDebugger", "TokenBudget"),
    *("TokenView", "BranchTree"),
)


@pytest.mark.parametrize("view", ["report", *VIEWS])
def test_no_page_has_a_piece_of_a_key_that_two_writers_hold_between_them(view: str, tmp_path: Path) -> None:
    run = split_run()
    shown = run if view == "report" else getattr(ctxlab_widgets, view)(run)
    ctxlab_widgets.report(shown, tmp_path / "page.html")

    assert_no_piece((tmp_path / "page.html").read_text(), view)


def test_no_page_of_the_text_that_a_model_reads_has_a_piece_of_a_key(tmp_path: Path) -> None:
    cuts = ctxlab.JinjaTemplate(
        "{% for m in messages %}{% if not loop.last %}<|im_start|>{{ m.content[:60] }}{{ m.content[60:] }}{% endif %}\n"
        "{% endfor %}",
        "cuts",
    )
    view = ctxlab_widgets.SentView(split_run(), template=cuts, reading="text")

    ctxlab_widgets.report(view, tmp_path / "page.html")

    assert {effect.kind for effect in view.rendered.effects} >= {"dropped"}
    assert_no_piece((tmp_path / "page.html").read_text(), "text")
    assert_no_piece(view.rendered._repr_html_(), "rendered")


def test_no_answer_of_the_mcp_server_has_a_piece_of_a_key(tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp")
    from ctxlab.cli.mcp_server.server import server_of

    write_files(tmp_path, ONE)
    run = {"file": "chat.session.json", "budget_tokens": 1300}
    carded = {"file": "chat.session.json", "agent": "ann.card.json"}
    calls: dict[str, tuple[dict[str, Any], ...]] = {
        "build": ({"run": run}, {"run": {**run, "whole": True}}, {"run": {"file": ONE["github"]}}, {"run": carded}),
        "why": ({"run": run, "message": "node:u1"}, {"run": run, "message": ONE["openai project"]}),
        "where": ({"run": run, "words": "lantern"},),
        "lore_scan": ({"books": ["ann.card.json"], "text": f"lantern {ONE['aws']}"}, {"run": carded}),
        "diff": ({"before": run, "after": {**run, "budget_tokens": 1600}},),
        "check": tuple({"run": {"file": file}} for file in ("chat.session.json", "log.jsonl")),
    }

    async def ask() -> dict[str, list[Any]]:
        async with mcp.Client(server_of(tmp_path)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == set(calls)
            return {name: [await client.call_tool(name, each) for each in calls[name]] for name in calls}

    for name, results in asyncio.run(ask()).items():
        assert any(not each.is_error for each in results), (name, results)
        for each in results:
            assert_no_piece(each.content[0].text, name)


# --- the recorder

BODY = {
    "model": "gpt-4o",
    "instructions": "be brief",
    "metadata": {"note": "x", "deep": [{"a": ["b"]}]},
    "user": "u",
    "tools": [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"enum": ["e"]}}},
        {"type": "mcp", "server_label": "l", "server_url": "https://m.example/", "headers": {"X-Custom": "h"}},
    ],
    "mcp_servers": [{"type": "url", "url": "https://m.example", "authorization_token": "t", "env": {"A_KEY": "k"}}],
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": "u"}}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": "n", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "out"},
    ],
}
REPLY = {
    "id": "r",
    "choices": [{"message": {"role": "assistant", "content": "c", "reasoning_content": "r"}, "finish_reason": "stop"}],
    "error": {"message": "m", "param": "p"},
    "deep": {"a": [{"b": "c"}]},
}


@pytest.mark.parametrize("stream", [False, True])
def test_a_recording_has_no_piece_of_a_key(tmp_path: Path, stream: bool) -> None:
    plant = Planter()
    for start in range(len(AROUND) // 4):
        plant.number = 31 * start
        body, reply = plant.everywhere(BODY, ("role", "type")), plant.everywhere(REPLY, ("role", "finish_reason"))
        text = plant("a stream")
        pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
        events = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
        content = "".join(f"data: {json.dumps(event)}\n\n" for event in events) if stream else json.dumps(reply)
        kind = "text/event-stream" if stream else "application/json"
        answer = httpx.Response(200, content=content, headers={"content-type": kind, "x-request-id": ONE["github"]})
        client = httpx.Client(transport=httpx.MockTransport(lambda _, answer=answer: answer))
        headers = {"authorization": f"Bearer {ONE['anthropic']}", "user-agent": f"me/{ONE['aws']}"}
        headers |= {"http-referer": f"https://x.example/?token={ONE['github']}", "x-title": ONE["github"]}
        with ctxlab.recording(
            client, tmp_path / "r.ctxrec.jsonl", program=plant("p").encode("ascii", "ignore").decode()
        ):
            url = f"https://u:{ONE['github']}@h.example/{ONE['aws']}/v1/chat/completions?sig={ONE['aws']}"
            client.post(url, headers=headers, json=body)

    written = (tmp_path / "r.ctxrec.jsonl").read_text()
    assert written.count('"events"' if stream else '"reply":') == len(AROUND) // 4
    assert_no_piece(written)


def _streamed(pieces: list[str], form: str) -> tuple[bytes, str]:
    """The pieces as the body of a stream, and its type."""
    chunks = [{"delta": piece} for piece in pieces]
    match form:
        case "events":
            return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode(), "text/event-stream"
        case "bare events":
            return "".join(f"data: {piece}\n\n" for piece in pieces).encode(), "text/event-stream"
        case "lines":
            return "\n".join(map(json.dumps, chunks)).encode(), "application/x-ndjson"
        case _:
            return json.dumps(chunks).encode(), "application/json"


@pytest.mark.parametrize("form", ["events", "bare events", "lines", "list"])
@pytest.mark.parametrize("known", [False, True])
def test_a_key_that_a_stream_cuts_is_in_a_recording_by_no_piece(tmp_path: Path, form: str, known: bool) -> None:
    key = PLAIN if known else ONE["openai project"]
    said = f"the key is {key} as you said"
    pieces = [said[at : at + 4] for at in range(0, len(said), 4)]
    content, kind = _streamed(pieces, form)
    answer = httpx.Response(200, content=content, headers={"content-type": kind})
    client = httpx.Client(transport=httpx.MockTransport(lambda _: answer))
    headers = {"authorization": f"Bearer {PLAIN}"} if known else {}
    with ctxlab.recording(client, tmp_path / "r.ctxrec.jsonl"):
        client.post("https://h.example/v1/chat/completions", headers=headers, json={"model": "m"})

    (found,) = read_records(tmp_path / "r.ctxrec.jsonl")
    events = [event["data"] for event in found.events] or found.reply
    texts = [event if isinstance(event, str) else event["delta"] for event in events]
    assert "".join(texts) == said.replace(key, "***" if known else "sk-***")
    inside = [key[at : at + 4] for at in range(8, len(key) - 4)]
    assert not [piece for piece in texts if piece in inside]


PLAIN = "zq7Xk2Lm9Pw4Rt6Yv8Bn1Hd3"
"""A secret of no vendor's form."""


@pytest.mark.parametrize(
    ("url", "headers", "body"),
    [
        (f"https://u:{PLAIN}@h.example/v1", {}, {}),
        (f"https://h.example/v1?sig={PLAIN}", {}, {}),
        ("https://h.example/v1", {"http-referer": f"https://x.example/?token={PLAIN}"}, {}),
        ("https://h.example/v1", {"x-my-auth": PLAIN}, {"messages": [{"role": "user", "content": PLAIN}]}),
        ("https://h.example/v1", {}, {"tools": [{"type": "mcp", "server_url": f"https://m.example/?key={PLAIN}"}]}),
        ("https://h.example/v1", {}, {"tools": [{"type": "mcp", "headers": {"X-Anything": PLAIN}}]}),
        ("https://h.example/v1", {}, {"mcp_servers": [{"url": "https://m", "authorization_token": PLAIN}]}),
        ("https://h.example/v1", {}, {"mcp_servers": [{"env": {"STRIPE_KEY": PLAIN}}]}),
        ("https://h.example/v1", {}, {"messages": [{"role": "tool", "content": f"DB_PASSWORD={PLAIN}"}]}),
    ],
)
def test_a_secret_without_a_form_is_known_by_its_place(
    tmp_path: Path, url: str, headers: dict[str, str], body: dict[str, Any]
) -> None:
    client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json={"choices": []})))
    with ctxlab.recording(client, tmp_path / "r.ctxrec.jsonl"):
        client.post(url, headers=headers, json={"model": "m", **body})

    assert PLAIN not in (tmp_path / "r.ctxrec.jsonl").read_text()


@pytest.mark.parametrize("secret", [PLAIN, {"value": PLAIN, "expires_at": 7}, {"value": PLAIN, "type": "ephemeral"}])
def test_a_secret_that_a_reply_gives_out_is_in_no_recording(tmp_path: Path, secret: Any) -> None:
    answer = httpx.Response(200, json={"id": "s", "client_secret": secret})
    client = httpx.Client(transport=httpx.MockTransport(lambda _: answer))
    with ctxlab.recording(client, tmp_path / "r.ctxrec.jsonl"):
        client.post("https://h.example/v1/realtime/sessions", json={"model": "m"})

    (found,) = read_records(tmp_path / "r.ctxrec.jsonl")
    kept = {"value": "***"} if isinstance(secret, dict) else "***"
    assert found.reply == {"id": "s", "client_secret": {**secret, **kept} if isinstance(kept, dict) else kept}


def test_the_schema_of_a_password_is_no_secret(tmp_path: Path) -> None:
    properties = {"password": {"type": "string", "description": "d"}, "value": {"type": "string"}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"properties": properties}}}]
    client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json={})))
    with ctxlab.recording(client, tmp_path / "r.ctxrec.jsonl"):
        client.post("https://h.example/v1/chat/completions", json={"model": "m", "messages": [], "tools": tools})

    (found,) = read_records(tmp_path / "r.ctxrec.jsonl")
    assert found.body["tools"] == tools


def test_the_environments_secrets_are_looked_for() -> None:
    mask = SecretMask(secrets_of_environment({"STRIPE_KEY": PLAIN, "DATABASE_URL": f"postgres://u:{PLAIN[::-1]}@h/d"}))

    assert mask.text(f"it says {PLAIN} and {PLAIN[::-1]}.") == "it says *** and ***."
