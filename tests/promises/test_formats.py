"""Promises of coming and going: reading after writing is identity, or a declared loss."""

import json
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import Session
from ctxlab.errors import ReadError
from ctxlab.formats import openai_messages, read_data, session_json

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars | texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
unknown = st.dictionaries(texts.map(lambda name: f"x-{name}"), values, max_size=2)


@st.composite
def seed_sessions(draw: st.DrawFn) -> dict[str, Any]:
    """Sessions in the seeds' JSON, with fields that nobody knows."""
    nodes: dict[str, Any] = {"root": {"id": "root", "parentId": None, "role": "system", "content": "", **draw(unknown)}}
    for n in range(draw(st.integers(0, 5))):
        nodes[f"n{n}"] = {
            "id": f"n{n}",
            "parentId": draw(st.sampled_from(sorted(nodes))),
            "role": draw(st.sampled_from(["user", "assistant", "system", "tool"])),
            "content": draw(texts),
            "isEnabled": draw(st.booleans()),
            "metadata": draw(st.none() | st.dictionaries(texts, values, max_size=3)),
            **draw(unknown),
        }
    ends = {"rootNodeId": "root", "activeLeafId": draw(st.sampled_from(sorted(nodes)))}
    return {"id": draw(texts), "name": draw(texts), "nodes": nodes, **ends, **draw(unknown)}


calls = st.builds(
    lambda name, arguments: {"type": "function", "function": {"name": name, "arguments": arguments}}, texts, texts
)
pictures = st.binary(max_size=6).map(
    lambda raw: {"type": "image_url", "image_url": {"url": f"https://example.org/{raw.hex()}.png"}}
)
parts = st.builds(
    lambda text, files: [{"type": "text", "text": text}, *files], texts.filter(bool), st.lists(pictures, min_size=1)
)


@st.composite
def openai_lists(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Message lists in the form that OpenAI's interface takes."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": draw(texts)}] if draw(st.booleans()) else []
    messages.append({"role": "user", "content": draw(texts | parts)})
    for n in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            call = {"id": f"c{n}", **draw(calls)}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "content": draw(texts), "tool_call_id": f"c{n}"})
        else:
            messages.append({"role": draw(st.sampled_from(["user", "assistant", "system"])), "content": draw(texts)})
    return messages


@settings(deadline=None)
@given(seed_sessions())
def test_a_session_written_and_read_is_the_same_session(data: dict[str, Any]) -> None:
    session = Session.model_validate(data)

    found = read_data(orjson.loads(session_json(session)))

    assert found.losses == ()
    assert found.pick() == session
    assert orjson.loads(session_json(found.pick())) == data


@settings(deadline=None)
@given(openai_lists())
def test_a_message_list_comes_back_as_it_was(messages: list[dict[str, Any]]) -> None:
    found = read_data(messages)
    export = openai_messages(found.pick(), agent=found.agents[0] if found.agents else None)

    assert found.losses == export.losses == ()
    assert export.data == messages


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["role", "content", "name", "tool_calls", "function_call"]), values)))
def test_a_strange_message_list_is_read_or_refused_but_never_a_crash(messages: list[dict[str, Any]]) -> None:
    try:
        found = read_data([{"role": "user", "content": "Hi"}, *messages])
    except ReadError:
        return

    assert found.pick().check() == ()
    assert read_data(json.loads(session_json(found.pick()))).pick() == found.pick()


@settings(deadline=None)
@given(values)
def test_any_data_is_read_or_refused_in_one_line(data: Any) -> None:
    try:
        read_data(data)
    except ReadError as refusal:
        assert "\n" not in str(refusal)
