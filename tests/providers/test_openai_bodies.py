"""Bodies of OpenAI's forms: single messages, files, names, thoughts and parameters."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

import pytest

from ctxlab.context import AssetRef, Draft, Origin, Text
from ctxlab.documents import ToolCall
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.asset_source import InlineFile, LibraryFile, UploadedFile
from ctxlab.errors import CtxlabError
from ctxlab.providers import provider_named
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat import messages as chat_messages
from ctxlab.providers.openai_chat.speaker_names import SpeakerNames
from ctxlab.providers.provider import Prompt
from ctxlab.providers.request_parameters import RequestParameters, Thinking
from ctxlab.providers.second_opinion import sdk_problems
from ctxlab.testing.fake_server.refusals import refusals_of
from tests.providers.broken_bodies import CHAT, RESPONSES, put

OPENAI = ("openai", "openai-responses", "deepseek", "openai-compatible")
MODELS = {"deepseek": "deepseek-chat"}
PNG = InlineFile("iVBORw0KGgo=", "image/png")
TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}
ASKED = ToolCall("c1", "look_up", "{}")


def draft(role: Any, *body: str | AssetRef, key: str = "m", **more: Any) -> Draft:
    origin = Origin("node", key)
    parts = tuple(part if isinstance(part, AssetRef) else Text.of(part, origin) for part in body)
    return Draft(key, role, parts, origin, **more)


def picture(source: Any = PNG, kind: str = "image") -> AssetRef:
    return AssetRef("p", kind, "hopper.png", source=source)


def write(
    vendor: str, *drafts: Draft, tools: Any = (), parameters: RequestParameters | None = None, **facts: Any
) -> BodyWriter:
    provider, out = provider_named(vendor), BodyWriter()
    model = ModelInfo(MODELS.get(vendor, "gpt-4o"), **facts)
    provider.write(Prompt(drafts, tools), parameters or RequestParameters(), model, provider, out)
    return out


def test_texts_around_a_picture_stay_in_their_order() -> None:
    out = write("openai", draft("user", "before", picture(), "after"))

    parts = out.body["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "text"]


def test_a_vendor_whose_messages_are_texts_gets_one_text_without_the_picture() -> None:
    out = write("deepseek", draft("user", "before", picture(), "after"))

    assert out.body["messages"] == [{"role": "user", "content": "before\nafter"}]
    assert [(loss.kind, loss.what) for loss in out.losses] == [("part", "hopper.png")]


def test_a_file_whose_bytes_are_elsewhere_is_named_where_nothing_else_would_stand() -> None:
    out = write("openai", draft("user", picture(LibraryFile("a.png"))))

    assert out.body["messages"][0]["content"] == "[hopper.png]"
    assert "build with the files at hand" in str(out.losses[0])


@pytest.mark.parametrize("vendor", ["openai", "openai-compatible"])
def test_pictures_of_results_follow_after_all_results_of_a_turn(vendor: str) -> None:
    two = (ASKED, ToolCall("c2", "look_up", "{}"))
    results = [draft("tool", "see", picture(), result_of=call.id, key=call.id) for call in two]

    out = write(vendor, draft("assistant", calls=two), *results, draft("user", "Thanks."))

    assert [message["role"] for message in out.body["messages"]] == ["assistant", "tool", "tool", "user", "user"]
    assert [part["type"] for part in out.body["messages"][3]["content"]] == ["image_url", "image_url"]
    assert [place.key for place in out.places if place.path[:2] == ("messages", 3)] == ["c1", "c2"]


def test_a_picture_of_a_result_stands_inside_it_where_that_is_taken() -> None:
    result = draft("tool", "see", picture(), result_of="c1", key="r")

    out = write("openai-responses", draft("assistant", calls=(ASKED,)), result)

    assert [part["type"] for part in out.body["input"][1]["output"]] == ["input_text", "input_image"]


def test_speakers_keep_names_of_their_own_in_a_chat() -> None:
    talk = [draft("user", "hi", speaker=name, key=name) for name in ("Miss Chen", "Miss_Chen", "李四")]

    out = write("openai", *talk)

    assert [message["name"] for message in out.body["messages"]] == ["Miss_Chen_2", "Miss_Chen", "李四"]
    assert [(loss.what, loss.path) for loss in out.losses] == [("Miss Chen", ("messages", 0, "name"))]


def test_responses_have_no_place_for_names() -> None:
    out = write("openai-responses", draft("user", "hi", speaker="Ann"), draft("user", "ho", speaker="Ann"))

    assert [(loss.kind, loss.what) for loss in out.losses] == [("name", "Ann")]


def test_a_long_id_is_shortened_alike_for_call_and_result() -> None:
    call = ToolCall("c" * 60, "look_up", "{}")

    out = write("openai", draft("assistant", calls=(call,)), draft("tool", "ok", result_of=call.id, key="r"))

    first, second = out.body["messages"]
    assert len(first["tool_calls"][0]["id"]) == 40
    assert second["tool_call_id"] == first["tool_calls"][0]["id"]
    assert len(out.losses) == 1


def test_a_name_of_a_tool_is_changed_alike_in_tools_calls_and_choice() -> None:
    tool = {"type": "function", "function": {"name": "mcp:look.up", "parameters": {}}}
    choice = FrozenDict(type="function", function=FrozenDict(name="mcp:look.up"))

    for vendor in OPENAI:
        out = write(
            vendor,
            draft("assistant", calls=(ToolCall("c1", "mcp:look.up", "{}"),)),
            draft("tool", "ok", result_of="c1", key="r"),
            tools=(tool,),
            parameters=RequestParameters(tool_choice=choice),
        )

        assert "mcp:" not in str(out.body)
        assert str(out.body).count("mcp_look_up") == 3
        assert [loss.kind for loss in out.losses] == ["name"]


def test_deepseek_gets_the_thoughts_that_led_to_calls_and_no_others() -> None:
    with_call = draft("assistant", calls=(ASKED,), reasoning="It may rain.")
    result = draft("tool", "sunny", result_of="c1", key="r")

    out = write("deepseek", with_call, result, draft("assistant", "Sunny.", reasoning="Done.", key="b"))

    assert out.body["messages"][0]["reasoning_content"] == "It may rain."
    assert "reasoning_content" not in out.body["messages"][2]


def test_while_deepseek_thinks_unknown_thoughts_before_calls_go_as_empty_ones() -> None:
    thinking = RequestParameters(thinking=Thinking("on"))
    drafts = (draft("assistant", calls=(ASKED,)), draft("tool", "sunny", result_of="c1", key="r"))

    out = write("deepseek", *drafts, parameters=thinking)

    assert out.body["messages"][0]["reasoning_content"] == ""
    provider = provider_named("deepseek")
    assert not tuple(provider.check(out.body, ModelInfo("deepseek-chat"), provider))
    del out.body["messages"][0]["reasoning_content"]
    (problem,) = provider.check(out.body, ModelInfo("deepseek-chat"), provider)
    assert problem.rule == "thoughts-of-calls"
    assert problem.fixes[0].parameters == {"thinkingEnabled": False}


def test_the_beginning_of_a_reply_is_marked_where_that_is_known() -> None:
    drafts = (draft("user", "tell"), draft("assistant", "Once upon", key="a"))

    out = write("deepseek", *drafts)

    assert out.body["messages"][-1] == {"role": "assistant", "content": "Once upon", "prefix": True}
    assert provider_named("deepseek").base_url_of(out.body) == "https://api.deepseek.com/beta"
    assert "doesn't continue it" in write("openai", *drafts).notes[0].text


def test_reasoning_items_stand_before_what_they_led_to() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln"}
    meta = FrozenDict(reasoningArtifacts=[{"wire": "openai-responses", "item": item, "before": "c1"}])
    drafts = (
        draft("assistant", "Let me see.", calls=(ASKED,), meta=meta),
        draft("tool", "ok", result_of="c1", key="r"),
    )

    out = write("openai-responses", *drafts, parameters=RequestParameters(store=False))

    kinds = [each.get("type", "message") for each in out.body["input"]]
    assert kinds == ["message", "reasoning", "function_call", "function_call_output"]
    assert out.body["input"][1] == item
    assert out.body["include"] == ["reasoning.encrypted_content"]
    assert [loss.kind for loss in write("openai", *drafts).losses] == ["signature"]


SAMPLES: dict[str, Any] = {
    "max_output_tokens": 100,
    "temperature": 0.5,
    "top_p": 0.9,
    "top_k": 40,
    "frequency_penalty": 0.1,
    "presence_penalty": 0.1,
    "seed": 7,
    "stop": ("END",),
    "n": 2,
    "logprobs": True,
    "top_logprobs": 3,
    "logit_bias": FrozenDict({"50256": -100}),
    "response_format": FrozenDict(
        type="json_schema", json_schema=FrozenDict(name="a", schema=FrozenDict(type="object"))
    ),
    "tool_choice": "required",
    "parallel_tool_calls": False,
    "thinking": Thinking("budget", budget_tokens=2000),
    "modalities": ("text",),
    "audio": FrozenDict(voice="alloy", format="mp3"),
    "prediction": FrozenDict(type="content", content="x"),
    "web_search": FrozenDict(search_context_size="low"),
    "safety": (FrozenDict(category="HARM_CATEGORY_HARASSMENT", threshold="BLOCK_NONE"),),
    "user": "u1",
    "service_tier": "flex",
    "store": False,
    "include": ("message.output_text.logprobs",),
    "metadata": FrozenDict(run="1"),
    "stream": True,
    "stream_options": {"include_usage": True},
}


def test_there_is_a_sample_of_each_parameter() -> None:
    assert {each.name for each in fields(RequestParameters)} == {*SAMPLES, "custom"}


@pytest.mark.parametrize("vendor", OPENAI)
@pytest.mark.parametrize("name", SAMPLES)
def test_each_parameter_is_in_the_body_or_told_and_nobody_refuses_it(vendor: str, name: str) -> None:
    hello = draft("user", "json please")
    parameters = RequestParameters(**{name: SAMPLES[name]})

    out = write(vendor, hello, tools=(TOOL,), parameters=parameters)

    assert out.losses or out.body != write(vendor, hello, tools=(TOOL,)).body
    provider = provider_named(vendor)
    assert not tuple(provider.check(out.body, ModelInfo(MODELS.get(vendor, "gpt-4o")), provider))
    assert not refusals_of(out.body, cast("Any", vendor))


@pytest.mark.parametrize("vendor", OPENAI)
def test_own_fields_go_over_all_others_and_a_replaced_one_has_no_places(vendor: str) -> None:
    own = FrozenDict(temperature=0.9, messages=[{"role": "user", "content": "mine"}], input="mine", x=1)

    out = write(vendor, draft("user", "hi"), parameters=RequestParameters(temperature=0.1, custom=own))

    assert (out.body["temperature"], out.body["x"]) == (0.9, 1)
    assert not out.places
    assert any("'temperature'" in note.text for note in out.notes)


def test_a_piece_of_a_new_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_messages, "pieces_of", lambda *_: [object()])

    with pytest.raises(CtxlabError, match="no place in a chat"):
        write("openai", draft("assistant", calls=(ASKED,)))


@pytest.mark.parametrize(
    ("vendor", "body", "path"),
    [("openai", CHAT, ("messages", 1, "content", 1)), ("openai-responses", RESPONSES, ("input", 0, "content", 0))],
)
def test_the_client_types_tell_an_unknown_field_and_a_bad_part(vendor: str, body: Any, path: Any) -> None:
    pytest.importorskip("openai")
    provider = provider_named(vendor)
    assert sdk_problems(body, provider) == ()

    unknown = {**body, "temprature": 1}
    import copy

    broken = copy.deepcopy(body)
    put(*path, "type", value="hologram")(broken)

    assert [problem.path for problem in sdk_problems(unknown, provider) or ()] == [("temprature",)]
    (problem,) = sdk_problems(broken, provider) or ()
    assert problem.path[: len(path)] == path


def thoughts(wire: str, *items: dict[str, Any], **place: Any) -> dict[str, Any]:
    """The metadata of a message with blocks that go back."""
    stored = [{"wire": wire, "item": item, "replayPolicy": "always", **place} for item in items]
    return {"reasoningArtifacts": stored}


def reasoning(text: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}] if text else [], **more}


SIGNED = reasoning(id="rs_1", encrypted_content="c2lnbmVk")


def test_thoughts_stand_before_the_reply_that_they_led_to() -> None:
    alone = draft("assistant", meta=thoughts("openai-responses", SIGNED))
    out = write("openai-responses", draft("user", "hi"), alone, draft("assistant", "Hello."), draft("user", "ok"))

    assert [item.get("type", item.get("role")) for item in out.body["input"]] == [
        *("user", "reasoning", "assistant", "user")
    ]
    assert [place.path for place in out.places] == [
        ("input", 0, "content"),
        ("input", 1),
        ("input", 2, "content"),
        ("input", 3, "content"),
    ]


@pytest.mark.parametrize("after", [(), (draft("user", "ok"),)])
def test_thoughts_whose_call_was_taken_off_are_a_loss(after: tuple[Draft, ...]) -> None:
    left = draft("assistant", "I look.", meta=thoughts("openai-responses", SIGNED, before="calls"))

    out = write("openai-responses", draft("user", "hi"), left, *after)

    assert [loss.what for loss in out.losses] == ["reasoning"]
    assert refusals_of(out.body, "openai-responses") == ()


@pytest.mark.parametrize(
    ("item", "is_stored", "sent", "lost"),
    [
        (SIGNED, True, SIGNED, []),
        (SIGNED, False, SIGNED, []),
        ({**SIGNED, "encrypted_content": ""}, True, reasoning(id="rs_1"), ["encrypted_content"]),
        ({**SIGNED, "encrypted_content": "[REDACTED]"}, False, None, ["reasoning"]),
        (reasoning(encrypted_content=""), True, None, ["reasoning"]),
        (reasoning(id="rs_1"), False, None, ["reasoning"]),
        (reasoning("I think."), True, None, ["reasoning"]),
    ],
)
def test_thoughts_that_the_vendor_cannot_read_are_a_loss(
    item: dict[str, Any], is_stored: bool, sent: Any, lost: list[str]
) -> None:
    given = draft("assistant", "Hello.", meta=thoughts("openai-responses", item))
    settled = RequestParameters(store=None if is_stored else False)

    out = write("openai-responses", draft("user", "hi"), given, draft("user", "ok"), parameters=settled)

    assert [one for one in out.body["input"] if one.get("type") == "reasoning"] == ([sent] if sent else [])
    assert [loss.what for loss in out.losses] == lost
    assert refusals_of(out.body, "openai-responses") == ()


@pytest.mark.parametrize("role", ["user", "system", "tool"])
@pytest.mark.parametrize("vendor", ["openai-responses", "openai-compatible", "deepseek"])
def test_blocks_of_messages_that_are_not_the_assistant_s_are_a_loss(vendor: str, role: str) -> None:
    wire = "openai-responses" if vendor == "openai-responses" else "openai-chat"
    of_text = thoughts(wire, {"id": "msg_1"}, on="text")["reasoningArtifacts"]
    whole = thoughts(wire, reasoning("I think."))["reasoningArtifacts"]
    given = draft(
        role, "words", meta={"reasoningArtifacts": [*of_text, *whole]}, result_of="c1" if role == "tool" else None
    )

    out = write(vendor, draft("user", "hi"), draft("assistant", calls=(ASKED,)), given)

    assert len(out.losses) == 2
    assert "rs_1" not in str(out.body) and "I think." not in str(out.body) and "msg_1" not in str(out.body)


def test_deepseek_gets_all_thoughts_of_a_message() -> None:
    meta = thoughts("openai-chat", reasoning("First."), reasoning("Second."))

    out = write(
        "deepseek",
        draft("user", "hi"),
        draft("assistant", calls=(ASKED,), meta=meta),
        draft("tool", "x", result_of="c1"),
    )

    assert out.body["messages"][1]["reasoning_content"] == "First.\nSecond."


@pytest.mark.parametrize("vendor", OPENAI)
def test_that_a_call_failed_is_told_once(vendor: str) -> None:
    failed = {"toolCall": {"status": "error"}}
    results = [
        draft("tool", "no", result_of="c1", meta=failed, key="r"),
        draft("tool", "no", result_of="c2", meta=failed),
    ]
    calls = (ASKED, ToolCall("c2", "look_up", "{}"))

    out = write(vendor, draft("user", "hi"), draft("assistant", calls=calls), *results)

    assert [(loss.what, loss.key) for loss in out.losses] == [("the status of a failed result", "r")]


@pytest.mark.parametrize("vendor", ["openai", "openai-responses"])
def test_names_of_files_are_sent_or_told(vendor: str) -> None:
    pdf = picture(InlineFile("JVBERi0=", "application/pdf"), "document")

    named = write(vendor, draft("user", pdf))
    unnamed = write(vendor, draft("user", picture(), picture(), picture(UploadedFile("file-1"), "document")))

    assert "hopper.png" in str(named.body) and not named.losses
    assert [loss.kind for loss in unnamed.losses] == ["name"]


def test_speakers_that_become_alike_get_names_of_their_own_without_looking_through_all() -> None:
    class Looked(set[str]):
        times = 0

        def __contains__(self, name: object) -> bool:
            Looked.times += 1
            return super().__contains__(name)

    names = SpeakerNames(_taken=Looked())
    sent = {names.sent_as(f"Li{' ' * i}Si") for i in range(1, 501)}

    assert len(sent) == 500
    assert Looked.times < 3 * 500
