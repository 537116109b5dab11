"""Scorers of a study: what each counts, and the columns that it fills."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from _ext.reference.markdown import code, page, plain, table
from ctxlab.studies.scorers import SCORERS
from ctxlab.studies.study_table.score_columns import OF_EVERY_STUDY

INTRO = """`scorers=["evidence", "must-keep"]` in Python and in a file. In their place a function of a scored run
that gives a number, or a scorer of a package of yours ([Writing a scorer](../extending/scorer.md)). A cell without a
value is in no mean. Every study has these columns besides:"""


def scorers() -> str:
    """The page."""
    own = table(["column", "what it holds", "unit", "better"], map(_column, OF_EVERY_STUDY.values()))
    return page("Scorers", INTRO, own, *(part for scorer in SCORERS for part in _of_scorer(scorer)))


def _of_scorer(scorer: Any) -> Iterator[str]:
    yield f"## {scorer.name}"
    yield from map(plain, (inspect.getdoc(type(scorer)) or "").split("\n\n"))
    yield table(["column", "what it holds", "unit", "better"], map(_column, scorer.columns))
    settings = [each for each in fields(scorer) if each.name not in ("name", "version")]
    if settings:
        given = ", ".join(f"{code(each.name)} ({code(each.default)})" for each in settings)
        yield f"Settings, with their defaults: {given}."


def _column(column: Any) -> list[str]:
    return [code(column.name), plain(column.title), column.unit, column.better or ""]
