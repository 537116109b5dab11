"""A small recording of each kind that is read, with texts that are found again nowhere else in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.promises import file_samples
from tests.promises.file_samples import call_of_openai, words

Data = dict[str, Any]


def codex() -> Any:
    def line(kind: str, **payload: Any) -> Data:
        return {"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload}

    usage = {"input_tokens": 9, "cached_input_tokens": 0, "output_tokens": 9, "reasoning_output_tokens": 0}
    return [
        line("session_meta", id="session-of-tides", cwd="/home/of/tides", instructions=words(1)),
        line("turn_context", model="gpt-of-the-tides", effort="low", summary="auto"),
        line("response_item", type="message", role="user", content=[{"type": "input_text", "text": words(2)}]),
        line("response_item", type="reasoning", summary=[{"type": "summary_text", "text": words(3)}]),
        line("response_item", type="function_call", call_id="call_of_tides", name="look_at_tides", arguments=words(4)),
        line("response_item", type="function_call_output", call_id="call_of_tides", output=words(5)),
        line("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": words(6)}]),
        line("event_msg", type="token_count", info={"last_token_usage": usage, "total_token_usage": usage}),
        line("event_msg", type="agent_message", message=words(6)),
    ]


def cline() -> Any:
    asked = {"id": "u-of-the-tides", "role": "user", "content": [{"type": "text", "text": words(1)}], "ts": 1}
    answer = {"id": "a-of-the-tides", "role": "assistant", "content": [{"type": "text", "text": words(2)}], "ts": 2,
              "modelInfo": {"id": "claude-of-the-tides", "provider": "anthropic of tides"},
              "metrics": {"inputTokens": 9, "outputTokens": 9}}  # fmt: skip
    return {"sessionId": "session-of-tides", "system_prompt": words(3), "messages": [asked, answer]}


def gemini_cli() -> Any:
    call = {"id": "call-of-tides", "name": "look_at_tides", "args": {"at": words(2)},
            "result": [{"functionResponse": {"name": "look_at_tides", "response": {"output": words(3)}}}]}  # fmt: skip
    messages = [
        {"id": "u-of-the-tides", "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": words(1)},
        {"id": "a-of-the-tides", "timestamp": "2026-01-01T00:00:01Z", "type": "gemini", "content": words(4),
         "model": "gemini-of-the-tides", "tokens": {"input": 9, "output": 9}, "toolCalls": [call],
         "thoughts": [{"subject": words(5), "description": words(6)}]},
    ]  # fmt: skip
    return {"sessionId": "session-of-tides", "projectHash": "hash-of-the-tides", "messages": messages}


def gemini_cli_lines() -> Any:
    stored = gemini_cli()
    return [{key: value for key, value in stored.items() if key != "messages"}, *stored["messages"]]


def opencode() -> Any:
    asked = {"info": {"id": "msg_1_of_tides", "sessionID": "ses_of_the_tides", "role": "user", "time": {"created": 1}},
             "parts": [{"id": "prt_1_of_tides", "type": "text", "text": words(1)}]}  # fmt: skip
    state = {"status": "completed", "input": {"at": words(2)}, "output": words(3), "title": words(4), "metadata": {},
             "time": {"start": 1, "end": 2}}  # fmt: skip
    parts = [
        {"type": "step-start"},
        {"type": "reasoning", "text": words(5), "time": {"start": 1}},
        {"type": "text", "text": words(6)},
        {"type": "tool", "callID": "call_of_tides", "tool": "look_at_tides", "state": state},
        {"type": "step-finish", "tokens": {"input": 9, "output": 9, "reasoning": 0, "cache": {"read": 0, "write": 0}}},
    ]
    info = {"id": "msg_2_of_tides", "sessionID": "ses_of_the_tides", "role": "assistant", "modelID": "gpt-of-the-tides",
            "providerID": "openai-of-tides", "time": {"created": 2, "completed": 3}, "system": [words(7)],
            "path": {"cwd": "/home/of/tides"}}  # fmt: skip
    about = {"id": "ses_of_the_tides", "title": "All about tides", "directory": "/home/of/tides"}
    return {"info": about, "messages": [asked, {"info": info, "parts": parts}]}


def langfuse() -> Any:
    given = {"messages": [{"role": "user", "content": words(1)}]}
    output = {"role": "assistant", "content": words(2)}
    observation = {"id": "call-of-the-tides", "traceId": "trace-of-the-tides", "type": "GENERATION", "name": words(3),
                   "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:01Z", "input": given,
                   "model": "gpt-of-the-tides", "output": output,
                   "usageDetails": {"input": 9, "output": 9}}  # fmt: skip
    return {"trace": {"id": "trace-of-the-tides", "name": "All about tides"}, "observations": [observation]}


def otel() -> Any:
    attributes = {
        "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-of-the-tides",
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": words(1)}]),
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": words(2)}]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": words(3)}]}]),
        "gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 9,
    }  # fmt: skip
    return [{"name": "chat gpt-of-the-tides", "spanId": "span-of-the-tides", "traceId": "trace-of-the-tides",
             "startTimeUnixNano": "1", "endTimeUnixNano": "2", "attributes": attributes}]  # fmt: skip


def trajectory() -> Any:
    call = {"tool_call_id": "call_of_tides", "function_name": "look_at_tides", "arguments": {"at": words(3)}}
    steps = [
        {"step_id": 1, "source": "user", "message": words(1)},
        {"step_id": 2, "source": "agent", "message": words(2), "reasoning_content": words(4), "tool_calls": [call],
         "observation": {"results": [{"source_call_id": "call_of_tides", "content": words(5)}]},
         "metrics": {"prompt_tokens": 9, "completion_tokens": 9}},
    ]  # fmt: skip
    agent = {"name": "agent of the tides", "version": "1.0", "model_name": "gpt-of-the-tides"}
    return {"schema_version": "ATIF-v1.4", "session_id": "session-of-tides", "agent": agent, "steps": steps}


def inspect_log() -> Any:
    choice = {"message": {"role": "assistant", "content": words(2)}, "stop_reason": "stop"}
    output = {"model": "gpt-of-the-tides", "choices": [choice], "usage": {"input_tokens": 9, "output_tokens": 9}}
    messages = [{"role": "user", "content": words(1)}, choice["message"]]
    call = {"event": "model", "model": "gpt-of-the-tides", "input": messages[:1], "output": output, "tools": []}
    kept = {"id": "sample-of-tides", "messages": messages, "events": [call], "output": output, "target": words(3)}
    return {"version": 2, "eval": {"task": "All about tides"}, "samples": [kept]}


def lhar() -> Any:
    head = {"type": "session", "trace_id": "trace-of-the-tides", "tool": "tool of the tides"}
    entry = {
        "type": "entry", "trace_id": "trace-of-the-tides", "span_id": "span-of-the-tides", "id": "entry-of-tides",
        "timestamp": "2026-01-01T00:00:00Z", "http": {"url": "https://api.example.com/v1/chat/completions"},
        "raw": {"request_body": file_samples.openai(), "response_body": reply_of_openai(20)},
    }  # fmt: skip
    return [head, entry]


def reply_of_openai(number: int) -> Data:
    message = {"role": "assistant", "content": words(number), "tool_calls": [call_of_openai(number + 1)]}
    return {"id": "reply-of-the-tides", "object": "chat.completion", "model": "gpt-of-the-tides",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}  # fmt: skip


def http() -> Any:
    request = {"method": "POST", "uri": "https://api.example.com/v1/chat/completions",
               "body": {"string": json.dumps(file_samples.openai())}}  # fmt: skip
    return {"version": 1, "interactions": [{"request": request, "response": {"parsed_body": reply_of_openai(20)}}]}


def har() -> Any:
    request = {"method": "POST", "url": "https://api.example.com/v1/messages",
               "postData": {"mimeType": "application/json", "text": json.dumps(file_samples.anthropic())}}  # fmt: skip
    reply = {"id": "reply-of-the-tides", "type": "message", "role": "assistant", "model": "claude-of-the-tides",
             "content": [{"type": "text", "text": words(20)}], "usage": {"input_tokens": 9}}  # fmt: skip
    response = {"status": 200, "content": {"mimeType": "application/json", "text": json.dumps(reply)}}
    entry = {"startedDateTime": "2026-01-01T00:00:00Z", "time": 1, "request": request, "response": response}
    return {"log": {"version": "1.2", "creator": {"name": "creator of tides"}, "entries": [entry]}}


MADE: dict[str, tuple[str, Callable[[], Any]]] = {
    "Claude Code": ("Claude Code", file_samples.claude_code),
    "Codex": ("Codex", codex),
    "Cline": ("Cline", cline),
    "Gemini CLI": ("Gemini CLI", gemini_cli),
    "Gemini CLI, lines": ("Gemini CLI", gemini_cli_lines),
    "OpenCode": ("OpenCode", opencode),
    "Langfuse": ("Langfuse", langfuse),
    "OpenTelemetry": ("OpenTelemetry", otel),
    "ATIF": ("ATIF", trajectory),
    "Inspect": ("Inspect", inspect_log),
    "LHAR": ("LHAR", lhar),
    "HTTP": ("HTTP", http),
    "HAR": ("HTTP", har),
    "Claude": ("chat exports", file_samples.claude_ai),
    "LibreChat": ("chat exports", file_samples.librechat),
    "Open WebUI": ("chat exports", file_samples.open_webui),
    "Chatbot UI": ("chat exports", file_samples.chatbot_ui),
    "ChatGPT": ("chat exports", file_samples.chatgpt),
    "a body of OpenAI": ("bodies", file_samples.openai),
    "a body of Responses": ("bodies", file_samples.responses),
    "a body of Anthropic": ("bodies", file_samples.anthropic),
    "a body of Gemini": ("bodies", file_samples.gemini),
    "a reply": ("bodies", lambda: reply_of_openai(1)),
}
"""The name of the format of each sample, and what makes it."""
