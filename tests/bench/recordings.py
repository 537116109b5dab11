"""A long recording of a program that sends its whole conversation each time: what opening it takes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import ctxlab
from ctxlab.recordings.recorder.record_lines import VERSION, RecordLines, line
from ctxlab.secrets import SecretMask
from tests.bench.timing import ROUNDS

REQUESTS, SYSTEM, FILES, FILE, WORDS = 2_000, 20_000, 100, 2_800, 450
"""Requests; characters of the system text; messages that a stretch begins with, and their characters; the others'."""
STRETCH = 667
"""Requests until a compression, after which the program begins anew with a summary and its files: two of them."""
URL = "https://api.anthropic.com/v1/messages"


@dataclass(frozen=True, slots=True)
class Long:
    """A recording on disk: characters sent in all and characters that are new."""

    path: Path
    sent: int
    new: int


def _text(number: int, length: int) -> str:
    return (f"{number} 灯塔 " + f"words of message {number} " * (length // 18))[:length]


def bodies(requests: int, stretch: int = STRETCH, files: int = FILES) -> Iterator[tuple[dict[str, Any], int]]:
    """The bodies of a growing conversation with a compression now and then, each with its number of new characters."""
    system, tools = _text(0, SYSTEM), [{"name": "look", "description": _text(1, 900), "input_schema": {}}]
    number, talk = 0, list[dict[str, Any]]()
    for request in range(requests):
        new = 0
        if request % stretch == 0:
            talk = []
        for _ in range(2 if talk else files):
            number += 1
            length = WORDS if talk and request % stretch else FILE
            block = {"type": "text", "text": _text(number, length)}
            talk.append({"role": "assistant" if len(talk) % 2 else "user", "content": [block]})
            new += length
        talk = [*talk] if talk[-1]["role"] == "user" else [*talk, {"role": "user", "content": "Go on."}]
        marked = {**talk[-1], "content": _marked(talk[-1]["content"])}
        body = {"model": "claude", "max_tokens": 9, "system": system, "tools": tools, "messages": [*talk[:-1], marked]}
        yield body, new + (len(system) + 900 if request == 0 else 0)


def _marked(content: Any) -> Any:
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return [*blocks[:-1], {**blocks[-1], "cache_control": {"type": "ephemeral"}}]


def write_long(path: Path, requests: int = REQUESTS, stretch: int = STRETCH, files: int = FILES) -> Long:
    """Write it as the recorder does."""
    lines, sent, new = RecordLines(SecretMask(), set()), 0, 0
    with path.open("wb") as out:
        out.write(line({"type": "recording", "kind": "ctxlab recording", "version": VERSION}))
        for number, (body, fresh) in enumerate(bodies(requests, stretch, files)):
            sent += sum(len(m["content"][0]["text"]) if isinstance(m["content"], list) else 6 for m in body["messages"])
            sent += len(body["system"])
            new += fresh
            about = {"type": "request", "id": f"r{number}", "url": URL, "time": "2026-01-01T00:00:00Z"}
            out.writelines(lines.request(about, body))
            usage = {"input_tokens": 3, "cache_read_input_tokens": 150_000, "output_tokens": 9}
            reply = {"type": "message", "content": [{"type": "text", "text": "Yes."}], "usage": usage}
            out.write(line({"type": "reply", "request": f"r{number}", "ended": "whole", "status": 200, "reply": reply}))
    return Long(path, sent, new)


@dataclass(frozen=True, slots=True)
class Opened:
    """Opening and walking a recording: CPU seconds, bytes that stay, and messages sent and kept."""

    long: Long
    open: float
    walk: float
    memory: int
    messages: int
    kept: int


def _seconds(work: Callable[[], Any]) -> float:
    started = process_time()
    work()
    return process_time() - started


def opened(requests: int = REQUESTS) -> Opened:
    """Open a long recording by the clock, and once with the memory watched, and walk over its requests."""
    with TemporaryDirectory() as folder:
        long = write_long(Path(folder) / "r.ctxrec.jsonl", requests)
        open_seconds = min(_seconds(lambda: ctxlab.read_recording(long.path)) for _ in range(ROUNDS))
        recording = ctxlab.read_recording(long.path)
        recording.frame()  # pandas loads at first use
        started = process_time()
        recording.frame()
        messages = sum(request.message_count for request in recording if request.usage)
        kept = sum(request.new_messages for request in recording)
        walk = process_time() - started
        del recording
        tracemalloc.start()
        again = ctxlab.read_recording(long.path)
        memory = tracemalloc.get_traced_memory()[0] if again else 0
        tracemalloc.stop()
    return Opened(long, open_seconds, walk, memory, messages, kept)


def main() -> None:
    """Print what a long recording takes, and one of half its length beside it."""
    opened(10)  # what loads at first use
    half, whole = opened(REQUESTS // 2), opened()
    long = whole.long
    print(
        f"a recording of {REQUESTS:,} requests, {long.sent / REQUESTS / 4:,.0f} tokens each: {long.sent / 1e6:,.0f} M"
        f" characters sent, {long.new / 1e6:.1f} M new; opened in {whole.open:.2f} s with {whole.memory / 1e6:.1f} MB"
        f" ({whole.memory / long.new:.1f} bytes a new character, {whole.memory / long.sent:.3f} a sent one),"
        f" {whole.messages:,} messages sent, {whole.kept:,} kept; frame and walk {1000 * whole.walk:.0f} ms"
    )
    print(
        f"against half the requests: {long.sent / half.long.sent:.1f} times the characters sent,"
        f" {long.new / half.long.new:.1f} times the new ones; {whole.open / half.open:.1f} times the time,"
        f" {whole.memory / half.memory:.1f} times the memory"
    )


if __name__ == "__main__":
    main()
