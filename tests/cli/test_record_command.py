"""`ctxlab record` starts a program whose requests it records, or listens until it is ended."""

from __future__ import annotations

import json
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

import ctxlab
from ctxlab.cli.commands.record import run_recorder
from ctxlab.testing.fake_server.server import FakeServer
from tests.cli.conftest import Run

PROGRAM = """
import json, os, urllib.request
words = "my key is " + os.environ["MY_API_KEY"]
body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": words}]})
headers = {"authorization": "Bearer sk-planted-key-1234", "content-type": "application/json"}
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body.encode(), headers)
json.load(urllib.request.urlopen(request))
raise SystemExit(7)
"""


@pytest.mark.parametrize("named", [True, False])
def test_a_program_is_recorded_and_its_exit_code_given(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    monkeypatch.setenv("MY_API_KEY", "planted-elsewhere-0123")
    with FakeServer("Hi") as server:
        if not named:
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url("openai"))
        to = ("--to", server.base_url("openai")) if named else ()
        result = run("record", *to, "--out", tmp_path / "r.jsonl", "--", sys.executable, "-c", PROGRAM)

    assert result.code == 7
    assert "1 request recorded" in result.err
    (found,) = ctxlab.read_records(tmp_path / "r.jsonl")
    assert found.reply["choices"][0]["message"]["content"] == "Hi"
    assert found.body["messages"][0]["content"] == "my key is ***"
    assert "planted" not in (tmp_path / "r.jsonl").read_text()


class Ended(threading.Event):
    """The end of the listening: asks what is there to be asked when it is waited for, in place of a person."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__()
        self.capsys = capsys
        self.printed = ""

    def wait(self, timeout: float | None = None) -> bool:
        self.printed = self.capsys.readouterr().out
        base = next(word for word in self.printed.split() if word.startswith("http://127.0.0.1:"))
        body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}).encode()
        request = urllib.request.Request(f"{base}/chat/completions", body, {"authorization": "Bearer sk-secret-1234"})
        urllib.request.urlopen(request).read()
        return True


def test_it_listens_until_it_is_ended(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = Ended(capsys)
    with FakeServer("Hi") as server:
        base = server.base_url("openai")
        code = run_recorder([], to=base, port=0, out=tmp_path / "r.jsonl", stall_seconds=5, until=ended)

    assert code == 0
    assert f"in the place of {base}" in ended.printed
    assert len(list(ctxlab.read_records(tmp_path / "r.jsonl"))) == 1


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ((), "record takes --to"),
        (("--to", "api.openai.com"), "begins with https://"),
        (("--to", "https://me:secret@api.openai.com"), "takes no user"),
        (("--to", "https://h", "--port", "99999"), "port takes a number"),
        (("--to", "https://h", "--stall", "0"), "stall_seconds is more than 0"),
        (("--", "no-program-of-this-name"), "there is no program"),
    ],
)
def test_what_it_does_not_take_is_said_in_one_line(
    run: Run, typed: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("record", *typed)

    assert result.code == 2
    assert words in result.err
    assert "secret@" not in result.err
    assert not list(tmp_path.glob("*.ctxrec.jsonl"))
