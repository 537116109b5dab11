"""Answers of ctxlab to the cases of the suite in `conformance/`, by which other programs measure themselves.

A case is JSON: `topic` says what is done, `input` with what. An answer is JSON of the same topic, in words of the
suite's own README, so that no name of a class or a step of ctxlab is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ctxlab.errors import CtxlabError

Json = Mapping[str, Any]
Answer = dict[str, Any]
TOPICS = ("messages", "drops", "budgets", "lore", "rules", "macros", "payloads")
"""The topics of cases."""

__all__ = ["TOPICS", "answer"]


def answer(case: Json) -> Answer:
    """Our answer to a case, as the suite's README defines it for the case's topic; raises CtxlabError for others."""
    made = _answerers().get(case.get("topic", ""))
    if made is None:
        raise CtxlabError(f"topic {case.get('topic')!r} is none of {', '.join(TOPICS)}")
    return made(case["input"])


def _answerers() -> Mapping[str, Callable[[Json], Answer]]:
    from ctxlab.testing.conformance.built import built
    from ctxlab.testing.conformance.lore import decided
    from ctxlab.testing.conformance.payloads import payload_of
    from ctxlab.testing.conformance.texts import expanded, replaced

    builds = dict.fromkeys(("messages", "drops", "budgets"), built)
    return {**builds, "lore": decided, "rules": replaced, "macros": expanded, "payloads": payload_of}
