"""Cases of sessions and a list of questions with labelled evidence: MemoryBank's, and those of one's own files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.documents import Session
from ctxlab.errors import BrokenFile
from ctxlab.studies.cases.labelled_cases import LeftOut
from ctxlab.studies.study.case import Case

NO_SESSION = "its session isn't there"
NO_TEXT = "it has no text"
NO_EVIDENCE = "no evidence is named"
DANGLING = "evidence is named that is no message before it"


def question_cases(sessions: Iterable[Session], questions: object, *, name: str) -> Iterator[Case | LeftOut]:
    """A case for each question: `session` (or `person`), `question`, `evidence`, `kind`, `must_keep`, `leaf`, `id`.

    `evidence` and `must_keep` are lists of texts or one text, `leaf` is the message after which it is put. Raises
    BrokenFile where the questions are no list.
    """
    if not isinstance(questions, Sequence) or isinstance(questions, str):
        raise BrokenFile(f"the questions of {name} are {type(questions).__name__}, not a list of objects")
    by_id = {session.id: session for session in sessions}
    paths = _Paths()
    for number, question in enumerate(cast("Sequence[object]", questions)):
        if not isinstance(question, Mapping):
            yield LeftOut("", f"questions[{number}]", f"it is {type(question).__name__}, no object")
            continue
        yield _case(cast("Mapping[str, Any]", question), number, by_id, paths)


class _Paths:
    """Ids of the messages on the ways to leaves, each walked once."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str | None], frozenset[str]] = {}

    def ids(self, session: Session, leaf: str | None) -> frozenset[str]:
        key = (id(session), leaf)
        if key not in self._found:
            self._found[key] = frozenset(node.id for node in session.walk(leaf).nodes)
        return self._found[key]


def _case(question: Mapping[str, Any], number: int, by_id: Mapping[str, Session], paths: _Paths) -> Case | LeftOut:
    wanted = str(question.get("session", question.get("person", "")))
    text, leaf = question.get("question"), question.get("leaf")
    session = by_id.get(wanted.strip()) or (next(iter(by_id.values())) if not wanted and len(by_id) == 1 else None)
    if session is None:
        return LeftOut(wanted, short(str(text)), NO_SESSION)
    if not isinstance(text, str) or not text.strip():
        return LeftOut(session.id, f"questions[{number}]", NO_TEXT)
    leaf = leaf if isinstance(leaf, str) else None
    evidence, must_keep = _texts(question.get("evidence")), _texts(question.get("must_keep"))
    if not evidence and not must_keep:
        return LeftOut(session.id, text, NO_EVIDENCE)
    if not paths.ids(session, leaf).issuperset(evidence):
        return LeftOut(session.id, text, DANGLING)
    return Case(
        id=str(question.get("id") or f"{session.id}/{number}"),
        conversation=session.id,
        session=session,
        question=text,
        leaf=leaf,
        evidence=evidence,
        must_keep=must_keep,
        kind=str(question.get("kind") or ""),
    )


def _texts(stored: object) -> tuple[str, ...]:
    if isinstance(stored, str):
        return (stored,)
    if not isinstance(stored, Sequence):
        return ()
    return tuple(dict.fromkeys(str(each) for each in cast("Sequence[object]", stored)))
