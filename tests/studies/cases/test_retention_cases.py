"""Cases with labelled evidence: which there are, what is left out, and the setting in which they are built."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ctxlab
from ctxlab.context import Draft, Origin, Text
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.errors import ReadError, WrongArgument, WrongSetting
from ctxlab.studies.cases import ORACLE, RETENTION, LabelledCases, retention_cases
from ctxlab.studies.study import Case, ScoredRun, Variant
from tests.studies.straight_retention import head_and_tail, newest_first, quarter_of_characters, retention

ROOT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared")) / "data"
LOCOMO = SHARED / "locomo" / "locomo_first5.json"
MEMORYBANK = SHARED / "memorybank" / "memory_bank_cn.json"
BUDGETS = (512, 1024, 2048, 4096, 8192)
PLAIN = ["sliding", "head-and-tail", "middle-out", "block"]
CUTS = {"sliding": newest_first, "head-and-tail": head_and_tail}
needs_locomo = pytest.mark.skipif(not LOCOMO.exists(), reason=f"{LOCOMO} isn't there")


def kept(cases: Sequence[Case], *strategies: str | Variant, budgets: Sequence[int] = (100_000,)) -> pd.DataFrame:
    """The rows of a study in the setting of retention; no history passes its budget."""
    study = ctxlab.Study(cases, strategies, budgets, scorers=["evidence", history_tokens], **RETENTION.study_options())
    frame = study.run(progress=False).frame()
    assert frame["error"].isna().all()
    assert (frame["history_tokens"] <= frame["budget"]).all()
    return frame


def history_tokens(run: ScoredRun) -> float:
    question = quarter_of_characters(run.case.question or "")
    return run.trace.tokens - question


def locomo(**question: Any) -> Any:
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a boat."},
        {"speaker": "Bob", "dia_id": "D1:2", "text": "Look!", "img_url": ["http://x/y.png"], "blip_caption": "a pier"},
    ]
    talk = {"speaker_a": "Ann", "speaker_b": "Bob", "session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    asked = {"question": "What did Ann buy?", "answer": "a boat", "evidence": ["D1:1"], "category": 4, **question}
    return {"sample_id": "c1", "conversation": talk, "qa": [asked]}


def written(path: Path, data: object) -> Path:
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


# --- LoCoMo


def test_a_picture_turn_is_words_and_no_file(tmp_path: Path) -> None:
    (case,) = retention_cases(written(tmp_path / "l.json", [locomo()]))

    node = case.session.node("D1:2")

    assert node.content == "Look! [shared an image: a pier]"
    assert not node.attachments
    assert (case.kind, case.evidence, case.conversation) == ("single-hop", ("D1:1",), "c1")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"category": 5}, "adversarial"),
        ({"evidence": ["D1:1", "D9:9"]}, "no message of the conversation"),
        ({"evidence": ["D"]}, "no message of the conversation"),
        ({"evidence": []}, "no evidence"),
    ],
)
def test_what_is_no_case_is_left_out_with_its_reason(tmp_path: Path, question: Any, reason: str) -> None:
    cases = retention_cases(written(tmp_path / "l.json", [locomo(**question)]))

    assert len(cases) == 0
    assert len(cases.left_out) == 1
    assert reason in cases.left_out_lines()[0]
    assert "1 left out" in repr(cases)


@needs_locomo
def test_locomo_has_its_questions_but_for_those_without_answers_and_evidence() -> None:
    cases = retention_cases(LOCOMO)

    assert (len(cases), len(cases.conversations)) == (757, 5)
    assert sorted(cases.left_out_counts().values()) == [2, 3, 237]
    assert set(cases.kinds) == {"multi-hop", "temporal", "open-domain", "single-hop"}


def same_as_the_straight_script(cases: LabelledCases, file: Path) -> None:
    frame = kept(cases.cases, *CUTS, budgets=BUDGETS)
    order = [case.id for case in cases]
    for (strategy, budget), rows in frame.groupby(["variant", "budget"]):
        scores = rows.set_index("case")["all_evidence"][order]
        assert list(scores) == retention(file, CUTS[strategy], budget, quarter_of_characters)


@needs_locomo
def test_plain_cuts_of_a_conversation_keep_what_a_straight_script_keeps(tmp_path: Path) -> None:
    sample = json.loads(LOCOMO.read_text())[1]
    sample["qa"] = sample["qa"][::8]
    file = written(tmp_path / "one.json", [sample])

    same_as_the_straight_script(retention_cases(file), file)


@needs_locomo
@pytest.mark.slow
def test_plain_cuts_of_all_conversations_keep_what_a_straight_script_keeps(tmp_path: Path) -> None:
    samples = json.loads(LOCOMO.read_text())
    for sample in samples:
        sample["qa"] = sample["qa"][::4]
    file = written(tmp_path / "all.json", samples)

    same_as_the_straight_script(retention_cases(file), file)


# --- BEAM


def beam(folder: Path, questions: Any) -> Path:
    turn = [
        {"role": "user", "id": 0, "content": "I bought a boat. ->-> 1,1"},
        {"role": "assistant", "id": 1, "content": "!"},
    ]
    (folder / "probing_questions").mkdir(parents=True)
    written(folder / "chat.json", [{"batch_number": 1, "time_anchor": "March-15-2024", "turns": [turn]}])
    written(folder / "probing_questions/probing_questions.json", questions)
    return folder


def test_beam_has_cases_by_ability_with_the_messages_that_answer(tmp_path: Path) -> None:
    asked = {"question": "What did I buy?", "difficulty": "easy", "source_chat_ids": {"first": [0], "second": [[1, 0]]}}
    beam(tmp_path / "100K/10", {"knowledge_update": [asked]})
    beam(tmp_path / "100K/2", {"knowledge_update": [{**asked, "source_chat_ids": [1]}]})

    found = retention_cases(tmp_path)

    assert found.notes == ()
    assert [(case.id, case.conversation, case.kind, case.evidence, case.labels) for case in found] == [
        ("100K-2/knowledge_update/0", "100K-2", "knowledge-update", ("1",), {"difficulty": "easy"}),
        ("100K-10/knowledge_update/0", "100K-10", "knowledge-update", ("0", "1"), {"difficulty": "easy"}),
    ]


def test_beams_questions_without_evidence_are_left_out_by_reason(tmp_path: Path) -> None:
    one = {"question": "What?", "source_chat_ids": [0]}
    dangling, bare = {**one, "source_chat_ids": [7]}, {"question": "Where?"}
    beam(tmp_path / "1", {"abstention": [one], "summarization": [one, dangling, bare, "none"]})

    found = retention_cases(tmp_path)

    assert [case.id.split("/")[1:] for case in found] == [["summarization", "0"]]
    assert found.left_out_counts() == {
        "no evidence is named": 2,
        "abstention: the conversation doesn't hold the answer": 1,
        "evidence is named that is no message of the conversation": 1,
    }


# --- other sources


def test_questions_of_ones_own_name_sessions_and_evidence(tmp_path: Path) -> None:
    session = ctxlab.Session(id="s").append("My cat is Momo.", id="a").append("A fine name.", role="assistant", id="b")
    stored = json.loads(ctxlab.write(session, tmp_path / "s.json").data)
    questions = [
        {"session": "s", "question": "What is my cat called?", "evidence": "a", "kind": "name", "must_keep": ["Momo"]},
        {"session": "s", "question": "And my dog?", "evidence": ["z"]},
        {"session": "t", "question": "Who?", "evidence": ["a"]},
        {"session": "s", "question": " ", "evidence": ["a"]},
        {"session": "s", "question": "Why?"},
        "nonsense",
    ]

    cases = retention_cases(written(tmp_path / "own.json", {"sessions": stored, "questions": questions}))

    (case,) = cases
    assert (case.evidence, case.kind, case.must_keep, case.session.id) == (("a",), "name", ("Momo",), "s")
    assert len(cases.left_out) == 5
    assert len(cases.left_out_counts()) == 5


def test_labels_of_what_brings_its_own_questions_are_refused(tmp_path: Path) -> None:
    stored = json.loads(ctxlab.write(ctxlab.Session(id="s").append("Hi", id="a"), tmp_path / "s.json").data)
    labels = [{"session": "s", "question": "Hi?", "evidence": ["a"]}]
    own = [
        written(tmp_path / "l.json", [locomo()]),
        written(tmp_path / "own.json", {"sessions": stored, "questions": labels}),
        memory_set(tmp_path / "set"),
    ]

    for each in own:
        assert len(retention_cases(each)) == 1
        with pytest.raises(WrongArgument, match=f"{each.name} brings its own questions"):
            retention_cases(each, labels)


def test_conversations_without_questions_say_how_to_bring_some(tmp_path: Path) -> None:
    ctxlab.write(ctxlab.Session(id="s").append("Hi"), tmp_path / "s.json")

    with pytest.raises(WrongArgument, match="labels="):
        retention_cases(tmp_path / "s.json")
    labels = [{"session": "s", "question": "Hi?", "evidence": [next(iter(ctxlab.load(tmp_path / "s.json").nodes))]}]
    assert len(retention_cases(tmp_path / "s.json", labels)) == 1
    assert len(retention_cases(ctxlab.read(tmp_path / "s.json"), labels)) == 1


@pytest.mark.skipif(not MEMORYBANK.exists(), reason=f"{MEMORYBANK} isn't there")
def test_the_labels_of_memorybank_are_messages_of_it() -> None:
    cases = retention_cases(MEMORYBANK, ROOT / "datasets" / "memorybank_cn_questions.json")

    assert len(cases) >= 150
    assert not cases.left_out
    assert (kept(cases.cases[:1], "sliding")["all_evidence"] == 1).all()


def memory_set(folder: Path) -> Path:
    talks = folder / "data" / "memory_prereq_conversation"
    talks.mkdir(parents=True)
    (folder / "data" / "possible_answer").mkdir()
    turns = [[{"role": "user", "content": "I grow roses on my balcony in Oslo."}], [{"role": "user", "content": "Hm."}]]
    line = {"id": "memory_prereq_0-home-0", "topic": "t", "question": turns, "scenario": "home"}
    written(talks / "memory_home.json", json.dumps(line))
    asked = [{"id": f"m{n}", "question": [[{"content": "Where?"}]], "scenario": "home"} for n in range(2)]
    written(folder / "data" / "BFCL_v4_memory.json", "\n".join(map(json.dumps, asked)))
    sources = ["I grow roses ... my balcony in Oslo", "I have a yacht in Nice"]
    answers = [{"id": f"m{n}", "ground_truth": ["Oslo"], "source": source} for n, source in enumerate(sources)]
    written(folder / "data" / "possible_answer" / "BFCL_v4_memory.json", "\n".join(map(json.dumps, answers)))
    return folder


def test_what_an_answer_quotes_is_its_evidence(tmp_path: Path) -> None:
    cases = retention_cases(memory_set(tmp_path))

    (case,) = cases
    assert (case.evidence, case.must_keep) == (("T1:1",), ("re:(?i)Oslo",))
    assert "rest on" in cases.left_out[0].reason


def test_a_folder_without_the_memory_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="without a file that is read"):
        retention_cases(tmp_path)


def test_every_question_of_bfcl_evals_memory_set_has_evidence() -> None:
    package = find_spec("bfcl_eval")
    if package is None or package.origin is None:
        pytest.skip("bfcl_eval isn't installed")

    cases = retention_cases(Path(package.origin).parent)

    assert (len(cases), len(cases.conversations), cases.left_out) == (155, 5, ())
    assert (kept(cases.cases[::40], "sliding")["all_evidence"] == 1).all()


# --- the setting


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [("chars4+4", "hello", 6), ("chars4+4", "", 5), ("o200k_base", "hello world", 2), ("o200k_base+4", "hello", 5)],
)
def test_a_message_costs_its_text_and_its_speaker_nothing(name: str, text: str, tokens: int) -> None:
    origin = Origin("node", "a")
    draft = Draft("node:a", "user", (Text.of(text, origin),), origin, speaker="Somebody")

    assert tokenizer_named(RETENTION.with_tokenizer(name).tokenizer).count_draft(draft) == tokens


@pytest.mark.parametrize("name", ["o200k", "chars4+x", "o200k_base+", "+4", "o200k_base+٤"])
def test_another_name_of_a_tokenizer_is_refused(name: str) -> None:
    with pytest.raises(WrongSetting, match=re.escape(f"no tokenizer {name!r}")):
        RETENTION.with_tokenizer(name)


def test_the_question_comes_on_top_of_the_budget() -> None:
    session = ctxlab.Session(id="s").append("word " * 100).append("yes", role="assistant", id="yes")
    case = Case("c", "s", session, "A question longer than the budget?" * 9, evidence=("yes",))

    (row,) = kept([case], "sliding", budgets=[5]).itertuples()

    assert (row.messages, row.all_evidence, row.history_tokens) == (2, 1, 5)


@pytest.mark.parametrize("budget", [20, 40, 80])
def test_the_oracle_keeps_at_least_what_any_plain_cut_keeps(budget: int) -> None:
    session = ctxlab.Session(id="s")
    for n in range(12):
        session = session.append(f"{n} " + "word " * (n % 5), role=("user", "assistant")[n % 2], id=f"m{n}")
    case = Case("c", "s", session, "?", evidence=("m1", "m4", "m8"))

    frame = kept([case], ORACLE, *PLAIN, budgets=[budget]).set_index("variant")

    assert frame.loc["oracle", "share_of_evidence"] >= frame.loc[PLAIN, "share_of_evidence"].max()


def test_the_file_on_the_page_of_the_study_is_its_setting(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "truncation_study.md").read_text(encoding="utf-8")
    found = re.search(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    text = re.sub(r"^conversations = .*\n", "", found[1], flags=re.MULTILINE).replace(
        "512, 1024, 2048, 4096, 8192", "300"
    )
    questions = ROOT / "datasets" / "studies" / "bundled_questions.json"
    talk = ROOT / "datasets" / "research_tree.session.json"
    text = (
        text.replace('"locomo10.json"', f"'{talk}'\nlabels = '{questions}'")
        .replace('"embeddings", ', "")
        .replace('"hybrid", ', "")
    )
    (tmp_path / "study.toml").write_text(text)
    named = re.findall(r'"([a-z0-9-]+)"', text[text.index("variants") : text.index("[cases]")])

    twin = ctxlab.Study.from_file(tmp_path / "study.toml").run(progress=False).frame()

    cases = retention_cases(ctxlab.read(talk), questions)
    own = (
        ctxlab.Study(cases, named, [300], scorers=["evidence"], **RETENTION.study_options()).run(progress=False).frame()
    )
    assert {"sliding", "head-and-tail"} < set(named)
    pd.testing.assert_frame_equal(twin, own)
    assert f"{RETENTION.study_options()['options']['settings']}".count(".enabled") == text.count(".enabled = false")
