"""Promises of coming and going: reading after writing is identity, or a declared loss."""

import json
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import Session
from ctxlab.errors import ReadError
from ctxlab.formats import (
    branch_data,
    branch_markdown,
    branch_session,
    merged_sessions,
    openai_messages,
    read_data,
    session_json,
    sessions_zip,
    tree_markdown,
)
from ctxlab.formats.native.sessions_zip import read_zip

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

    found = read_data(orjson.loads(session_json(session).data))

    assert found.losses == ()
    assert found.pick() == session
    assert orjson.loads(session_json(found.pick()).data) == data


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
    assert read_data(json.loads(session_json(found.pick()).data)).pick() == found.pick()


@settings(deadline=None)
@given(values)
def test_any_data_is_read_or_refused_in_one_line(data: Any) -> None:
    try:
        read_data(data)
    except ReadError as refusal:
        assert "\n" not in str(refusal)


words = st.text("abc 你", min_size=1, max_size=6).filter(str.strip)


@st.composite
def chatgpt_exports(draw: st.DrawFn) -> dict[str, Any]:
    """Conversations whose links may lead anywhere."""
    keys = [f"n{n}" for n in range(draw(st.integers(1, 6)))]
    links = st.sampled_from([*keys, "gone"])
    mapping: dict[str, Any] = {}
    for key in keys:
        said = {"author": {"role": draw(st.sampled_from(["user", "assistant", "tool"]))}, "content": draw(words)}
        message = draw(st.sampled_from([None, said]))
        mapping[key] = {"message": message, "parent": draw(st.none() | links), "children": draw(st.lists(links))}
    return {"mapping": mapping, "current_node": draw(links)}


@st.composite
def claude_logs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Logs in which uuids may be there twice and links lead anywhere."""
    links = st.sampled_from(["a", "b", "c", "d", "gone"])
    blocks = st.builds(lambda text: {"type": "text", "text": text}, words) | st.builds(
        lambda call, text: {"type": "tool_result", "tool_use_id": call, "content": text}, links, words
    )
    return [
        {
            "type": draw(st.sampled_from(["user", "assistant"])),
            "uuid": draw(links),
            "parentUuid": draw(st.none() | links),
            "sessionId": draw(st.sampled_from(["s", "t"])),
            "isSidechain": draw(st.booleans()),
            "message": {"role": "user", "content": draw(words | st.lists(blocks, min_size=1, max_size=3))},
        }
        for _ in range(draw(st.integers(1, 6)))
    ]


@settings(deadline=None)
@given(chatgpt_exports())
def test_a_chatgpt_export_is_read_whole_whatever_its_links(data: dict[str, Any]) -> None:
    session = read_data(data).pick()
    said = {key: place["message"]["content"] for key, place in data["mapping"].items() if place["message"]}

    assert session.check() == ()
    assert {node.id: node.content for node in session.nodes.values() if node.parent_id is not None} == said


@settings(deadline=None)
@given(claude_logs())
def test_a_claude_code_log_is_read_whole_whatever_its_links(lines: list[dict[str, Any]]) -> None:
    found = read_data(lines)
    texts = [node.content for session in found.sessions for node in session.nodes.values()]

    assert all(session.check() == () for session in found.sessions)
    for line in lines:
        content = line["message"]["content"]
        for block in [content] if isinstance(content, str) else content:
            text = block if isinstance(block, str) else block.get("text", block.get("content"))
            assert any(text in said for said in texts)


@settings(deadline=None)
@given(st.lists(seed_sessions(), max_size=3))
def test_sessions_survive_a_zip(stored: list[dict[str, Any]]) -> None:
    sessions = [Session.model_validate({**data, "id": f"{n}/{data['id']}"}) for n, data in enumerate(stored)]

    packed = sessions_zip(sessions).data

    if sessions:
        found = read_zip(packed, "all.zip", lambda source: read_data(source.data))
        assert (found.sessions, found.losses) == (tuple(sessions), ())


@settings(deadline=None)
@given(seed_sessions(), st.data())
def test_a_branch_is_sound_and_says_what_the_path_says(data: dict[str, Any], draw: st.DataObject) -> None:
    session = Session.model_validate(data)
    path = [node for node in session.path() if node.parent_id is not None]
    first = draw.draw(st.integers(1, max(1, len(path))))
    span = (first, draw.draw(st.integers(first, first + 3))) if path else None

    branch, written = branch_session(session, span=span), branch_data(session, span=span).data
    wanted = path[span[0] - 1 : span[1]] if span else []

    assert branch.check() == ()
    assert [(node.id, node.content) for node in branch.path()[1:]] == [(node.id, node.content) for node in wanted]
    assert [message["id"] for message in written["messages"]] == [node.id for node in wanted]


@settings(deadline=None)
@given(seed_sessions(), st.sampled_from(["branches", "messages"]))
def test_markdown_has_every_message_in_order(data: dict[str, Any], indent: Any) -> None:
    for n, node in enumerate(data["nodes"].values()):
        node["content"] = f"text <{n}>"
    session = Session.model_validate(data)
    in_tree = [node.content for node in session.in_order()]
    on_path = [node.content for node in session.path()]

    assert _said(str(tree_markdown(session, indent=indent, show=()))) == in_tree
    assert _said(str(branch_markdown(session, show=()))) == on_path


def _said(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("text <")]


ids = st.lists(st.sampled_from(["a", "a~2", "b", "c"]), max_size=5)


@given(
    st.lists(st.sampled_from(["a", "a~2", "b", "c"]), unique=True), ids, st.sampled_from(["keep", "overwrite", "skip"])
)
def test_an_import_keeps_ids_apart_and_its_counts_add_up(there: list[str], coming: list[str], strategy: Any) -> None:
    old = [Session(id=one, name="old") for one in there]
    new = [Session(id=one, name=f"new {n}") for n, one in enumerate(coming)]

    found = merged_sessions(old, new, on_conflict=strategy)
    taken = [session.id for session in found.sessions]

    assert len(set(taken)) == len(taken)
    assert taken[: len(there)] == there
    assert set(found.imported) <= set(taken)
    if strategy == "keep":
        assert len(found.sessions) == len(old) + len(new)
        assert found.sessions[: len(old)] == tuple(old)
    if strategy == "skip":
        assert len(found.imported) + len(found.skipped) == len(new)
        assert found.sessions[: len(old)] == tuple(old)
    if strategy == "overwrite":
        assert set(found.imported) == set(coming)
