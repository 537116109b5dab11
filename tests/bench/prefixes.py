"""Seconds for the prefixes of a growing conversation: four times the requests, sixteen times what they send."""

from __future__ import annotations

import tracemalloc
from time import process_time

from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.recording import Recording

REQUESTS = (500, 2_000)
CHARACTERS = 300


def grown(requests: int) -> Recording:
    """A conversation whose every request has two messages more."""
    builder, leaf = RecordingBuilder("grown"), START
    head = builder.head_of("anthropic")
    for number in range(requests):
        for role in ("user", "assistant"):
            said = {"role": role, "content": f"{number} " + "words " * (CHARACTERS // 6)}
            leaf = builder.add(leaf, (said,), "anthropic", place="here")
        builder.request(leaf, head, model="claude-sonnet-4-5")
    return builder.recording()


def prefix_seconds(recording: Recording) -> tuple[float, float]:
    """Seconds of a report whose messages are counted already, and megabytes at the most while it is made."""
    recording.prefix()
    started = process_time()
    recording.prefix()
    seconds = process_time() - started
    tracemalloc.start()
    recording.prefix()
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, memory / 1e6


def main() -> None:
    """Print both and their ratios."""
    (few, little), (many, much) = (prefix_seconds(grown(count)) for count in REQUESTS)
    print(
        f"prefixes of {REQUESTS[1]:,} requests of a growing conversation: {many:.2f} s and {much:.1f} MB,"
        f" {many / few:.1f} and {much / little:.1f} times those of {REQUESTS[0]:,}"
    )


if __name__ == "__main__":
    main()
