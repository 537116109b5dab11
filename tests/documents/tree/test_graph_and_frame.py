"""The shape of a conversation: graph, table, picture; in linear time and without recursion."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, get_args

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import Session
from ctxlab.documents.tree.collapse import FOLDED, glyphs_of
from ctxlab.documents.tree.graph_and_frame import figure, frame, graph, shape_of
from ctxlab.documents.tree.layout import LayoutName, TidyTree, apart, force_places, layout_places
from ctxlab.errors import CtxlabError
from ctxlab.formats import read

DATASETS = Path(__file__).parents[3] / "datasets"
NAMES = ("coding_chat", "harbour_roleplay", "research_tree")

forests = st.lists(st.integers(-1, 30), max_size=40).map(
    lambda picks: [pick if pick < i else -1 if i == 0 else pick % i for i, pick in enumerate(picks)]
)


def session_of(parents: Sequence[int], **fields: Any) -> Session:
    """Node n hangs on node parents[n]; -1 is none."""
    nodes = {
        f"n{i}": {"id": f"n{i}", "parentId": f"n{p}" if p >= 0 else None, "role": "user", "content": f"text {i}"}
        for i, p in enumerate(parents)
    }
    data = {"id": "s", "rootNodeId": "n0", "activeLeafId": f"n{len(parents) - 1}", "nodes": nodes, **fields}
    return Session.model_validate(data)


def loaded(name: str) -> Session:
    return read(DATASETS / f"{name}.session.json").pick()


def chain(n: int) -> list[int]:
    return list(range(-1, n - 1))


def star(n: int) -> list[int]:
    return [-1, *([0] * (n - 1))]


def comb(n: int) -> list[int]:
    """A long conversation of which every second message was tried twice."""
    return [-1, *(i - 2 + i % 2 for i in range(1, n))]


def bush(n: int) -> list[int]:
    dice = random.Random(7)
    return [-1, *(dice.randrange(i) for i in range(1, n))]


BIG = {"chain": chain, "star": star, "comb": comb, "bush": bush}

# --- the layouts


def level_neighbours(parents: Sequence[int], places: Sequence[float]) -> list[tuple[float, float]]:
    """Places of nodes that stand side by side at the same depth, in the order of the tree."""
    depths: list[int] = []
    children: list[list[int]] = [[] for _ in parents]
    for i, parent in enumerate(parents):
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        if parent >= 0:
            children[parent].append(i)
    rows: dict[int, list[int]] = {}
    stack = [i for i, parent in enumerate(parents) if parent < 0][::-1]
    while stack:
        i = stack.pop()
        rows.setdefault(depths[i], []).append(i)
        stack.extend(reversed(children[i]))
    return [(places[a], places[b]) for row in rows.values() for a, b in pairwise(row)]


@settings(deadline=None)
@given(forests, st.booleans(), st.integers(0, 5))
def test_nothing_overlaps_and_branches_keep_their_order(parents: list[int], straight: bool, pick: int) -> None:
    children: dict[int, list[int]] = {}
    for i, parent in enumerate(parents):
        children.setdefault(parent, []).append(i)
    heirs = [children[i][pick % len(children[i])] if straight and i in children else -1 for i in range(len(parents))]

    places = TidyTree(parents, heirs).places()

    assert min(places, default=0) == 0
    assert all(right - left >= 1 - 1e-9 for left, right in level_neighbours(parents, places))
    for i, below in children.items():
        if i >= 0 and straight:
            assert places[i] == pytest.approx(places[heirs[i]])
        elif i >= 0:
            assert places[i] == pytest.approx((places[below[0]] + places[below[-1]]) / 2)


def test_a_comb_takes_two_rows_when_the_conversation_is_straight() -> None:
    parents = comb(101)

    heirs = [i + 2 if i % 2 == 0 and i + 2 < 101 else -1 for i in range(101)]

    assert max(TidyTree(parents, heirs).places()) == 1


@pytest.mark.parametrize("kind", BIG)
def test_ten_thousand_nodes_are_laid_out_in_linear_time(kind: str) -> None:
    def seconds(n: int) -> float:
        parents = BIG[kind](n)
        start = time.process_time()
        TidyTree(parents).places()
        return time.process_time() - start

    small, large = min(seconds(2_000) for _ in range(3)), min(seconds(10_000) for _ in range(3))

    assert large < 15 * small + 0.05
    assert large < 2


@settings(deadline=None, max_examples=30)
@given(forests)
def test_springs_find_the_same_places_every_time_apart_from_one_another(parents: list[int]) -> None:
    depths = [0] * len(parents)
    for i, parent in enumerate(parents):
        depths[i] = depths[parent] + 1 if parent >= 0 else 0
    across = TidyTree(parents).places()

    one, two = force_places(parents, depths, across), force_places(parents, depths, across)

    assert one == two
    assert all(abs(x) < 1e6 and abs(y) < 1e6 for x, y in one)
    assert len(set(one)) == len(parents)


@settings(deadline=None, max_examples=30)
@given(forests, st.sampled_from(get_args(LayoutName)))
def test_boxes_of_every_layout_lie_side_by_side(parents: list[int], layout: LayoutName) -> None:
    places = layout_places(layout, parents)
    width, height = (1.15, 0.9) if layout == "force" else (1, 1)
    if layout == "force":
        places = apart(places, width, height)

    near = 1 - 1e-6
    assert all(
        abs(x0 - x1) >= near * width or abs(y0 - y1) >= near * height for (x0, y0), (x1, y1) in combinations(places, 2)
    )
    assert min([x for x, _ in places], default=0) == min([y for _, y in places], default=0) == pytest.approx(0)


# --- the shape


@settings(deadline=None)
@given(forests)
def test_every_node_is_there_once_below_its_parent(parents: list[int]) -> None:
    session = session_of(parents) if parents else Session(id="empty")

    shape = shape_of(session)

    assert sorted(shape.keys) == sorted(session.nodes)
    for i, key in enumerate(shape.keys):
        above = session.nodes[key].parent_id
        assert (shape.keys[shape.parents[i]] if shape.parents[i] >= 0 else None) == above
        assert shape.parents[i] < i


def test_circles_and_lost_parents_are_drawn_too() -> None:
    session = session_of([-1, 0, 1])
    nodes = {
        **session.nodes,
        "x": session["n1"].model_copy(update={"id": "x", "parent_id": "y"}),
        "y": session["n1"].model_copy(update={"id": "y", "parent_id": "x"}),
        "lost": session["n1"].model_copy(update={"id": "lost", "parent_id": "gone"}),
        "self": session["n1"].model_copy(update={"id": "self", "parent_id": "self"}),
    }
    broken = Session(id="s", root_node_id=session.root_node_id, active_leaf_id=session.active_leaf_id, nodes=nodes)

    shape = shape_of(broken)

    assert sorted(shape.keys) == sorted(nodes)
    assert len(frame(broken)) == 7
    assert graph(broken).number_of_edges() == 3
    figure(broken)


def test_a_first_child_goes_on_with_its_parents_branch() -> None:
    rows = frame(session_of([-1, 0, 1, 1, 3, 0]))

    assert list(rows["node"]) == ["n0", "n1", "n2", "n3", "n4", "n5"]
    assert list(rows["branch"]) == [0, 0, 0, 1, 1, 2]


def test_the_graph_is_a_tree_with_what_is_known_of_each_message() -> None:
    import networkx as nx

    session = loaded("coding_chat")

    made = graph(session)

    assert nx.is_arborescence(made)
    assert set(made.edges) == {(node.parent_id, key) for key, node in session.nodes.items() if node.parent_id}
    assert [key for key, off in made.nodes(data="enabled") if not off] == ["u4"]
    assert {key for key, on in made.nodes(data="on_active_path") if on} == {node.id for node in session.path()}
    assert {key for key, leaf in made.nodes(data="leaf") if leaf} == set(session.leaves())
    assert made.nodes["u1"]["text"].startswith("`test_first_notice")
    assert list(nx.generate_graphml(made))


def test_the_frame_has_one_row_a_message() -> None:
    session = loaded("harbour_roleplay")

    rows = frame(session)

    assert list(rows["node"]) == [node.id for node in session.in_order()]
    assert rows["characters"].sum() == sum(len(node.content) for node in session.nodes.values())
    assert rows["children"].sum() == len(session) - 1
    assert list(rows["node"][rows["summary"]]) == ["s1"]
    assert rows["parent"][0] is None
    assert set(rows["agent"].dropna()) == {"agent-shenyan"}
    assert set(rows["model"].dropna()) == {"gpt-4o"}
    assert list(rows["depth"]) == [session.depth(key) for key in rows["node"]]


def test_a_session_knows_its_shape() -> None:
    session = loaded("coding_chat")

    assert session.frame().equals(frame(session))
    assert session.graph().nodes == graph(session).nodes
    assert session.figure(layout="force", theme="dark") == figure(session, "force", theme="dark")


# --- the picture


def drawn(picture: go.Figure) -> str:
    """What the page gets, as plain JSON: plotly writes `<` as an escape."""
    text = picture.to_json()
    assert text is not None
    assert "NaN" not in text
    return json.dumps(json.loads(text), ensure_ascii=False)


@pytest.mark.parametrize("layout", ["tidy", "top-down", "force"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_and_sound(name: str, theme: Any, layout: Any) -> None:
    assert len(drawn(figure(loaded(name), layout, theme=theme))) < 100_000


def test_every_message_up_to_two_thousand_has_its_own_sign() -> None:
    session = session_of(chain(2000))

    assert len(glyphs_of(session, shape_of(session))) == 2000


def test_above_that_a_chain_is_one_sign_which_says_how_many() -> None:
    session = session_of(chain(10_000))

    signs = glyphs_of(session, shape_of(session))

    assert [len(sign.nodes) for sign in signs] == [1, 9998, 1]
    assert signs[1].look == FOLDED
    assert "<b>9,998 messages</b> in a row" in drawn(figure(session))


@pytest.mark.parametrize("kind", BIG)
@pytest.mark.parametrize("layout", ["tidy", "top-down", "force"])
def test_ten_thousand_messages_are_drawn_without_recursion(kind: str, layout: Any) -> None:
    start = time.process_time()

    figure(session_of(BIG[kind](10_000)), layout)

    assert time.process_time() - start < 10


def test_the_active_leaf_is_never_folded() -> None:
    session = session_of(chain(3000), activeLeafId="n1500")

    signs = glyphs_of(session, shape_of(session))

    assert [sign.keys for sign in signs if "n1500" in sign.keys] == [("n1500",)]


def test_the_root_is_no_message_that_a_picture_counts() -> None:
    session = Session(id="chat").append("", role="system", id="root").append("one").append("two", role="assistant")

    assert "2 messages, 1 leaf" in drawn(figure(session))


def test_no_message_is_a_picture_too() -> None:
    assert drawn(figure(Session(id="empty")))
    assert drawn(figure(Session(id="empty"), "force"))
    assert frame(Session(id="empty")).empty
    assert len(graph(Session(id="empty"))) == 0


def test_markup_in_messages_is_plain_text() -> None:
    session = session_of([-1]).append("<script>alert(1)</script>\ud800", id="<img>")

    text = drawn(figure(session))

    assert "<script>" not in text
    assert "<img>" not in text


def test_another_layout_is_refused_by_name() -> None:
    with pytest.raises(CtxlabError, match="did you mean 'tidy'"):
        figure(session_of([-1]), "tidyy")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("layout", ["tidy", "top-down"])
def test_a_label_stands_on_a_ground_that_no_line_crosses(layout: LayoutName) -> None:
    session = Session(id="s").append("Is the ship in?", id="u1")
    for n in range(4):
        session = session.append(f"Answer number {n}", role="assistant", id=f"a{n}", parent="u1")

    found = figure(session, layout)

    labels = {each.text: each for each in found.layout.annotations}
    assert "Is the ship in?" in labels
    assert {each.bgcolor for each in labels.values()} == {found.layout.paper_bgcolor}
    assert not any(trace.text for trace in found.data)
