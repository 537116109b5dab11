"""The head of a page as JSON: the sentence of the current run, and a chip for every run."""

from __future__ import annotations

from typing import Any

from ctxlab.context import PromptLimit
from ctxlab.display.one_line import plain
from ctxlab.pipeline import Trace
from ctxlab.studies.run_effect import ROWS
from ctxlab.studies.run_summary import run_summary
from ctxlab_widgets.run_history.runs import AS_OPENED, Run, Runs

SHOWN = 6
"""Messages of each kind that a card names; the rest is counted."""


def head_json(runs: Runs, cache: dict[Run, dict[str, Any]]) -> dict[str, Any]:
    """Everything that the head draws. `cache` keeps the chips, which don't change."""
    trace = runs.current.trace
    places = _places(runs)
    return {
        "title": plain(trace.start.input.session.name or trace.start.input.session.id, 60),
        "about": _about(trace),
        "summary": run_summary(trace).as_data(),
        "runs": [
            {**_chip(runs, run, cache), "column": places[run.name][0], "row": places[run.name][1]} for run in runs
        ],
        "current": runs.current.name,
        "undo": runs.current.name if runs.undone is not None else None,
        "redo": runs.redone.name if runs.redone is not None else None,
    }


def _about(trace: Trace) -> str:
    build_input = trace.start.input
    parts = (
        build_input.agent.name or build_input.agent.id if build_input.agent else "no agent",
        (build_input.model.name or build_input.model.id) if build_input.model else "",
        build_input.user.name or build_input.user.id if build_input.user else "",
        f"leaf {build_input.leaf_id}" if build_input.leaf_id is not None else "",
    )
    return ", ".join([plain(part, 30) for part in parts if part])


def _chip(runs: Runs, run: Run, cache: dict[Run, dict[str, Any]]) -> dict[str, Any]:
    held = cache.get(run)
    if held is None:
        limit = run.trace.result.report(PromptLimit)
        effect, stopped = runs.effect(run), run.trace.stopped_at
        held = cache[run] = {
            "name": run.name,
            "parent": run.parent,
            "sub": AS_OPENED if run.parent is None or effect is None else "",
            "tokens": run.trace.tokens,
            "of": limit.budget_tokens if limit is not None else None,
            "messages": len(run.trace.result.drafts),
            "failed": f"stops at {stopped}: nothing is sent" if stopped is not None else "",
            "effect": None if effect is None else _effect(effect.as_data()),
            "python": run.own_python(),
        }
    return held


def _effect(effect: dict[str, Any]) -> dict[str, Any]:
    """The effect with messages of one name and one reason in one row, and at most so many rows of each kind.

    Such are the places of a preset that stands at several depths.
    """
    for name in ROWS:
        rows = _joined(effect[name])
        if len(rows) > SHOWN + 1:
            rest = rows[SHOWN:]
            messages = sum(row["messages"] for row in rest)
            tokens = sum(row["tokens"] for row in rest)
            last = {"key": "", "name": f"{len(rest):,} more", "tokens": tokens, "why": "", "messages": messages}
            rows = [*rows[:SHOWN], last]
        effect[name] = rows
    return effect


def _joined(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        held = found.setdefault((row["name"], row["why"]), {**row, "tokens": 0, "messages": 0})
        held["tokens"] += row["tokens"]
        held["messages"] += 1
    return list(found.values())


def _places(runs: Runs) -> dict[str, tuple[int, int]]:
    """Column and row of each chip: the first that was made from a run stands beside it, later ones in a row below."""
    places: dict[str, tuple[int, int]] = {}
    taken: set[str] = set()
    rows = 0
    for run in runs:
        if run.parent is None or run.parent not in places:
            places[run.name] = (0, rows)
        elif run.parent not in taken:
            column, row = places[run.parent]
            places[run.name] = (column + 1, row)
        else:
            rows += 1
            places[run.name] = (places[run.parent][0] + 1, rows)
        if run.parent is not None:
            taken.add(run.parent)
    return places
