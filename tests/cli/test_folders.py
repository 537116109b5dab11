"""A command takes a folder where it takes a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ctxlab
from ctxlab.formats import folder

DATASETS = Path(__file__).parents[2] / "datasets"
SMALL = """{"id": "s", "rootNodeId": "r", "activeLeafId": "a", "nodes": {
 "r": {"id": "r", "role": "system", "content": ""},
 "a": {"id": "a", "parentId": "r", "role": "user", "content": "灯塔"}}}"""


def test_a_folder_brings_its_agent_its_user_its_book_and_its_rules(run, tmp_path: Path) -> None:
    for path in DATASETS.glob("harbour_[lr]*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "notes.md").write_text("Dear diary")

    result = run("build", tmp_path, "--format", "json")

    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out) == ctxlab.build(ctxlab.example("harbour")).messages
    shown = run("build", tmp_path).out
    assert "9 of 18 entries fired" in shown
    assert "notes.md: left out; it is no JSON" in shown.replace("\n", " ")


def test_of_several_conversations_one_has_to_be_picked(run) -> None:
    result = run("tree", DATASETS)

    assert result.code == 2
    sessions = ctxlab.read(DATASETS).sessions
    longest = max(sessions, key=len)
    assert result.err.startswith(f"ctxlab: {DATASETS} holds {len(sessions)} sessions: {str(longest.id)!r}, ")
    assert (
        "fewer messages, which `ctxlab workspace import W PATH` and then `ctxlab workspace list W` list" in result.err
    )
    assert run("tree", DATASETS, "--pick", "session-robins").code == 0


def test_a_conversation_of_a_folder_that_is_too_large_to_be_held_is_picked_all_the_same(
    run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for path in DATASETS.glob("harbour_[lr]*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for id in ("other", "robins"):
        (tmp_path / f"{id}.json").write_text(json.dumps({**json.loads(SMALL), "id": id}))
    held = {pick: run("build", tmp_path, "--pick", pick, "--format", "json") for pick in ("robins", "0", "2")}
    assert {result.code for result in held.values()} == {0}
    assert len({result.out for result in held.values()}) > 1

    monkeypatch.setattr(folder, "MOST_BYTES", 100)

    assert {pick: run("build", tmp_path, "--pick", pick, "--format", "json").out for pick in held} == {
        pick: result.out for pick, result in held.items()
    }
    assert "GB that are held at once" in run("build", tmp_path).err
    assert run("build", tmp_path, "--pick", "nobody").code == run("tree", tmp_path, "--pick", "3").code == 2
    assert "灯塔" in run("tree", tmp_path, "--pick", "2").out


def test_a_named_book_takes_the_place_of_those_in_the_folder(run, tmp_path: Path) -> None:
    for path in DATASETS.glob("harbour_[lr]*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    book = tmp_path / "small.json"
    book.write_text(json.dumps({"entries": {"0": {"uid": 0, "key": ["never said"], "content": "x", "comment": "Y"}}}))

    assert "of 18 entries" not in run("build", tmp_path, "--book", book).out


def test_with_one_of_several_conversations_only_the_losses_of_its_file_are_listed(run, tmp_path: Path) -> None:
    told = [{"role": "user", "content": "Hi"}, {"role": "nobody", "content": "who?"}]
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.json").write_text(json.dumps(told))
    losses = ctxlab.read(tmp_path).losses
    assert len(losses) == 3

    for command in ("build", "tree"):
        out = run(command, tmp_path, "--pick", 1).out.replace("\n", " ")
        assert out.count("lost in reading: three.json") == 1
        assert "one.json" not in out
        assert "2 things lost in other files of the folder" in out
