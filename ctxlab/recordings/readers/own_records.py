"""Recordings that `ctxlab record` made: every request and reply, as they went over the line."""

from __future__ import annotations

from pathlib import Path

from ctxlab.formats.results import Loss
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.exchanges import add_exchange
from ctxlab.recordings.recorder.read_records import read_records


def read(path: Path, name: str, builder: RecordingBuilder) -> None:
    """Every exchange of a recording, in the order in which the requests went out."""
    broken: list[str] = []
    for exchange in read_records(path, on_loss=broken.append):
        place = f"request {exchange.number}"
        builder.program = builder.program or exchange.program
        builder.losses += [Loss(place, note, "note") for note in exchange.notes]
        add_exchange(builder, exchange, place, id=exchange.id)
    builder.losses += [Loss(name, text) for text in broken]
