"""Conversations that nobody here wrote; skipped where they are not at hand."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import UnknownFormat
from ctxlab.formats import (
    Import,
    branch_data,
    branch_markdown,
    branch_session,
    openai_messages,
    read,
    read_data,
    session_json,
    tree_markdown,
    write,
)

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared"))
DATA = SHARED / "data"
READ = sorted(
    path
    for pattern in (
        "oasst/*",
        "tau-bench/*",
        "sharegpt/*",
        "memorybank/memory*",
        "swe-agent/*",
        "locomo/*",
        "beam/*/*/chat.json",
        "claude*/*",
    )
    for path in DATA.glob(pattern)
    if path.suffix in (".json", ".jsonl", ".traj")
)

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"real data is not at hand: there is no folder {DATA}")


def loaded(*parts: str) -> Any:
    return json.loads((DATA.joinpath(*parts)).read_text(encoding="utf-8"))


def sound(found: Import) -> Import:
    """The import, each session of it sound, and the same after writing and reading."""
    for session in found.sessions:
        assert session.check() == ()
        assert read_data(json.loads(session_json(session).data)).pick() == session
    return found


def texts(found: Import, index: int) -> list[str]:
    """All texts of a session, presets first, whatever branch they are on."""
    session = found.sessions[index]
    agent = next((a for a in found.agents if session.root and a.id == session.root.agent_id), None)
    presets = [preset.content for preset in agent.preset_messages] if agent else []
    return presets + [node.content for node in session.in_order() if node.id != session.root_node_id]


def test_oasst() -> None:
    lines = (DATA / "oasst" / "trees_60.jsonl").read_text(encoding="utf-8").splitlines()
    trees = [json.loads(line)["prompt"] for line in lines]

    found = sound(read(DATA / "oasst" / "trees_60.jsonl"))

    def said(message: dict[str, Any]) -> list[str]:
        return [message["text"], *(text for reply in message["replies"] for text in said(reply))]

    assert (found.format, len(found.sessions)) == ("oasst", 60)
    assert [loss.field for loss in found.losses] == ["activeLeafId"]  # the trees name no active leaf
    assert [texts(found, i) for i in range(60)] == [said(tree) for tree in trees]


def test_tau_bench() -> None:
    runs = loaded("tau-bench", "airline_60.json")

    found = sound(read(DATA / "tau-bench" / "airline_60.json"))

    assert (found.format, len(found.sessions), len(found.agents), found.losses) == ("tau-bench", 60, 1, ())
    assert [texts(found, i) for i in range(60)] == [[m["content"] or "" for m in run["traj"]] for run in runs]
    assert openai_messages(found.sessions[0], agent=found.agents[0]).data == runs[0]["traj"]


def test_sharegpt() -> None:
    items = loaded("sharegpt", "sharegpt_500.json")

    found = sound(read(DATA / "sharegpt" / "sharegpt_500.json"))

    assert (found.format, len(found.sessions), found.losses) == ("sharegpt", 500, ())
    assert [texts(found, i) for i in range(500)] == [[t["value"] for t in item["conversations"]] for item in items]


@pytest.mark.parametrize("name", ["memory_bank_cn.json", "memory_bank_en.json"])
def test_memorybank(name: str) -> None:
    people = loaded("memorybank", name)

    found = sound(read(DATA / "memorybank" / name))

    assert (found.format, len(found.sessions)) == ("memorybank", len(people))
    assert {loss.place.split(".")[1] for loss in found.losses} == {"meta_information"}
    assert [session.id for session in found.sessions] == [person.strip() for person in people]
    assert [texts(found, i) for i in range(len(people))] == [
        [said for day in p["history"].values() for turn in day for said in (turn["query"], turn["response"])]
        for p in people.values()
    ]


def test_swe_agent() -> None:
    paths = sorted((DATA / "swe-agent").glob("*.traj"))

    imports = [sound(read(path)) for path in paths]

    assert len(imports) == 8
    for path, found in zip(paths, imports, strict=True):
        history = loaded("swe-agent", path.name)["history"]
        assert found.format == "swe-agent"
        assert texts(found, 0) == [message["content"] for message in history]
        assert {re.split(r"[.\[]", loss.place)[0] for loss in found.losses} <= {"trajectory", "info", "history"}


def test_locomo() -> None:
    samples = loaded("locomo", "locomo_first5.json")

    found = sound(read(DATA / "locomo" / "locomo_first5.json"))

    assert (found.format, len(found.sessions)) == ("locomo", 5)
    assert [texts(found, i) for i in range(5)] == [
        [turn["text"] for n in range(1, 99) for turn in sample["conversation"].get(f"session_{n}", ())]
        for sample in samples
    ]
    assert all(loss.text.startswith("evidence ") for loss in found.losses)
    for session, sample in zip(found.sessions, samples, strict=True):
        questions = session.to_data()["locomo"]["questions"]
        assert len(questions) == len(sample["qa"])
        assert all(turn in session.nodes for question in questions for turn in question["evidence"])


def test_beam() -> None:
    for path in sorted((DATA / "beam").glob("*/*/chat.json")):
        messages = [message for batch in json.loads(path.read_text()) for turn in batch["turns"] for message in turn]

        found = sound(read(path))

        assert (found.format, found.losses) == ("beam", ())
        nodes = found.pick().path()[1:]
        assert [node.id for node in nodes] == [str(message["id"]) for message in messages]
        marks = [(node.meta("beam") or {}).get("mark", "") for node in nodes]
        assert [f"{node.content} {mark}".split() for node, mark in zip(nodes, marks, strict=True)] == [
            message["content"].split() for message in messages
        ]
        assert all(node.timestamp for node in nodes)
        assert not any("->->" in node.content for node in nodes if node.role == "user")


def test_claude_code_logs() -> None:
    imports = {path.stem: sound(read(path)) for path in sorted((DATA / "claude-code-log").glob("*.jsonl"))}

    assert {name: len(found.sessions) for name, found in imports.items()} == {
        "edge_cases": 2,
        "representative_messages": 1,
        "session_b": 1,
        "todowrite_examples": 1,
    }
    assert imports["todowrite_examples"].losses == ()
    chained = [str(loss) for loss in imports["session_b"].losses]
    assert chained == ["line 1: no message names its parent; they are in the file's order"]
    lines = [int(loss.place.split()[1]) for loss in imports["edge_cases"].losses if loss.place.startswith("line")]
    assert sorted({*lines}) == [1, 10, 11, 12, 13, 14, 15, 16, 18]


def test_every_conversation_is_exported_with_every_text() -> None:
    for path in READ:
        for session in read(path).sessions:
            nodes = [node for node in session.in_order() if node.parent_id is not None]
            tree, branch = str(tree_markdown(session, indent="branches")), str(branch_markdown(session))
            written = branch_data(session).data["messages"]

            assert all(line.strip() in tree for node in nodes for line in node.content.splitlines())
            assert all(node.content in branch for node in session.path() if node.parent_id is not None)
            assert [message["id"] for message in written] == [node.id for node in session.path()[1:]]
            assert branch_session(session).check() == ()


def test_every_conversation_survives_a_zip(tmp_path: Path) -> None:
    for path in READ:
        found = read(path)
        write([*found.sessions, *found.agents], tmp_path / "all.zip")

        again = read(tmp_path / "all.zip")

        assert (again.sessions, again.agents, again.losses) == (found.sessions, found.agents, ())


def test_what_is_not_read_yet_is_never_guessed() -> None:
    paths = sorted(DATA.glob("memorybank/p*.jsonl"))

    assert paths
    for path in paths:
        with pytest.raises(UnknownFormat, match="not read yet"):
            read(path)
