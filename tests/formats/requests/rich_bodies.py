"""A body of each wire with everything in it that a reader knows."""

from __future__ import annotations

from typing import Any

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 4096,
    "temperature": 1,
    "stop_sequences": ["完"],
    "thinking": {"type": "enabled", "budget_tokens": 2048},
    "metadata": {"user_id": "user-77"},
    "context_management": {"edits": [{"type": "compact_20260112"}]},
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "system": [
        {"type": "text", "text": "You keep the lighthouse."},
        {"type": "text", "text": "用中文回答。", "cache_control": {"type": "ephemeral"}},
    ],
    "tools": [
        {"name": "look", "description": "Looks around.", "input_schema": {"type": "object", "properties": {}}},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
    ],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                {"type": "text", "text": "What is this?"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "A picture of one point.", "signature": "c2lnbmF0dXJl"},
                {"type": "text", "text": "Let me look."},
                {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="},
                {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"where": "海上"}},
                {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "A ship.", "is_error": False},
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "is_error": True,
                    "content": [
                        {"type": "text", "text": "The lamp is out."},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                    ],
                },
                {"type": "text", "text": "And now?"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I search. "},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "lamp"}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
                {"type": "text", "text": "It needs "},
                {"type": "text", "text": "oil."},
            ],
        },
        {"role": "user", "content": "Thank you."},
    ],
}

RESPONSES: dict[str, Any] = {
    "model": "gpt-5.5",
    "instructions": "You keep the lighthouse.",
    "max_output_tokens": 800,
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"effort": "low", "summary": "auto"},
    "text": {"format": {"type": "json_schema", "name": "answer", "schema": {"type": "object"}, "strict": True}},
    "tool_choice": {"type": "function", "name": "look"},
    "prompt_cache_key": "harbour-7",
    "tools": [
        {"type": "function", "name": "look", "description": "Looks around.", "parameters": {"type": "object"}},
        {"type": "web_search"},
    ],
    "input": [
        {"role": "developer", "content": "用中文回答。"},
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "What is this?"},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "high"},
            ],
        },
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "One point."}]},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "phase": "commentary",
            "content": [{"type": "output_text", "text": "Let me look.", "annotations": []}],
        },
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": '{"where":"海上"}'},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "ZW5jcnlwdGVk"},
        {"type": "function_call", "call_id": "call_2", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "A ship."},
        {
            "type": "function_call_output",
            "call_id": "call_2",
            "output": [
                {"type": "input_text", "text": "The lamp is out."},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
            ],
        },
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"role": "assistant", "content": "It needs oil."},
        {"role": "user", "content": "Thank you."},
    ],
}

GEMINI: dict[str, Any] = {
    "systemInstruction": {"parts": [{"text": "You keep the lighthouse."}, {"text": "用中文回答。"}]},
    "generationConfig": {
        "temperature": 0.5,
        "maxOutputTokens": 900,
        "stopSequences": ["完"],
        "thinkingConfig": {"thinkingBudget": 512, "includeThoughts": True},
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object"},
    },
    "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["look"]}},
    "tools": [
        {"functionDeclarations": [{"name": "look", "description": "Looks.", "parameters": {"type": "OBJECT"}}]},
        {"codeExecution": {}},
    ],
    "contents": [
        {
            "role": "user",
            "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}, {"text": "What is this?"}],
        },
        {
            "role": "model",
            "parts": [
                {"text": "A picture of one point.", "thought": True},
                {"text": "Let me look.", "thoughtSignature": "c2lnbmVkMQ=="},
                {"functionCall": {"name": "look", "args": {"where": "海上"}}, "thoughtSignature": "c2lnbmVkMg=="},
                {"functionCall": {"name": "look", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "look", "response": {"output": "A ship."}}},
                {
                    "functionResponse": {
                        "name": "look",
                        "response": {"error": "The lamp is out."},
                        "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}],
                    }
                },
            ],
        },
        {
            "role": "model",
            "parts": [
                {"executableCode": {"language": "PYTHON", "code": "print('oil')"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "oil"}},
                {"text": "It needs oil."},
            ],
        },
        {"role": "user", "parts": [{"text": "Thank you."}]},
    ],
}

CHAT: dict[str, Any] = {
    "model": "gpt-4o",
    "max_tokens": 500,
    "stop": "完",
    "logit_bias": {"50256": -100},
    "response_format": {"type": "json_object"},
    "web_search_options": {"search_context_size": "low"},
    "prompt_cache_key": "harbour-7",
    "tool_choice": "auto",
    "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
    "messages": [
        {"role": "system", "content": "You keep the lighthouse."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "A ship."},
        {"role": "user", "content": "谢谢。"},
    ],
}

RICH: dict[str, dict[str, Any]] = {
    "anthropic": ANTHROPIC,
    "openai-responses": RESPONSES,
    "gemini": GEMINI,
    "openai": CHAT,
}
