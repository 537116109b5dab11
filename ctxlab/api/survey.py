"""Surveys: many conversations as they are, cut in several ways at several budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from ctxlab.api.build import build
from ctxlab.api.sources import FilePath
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.progress import ProgressOption
from ctxlab.documents import Library, Session
from ctxlab.pipeline.services import TokenCounter
from ctxlab.studies.study import StudyPlan, StudyResult, run_study
from ctxlab.studies.study.survey_cases import SurveyCases, sources_of
from ctxlab.studies.study.usable_strategies import usable_strategies

BUDGETS = (2_048, 8_192, 32_768)


@checked_arguments
def survey(
    sessions: Session | Library | FilePath | Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    strategies: Sequence[str] = (),
    budgets: Sequence[int | None] = BUDGETS,
    tokenizer: str | TokenCounter | None = None,
    options: Mapping[str, Any] | None = None,
    path: FilePath | None = None,
    backend: Literal["local", "dask"] = "local",
    processes: int = 1,
    address: str | None = None,
    anew: bool = False,
    progress: ProgressOption = True,
) -> StudyResult:
    """Every conversation cut by every strategy at every budget: one frame, and a figure by `figure()`.

    `sessions` are sessions, libraries and paths of files or folders; a file is read when its turn comes, and one that
    can't be read is a row with an error, as is a budget that is too small. Without `strategies` it is every one that
    needs nothing that is not installed; `notes` say which were left out. The rest is as in `ctxlab.Study`.
    """
    usable = usable_strategies(build, strategies)
    plan = StudyPlan.of(build, usable.names, budgets=budgets, tokenizer=tokenizer, options=options)
    return run_study(
        plan,
        SurveyCases(sources_of(sessions)),
        path=None if path is None else str(path),
        backend=backend,
        processes=processes,
        address=address,
        anew=anew,
        progress=progress,
        notes=usable.notes,
    )
