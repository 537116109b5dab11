"""Cases of a study's file: conversations as they are, or questions with labelled evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ctxlab.documents import Library
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.cases import retention_cases
from ctxlab.studies.cases.labelled_cases import LabelledCases
from ctxlab.studies.study.batches import CaseSource
from ctxlab.studies.study.case import Case
from ctxlab.studies.study.study_file_table import file_at, files_at
from ctxlab.studies.study.survey_cases import SurveyCases
from ctxlab.studies.toml_table import TomlTable

OF_QUESTIONS = ("labels", "conversations", "every", "whole_conversations")
KINDS = ("conversations", "questions")
WHOLE = "conversation"
"""The kind of a case that is a whole conversation, among questions."""


def cases_of_file(table: TomlTable) -> CaseSource:
    """The cases that a file names; raises BrokenFile for keys of questions where it has conversations."""
    files = [str(each) for each in files_at(table, "files")]
    if table.choice("kind", KINDS) == "conversations":
        wrong = next((key for key in OF_QUESTIONS if key in table.data), None)
        if wrong is not None:
            raise table.wrong(wrong, 'is for kind = "questions"')
        missing = next((name for name in files if not Path(name).exists()), None)
        if missing is not None:
            raise table.wrong("files", f"names {missing}, which does not exist")
        return SurveyCases(files, group=_group(table))
    if "group" in table.data:
        raise table.wrong("group", 'is for kind = "conversations"')
    labels = str(file_at(table, "labels")) if "labels" in table.data else None
    if len(files) != 1 and labels is None:
        raise table.wrong("files", f'names {len(files)} files; kind = "questions" without labels takes one')
    source = files[0] if len(files) == 1 else _library(files)
    found = retention_cases(source, labels=labels)
    named = table.row("conversations", str, [])
    every = table.value("every", int, 1)
    if every < 1:
        raise table.wrong("every", f"takes a number from 1 on, not {every}")
    return QuestionCases(found.of(named) if named else found, every, whole=table.switch("whole_conversations"))


def _group(table: TomlTable) -> re.Pattern[str] | None:
    """The pattern with one group that names what a case belongs to; raises BrokenFile for any other."""
    source = table.value("group", str, None)
    if source is None:
        return None
    try:
        pattern = re.compile(source)
    except (re.error, RecursionError, OverflowError) as problem:
        raise table.wrong("group", f"is no pattern: {problem}") from None
    if pattern.groups != 1:
        raise table.wrong("group", f"takes a pattern with one group in round brackets, this has {pattern.groups}")
    return pattern


@dataclass(frozen=True, slots=True, eq=False)
class QuestionCases:
    """Every so many of the questions of each conversation, and with `whole` each conversation as a case of its own."""

    found: LabelledCases
    every: int = 1
    whole: bool = False

    def __iter__(self) -> Iterator[Case]:
        for name in self.found.conversations:
            cases = [case for case in self.found if case.conversation == name]
            if self.whole:
                yield Case(f"{name}/{WHOLE}", name, cases[0].session, kind=WHOLE)
            yield from cases[:: self.every]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def notes(self) -> tuple[str, ...]:
        return self.found.notes

    def left_out_counts(self) -> dict[str, int]:
        """Questions that were left out, by reason."""
        skipped = len(self.found) - sum(case.kind != WHOLE for case in self)
        sample = {f"not every {self.every}th of its conversation": skipped} if skipped else {}
        return {**self.found.left_out_counts(), **sample}


def _library(files: list[str]) -> Any:
    from ctxlab import formats

    return Library(sessions=tuple([session for path in files for session in formats.read(path).sessions]))
