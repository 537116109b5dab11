"""Lost rules against labels that were read by hand: precision and recall, of cases that were tuned on and of others.

`python -m tests.recordings.compressions.labelled` prints them; the real recordings are read where `CTXLAB_SHARED` is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ctxlab
from ctxlab.engines.compression import CheckedFact
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.compressions import RecordedCompression

DATA = Path(__file__).parents[2] / "data"
RECORDINGS = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[4] / "shared")) / "data" / "recordings"
TUNED = ("codemie-624a4a58.jsonl", "sdk-agentic.compaction.json")
"""Real recordings that the patterns were tuned on; the scripted ones say so themselves."""


@dataclass(frozen=True)
class Label:
    """A rule that was read by hand: its node, its characters, and its fate in the summary."""

    node: str
    start: int
    end: int
    fate: str


@dataclass(frozen=True)
class Labelled:
    """A compression with the rules that a reader found in what went."""

    name: str
    tuned: bool
    compression: RecordedCompression
    labels: tuple[Label, ...]

    def true_claims(self) -> list[CheckedFact]:
        return [each for each in self.claims() if any(_same(each, label) for label in self.lost_labels())]

    def claims(self) -> list[CheckedFact]:
        return [each for each in self.compression.report.lost if each.kind == "rule"]

    def lost_labels(self) -> list[Label]:
        return [label for label in self.labels if label.fate == "lost"]

    def named_labels(self) -> list[Label]:
        return [label for label in self.lost_labels() if any(_same(each, label) for each in self.claims())]


def _same(claim: CheckedFact, label: Label) -> bool:
    if claim.source != label.node or claim.start is None or claim.end is None:
        return False
    shared = min(claim.end, label.end) - max(claim.start, label.start)
    return shared * 2 >= min(claim.end - claim.start, label.end - label.start)


def scripted_cases() -> list[dict[str, Any]]:
    """The conversations that were written for this, with their summaries and labels."""
    return json.loads((DATA / "scripted_compressions.json").read_text(encoding="utf-8"))


def scripted_recording(case: dict[str, Any]) -> ctxlab.Recording:
    """The recording of a scripted conversation: one request with all that went, then those after its summary."""
    builder = RecordingBuilder(case["name"])
    head = {"model": "m", "messages": [{"role": "system", "content": "You are a helpful assistant."}]}
    first = case["before"][:-1] if case["before"][-1]["role"] == "assistant" else case["before"]
    reply = {"choices": [{"index": 0, "message": case["before"][-1]}]} if first != case["before"] else None
    builder.body({**head, "messages": [*head["messages"], *first]}, "openai-chat", reply=reply)
    sent = [*head["messages"], {"role": "user", "content": case["summary"]}]
    for message in case["after"]:
        if message["role"] == "assistant":
            answer = {"choices": [{"index": 0, "message": message}]}
            builder.body({**head, "messages": [*sent]}, "openai-chat", reply=answer)
        sent.append(message)
    return builder.recording()


def scripted() -> Iterator[Labelled]:
    """The scripted compressions with their labels."""
    for case in scripted_cases():
        (compression,) = scripted_recording(case).compressions()
        places = [
            next(
                Label(o.id, at, at + len(words), fate) for o in compression.originals if (at := o.text.find(words)) >= 0
            )
            for words, fate in case["rules"]
        ]
        yield Labelled(case["name"], case["tuned"], compression, tuple(places))


def real() -> Iterator[Labelled]:
    """The compressions of real recordings with their labels."""
    for case in json.loads((DATA / "compression_labels.json").read_text())["compressions"]:
        before = ctxlab.read_recording(RECORDINGS / case["before"]) if case["before"] else None
        (compression,) = ctxlab.read_recording(RECORDINGS / case["file"]).compressions(before)
        labels = tuple(Label(*each) for each in case["rules"])
        name = Path(case["file"]).name
        yield Labelled(name, name in TUNED, compression, labels)


@dataclass(frozen=True)
class Score:
    """Numbers of claims, true ones, losses, and losses that are named."""

    claims: int
    true: int
    losses: int
    named: int

    @property
    def precision(self) -> float | None:
        return self.true / self.claims if self.claims else None

    @property
    def recall(self) -> float | None:
        return self.named / self.losses if self.losses else None

    def __str__(self) -> str:
        shown = [f"{each:.0%}" if each is not None else "-" for each in (self.precision, self.recall)]
        claims = f"{self.true} of {self.claims} claims true ({shown[0]})"
        return f"{claims}, {self.named} of {self.losses} losses named ({shown[1]})"


def score(cases: list[Labelled]) -> Score:
    """The score of several compressions together."""
    return Score(
        sum(len(case.claims()) for case in cases),
        sum(len(case.true_claims()) for case in cases),
        sum(len(case.lost_labels()) for case in cases),
        sum(len(case.named_labels()) for case in cases),
    )


def main() -> None:
    cases = [*scripted(), *(real() if RECORDINGS.is_dir() else ())]
    for case in cases:
        print(f"{case.name:36} {'tuned' if case.tuned else 'held out':9} {score([case])}")
    for name, tuned in (("tuned", True), ("held out", False)):
        print(f"{name:46} {score([case for case in cases if case.tuned is tuned])}")
    print(f"{'all':46} {score(cases)}")


if __name__ == "__main__":
    main()
