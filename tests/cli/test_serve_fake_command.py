"""`ctxlab serve-fake` prints addresses that answer, then a line a request, and no key."""

from __future__ import annotations

import json
import re
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from ctxlab.cli.commands.serve_fake import serve

BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}


class Ended(threading.Event):
    """The end of the serving: asks what is there to be asked when it is waited for, in place of a person."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__()
        self.capsys = capsys
        self.printed = ""
        self.replies: list[Any] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.printed = self.capsys.readouterr().out
        base = next(line.split()[-1] for line in self.printed.splitlines() if line.startswith("openai "))
        for temperature in (1, 3):
            content = json.dumps({**BODY, "temperature": temperature}).encode()
            request = urllib.request.Request(f"{base}/chat/completions", content, {"authorization": "Bearer sk-secret"})
            try:
                with urllib.request.urlopen(request) as response:
                    self.replies.append(json.load(response)["choices"][0]["message"]["content"])
            except urllib.error.HTTPError as error:
                with error:
                    self.replies.append(error.code)
        return True


def test_the_addresses_answer_and_each_request_is_a_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "replies.json"
    script.write_text(json.dumps(["Good morning", {"status": 429}]))
    ended = Ended(capsys)

    serve(port=0, script=script, until=ended)

    lines = capsys.readouterr().out.splitlines()
    assert ended.replies == ["Good morning", 400]
    assert re.fullmatch(r"POST /v1/chat/completions openai gpt-4o \d+ bytes -> 200", lines[0])
    assert "-> 400 shape.range at temperature" in lines[1]
    assert "sk-secret" not in f"{ended.printed}{lines}"
    for vendor in ("openai", "openai-responses", "anthropic", "gemini", "deepseek", "openai-compatible"):
        assert re.search(rf"^{vendor} +http://127\.0\.0\.1:\d+", ended.printed, re.MULTILINE)
