"""Cases with labelled evidence from a file, whichever of the data sets it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import plain
from ctxlab.documents import Library, Session
from ctxlab.errors import WrongArgument
from ctxlab.formats import Archive, Source, read, read_data, read_source
from ctxlab.formats.decode import source_at
from ctxlab.formats.results import Loss
from ctxlab.studies.cases.beam import beam_cases, beam_folders
from ctxlab.studies.cases.bfcl_memory import bfcl_memory_cases, holds_memory_set
from ctxlab.studies.cases.labelled_cases import LabelledCases, LeftOut
from ctxlab.studies.cases.labelled_questions import question_cases
from ctxlab.studies.cases.locomo import is_locomo, locomo_cases
from ctxlab.studies.study.case import Case

CaseSource = Annotated[
    str | os.PathLike[str] | Library, "a path of a file with conversations and questions, or a library that was read"
]
Labels = Annotated[
    str | os.PathLike[str] | Sequence[Mapping[str, Any]] | None, "a path of a JSON file of questions, or their list"
]
NOTES = 3
"""Losses that are named; the others are counted."""
FORM = '{"sessions": [...], "questions": [{"session", "question", "evidence", "kind"}]}'


@checked_arguments
def retention_cases(source: CaseSource, labels: Labels = None) -> LabelledCases:
    """Questions with the messages that their answers need, from a file of conversations; what is left out is named.

    A file of LoCoMo or a folder with it, a folder of BEAM's conversations (`chat.json` by `probing_questions/`), the
    wheel of bfcl-eval or its folder (the memory set), and
    `{"sessions": [...], "questions": [{"session", "question", "evidence", "kind"}]}` bring their questions. For other
    conversations, such as MemoryBank's, `labels` is a list of such questions or its file; `person` is as good as
    `session` there. Raises WrongArgument for a file without questions, and for `labels` where it brings its own.
    """
    if isinstance(source, Library):
        return _of_sessions(source.sessions, labels, "the library")
    name = os.fspath(source)
    path = Path(name).expanduser()
    title = path.name
    if path.is_dir() and not holds_memory_set(path):
        if folders := beam_folders(path):
            _refuse_labels(labels, title)
            found = list(beam_cases(folders))
            of_cases = (each for each in found if not isinstance(each, Loss))
            return _cases(title, of_cases, [each for each in found if isinstance(each, Loss)])
        folder = read(path)
        return _of_sessions(folder.sessions, labels, title, folder.losses)
    found = None if path.is_dir() else source_at(path, name)
    if found is None or isinstance(found.data, Archive):
        _refuse_labels(labels, title)
        return _cases(title, bfcl_memory_cases(path, name))
    own = _own_form(found)
    if own is not None:
        _refuse_labels(labels, title)
        bare = read_data(own["sessions"], source=name)
        return _cases(title, question_cases(bare.sessions, own["questions"], name=name), bare.losses)
    library = read_source(found)
    return _of_sessions(library.sessions, labels, title, library.losses)


def _own_form(source: Source) -> Mapping[str, Any] | None:
    data = source.data
    if isinstance(data, dict) and {"sessions", "questions"} <= cast("dict[str, Any]", data).keys():
        return cast("Mapping[str, Any]", data)
    return None


def _of_sessions(sessions: Sequence[Session], labels: Labels, name: str, losses: Sequence[Loss] = ()) -> LabelledCases:
    with_questions = [session for session in sessions if is_locomo(session)]
    if with_questions:
        _refuse_labels(labels, name)
    elif labels is not None:
        return _cases(name, question_cases(sessions, _labels(labels), name=name), losses)
    else:
        raise WrongArgument(
            f"{name} has conversations and no questions: pass labels=, a list of objects with session, question and "
            f"evidence (ids of messages), or a file of the form {FORM}"
        )
    return _cases(name, (each for session in with_questions for each in locomo_cases(session)))


def _refuse_labels(labels: Labels, name: str) -> None:
    if labels is not None:
        raise WrongArgument(f"{name} brings its own questions, so it takes no labels; leave them out")


def _labels(labels: Any) -> object:
    if isinstance(labels, str | os.PathLike):
        name = os.fspath(cast("str | os.PathLike[str]", labels))
        return source_at(Path(name).expanduser(), name).data
    return labels


def _cases(name: str, found: Iterable[Case | LeftOut], losses: Sequence[Loss] = ()) -> LabelledCases:
    each = list(found)
    cases = tuple(case for case in each if isinstance(case, Case))
    out = tuple(out for out in each if isinstance(out, LeftOut))
    return LabelledCases(name, cases, out, _notes(name, losses))


def _notes(name: str, losses: Sequence[Loss]) -> tuple[str, ...]:
    """Losses of a file: the first ones, and the number of the others."""
    shown = [f"{name}: {plain(str(loss), 200)}" for loss in losses[:NOTES]]
    more = len(losses) - NOTES
    return (*shown, *([f"{name}: {more:,} more losses; ctxlab.read(path).losses has all"] if more > 0 else []))
