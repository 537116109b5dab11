"""No field of a message is dropped in silence: it is in the session again, or a loss names it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.formats import read_data

Data = dict[str, Any]

PIXEL = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
BYTES = {"file_data": "data:text/plain;base64,AAAA"}
CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def asking(**call: Any) -> list[Data]:
    return [{"role": "user", "content": "?"}, {"role": "assistant", "content": None, "tool_calls": [{**CALL, **call}]}]


def parts(*content: Data) -> list[Data]:
    return [{"role": "user", "content": [{"type": "text", "text": "a"}, *content]}]


def chatgpt(message: Data | None = None, *, content: Data | None = None, **place: Any) -> Data:
    said = {"id": "m", "author": {"role": "user"}, "content": content or {"content_type": "text", "parts": ["a"]}}
    return {"mapping": {"m": {"id": "m", "parent": None, "message": {**said, **(message or {})}, **place}}}


def claude(*blocks: Any, message: Data | None = None, **line: Any) -> list[Data]:
    said = {"role": "assistant", "content": list(blocks) or "a", **(message or {})}
    return [{"type": "assistant", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": said, **line}]


def entity(body: Data, **around: Any) -> list[Data]:
    return [{"id": 1, "body": {"role": "user", "content": "a", **body}, **around}]


PLACES: dict[str, Callable[[Data], Any]] = {
    "openai message": lambda extra: [{"role": "user", "content": "a", **extra}],
    "openai call": lambda extra: asking(**extra),
    "openai function": lambda extra: asking(function={**CALL["function"], **extra}),  # type: ignore[dict-item]
    "openai text part": lambda extra: parts({"type": "text", "text": "b", **extra}),
    "openai strange part": lambda extra: parts({"type": "hologram", **extra}),
    "openai picture part": lambda extra: parts({"type": "image_url", "image_url": {"url": "http://x"}, **extra}),
    "openai picture": lambda extra: parts({"type": "image_url", "image_url": {"url": "http://x", **extra}}),
    "openai sound": lambda extra: parts(
        {"type": "input_audio", "input_audio": {"data": "A", "format": "wav", **extra}}
    ),
    "openai file": lambda extra: parts({"type": "file", "file": {"file_id": "f", "filename": "n", **extra}}),
    "openai around": lambda extra: {"messages": [{"role": "user", "content": "a"}], **extra},
    "entity": lambda extra: entity({}, **extra),
    "body of an entity": lambda extra: entity(extra),
    "segment": lambda extra: entity({"segments": [{"type": "reasoning", "content": "Hm.", **extra}]}),
    "summary": lambda extra: [*entity({}), {"messageIds": [1], "startMessageId": 1, "summary": "s", **extra}],
    "chatgpt message": chatgpt,
    "chatgpt place": lambda extra: chatgpt(**extra),
    "chatgpt author": lambda extra: chatgpt({"author": {"role": "user", **extra}}),
    "chatgpt content": lambda extra: chatgpt(content={"content_type": "text", "parts": ["a"], **extra}),
    "chatgpt code": lambda extra: chatgpt(content={"content_type": "code", "text": "a", **extra}),
    "chatgpt text part": lambda extra: chatgpt(content={"content_type": "text", "parts": [{"text": "a", **extra}]}),
    "chatgpt picture": lambda extra: chatgpt(
        content={"parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file://x", **extra}]}
    ),
    "chatgpt sound": lambda extra: chatgpt(
        content={"parts": [{"audio_asset_pointer": {"content_type": "audio_asset_pointer"}, **extra}]}
    ),
    "claude line": lambda extra: claude(**extra),
    "claude message": lambda extra: claude(message=extra),
    "claude program line": lambda extra: [*claude(), {"type": "system", "uuid": "v", "sessionId": "s", **extra}],
    "claude text": lambda extra: claude({"type": "text", "text": "a", **extra}),
    "claude thought": lambda extra: claude({"type": "thinking", "thinking": "a", "signature": "s", **extra}),
    "claude call": lambda extra: claude({"type": "tool_use", "id": "c", "name": "look", "input": {}, **extra}),
    "claude result": lambda extra: claude({"type": "tool_result", "tool_use_id": "c", "content": "a", **extra}),
    "claude picture": lambda extra: claude({"type": "image", "source": PIXEL, **extra}),
    "claude source": lambda extra: claude({"type": "image", "source": {**PIXEL, **extra}}),
    "claude strange block": lambda extra: claude({"type": "hologram", **extra}),
    "claude second line": lambda extra: [
        *claude(message={"id": "m"}),
        *claude(message={"id": "m", **extra}, uuid="v", parentUuid="u", **extra),
    ],
    "oasst": lambda extra: {
        "message_tree_id": "t",
        "prompt": {"message_id": "t", "text": "a", "role": "prompter", "replies": [], **extra},
    },
    "tau-bench": lambda extra: {"task_id": 1, "traj": [{"role": "user", "content": "a", **extra}]},
    "swe-agent": lambda extra: {"history": [{"role": "user", "content": "a", **extra}]},
    "sharegpt": lambda extra: {"id": "i", "conversations": [{"from": "human", "value": "a", **extra}]},
    "memorybank": lambda extra: {
        "Ann": {"name": "Ann", "history": {"2023-05-01": [{"query": "a", "response": "b", **extra}]}}
    },
    "locomo": lambda extra: {
        "conversation": {
            "speaker_a": "A",
            "speaker_b": "B",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "a", **extra}],
        }
    },
    "beam": lambda extra: [{"batch_number": 1, "turns": [[{"role": "user", "id": 0, "content": "a", **extra}]]}],
    "seed": lambda extra: [{"id": "r", "parentId": None}, {"id": "a", "parentId": "r", "content": "a", **extra}],
    "seed attachment": lambda extra: [
        {"id": "r", "parentId": None},
        {"id": "a", "parentId": "r", "content": "a", "attachments": [{"id": "f", "type": "image", **extra}]},
    ],
}
"""Where a file may say more than is known: a function of the fields that it says."""

values = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
extras = st.dictionaries(st.text("abyz", min_size=1, max_size=4).map("x_{}".format), values, min_size=1, max_size=3)


@pytest.mark.parametrize("place", PLACES)
@given(extra=extras)
@settings(max_examples=25)
def test_item_4_an_unknown_field_is_kept_or_named_in_a_loss(place: str, extra: Data) -> None:
    found = read_data(PLACES[place](extra))

    kept = list(fields_in(json.loads(found.pick().to_json())))
    named = " ".join(map(str, found.losses))
    assert [name for name, value in extra.items() if (name, as_text(value)) not in kept and name not in named] == []


UNUSABLE: list[tuple[str, Callable[[Data], Any], Data]] = [
    ("a call of a kind that is none", PLACES["openai message"], {"function_call": "look"}),
    ("a result's id on a user's message", PLACES["openai message"], {"tool_call_id": "c9"}),
    ("reasoning that is no text", PLACES["openai message"], {"reasoning_content": ["Hm."]}),
    ("calls that are no list", PLACES["openai message"], {"tool_calls": "look"}),
    ("files that are none", PLACES["openai message"], {"attachments": ["a.png"]}),
    ("a field that ctxlab has itself", PLACES["openai call"], {"args": "mine"}),
    (
        "the file's id beside its bytes",
        lambda extra: parts({"type": "file", "file": {**BYTES, **extra}}),
        {"file_id": "f"},
    ),
    ("a time that is none", PLACES["chatgpt message"], {"create_time": "yesterday"}),
    ("another id", PLACES["chatgpt message"], {"id": "another"}),
    ("an author that is a name", PLACES["chatgpt message"], {"author": "Ann"}),
    ("content that is a number", PLACES["chatgpt message"], {"content": 5}),
    ("a width that is text", PLACES["chatgpt picture"], {"width": "wide"}),
    ("a result that is no text", PLACES["chatgpt code"], {"result": 7}),
    ("a time that is a number", PLACES["claude line"], {"timestamp": 5}),
    ("a model that is a number", PLACES["claude message"], {"model": 5}),
    ("a line of another kind", PLACES["claude line"], {"type": "user"}),
    ("a field named as one of ours", PLACES["claude call"], {"args": "mine"}),
    ("a failure in words", PLACES["claude result"], {"is_error": "yes"}),
    ("a date that is a number", PLACES["oasst"], {"created_date": 5}),
    ("a parent that is another", PLACES["oasst"], {"parent_id": "elsewhere"}),
    ("text that is a list", PLACES["oasst"], {"text": ["a"]}),
    ("a role beside the speaker", PLACES["sharegpt"], {"role": "critic"}),
    ("text that is a list", PLACES["locomo"], {"text": ["a"]}),
    ("pictures that are numbers", PLACES["locomo"], {"img_url": [5]}),
    ("a role of one's own", PLACES["seed"], {"role": "critic"}),
]


@pytest.mark.parametrize(("place", "extra"), [pytest.param(place, extra, id=id) for id, place, extra in UNUSABLE])
def test_item_4_a_field_that_cannot_be_used_is_kept_or_named_in_a_loss(
    place: Callable[[Data], Any], extra: Data
) -> None:
    found = read_data(place(extra))

    ((name, value),) = extra.items()
    values_kept = [text for _, text in fields_in(json.loads(found.pick().to_json()))]
    assert as_text(value) in values_kept or any(name in str(loss) for loss in found.losses)


def test_item_4_a_field_of_many_messages_is_one_loss_with_their_number() -> None:
    cached = parts({"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}})

    found = read_data([{"messages": cached * 40}, {"messages": cached * 60}])

    (loss,) = found.losses
    assert str(loss) == (
        "[0], messages[0].content[1]: cache_control: not part of a message's text; left out "
        "(here first, 100 times in all)"
    )


def fields_in(value: Any) -> Iterator[tuple[str, str]]:
    """All fields of all objects with their values as JSON; the items of lists without a name."""
    items = value.items() if isinstance(value, dict) else [("", item) for item in value]
    for name, item in items:
        yield name, as_text(item)
        if isinstance(item, dict | list):
            yield from fields_in(item)


def as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
