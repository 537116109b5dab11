"""Run the suite: our own answers, or those of any program that reads a case's JSON on stdin and writes its answer's.

    python conformance/run.py                                   ctxlab
    python conformance/run.py --command "node mine.js"          a process a case
    python conformance/run.py --lines "node mine.js --lines"    one process, a case a line, an answer a line
    python conformance/run.py --topic lore --topic macros       some topics; --show 20 names so many failures

The exit code is 0 where every case that was answered passed, and 1 otherwise. With another program this file needs
Python alone. An answer `{"skipped": "why"}` is counted apart, and is no claim.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
Json = dict[str, Any]
Answerer = Callable[[Iterable[Json]], Iterator[Json]]


@dataclass
class Outcome:
    """The cases of a topic by what became of them; `failed` are ids with what was asked for and what came."""

    passed: int = 0
    skipped: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)


def cases_of(folder: Path = FOLDER, topics: Iterable[str] = ()) -> list[Json]:
    """All cases below a folder, or those of some topics, in the order of the files."""
    wanted = set(topics)
    files = sorted((folder / "cases").glob("*.json"))
    found = [case for path in files for case in json.loads(path.read_text("utf-8"))["cases"]]
    return [case for case in found if not wanted or case["topic"] in wanted]


def fits(expected: Any, got: Any) -> bool:
    """Whether a value is as it is asked for: numbers by value, lists in order, `$oneOf` any of several."""
    if isinstance(expected, dict):
        if set(expected) == {"$oneOf"}:
            return any(fits(each, got) for each in expected["$oneOf"])
        return (
            isinstance(got, dict)
            and expected.keys() == got.keys()
            and all(fits(v, got[k]) for k, v in expected.items())
        )
    if isinstance(expected, list):
        alike = isinstance(got, list) and len(got) == len(expected)
        return alike and all(fits(each, other) for each, other in zip(expected, got, strict=True))
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    return bool(expected == got)


def compared(case: Json, answer: Json) -> str:
    """What is wrong with an answer, as a sentence; empty where every field that the case asserts is as it says."""
    for name, expected in case["expect"].items():
        if name not in answer:
            return f"{name} is missing; the answer is {_short(answer)}"
        if not fits(expected, answer[name]):
            return f"{name} should be {_short(expected)}, and is {_short(answer[name])}"
    return ""


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}…"


def outcomes(cases: Iterable[Json], answerer: Answerer) -> dict[str, Outcome]:
    """The outcome of each topic."""
    found: dict[str, Outcome] = {}
    cases = list(cases)
    for case, answer in zip(cases, answerer(cases), strict=True):
        outcome = found.setdefault(case["topic"], Outcome())
        if "skipped" in answer:
            outcome.skipped += 1
        elif wrong := compared(case, answer):
            outcome.failed.append((case["id"], f"{case['says']} {wrong}"))
        else:
            outcome.passed += 1
    return found


def ours(cases: Iterable[Json]) -> Iterator[Json]:
    """ctxlab's answers."""
    from ctxlab.testing.conformance import answer

    for case in cases:
        yield json.loads(json.dumps(answer(case)))


def by_command(command: str) -> Answerer:
    """Answers of a command that is run once for each case."""

    def answers(cases: Iterable[Json]) -> Iterator[Json]:
        for case in cases:
            done = subprocess.run(
                shlex.split(command), input=question(case), capture_output=True, text=True, encoding="utf-8"
            )
            yield _read(done.stdout) if done.returncode == 0 else {"failure": done.stderr.strip()[-200:]}

    return answers


def by_lines(command: str) -> Answerer:
    """Answers of a command that is run once, and answers each line with one."""

    def answers(cases: Iterable[Json]) -> Iterator[Json]:
        with subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        ) as process:
            assert process.stdin and process.stdout
            for case in cases:
                try:
                    process.stdin.write(question(case) + "\n")
                    process.stdin.flush()
                    yield _read(process.stdout.readline())
                except BrokenPipeError:
                    yield {"failure": "the command has ended"}

    return answers


def question(case: Json) -> str:
    """What a program is told: the case without what is expected of it."""
    return json.dumps({name: value for name, value in case.items() if name != "expect"}, ensure_ascii=False)


def _read(text: str) -> Json:
    try:
        found = json.loads(text)
    except ValueError:
        return {"failure": f"this is no JSON: {text[:200]}"}
    return found if isinstance(found, dict) else {"failure": f"this is no object: {text[:200]}"}


def printed(found: dict[str, Outcome], show: int) -> str:
    """A row a topic, then the failures."""
    rows = [f"{'topic':<10} {'passed':>7} {'failed':>7} {'skipped':>8}"]
    total = Outcome()
    for name, outcome in found.items():
        rows.append(f"{name:<10} {outcome.passed:>7} {len(outcome.failed):>7} {outcome.skipped:>8}")
        total.passed, total.skipped = total.passed + outcome.passed, total.skipped + outcome.skipped
        total.failed += outcome.failed
    rows.append(f"{'all':<10} {total.passed:>7} {len(total.failed):>7} {total.skipped:>8}")
    rows += [f"\n{id}: {wrong}" for id, wrong in total.failed[:show]]
    more = len(total.failed) - show
    return "\n".join([*rows, *([f"\nand {more} more"] if more > 0 else [])])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where the suite is")
    parser.add_argument("--command", help="a command that reads a case on stdin and writes its answer on stdout")
    parser.add_argument("--lines", help="a command that reads a case a line and writes an answer a line")
    parser.add_argument("--topic", action="append", default=[], help="only this topic; may be given again")
    parser.add_argument("--show", type=int, default=10, help="failures to print, 10 by default")
    given = parser.parse_args(arguments)
    answerer = by_command(given.command) if given.command else by_lines(given.lines) if given.lines else ours
    found = outcomes(cases_of(given.folder, given.topic), answerer)
    print(printed(found, given.show))
    return 1 if not found or any(outcome.failed for outcome in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
