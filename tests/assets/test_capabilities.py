"""What a model reads: by its profile, by its name, by a service's file, and nothing where nothing says so."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

import pytest

from ctxlab.assets.capabilities import UNKNOWN, Capabilities, capabilities_of, stored_capabilities
from ctxlab.assets.llmservices import read_llmservices
from ctxlab.assets.model_capabilities import TABLE
from ctxlab.documents import ModelProfile

BY_NAME = {
    "gpt-4o": "vision file",
    "openrouter:openai/gpt-4o-mini:free": "vision file",
    "ft:gpt-4o:acme::x1": "vision file",
    "gpt-4o-audio-preview": "audio",
    "gpt-4-turbo": "vision",
    "gpt-4-turbo-preview": "",
    "gpt-4": "",
    "gpt-3.5-turbo": "",
    "gpt-oss-120b": "",
    "gpt-5.5": "vision file",
    "o3": "vision file",
    "o3-mini": "",
    "claude-2.1": "",
    "claude-3-haiku-20240307": "vision",
    "claude-sonnet-4-5": "vision file",
    "us.anthropic.claude-opus-4-7": "vision file",
    "models/gemini-2.5-pro": "vision file audio video",
    "gemini-2.5-flash-image": "vision",
    "gemini-2.5-pro-preview-tts": "",
    "gemma3:4b": "vision",
    "gemma3:1b": "",
    "deepseek-chat": "",
    "deepseek-v4.1-flash": "vision",
    "qwen3-vl-30b-a3b-instruct": "vision video",
    "qwen2.5-omni-7b": "vision audio video",
    "qwen-plus": "",
    "pixtral-large-latest": "vision",
    "mistral-small-2506": "vision",
    "mistral-large-2411": "",
    "voxtral-small-2507": "audio",
    "meta-llama/Meta-Llama-3.1-8B-Instruct": "",
    "llama3.2-vision:11b": "vision",
    "us.meta.llama4-scout-17b-instruct-v1": "vision",
    "glm-4.6v": "vision video",
    "glm-4.6": "",
    "kimi-k2.5": "vision video",
    "kimi-k2-0905-preview": "",
    "grok-4": "vision",
    "grok-3": "",
}


@pytest.mark.parametrize(("name", "inputs"), BY_NAME.items())
def test_a_models_name_says_what_it_reads(name: str, inputs: str) -> None:
    capabilities = capabilities_of(name)

    assert capabilities.known
    assert capabilities.inputs == {"text", *inputs.split()}
    assert capabilities_of(ModelProfile(id=name)) == capabilities


@pytest.mark.parametrize("model", [None, "", "house-model-7", ModelProfile(id="house-model-7"), ModelProfile()])
def test_a_model_of_which_nothing_is_known_reads_text(model: str | ModelProfile | None) -> None:
    capabilities = capabilities_of(model)

    assert capabilities == UNKNOWN
    assert not capabilities.known
    assert [kind for kind in ("image", "audio", "video", "document", "other") if capabilities.reads(kind)] == []
    assert capabilities.reads("text")


def test_every_row_of_the_table_has_a_source_and_a_month_and_reads_only_known_inputs() -> None:
    for row in TABLE:
        assert row.vendor.source
        assert row.vendor.as_of[:2] == "20" and len(row.vendor.as_of) == 7
        assert {*row.inputs} <= {"vision", "file", "audio", "video"}


@pytest.mark.parametrize(
    ("stored", "inputs"),
    [
        ({"vision": True}, "vision"),
        ({"vision": True, "document": True, "audio": False}, "vision file"),
        ({"vision": False}, ""),
        ({"input": ["text", "vision"]}, "vision"),
        ({"input": ["image", "pdf", "video", "smell"], "output": ["text"]}, "vision file video"),
        ({"input": "vision"}, "vision"),
        ({"input": ["Vision", " FILE "]}, "vision file"),
        ({"input": None}, ""),
        ({"input": [["vision"], {"a": 1}, 7]}, ""),
    ],
)
def test_a_profiles_own_capabilities_beat_the_table(stored: dict[str, Any], inputs: str) -> None:
    for name in ("gpt-4o", "gpt-4", "house-model-7"):
        capabilities = capabilities_of(ModelProfile(id=name, capabilities=stored))

        assert capabilities.known
        assert capabilities.inputs == {"text", *inputs.split()}


@pytest.mark.parametrize("stored", [{}, {"toolUse": True}, {"vision": "yes"}, {"maxImageDimension": 300}])
def test_a_profile_that_says_nothing_of_inputs_leaves_them_to_the_table(stored: dict[str, Any]) -> None:
    assert capabilities_of(ModelProfile(id="gpt-4o", capabilities=stored)).inputs == capabilities_of("gpt-4o").inputs


def test_limits_of_a_profile_beat_the_vendors_and_wrong_ones_dont() -> None:
    stored = {"maxImageDimension": 300, "maxFileBytes": -1, "maxImageBytes": True, "documentFormat": "openai_file"}

    capabilities = capabilities_of(ModelProfile(id="claude-sonnet-4-5", capabilities=stored))
    vendors = capabilities_of("claude-sonnet-4-5")

    assert capabilities.max_image_side == 300
    assert (capabilities.max_file_bytes, capabilities.max_image_bytes) == (
        vendors.max_file_bytes,
        vendors.max_image_bytes,
    )
    assert (capabilities.document_format, vendors.document_format) == ("openai_file", "base64")


def test_a_vendor_that_reads_files_takes_only_its_types() -> None:
    claude = capabilities_of("claude-sonnet-4-5")

    assert claude.takes("document", "application/pdf") and claude.takes("image", "image/png")
    assert not claude.takes("image", "image/bmp") and not claude.takes("other", "application/zip")
    assert claude.takes("text", "text/x-python")
    assert Capabilities(frozenset({"text", "file"})).takes("other", "application/zip")


def test_what_is_written_of_capabilities_is_read_again() -> None:
    capabilities = Capabilities(
        frozenset({"text", "vision"}), document_format="openai_file", max_image_side=9, max_file_bytes=5
    )

    again = stored_capabilities(capabilities.as_data())

    assert (again.inputs, again.document_format) == (capabilities.inputs, capabilities.document_format)
    assert (again.max_image_side, again.max_file_bytes, again.max_image_bytes) == (9, 5, None)


SERVICES = {
    "services": [
        {"id": "gpt-4-vision", "capabilities": {"input": ["text", "vision"], "output": ["text"]}},
        {"id": "claude-3", "capabilities": {"input": ["text", "vision", "file"], "output": ["text"]}},
    ]
}


def test_services_of_a_file_read_what_it_says() -> None:
    services = read_llmservices(SERVICES)

    assert services.notes == ()
    assert services.capabilities_of("gpt-4-vision").inputs == {"text", "vision"}
    assert services.capabilities_of("claude-3").inputs == {"text", "vision", "file"}
    assert services.capabilities_of("gone") == UNKNOWN
    assert repr(services) == "LlmServices(2 services)"


@pytest.mark.parametrize(
    ("source", "note"),
    [
        (b"{", "is not JSON"),
        (b"[]", "no list under services"),
        (b'{"services": {"id": "x"}}', "no list under services"),
        (b"\xff\xfe", "is not JSON"),
    ],
)
def test_a_broken_file_of_services_is_a_note(source: bytes, note: str) -> None:
    services = read_llmservices(source)

    assert note in services.notes[0].text
    assert services.capabilities_of("gpt-4-vision") == UNKNOWN


def test_a_mark_of_the_byte_order_two_of_one_id_and_inputs_that_are_none_are_no_trouble() -> None:
    said = ["vision", ["smell"]]
    stored = [{"id": "a", "capabilities": {"input": words}} for words in said]

    services = read_llmservices(BOM_UTF8 + json.dumps({"services": stored}).encode())

    assert services.capabilities_of("a").inputs == {"text"}
    assert [note.text for note in services.notes] == [
        "two services have the id 'a'; the last counts",
        "service 'a' names the input 'smell', which is none",
    ]


def test_a_file_of_services_that_isnt_there_is_a_note(tmp_path: Path) -> None:
    services = read_llmservices(tmp_path / "llmservices.json")

    assert [note.text for note in services.notes] == [
        f"{tmp_path / 'llmservices.json'} can't be read: No such file or directory"
    ]


def test_a_broken_service_is_a_note_and_the_others_are_there() -> None:
    broken = [None, {"capabilities": {}}, {"id": "bare"}, {"id": "dumb", "capabilities": {"output": ["text"]}}]

    services = read_llmservices({"services": [*broken, *SERVICES["services"]]})

    assert [note.text for note in services.notes] == [
        "services[0] has no id and is left out",
        "services[1] has no id and is left out",
        "service 'bare' has no capabilities; it gets text alone",
        "service 'dumb' names no input; it gets text alone",
    ]
    assert services.capabilities_of("bare") == services.capabilities_of("dumb") == UNKNOWN
    assert services.capabilities_of("claude-3").reads("document")
