# ruff: noqa: E501
"""Recordings of real programs: every file is read, and its requests and tokens are those of its own records.

The counts were taken from the files' own words by a second way of counting, file by file: unique ids of messages with
their newest usage (Claude Code), the last running total (Codex), the replies' own usage (cassettes).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ctxlab
from ctxlab.errors import ReadError
from tests.recordings.own_counts import DIFFERENCES, difference, theirs

RECORDINGS = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared")) / "data" / "recordings"
pytestmark = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="needs the recordings in the folder of CTXLAB_SHARED")

# file: program, requests, of which whole, and tokens of input, from the cache, and of output
COUNTS = {
    "aider/2048-game.md": ("Aider", 4, 0, 0, 0, 0),
    "aider/census.md": ("Aider", 10, 0, 0, 0, 0),
    "aider/chat-history-cut.aider.chat.history.md": ("Aider", 1, 0, 14856, 0, 783),
    "aider/css-exercises.md": ("Aider", 5, 0, 0, 0, 0),
    "aider/hello-world-flask.md": ("Aider", 4, 0, 0, 0, 0),
    "aider/pong.md": ("Aider", 5, 0, 0, 0, 0),
    "cassettes-other/llm-anthropic__test_fixed_version_tool_chain_with_thinking_display_regression.yaml": (
        "",
        2,
        2,
        1305,
        0,
        181,
    ),
    "cassettes-other/llm-anthropic__test_thinking_prompt.yaml": ("", 1, 1, 46, 0, 84),
    "cassettes-other/llm-anthropic__test_tools.yaml": ("", 2, 2, 1220, 0, 144),
    "cassettes-other/llm-anthropic__test_url_prompt.yaml": ("", 1, 1, 273, 0, 206),
    "cassettes-other/openllmetry__test_anthropic_prompt_caching_legacy.yaml": ("", 2, 2, 2334, 1163, 389),
    "cassettes-other/openllmetry__test_openai_prompt_caching.yaml": ("", 4, 4, 4596, 1024, 1304),
    "cassettes-other/zen__chat_cross_step2_gpt5_reminder.json": ("", 1, 1, 1055, 0, 266),
    "cassettes-other/zen__chat_gpt5_continuation.json": ("", 2, 2, 2243, 0, 1604),
    "cassettes-pydantic-ai/test_anthropic__test_anthropic_cache_real_api.yaml": ("", 2, 2, 2646, 2222, 439),
    "cassettes-pydantic-ai/test_anthropic__test_anthropic_compaction_round_trip.yaml": ("", 1, 1, 136, 0, 16),
    "cassettes-pydantic-ai/test_anthropic__test_anthropic_compaction_usage_with_cache.yaml": ("", 1, 1, 229, 0, 5),
    "cassettes-pydantic-ai/test_anthropic__test_anthropic_model_thinking_part.yaml": ("", 2, 2, 397, 0, 846),
    "cassettes-pydantic-ai/test_anthropic__test_anthropic_model_thinking_part_stream.yaml": ("", 1, 1, 43, 0, 282),
    "cassettes-pydantic-ai/test_anthropic__test_anthropic_tool_with_thinking.yaml": ("", 2, 2, 964, 0, 281),
    "cassettes-pydantic-ai/test_anthropic__test_anthropic_web_search_tool.yaml": ("", 2, 2, 28843, 0, 1064),
    "cassettes-pydantic-ai/test_anthropic__test_document_binary_content_input.yaml": ("", 1, 1, 1615, 0, 28),
    "cassettes-pydantic-ai/test_anthropic__test_image_url_input.yaml": ("", 1, 1, 296, 0, 91),
    "cassettes-pydantic-ai/test_anthropic__test_multiple_parallel_tool_calls.yaml": ("", 2, 2, 1194, 0, 279),
    "cassettes-pydantic-ai/test_anthropic_mid_conversation_system__test_inline_system_prompt_cache_prefix_is_reused.yaml": (
        "",
        2,
        2,
        3184,
        1590,
        8,
    ),
    "cassettes-pydantic-ai/test_anthropic_mid_conversation_system__test_mid_conversation_system_prompt_takes_cache_breakpoint.yaml": (
        "",
        1,
        1,
        68,
        0,
        359,
    ),
    "cassettes-pydantic-ai/test_google__test_google_model_iter_stream.yaml": ("", 3, 3, 195, 0, 22),
    "cassettes-pydantic-ai/test_google__test_google_model_retry.yaml": ("", 3, 3, 308, 0, 452),
    "cassettes-pydantic-ai/test_google__test_google_model_thinking_part.yaml": ("", 2, 2, 1309, 0, 3810),
    "cassettes-pydantic-ai/test_google__test_google_model_web_search_tool.yaml": ("", 2, 2, 631, 0, 751),
    "cassettes-pydantic-ai/test_google__test_google_streaming_tool_call_thought_signature.yaml": (
        "",
        2,
        2,
        286,
        0,
        220,
    ),
    "cassettes-pydantic-ai/test_openai__test_audio_as_binary_content_input.yaml": ("", 1, 1, 64, 0, 9),
    "cassettes-pydantic-ai/test_openai__test_document_as_binary_content_input.yaml": ("", 1, 1, 235, 0, 13),
    "cassettes-pydantic-ai/test_openai__test_multiple_agent_tool_calls.yaml": ("", 4, 4, 291, 0, 38),
    "cassettes-pydantic-ai/test_openai__test_run_stream_sync_streams_real_model.yaml": ("", 2, 2, 131, 0, 24),
    "cassettes-pydantic-ai/test_openai_prompt_cache__test_openai_chat_prompt_cache_e2e.yaml": ("", 2, 2, 8040, 4012, 8),
    "cassettes-pydantic-ai/test_openai_prompt_cache__test_openai_responses_prompt_cache_e2e.yaml": (
        "",
        2,
        2,
        8040,
        4012,
        10,
    ),
    "cassettes-pydantic-ai/test_openai_responses__test_openai_conversation_id_tool_call_continuation.yaml": (
        "",
        2,
        2,
        145,
        0,
        23,
    ),
    "cassettes-pydantic-ai/test_openai_responses__test_openai_previous_response_id.yaml": ("", 2, 2, 20, 0, 2),
    "cassettes-pydantic-ai/test_openai_responses__test_openai_responses_compact_messages.yaml": ("", 4, 4, 534, 0, 216),
    "cassettes-pydantic-ai/test_openai_responses__test_openai_responses_compact_stateful_mode.yaml": (
        "",
        4,
        4,
        1859,
        0,
        1961,
    ),
    "cassettes-pydantic-ai/test_openai_responses__test_openai_responses_stream.yaml": ("", 2, 2, 533, 0, 25),
    "cassettes-pydantic-ai/test_openai_responses__test_openai_responses_thinking_with_tool_calls.yaml": (
        "",
        2,
        2,
        2211,
        2048,
        2050,
    ),
    "chat-exports/chatbotui-export.json": ("Chatbot UI", 3, 0, 0, 0, 0),
    "chat-exports/chatgpt-export.json": ("ChatGPT", 9, 0, 0, 0, 0),
    "chat-exports/claude_example.json": ("Claude", 274, 0, 0, 0, 0),
    "chat-exports/claude_thinking_example.json": ("Claude", 1, 0, 0, 0, 0),
    "chat-exports/gpt_example.json": ("ChatGPT", 5, 0, 0, 0, 0),
    "chat-exports/librechat-export.json": ("LibreChat", 3, 0, 0, 0, 0),
    "chat-exports/librechat-tree.json": ("LibreChat", 5, 0, 2380, 0, 0),
    "chat-exports/webui-json.json": ("Open WebUI", 1, 0, 26, 0, 310),
    "claude-code-compaction/agtrace-claude_session.jsonl": ("Claude Code", 6, 0, 98785, 93553, 844),
    "claude-code-compaction/codemie-624a4a58.jsonl": ("Claude Code", 55, 0, 5907332, 4277174, 69127),
    "claude-code-compaction/codemie-9eda1058.jsonl": ("Claude Code", 5, 0, 170226, 22912, 4509),
    "claude-code-compaction/codemie-tmp-4c2ddfdc.jsonl": ("Claude Code", 7, 0, 251832, 214627, 806),
    "claude-code-compaction/spotter-258c7280-agent-acompact-fffbd0.jsonl": ("Claude Code", 1, 0, 169248, 166758, 6),
    "claude-code-compaction/spotter-258c7280.jsonl": ("Claude Code", 153, 0, 15290519, 14938375, 38905),
    "claude-code-compaction/spotter-ae4a77f8-agent-acompact-946d2b.jsonl": ("Claude Code", 1, 0, 139534, 17842, 8),
    "claude-code-compaction/spotter-ae4a77f8.jsonl": ("Claude Code", 218, 0, 16930525, 16571470, 49475),
    "cline/cli-hello-and-goodbye.json": ("", 2, 0, 18013, 8885, 183),
    "cline/cli-read-file.json": ("", 2, 0, 19993, 16470, 630),
    "cline/cli-subagents.json": ("", 8, 0, 53273, 28133, 649),
    "cline/cli-web-fetch.json": ("", 2, 0, 21340, 17516, 289),
    "cline/sdk-agentic.compaction.json": ("Cline", 1, 0, 12238, 12224, 10),
    "cline/sdk-basic.compaction.json": ("Cline", 1, 0, 0, 0, 0),
    "cline/sdk-session.messages.json": ("Cline", 16, 0, 630254, 534435, 4395),
    "codex/agtrace-codex_session.jsonl": ("Codex", 7, 0, 26740, 22912, 408),
    "codex/rollout-2026-02-23T12-54-34-019c8a59-e9dd-71f0-9ae3-4079fe9726a9.jsonl": (
        "Codex",
        286,
        0,
        33810485,
        31621504,
        133999,
    ),
    "codex/rollout-2026-02-23T20-34-25-019c8bfe-ec25-79e0-97d7-bda6a9c575ff.jsonl": (
        "Codex",
        6,
        0,
        298373,
        238848,
        1123,
    ),
    "codex/rollout-2026-05-11T11-26-55-019e1625-789d-76c0-80ab-3724b5ddb799.jsonl": (
        "Codex",
        66,
        0,
        6055836,
        4929536,
        9118,
    ),
    "gemini-cli/agtrace-gemini_session.json": ("Gemini CLI", 7, 0, 67273, 43377, 677),
    "gemini-cli/browser-agent.persistent-session.responses.jsonl": ("", 26, 0, 256070, 209234, 3421),
    "gemini-cli/context-compress-interactive.compress.responses.jsonl": ("", 4, 0, 27010, 11883, 1186),
    "gemini-cli/flicker-detector.max-height.responses.jsonl": ("", 3, 0, 29792, 5360, 292),
    "gemini-cli/hooks-system.multiple-events.responses.jsonl": ("", 4, 0, 51053, 36607, 346),
    "openai-responses/openAIMultipleReasoningSignaturesReplayParam__responses__followup-request.json": (
        "",
        1,
        1,
        0,
        0,
        0,
    ),
    "openai-responses/openAIMultipleReasoningSignaturesReplayParam__responses__followup-response.json": (
        "",
        1,
        0,
        926,
        0,
        93,
    ),
    "openai-responses/openAIMultipleReasoningSignaturesReplayParam__responses__request.json": ("", 1, 1, 0, 0, 0),
    "openai-responses/openAIMultipleReasoningSignaturesReplayParam__responses__response.json": ("", 1, 0, 749, 0, 165),
    "openai-responses/openaiPromptCacheKeyParam__responses__followup-request.json": ("", 1, 1, 0, 0, 0),
    "openai-responses/openaiPromptCacheKeyParam__responses__followup-response.json": ("", 1, 0, 190, 0, 1307),
    "openai-responses/openaiPromptCacheKeyParam__responses__request.json": ("", 1, 1, 0, 0, 0),
    "openai-responses/openaiPromptCacheKeyParam__responses__response.json": ("", 1, 0, 13, 0, 891),
    "openai-responses/responsesGpt56PromptCacheOptionsParam__responses__followup-request.json": ("", 1, 1, 0, 0, 0),
    "openai-responses/responsesGpt56PromptCacheOptionsParam__responses__followup-response.json": ("", 1, 0, 117, 0, 99),
    "openai-responses/responsesGpt56PromptCacheOptionsParam__responses__request.json": ("", 1, 1, 0, 0, 0),
    "openai-responses/responsesGpt56PromptCacheOptionsParam__responses__response.json": ("", 1, 0, 14, 0, 91),
    "openai-responses/storymachine_run_42.json": ("", 1, 0, 0, 0, 0),
    "openai-responses/toolCallRequest__responses__followup-request.json": ("", 1, 1, 0, 0, 0),
    "openai-responses/toolCallRequest__responses__followup-response.json": ("", 1, 0, 317, 0, 360),
    "openai-responses/toolCallRequest__responses__request.json": ("", 1, 1, 0, 0, 0),
    "openai-responses/toolCallRequest__responses__response-streaming.json": ("", 1, 0, 66, 0, 299),
    "openai-responses/toolCallRequest__responses__response.json": ("", 1, 0, 66, 0, 238),
    "opencode-recordings/anthropic-messages-cache__writes-then-reads-cache-control-on-identical-second-call.json": (
        "OpenCode",
        2,
        2,
        11522,
        5752,
        10,
    ),
    "opencode-recordings/anthropic-messages__anthropic-opus-4-7-image-tool-result.json": (
        "OpenCode",
        1,
        1,
        1005,
        0,
        13,
    ),
    "opencode-recordings/anthropic-messages__rejects-malformed-assistant-tool-order-without-patch.json": (
        "OpenCode",
        1,
        1,
        0,
        0,
        0,
    ),
    "opencode-recordings/gemini__streams-tool-call.json": ("OpenCode", 1, 1, 55, 0, 60),
    "opencode-recordings/native-anthropic-tool-loop.json": ("OpenCode", 2, 2, 1319, 0, 61),
    "opencode-recordings/native-openai-oauth-tool-loop.json": ("OpenCode", 2, 2, 233, 0, 56),
    "opencode-recordings/openai-chat__drives-a-tool-loop-end-to-end.json": ("OpenCode", 2, 2, 160, 0, 29),
    "opencode-recordings/openai-responses-cache__reports-cached-tokens-on-identical-second-call.json": (
        "OpenCode",
        2,
        2,
        9530,
        4608,
        6,
    ),
    "opencode-recordings/openai-responses__openai-responses-gpt-5-5-reasoning-continuation.json": (
        "OpenCode",
        2,
        2,
        66,
        0,
        40,
    ),
    "traces-atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.cont-1.json": (
        "terminus-2",
        4,
        0,
        4250,
        0,
        530,
    ),
    "traces-atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.json": (
        "terminus-2",
        3,
        0,
        2252,
        0,
        160,
    ),
    "traces-ctrace/ctxdiff-demo.ctrace": ("ctxdiff", 6, 0, 6410, 0, 1030),
    "traces-inspect/2025-05-12T20-28-26-04-00_security-guide.json": ("Inspect", 6, 6, 959, 0, 1033),
    "traces-inspect/log_images_tc.json": ("Inspect", 1, 0, 323, 0, 5),
    "traces-inspect/log_message_deduplication.eval": ("Inspect", 6, 0, 0, 0, 0),
    "traces-langfuse/agno-2025-06-11.trace.json": ("Langfuse", 2, 0, 826, 0, 245),
    "traces-langfuse/claude-agent-2025-12-22.trace.json": ("Langfuse", 4, 0, 34, 0, 232),
    "traces-langfuse/google-adk-2025-08-28.trace.json": ("Langfuse", 2, 0, 67, 0, 9),
    "traces-langfuse/koog-2025-08-26.trace.json": ("Langfuse", 2, 0, 215, 0, 125),
    "traces-langfuse/openai-agents-2025-09-30.trace.json": ("Langfuse", 2, 0, 140, 0, 44),
    "traces-langfuse/pydantic-ai-tools-2025-12-04.trace.json": ("Langfuse", 4, 0, 1315, 0, 209),
    "traces-lhar/antigravity-request.json": ("", 1, 1, 0, 0, 0),
    "traces-lhar/claude-session.json": ("", 1, 1, 0, 0, 0),
    "traces-lhar/codex-responses.json": ("", 1, 1, 0, 0, 0),
    "traces-otel/all-spans.json": ("OpenTelemetry", 4, 0, 142, 0, 297),
    "wire-lingua/anthropicMixedToolResultWithText__anthropic__followup-request.json": ("", 1, 1, 0, 0, 0),
    "wire-lingua/anthropicMixedToolResultWithText__anthropic__followup-response.json": ("", 1, 0, 732, 0, 199),
    "wire-lingua/anthropicMixedToolResultWithText__anthropic__request.json": ("", 1, 1, 0, 0, 0),
    "wire-lingua/anthropicMixedToolResultWithText__anthropic__response.json": ("", 1, 0, 646, 0, 77),
    "wire-lingua/cacheControl1hParam__anthropic__followup-request.json": ("", 1, 1, 0, 0, 0),
    "wire-lingua/cacheControl1hParam__anthropic__followup-response.json": ("", 1, 0, 40, 0, 130),
    "wire-lingua/cacheControl1hParam__anthropic__request.json": ("", 1, 1, 0, 0, 0),
    "wire-lingua/cacheControl1hParam__anthropic__response.json": ("", 1, 0, 11, 0, 20),
    "wire-lingua/chatCompletionsSystemCacheControlParam__anthropic__followup-request.json": ("", 1, 1, 0, 0, 0),
    "wire-lingua/chatCompletionsSystemCacheControlParam__anthropic__followup-response.json": ("", 1, 0, 323, 0, 305),
    "wire-lingua/chatCompletionsSystemCacheControlParam__anthropic__request.json": ("", 1, 1, 0, 0, 0),
    "wire-lingua/chatCompletionsSystemCacheControlParam__anthropic__response.json": ("", 1, 0, 22, 0, 292),
    "wire-lingua/reasoningRequest__anthropic__followup-request.json": ("", 1, 1, 0, 0, 0),
    "wire-lingua/reasoningRequest__anthropic__followup-response.json": ("", 1, 0, 250, 0, 185),
    "wire-lingua/reasoningRequest__anthropic__request.json": ("", 1, 1, 0, 0, 0),
    "wire-lingua/reasoningRequest__anthropic__response.json": ("", 1, 0, 45, 0, 196),
}
NOT_READ = {
    "cline/sdk-session.json": "facts of a session without its messages",
    "copilot-chat/": "no reader of Copilot's chats yet",
    "traces-ctrace/image-blocks.json": "a corpus written by hand, not a trace",
    "traces-ctrace/multiagent-project.json": "a corpus written by hand, not a trace",
    "traces-ctrace/tagged-eviction.json": "a corpus written by hand, not a trace",
    "traces-ctrace/unicode.json": "a corpus written by hand, not a trace",
    "traces-langfuse/agno-2025-06-11.chatml.json": "a view of the trace beside it",
    "traces-langfuse/claude-agent-2025-12-22.chatml.json": "a view of the trace beside it",
    "traces-langfuse/google-adk-2025-08-28.chatml.json": "a view of the trace beside it",
    "traces-langfuse/koog-2025-08-26.chatml.json": "a view of the trace beside it",
    "traces-langfuse/openai-agents-2025-09-30.chatml.json": "a view of the trace beside it",
    "traces-langfuse/pydantic-ai-tools-2025-12-04.chatml.json": "a view of the trace beside it",
    "traces-lhar/lhar.schema.json": "a schema",
    "traces-otel/sample-telemetry.jsonl": "events of a gateway without a call of a model",
}
"""Files that are refused, by the beginning of their names, and why."""


def files() -> list[str]:
    found = [path.relative_to(RECORDINGS).as_posix() for path in sorted(RECORDINGS.rglob("*")) if path.is_file()]
    return found if RECORDINGS.is_dir() else []


def test_every_file_is_in_the_table_or_refused_for_a_reason() -> None:
    refused = [name for name in files() if name.startswith(tuple(NOT_READ))]
    assert sorted([*COUNTS, *refused]) == files()


@pytest.mark.parametrize("kind", sorted({name.partition("/")[0] for name in COUNTS}))
def test_requests_and_tokens_are_those_of_the_files_own_records(kind: str) -> None:
    names = [name for name in COUNTS if name.startswith(f"{kind}/")]
    found = {}
    for name in names:
        recording = ctxlab.read_recording(RECORDINGS / name)
        usage = [request.usage for request in recording]
        found[name] = (
            recording.program,
            len(recording),
            sum(request.whole for request in recording),
            sum(one.input or 0 for one in usage),
            sum(one.cached or 0 for one in usage),
            sum(one.output or 0 for one in usage),
        )
        assert not recording.session.check(), name
        assert all((request.payload is None) != request.whole for request in recording), name
        assert all(request.whole for request in recording) or recording.losses, name
    assert found == {name: COUNTS[name] for name in names}


@pytest.mark.parametrize("kind", sorted({name.partition("/")[0] for name in COUNTS}))
def test_what_files_count_themselves_is_what_is_read_or_the_difference_has_a_reason(kind: str) -> None:
    names = [name for name in COUNTS if name.startswith(f"{kind}/")]
    read = {name: (COUNTS[name][1], COUNTS[name][3], COUNTS[name][5]) for name in names}
    found = {name: difference(read[name], theirs(RECORDINGS / name)) for name in names}
    assert found == {name: DIFFERENCES.get(name, ((0, 0, 0), ""))[0] for name in names}


@pytest.mark.parametrize("name", [name for name in files() if name.startswith(tuple(NOT_READ))])
def test_what_is_no_recording_is_refused_by_name(name: str) -> None:
    with pytest.raises(ReadError, match=Path(name).name.replace(".", "[.]")):
        ctxlab.read_recording(RECORDINGS / name)


def test_a_compression_of_claude_code_begins_the_conversation_anew() -> None:
    recording = ctxlab.read_recording(RECORDINGS / "claude-code-compaction/spotter-258c7280.jsonl")
    after = [request for request in recording if request.compaction]
    assert [(request.compaction or {}).get("preTokens") for request in after] == [167094]
    before = recording.requests[after[0].number - 2]
    assert before.message_count > 100 > after[0].message_count
    assert "This session is being continued" in str(after[0].messages[0])
    assert after[0].sent[0].parent == before.sent[0].parent


def test_a_compression_of_codex_begins_a_branch_with_the_history_it_put_in_place() -> None:
    name = "codex/rollout-2026-02-23T12-54-34-019c8a59-e9dd-71f0-9ae3-4079fe9726a9.jsonl"
    recording = ctxlab.read_recording(RECORDINGS / name)
    (after,) = [request for request in recording if request.compaction]
    before = recording.requests[after.number - 2]
    assert not {sent.id for sent in after.sent} & {sent.id for sent in before.sent}
    assert after.usage.input is not None and before.usage.input is not None
    assert after.usage.input < before.usage.input


def test_requests_of_one_log_share_their_messages() -> None:
    recording = ctxlab.read_recording(RECORDINGS / "claude-code-compaction/spotter-ae4a77f8.jsonl")
    sent = sum(request.message_count for request in recording)
    assert sent > 40 * (len(recording.session.nodes) - 1)


@pytest.mark.parametrize("name", [name for name in COUNTS if name.startswith("chat-exports/")])
def test_an_exported_chat_is_a_session_with_the_answers_that_its_recording_has(name: str) -> None:
    found, recording = ctxlab.read(RECORDINGS / name), ctxlab.read_recording(RECORDINGS / name)
    answers = [node.content for session in found.sessions for node in session.in_order() if node.role == "assistant"]
    assert len(answers) == len(recording)
    assert not any(session.check() for session in found.sessions)
    assert all(len(session.path()) > 1 for session in found.sessions if len(session.nodes) > 1)


@pytest.mark.parametrize("name", [*COUNTS])
def test_a_prompt_is_the_parts_of_its_request(name: str) -> None:
    recording = ctxlab.read_recording(RECORDINGS / name)

    for request in [*recording][:: max(1, len(recording) // 20)]:
        prompt, parts = request.prompt, [*recording.parts.of_request(request)]
        assert [*prompt.parts] == parts
        assert prompt.tokens == recording.parts.tokens(request) == sum(prompt.tokens_by_source.values())
        assert [message.key for message in prompt.messages] == [message.id for message in request.sent]
        for message in prompt.messages:
            for part in message.parts:
                words = recording.session.nodes[part.key].content
                assert part.start is None or words[part.start : part.start + len(part.text)] == part.text
