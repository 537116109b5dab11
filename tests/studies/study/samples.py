"""Cases, scorers and builds for tests of studies; importable, so that other processes find them too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import ctxlab
from ctxlab.studies.study import ScoredRun, StudyPlan, run_study
from ctxlab.studies.study.study_result import StudyResult

VARIANTS = ("sliding", "head-and-tail", "block")
BUDGETS = (60, 200)


def session(conversation: int, messages: int = 24) -> ctxlab.Session:
    found = ctxlab.Session(id=f"s{conversation}", name=f"chat {conversation}")
    for i in range(messages):
        text = f"Message {i} of chat {conversation} says so: " + "la " * (i % 7)
        found = found.append(text, role=("user", "assistant")[i % 2], id=f"m{i}")
    return found


def cases(conversations: int = 3, questions: int = 2) -> Iterator[ctxlab.Case]:
    for c in range(conversations):
        talk = session(c)
        for q in range(questions):
            yield ctxlab.Case(
                f"c{c}q{q}",
                f"c{c}",
                talk,
                question=f"What of {q}?",
                evidence=(f"m{q + 3}",),
                kind="fact",
                labels={"age": q, "topic": "la"},
            )


@dataclass(frozen=True)
class KeptShare:
    """The share of messages that is sent."""

    name: str = "kept"
    version: str = "1"
    columns: tuple[ctxlab.ScoreColumn, ...] = (
        ctxlab.ScoreColumn("share_kept", "share kept", "share", "higher"),
        ctxlab.ScoreColumn("first", "first message", "text"),
        ctxlab.ScoreColumn("longest", "longest message in tokens", "tokens"),
    )

    def score(self, run: ScoredRun) -> Mapping[str, Any]:
        drafts = run.trace.result.drafts
        count = run.trace.services.tokenizer.count_draft
        return {
            "share_kept": len(drafts) / (len(run.case.session.path()) + 1),
            "first": drafts[0].key,
            "longest": max(map(count, drafts)),
        }


def plan(**changes: Any) -> StudyPlan:
    options: dict[str, Any] = {
        "variants": VARIANTS,
        "budgets": BUDGETS,
        "scorers": [KeptShare()],
        "tokenizer": "chars4+4",
        **changes,
    }
    return StudyPlan.of(options.pop("build", ctxlab.build), options.pop("variants"), **options)


def run(path: Any = None, source: Any = cases, **changes: Any) -> StudyResult:
    """A small study: 6 cases, 3 strategies, 2 budgets; batches of about ten cells."""
    runs = {name: changes.pop(name) for name in ("backend", "processes", "address", "anew") if name in changes}
    return run_study(plan(**changes), source, path=path, progress=False, cells_a_batch=10, **runs)


many_cases = partial(cases, 12, 2)
