"""The bundled conversations are sound trees, and what their README says of them is true."""

import json
import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ctxlab

DATASETS = Path(__file__).parents[1] / "datasets"
NAMES = ["coding_chat", "harbour_attachments", "harbour_roleplay", "research_tree"]

Json = dict[str, Any]


def load(file: str) -> Json:
    return json.loads((DATASETS / file).read_text(encoding="utf-8"))


def path_to(session: Json, leaf: str) -> list[Json]:
    path = [session["nodes"][leaf]]
    while path[-1]["parentId"] is not None:
        path.append(session["nodes"][path[-1]["parentId"]])
    return path[::-1]


def leaves(session: Json) -> list[str]:
    return [node["id"] for node in session["nodes"].values() if not node["childrenIds"]]


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def session(name: str) -> Json:
    return load(f"{name}.session.json")


@pytest.fixture
def agent(name: str) -> Json:
    return load(f"{name}.agent.json")


def test_every_session_of_the_folder_is_tested() -> None:
    found = sorted(file.name.removesuffix(".session.json") for file in DATASETS.glob("*.session.json"))

    assert found == NAMES


def test_parents_and_children_agree(session: Json) -> None:
    nodes = session["nodes"]

    parent_links = {(node["parentId"], node["id"]) for node in nodes.values() if node["parentId"] is not None}
    child_links = [(node["id"], child) for node in nodes.values() for child in node["childrenIds"]]

    assert all(key == node["id"] for key, node in nodes.items())
    assert len(child_links) == len(set(child_links))
    assert set(child_links) == parent_links


def test_everything_hangs_on_the_one_empty_system_root(session: Json) -> None:
    root = session["nodes"][session["rootNodeId"]]

    roots = {path_to(session, leaf)[0]["id"] for leaf in leaves(session)}

    assert roots == {root["id"]}
    assert (root["role"], root["content"], root["parentId"]) == ("system", "", None)


def test_the_active_leaf_is_a_leaf(session: Json) -> None:
    assert session["activeLeafId"] in leaves(session)


def test_branch_memory_names_children_and_leads_to_the_active_leaf(session: Json) -> None:
    remembered = {
        node["id"]: node["lastSelectedChildId"]
        for node in session["nodes"].values()
        if node["childrenIds"] and "lastSelectedChildId" in node
    }

    assert all(child in session["nodes"][parent]["childrenIds"] for parent, child in remembered.items())
    for above, below in pairwise(path_to(session, session["activeLeafId"])):
        assert remembered[above["id"]] == below["id"]


def test_time_runs_forward_on_every_branch(session: Json) -> None:
    for leaf in leaves(session):
        stamps = [node["timestamp"] for node in path_to(session, leaf)]

        assert stamps == sorted(set(stamps))
        assert all(stamp.endswith("Z") for stamp in stamps)


def test_every_answer_names_the_agent_beside_it(session: Json, agent: Json) -> None:
    answers = [node for node in session["nodes"].values() if node["role"] == "assistant"]

    assert {node["metadata"]["agentId"] for node in answers} == {agent["id"]}
    assert all(node["metadata"]["modelId"] for node in answers)


def test_only_calls_may_come_without_a_text(session: Json) -> None:
    silent = [node for node in session["nodes"].values() if not node["content"] and node["parentId"] is not None]

    assert all(node["metadata"]["toolCallsRequested"] for node in silent)


def test_calls_and_results_pair_up_on_the_active_path(session: Json) -> None:
    path = path_to(session, session["activeLeafId"])

    asked = [
        (call["requestId"], call["toolName"], call["args"])
        for node in path
        for call in node["metadata"].get("toolCallsRequested", [])
    ]
    results = [node["metadata"]["toolCall"] for node in path if node["role"] == "tool"]

    assert [(call["requestId"], call["toolName"], json.loads(call["rawArgs"])) for call in results] == asked


def test_the_coding_chat_asks_for_two_things_at_once() -> None:
    session = load("coding_chat.session.json")

    at_once = [len(node["metadata"].get("toolCallsRequested", [])) for node in session["nodes"].values()]

    assert 8 <= sum(at_once) <= 12
    assert at_once.count(2) == 2


def test_one_message_of_the_coding_chat_is_switched_off() -> None:
    session = load("coding_chat.session.json")

    off = [node["id"] for node in path_to(session, session["activeLeafId"]) if not node["isEnabled"]]

    assert off == ["u4"]


def test_the_summary_stands_right_below_what_it_stands_for() -> None:
    session = load("harbour_roleplay.session.json")
    summary = session["nodes"]["s1"]

    hidden = summary["metadata"]["compressedNodeIds"]

    assert [node["id"] for node in path_to(session, "s1")][-1 - len(hidden) : -1] == hidden
    assert len(hidden) == summary["metadata"]["originalMessageCount"]


def test_the_harbour_has_a_preset_of_every_kind() -> None:
    presets = load("harbour_roleplay.agent.json")["presetMessages"]

    strategies = {preset.get("injectionStrategy", {}).get("type", "skeleton") for preset in presets}
    placeholders = [preset["type"] for preset in presets if "type" in preset]

    assert strategies == {"skeleton", "depth", "advanced_depth", "anchor"}
    assert placeholders == ["user_profile", "chat_history"]
    assert [preset["id"] for preset in presets if not preset["isEnabled"]] == ["preset-hurry"]
    assert [preset["id"] for preset in presets if "modelMatch" in preset] == ["preset-claude"]


def test_the_research_tree_forks_often() -> None:
    session = load("research_tree.session.json")

    widths = {node["id"]: len(node["childrenIds"]) for node in session["nodes"].values()}

    assert len(leaves(session)) >= 12
    assert len(path_to(session, session["activeLeafId"])) > 12
    assert [widths[node] for node in ("n03", "n15", "n54")] == [3, 4, 4]


def test_the_lorebook_shows_every_way_to_be_called_or_not() -> None:
    entries = list(load("harbour_lore.json")["entries"].values())

    def those(field: str, *values: Any) -> list[int]:
        return [entry["uid"] for entry in entries if (entry[field] in values if values else entry[field])]

    assert [entry["uid"] for entry in entries] == list(range(18))
    assert those("constant") == [0]
    assert (those("preventRecursion"), those("delayUntilRecursion"), those("excludeRecursion")) == ([3], [4], [17])
    assert (those("sticky"), those("cooldown"), those("delay")) == ([9], [11], [12])
    assert [(entry["groupWeight"], entry["groupOverride"]) for entry in entries if entry["group"] == "weather"] == [
        (60, False),
        (30, False),
        (10, True),
    ]
    assert {entry["selectiveLogic"] for entry in entries if entry["keysecondary"]} == {0, 2}
    assert (those("position", 4), those("outletName", "bell"), those("disable")) == ([6, 7, 8, 14], [13], [15])
    assert [entry["uid"] for entry in entries if entry["characterFilter"]["names"] == ["沈砚"]] == [14]
    assert [entry["uid"] for entry in entries if any(key.startswith("/") for key in entry["key"])] == [5]
    assert those("probability", 35) == [16]


def test_entries_of_the_lorebook_call_each_other() -> None:
    entries = load("harbour_lore.json")["entries"]

    assert any(key in entries["1"]["content"] for key in entries["2"]["key"])
    assert any(key in entries["1"]["content"] for key in entries["3"]["key"])
    assert any(key in entries["2"]["content"] for key in entries["4"]["key"])


def test_the_rules_are_for_what_is_shown_what_is_sent_and_both() -> None:
    rules = load("harbour_rules.json")

    shown = [rule["id"] for rule in rules if rule["markdownOnly"]]
    sent = [rule["id"] for rule in rules if rule["promptOnly"]]

    assert len({rule["id"] for rule in rules}) == 8
    assert shown == ["bold-names", "ship-names"]
    assert sent == ["strip-ooc", "short-directions", "hide-clock"]
    assert [rule["id"] for rule in rules if rule["disabled"]] == ["hide-clock"]


def test_the_counts_in_the_readme_are_current() -> None:
    count = runpy.run_path(str(DATASETS / "count.py"))
    readme = (DATASETS / "README.md").read_text(encoding="utf-8")

    assert count["with_table"](readme, count["table"]()) == readme


def test_every_attached_file_is_there_as_it_says_and_the_agent_s_files_too() -> None:
    session, agent = load("harbour_attachments.session.json"), load("harbour_attachments.agent.json")
    attached = [asset for node in session["nodes"].values() for asset in node.get("attachments", [])]

    for asset in (*attached, *agent["assets"]):
        file = DATASETS / asset["path"]
        assert (file.name, file.stat().st_size) == (asset.get("name", asset.get("filename")), asset["size"])

    files = sorted(file.name for file in (DATASETS / "harbour_files").iterdir())
    assert sorted(asset["name"] for asset in attached) == files
    assert sum((DATASETS / "harbour_files" / name).stat().st_size for name in files) < 250_000


def test_one_text_has_the_place_of_a_file_in_it() -> None:
    nodes = load("harbour_attachments.session.json")["nodes"].values()

    placed = [
        (node["id"], asset["id"])
        for node in nodes
        for asset in node.get("attachments", [])
        if f"【file::{asset['id']}】" in node["content"]
    ]

    assert placed == [("u3", "file-tides")]


def test_the_script_gives_the_files_that_need_no_library() -> None:
    script = runpy.run_path(str(DATASETS / "make_files.py"))

    assert sorted(script["FILES"]) == sorted(file.name for file in (DATASETS / "harbour_files").iterdir())
    for name in ("pilot_notes.pdf", "潮汐表.txt", "berths.csv", "fog_horn.wav", "lamp.png"):
        assert script["FILES"][name]() == (DATASETS / "harbour_files" / name).read_bytes(), name


def test_the_script_gives_the_recording() -> None:
    script = runpy.run_path(str(DATASETS / "make_recording.py"))

    assert b"".join(script["evening"]().lines) == (DATASETS / "tidebook_agent.ctxrec.jsonl").read_bytes()


@pytest.fixture(scope="module")
def next_request() -> ctxlab.Trace:
    return ctxlab.sillytavern(DATASETS / "sillytavern_folder").build()


def test_five_settings_of_the_dialect_matter_in_the_data_folder(next_request: ctxlab.Trace) -> None:
    seed = ctxlab.sillytavern(DATASETS / "sillytavern_folder").build(dialect="seed").pipeline.settings()
    own = seed.set_index(["step", "setting"])["value"]
    dialect = next_request.pipeline.settings().query("layer == 'dialect'")
    matter: set[str] = set()

    for step, setting in dialect[["step", "setting"]].itertuples(index=False):
        back = {f"{step}.{setting}": own[step, setting]}
        if setting == "macro_engine":
            back["injection-assembler.macros_in_messages"] = False
        if step == "injection-assembler" or setting != "macro_engine":
            matter |= {setting} if next_request.rerun(back).messages != next_request.messages else set()

    assert matter == {"scan_text", "macro_engine", "macros_in_messages", "one_message", "examples"}


def test_keys_of_the_data_folder_are_found_across_messages_and_in_names(next_request: ctxlab.Trace) -> None:
    lore = next_request.table("lore").set_index("title")

    assert lore["reason"][["Papers", "A rope at high water", "Barges", "The lock"]].tolist() == [
        "'Emil' stands in the name of node:m6",
        r"'/rope[\\s\\S]*tide/' stands in node:m6 through to node:m4",
        "'barge' stands in lore:Canal/3",
        "'lock' stands in lore:Canal/0",
    ]
    assert sorted(lore[~lore["fired"]].index) == ["Fog", "The book"]


def test_what_the_data_folder_joins_and_leaves_out(next_request: ctxlab.Trace) -> None:
    joined = [[part["id"] for part in message["source"]] for message in next_request.messages]

    assert [ids for ids in joined if len(ids) > 1] == [
        ["Canal/1", "Canal/0", "Canal/2"],
        ["weather", "authors-note", "Canal/3"],
    ]
    assert "kettle" not in str(next_request.messages)
    settings = ctxlab.sillytavern(DATASETS / "sillytavern_folder").settings().set_index("setting")
    assert settings["state"]["extension memory"] == "not run"
    assert (settings["value"]["world Canal"], settings["value"]["world Bridge"]) == ("everyone", "character")
