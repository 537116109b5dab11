"""What a study costs beside a plain loop that shares what it can, and in a folder, by several processes."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import ctxlab
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.pipeline import BudgetTooSmall
from ctxlab.studies.study import StudyPlan, run_study
from ctxlab.studies.study.case_builds import before_failure
from ctxlab.testing import generated_session
from tests.bench.memory import most_megabytes

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


def study_run(backend: str, processes: int, most_cases: int) -> None:
    """Run the study in a fresh folder, and print CPU seconds of all processes, seconds, and the most memory in MB."""
    wall = perf_counter()
    with TemporaryDirectory() as folder:
        kind = "dask" if backend == "dask" else "local"
        run_study(
            plan(), lambda: islice(cases(), most_cases), path=folder, backend=kind, processes=processes, progress=False
        )
    if processes > 1 and kind == "local":
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    print(cpu, perf_counter() - wall, most_megabytes())


def main() -> None:
    for _ in zip(range(2), cases(), strict=False):  # what is loaded once
        pass
    print(
        f"\n| a study of {CELLS:,} cells | loop of reruns, CPU | CPU | beside the loop | time | of it to start "
        "| beside the ideal, once begun | memory |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    )
    for name in RUNS:
        plain, plain_wall = loop_seconds()
        _, start, _ = in_another_process(name, most_cases=1)
        cpu, seconds, megabytes = in_another_process(name, most_cases=CONVERSATIONS * QUESTIONS)
        again, again_wall = loop_seconds()  # machines that are shared change their pace
        plain, ideal = (plain + again) / 2, (plain_wall + again_wall) / 2 / int(name.split()[1])
        print(
            f"| {name} | {plain:.1f} s | {cpu:.1f} s | {cpu / plain:.2f}x | {seconds:.1f} s | {start:.1f} s "
            f"| {(seconds - start) / ideal:.2f}x | {megabytes:.0f} MB |"
        )


def loop_seconds() -> tuple[float, float]:
    """CPU seconds and seconds of the plain loop."""
    cpu, wall = process_time(), perf_counter()
    loop()
    return process_time() - cpu, perf_counter() - wall


def in_another_process(name: str, *, most_cases: int) -> tuple[float, float, float]:
    """What `study_run` prints in a process of its own."""
    backend, processes = name.split()
    code = f"from tests.bench import studies; studies.study_run({backend!r}, {processes}, {most_cases})"
    cpu, seconds, megabytes = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    return float(cpu), float(seconds), float(megabytes)


if __name__ == "__main__":
    main()
