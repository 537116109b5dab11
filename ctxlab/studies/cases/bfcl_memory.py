"""Cases of the memory set of bfcl-eval: questions about what five users wrote in earlier conversations.

A scenario is one conversation: its talks in their order, with users' messages alone. An answer's `source` quotes what
it rests on; the messages that hold the quotation are the evidence, the answers are words that the prompt must keep.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import regex

from ctxlab.documents import Session
from ctxlab.errors import BrokenFile
from ctxlab.formats import Loss
from ctxlab.formats.files.zip_archive import members, opened
from ctxlab.formats.session_tree_builder import ROOT, Tree
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.cases.labelled_cases import LeftOut
from ctxlab.studies.study.case import Case

Data = Mapping[str, Any]

QUESTIONS = "data/BFCL_v4_memory.json"
ANSWERS = "data/possible_answer/BFCL_v4_memory.json"
TALKS = "data/memory_prereq_conversation/"
QUOTED = 0.75
"""Share of a quotation's pairs of neighbouring words that a message must hold; the quotations are a little reworded."""
UNQUOTED = "no message holds what its answer is said to rest on"
WORD = regex.compile(r"[\p{L}\p{N}]+")
PIECES = regex.compile(r"\.\.\.|…|:\s")
"""Between the pieces of a quotation: what it leaves out, and the day or topic that a note begins with."""


def bfcl_memory_cases(path: Path, name: str) -> Iterator[Case | LeftOut]:
    """The questions of a wheel of bfcl-eval, or of its unpacked folder; raises BrokenFile where the set isn't there."""
    files = _files(path, name)
    missing = next(
        (wanted for wanted in (QUESTIONS, ANSWERS, TALKS) if not any(wanted in file for file in files)), None
    )
    if missing is not None:
        raise BrokenFile(f"{name} has no {missing}: it is no wheel of bfcl-eval with the memory set")
    answers = {str(each.get("id")): each for each in _lines(files, ANSWERS)}
    scenarios = _scenarios(list(_lines(files, TALKS)))
    for question in _lines(files, QUESTIONS):
        scenario, text = scenarios.get(str(question.get("scenario"))), _first_text(question)
        if scenario is None or not text:
            yield LeftOut(str(question.get("scenario")), text, "its conversation isn't there")
            continue
        yield _case(str(question.get("id")), text, scenario, answers.get(str(question.get("id")), {}))


def holds_memory_set(folder: Path) -> bool:
    """Whether a folder is an unpacked wheel of bfcl-eval."""
    return any(QUESTIONS in file.as_posix() for file in folder.rglob(Path(QUESTIONS).name))


@dataclass(frozen=True, slots=True, eq=False)
class _Scenario:
    """A conversation, and the pairs of neighbouring words of each message by its id."""

    name: str
    session: Session
    pairs: Mapping[str, frozenset[tuple[str, str]]]


def _case(case_id: str, text: str, scenario: _Scenario, answer: Data) -> Case | LeftOut:
    evidence = tuple(_evidence(str(answer.get("source") or ""), scenario))
    if not evidence:
        return LeftOut(scenario.name, text, UNQUOTED)
    truths = answer.get("ground_truth")
    words = [str(each) for each in cast("Sequence[object]", truths)] if isinstance(truths, list) else []
    held = " ".join(scenario.session.node(each).content for each in evidence).casefold()
    said = [each for each in words if each.casefold() in held]
    pattern = "|".join(regex.escape(each) for each in said)
    return Case(
        id=case_id,
        conversation=scenario.name,
        session=scenario.session,
        question=text,
        evidence=evidence,
        must_keep=(f"re:(?i){pattern}",) if said else (),
        kind=scenario.name,
    )


def _evidence(source: str, scenario: _Scenario) -> Iterator[str]:
    """Ids of the messages that hold the pieces of a quotation; of equal ones the newest holds a piece."""
    found: set[str] = set()
    for piece in PIECES.split(source):
        wanted = _pairs(piece)
        shares = (
            [(len(wanted & pairs) / len(wanted), at, key) for at, (key, pairs) in enumerate(scenario.pairs.items())]
            if wanted
            else []
        )
        share, _, key = max(shares, default=(0.0, 0, ""))
        if share >= QUOTED:
            found.add(key)
    return (key for key in scenario.pairs if key in found)


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    words = [word.casefold() for word in WORD.findall(text)]
    return frozenset(pairwise(words))


# --- files


def _files(path: Path, name: str) -> dict[str, bytes]:
    def wanted(file: str) -> bool:
        return any(each in file for each in (QUESTIONS, ANSWERS, TALKS))

    if path.is_dir():
        inside = sorted(file for file in path.rglob("*.json") if wanted(file.as_posix()) and file.is_file())
        return {file.as_posix(): file.read_bytes() for file in inside}
    losses: list[Loss] = []
    with opened(path, name) as archive:
        return dict(members(archive, name, losses, wanted=wanted))


def _lines(files: Mapping[str, bytes], wanted: str) -> Iterator[Data]:
    for file in sorted(files):
        if wanted in file:
            for number, line in enumerate(files[file].splitlines(), start=1):
                if line.strip():
                    yield _object(line, f"{file}, line {number}")


def _object(line: bytes, place: str) -> Data:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise BrokenFile(f"{place} is no JSON") from None
    if not isinstance(value, dict):
        raise BrokenFile(f"{place} is {type(value).__name__}, no object")
    return cast("Data", value)


# --- conversations


def _scenarios(talks: Sequence[Data]) -> dict[str, _Scenario]:
    by_name: dict[str, list[Data]] = {}
    for talk in sorted(talks, key=_number):
        by_name.setdefault(str(talk.get("scenario")), []).append(talk)
    return {name: _scenario(name, those) for name, those in by_name.items()}


def _number(talk: Data) -> int:
    """The place of a talk among all, from an id such as `memory_prereq_10-healthcare-0`."""
    found = regex.match(r"memory_prereq_(\d{1,9})-", str(talk.get("id")))
    return int(found[1]) if found else 0


def _scenario(name: str, talks: Sequence[Data]) -> _Scenario:
    tree = Tree()
    leaf = ROOT
    for number, talk in enumerate(talks, start=1):
        for turn, text in enumerate(_texts(talk), start=1):
            about = {"bfcl": {"talk": number, "topic": str(talk.get("topic") or "")}}
            leaf = tree.add(f"T{number}:{turn}", leaf, {"role": "user", "content": text, "metadata": about})
    session = tree.session(name, leaf=leaf)
    pairs = {str(node.id): _pairs(node.content) for node in session.path() if node.content}
    return _Scenario(name, session, pairs)


def _texts(entry: Data) -> Iterator[str]:
    turns = entry.get("question")
    for turn in cast("list[object]", turns) if isinstance(turns, list) else []:
        for message in cast("list[object]", turn) if isinstance(turn, list) else []:
            content = cast("Data", message).get("content") if isinstance(message, Mapping) else None
            if isinstance(content, str):
                yield content


def _first_text(question: Data) -> str:
    return next(_texts(question), "")
