"""`ctxlab serve-fake`: a strict fake of the vendors' servers, until Ctrl+C."""

from __future__ import annotations

import threading
from pathlib import Path

from ctxlab.cli.output.terminal import Screen, one_line
from ctxlab.testing.fake_server.refusal import VENDORS
from ctxlab.testing.fake_server.script import read_script
from ctxlab.testing.fake_server.server import FakeServer

CURL = "curl {base}/chat/completions -H 'authorization: Bearer any' -d '{body}'"
BODY = '{"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}'
CLIENTS = (
    'openai.OpenAI(api_key="any", base_url="{openai}")',
    'anthropic.Anthropic(api_key="any", base_url="{anthropic}")',
    'google.genai.Client(api_key="any", http_options={{"base_url": "{gemini}"}})',
)


def serve(*, port: int, script: Path | None, until: threading.Event | None = None) -> None:
    """Print the addresses and how to use them, then one line a request, until Ctrl+C (or until the event is set)."""
    replies = None if script is None else read_script(script)
    screen, lock = Screen(), threading.Lock()

    def log(line: str) -> None:
        with lock:
            print(one_line(line, cells=2_000), flush=True)  # noqa: T201  # a line of a log is never broken

    with FakeServer(replies, port=port, record=False, log=log) as server:
        bases = {vendor: server.base_url(vendor) for vendor in VENDORS}
        for vendor, base in bases.items():
            screen.line((f"{vendor:<18}", "label"), base)
        screen.blank()
        for client in CLIENTS:
            screen.line((client.format(**bases), "command"))
        screen.line((CURL.format(base=bases["openai"], body=BODY), "command"))
        screen.blank()
        screen.line("any key will do; Ctrl+C ends it")
        (until or threading.Event()).wait()
