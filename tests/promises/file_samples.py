"""A small file of each format that is read, with texts that are found again nowhere else in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Data = dict[str, Any]


def words(number: int) -> str:
    return f"the tide of day {number} 潮汐"


def tau_bench() -> Any:
    task = {"user_id": "ann_of_the_tides", "instruction": words(1), "actions": [{"name": words(2), "kwargs": {}}]}
    turns = [
        {"role": "system", "content": words(3)},
        {"role": "user", "content": words(4)},
        {"role": "assistant", "content": None, "tool_calls": [call_of_openai(5)]},
        {"role": "tool", "tool_call_id": "call_of_tides", "name": "look_at_tides", "content": words(6)},
    ]
    return [{"task_id": 1, "trial": 0, "reward": 1.0, "info": {"task": task}, "traj": turns}]


def call_of_openai(number: int) -> Data:
    function = {"name": "look_at_tides", "arguments": f'{{"at": "{words(number)}"}}'}
    return {"id": "call_of_tides", "type": "function", "function": function}


def swe_agent() -> Any:
    history = [
        {"role": "system", "content": words(1), "agent": "main", "message_type": "system_prompt"},
        {"role": "user", "content": [{"type": "text", "text": words(2)}], "is_demo": False},
        {"role": "assistant", "content": words(3), "thought": words(4), "action": words(5)},
        {"role": "user", "content": words(6)},
    ]
    step = {"action": words(5), "observation": words(6), "response": words(7), "thought": words(4)}
    return {"history": history, "trajectory": [step], "info": {"submission": words(8), "exit_status": "submitted"}}


def oasst() -> Any:
    reply = {"message_id": "a-of-tides", "parent_id": "u-of-tides", "text": words(2), "role": "assistant", "rank": 0,
             "lang": "en", "replies": [], "labels": {"quality": {"value": 1, "count": 2}}}  # fmt: skip
    asked = {"message_id": "u-of-tides", "text": words(1), "role": "prompter", "replies": [reply],
             "created_date": "2023-01-01T00:00:00+00:00"}  # fmt: skip
    return {"message_tree_id": "u-of-tides", "tree_state": "ready_for_export", "prompt": asked}


def locomo() -> Any:
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": words(1)},
        {"speaker": "Ben", "dia_id": "D1:2", "text": words(2), "img_url": ["http://tides.example/1.png"],
         "blip_caption": words(3), "query": words(4)},
    ]  # fmt: skip
    talk = {"speaker_a": "Ann", "speaker_b": "Ben", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns}
    question = {"question": words(5), "answer": words(6), "evidence": ["D1:1"], "category": 1}
    about = {"session_1_summary": words(7)}
    return [{"sample_id": "talk-of-tides", "conversation": talk, "qa": [question], "session_summary": about}]


def beam() -> Any:
    asked = {"role": "user", "id": 0, "time_anchor": "March-15-2024", "index": "1,1", "question_type": "main_question"}
    turn = [{**asked, "content": f"{words(1)} ->-> 1,1"}, {"role": "assistant", "id": 1, "content": words(2)}]
    return [{"batch_number": 1, "time_anchor": None, "turns": [turn]}]


def sharegpt() -> Any:
    turns = [{"from": "human", "value": words(1)}, {"from": "gpt", "value": words(2)}]
    return [{"id": "talk-of-tides", "conversations": turns}]


def memorybank() -> Any:
    exchange = {"query": words(1), "response": words(2), "memory_strength": 1}
    person = {"name": "Ann", "history": {"2023-05-01": [exchange]}, "summary": {"2023-05-01": {"content": words(3)}}}
    return {"Ann": person}


def lorebook() -> Any:
    entry = {"uid": 0, "key": ["the spring tide"], "keysecondary": ["the neap tide"], "comment": words(1),
             "content": words(2), "constant": False, "selective": True, "order": 100, "position": 0, "disable": False,
             "characterFilter": {"isExclude": False, "names": ["Ann of the tides"], "tags": []}}  # fmt: skip
    return {"name": "All about tides", "description": words(3), "entries": {"0": entry}, "extensions": {}}


def card() -> Any:
    entry = {"id": 1, "keys": ["the spring tide"], "content": words(8), "extensions": {}, "enabled": True,
             "insertion_order": 1, "name": words(9), "comment": words(9)}  # fmt: skip
    data = {
        "name": "Ann of the tides", "description": words(1), "personality": words(2), "scenario": words(3),
        "first_mes": words(4), "mes_example": words(5), "creator_notes": words(6), "system_prompt": words(7),
        "post_history_instructions": words(10), "alternate_greetings": [words(11)], "tags": ["tides and the sea"],
        "creator": "Ben of the tides", "character_version": "1.0",
        "extensions": {"depth_prompt": {"prompt": words(12), "depth": 4, "role": "system"}, "world": "All about tides",
                       "regex_scripts": [sillytavern_regex()]},
        "character_book": {"name": "All about tides", "entries": [entry], "extensions": {}},
    }  # fmt: skip
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def preset() -> Any:
    prompts = [
        {"identifier": "main", "name": "Main Prompt", "role": "system", "content": words(1), "system_prompt": True},
        {"identifier": "tide-prompt", "name": "All about tides", "role": "user", "content": words(2),
         "injection_position": 1, "injection_depth": 4},
        {"identifier": "chatHistory", "name": "Chat History", "marker": True, "system_prompt": True},
    ]  # fmt: skip
    order = [{"identifier": each["identifier"], "enabled": True} for each in prompts]
    script = {"id": "script-of-tides", "scriptName": "All about tides", "findRegex": "/a long tide/g",
              "replaceString": words(3), "trimStrings": [words(4)], "placement": [2]}  # fmt: skip
    return {
        "temperature": 1, "openai_max_context": 4095, "openai_model": "gpt-of-the-tides", "prompts": prompts,
        "prompt_order": [{"character_id": 100000, "order": order}], "new_chat_prompt": words(5),
        "scenario_format": words(6), "impersonation_prompt": words(7), "extensions": {"regex_scripts": [script]},
    }  # fmt: skip


def text_preset() -> Any:
    return {
        "context": {"name": "All about tides", "story_string": words(1), "chat_start": words(2)},
        "instruct": {"name": "All about tides", "input_sequence": words(3), "output_sequence": words(4)},
        "sysprompt": {"name": "All about tides", "content": words(5)},
    }


def sillytavern_chat() -> Any:
    about = {"note_prompt": words(1), "note_depth": 4, "integrity": "integrity-of-tides"}
    head = {"user_name": "Ann of the tides", "character_name": "Ben of the tides",
            "create_date": "2024-01-01@00h00m00s", "chat_metadata": about}  # fmt: skip
    asked = {"name": "Ann of the tides", "is_user": True, "is_system": False, "mes": words(2),
             "send_date": "January 1, 2024 12:00am", "extra": {"isSmallSys": False}}  # fmt: skip
    said = {"name": "Ben of the tides", "is_user": False, "is_system": False, "mes": words(3),
            "send_date": "January 1, 2024 12:01am", "swipe_id": 0, "swipes": [words(3), words(4)],
            "extra": {"reasoning": words(5), "model": "gpt-of-the-tides", "api": "the-api-of-tides"},
            "swipe_info": [{"send_date": "January 1, 2024 12:01am", "extra": {"reasoning": words(5)}},
                           {"send_date": "January 1, 2024 12:01am", "extra": {"reasoning": words(6)}}]}  # fmt: skip
    return [head, asked, said]


def sillytavern_regex() -> Any:
    return {
        "id": "script-of-tides", "scriptName": "All about tides", "findRegex": "/a long tide/g",
        "replaceString": words(1), "trimStrings": [words(2)], "placement": [1, 2], "disabled": False,
    }  # fmt: skip


def quick_replies() -> Any:
    reply = {"id": 1, "label": words(1), "title": words(2), "message": words(3), "contextList": []}
    return {"version": 2, "name": "All about tides", "disableSend": False, "qrList": [reply]}


def anthropic() -> Any:
    tool = {"name": "look_at_tides", "description": words(1), "input_schema": {"type": "object", "properties": {
        "at": {"type": "string", "description": words(2)}}}}  # fmt: skip
    messages = [
        {"role": "user", "content": [{"type": "text", "text": words(3)},
                                     {"type": "document", "title": "All about tides",
                                      "source": {"type": "text", "media_type": "text/plain", "data": words(4)}}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": words(5), "signature": words(6)},
            {"type": "text", "text": words(7)},
            {"type": "tool_use", "id": "toolu_of_tides", "name": "look_at_tides", "input": {"at": words(8)}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_of_tides",
                                      "content": [{"type": "text", "text": words(9)}]}]},
    ]  # fmt: skip
    return {"model": "claude-of-the-tides", "max_tokens": 9, "system": [{"type": "text", "text": words(10)}],
            "tools": [tool], "tool_choice": {"type": "tool", "name": "look_at_tides"},
            "metadata": {"user_id": "ann_of_the_tides"}, "thinking": {"type": "enabled", "budget_tokens": 1024},
            "messages": messages}  # fmt: skip


def responses() -> Any:
    tool = {"type": "function", "name": "look_at_tides", "description": words(1), "parameters": {"type": "object"}}
    items = [
        {"role": "developer", "content": words(2)},
        {"role": "user", "content": [{"type": "input_text", "text": words(3)},
                                     {"type": "input_file", "filename": "tide table.txt", "file_id": "file-of-tides"}]},
        {"type": "reasoning", "id": "reasoning_of_tides", "encrypted_content": words(4),
         "summary": [{"type": "summary_text", "text": words(5)}]},
        {"type": "message", "role": "assistant", "id": "message_of_tides",
         "content": [{"type": "output_text", "text": words(6), "annotations": [{"title": words(7)}]}]},
        {"type": "function_call", "call_id": "call_of_tides", "name": "look_at_tides", "arguments": words(8)},
        {"type": "function_call_output", "call_id": "call_of_tides", "output": words(9)},
    ]  # fmt: skip
    return {"model": "gpt-of-the-tides", "instructions": words(10), "tools": [tool], "input": items,
            "text": {"format": {"type": "json_schema", "name": "tides_of_days", "schema": {"title": words(11)}}},
            "reasoning": {"effort": "low"}, "prompt_cache_key": "key-of-the-tides"}  # fmt: skip


def gemini() -> Any:
    function = {"name": "look_at_tides", "description": words(1), "parameters": {"type": "OBJECT"}}
    contents = [
        {"role": "user", "parts": [{"text": words(2)},
                                   {"fileData": {"mimeType": "application/pdf", "fileUri": "http://tides.example/t"}}]},
        {"role": "model", "parts": [{"text": words(3), "thought": True},
                                    {"text": words(4), "thoughtSignature": words(5)},
                                    {"functionCall": {"name": "look_at_tides", "args": {"at": words(6)}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look_at_tides", "response": {"output": words(7)}}}]},
    ]  # fmt: skip
    return {"model": "gemini-of-the-tides", "systemInstruction": {"parts": [{"text": words(8)}]},
            "tools": [{"functionDeclarations": [function]}], "contents": contents,
            "generationConfig": {"temperature": 1, "stopSequences": [words(9)]},
            "safetySettings": [{"category": "HARM_CATEGORY_OF_TIDES", "threshold": "BLOCK_ONLY_HIGH"}]}  # fmt: skip


def http_recordings() -> Any:
    request = {"method": "POST", "uri": "https://api.example.com/v1/chat/completions", "parsed_body": openai()}
    return {"version": 1, "interactions": [{"request": request, "response": {"parsed_body": {"text": words(20)}}}]}


def openai() -> Any:
    tool = {"type": "function", "function": {"name": "look_at_tides", "description": words(5), "parameters": {}}}
    messages = [
        {"role": "system", "content": words(6)},
        {"role": "user", "content": [{"type": "text", "text": words(1)},
                                     {"type": "image_url", "image_url": {"url": "http://tides.example/1.png"}}]},
        {"role": "assistant", "content": None, "tool_calls": [call_of_openai(2)], "reasoning_content": words(3)},
        {"role": "tool", "tool_call_id": "call_of_tides", "content": words(4)},
    ]  # fmt: skip
    return {"model": "gpt-of-the-tides", "tools": [tool], "messages": messages, "user": "ann-of-the-tides"}


def openai_list() -> Any:
    segments = [{"type": "thinking", "content": words(4)}, {"type": "text", "content": words(5)}]
    return [
        *openai()["messages"],
        {"id": 1, "chatId": "chat-of-tides", "body": {"role": "assistant", "content": None, "segments": segments}},
        {"messageIds": ["1"], "startMessageId": "1", "summary": words(7), "status": "completed"},
    ]


# --- exports of chat programs


def claude_ai() -> Any:
    def said(id: str, parent: str, *blocks: Data, **more: Any) -> Data:
        human = id.startswith("u")
        return {"uuid": id, "parent_message_uuid": parent, "sender": "human" if human else "assistant", "text": "",
                "content": list(blocks), "created_at": f"2026-01-01T00:00:0{id[1]}Z", **more}  # fmt: skip

    call = {"type": "tool_use", "id": "toolu_0001", "name": "web_search_of_tides", "input": {"query": words(4)}}
    result = {"type": "tool_result", "tool_use_id": "toolu_0001", "content": [{"type": "text", "text": words(5)}]}
    asked = said("u1", claude_ai_root(), {"type": "text", "text": words(1)},
                 attachments=[{"file_name": "tide table.txt", "extracted_content": words(2)}])  # fmt: skip
    answer = said(
        "a2", "u1", {"type": "thinking", "thinking": words(3)}, call, result, {"type": "text", "text": words(6)}
    )
    return [{"uuid": "chat-of-tides", "name": "All about tides", "chat_messages": [asked, answer], "summary": words(7)}]


def claude_ai_root() -> str:
    return "00000000-0000-4000-8000-000000000000"


def librechat() -> Any:
    content = [
        {"type": "think", "think": words(3)},
        {"type": "tool_call", "tool_call": {"id": "call_of_tides", "name": "look_at_tides", "args": {"at": words(4)},
                                            "output": words(5)}},
        {"type": "text", "text": words(6)},
        {"type": "hologram", "hologram": words(8)},
    ]  # fmt: skip
    asked = {"messageId": "u1", "parentMessageId": "00000000-0000-0000-0000-000000000000", "text": words(1),
             "isCreatedByUser": True, "files": [{"filename": "tide table.txt", "text": words(2)}]}  # fmt: skip
    answer = {"messageId": "a1", "parentMessageId": "u1", "content": content, "text": "", "isCreatedByUser": False}
    options = {"promptPrefix": words(9), "greeting": words(10)}
    return {
        "conversationId": "chat-of-tides",
        "title": "All about tides",
        "messages": [asked, answer],
        "options": options,
    }


def open_webui() -> Any:
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": words(3)}]},
        {"type": "function_call", "call_id": "call_of_tides", "name": "look_at_tides", "arguments": words(4)},
        {"type": "function_call_output", "call_id": "call_of_tides", "output": [{"type": "text", "text": words(5)}]},
        {"type": "message", "content": [{"type": "output_text", "text": words(6)}]},
    ]  # fmt: skip
    messages = {
        "u1": {"id": "u1", "parentId": None, "childrenIds": ["a1"], "role": "user", "content": words(1),
               "files": [{"name": "tide table.txt", "file": {"data": {"content": words(2)}}}]},
        "a1": {"id": "a1", "parentId": "u1", "childrenIds": ["u2"], "role": "assistant", "content": words(6),
               "output": output, "sources": [{"document": [words(7)]}]},
        "u2": {"id": "u2", "parentId": "a1", "childrenIds": ["a2"], "role": "user", "content": words(8)},
        "a2": {"id": "a2", "parentId": "u2", "childrenIds": [], "role": "assistant", "content":
               f'<details type="code_interpreter" done="true">{words(9)}</details>\n{words(10)}'},
    }  # fmt: skip
    chat = {
        "title": "All about tides",
        "history": {"currentId": "a2", "messages": messages},
        "params": {"system": words(11)},
    }
    return [{"id": "chat-of-tides", "chat": chat}]


def chatbot_ui() -> Any:
    rows = [{"role": "user", "content": words(1)}, {"role": "assistant", "content": words(2)}]
    return {
        "version": 4,
        "history": [{"id": "chat-of-tides", "name": "All about tides", "messages": rows, "prompt": words(3)}],
    }


def chatgpt() -> Any:
    def place(id: str, parent: str | None, child: str | None, role: str, text: str, **more: Any) -> Data:
        said = {
            "id": id,
            "author": {"role": role},
            "content": {"content_type": "text", "parts": [text]},
            "metadata": {},
            **more,
        }
        return {"id": id, "message": said, "parent": parent, "children": [child] if child else []}

    mapping = {
        "u1": place("u1", None, "a1", "user", words(1)),
        "a1": place("a1", "u1", "a2", "assistant", words(2), recipient="browser_of_tides"),
        "a2": place("a2", "a1", None, "assistant", words(3), metadata={"aggregate_result": {"output": words(4)}}),
    }
    return [{"title": "All about tides", "conversation_id": "chat-of-tides", "mapping": mapping, "current_node": "a2"}]


def claude_code() -> Any:
    def line(id: str, parent: str | None, role: str, content: Any, **more: Any) -> Data:
        return {"type": role, "uuid": id, "parentUuid": parent, "sessionId": "session-of-tides",
                "cwd": "/home/of/tides", "message": {"role": role, "content": content}, **more}  # fmt: skip

    call = {"type": "tool_use", "id": "toolu_0001", "name": "LookAtTheTides", "input": {"query": words(2)}}
    result = {"type": "tool_result", "tool_use_id": "toolu_0001", "content": words(3)}
    return [
        line("u1", None, "user", words(1)),
        line("a1", "u1", "assistant", [{"type": "thinking", "thinking": words(4), "signature": "s" * 40}, call]),
        line("r1", "a1", "user", [result], toolUseResult={"stdout": words(3)}),
        line("a2", "r1", "assistant", [{"type": "text", "text": words(5)}, {"type": "hologram", "hologram": words(6)}]),
    ]


def loom() -> Any:
    child = {"id": "b", "text": words(2), "children": [], "memories": [words(3)]}
    return {"root": {"id": "a", "text": words(1), "children": [child]}, "selected_node_id": "b", "memory": words(4)}


# --- lorebooks of other programs


def lorebook_of_novelai() -> Any:
    entry = {"text": words(1), "displayName": words(2), "keys": ["the spring tide"], "enabled": True,
             "id": "entry-of-tides", "contextConfig": {"budgetPriority": 400, "suffix": words(3)}}  # fmt: skip
    return {"lorebookVersion": 5, "entries": [entry]}


def lorebook_of_agnai() -> Any:
    entry = {"name": words(1), "entry": words(2), "keywords": ["the spring tide"], "weight": 400, "enabled": True}
    return {"kind": "memory", "name": "All about tides", "entries": [entry]}


def lorebook_of_risu() -> Any:
    entry = {"key": "sea, fog", "comment": words(1), "content": words(2), "insertorder": 400}
    return {"type": "risu", "ver": 1, "data": [entry]}


# --- ctxlab's own


def agents() -> Any:
    preset = {"id": "preset-of-tides", "name": "All about tides", "role": "system", "content": words(1)}
    greeting = {"id": "greeting-of-tides", "name": "All about tides", "content": words(2)}
    return {"id": "agent-of-tides", "name": "Ann of the tides", "description": words(3), "modelId": "gpt-of-the-tides",
            "presetMessages": [preset], "greetings": [greeting]}  # fmt: skip


def native() -> Any:
    nodes = {
        "root": {"id": "root", "parentId": None, "childrenIds": ["u-of-the-tides"], "role": "system", "content": ""},
        "u-of-the-tides": {"id": "u-of-the-tides", "parentId": "root", "childrenIds": [], "role": "user",
                           "content": words(1), "metadata": {"note": words(2)}},
    }  # fmt: skip
    return {"id": "chat-of-tides", "name": "All about tides", "rootNodeId": "root", "activeLeafId": "u-of-the-tides",
            "nodes": nodes}  # fmt: skip


def branch() -> Any:
    messages = [
        {"id": "u-of-tides", "role": "user", "content": words(1)},
        {"id": "a-of-tides", "role": "assistant", "content": words(2), "metadata": {"note": words(3)}},
    ]
    about = {"id": "chat-of-tides", "name": "All about tides"}
    return {"session": about, "messageCount": 2, "messages": messages}


def knowledge() -> Any:
    entry = {"id": "entry-of-tides", "key": "Table of tides", "content": words(1), "tags": ["all about tides"]}
    return {"id": "base-of-tides", "name": "All about tides", "description": words(2), "entries": [entry]}


def worldbook() -> Any:
    entry = {"uid": 0, "key": ["the spring tide"], "content": words(1), "comment": words(2)}
    about = {"id": "book-of-tides", "name": "All about tides", "description": words(3)}
    return {"metadata": about, "entries": {"0": entry}}


def rules() -> Any:
    rule = {"id": "rule-of-tides", "name": "All about tides", "regex": "/a long tide/g", "replacement": words(1),
            "enabled": True}  # fmt: skip
    return {"id": "rules-of-tides", "name": "All about tides", "rules": [rule]}


def quick_actions() -> Any:
    action = {"id": "action-of-tides", "label": words(1), "content": words(2), "description": words(3)}
    return {"id": "set-of-tides", "name": "All about tides", "isEnabled": True, "actions": [action]}


MADE: dict[str, Callable[[], Any]] = {
    "lorebook/NovelAI": lorebook_of_novelai, "lorebook/Agnai": lorebook_of_agnai, "lorebook/RisuAI": lorebook_of_risu,
    "tau-bench": tau_bench, "swe-agent": swe_agent, "oasst": oasst, "locomo": locomo, "sharegpt": sharegpt,
    "memorybank": memorybank, "lorebook": lorebook, "card": card, "preset": preset, "text-preset": text_preset,
    "sillytavern-chat": sillytavern_chat, "sillytavern-regex": sillytavern_regex, "quick-replies": quick_replies,
    "anthropic": anthropic, "openai-responses": responses, "gemini": gemini, "http-recordings": http_recordings,
    "openai": openai, "openai/list": openai_list, "claude": claude_ai, "librechat": librechat,
    "open-webui": open_webui, "chatbot-ui": chatbot_ui, "chatgpt": chatgpt, "claude-code": claude_code, "loom": loom,
    "agents": agents, "native": native, "branch": branch, "knowledge": knowledge, "worldbook": worldbook,
    "rules": rules, "quick-actions": quick_actions, "beam": beam,
}  # fmt: skip
