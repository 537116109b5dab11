"""From a model's call of `get_artifact` to the messages that each vendor gets."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.assets.capabilities import Capabilities
from ctxlab.assets.content_router import (
    GET_ARTIFACT_TOOL,
    Artifact,
    ContentRouteResult,
    RoutedFile,
    RouteMetadata,
    ToolAnswer,
    Vendor,
    answer_call,
    route_content,
    tool_messages,
    tool_response,
)
from ctxlab.assets.content_router.vendor_tool_results import RULES, vendor_of
from ctxlab.documents import ToolCall
from ctxlab.errors import CtxlabError

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x02\x00\x00\x00\x02\x08\x02\x00\x00\x00\xfd\xd4\x9as"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
)
WAV = (
    b"RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data"
)
WAV += b"\x08\x00\x00\x00" + bytes(8)
BASE64 = b64encode(PNG).decode()
URL = f"data:image/png;base64,{BASE64}"
SOUND = b64encode(WAV).decode()
EYES = Capabilities(frozenset({"text", "vision", "audio"}))
VENDORS: tuple[Vendor, ...] = tuple(RULES)
LEAD = "工件内容 (map.png):"


@pytest.fixture
def store(tmp_path: Path) -> AssetFolder:
    return AssetFolder(tmp_path / "files")


def _call(ref: str, id: str = "c1") -> ToolCall:
    return ToolCall(id, "get_artifact", json.dumps({"ref": ref}))


def _picture(store: AssetFolder) -> tuple[str, str]:
    """The reference of a picture, and the JSON that every vendor's result has of it."""
    asset = store.add(PNG, name="map.png")
    metadata = {"id": asset.id, "filename": "map.png", "mimeType": "image/png", "size": len(PNG), "binaryType": "image"}
    told = {"status": "success", "contentType": "image", "routing": "image_url", "metadata": metadata}
    return f"artifact:{asset.id}", json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def test_the_tool_takes_a_reference() -> None:
    function: Any = GET_ARTIFACT_TOOL["function"]

    assert (GET_ARTIFACT_TOOL["type"], function["name"]) == ("function", "get_artifact")
    assert function["parameters"]["required"] == ["ref"] == [*function["parameters"]["properties"]]


def test_a_call_for_a_picture_becomes_each_vendors_messages(store: AssetFolder) -> None:
    ref, told = _picture(store)
    call = _call(ref)
    answer = ToolAnswer(call, answer_call(call, store, EYES))
    inline = {"inlineData": {"mimeType": "image/png", "data": BASE64}}
    tool = {"role": "tool", "tool_call_id": "c1", "content": told}
    picture = {"type": "image_url", "image_url": {"url": URL}}
    following = {"role": "user", "content": [{"type": "text", "text": LEAD}, picture]}
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}}
    said = {"id": "c1", "name": "get_artifact", "response": {"output": told}}

    assert {vendor: tool_messages([answer], vendor) for vendor in VENDORS} == {
        "openai-chat": [tool, following],
        "compatible": [tool, following],
        "openai-responses": [
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": [{"type": "input_text", "text": told}, {"type": "input_image", "image_url": URL}],
            }
        ],
        "anthropic": [
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": told}, block]}
                ],
            }
        ],
        "gemini": [{"role": "user", "parts": [{"functionResponse": {**said, "parts": [inline]}}]}],
        "gemini-2": [
            {"role": "user", "parts": [{"functionResponse": said}]},
            {"role": "user", "parts": [{"text": LEAD}, inline]},
        ],
    }


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_model_that_sees_nothing_gets_the_description_alone(store: AssetFolder, vendor: Vendor) -> None:
    ref, _ = _picture(store)
    call = _call(ref)

    messages = tool_messages([ToolAnswer(call, answer_call(call, store, None, language="en"))], vendor)

    assert len(messages) == 1
    assert "[Cannot be read] map.png (artifact:" in json.dumps(messages)
    assert BASE64[:12] not in json.dumps(messages)


@pytest.mark.parametrize("vendor", VENDORS)
def test_results_come_together_and_files_that_none_of_them_holds_after_them(store: AssetFolder, vendor: Vendor) -> None:
    picture, _ = _picture(store)
    sound = f"artifact:{store.add(WAV, name='horn.wav').id}"
    calls = [_call(sound, "c1"), _call(picture, "c2"), _call("artifact:ffff000011112222", "c3")]

    messages = tool_messages([ToolAnswer(call, answer_call(call, store, EYES)) for call in calls], vendor)

    written = json.dumps(messages)
    places = [written.index(f'"{call.id}"') for call in calls]
    hears = vendor not in ("anthropic", "openai-responses")
    assert places == sorted(places)
    assert (written.count(SOUND), written.count(BASE64)) == (int(hears), 1)
    assert (
        places[-1] < written.index(SOUND)
        if hears
        else "[无法读取] horn.wav" in json.dumps(messages, ensure_ascii=False)
    )
    assert "artifact_not_found" in written


def test_openai_gets_a_sound_as_sound_and_a_document_as_file() -> None:
    call, hears = ToolCall("c", "get_artifact"), Capabilities(frozenset({"audio", "file"}))
    pdf = route_content(Artifact("p", b"\x91\xfe\x01" * 9, True, "application/x-thing", meta={"filename": "t"}), hears)
    sound = route_content(Artifact("s", WAV, True, "audio/wav"), hears)

    _, _, after = tool_messages([ToolAnswer(call, pdf), ToolAnswer(call, sound)], "openai-chat", language="en")

    data = b64encode(b"\x91\xfe\x01" * 9).decode()
    assert after["content"] == [
        {"type": "text", "text": "Contents of the artifact (t):"},
        {"type": "file", "file": {"filename": "t", "file_data": f"data:application/x-thing;base64,{data}"}},
        {"type": "text", "text": "Contents of the artifact (s):"},
        {"type": "input_audio", "input_audio": {"data": SOUND, "format": "wav"}},
    ]


def test_a_picture_is_kept_as_json_and_as_content_of_two_parts() -> None:
    response = tool_response(route_content(Artifact("a1", PNG, True, meta={"filename": "map.png"}), EYES))

    assert json.loads(response.content).keys() == {"status", "contentType", "routing", "metadata"}
    assert response.multimodal_content == [
        {"type": "text", "text": LEAD},
        {"type": "image_url", "image_url": {"url": URL}},
    ]


def test_a_file_is_kept_in_the_routers_form() -> None:
    result = route_content(Artifact("a1", WAV, True, "audio/wav"), EYES)

    assert result.file is not None
    assert tool_response(result).multimodal_content == [
        {"type": "text", "text": "工件内容 (a1):"},
        result.file.as_data(),
    ]


def test_a_text_is_kept_as_json_with_its_content() -> None:
    response = tool_response(route_content(Artifact("a1", "灯塔", False), None))

    assert response.content == (
        '{"status":"success","contentType":"text","routing":"text","content":"灯塔","metadata":{"id":"a1"}}'
    )
    assert (response.multimodal_content, response.media) == ([], None)


@pytest.mark.parametrize(
    ("result", "content"), [("as it is", "as it is"), ({"ok": True, "名": [1]}, '{"ok":true,"名":[1]}'), ({}, "{}")]
)
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_result_that_is_no_route_stays_as_it_is(result: Any, content: str, vendor: Vendor) -> None:
    response = tool_response(result)
    messages = tool_messages([ToolAnswer(ToolCall("c", "other"), result)], vendor)

    assert (response.content, response.multimodal_content) == (content, [])
    assert json.dumps(content) in json.dumps(messages) and len(messages) == 1


@pytest.mark.parametrize("arguments", ["", "{", "[]", '{"ref": 7}', '{"path": "a"}', '"artifact:a"'])
def test_arguments_that_name_no_reference_find_nothing(store: AssetFolder, arguments: str) -> None:
    _picture(store)

    found = answer_call(ToolCall("c", "get_artifact", arguments), store, EYES)

    assert found.as_data() == {"error": "artifact_not_found", "ref": "", "message": "工件不存在或已被删除"}


def test_no_answers_make_no_messages() -> None:
    assert [tool_messages([], vendor) for vendor in VENDORS] == [[]] * len(VENDORS)


def test_each_vendors_rules_have_a_source_and_a_month() -> None:
    assert {*RULES} == {*VENDORS}
    assert all(rules.source and len(rules.as_of) == 7 for rules in RULES.values())


@pytest.mark.parametrize(
    ("wire", "model", "vendor"),
    [
        ("openai", "gpt-4o", "openai-chat"),
        ("openai", "", "openai-chat"),
        ("openai", "deepseek-chat", "compatible"),
        ("openai", "qwen3-vl-flash", "compatible"),
        ("anthropic", "claude-sonnet-4-5", "anthropic"),
        ("google", "gemini-2.5-pro", "gemini-2"),
        ("google", "gemini-3-pro-preview", "gemini"),
    ],
)
def test_the_wire_format_and_the_name_say_which_vendor(wire: str, model: str, vendor: Vendor) -> None:
    assert vendor_of(wire, model) == vendor


MIMES = {"horn.flac": "audio/flac", "table.csv": "text/csv"}
KINDS: dict[str, Any] = {"horn.flac": "audio", "doc.zip": "other", "doc.pdf": "document", "table.csv": "document"}
FLAC = b"fLaC\0\0\0\x22" + bytes(34)
DESCRIBED = {
    "doc.zip": {"anthropic"},
    "doc.pdf": set[str](),
    "horn.flac": {"openai-chat", "compatible", "openai-responses", "anthropic"},
    "table.csv": set[str](),
}
BYTES = {
    "doc.zip": b"PK\5\6" + bytes(18),
    "doc.pdf": b"%PDF-1.7\n",
    "horn.flac": FLAC,
    "table.csv": "甲,b\n1,2".encode(),
}


@pytest.mark.parametrize("name", DESCRIBED)
@pytest.mark.parametrize("vendor", VENDORS)
def test_what_a_vendors_form_has_no_place_for_is_described(vendor: Vendor, name: str) -> None:
    mime_type = {"doc.pdf": "application/pdf", "doc.zip": "application/zip"}.get(name, "")
    metadata = RouteMetadata("a1", filename=name, mime_type=mime_type or MIMES[name], binary_type=KINDS[name])
    file = RoutedFile(name, metadata.mime_type, b64encode(BYTES[name]).decode())
    result = ContentRouteResult("binary", "file", metadata, file=file)

    written = json.dumps(tool_messages([ToolAnswer(_call("artifact:a1"), result)], vendor, language="en"))

    assert ("[Cannot be read]" in written) == (vendor in DESCRIBED[name])
    assert (file.data in written or "\\u7532,b" in written) == (vendor not in DESCRIBED[name])


def test_another_vendor_is_refused_with_those_that_there_are() -> None:
    vendor: Any = "mistral"

    with pytest.raises(CtxlabError, match="'mistral' is no vendor's form; there are: openai-chat, "):
        tool_messages([], vendor)
