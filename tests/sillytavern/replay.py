"""Replay recorded cases: python -m tests.sillytavern.replay FOLDER [NAME ...] [--show] [--json FILE]

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

KINDS = {"normal", "swipe", "regenerate", "continue", "impersonate", "quiet"}
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

    def turn(self, number: int, turn: Mapping[str, Any], requests: Sequence[Sequence[Message]]) -> TurnResult:
        """One turn; in a group each member that replies makes a request, and the turn is as the worst of them."""
        case = self.folder.case
        kind = "normal" if turn.get("do") in (None, "trigger") else str(turn.get("do"))
        worst = TurnResult(case, number, "equal")
        unknown = [
            key for key in turn if key not in ("do", "send", "reply", "replies", "prompt", "who", "skip", "loud")
        ]
        if unknown:
            worst.notes.append(f"turn {number} has keys that are not known here: {', '.join(unknown)}")
        if kind not in KINDS:
            return TurnResult(case, number, "not offered", [f"a turn of kind {kind!r}"], notes=worst.notes)
        members = [turn["who"]] if turn.get("who") else self.folder.members()
        for speaker, sent in zip(members, requests, strict=False):
            text = self._typed(turn, kind) if speaker == members[0] else None
            result = self._request(number, turn, kind, text, speaker, sent)
            if VERDICTS.index(result.verdict) > VERDICTS.index(worst.verdict):
                result.notes[:0] = worst.notes
                worst = result
        return worst

    def _typed(self, turn: Mapping[str, Any], kind: str) -> str | None:
        """The text that goes with a turn; one that is typed for another kind stays where it is typed."""
        if kind == "quiet":
            return turn.get("prompt")
        return turn.get("send") if kind in ("normal", "continue") else None

    def _request(
        self,
        number: int,
        turn: Mapping[str, Any],
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
        self._go_on(found, trace, turn, kind, speaker)
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
        turn: Mapping[str, Any],
        kind: str,
        speaker: str | None,
    ) -> None:
        """Put into the folder what the turn leaves there: the message that was sent, the reply, variables."""
        lines, stamp = self.folder.lines, self.folder.case.clock or "2026-10-02T19:00:00.000Z"
        typed = found.session.nodes.get(f"m{len(lines)}")
        if typed is not None:
            lines.append(_line(found.user.name, typed.content, stamp, is_user=True))
        given = turn.get("reply", (turn.get("replies") or [REPLY])[0])
        reply = found.stored(given, role="assistant") if isinstance(given, str) else ""
        last = lines[-1] if len(lines) > 1 else None
        own = last is not None and not last.get("is_user")
        if kind == "normal":
            lines.append(_line(speaker or found.agent.name, reply, stamp, is_user=False))
        elif kind in ("swipe", "regenerate", "continue") and own and last is not None:
            text = (
                found.stored(last["mes"] + self._postfix() + given, role="assistant") if kind == "continue" else reply
            )
            lines[-1] = {**last, "mes": text, "swipes": [text], "swipe_id": 0}
        self.activations = trace.activations
        self.folder.metadata["variables"] = dict(trace.variables.session)
        self.folder.settings["extension_settings"]["variables"] = {"global": dict(trace.variables.everywhere)}

    def _postfix(self) -> str:
        """What the program puts between a message and its continuation."""
        return str(self.folder.settings["oai_settings"].get("continue_postfix", " "))


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
    for result in replay_all(given.folder, given.names):
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
