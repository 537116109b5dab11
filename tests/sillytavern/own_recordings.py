"""What the program sent for our own cases, a file a topic; a message that was sent often is in it once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.sillytavern.case_folder import as_bytes, json_of
from tests.sillytavern.comparison import Message
from tests.sillytavern.own_cases import OWN_CASES, OwnCase

RECORDED = Path(__file__).parent / "recorded"
PROGRAM = "SillyTavern 1.19.0"


class NotRecorded(Exception):
    """A case has another input than when it was recorded, or was never; the message says what to do."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """The messages of the requests that a turn made, and in a group who spoke, in order."""

    requests: tuple[tuple[Message, ...], ...]
    speakers: tuple[str, ...] = ()


def keep(case: OwnCase, turns: Sequence[RecordedTurn], folder: Path = RECORDED) -> None:
    """Put the turns of a case into the file of its topic, in the place of earlier ones."""
    all_of_topic = {**_turns_of(case.topic, folder), case.name: (inputs_of(case), tuple(turns))}
    known = {each.name for each in OWN_CASES}
    messages: dict[str, int] = {}
    cases = {
        name: {
            "inputs": inputs,
            "turns": [
                {
                    **({"speakers": list(turn.speakers)} if turn.speakers else {}),
                    "requests": [
                        [messages.setdefault(_line(message), len(messages)) for message in request]
                        for request in turn.requests
                    ],
                }
                for turn in those
            ],
        }
        for name, (inputs, those) in sorted(all_of_topic.items())
        if name in known
    }
    rows = ",\n".join(f"{_line(name)}: {_line(each)}" for name, each in cases.items())
    lines = ",\n".join(messages)
    text = f'{{"program": "{PROGRAM}",\n"messages": [\n{lines}\n],\n"cases": {{\n{rows}\n}}}}\n'
    folder.mkdir(exist_ok=True)
    _file(case.topic, folder).write_text(text, encoding="utf-8")


def written(case: OwnCase, at: Path, folder: Path = RECORDED) -> Path:
    """The folder of a case with what was sent; raises NotRecorded."""
    inputs, turns = _turns_of(case.topic, folder).get(case.name, ("", ()))
    if inputs != inputs_of(case):
        raise NotRecorded(
            f"{case.name} isn't recorded as it is now: run python -m tests.sillytavern.record {case.name}"
        )
    case.write(at)
    told = [
        {
            "turn": {**asked, **({"speakers": list(turn.speakers)} if turn.speakers else {})},
            "requests": [{"messages": list(request)} for request in turn.requests],
        }
        for asked, turn in zip(case.turns, turns, strict=True)
    ]
    (at / "sent.json").write_bytes(as_bytes({"program": PROGRAM, "turns": told}))
    return at


def is_recorded(case: OwnCase, folder: Path = RECORDED) -> bool:
    return _turns_of(case.topic, folder).get(case.name, ("", ()))[0] == inputs_of(case)


def inputs_of(case: OwnCase) -> str:
    """A hash of everything that the case gives to the program."""
    parts = {name: getattr(case, name) for name in case.__dataclass_fields__}
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:12]


def _turns_of(topic: str, folder: Path) -> dict[str, tuple[str, tuple[RecordedTurn, ...]]]:
    if not _file(topic, folder).exists():
        return {}
    data = json_of(_file(topic, folder))
    return {name: (each["inputs"], tuple(_turns(each, data["messages"]))) for name, each in data["cases"].items()}


def _turns(case: Mapping[str, Any], messages: Sequence[Message]) -> Iterator[RecordedTurn]:
    for turn in case["turns"]:
        requests = tuple(tuple(messages[number] for number in request) for request in turn["requests"])
        yield RecordedTurn(requests, tuple(turn.get("speakers", ())))


def _file(topic: str, folder: Path) -> Path:
    return folder / f"{topic}.json"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
