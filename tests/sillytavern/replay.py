"""Replay recorded cases: python -m tests.sillytavern.replay FOLDER [NAME ...] [--show] [--json FILE]

The folder `own` stands for the cases that are kept beside this file (`own_cases`, `recorded`).
Each case becomes a data folder of the program; each of its turns is built from that folder with `ctxlab.sillytavern`
and compared with what was sent. The reply that was recorded, and what the turn left, go into the folder for the next.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ctxlab
from tests.sillytavern.accepted import rule_for
from tests.sillytavern.case_folder import Case, WrittenFolder
from tests.sillytavern.comparison import VERDICTS, Message, Verdict, difference, verdict_on
from tests.sillytavern.own_cases import OWN_CASES
from tests.sillytavern.own_recordings import NotRecorded, written

TURN_KEYS = frozenset(("do", "send", "reply", "replies", "prompt", "who", "skip", "loud", "oai", "speakers", "draws"))
"""Keys of a turn: its kind, what is typed, what came back; `oai` are settings that are changed before it, `speakers`
those of a group who spoke, which the program drew where it says `draws`."""
KINDS = {"normal", "swipe", "regenerate", "continue", "impersonate", "quiet"}
OWN = "own"
"""What is given in the place of a folder for our own cases."""
REPLY = "The loft is dry."
"""What the recorder answered where a turn says nothing."""


@dataclass(slots=True)
class TurnResult:
    """A turn beside what was sent; `lines` are the difference, `rule` names the one that accepts it."""

    case: Case
    number: int
    verdict: Verdict
    lines: list[str] = field(default_factory=list[str])
    rule: str = ""
    notes: list[str] = field(default_factory=list[str])

    @property
    def key(self) -> str:
        return f"{self.case.name}#{self.number}" if self.number else self.case.name

    def as_data(self) -> dict[str, Any]:
        return {"topic": self.case.topic, "verdict": self.verdict, "rule": self.rule, "diff": self.lines}


def replayed(case: Case) -> Iterator[TurnResult]:
    """The turns of a case that made a request, one after the other."""
    notes = list(case.notes())
    with tempfile.TemporaryDirectory() as path:
        replay = Replay(WrittenFolder.of(case, Path(path)))
        for number, (turn, requests) in enumerate(case.turns()):
            if not requests:
                notes.append(f"turn {number} made no request: {json.dumps(turn, ensure_ascii=False)[:80]}")
                continue
            result = replay.turn(number, turn, requests)
            result.notes[:0], notes = notes, []
            yield result


@dataclass(slots=True)
class Replay:
    """A case as it goes on: its data folder, and the lore that fired so far."""

    folder: WrittenFolder
    activations: Mapping[str, str] | None = None
    turns: int = 0

    def turn(self, number: int, turn: Mapping[str, Any], requests: Sequence[Sequence[Message]]) -> TurnResult:
        """One turn; in a group each member that replies makes a request, and the turn is as the worst of them."""
        case = self.folder.case
        self.turns += 1
        kind = "normal" if turn.get("do") in (None, "trigger") else str(turn.get("do"))
        worst = TurnResult(case, number, "equal")
        unknown = [key for key in turn if key not in TURN_KEYS]
        if unknown:
            worst.notes.append(f"turn {number} has keys that are not known here: {', '.join(unknown)}")
        if kind not in KINDS:
            return TurnResult(case, number, "not offered", [f"a turn of kind {kind!r}"], notes=worst.notes)
        self.folder.settings["oai_settings"].update(turn.get("oai", {}))
        for place, (speaker, sent) in enumerate(zip(self._speakers(turn), requests, strict=False)):
            text = self._typed(turn, kind) if place == 0 else None
            given = _reply(turn, place)
            # Of a turn of several the first writes anew, or goes on; the others reply to that.
            result = self._request(number, given, kind if place == 0 else "normal", text, speaker, sent)
            if VERDICTS.index(result.verdict) > VERDICTS.index(worst.verdict):
                result.notes[:0] = worst.notes
                worst = result
        return worst

    def _speakers(self, turn: Mapping[str, Any]) -> list[str | None]:
        """Those who reply, in order; None is the one whom ctxlab finds: in a group, where the program drew nothing."""
        if turn.get("who"):
            return [turn["who"]]
        if not turn.get("speakers"):
            return self.folder.members()
        is_drawn = turn.get("draws") or turn["do"] == "impersonate"
        return [None if place == 0 and not is_drawn else who for place, who in enumerate(turn["speakers"])]

    def _typed(self, turn: Mapping[str, Any], kind: str) -> str | None:
        """The text that goes with a turn; one that is typed for another kind stays where it is typed."""
        if kind == "quiet":
            return turn.get("prompt")
        return turn.get("send") if kind in ("normal", "continue") else None

    def _request(
        self,
        number: int,
        given: Any,
        kind: str,
        text: str | None,
        speaker: str | None,
        sent: Sequence[Message],
    ) -> TurnResult:
        folder, case = self.folder, self.folder.case
        folder.save()
        try:
            found = ctxlab.sillytavern(
                folder.path,
                chat=folder.chat,
                kind=kind,  # pyright: ignore[reportArgumentType]
                text=text,
                speaker=speaker,
                timestamp=case.clock,
                zone="UTC",
            )
            trace = found.build(**({} if self.activations is None else {"activations": self.activations}))
        except Exception as error:  # a ruler goes on, whatever a case does to what it measures
            return TurnResult(case, number, "error", [f"{type(error).__name__}: {error}"])
        self._go_on(found, trace, given, kind, speaker)
        built = trace.messages
        verdict, lines = verdict_on(sent, built), difference(sent, built)
        if verdict == "equal":
            return TurnResult(case, number, verdict)
        rule = rule_for(case, sent, built)
        if rule is not None:
            return TurnResult(case, number, "accepted", lines, rule.name)
        return TurnResult(case, number, verdict, lines)

    def _go_on(
        self,
        found: ctxlab.SillyTavernTurn,
        trace: ctxlab.Trace,
        given: Any,
        kind: str,
        speaker: str | None,
    ) -> None:
        """Put into the folder what the turn leaves there: the message that was sent, the reply, variables."""
        lines, stamp = self.folder.lines, self.folder.case.clock or "2026-10-02T19:00:00.000Z"
        typed = found.session.nodes.get(f"m{len(lines)}")
        if typed is not None:
            lines.append(_line(found.user.name, typed.content, stamp, is_user=True))
        reply = found.stored(given, role="assistant") if isinstance(given, str) else ""
        last = lines[-1] if len(lines) > 1 else None
        own = last is not None and not last.get("is_user")
        if kind == "regenerate" and self.folder.case.is_group:
            while len(lines) > 1 and not lines[-1].get("is_user"):
                lines.pop()
        if kind == "normal" or (kind == "regenerate" and self.folder.case.is_group):
            lines.append(_line(speaker or found.agent.name, reply, stamp, is_user=False))
            lines[-1]["extra"] = {"gen_id": self.turns}
        elif kind in ("swipe", "regenerate", "continue") and own and last is not None:
            text = (
                found.stored(last["mes"] + self._postfix() + given, role="assistant") if kind == "continue" else reply
            )
            earlier = last.get("swipes") or [last["mes"]] if kind == "swipe" else []
            lines[-1] = {**last, "mes": text, "swipes": [*earlier, text], "swipe_id": len(earlier)}
        self.activations = trace.activations
        self.folder.metadata["variables"] = dict(trace.variables.session)
        self.folder.settings["extension_settings"]["variables"] = {"global": dict(trace.variables.everywhere)}

    def _postfix(self) -> str:
        """What the program puts between a message and its continuation."""
        return str(self.folder.settings["oai_settings"].get("continue_postfix", " "))


def _reply(turn: Mapping[str, Any], place: int) -> Any:
    """What came back for the request at a place of the turn."""
    replies = turn.get("replies") or [turn.get("reply", REPLY)]
    return replies[place] if place < len(replies) else REPLY


def _line(name: str, text: str, stamp: str, *, is_user: bool) -> dict[str, Any]:
    return {"name": name, "is_user": is_user, "is_system": False, "send_date": stamp, "mes": text, "extra": {}}


def replay_all(folder: Path, names: Sequence[str] = ()) -> Iterator[TurnResult]:
    """The turns of the cases in a folder, of all or of some."""
    wanted = names or sorted(path.parent.name for path in folder.glob("*/sent.json"))
    for name in wanted:
        try:
            yield from replayed(Case.at(folder / name))
        except Exception as error:  # a ruler goes on, whatever is wrong with a case
            broken = Case(folder / name, {})
            yield TurnResult(broken, 0, "error", [f"{type(error).__name__}: {error}"])


def replay_own(names: Sequence[str] = ()) -> Iterator[TurnResult]:
    """The turns of our own cases, of all or of those whose names begin so."""
    with tempfile.TemporaryDirectory() as folder:
        for case in OWN_CASES:
            if not names or case.name.startswith(tuple(names)):
                try:
                    written(case, Path(folder) / case.name)
                except NotRecorded as error:
                    yield TurnResult(Case(Path(folder) / case.name, {}), 0, "error", [str(error)])
                    continue
                yield from replay_all(Path(folder), [case.name])


def sums(results: Sequence[TurnResult]) -> Iterator[str]:
    """The number of turns by verdict: for each topic, then in all."""
    topics = sorted({result.case.topic for result in results})
    for topic in (*topics, ""):
        those = [result for result in results if topic in ("", result.case.topic)]
        counts = Counter(result.verdict for result in those)
        told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        yield f"{topic or 'all':<10} {len(those):>4} turns: {told}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sillytavern.replay", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--show", action="store_true", help="print the differences")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results into a file")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    results: list[TurnResult] = []
    for result in replay_own(given.names) if str(given.folder) == OWN else replay_all(given.folder, given.names):
        results.append(result)
        print(f"{result.verdict:<12} {result.key}{f' ({result.rule})' if result.rule else ''}")
        if given.show:
            print("".join(f"    {line}\n" for line in (*result.notes, *result.lines)), end="")
    print(*sums(results), sep="\n")
    if given.json is not None:
        data = {result.key: result.as_data() for result in results}
        given.json.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
