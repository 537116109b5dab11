"""What made a study stands with its cells: versions, settings, the hash of the data; what it lacked is a note."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ctxlab
from ctxlab.errors import WrongArgument
from ctxlab.studies.study.frame_facts import ATTRS
from tests.studies.study.samples import cases, run, session

ROOT = Path(__file__).parents[3]
KEYS = """
import ctxlab
from tests.studies.study.samples import cases, plan
from ctxlab.studies.study.cell_key import CellKeys
from ctxlab.engines.truncation.registry import strategies

named = ["sliding", "bm25", *(["user-first"] if "user-first" in strategies().by_name else [])]
study = plan(variants=named, budgets=(60,))
keys = CellKeys(study)
case = keys.of_case(next(cases()))
print(*[keys.of_cell(case, cell) for cell in study.cells()])
"""


def keys_with(folder: Path | None, version: str = "1.0") -> list[str]:
    """Keys of cells in another process, where a package with a strategy is installed, or none."""
    path = [str(ROOT)]
    if folder is not None:
        about = folder / f"ctxlab_user_first-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: ctxlab-user-first\nVersion: {version}\n")
        (about / "entry_points.txt").write_text("[ctxlab.strategies]\nuser-first = user_first:UserFirst\n")
        path += [str(folder), str(ROOT / "docs" / "extending" / "strategy")]
    env = {"PYTHONPATH": ":".join(path)}
    return subprocess.check_output([sys.executable, "-c", KEYS], cwd=ROOT, env=env, text=True).split()


def test_a_strategy_that_is_installed_changes_the_keys_of_those_variants_alone_that_name_it(tmp_path: Path) -> None:
    without, first, second = keys_with(None), keys_with(tmp_path / "a"), keys_with(tmp_path / "b", "2.0")

    assert without == first[:2] == second[:2]
    assert len({*first, *second}) == 4


def test_a_file_of_cells_says_what_made_it(tmp_path: Path) -> None:
    result = run(tmp_path / "kept", variants=["sliding", ctxlab.Variant("h", {"token-limiter.head_share": 0.5})])

    frame = pd.read_parquet(tmp_path / "kept" / "cells.parquet")
    made = frame.attrs[ATTRS]["made_of"]
    assert made == result.made_of == result.frame().attrs[ATTRS]["made_of"]
    assert made["variants"] == {"sliding": {}, "h": {"settings": {"token-limiter.head_share": 0.5}}}
    assert (made["budgets"], made["budget_of"], made["scorers"]) == ([60, 200], "prompt", {"kept": "1"})
    assert made["ctxlab"] and len(made["code"]) == len(made["data"]) == 32
    table = ctxlab.study_table(frame, "share_kept")
    assert table.notes[-1] == (
        f"Made with ctxlab {made['ctxlab']} (code {made['code'][:12]}) from data {made['data'][:12]}."
    )


def test_the_hash_of_the_data_is_that_of_the_cases_in_any_order() -> None:
    def data(given: Any) -> str:
        return run(source=given, variants=["sliding"], budgets=(60,)).made_of["data"]

    several = list(cases())

    assert data(several) == data(several[::-1]) == data(cases)
    assert data(several) != data([*several[:-1], replace(several[-1], question="Else?")])


def test_a_run_says_how_much_was_kept_and_builds_all_anew_where_it_is_told(tmp_path: Path) -> None:
    kept = tmp_path / "kept"

    runs = [run(kept, variants=["sliding"]), run(kept), run(kept), run(kept, anew=True)]

    assert [(result.reused, len(result) - result.reused) for result in runs] == [(0, 12), (12, 24), (36, 0), (0, 36)]
    assert runs[3].frame().equals(runs[2].frame())
    with pytest.raises(WrongArgument, match="give path"):
        run(anew=True)


def test_cases_without_the_agent_that_their_messages_name_are_told(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Answer in French."}, {"role": "user", "content": "Tea?"}]
    library = ctxlab.read_data(messages)
    case = ctxlab.Case("a", "a", library.pick())
    agent = library.agent()

    def notes(source: ctxlab.Case, **options: Any) -> tuple[str, ...]:
        return ctxlab.Study([source], ["sliding"], options=options).run(progress=False).notes

    (note,) = notes(case)
    assert note.startswith(f"1 case names the agent {agent.id!r}, which is not at hand")
    assert notes(case, agent=agent) == notes(replace(case, options={"library": library})) == ()
    assert notes(replace(case, session=session(1))) == ()
    (told,) = ctxlab.build(library.pick()).result.notes
    assert "its presets and tools aren't sent; pass agent=" in told.text


def test_a_scorer_that_had_nothing_to_score_says_what_it_goes_by() -> None:
    found = [ctxlab.Case("a", "a", session(1), must_keep=("la",))]

    notes = ctxlab.Study(found, ["sliding"], scorers=["must-keep", "evidence"]).run(progress=False).notes

    assert [note.partition(":")[0] for note in notes] == ["scorer 'evidence' has no score in any cell"]
    assert "names as labels" in notes[0]


def test_a_record_is_the_same_for_the_same_functions_and_another_for_others_of_their_name() -> None:
    def change(kind: str) -> Callable[[ctxlab.Case], ctxlab.Case]:
        def own(case: ctxlab.Case) -> ctxlab.Case:
            return replace(case, kind=kind)

        return own

    def made(kind: str) -> dict[str, Any]:
        variants = [ctxlab.Variant("sliding", {}, change=change(kind))]
        return dict(run(source=list(cases())[:1], variants=variants, budgets=(60,)).made_of)

    first, second = made("a"), made("b")

    assert first == made("a")
    assert {name for name in first if first[name] != second[name]} == {"functions"}
