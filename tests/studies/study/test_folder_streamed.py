"""A folder in a survey or a study: all of its files, one held at a time, and nothing left out in silence."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.display.progress import WorkProgress
from ctxlab.formats import folder as limits
from ctxlab.studies.study import batches
from ctxlab.studies.study.survey_cases import SurveyCases

CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Rill", "description": "A pilot who knows the reef.", "first_mes": "Ahoy."},
}
BOOK = {"entries": {"0": {"uid": 0, "key": ["reef"], "content": "Old stones.", "comment": "Reef", "order": 1}}}
RULES = [
    {"scriptName": "Louder", "findRegex": "/that/g", "replaceString": "THAT THAT", "placement": [1], "promptOnly": True}
]
LINES = [
    {"user_name": "Mara", "character_name": "Rill", "create_date": "2026-01-01", "chat_metadata": {}},
    {"name": "Rill", "is_user": False, "is_system": False, "send_date": "2026-01-01", "mes": "Ahoy."},
    {"name": "Mara", "is_user": True, "is_system": False, "send_date": "2026-01-01", "mes": "Is that the reef?"},
]


def put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def chat(text: str, count: int = 2) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[i % 2], "content": f"{text} {i}"} for i in range(count)]


def survey(source: Any, **options: Any) -> ctxlab.StudyResult:
    return ctxlab.survey(source, **{"strategies": ["sliding"], "budgets": [None], "progress": False, **options})


def cells(found: ctxlab.StudyResult) -> list[tuple[Any, ...]]:
    columns = found.cell_table.columns
    return sorted(zip(columns["case"], columns["tokens"], columns["messages"], columns["error"], strict=True), key=str)


def test_every_file_of_a_folder_is_a_case(tmp_path: Path) -> None:
    for number in range(2_010):
        put(tmp_path / f"c{number:05}.json", [{"role": "user", "content": f"message {number}"}])

    cases = SurveyCases([str(tmp_path)])

    assert sum(1 for _ in cases()) == 2_010
    assert cases.notes == ()


PARTS = {
    "chats/one.jsonl": "\n".join(map(json.dumps, LINES)),
    "rill.json": CARD,
    "reef.json": BOOK,
    "rules.json": RULES,
    "plain.json": chat("Only words"),
    "prompted.json": [{"role": "system", "content": "You are a pilot."}, *chat("Words")],
    "runs.json": {"conversations": [{"from": "human", "value": "Any wind?"}, {"from": "gpt", "value": "Some."}]},
    "deep/er/two.json": chat("On the reef that is", 4),
    "notes.txt": "Dear diary",
    "broken.json": '{"role": ',
}


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.sets(st.sampled_from(sorted(PARTS)), min_size=1))
def test_a_folder_that_is_streamed_gives_the_cells_of_the_folder_read_whole(
    tmp_path_factory: pytest.TempPathFactory, names: set[str]
) -> None:
    folder = tmp_path_factory.mktemp("folder")
    for name in names | {"plain.json"}:
        put(folder / name, PARTS[name])
    whole = ctxlab.read(folder)

    streamed = survey(folder)
    assert cells(streamed) == cells(survey(whole))
    left_out = {"notes.txt", "broken.json"} & names
    assert bool(left_out) == any("nothing that is read" in note for note in streamed.notes)


def test_a_system_prompt_is_of_its_own_conversation_alone(tmp_path: Path) -> None:
    prompt = [{"role": "system", "content": "Be brief."}]
    put(tmp_path / "a" / "chat.json", [*prompt, *chat("one")])
    put(tmp_path / "b" / "chat.json", [{"role": "system", "content": "Be long, and then some more."}, *chat("two")])
    put(tmp_path / "plain.json", chat("three"))

    found = cells(survey(tmp_path))

    alone = [cells(survey(tmp_path / name))[0][1:] for name in ("a/chat.json", "b/chat.json", "plain.json")]
    assert sorted(each[1:] for each in found) == sorted(alone)


def test_what_is_left_out_is_in_the_value_the_table_and_the_figure(tmp_path: Path) -> None:
    put(tmp_path / "a.json", chat("one"))
    put(tmp_path / "b.json", chat("two"))
    put(tmp_path / "lines.jsonl", "\n".join([*map(json.dumps, chat("three", 4)), "{nonsense"]))
    put(tmp_path / "diary.txt", "Dear diary")

    found = survey(tmp_path)

    out, lost = found.notes
    assert out.startswith(f"1 file of {tmp_path} holds nothing that is read: diary.txt (it is no JSON")
    assert lost.startswith("1 thing lost in reading 1 file; the first: ")
    assert "lines.jsonl line 5" in lost
    assert "diary.txt" in found._repr_html_()
    assert "diary.txt" in str(found.figure().layout.title.text)
    assert any("diary.txt" in line for line in found.cell_table.facts.left_out)
    assert "diary.txt" in str(found.frame().attrs)


def test_a_conversation_in_two_files_is_one_case(tmp_path: Path) -> None:
    session = ctxlab.Session(id="s1", name="Tides").append("When is low tide?", id="m1")
    put(tmp_path / "a.json", session.to_data())
    put(tmp_path / "copy" / "a.json", session.to_data())
    put(tmp_path / "b.json", session.append("Go on.", id="m2").to_data())

    found = survey(tmp_path)

    assert (found.cases, len(ctxlab.read(tmp_path).sessions)) == (2, 2)
    assert found.notes[0].startswith("1 conversation of ")


def test_a_folder_of_cards_alone_says_what_it_holds(tmp_path: Path) -> None:
    put(tmp_path / "rill.json", CARD)

    found = survey(tmp_path)

    assert found.cell_table.columns["error"] == [f"{tmp_path} holds no conversation, only 1 agent"]


def test_a_file_too_large_for_a_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "a.json", chat("one"))
    put(tmp_path / "large.json", chat("large", 40))
    monkeypatch.setattr(limits, "LARGEST_BYTES", 400)

    (note,) = survey(tmp_path).notes

    assert "large.json" in note
    assert "name it itself" in note


def test_a_study_of_a_folder_reads_every_file(tmp_path: Path) -> None:
    for number in range(30):
        put(tmp_path / "many" / f"{number}.json", chat(str(number)))
    put(tmp_path / "many" / "diary.txt", "Dear diary")
    put(tmp_path / "s.toml", 'variants = ["sliding"]\nbudgets = [500]\n[cases]\nfiles = "many"\n')

    found = ctxlab.Study.from_file(tmp_path / "s.toml").run(progress=False)

    assert found.cases == 30
    assert "diary.txt" in found.notes[0]


def test_progress_knows_how_many_files_there_are_and_how_much_is_done(tmp_path: Path) -> None:
    for number in range(60):
        put(tmp_path / f"{number}.json", chat(str(number), 4))
    shares: list[float] = []

    survey(tmp_path, budgets=list(range(50, 60)), progress=shares.append)

    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] == 1.0
    cases = SurveyCases([str(tmp_path)])
    cases.prepare(progress=False)
    assert cases.work == "60 files"
    shown = WorkProgress(cases.work, 1.0, progress=False)
    shown.advance_to(0.25)
    assert shown.line(10.0) == "60 files: 25%, about 30 s left"


def peak(folder: Path) -> int:
    tracemalloc.start()
    try:
        survey(folder, tokenizer="chars4+4", budgets=[50])
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_that_of_a_few_files_not_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "CHARACTERS_A_BATCH", 80_000)
    for name, count in (("warm", 2), ("few", 3), ("many", 18)):
        for number in range(count):
            put(tmp_path / name / f"{number}.json", chat("tide and rope " * 40 + str(number), 150))
    peak(tmp_path / "warm")

    few, many = peak(tmp_path / "few"), peak(tmp_path / "many")

    assert many < 2 * few  # six times the files


def test_branches_of_a_folder_are_those_of_its_sessions(tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path / f"{name}.json", chat(name, 5))
    put(tmp_path / "diary.txt", "Dear diary")
    shares: list[float] = []

    found = ctxlab.branches(tmp_path, progress=shares.append)

    whole = ctxlab.branches(ctxlab.read(tmp_path))
    assert found.summary().equals(whole.summary())
    assert found.frame().equals(whole.frame())
    assert "diary.txt" in found.notes[0]
    assert "diary.txt" in found._repr_html_()
    assert shares == [0.5, 1.0]


def test_all_of_a_folder_is_checked_and_each_finding_has_its_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path / f"{name}.json", chat(f"{name}: tide\u202e table"))
    put(tmp_path / "diary.txt", "Dear diary")

    found = ctxlab.check(tmp_path, progress=False)

    alone = [ctxlab.check(tmp_path / f"{name}.json") for name in ("a", "b")]
    assert len(found) == sum(map(len, alone)) > 0
    assert set(found.frame()["file"]) == {"a.json", "b.json"}
    assert "diary.txt" in found.notes[0]
