"""What stands where when a request has been read: prompts, messages in order, blocks to be replayed, parameters."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import ctxlab
from ctxlab.documents import MessageNode
from ctxlab.documents.session.replay_artifacts import artifacts_of
from tests.formats.requests.rich_bodies import ANTHROPIC, CHAT, GEMINI, RESPONSES, RICH


def path_of(body: dict[str, Any]) -> list[MessageNode]:
    return [*ctxlab.read_data(body).pick().path()][1:]


def said(nodes: list[MessageNode]) -> list[tuple[str, str]]:
    return [(node.role, node.content) for node in nodes]


def kinds(node: MessageNode) -> list[tuple[str, str]]:
    """The blocks of a message that go back, each with its place."""
    return [
        (str(one.item.get("type", ",".join(one.item))), f"on {one.on}" if one.on else one.before)
        for one in artifacts_of(node.metadata)
    ]


@pytest.mark.parametrize("vendor", RICH)
def test_prompts_tools_parameters_and_model_are_the_agent_s(vendor: str) -> None:
    (agent,) = ctxlab.read_data(RICH[vendor]).agents

    assert agent.preset_messages[0].content == "You keep the lighthouse."
    assert agent.tools[0]["type"] == "function"
    assert agent.tools[0]["function"]["name"] == "look"
    assert agent.parameters
    assert agent.model_id == RICH[vendor].get("model")


def test_the_parameters_have_the_names_of_agents() -> None:
    parameters = {vendor: dict(ctxlab.read_data(body).agents[0].parameters or {}) for vendor, body in RICH.items()}

    assert parameters["anthropic"] == {
        "maxTokens": 4096,
        "temperature": 1,
        "stop": ["完"],
        "thinkingEnabled": True,
        "thinkingBudget": 2048,
        "toolChoice": "auto",
        "parallelToolCalls": False,
        "user": "user-77",
        "custom": {
            "enabled": True,
            "wire": "anthropic",
            "params": {"context_management": ANTHROPIC["context_management"]},
        },
    }
    assert parameters["openai-responses"]["reasoningEffort"] == "low"
    assert parameters["openai-responses"]["includeThoughts"] is True
    assert parameters["openai-responses"]["responseFormat"]["json_schema"]["name"] == "answer"
    assert parameters["openai-responses"]["toolChoice"] == {"type": "function", "function": {"name": "look"}}
    assert parameters["gemini"]["maxTokens"] == 900
    assert parameters["gemini"]["thinkingBudget"] == 512
    assert parameters["gemini"]["safetySettings"] == GEMINI["safetySettings"]
    assert parameters["gemini"]["toolChoice"] == {"type": "function", "function": {"name": "look"}}
    assert parameters["openai"]["webSearchOptions"] == {"search_context_size": "low"}
    assert parameters["openai"]["custom"]["params"] == {"prompt_cache_key": "harbour-7"}


def test_a_field_with_a_part_that_has_no_name_goes_out_whole() -> None:
    body = {**RESPONSES, "reasoning": {"effort": "low", "summary": "detailed"}}

    parameters = ctxlab.read_data(body).agents[0].parameters or {}

    assert "reasoningEffort" not in parameters
    assert parameters["custom"]["params"]["reasoning"] == body["reasoning"]


def test_the_blocks_of_anthropic_stay_in_order() -> None:
    nodes = path_of(ANTHROPIC)

    assert said(nodes) == [
        ("user", ""),
        ("user", "What is this?"),
        ("assistant", "Let me look."),
        ("tool", "A ship."),
        ("tool", "The lamp is out."),
        ("user", "And now?"),
        ("assistant", "I search. "),
        ("assistant", "It needs oil."),
        ("user", "Thank you."),
    ]
    assert [len(node.attachments or ()) for node in nodes[:5]] == [1, 0, 0, 0, 1]
    assert [call.id for call in nodes[2].tool_calls] == ["toolu_1", "toolu_2"]
    assert kinds(nodes[2]) == [("thinking", "text"), ("redacted_thinking", "calls")]
    assert nodes[2].reasoning == "A picture of one point."
    assert kinds(nodes[7]) == [("server_tool_use", "text"), ("web_search_tool_result", "text")]
    assert nodes[4].meta("toolCall") == {"requestId": "toolu_2", "status": "error"}
    assert artifacts_of(nodes[2].metadata)[0].item == ANTHROPIC["messages"][1]["content"][0]


def test_the_items_of_responses_stay_in_order() -> None:
    nodes = path_of(RESPONSES)

    assert said(nodes) == [
        ("user", "What is this?"),
        ("assistant", "Let me look."),
        ("tool", "A ship."),
        ("tool", "The lamp is out."),
        ("assistant", "It needs oil."),
        ("user", "Thank you."),
    ]
    assert kinds(nodes[1]) == [
        ("reasoning", "text"),
        ("id,status,phase", "on text"),
        ("id", "on call_1"),
        ("reasoning", "call_2"),
    ]
    assert kinds(nodes[4]) == [("web_search_call", "text")]
    assert ctxlab.read_data(RESPONSES).agents[0].preset_messages[1].content == "用中文回答。"


def test_a_history_at_the_vendor_s_is_a_loss_and_goes_out_as_it_is() -> None:
    found = ctxlab.read_data({"model": "gpt-5", "input": "And then?", "previous_response_id": "resp_1"})

    assert said([*found.pick().path()][1:]) == [("user", "And then?")]
    assert [loss.place for loss in found.losses] == ["previous_response_id"]
    assert (found.agents[0].parameters or {})["custom"]["params"] == {"previous_response_id": "resp_1"}


def test_calls_of_gemini_get_ids_and_results_find_them() -> None:
    nodes = path_of(GEMINI)

    made = [call.id for call in nodes[2].tool_calls]
    assert made == ["m1-call-2", "m1-call-3"]
    assert [node.result_of for node in nodes[3:5]] == made
    assert all(call["madeId"] for call in nodes[2].meta("toolCallsRequested"))
    assert nodes[4].meta("toolCall")["status"] == "error"
    assert [node.content for node in nodes[3:5]] == ["A ship.", "The lamp is out."]
    assert kinds(nodes[2]) == [
        ("text,thought", "text"),
        ("thoughtSignature", "on text"),
        ("thoughtSignature", f"on {made[0]}"),
    ]
    assert kinds(nodes[5]) == [("executableCode", "text"), ("codeExecutionResult", "text")]


def test_a_signature_at_the_end_of_a_stream_is_kept() -> None:
    turn = {"role": "model", "parts": [{"text": "Hello."}, {"text": "", "thoughtSignature": "c2ln"}]}

    (_, reply) = path_of({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, turn]})

    assert reply.content == "Hello."
    assert [(one.item, one.before) for one in artifacts_of(reply.metadata)] == [(turn["parts"][1], "calls")]


def test_both_spellings_of_gemini_are_read_alike() -> None:
    snake = {
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "generation_config": {"max_output_tokens": 5},
        "contents": [{"parts": [{"inline_data": {"mime_type": "image/png", "data": "aGk="}}]}],
    }
    camel = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"maxOutputTokens": 5},
        "contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]}],
    }

    first, second = ctxlab.read_data(snake), ctxlab.read_data(camel)

    assert first.sessions == second.sessions
    assert first.agents == second.agents


def test_a_call_that_is_named_like_a_place_does_not_double_its_blocks() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    for name in ("text", "calls", "end"):
        call = {"type": "tool_use", "id": name, "name": "look", "input": {}}
        body = copy.deepcopy(ANTHROPIC)
        result = {"type": "tool_result", "tool_use_id": name, "content": "A ship."}
        body["messages"] = [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": [thought, call]},
            {"role": "user", "content": [result]},
        ]
        trace = ctxlab.build(ctxlab.read_data(body))

        blocks = ctxlab.payload(trace, "anthropic", model="claude-sonnet-4-5").body["messages"][1]["content"]

        assert [block["type"] for block in blocks] == ["thinking", "tool_use"]


def test_a_chat_that_a_program_keeps_is_no_request() -> None:
    found = ctxlab.read_data({"id": "c1", "title": "Harbour", "model": "gpt-4o", "messages": CHAT["messages"][1:]})

    assert found.agents == ()
    assert found.pick().to_data()["openai"]["title"] == "Harbour"


def test_prompts_may_stay_in_the_tree() -> None:
    session = ctxlab.formats.read_source(
        ctxlab.formats.Source(copy.deepcopy(ANTHROPIC), "body", keep_prompts=True)
    ).pick()

    assert said([*session.path()][1:3]) == [("system", "You keep the lighthouse."), ("system", "用中文回答。")]
