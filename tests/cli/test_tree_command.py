"""`ctxlab tree`: every branch at its place, straight stretches folded, problems named."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import api
from ctxlab.cli.output.tree_lines import TreeLines
from ctxlab.documents import Session

DATASETS = Path(__file__).parents[2] / "datasets"


def session_of(parents: list[int], **fields: Any) -> dict[str, Any]:
    """A session whose node i + 1 hangs on node parents[i]; the last one is the active leaf."""
    nodes = {"n0": {"id": "n0", "parentId": None, "role": "system", "content": ""}}
    for i, parent in enumerate(parents, start=1):
        role = "user" if i % 2 else "assistant"
        nodes[f"n{i}"] = {"id": f"n{i}", "parentId": f"n{parent}", "role": role, "content": f"words {i}"}
    return {"id": "s", "rootNodeId": "n0", "activeLeafId": f"n{len(parents)}", "nodes": nodes, **fields}


@pytest.mark.parametrize("name", ["coding_chat", "harbour_roleplay", "research_tree"])
def test_every_message_is_drawn_or_folded(run, name: str) -> None:
    session = api.load(DATASETS / f"{name}.session.json")

    lines = TreeLines(session).lines(most=200, columns=40)

    assert sum(line.messages for line in lines) == len(session.nodes)
    drawn = {line.key for line in lines if line.kind == "node"}
    assert drawn >= {key for key in session.nodes if len(session.children(key)) != 1}


def test_forks_summary_and_leaf_are_marked(run, harbour) -> None:
    out = run("tree", harbour).out

    assert "⋮ … 9 messages, g1 to a4" in out
    assert "⧗ s1 (stands for 8 stored messages)" in out
    assert "├─○ u8 (1/2)" in out
    assert "● u8b (2/2*)" in out
    assert "◉ u13  “那我们就走吧。" in out
    assert "32 messages, 27 on the active path, 3 leaves" in out


def test_a_message_that_is_off_says_so(run, harbour) -> None:
    assert "● u4 (off)" in run("tree", harbour.with_name("coding_chat.session.json")).out


def test_b1_a_root_with_text_is_counted_and_drawn_like_any_message(run, tmp_path: Path) -> None:
    data = session_of([0, 1])
    data["nodes"]["n0"] |= {"role": "user", "content": "first words"}
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(data))

    out = run("tree", path).out

    assert "3 messages, 3 on the active path, 1 leaf" in out
    assert "first words" in out


@pytest.mark.parametrize("shape", ["chain", "star", "random", "comb", "pairs"])
def test_ten_thousand_messages_take_few_lines(shape: str) -> None:
    dice = random.Random(1)
    parent: dict[str, Callable[[int], int]] = {
        "chain": lambda i: i - 1,
        "star": lambda i: 0,
        "random": lambda i: dice.randrange(i),
        "comb": lambda i: i - 1 if i % 2 else max(0, i - 2),
        "pairs": lambda i: (i - 1) // 2,
    }
    session = Session.model_validate(session_of([parent[shape](i) for i in range(1, 10_000)]))

    lines = TreeLines(session).lines(most=200, columns=30)

    assert 3 <= len(lines) <= 260
    assert lines[0].key == "n0"
    assert any(line.key == "n9999" for line in lines)


def test_what_is_broken_is_drawn_and_named(run, tmp_path: Path) -> None:
    data = session_of([0, 1, 2, 0])
    data["nodes"]["n2"]["parentId"] = "gone"
    data["nodes"]["n4"]["parentId"] = "n4"
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(data))

    out = run("tree", path).out

    assert "n2 (not under the root)" in out
    assert "n4" in out
    assert "! node 'n4' is its own ancestor" in out
    assert "! node 'n2' has a parent that does not exist, 'gone'" in out


def test_an_empty_session_is_no_crash(run, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text('{"id": "s", "rootNodeId": null, "activeLeafId": null, "nodes": {}}')

    result = run("tree", path)

    assert result.code == 0
    assert "0 messages" in result.out


def test_the_width_is_kept(run, harbour) -> None:
    from rich.cells import cell_len

    out = run("tree", harbour.with_name("research_tree.session.json"), "--width", 60).out

    assert max(cell_len(line) for line in out.splitlines()) <= 60


def test_texts_are_harmless(run, tmp_path: Path) -> None:
    data = session_of([0])
    data["nodes"]["n1"]["content"] = "[red]no[/red] \x1b[2J"
    data["name"] = "\x1b[31m[b]name[/b]"
    path = tmp_path / "evil.json"
    path.write_text(json.dumps(data))

    out = run("tree", path).out

    assert "[red]no[/red] \\x1b[2J" in out
    assert "\x1b" not in out


def test_a_summary_of_messages_that_were_edited_says_so(run, tmp_path: Path) -> None:
    session = ctxlab.example("coding").session()
    done = ctxlab.compress(session, compression={"protect_recent_count": 4})
    edited = next(key for key in done.gone if session[key].role == "user")
    ctxlab.write(done.session, tmp_path / "before.session.json")
    ctxlab.write(done.session.edit(edited, "Other words."), tmp_path / "after.session.json")

    assert "edited since" not in run("tree", tmp_path / "before.session.json").out
    assert "1 of them edited since" in run("tree", tmp_path / "after.session.json").out
