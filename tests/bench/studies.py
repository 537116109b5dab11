"""What a study costs beside a plain loop that shares what it can, and in a folder, by several processes."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import ctxlab
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.pipeline import BudgetTooSmall
from ctxlab.studies.study import StudyPlan, run_study
from ctxlab.studies.study.case_builds import before_failure
from ctxlab.testing import generated_session

STRATEGIES = ("sliding", "head-and-tail", "whole-exchanges", "middle-out", "block")
BUDGETS = (512, 1_024, 2_048, 4_096, 8_192)
CONVERSATIONS, QUESTIONS, MESSAGES = 10, 40, 400
CELLS = CONVERSATIONS * QUESTIONS * len(STRATEGIES) * len(BUDGETS)
COUNTER = tokenizer_named("chars4+4")
RUNS = ("local 1", "local 2", "dask 2")


def cases() -> Iterator[ctxlab.Case]:
    for talk in range(CONVERSATIONS):
        session = ctxlab.read_data(generated_session(MESSAGES, seed=talk)).pick()
        for i in range(QUESTIONS):
            yield ctxlab.Case(f"c{talk}q{i}", f"c{talk}", session, question=f"What did we say about the plan {i}?")


def plan() -> StudyPlan:
    return StudyPlan.of(ctxlab.build, STRATEGIES, budgets=BUDGETS, tokenizer=COUNTER)


def loop() -> int:
    """Tokens of every cell, each a rerun of one build a case."""
    total = 0
    for case in cases():
        try:
            base = ctxlab.build(case.session, pending=case.question, budget_tokens=1, tokenizer=COUNTER)
        except BudgetTooSmall as problem:
            assert problem.trace is not None
            base = before_failure(problem.trace)
        for strategy in STRATEGIES:
            for budget in BUDGETS:
                settings = {"token-limiter.strategy": strategy, "token-limiter.budget_tokens": budget}
                total += base.rerun(settings).tokens
    return total


def study_run(backend: str, processes: int) -> None:
    """Run the study in a fresh folder, and print CPU seconds of all processes, seconds, and the most memory in MB."""
    wall = perf_counter()
    with TemporaryDirectory() as folder:
        kind = "dask" if backend == "dask" else "local"
        run_study(plan(), cases, path=folder, backend=kind, processes=processes, progress=False)
    if processes > 1 and kind == "local":
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    print(cpu, perf_counter() - wall, used[0].ru_maxrss / 1024)


def main() -> None:
    for _ in zip(range(2), cases(), strict=False):  # what is loaded once
        pass
    started, wall = process_time(), perf_counter()
    loop()
    plain, plain_wall = process_time() - started, perf_counter() - wall
    print(f"\n| a study of {CELLS:,} cells | CPU | beside the loop | time | memory |\n|---|--:|--:|--:|--:|")
    print(f"| a loop of reruns | {plain:.1f} s | 1.00x | {plain_wall:.1f} s | |")
    for name in RUNS:
        code = f"from tests.bench import studies; studies.study_run({name.split()[0]!r}, {int(name.split()[1])})"
        cpu, seconds, megabytes = map(float, subprocess.check_output([sys.executable, "-c", code], text=True).split())
        print(f"| {name} | {cpu:.1f} s | {cpu / plain:.2f}x | {seconds:.1f} s | {megabytes:.0f} MB |")


if __name__ == "__main__":
    main()
