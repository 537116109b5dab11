"""The text of a file as it stands in a message: in a frame, each passage with its place in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ctxlab.assets.descriptions import one_line
from ctxlab.assets.readers import READER_ENGINES
from ctxlab.context import Cause, Draft, Origin, Span, Text
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.pipeline.services import TokenCounter
from ctxlab.processors.files.outcome import FileOutcome
from ctxlab.processors.files.policy import Frames

FIELD = lazy_pattern(r"\{(name|text|fence|index)\}")
BACKTICKS = lazy_pattern(r"`+")


def worded(outcome: FileOutcome, frames: Frames, *, processor: str) -> Text:
    """The words that stand for a file: its text in a frame, or its description."""
    name = shown_name(outcome)
    if outcome.transcript is None:
        cause = Cause(processor, "description", outcome.reason)
        return Text.of(f"\n{outcome.description}\n", Origin("attachment", name), cause)
    kind = outcome.facts.kind
    is_read = outcome.transcript.engine in READER_ENGINES or kind == "text"
    frame = frames.text_file if kind == "text" else frames.document if is_read else frames.transcript
    rule = "text of a file" if is_read else "transcript"
    return Text(_filled(frame, outcome, name, Cause(processor, rule, outcome.reason)))


def tokens_of(outcome: FileOutcome, counter: TokenCounter, frames: Frames) -> int:
    """Tokens that a file costs: its words with their frame, or the files that go along by the model's formula."""
    if outcome.has_words:
        return counter.count(str(worded(outcome, frames, processor="")))
    empty = Draft("file", "user", (), Origin("attachment"))
    return counter.count_draft(replace(empty, body=outcome.files)) - counter.count_draft(empty)


def label(outcome: FileOutcome, index: int, frames: Frames, *, processor: str) -> Text:
    """The words that stand in a text for a file that goes along; `index` counts from 1."""
    name = shown_name(outcome)
    words = FIELD.sub(lambda found: {"name": name, "index": str(index)}.get(found[1], ""), frames.label)
    return Text.of(words, Origin("attachment", name), Cause(processor, "label", "the file goes along with the message"))


def shown_name(outcome: FileOutcome) -> str:
    """The name of a file in a line; its id where it has none."""
    return one_line(outcome.asset.name) or one_line(outcome.asset.id) or "file"


def fence_around(text: str) -> str:
    """A code fence that is longer than any run of backticks inside."""
    longest = max((len(found[0]) for found in BACKTICKS.finditer(text)), default=0)
    return "`" * max(3, longest + 1)


def _filled(frame: str, outcome: FileOutcome, name: str, cause: Cause) -> Iterator[Span]:
    transcript = outcome.transcript
    assert transcript is not None
    fence = fence_around(transcript.text) if "{fence}" in frame else ""
    done = 0
    around = Origin("attachment", name)
    for found in FIELD.finditer(frame):
        yield Span(frame[done : found.start()], around, cause)
        done = found.end()
        if found[1] == "text":
            for passage in transcript.passages:
                place = f"{name}, {passage.place}" if passage.place else name
                yield Span(passage.text, Origin("transcript", place), cause)
            if transcript.problems:
                yield Span(f"\n[{'; '.join(transcript.problems)}]", around, cause)
        else:
            yield Span({"name": name, "fence": fence}.get(found[1], ""), around, cause)
    yield Span(frame[done:], around, cause)
