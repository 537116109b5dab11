"""Cases of BEAM: questions of ten abilities about long conversations, with the messages that answer them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ctxlab.documents import Session
from ctxlab.formats import read
from ctxlab.formats.decode import source_at
from ctxlab.formats.results import Loss
from ctxlab.studies.cases.labelled_cases import LeftOut
from ctxlab.studies.study.case import Case

CHAT = "chat.json"
QUESTIONS = Path("probing_questions", "probing_questions.json")
ABSTENTION = "abstention"
UNANSWERABLE = "abstention: the conversation doesn't hold the answer"
NO_EVIDENCE = "no evidence is named"
DANGLING = "evidence is named that is no message of the conversation"


def beam_folders(folder: Path) -> list[Path]:
    """The folders of BEAM's conversations that have their questions beside them, by size and number."""
    found = [file.parents[1] for file in folder.rglob(QUESTIONS.name) if file.parent.name == QUESTIONS.parent.name]
    return sorted((each for each in found if (each / CHAT).is_file()), key=_order)


def _order(folder: Path) -> tuple[str, int, str]:
    return str(folder.parent), int(folder.name) if folder.name.isdigit() else 0, folder.name


def beam_cases(folders: Iterable[Path]) -> Iterator[Case | LeftOut | Loss]:
    """The questions of each conversation, why one is left out, and what of a file could not be read."""
    for folder in folders:
        chat = read(folder / CHAT)
        session = chat.pick()
        yield from (loss.inside(session.id) for loss in chat.losses)
        asked = source_at(folder / QUESTIONS, str(folder / QUESTIONS)).data
        if not isinstance(asked, dict):
            yield Loss(f"{session.id}/{QUESTIONS}", "no questions by ability; the conversation has no cases")
            continue
        for ability, questions in cast("dict[str, Any]", asked).items():
            listed = cast("list[Any]", questions) if isinstance(questions, list) else [questions]
            for number, question in enumerate(listed):
                yield _case(session, ability, number, question)


def _case(session: Session, ability: str, number: int, question: Any) -> Case | LeftOut:
    about = cast("Mapping[str, Any]", question) if isinstance(question, Mapping) else {}
    text = str(about.get("question") or "")
    evidence = tuple(dict.fromkeys(_ids(about.get("source_chat_ids"))))
    reason = (
        UNANSWERABLE
        if ability == ABSTENTION
        else NO_EVIDENCE
        if not evidence or not text
        else None
        if all(each in session.nodes for each in evidence)
        else DANGLING
    )
    if reason is not None:
        return LeftOut(session.id, text or f"{ability}[{number}]", reason)
    difficulty = about.get("difficulty")
    return Case(
        id=f"{session.id}/{ability}/{number}",
        conversation=session.id,
        session=session,
        question=text,
        evidence=evidence,
        kind=ability.replace("_", "-"),
        labels={"difficulty": difficulty} if isinstance(difficulty, str) else {},
    )


def _ids(stored: Any) -> Iterator[str]:
    """Ids of messages: numbers, lists of them, or lists by what they state."""
    if isinstance(stored, Mapping):
        stored = list(cast("Mapping[str, Any]", stored).values())
    if isinstance(stored, list):
        for each in cast("list[Any]", stored):
            yield from _ids(each)
    elif stored is not None and not isinstance(stored, bool):
        yield str(stored)
