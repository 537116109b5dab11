"""Fixes as a run can take them: a step that is off is switched on too, and one that isn't there offers none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.pipeline import Pipeline
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.problem import Fix, Problem


def loss_for_run(loss: RequestLoss, pipeline: Pipeline) -> RequestLoss:
    """The loss with a fix that does something in this run, or with none."""
    if loss.fix is None or not loss.fix.settings:
        return loss
    return replace(loss, fix=fix_for_run(loss.fix, pipeline))


def problem_for_run(problem: Problem, pipeline: Pipeline) -> Problem:
    """The problem with those of its fixes that do something in this run."""
    if not any(fix.settings for fix in problem.fixes):
        return problem
    fixes = [fix_for_run(fix, pipeline) for fix in problem.fixes]
    return replace(problem, fixes=tuple([fix for fix in fixes if fix is not None]))


def fix_for_run(fix: Fix, pipeline: Pipeline) -> Fix | None:
    """The fix with the steps switched on whose settings it changes; None where the run has no such step."""
    settings: dict[str, Any] = {}
    for name, value in fix.settings.items():
        step, _, setting = name.rpartition(".")
        stage = next((stage for stage in pipeline.stages if stage.is_called(step)), None)
        if stage is None:
            return None
        settings[name] = value
        if not stage.enabled and setting != "enabled":
            settings.setdefault(f"{step}.enabled", True)
    return replace(fix, settings=FrozenDict(settings)) if settings != dict(fix.settings) else fix
