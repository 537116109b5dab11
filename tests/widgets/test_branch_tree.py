"""The Python half of the tree of branches: what is asked is done to the history, and what is shown is right."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import traitlets
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab import History, Session
from ctxlab.documents.json_positions import position_of
from ctxlab.errors import Refused, UnknownNode
from ctxlab.providers import tokenizer_for
from ctxlab_widgets.branch_tree import BranchTree
from ctxlab_widgets.branch_tree import message_facts as facts_module
from ctxlab_widgets.branch_tree.find_messages import MOST_SNIPPETS
from ctxlab_widgets.branch_tree.payload import ACTIVE, HIDDEN, LEAF, OFF, OPENED, SUMMARY, drawing_of
from tests.gallery.trees import long, session_of, small

DATASETS = Path(__file__).parents[2] / "datasets"


def asked(widget: BranchTree, command: str, **given: Any) -> BranchTree:
    widget._handle_custom_msg({"command": command, **given}, [])
    return widget


def signs(widget: BranchTree) -> list[tuple[float, float, int, int]]:
    n = len(widget.flags) // 2
    columns = (struct.unpack_from(f"={n}{kind}", widget.places, 4 * n * i) for i, kind in enumerate("ffii"))
    return list(zip(*columns, strict=True))


def flags(widget: BranchTree) -> dict[str, int]:
    """Of every sign by the first of its keys."""
    texts, at, found = json.loads(widget.texts), 0, {}
    for (*_, count), flag in zip(
        signs(widget), struct.unpack(f"={len(widget.flags) // 2}H", widget.flags), strict=True
    ):
        found[texts["keys"][at]] = flag
        at += count
    return found


def facts(widget: BranchTree) -> dict[str, Any]:
    return json.loads(widget.view)


# --- what is shown


def test_every_sign_has_a_place_of_its_own_right_of_its_parent() -> None:
    drawn = signs(BranchTree(ctxlab.load(DATASETS / "research_tree.session.json")))

    assert len({(x, y) for x, y, *_ in drawn}) == len(drawn)
    assert all(parent < i and x == drawn[parent][0] + 1 for i, (x, _, parent, _) in enumerate(drawn) if parent >= 0)


def test_the_page_is_told_how_large_the_tree_is() -> None:
    said = facts(BranchTree(small()))

    assert (said["messages"], said["leaves"], said["chains"]) == (7, 3, 0)
    assert (said["leaf"], said["undo"], said["redo"]) == ("a2", None, None)


def test_b1_a_root_with_text_counts_as_a_message() -> None:
    root = {"id": "a", "role": "system", "content": "first words"}
    talk = Session.model_validate({"rootNodeId": "a", "activeLeafId": "a", "nodes": {"a": root}})

    assert facts(BranchTree(talk))["messages"] == 1
    assert facts(BranchTree(talk.append("more", id="b")))["messages"] == 2
    assert facts(BranchTree(Session(id="s").append("", role="system")))["messages"] == 0


def test_signs_say_what_stands_there() -> None:
    hidden = {"compressedNodeIds": ["u2"], "isCompressionNode": True}
    session = session_of(
        {"r": None, "u1": "r", "u2": "u1", "s": "u2", "a1": "s"},
        "a1",
        u1={"isEnabled": False},
        s={"role": "system", "metadata": hidden},
    )

    shown = flags(BranchTree(session))

    assert {key: flag & 7 for key, flag in shown.items()} == {"r": 0, "u1": 1, "u2": 1, "s": 0, "a1": 2}
    assert [key for key, flag in shown.items() if flag & OFF] == ["u1"]
    assert [key for key, flag in shown.items() if flag & SUMMARY] == ["s"]
    assert [key for key, flag in shown.items() if flag & HIDDEN] == ["u2"]
    assert [key for key, flag in shown.items() if flag & LEAF] == ["a1"]
    assert all(flag & ACTIVE for flag in shown.values())


@pytest.mark.parametrize(
    ("node", "label"),
    [
        ({"content": "  first\nwords "}, "first words"),
        ({"content": "灯由三人轮值，" * 20}, "灯由三人轮值，" * 11 + "灯由…"),
        ({"content": "\u202eright\x1b[0m"}, "�right�[0m"),
        ({"content": "", "attachments": [{"name": "map.png"}]}, "map.png"),
        ({"content": "", "toolCalls": [{"name": "look_up"}]}, "look_up"),
        ({"content": ""}, "no words"),
    ],
)
def test_words_are_the_first_ones_or_what_stands_for_them(node: dict[str, Any], label: str) -> None:
    widget = BranchTree(session_of({"r": None, "a1": "r"}, "a1", a1=node))

    assert json.loads(widget.words)["words"] == ["Pier", label]


def message_facts(widget: BranchTree) -> list[tuple[str, float, int, int]]:
    """Of each message its words, seconds, tokens and flags."""
    n, words = len(widget.messages) // 18, json.loads(widget.words)["words"]
    seconds, numbers, tokens, flags = (
        struct.unpack_from(f"={n}{kind}", widget.messages, at * n)
        for kind, at in (("d", 0), ("i", 8), ("i", 12), ("H", 16))
    )
    return [(words[number], *rest) for number, *rest in zip(numbers, seconds, tokens, flags, strict=True)]


def test_every_message_has_its_words_tokens_and_date_also_in_a_folded_chain() -> None:
    session = long(40, m7={"timestamp": "2026-01-12T18:05:00.000+08:00", "isEnabled": False}, m8={"timestamp": "soon"})
    widget = BranchTree(session)
    found = dict(zip(json.loads(widget.texts)["keys"], message_facts(widget), strict=True))

    assert len(found) == 41
    assert all(found[f"m{i}"][0] == f"words of m{i}" for i in range(40))
    assert all(found[key][2] == widget.tokenizer.count(session.node(key).content) for key in found)
    assert datetime.fromtimestamp(found["m7"][1], UTC).isoformat() == "2026-01-12T18:05:00+00:00"  # as its clock said
    assert all(isnan(seconds) for key, (_, seconds, *_) in found.items() if key != "m7")
    assert [key for key, (*_, flag) in found.items() if flag & OFF] == ["m7"]
    assert [key for key, (*_, flag) in found.items() if flag & LEAF] == ["m39"]
    assert all(flag & ACTIVE for *_, flag in found.values())


def test_dates_of_several_zones_are_those_of_one_clock() -> None:
    times = {"m7": "2026-01-12T18:05:00+08:00", "m8": "2026-01-12T10:06:00Z", "m9": "2026-01-12T05:07:00-05:00"}
    widget = BranchTree(long(10, **{key: {"timestamp": time} for key, time in times.items()}))
    found = dict(zip(json.loads(widget.texts)["keys"], message_facts(widget), strict=True))

    shown = [datetime.fromtimestamp(found[key][1], UTC).isoformat()[11:16] for key in times]
    assert shown == ["18:05", "18:06", "18:07"]


def test_hanging_messages_elsewhere_sends_no_words_again() -> None:
    widget = BranchTree(small())
    before = widget.words

    widget.graft("a1", "u3")
    assert widget.words is before or widget.words == before
    facts = dict(zip(json.loads(widget.texts)["keys"], message_facts(widget), strict=True))
    assert all(words == f"words of {key}" for key, (words, *_) in facts.items() if key != "r")


def test_springs_have_places_of_their_own_up_to_a_thousand_boxes() -> None:
    widget = BranchTree(ctxlab.load(DATASETS / "research_tree.session.json"))
    tidy = widget.places

    widget.tree_layout = "force"
    assert (facts(widget)["layout"], facts(widget)["force_most"]) == ("force", 0)
    assert widget.places != tidy
    boxes = [(x, y) for x, y, *_ in signs(widget)]
    assert all(abs(a - c) >= 1.149 or abs(b - d) >= 0.899 for (a, b), (c, d) in combinations(boxes, 2))
    widget.tree_layout = "top-down"
    assert (facts(widget)["layout"], widget.places) == ("tidy", tidy)
    star = BranchTree(session_of({"r": None} | {f"m{i}": "r" for i in range(1001)}, "m0"))
    star.tree_layout = "force"
    assert (facts(star)["layout"], facts(star)["force_most"]) == ("tidy", 1000)
    with pytest.raises(traitlets.TraitError):
        star.tree_layout = "circle"


def test_thirty_messages_are_all_drawn_and_more_are_folded() -> None:
    assert facts(BranchTree(long(29)))["chains"] == 0
    widget = BranchTree(long(40))

    assert [count for *_, count in signs(widget)] == [1, 39, 1]
    assert facts(widget)["chains"] == 1
    assert json.loads(widget.texts)["keys"] == ["r", *(f"m{i}" for i in range(40))]


def test_what_differs_from_its_neighbours_is_not_folded_with_them() -> None:
    widget = BranchTree(long(40, m10={"isEnabled": False}, m20={"metadata": {"isCompressionNode": True}}))

    assert [count for *_, count in signs(widget)] == [1, 10, 1, 9, 1, 18, 1]


def test_the_message_that_a_branch_begins_with_stands_alone() -> None:
    parents = {"r": None} | {f"m{i}": f"m{i - 1}" if i else "r" for i in range(40)}
    parents |= {f"b{i}": f"b{i - 1}" if i else "m20" for i in range(10)}

    shown = flags(BranchTree(session_of(parents, "m39")))

    assert list(shown) == ["r", "m0", "m20", "m21", "m22", "m39", "b0", "b1", "b9"]


def test_a_chain_unfolds_and_folds_again() -> None:
    widget = BranchTree(long(40))

    asked(widget, "unfold", node="m7")
    assert len(signs(widget)) == 41
    assert [key for key, flag in flags(widget).items() if flag & OPENED] == [f"m{i}" for i in range(39)]
    asked(widget, "fold", node="m30")
    assert len(signs(widget)) == 3


def test_switching_the_branch_moves_nothing() -> None:
    widget = BranchTree(ctxlab.load(DATASETS / "research_tree.session.json"))
    before = (widget.places, widget.texts)

    for leaf in widget.history.session.leaves():
        widget.switch_to(leaf)
        assert (widget.places, widget.texts) == before
        assert [key for key, flag in flags(widget).items() if flag & LEAF] == [leaf]


@pytest.mark.parametrize("shape", ["line", "comb", "star"])
def test_ten_thousand_messages_are_laid_out_without_recursion(shape: str) -> None:
    above = {"line": lambda i: i - 1, "comb": lambda i: i - 1 if i % 2 else max(i - 2, 0), "star": lambda i: 0}[shape]
    parents = {"r": None} | {f"m{i}": f"m{above(i)}" if i else "r" for i in range(10_000)}
    session = session_of(parents, "m9999")

    drawing = drawing_of(session, {f"m{i}" for i in range(10_000)})

    assert drawing.messages == 10_000
    assert len(drawing.places) == 16 * 10_001


def test_nothing_and_nothing_said_are_trees_too() -> None:
    assert (facts(BranchTree())["given"], facts(BranchTree(Session()))["given"]) == (False, True)
    assert signs(BranchTree()) == []
    with pytest.raises(UnknownNode):
        BranchTree().switch_to("a1")


def test_a_broken_tree_is_drawn_and_its_verbs_refuse() -> None:
    widget = BranchTree(session_of({"r": None, "u1": "r", "a1": "gone", "u2": "a1"}, "u2"))

    assert len(signs(widget)) == 4
    assert "does not exist" in asked(widget, "graft", node="a1", parent="r").error


# --- what is done


def test_switching_looks_at_the_leaf_below_and_is_undone() -> None:
    widget = asked(BranchTree(small()), "switch_to", node="b1")
    assert (widget.session.leaf, facts(widget)["leaf"]) == ("u3", "u3")
    assert facts(widget)["undo"] == "switched"

    asked(widget, "undo")
    assert (widget.session.leaf, facts(widget)["undo"], facts(widget)["redo"]) == ("a2", None, "switched")
    asked(widget, "redo")
    assert widget.session.leaf == "u3"


def test_a_message_of_the_active_branch_changes_nothing() -> None:
    widget = BranchTree(small())
    before = widget.session

    for node in ("r", "u1", "u2", "a2"):
        assert widget.switch_to(node) is before
    assert widget.end_at("u2").leaf == "u2"


def test_grafting_takes_all_below_along_and_moving_takes_one() -> None:
    widget = asked(BranchTree(small()), "graft", node="a1", parent="b1")
    assert [widget.session.node(key).parent_id for key in ("a1", "u2", "a2")] == ["b1", "a1", "u2"]
    assert widget.undo() == small()

    asked(widget, "move", node="a1", parent="b1")
    assert [widget.session.node(key).parent_id for key in ("a1", "u2", "a2")] == ["b1", "u1", "u2"]
    assert widget.undo() == small()


@pytest.mark.parametrize(
    ("command", "given", "reason"),
    [
        ("graft", {"node": "a1", "parent": "a2"}, "below it"),
        ("move", {"node": "a1", "parent": "a1"}, "itself"),
        ("graft", {"node": "r", "parent": "a1"}, "is a root"),
        ("undo", {}, "nothing to undo"),
        ("redo", {}, "nothing to redo"),
        ("switch_to", {"node": "a3"}, "no node 'a3'"),
        ("unfold", {"node": "zz"}, "no node 'zz'"),
        ("explode", {}, "is no command"),
        ("graft", {"node": "a1"}, "is no command"),
        ("delete", {"node": 3}, "is no command"),
        ("find", {"text": None}, "is no command"),
        ("disable", {"node": "a1", "below": "yes"}, "is no command"),
        ("show", {"node": "a1"}, "is no command"),
    ],
)
def test_what_can_not_be_done_is_said_and_changes_nothing(command: str, given: dict[str, Any], reason: str) -> None:
    widget = BranchTree(small())
    before = (widget.session, widget.view, widget.places, widget.flags)

    asked(widget, command, **given)

    assert reason in widget.error
    assert (widget.session, widget.view, widget.places, widget.flags) == before


def test_small_actions_are_done_and_undone() -> None:
    widget = BranchTree(small())
    for command, more in (("disable", {"below": True}), ("enable", {"below": False}), ("branch", {}), ("delete", {})):
        asked(widget, command, node="a1", **more)
        assert widget.error == ""

    assert [facts(widget)["messages"], widget.session.leaf] == [4, "node-8"]
    assert widget.selected == "node:node-8"
    for _ in range(4):
        widget.undo()
    assert widget.session == small()


def test_the_selected_message_is_never_one_that_is_gone() -> None:
    widget = BranchTree(small())
    widget.selected = "node:u2"

    widget.delete("a1")

    assert widget.selected == "node:u1"


# --- editing


def test_a_message_is_edited_as_json_and_what_is_not_known_is_kept() -> None:
    session = session_of({"r": None, "u1": "r"}, "u1", u1={"mood": {"is": "odd"}, "metadata": {"tokenCount": 3}})
    widget = asked(BranchTree(session), "open_message", node="u1")
    data = json.loads(widget.data)

    asked(widget, "edit", node="u1", text=json.dumps({**data, "content": "other", "name": "Mei", "colour": 3}))

    node = widget.session.node("u1")
    assert (widget.error, widget.edits) == ("", 1)
    assert (node.content, node.name, node.to_data()["mood"], node.to_data()["colour"]) == (
        "other",
        "Mei",
        {"is": "odd"},
        3,
    )
    assert "tokenCount" not in (node.metadata or {})
    assert json.loads(widget.data) == node.to_data()
    assert widget.undo() == session


def test_what_is_taken_out_of_the_json_is_gone() -> None:
    session = session_of({"r": None, "u1": "r"}, "u1", u1={"name": "Mei", "mood": 1, "isEnabled": False})
    widget = BranchTree(session)
    data = session.node("u1").to_data()

    widget.edit("u1", {key: data[key] for key in ("id", "role")})

    assert set(widget.session.node("u1").to_data()) == {"id", "role", "parentId"}
    assert widget.session.node("u1").parent_id == "r"
    assert widget.undo() == session


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{\n  "role": user\n}', "line 2, column 11"),
        ("[1]", "a message is an object"),
        ('{"role": "user", "size": NaN}', "NaN is no number"),
        ("[" * 100_000, ""),
        ('{"role": "user", "id": "u9"}', "'id' is structure and can't be changed here"),
        ('{"role": "user", "parentId": "a1"}', "graft() and move()"),
        ('{"content": "no role"}', "a message has a 'role'"),
        ('{"role": "wizard"}', "line 1, column 10: role must be one of 'system', 'user', 'assistant' or 'tool'"),
        ('{"role": "user", "content": 3}', "content must be a text, not 3"),
        ('{"role": "user", "role": "tool"}', "the key 'role' is there more than once"),
        ('{"role": "user", "isEnabled": "no"}', 'isEnabled can\'t be "no": write false'),
        (
            '{"role": "user",\n "attachments": [{},\n  {"size": "灯"}]}',
            "line 3, column 12: attachments[1].size must be",
        ),
        ('{"role": "user", "metadata": {"priority": "high"}}', "metadata.priority must be a whole number"),
        ('{"role": "user", "metadata": {"tools": {"toolCallsRequested": {}}}}', "metadata.tools.toolCallsRequested"),
        ('{"role": 1, "content": 2, "name": 3, "status": 4, "type": 5}', "name must be a text, not 3. line 1, column"),
        ('{"role": 1, "content": 2, "name": 3, "status": 4, "type": 5}', "1 more."),
    ],
)
def test_an_edit_that_can_not_be_taken_says_why(text: str, reason: str) -> None:
    widget = BranchTree(small())
    before = widget.session

    asked(widget, "edit", node="u1", text=text)

    assert reason in widget.error
    assert widget.error
    assert widget.session is before
    assert widget.edits == 0


def test_data_that_says_the_same_makes_no_step_of_the_history() -> None:
    session = session_of({"r": None, "u1": "r"}, "u1", u1={"name": "灯", "metadata": {"priority": "of a stranger"}})
    widget = BranchTree(session)
    turned = dict(reversed(session.node("u1").to_data().items()))

    asked(widget, "edit", node="u1", text=json.dumps(turned))

    assert widget.session is session
    assert not widget.history.can_undo
    assert (widget.error, widget.edits) == ("", 1)
    assert widget.report["text"] == "U1 is as it was: the data says the same."


def test_a_wrong_value_that_was_there_before_does_not_keep_others_from_being_changed() -> None:
    session = session_of({"r": None, "u1": "r"}, "u1", u1={"metadata": {"priority": "of a stranger"}})
    widget = BranchTree(session)

    metadata = {"priority": "of a stranger", "mood": 1}
    asked(widget, "edit", node="u1", text=json.dumps({**session.node("u1").to_data(), "metadata": metadata}))

    assert (widget.error, widget.session.node("u1").metadata) == ("", metadata)


def test_a_field_with_nearly_the_name_of_one_that_is_used_is_kept_and_told() -> None:
    widget = BranchTree(small())

    widget.edit("u1", {**small().node("u1").to_data(), "timestmp": "2026-01-01"})

    assert widget.report["text"].startswith("Changed u1. A message has no field 'timestmp'; did you mean 'timestamp'")
    assert widget.session.node("u1").to_data()["timestmp"] == "2026-01-01"


JSON_VALUES = st.recursive(
    st.none() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=12
)


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in inner:
        yield from paths_of(each, (*path, step))


@given(JSON_VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_a_position_is_where_the_value_at_the_path_begins(value: Any, indent: int | None, plain: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=plain)

    for path, wanted in paths_of(value):
        line, column = position_of(text, path)
        at = sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column - 1
        assert json.JSONDecoder().raw_decode(text, at)[0] == wanted


def test_signs_that_turn_text_around_are_shown_as_escapes() -> None:
    said = "a\u202eb\u2066 \ud83d 灯"
    widget = BranchTree(session_of({"r": None, "u1": "r"}, "u1", u1={"content": said}))

    text = widget.open_message("u1")

    assert "\\u202e" in text
    assert "\u202e" not in text
    assert text.encode()
    assert json.loads(text)["content"] == said
    widget.close_message()
    assert (widget.editing, widget.data) == ("", "")


def test_an_open_message_that_is_gone_is_closed() -> None:
    widget = BranchTree(small())
    widget.open_message("a1")

    widget.delete("a1")

    assert (widget.editing, widget.data) == ("", "")


# --- finding and comparing


def test_words_names_and_ids_are_found_in_tree_order_also_in_chains() -> None:
    widget = BranchTree(long(40, m3={"content": "the HARBOUR"}, m9={"name": "harbourmaster"}, m30={"content": "潮水"}))

    assert widget.find("harbour") == ["m3", "m9"]
    assert widget.find(" 潮 ") == ["m30"]
    assert widget.find("m39") == ["m39"]
    assert widget.find("nowhere") == widget.find("  ") == []
    asked(widget, "find", text="harbour")
    assert (widget.query, widget.hits) == ("harbour", ["m3", "m9"])


def test_words_are_found_whatever_their_width_with_the_characters_that_stand_there() -> None:
    widget = BranchTree(Session(id="s").append("", role="system").append("The Ｌａｍｐ of 雾港"))

    (key,) = widget.find("lamp")

    (snippet,) = json.loads(widget.snippets)["found"]
    assert (snippet["key"], snippet["before"], snippet["match"]) == (key, "The ", "Ｌａｍｐ")


def test_hits_follow_what_is_changed() -> None:
    widget = BranchTree(small())
    widget.find("words of u2")

    widget.edit("u2", {**widget.session.node("u2").to_data(), "content": "nothing"})
    assert widget.hits == []
    widget.undo()
    assert widget.hits == ["u2"]


def test_two_branches_are_compared_in_messages_and_tokens() -> None:
    tokenizer = tokenizer_for("gpt-4o")
    widget = BranchTree(small(), tokenizer=tokenizer)

    found = widget.pick("a2", "u3")

    count = lambda *keys: sum(tokenizer.count(widget.session.node(key).content) for key in keys)  # noqa: E731
    assert found == {
        "ids": ("a2", "u3"),
        "fork": "u1",
        "shared": 1,
        "shared_tokens": count("u1"),
        "own": (3, 2),
        "own_tokens": (count("a1", "u2", "a2"), count("b1", "u3")),
    }
    assert widget.shared_history == found


def test_the_fork_is_the_last_message_that_both_have() -> None:
    widget = BranchTree(small())

    assert (widget.pick("a2", "c2") or {})["fork"] == "u2"
    assert (widget.pick("a1", "a2") or {})["fork"] == "a1"  # one is on the way to the other


# --- what is read, found and told


def test_a_message_is_read_whole_and_nothing_else_changes() -> None:
    words = "a\n  b\u202e" * 50
    widget = BranchTree(small(u3={"content": words, "name": "Ada", "timestamp": "2026-01-12T18:06:14.100Z"}))
    before = widget.history.session

    asked(widget, "preview", node="u3")
    shown = json.loads(widget.preview)
    assert (shown["text"], shown["role"], shown["name"], shown["depth"]) == (words, "user", "Ada", 3)
    assert (shown["tokens"], shown["date"]) == (tokenizer_for().count(words), "2026-01-12T18:06:14.100Z")
    assert (widget.history.session, widget.history.can_undo) == (before, False)

    widget.selected = "node:b1"
    assert json.loads(widget.preview)["key"] == "b1"
    widget.edit("b1", {"role": "assistant", "content": "other"})
    assert json.loads(widget.preview)["text"] == "other"
    widget.delete("b1")
    assert widget.preview == ""
    widget.selected = "node:a1"
    assert widget.preview == ""  # nothing is open that could follow
    assert widget.preview_message("r")["depth"] == 0
    asked(widget, "close_preview")
    assert widget.preview == ""


def test_what_a_message_has_besides_words_is_named() -> None:
    node = {
        "content": "",
        "attachments": [{"name": "map.png", "type": "image", "size": 1200}],
        "toolCalls": [{"name": "look_up"}],
    }

    shown = BranchTree(session_of({"r": None, "a1": "r"}, "a1", a1=node)).preview_message("a1")

    assert (shown["calls"], shown["files"], shown["tokens"]) == (["look_up"], ["picture map.png, 1 kB"], 0)


def test_the_first_hits_come_with_the_words_around_them() -> None:
    parents: dict[str, str | None] = {"r": None} | {f"u{i}": "r" for i in range(400)}
    nodes = {f"u{i}": {"content": "these words stand before it and\nmore NEEDLE and after"} for i in range(400)}
    widget = BranchTree(session_of(parents | {"n": "u0"}, "n", **nodes, n={"content": "x", "name": "needles"}))

    widget.find("needle")
    found = json.loads(widget.snippets)["found"]

    assert (len(widget.hits), len(found)) == (401, MOST_SNIPPETS)
    assert [each["key"] for each in found] == widget.hits[:MOST_SNIPPETS]
    by_key = {each["key"]: each for each in found}
    assert by_key["u0"] | {"key": ""} == {
        "key": "",
        "role": "user",
        "depth": 1,
        "before": "…stand before it and more ",
        "match": "NEEDLE",
        "after": " and after",
    }
    assert [by_key["n"][name] for name in ("depth", "before", "match", "after")] == [2, "", "needle", "s"]
    widget.find("nowhere")
    assert (widget.hits, widget.snippets) == ([], "")


@pytest.mark.parametrize("text", ["STRASSE", "straße"])
def test_a_hit_whose_letters_differ_by_more_than_case_has_a_row_too(text: str) -> None:
    widget = BranchTree(small(u3={"content": "Die Straße am Pier" if text == "STRASSE" else "STRASSE am Pier"}))

    widget.find(text)

    assert widget.hits == ["u3"]
    assert "Pier" in json.loads(widget.snippets)["found"][0]["after"]


def told(widget: BranchTree) -> str:
    return str(widget.report.get("text", ""))


@pytest.mark.parametrize(
    ("command", "given", "text"),
    [
        ("graft", {"node": "a1", "parent": "u3"}, "Grafted 4 messages under u3."),
        ("graft", {"node": "a2", "parent": "u3"}, "Grafted 1 message under u3."),
        ("move", {"node": "a1", "parent": "u3"}, "Moved a1 under u3."),
        ("delete", {"node": "u2"}, "Deleted 3 messages."),
        ("disable", {"node": "a1", "below": True}, "Switched a1 and all below it off."),
        ("branch", {"node": "a1"}, "Put a copy of a1 beside it."),
        ("switch_to", {"node": "b1"}, "Switched to the branch that ends with u3."),
        (
            "edit",
            {"node": "u2", "text": '{"role": "user", "content": "x"}'},
            "Changed u2. Its structure stays, though the data leaves it out: id, parentId.",
        ),
    ],
)
def test_what_was_done_is_told_until_it_is_undone(command: str, given: dict[str, Any], text: str) -> None:
    widget = asked(BranchTree(small()), command, **given)

    assert told(widget) == text
    asked(widget, "preview", node="u1")
    assert told(widget) == text
    asked(widget, "undo")
    assert (widget.history.session, told(widget)) == (small(), "")


@pytest.mark.parametrize(("node", "parent"), [("a1", "a2"), ("r", "u1"), ("gone", "u1"), ("a1", "gone")])
def test_what_was_refused_is_not_told_as_done(node: str, parent: str) -> None:
    widget = asked(BranchTree(small()), "graft", node=node, parent=parent)

    assert widget.error
    assert told(widget) == ""


def test_grafts_tell_the_number_of_messages_that_changed_their_path() -> None:
    session = ctxlab.load(DATASETS / "research_tree.session.json")
    for key in list(session.nodes)[1:40:3]:
        widget = BranchTree(session)
        parent = next((each for each in session.nodes if each != session.node(key).parent_id), "")
        asked(widget, "graft", node=key, parent=parent)
        if widget.error:
            continue
        after = widget.history.session
        moved = sum(
            [node.id for node in session.path(each)] != [node.id for node in after.path(each)] for each in session.nodes
        )
        assert told(widget) == f"Grafted {moved} message{'s' * (moved > 1)} under {parent}."


def test_long_ids_are_told_by_the_first_words() -> None:
    key = "0c9d2c1e-77aa-4f6e-9a53-5bd1f9a0c1d2"
    parents = {"r": None, "u1": "r", key: "r"}
    widget = BranchTree(session_of(parents, "u1", **{key: {"content": "Who kept the light?"}}))

    widget.graft("u1", key)

    assert told(widget) == "Grafted 1 message under “Who kept the light?”."


def test_a_change_of_the_run_says_what_it_did() -> None:
    widget = BranchTree(ctxlab.build(small()))

    asked(widget, "disable", node="a1", below=False)

    assert widget.effect["label"] == "Switched a1 off"
    assert "a1" in widget.effect["text"]
    asked(widget, "undo")
    assert widget.effect == {}


def test_picks_are_two_at_most_and_of_this_tree() -> None:
    widget = BranchTree(small())

    widget.picked = ["a2", "a2", "gone"]
    assert (widget.picked, widget.shared_history) == (["a2"], {})
    widget.picked = ["a1", "a2", "u3"]
    assert widget.picked == ["a2", "u3"]
    widget.delete("b1")
    assert (widget.picked, widget.shared_history) == (["a2"], {})
    with pytest.raises(UnknownNode):
        widget.pick("gone")


# --- sessions, histories and runs


def test_a_history_is_driven_and_followed() -> None:
    history = History(small())
    widget = BranchTree(history)
    widget.graft("c2", "b1")
    assert history.session.node("c2").parent_id == "b1"

    history.undo()
    widget.show()
    assert widget.session == small()
    assert facts(widget)["undo"] is None


def test_another_state_from_outside_can_be_undone_and_another_session_begins_anew() -> None:
    widget = BranchTree(small())

    widget.session = small().edit("u1", "changed")
    assert facts(widget)["undo"] == "changed elsewhere"
    assert widget.undo() == small()
    widget.session = long(5)
    widget.session = Session(id="other").append("hi", id="h")
    assert facts(widget)["undo"] is None
    assert list(flags(widget)) == ["node-0", "h"]
    widget.session = None
    assert signs(widget) == []


def test_linked_trees_change_together() -> None:
    a, b = BranchTree(small()), BranchTree(small())
    traitlets.link((a, "session"), (b, "session"))

    a.graft("c2", "b1")
    assert b.session.node("c2").parent_id == "b1"
    b.undo()
    assert a.session == b.session
    assert a.session.node("c2").parent_id == "u2"


def test_what_is_switched_makes_a_new_run() -> None:
    trace = ctxlab.build(small())
    widget = BranchTree(trace)
    seen: list[Any] = []
    widget.observe(lambda change: seen.append(change["new"]), "trace")

    widget.switch_to("u3")
    assert [draft.key for draft in widget.trace.result.drafts] == ["node:u1", "node:b1", "node:u3"]
    widget.undo()
    assert [draft.key for draft in widget.trace.result.drafts] == ["node:u1", "node:a1", "node:u2", "node:a2"]
    assert len(seen) == 2
    widget.trace = widget.trace.rerun()
    assert len(seen) == 3


def test_a_run_from_outside_is_shown_with_its_leaf_and_its_tokenizer() -> None:
    widget = BranchTree(ctxlab.build(small()))

    widget.trace = ctxlab.rebuild(ctxlab.build(small(), model="claude-sonnet-4"), leaf="c2")

    assert widget.session.leaf == facts(widget)["leaf"] == "c2"
    assert widget.tokenizer is widget.trace.services.tokenizer
    assert BranchTree(small()).tokenizer.name == "o200k_base"


def test_a_run_that_fails_says_so_and_the_session_stays_changed() -> None:
    widget = BranchTree(ctxlab.build(small(), budget_tokens=200))
    trace = widget.trace

    asked(widget, "edit", node="a2", text=json.dumps({**small().node("a2").to_data(), "content": "word " * 5000}))

    assert widget.trace is trace
    assert widget.error.startswith("the run is still the one before")
    assert widget.session.node("a2").content.startswith("word")


def test_refusals_in_a_notebook_are_raised() -> None:
    with pytest.raises(Refused):
        BranchTree(small()).graft("a1", "a2")


@pytest.mark.parametrize("command", ["switch_to", "end_at", "delete", "branch", "unfold", "fold", "open_message"])
def test_of_a_message_that_is_not_there_nothing_is_done_and_it_says_so(command: str) -> None:
    widget = BranchTree(small())

    widget._handle_custom_msg({"command": command, "node": "nobody"}, [])

    assert "'nobody'" in widget.error
    assert widget.session == small()


def test_of_very_many_messages_the_page_gets_fewer_words_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "word " * 60
    session = Session(id="s").append(long).append(long)
    facts = facts_module.MessageFacts()

    before = facts.words(session)
    monkeypatch.setattr(facts_module, "MANY", 1)
    after = facts.words(session)

    assert all(len(words) > 100 for words in before[1:])
    assert all(len(words) <= facts_module.FEWER_CELLS for words in after)
    assert [words[:40] for words in after] == [words[:40] for words in before]
