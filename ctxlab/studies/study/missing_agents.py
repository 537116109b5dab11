"""Cases whose messages name an agent that isn't at hand: they are built without its presets and tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import Library, Session
from ctxlab.studies.study.case import BrokenCase, Case
from ctxlab.studies.study.plan import StudyPlan

NAME = 60
BRINGS_AGENTS = ("agent", "agents", "library")
"""Options of a build that an agent can come with."""


class MissingAgents:
    """Counts the cases of a study that are built without the agent that their messages name."""

    def __init__(self, plan: StudyPlan) -> None:
        self._cases: Counter[str] = Counter()
        self._shared = [{**plan.options, **each.options} for each in plan.variants if each.change is None]

    def meet(self, case: Case | BrokenCase) -> None:
        """Look at a case of the study."""
        if not isinstance(case, Case) or not isinstance(case.session, Session):  # pyright: ignore[reportUnnecessaryIsInstance]
            return
        if any(not _has_agent({**shared, **case.options}) for shared in self._shared):
            named = named_agent(case.session, case.leaf)
            if named is not None:
                self._cases[named] += 1

    def notes(self) -> Iterator[str]:
        """A sentence for each agent that isn't there."""
        for name, cases in self._cases.items():
            verb = "names" if cases == 1 else "name"
            yield (
                f"{counted(cases, 'case')} {verb} the agent {plain(name, NAME)!r}, which is not at hand: its system "
                "prompt and its tools are in no prompt; give it, as in options={'agent': library.agent()}"
            )


def named_agent(session: Session, leaf: str | None = None) -> str | None:
    """The id of the agent that the leaf, or the nearest message above it, names."""
    at = leaf if leaf is not None else session.active_leaf_id
    if at is None or at not in session.nodes:
        return None
    return next((node.agent_id for node in reversed(session.path(at)) if node.agent_id), None)


def _has_agent(options: Mapping[str, Any]) -> bool:
    """Whether options bring an agent, or a file that may hold one."""
    given = [options[name] for name in BRINGS_AGENTS if options.get(name) is not None]
    return any(not isinstance(each, Library) or bool(each.agents) for each in given)
