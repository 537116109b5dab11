"""A study's file: grids, places of presets and lore, scorers with settings, questions of several conversations."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import ctxlab
from ctxlab.errors import ReadError, WrongArgument
from ctxlab.studies.study.place_injections import frozen_lore, lore_at, presets_at
from ctxlab.studies.study.study_file import read_study_file
from ctxlab.studies.study.survey_cases import SurveyCases

ROOT = Path(__file__).parents[3]
STUDIES = ROOT / "datasets" / "studies"
GRID = STUDIES / "injection_eviction.toml"
LOCOMO = STUDIES / "injection_eviction_locomo.toml"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> ctxlab.studies.study.StudyResult:
    """The bundled grid at one budget, over whole conversations and a few questions."""
    text = GRID.read_text().replace("[1500, 2500, 4000]", "[2500]").replace("turns = 5", "turns = 2")
    text = text.replace('"../', f'"{ROOT}/datasets/').replace("whole_conversations", "every = 12\nwhole_conversations")
    for name in ("bundled_questions.json", "companion.agent.json", "companion_lore.json"):
        text = text.replace(f'"{name}"', f'"{STUDIES / name}"')
    for start, end in (('[grid.place."depth 10"]', "[grid.place.end"), ("middle-out =", "relevant =")):
        text = text[: text.index(start)] + text[text.index(end) :]
    file = tmp_path_factory.mktemp("study") / "small.toml"
    file.write_text(text)
    return ctxlab.Study.from_file(file).run(progress=False)


def test_a_grid_has_every_combination_with_the_rows_of_its_axes_as_columns(
    small: ctxlab.studies.study.StudyResult,
) -> None:
    frame = small.frame()

    assert small.errors == 0
    assert len(small.variants) == 2 * 3 * 2
    assert set(frame["variant"]) == {
        f"{place}, {eviction}, {lore}"
        for place in ("top", "end")
        for eviction in ("sliding", "block", "relevant")
        for lore in ("moving", "frozen")
    }
    assert (frame["variant"] == frame["place"] + ", " + frame["eviction"] + ", " + frame["lore"]).all()


def test_questions_have_evidence_and_whole_conversations_have_prefixes(
    small: ctxlab.studies.study.StudyResult,
) -> None:
    frame = small.frame()
    whole = frame["kind"] == "conversation"

    assert whole.any()
    assert frame.loc[whole, "prefix_share"].notna().all()
    assert frame.loc[whole, "all_evidence"].isna().all()
    assert frame.loc[~whole, "prefix_share"].isna().all()
    assert frame.loc[~whole, "all_evidence"].notna().all()
    assert small.left_out["not every 12th of its conversation"] == 49 - (len(frame[~whole]) // 12)


def test_frozen_lore_at_the_top_keeps_more_of_the_prefix_than_moving_lore_there(
    small: ctxlab.studies.study.StudyResult,
) -> None:
    means = small.frame().groupby(["place", "eviction", "lore"])["prefix_share"].mean()

    for eviction in ("sliding", "block", "relevant"):
        assert means["top", eviction, "frozen"] > means["top", eviction, "moving"]


@pytest.mark.parametrize(("place", "behind"), [("top", None), ("end", 0), (1, 1), (4, 4)])
def test_presets_and_entries_go_where_a_place_says(place: str | int, behind: int | None) -> None:
    agent = ctxlab.load_agent(STUDIES / "companion.agent.json")
    book = ctxlab.read(STUDIES / "companion_lore.json").book()
    found = ctxlab.build(
        ctxlab.example("research").session(),
        presets_at(agent, place),
        books=[lore_at(frozen_lore(book), place)],
        budget_tokens=100_000,
    )

    keys = [part.key for draft in found.result.drafts for part in draft.parts]
    history = [at for at, key in enumerate(keys) if key.startswith("node:")]
    injected = [at for at, key in enumerate(keys) if key == "preset:1" or key.startswith("lore:")]
    assert keys[0] == "preset:0"
    assert len(injected) == 1 + len(book.entries)
    assert {sum(at < node for node in history) for at in injected} == {len(history) if behind is None else behind}


def test_every_label_of_the_bundled_questions_names_messages_that_are_sent_with_room_for_everything() -> None:
    file = read_study_file(GRID)
    cases = [case for case in file.cases if case.question]  # type: ignore[union-attr]
    study = ctxlab.Study(cases, ["sliding"], [100_000], scorers=["evidence"])

    frame = study.run(progress=False).frame()

    assert len(frame) == len(json.loads((STUDIES / "bundled_questions.json").read_text()))
    assert frame.loc[frame["all_evidence"] != 1, "case"].tolist() == []


def test_both_grids_are_the_same() -> None:
    here, there = (path.read_text() for path in (GRID, LOCOMO))

    assert here[here.index("[grid") :] == there[there.index("[grid") :]


BASE = '[cases]\nfiles = "c.json"\nagent = "a.json"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{BASE}[grid]\n", "has no rows"),
        (f"{BASE}[grid.place]\n", "grid.place has no rows"),
        (f"{BASE}[grid.budget.a]\n", "column that every study has"),
        (
            f'{BASE}[grid.x.a]\nstrategy = "block"\n[grid.y.b]\nstrategy = "sliding"\n',
            "line 7: grid.y.b.strategy is set by another axis",
        ),
        (f"variants = ['sliding']\n{BASE}[grid.x.a]\n", "both variants and a grid"),
        (f'{BASE}[variants.a]\npresets_at = "middle"\n', "presets_at takes"),
        (f'{BASE}[grid.x.a]\nlore = "stif"\n[grid.y.b]\n', "line 5: grid.x.a.lore needs books"),
        (f"{BASE}[variants.a]\npresets_at = -1\n", "presets_at takes"),
        (f"{BASE}[variants.a]\npresets_at = true\n", "presets_at takes"),
        (f'{BASE}[variants.a]\nlore = "frozen"\n', "needs books"),
        (f'{BASE}books = "b.json"\n[variants.a]\nlore = "stiff"\n', "lore can't be 'stiff'"),
        ('[cases]\nfiles = "c.json"\n[variants.a]\npresets_at = 1\n', "needs an agent"),
        (f"{BASE}[variants.a]\npresets_at = 1\n", "no preset of"),
        (f"{BASE}[variants.a]\nstrateg = 'x'\n", "did you mean 'strategy'?"),
        (f"variants = ['sliding']\n{BASE}every = 2\n", 'every is for kind = "questions"'),
        (f'variants = ["sliding"]\nscorers = [{{ name = "prefix", turn = 3 }}]\n{BASE}', "did you mean 'turns'?"),
        (f'variants = ["sliding"]\nscorers = [{{ name = "prefix", version = "2" }}]\n{BASE}', "no setting 'version'"),
        (f"variants = ['sliding']\nscorers = [3]\n{BASE}", "texts and tables"),
    ],
)
def test_what_a_file_gets_wrong_is_named(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes((ROOT / "datasets" / "coding_chat.session.json").read_bytes())
    (tmp_path / "a.json").write_text(json.dumps({"id": "a", "presetMessages": [{"role": "system", "content": "Be."}]}))
    (tmp_path / "b.json").write_bytes((STUDIES / "companion_lore.json").read_bytes())
    (tmp_path / "s.toml").write_text(text)

    with pytest.raises(ReadError, match=words.replace("?", r"\?")):
        read_study_file(tmp_path / "s.toml")


def test_a_label_of_a_variant_may_not_be_a_column_of_the_study() -> None:
    with pytest.raises(WrongArgument, match="'tokens', which every study fills"):
        ctxlab.Study([], [ctxlab.Variant("a", labels={"tokens": "x"})])


def run_of(task: int, trial: int, text: str = "Help me") -> dict[str, object]:
    turns = [{"role": "user", "content": text}, {"role": "assistant", "content": "Yes"}]
    return {"task_id": task, "trial": trial, "traj": turns, "info": {"task": {"user_id": f"user_{task}"}}}


def conversations_of(folder: Path, data: object, *keys: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """What each case belongs to, and the notes, of a study of this data's conversations."""
    (folder / "data.json").write_text(json.dumps(data))
    lines = ['variants = ["sliding"]', "[cases]", 'files = "data.json"', *keys]
    (folder / "study.toml").write_text("\n".join(lines))
    result = ctxlab.Study.from_file(folder / "study.toml").run(progress=False)
    frame = result.frame()
    return dict(zip(frame["case"], frame["conversation"], strict=True)), result.notes


def test_runs_of_one_task_are_one_conversation_where_the_file_knows_the_task(tmp_path: Path) -> None:
    runs = [run_of(0, 0), run_of(1, 0), run_of(0, 1)]

    found, notes = conversations_of(tmp_path, runs)

    assert found == {
        "task-0-trial-0": "task-0 (user_0)",
        "task-1-trial-0": "task-1 (user_1)",
        "task-0-trial-1": "task-0 (user_0)",
    }
    assert "3 cases are runs of 2 tasks, as their file says: runs of one task count as one" in notes
    assert not any("task" in note for note in conversations_of(tmp_path, runs[:2])[1])


def test_a_pattern_names_what_cases_belong_to_and_without_it_names_of_runs_are_told(tmp_path: Path) -> None:
    names = ["login_run1", "login_run2", "search trial 1", "plain"]
    sessions = [ctxlab.Session(id=name, name=name).append("Hello there").to_data() for name in names]
    folder = tmp_path / "chats"
    folder.mkdir()
    for name, each in zip(names, sessions, strict=True):
        (folder / f"{name}.json").write_text(json.dumps(each))

    def cases(**options: object) -> list[str]:
        found = [case.conversation for case in SurveyCases([str(folder)], **options)()]
        return sorted(found)

    assert cases() == sorted(names)
    assert cases(group=re.compile("(.+)_run")) == ["login", "login", "plain", "search trial 1"]
    (note,) = ctxlab.survey(folder, strategies=["sliding"], budgets=[50], progress=False).notes
    assert note.startswith("2 conversations look like runs of 1 task, as 'login_run1' and 'login_run2' do")


@pytest.mark.parametrize("wrong", ["(", "task", "(a)(b)"])
def test_a_pattern_has_one_group(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(ReadError, match=r"line 4: cases\.group .*pattern"):
        conversations_of(tmp_path, [run_of(0, 0)], f"group = '{wrong}'")


def test_a_conversation_that_is_named_by_its_first_words_goes_by_its_id() -> None:
    own, named = ctxlab.Session(id="s1", name="Hello there"), ctxlab.Session(id="s2", name="Greetings")

    assert [case.id for case in SurveyCases([own.append("Hello there"), named.append("Hello there")])()] == [
        "s1",
        "Greetings",
    ]
