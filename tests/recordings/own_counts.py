"""Requests and tokens that recordings count themselves, counted without ctxlab, beside what ctxlab reads of them.

`python -m tests.recordings.own_counts FOLDER` prints a row a file: requests and tokens (input, output) of ours and
theirs, and why they differ.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import sqlite3
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml

import ctxlab
from ctxlab.errors import ReadError

Counts = tuple[int, int, int]
"""Requests, tokens of input, tokens of output."""
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
READ, WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"


def usage_counts(usage: dict[str, Any]) -> tuple[int, int]:
    """Input and output as vendors name them."""

    def first(*names: str) -> int:
        return next((usage[name] for name in names if isinstance(usage.get(name), int)), 0)

    given = first("prompt_tokens", "input_tokens", "promptTokenCount") + first("toolUsePromptTokenCount")
    if "prompt_tokens" not in usage:  # Anthropic's input is what is left beside the cache
        given += first(READ) + first(WRITTEN)
    thoughts = first("thoughtsTokenCount")
    return given, first("completion_tokens", "output_tokens", "candidatesTokenCount") + thoughts


def pieces(body: Any) -> Iterator[dict[str, Any]]:
    """The JSON objects of a reply: it alone, a list, or the events of a stream."""
    if isinstance(body, bytes):
        body = (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode()
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            lines = re.findall(r"^data: ?(\{.*)$", body, re.MULTILINE)
            body = [json.loads(line) for line in lines]
    yield from (each for each in (body if isinstance(body, list) else [body]) if isinstance(each, dict))


def reply_counts(body: Any) -> tuple[int, int]:
    """Input and output that a reply counts; of a stream the newest of each count."""
    found: dict[str, Any] = {}
    for piece in pieces(body):
        for holder in (piece, piece.get("message"), piece.get("response")):
            for name in ("usage", "usageMetadata"):
                if isinstance(holder, dict) and isinstance(holder.get(name), dict):
                    found |= {key: value for key, value in holder[name].items() if value is not None}
    return usage_counts(found)


def total(counts: list[tuple[int, int]]) -> Counts:
    return len(counts), sum(given for given, _ in counts), sum(output for _, output in counts)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def whole(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def cassette(path: Path) -> Counts:
    data = yaml.load(path.read_text("utf-8"), Loader=LOADER) if path.suffix == ".yaml" else whole(path)
    counts = []
    for one in data["interactions"]:
        reply = one["response"]
        body = reply.get("parsed_body") or reply.get("content") or reply.get("body")
        if isinstance(body, dict) and "string" in body:
            body = body["string"]
        if isinstance(body, dict) and body.get("encoding") == "base64":
            body = base64.b64decode(body["data"])
        counts.append(reply_counts(body))
    return total(counts)


def one_body(path: Path) -> Counts:
    return total([reply_counts(whole(path))])


def aider(path: Path) -> Counts:
    """Questions, and the answers after files were added; tokens where they are noted."""
    text = path.read_text("utf-8")
    asked = len(re.findall(r"(?:^#### .*\n)+\s*(?=\S)(?!#)", text, re.MULTILINE))
    added = len(re.findall(r"^> Add these files to the chat\? y", text, re.MULTILINE))
    noted = re.findall(r"Tokens: ([\d,]+) sent, ([\d,]+) received", text)
    given, output = (sum(int(pair[n].replace(",", "")) for pair in noted) for n in (0, 1))
    return asked + added, given, output


def claude_code(path: Path) -> Counts:
    newest = {}
    for line in lines(path):
        message = line.get("message") or {}
        if line.get("type") == "assistant" and message.get("model") != "<synthetic>":
            newest[message["id"]] = usage_counts(message.get("usage") or {})
    return total([*newest.values()])


def codex(path: Path) -> Counts:
    """Running totals that grew."""
    seen: list[tuple[int, int]] = []
    for line in lines(path):
        info = (line.get("payload") or {}).get("info") or {}
        if line.get("type") == "event_msg" and info:
            counts = info["total_token_usage"]
            if not seen or seen[-1] != usage_counts(counts):
                seen.append(usage_counts(counts))
    return (len(seen), *seen[-1])


def cline(path: Path) -> Counts:
    if isinstance(whole(path), list):
        return total([reply_counts(one["response"]) for one in whole(path) if one["path"].endswith("chat/completions")])
    metrics = [message["metrics"] for message in whole(path)["messages"] if message.get("metrics")]
    counts = []
    for one in metrics:
        cache = one.get("cacheReadTokens", 0) + one.get("cacheWriteTokens", 0)
        given = one["inputTokens"]
        counts.append((given if given >= cache else given + cache, one["outputTokens"]))
    return total(counts)


def gemini(path: Path) -> Counts:
    if path.suffix == ".jsonl":
        return total([reply_counts(line["response"]) for line in lines(path)])
    tokens = [message["tokens"] for message in whole(path)["messages"] if message.get("tokens")]
    return total([(one["input"] + one.get("tool", 0), one["output"] + one.get("thoughts", 0)) for one in tokens])


def exported(path: Path) -> Counts:
    text = path.read_text("utf-8")
    answers = re.findall(
        r'"(?:role|sender)":\s*"assistant"(?!\s*,\s*"name"\s*:\s*"tool")|"isCreatedByUser":\s*false', text
    )
    if '"mapping"' in text:
        chats = whole(path)
        places = [
            place for chat in (chats if isinstance(chats, list) else [chats]) for place in chat["mapping"].values()
        ]
        answers = [
            place for place in places if (place.get("message") or {}).get("author", {}).get("role") == "assistant"
        ]
    if '"history"' in text and '"currentId"' in text:
        answers = [one for one in whole(path)["history"]["messages"].values() if one["role"] == "assistant"]
    given = sum(map(int, re.findall(r'"promptTokens":\s*(\d+)', text)))
    usage = re.search(r'"prompt_tokens":\s*(\d+),\s*"completion_tokens":\s*(\d+)', text)
    return (len(answers), int(usage[1]), int(usage[2])) if usage else (len(answers), given, 0)


def atif(path: Path) -> Counts:
    data = whole(path)
    metrics = data["final_metrics"]
    asked = [step for step in data["steps"] if step["source"] == "agent" and not step.get("is_copied_context")]
    return len(asked), metrics["total_prompt_tokens"], metrics["total_completion_tokens"]


def ctrace(path: Path) -> Counts:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        return total([usage_counts(json.loads(row[0])) for row in database.execute("SELECT usage FROM call")])


def inspect(path: Path) -> Counts:
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            samples = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
            usage: list[Any] = []
    else:
        data = whole(path)
        samples, usage = data["samples"], [*data["stats"]["model_usage"].values()]
    events = [event for sample in samples for event in sample.get("events", [])]
    asked = sum(event["event"] == "model" for event in events) if events else len(samples)
    given, output = (sum(one[f"{name}_tokens"] for one in usage) for name in ("input", "output"))
    return asked, given, output


def langfuse(path: Path) -> Counts:
    """Generations that no other generation is in; their usage."""
    found = {one["id"]: one for one in whole(path)["observations"]}
    calls = [one for one in found.values() if one["type"] == "GENERATION"]
    inside = {one["parentObservationId"] for one in calls}
    leaves = [one["usageDetails"] for one in calls if one["id"] not in inside]
    return total([(one.get("input", 0), one.get("output", 0)) for one in leaves])


def spans(path: Path) -> Counts:
    """Spans of one call of a model; usage as Vercel's SDK and GenAI name it."""
    calls = [span["attributes"] for span in whole(path) if span["name"].endswith((".doGenerate", ".doStream"))]
    return total([(one.get("gen_ai.usage.input_tokens", 0), one.get("gen_ai.usage.output_tokens", 0)) for one in calls])


KINDS: dict[str, Callable[[Path], Counts]] = {
    "aider": aider,
    "cassettes-other": cassette,
    "cassettes-pydantic-ai": cassette,
    "chat-exports": exported,
    "claude-code-compaction": claude_code,
    "cline": cline,
    "codex": codex,
    "gemini-cli": gemini,
    "openai-responses": one_body,
    "opencode-recordings": cassette,
    "traces-atif": atif,
    "traces-ctrace": ctrace,
    "traces-inspect": inspect,
    "traces-langfuse": langfuse,
    "traces-lhar": one_body,
    "traces-otel": spans,
    "wire-lingua": one_body,
}


DIFFERENCES: dict[str, tuple[Counts, str]] = {
    "claude-code-compaction/spotter-258c7280.jsonl": (
        (1, 169_248, 6),
        "the log of the agent that wrote the summary lies beside it and is read with it",
    ),
    "claude-code-compaction/spotter-ae4a77f8.jsonl": (
        (1, 139_534, 8),
        "the log of the agent that wrote the summary lies beside it and is read with it",
    ),
    "cassettes-other/llm-anthropic__test_url_prompt.yaml": (
        (-2, 0, 0),
        "two pairs fetch a document; no model is asked",
    ),
    "cassettes-pydantic-ai/test_openai_responses__test_openai_conversation_id_tool_call_continuation.yaml": (
        (-2, 0, 0),
        "two pairs make and delete the conversation that the vendor keeps",
    ),
    "cline/sdk-basic.compaction.json": (
        (1, 0, 0),
        "a compressed session without an answer: what the next request sends",
    ),
    "traces-atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.cont-1.json": (
        (0, -3552, -500),
        "totals of all: 2,252 and 160 are of the file before, 1,300 and 340 of three sub-agents in other files",
    ),
}
"""Files whose own count is another: ours less theirs, and why."""


def theirs(path: Path) -> Counts:
    """What a file of a folder of a known name counts itself."""
    return KINDS[path.parent.name](path)


def ours(path: Path) -> Counts:
    """What ctxlab reads of it."""
    usage = [request.usage for request in ctxlab.read_recording(path)]
    return total([(one.input or 0, one.output or 0) for one in usage])


def difference(one: Counts, other: Counts) -> Counts:
    """One count less another."""
    return one[0] - other[0], one[1] - other[1], one[2] - other[2]


def main() -> None:
    """Print a row for each file of a folder of recordings that is read, and a sum for each kind."""
    folder = Path(sys.argv[1])
    head = ("requests", "theirs", "input", "theirs", "output", "theirs")
    print(f"{'file':<110}" + "".join(f"{name:>12}" for name in head))
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.parent.name in KINDS):
        try:
            own = ours(path)
        except ReadError as error:
            print(f"{path.relative_to(folder).as_posix():<110}  refused: {str(error).partition(path.name)[2][:80]}")
            continue
        found = theirs(path)
        why = DIFFERENCES.get(path.relative_to(folder).as_posix(), ((), "NOT EXPLAINED"))[1] if own != found else ""
        numbers = (number for pair in zip(own, found, strict=True) for number in pair)
        print(f"{path.relative_to(folder).as_posix():<110}" + "".join(f"{n:>12,}" for n in numbers) + f"  {why}")


if __name__ == "__main__":
    main()
