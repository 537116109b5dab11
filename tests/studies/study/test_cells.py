"""Each cell of a study is a build of its own, and what can't be built or scored is a row that says why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

import ctxlab
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError, UnknownName, WrongArgument
from ctxlab.studies.study import BrokenCase, ScoredRun, Variant
from ctxlab.studies.study.case_builds import CaseBuilds
from tests.studies.study.samples import BUDGETS, VARIANTS, KeptShare, cases, plan, run, session

COUNTER = tokenizer_named("chars4+4")
STRATEGY = "token-limiter.strategy"


def without_the_first(case: ctxlab.Case) -> ctxlab.Case:
    return replace(case, question=f"{case.question} And then?")


MANY_VARIANTS = (
    *VARIANTS,
    Variant("plain", {}),
    Variant("unmerged", {"merge-consecutive.enabled": False, STRATEGY: "middle-out"}),
    Variant("with an agent", {STRATEGY: "block"}, options={"agent": ctxlab.Agent(id="a", name="A")}),
    Variant("with the same agent", {}, options={"agent": ctxlab.Agent(id="a", name="A")}),
    Variant("asked otherwise", {STRATEGY: "block"}, change=without_the_first),
)


@pytest.mark.parametrize("budgets", [BUDGETS, (None,), (None, 60), (5,)])
def test_a_cell_is_the_build_of_its_case(budgets: tuple[int | None, ...]) -> None:
    study = plan(variants=MANY_VARIANTS, budgets=budgets, seeds=(0, 7))
    case = replace(next(cases()), options={"settings": {"request-gate.enabled": False}, "timestamp": "2026-05-04"})
    builds = CaseBuilds(study, case)

    for cell in study.cells():
        given = builds.case_of(cell.variant)
        settings = {"request-gate.enabled": False, **cell.variant.settings}
        alone = partial(
            ctxlab.build,
            given.session,
            pending=given.question,
            settings=settings,
            budget_tokens=cell.budget,
            seed=cell.seed,
            tokenizer=COUNTER,
            timestamp="2026-05-04",
            **cell.variant.options,
        )

        assert outcome(partial(builds.trace, cell)) == outcome(alone)


def outcome(made: Any) -> Any:
    """Messages, tokens, drops and notes of a run; the error of one that fails."""
    try:
        trace = made()
    except CtxlabError as problem:
        return type(problem), str(problem)
    dropped = [(group.cause, [draft.key for draft in group.drafts]) for group in trace.result.dropped]
    return list(trace.messages), trace.tokens, dropped, [note.text for note in trace.result.notes]


def test_variants_with_equal_options_share_one_build_up_to_the_limiter() -> None:
    built: list[Any] = []

    def build(*arguments: Any, **options: Any) -> Any:
        built.append(options)
        return ctxlab.build(*arguments, **options)

    run(build=build, variants=MANY_VARIANTS)

    assert len(built) == 6 * 3


@pytest.mark.parametrize("strategy", VARIANTS)
def test_a_budget_of_the_history_comes_on_top_of_what_must_stay(strategy: str) -> None:
    agent = ctxlab.Agent.model_validate(
        {"id": "a", "name": "A", "presetMessages": [{"role": "system", "content": "Be short. " * 30}]}
    )
    study = plan(variants=[strategy], budgets=(1, 100), budget_of="history", options={"agent": agent})
    case = next(cases())
    builds = CaseBuilds(study, case)

    for cell in study.cells():
        report = builds.trace(cell).result.report(BudgetReport)
        assert report is not None and report.protected_tokens > 60
        assert report.history_tokens + report.left_tokens == cell.budget


def test_rows_are_sorted_and_have_labels_and_scores() -> None:
    frame = run().frame()

    assert list(frame.columns) == [
        *("case", "conversation", "kind", "variant", "settings", "budget", "seed", "age", "topic"),
        *("tokens", "messages", "cut_messages", "error", "share_kept", "first", "longest"),
    ]
    assert len(frame) == 6 * 3 * 2
    key = ["conversation", "case", "variant", "budget", "seed"]
    assert frame[key].equals(frame.sort_values(key, ignore_index=True)[key])
    assert {str(frame[name].dtype) for name in ("budget", "age", "tokens", "longest")} == {"int64"}
    assert (frame["tokens"] <= frame["budget"]).all()
    assert frame["share_kept"].between(0, 1).all()


@dataclass(frozen=True)
class Wrong(KeptShare):
    """A scorer that gives what it may not."""

    gives: Any = None

    def score(self, run: ScoredRun) -> Mapping[str, Any]:
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives


@pytest.mark.parametrize(
    ("gives", "sentence"),
    [
        (KeyError("m9"), "scorer 'kept' failed: KeyError: 'm9'"),
        (
            {"share": 1},
            "it gave 'share', which is none of its columns (share_kept, first, longest)",
        ),
        ({"share_kept": 1.5}, "it gave 1.5 for 'share_kept', which is a share: a number from 0 to 1"),
        ({"longest": "x"}, "scorer 'kept' failed: ValueError: "),
    ],
)
def test_a_scorer_that_fails_is_a_row_with_its_sentence(gives: Any, sentence: str) -> None:
    frame = run(scorers=[Wrong(gives=gives)]).frame()

    assert len(frame) == 36
    assert all(sentence in error for error in frame["error"])
    assert frame["share_kept"].isna().all()
    assert frame["tokens"].notna().all()


def test_what_has_no_score_is_missing() -> None:
    frame = run(scorers=[Wrong(gives={"share_kept": float("nan"), "longest": None})]).frame()

    assert frame["share_kept"].isna().all() and frame["longest"].isna().all() and frame["error"].isna().all()
    assert str(frame["share_kept"].dtype) == "float64"


def test_cases_that_fail_are_rows() -> None:
    def source() -> Iterator[Any]:
        yield ctxlab.Case("no such leaf", "a", session(0), leaf="m99")
        yield BrokenCase("no file", "b", "nowhere.json does not exist")
        yield ctxlab.Case("wrong option", "c", session(0), options={"budget_tokens": 3})
        yield ctxlab.Case("no such option", "d", session(0), options={"budgets": 3})
        yield ctxlab.Case("sound", "e", session(0))

    result = run(source=source, budgets=(1, 200))
    errors = result.frame().set_index(["case", "budget"])["error"]

    assert "no node 'm99'" in errors["no such leaf", 200].iloc[0]
    assert set(errors["no file", 200]) == {"nowhere.json does not exist"}
    assert "which a study sets itself" in errors["wrong option", 200].iloc[0]
    assert "no argument is called 'budgets'" in errors["no such option", 1].iloc[0]
    assert errors["sound", 1].iloc[0].startswith("the budget is 1 tokens, and what must stay needs ")
    assert errors["sound", 200].isna().all()
    assert result.errors == 4 * 6 + 3
    assert result.trace("sound", "block", 1).stopped_at == "token-limiter"


def test_a_case_can_be_built_again_by_its_name() -> None:
    result = run()
    row = result.frame().query("case == 'c1q1' and variant == 'block' and budget == 200").iloc[0]

    assert result.trace("c1q1", "block", 200).tokens == row["tokens"]
    for wrong in (("c9", "block", 200), ("c1q1", "blok", 200), ("c1q1", "block", 201)):
        with pytest.raises(UnknownName, match="the study has no "):
            result.trace(*wrong)
    with pytest.raises(WrongArgument, match="could be read only once"):
        run(source=cases()).trace("c1q1", "block", 200)


@dataclass(frozen=True)
class Later(KeptShare):
    """Tokens of the prompts at two earlier messages."""

    def score(self, run: ScoredRun) -> Mapping[str, Any]:
        assert run.at("m4") is run.at("m4")
        return {"first": " ".join([str(run.at(leaf).tokens) for leaf in ("m4", "m8")])}


def test_without_a_budget_the_only_one_is_meant_and_of_several_one_is_asked_for() -> None:
    result = run()

    with pytest.raises(WrongArgument, match="several budgets: 60, 200; say which, as in budget=60"):
        result.trace("c1q1", "block")
    assert run(budgets=(60,)).trace("c1q1", "block").tokens == result.trace("c1q1", "block", 60).tokens


def test_a_scorer_sees_the_same_build_at_other_messages() -> None:
    result = run(scorers=[Later()], variants=["block"], budgets=(200,))
    alone = [ctxlab.build(session(0), leaf=leaf, budget_tokens=200, tokenizer=COUNTER).tokens for leaf in ("m4", "m8")]

    assert result.frame()["first"].iloc[0] == " ".join(map(str, alone))


def test_a_stream_is_read_a_batch_at_a_time() -> None:
    import gc
    from weakref import ref

    gc.freeze()  # what is there stays: only what comes is looked through
    alive: list[Any] = []
    most = 0

    def source() -> Iterator[ctxlab.Case]:
        nonlocal most
        for i in range(24):
            talk = session(i)
            alive.append(ref(talk))
            gc.collect()
            most = max(most, sum(each() is not None for each in alive))
            yield ctxlab.Case(str(i), str(i), talk)

    run(source=source, budgets=(1, 200))

    assert most <= 8


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (lambda: [*cases(), *cases()], "two cases are named 'c0q0'"),
        (lambda: [session(0)], r"cases\[0\] is a Session"),
        (lambda: [replace(case, labels={"tokens": 1}) for case in cases()], "has a label 'tokens'"),
        (lambda: [replace(case, labels={"share_kept": 1}) for case in cases()], "has a label 'share_kept'"),
    ],
)
def test_what_is_no_row_of_its_own_is_refused(source: Any, sentence: str) -> None:
    with pytest.raises(WrongArgument, match=sentence):
        run(source=source)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"variants": []}, "variants is empty"),
        ({"budgets": []}, "budgets is empty"),
        ({"budgets": (5, 5)}, "budgets names 5 twice"),
        ({"budgets": (0,)}, "budgets takes tokens from 1 on"),
        ({"seeds": (1, 1)}, "seeds names 1 twice"),
        ({"scorers": ["evidenc"]}, "there is no scorer 'evidenc'; did you mean 'evidence'"),
        ({"tokenizer": "chars4"}, "there is no tokenizer 'chars4'"),
        ({"options": {"seed": 3}}, "options has the option 'seed', which a study sets itself"),
        ({"variants": [Variant("a", {}, {"leaf": "x"})]}, "variant 'a' has the option 'leaf'"),
        ({"processes": 0}, "processes takes a number from 1 on"),
        ({"address": "tcp://127.0.0.1:1"}, 'give backend="dask" with it'),
    ],
)
def test_a_wrong_plan_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CtxlabError, match=sentence):
        run(**changes)


def test_a_result_says_what_it_rests_on() -> None:
    result = run()

    assert repr(result) == "StudyResult(36 cells of 6 cases in 3 conversations, 3 variants, tokens by chars4+4)"
    assert (len(result), result.cases, result.conversations, result.errors) == (36, 6, 3, 0)
    assert "share_kept" in result._repr_html_()
    assert len(result.figure().data) == 3
