"""ChatGPT's exported conversations."""

from typing import Any

import pytest

import ctxlab
from ctxlab.errors import UnknownFormat
from ctxlab.formats import openai_messages, read_data
from ctxlab.testing.fakes import WordTokenizer


def place(key: str, parent: str | None, *children: str, **message: Any) -> dict[str, Any]:
    said = {
        "id": key,
        "author": {"role": message.pop("role", "user"), **message.pop("author", {})},
        "content": {"content_type": "text", "parts": [f"text of {key}"]},
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        **message,
    }
    return {"id": key, "message": said, "parent": parent, "children": list(children)}


def empty(key: str, parent: str | None, *children: str) -> dict[str, Any]:
    return {"id": key, "message": None, "parent": parent, "children": list(children)}


def chat(*places: dict[str, Any], current: str, **fields: Any) -> dict[str, Any]:
    mapping = {one["id"]: one for one in places}
    return {"title": "A chat", "conversation_id": "c1", "mapping": mapping, "current_node": current, **fields}


def parts(*parts: Any) -> dict[str, Any]:
    return {"content_type": "multimodal_text", "parts": list(parts)}


def test_the_whole_tree_is_there_and_stands_at_the_current_node() -> None:
    found = read_data(
        [
            chat(
                empty("top", None, "u"),
                place("u", "top", "a", "b", create_time=1700000000.25),
                place("b", "u", role="assistant", metadata={"model_slug": "gpt-5"}),
                place("a", "u", role="assistant"),
                current="b",
                create_time=1700000000,
                update_time=1700000060,
                gizmo_id="g-1",
                safe_urls=[],
            )
        ]
    )
    session = found.pick()

    assert (found.format, found.losses, session.check()) == ("chatgpt", (), ())
    assert (session.id, session.name, session.active_leaf_id) == ("c1", "A chat", "b")
    assert [(node.id, node.role, node.content) for node in session.path()[1:]] == [
        ("u", "user", "text of u"),
        ("b", "assistant", "text of b"),
    ]
    assert session.children("u") == ("a", "b")
    assert session["u"].last_selected_child_id == "b"
    assert session["u"].timestamp == "2023-11-14T22:13:20.250000Z"
    assert session["b"].meta("modelId") == "gpt-5"
    assert (session.created_at, session.updated_at) == ("2023-11-14T22:13:20Z", "2023-11-14T22:14:20Z")
    assert session.to_data()["chatgpt"] == {"gizmo_id": "g-1"}


def test_places_without_a_message_vanish() -> None:
    session = read_data(
        chat(
            empty("top", None, "gap"),
            empty("gap", "top", "u"),
            place("u", "gap", "end"),
            empty("end", "u"),
            current="end",
        )
    ).pick()

    assert [node.id for node in session.path()] == ["root", "u"]


def test_hidden_messages_are_there_and_those_that_are_not_sent_are_disabled() -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    profile = {"content_type": "user_editable_context", "user_profile": "Likes tea.", "user_instructions": "Be brief."}

    session = read_data(
        chat(
            place("s", None, "p", role="system", content=parts(""), weight=0.0, metadata=hidden),
            place("p", "s", "u", content=profile, metadata=hidden),
            place("u", "p"),
            current="u",
        )
    ).pick()

    assert [(node.id, node.enabled, node.content) for node in session.path()[1:]] == [
        ("s", False, ""),
        ("p", True, "Likes tea.\nBe brief."),
        ("u", True, "text of u"),
    ]
    assert session["p"].meta("chatgpt")["metadata"] == hidden


def test_a_message_to_a_tool_is_a_call_and_the_tools_message_answers_it() -> None:
    code = {"content_type": "code", "language": "python", "text": "1 + 1"}
    output = {"content_type": "execution_output", "text": "2"}

    session = read_data(
        chat(
            place("u", None, "c"),
            place("c", "u", "t", role="assistant", recipient="python", content=code),
            place("t", "c", "a", role="tool", author={"name": "python"}, content=output),
            place("a", "t", role="assistant"),
            current="a",
        )
    ).pick()
    call = session["c"].tool_calls[0]

    assert (call.id, call.name, call.arguments, session["c"].content) == ("c", "python", "1 + 1", "")
    assert (session["t"].role, session["t"].result_of, session["t"].content) == ("tool", "c", "2")
    assert session["c"].meta("chatgpt") == {
        "recipient": "python",
        "content": {"content_type": "code", "language": "python"},
    }
    assert [message["role"] for message in openai_messages(session).data] == ["user", "assistant", "tool", "assistant"]


def browsing(**of_result: Any) -> dict[str, Any]:
    """A search, its result, and a reply."""
    return chat(
        place("u", None, "c"),
        place("c", "u", "t", role="assistant", recipient="browser"),
        place("t", "c", "a", role="tool", author={"name": "browser"}, **of_result),
        place("a", "t", role="assistant"),
        current="a",
    )


def test_what_has_the_weight_0_is_off_with_its_call_and_it_is_said_that_nobody_knows_who_read_it() -> None:
    found = read_data(browsing(weight=0.0))
    session = found.pick()

    assert [node.id for node in session.path() if not node.enabled] == ["c", "t"]
    assert [str(loss) for loss in found.losses] == [
        "kept switched off, for nothing says whether the model read them: "
        "1 message marked weight 0 by ChatGPT, with 1 call that only these answer"
    ]
    causes = {row["key"]: row["reason"] for row in ctxlab.build(found).cuts().to_dict("records")}
    assert causes == {
        "node:t": "ChatGPT marks it weight 0",
        "node:c": "every result of its call is marked weight 0 by ChatGPT",
    }


def test_a_call_that_another_branch_answers_stays_on() -> None:
    one = browsing(weight=0.0)
    again = place("t2", "c", role="tool", author={"name": "browser"})
    one["mapping"]["t2"] = again

    session = read_data(one).pick()

    assert [key for key, node in session.nodes.items() if not node.enabled] == ["t"]


def test_what_a_build_leaves_out_as_switched_off_is_not_active_in_the_count_of_branches() -> None:
    found = read_data(browsing(weight=0.0))

    (row,) = ctxlab.branches(found, tokenizer=WordTokenizer()).summary().to_dict("records")

    assert (row["tokens"], row["active_tokens"]) == (3 + (1 + 3) + 3 + 3, 3 + 3)
    assert len(ctxlab.build(found).messages) == 2


def test_a_message_that_is_switched_on_and_off_again_has_no_reason_of_its_reader() -> None:
    session = read_data(browsing(weight=0.0)).pick().enable("t").disable("t")

    assert (session["t"].enabled, session["t"].disabled_reason) == (False, "")
    assert ctxlab.build(session).why("node:t") is not None


def test_an_empty_message_with_the_weight_0_is_no_loss() -> None:
    hidden = place("s", None, "u", role="system", content=parts(""), weight=0.0)

    assert read_data(chat(hidden, place("u", "s"), current="u")).losses == ()


def test_a_tools_message_answers_the_nearest_open_call_of_its_own_branch() -> None:
    session = read_data(
        chat(
            place("c1", None, "c2", role="assistant", recipient="browser.search"),
            place("c2", "c1", "t1", "t3", role="assistant", recipient="browser.open"),
            place("t1", "c2", "t2", role="tool", author={"name": "browser"}),
            place("t2", "t1", "t4", role="tool", author={"name": "browser"}),
            place("t4", "t2", role="tool", author={"name": "browser"}),
            place("t3", "c2", role="tool", author={"name": "browser"}),
            current="t4",
        )
    ).pick()

    assert {key: session[key].result_of for key in ("t1", "t2", "t3", "t4")} == {
        "t1": "c2",
        "t2": "c1",
        "t3": "c2",
        "t4": None,
    }


def test_thoughts_are_reasoning() -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Sum", "content": "I add."}, {"summary": "Done"}]}

    session = read_data(
        chat(
            place("t", None, "r", role="assistant", content=thoughts),
            place(
                "r", "t", role="assistant", content={"content_type": "reasoning_recap", "content": "Thought for 3 s"}
            ),
            current="r",
        )
    ).pick()

    assert (session["t"].reasoning, session["t"].content) == ("I add.\n\nDone", "")
    assert not session["r"].enabled


def test_pictures_and_uploads_are_attachments() -> None:
    picture = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "file-service://file-1",
        "size_bytes": 9,
        "width": 3,
        "height": 2,
    }
    uploads = [
        {"id": "file-1", "name": "cat.png", "mime_type": "image/png"},
        {"id": "file-2", "name": "a.pdf", "mimeType": "application/pdf", "size": 7},
    ]
    spoken = {"content_type": "audio_transcription", "text": "said aloud"}

    found = read_data(
        chat(place("u", None, content=parts(spoken, picture), metadata={"attachments": uploads}), current="u")
    )
    node = found.pick()["u"]

    assert found.losses == ()
    assert node.content == "said aloud"
    assert [(a.id, a.type, a.name, a.mime_type, a.size) for a in node.attachments or ()] == [
        ("file-1", "image", "cat.png", "image/png", 9),
        ("file-2", "document", "a.pdf", "application/pdf", 7),
    ]
    assert (node.attachments or ())[0].metadata == {"width": 3, "height": 2}


def test_what_is_not_understood_is_named_and_kept() -> None:
    strange = {"content_type": "hologram", "depth": 3}

    found = read_data(
        chat(
            place("a", None, "b", content=parts("x", strange)),
            place("b", "a", "c", content={"content_type": "future", "blob": 1}),
            place("c", "b", role="critic"),
            current="c",
        )
    )

    assert [str(loss) for loss in found.losses] == [
        "message 'a'.parts[1]: a part of type 'hologram' is kept in the metadata only",
        "message 'b': content of type 'future' has no text; it is kept in the metadata only",
        "message 'c': role 'critic' is not known; it is a user message now",
    ]
    assert found.pick()["a"].meta("chatgpt")["content"] == {"parts": [strange]}
    assert found.pick()["b"].meta("chatgpt")["content"] == {"content_type": "future", "blob": 1}


def test_a_broken_tree_is_read_whole_with_losses() -> None:
    found = read_data(
        chat(
            place("a", "nowhere", "ghost"),
            place("x", "y", "y"),
            place("y", "x", "x"),
            {"id": "n", "message": "text", "parent": "a", "children": []},
            current="gone",
        )
    )

    assert found.pick().check() == ()
    assert set(found.pick().nodes) == {"root", "a", "x", "y"}
    assert [loss.place for loss in found.losses] == [
        "message 'a'",
        "message 'a'",
        "message 'n'",
        "message 'y'",
        "current_node",
    ]


def test_a_message_called_root_gets_another_name() -> None:
    found = read_data(chat(place("root", None, "u"), place("u", "root"), current="u"))

    assert [node.id for node in found.pick().path()] == ["root", "root~2", "u"]
    assert [loss.place for loss in found.losses] == ["message 'root'"]


def test_several_conversations_come_in_one_list() -> None:
    one = chat(place("u", None), current="u")

    found = read_data([one, one, {"title": "no mapping"}])

    assert [session.id for session in found.sessions] == ["c1", "c1~2"]
    assert [loss.place for loss in found.losses] == ["[1], id", "[2]"]


def test_a_tree_may_be_deeper_than_the_stack() -> None:
    chain = [place(f"n{n}", f"n{n - 1}" if n else None) for n in range(3000)]

    assert len(read_data(chat(*chain, current="n2999")).pick().path()) == 3001


@pytest.mark.parametrize("seconds", [-1, 1e300, float("nan"), "2023", True, None])
def test_strange_times_are_no_times(seconds: Any) -> None:
    assert read_data(chat(place("u", None, create_time=seconds), current="u")).pick()["u"].timestamp is None


def test_a_mapping_of_something_else_is_no_conversation() -> None:
    with pytest.raises(UnknownFormat):
        read_data({"mapping": {"a": "b"}})


@pytest.mark.parametrize("times", [(1.7e9, None, None), (1.7e9, 1.7e9, 1.7e9), (None, None, None), (9e8, None, 8e8)])
def test_without_a_current_node_the_leaf_ends_a_branch(times: tuple[float | None, ...]) -> None:
    places = [
        place("u", None, "a", create_time=times[0]),
        place("a", "u", "v", create_time=times[1], role="assistant"),
        place("v", "a", create_time=times[2]),
    ]
    for order in (places, places[::-1]):
        assert read_data(chat(*order, current="gone")).pick().active_leaf_id == "v"


def test_of_two_branches_the_newest_is_taken_whatever_messages_have_no_time() -> None:
    old, new = place("old", "u", create_time=2.0), place("new", "u", "end", create_time=3.0)
    found = read_data(chat(place("u", None, "new", "old", create_time=1.0), new, old, place("end", "new"), current="-"))
    assert found.pick().active_leaf_id == "end"


def test_a_message_that_names_no_parent_hangs_on_the_one_that_lists_it() -> None:
    found = read_data(chat(place("u", None, "a"), place("a", None, role="assistant"), current="a"))
    assert [node.id for node in found.pick().path()[1:]] == ["u", "a"]
