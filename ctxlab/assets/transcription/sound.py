"""The sound of a recording or a film, decoded into memory up to a limit."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

from ctxlab.assets.transcription.engine import NoText
from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.errors import ReadError

RATE = 16_000
"""Samples a second that Whisper hears."""


class Sound(NamedTuple):
    """Samples in [-1, 1] of one channel, `RATE` a second; `is_cut` where the recording is longer."""

    samples: Any
    is_cut: bool

    @property
    def seconds(self) -> float:
        return len(self.samples) / RATE


def pyav() -> Any:
    """The module that opens recordings and films; it comes with faster-whisper."""
    return optional_module("av", extra="speech", purpose="opening recordings and films")


@contextmanager
def media(file: BinaryIO) -> Generator[Any]:
    """The opened container of a recording or a film; raises ReadError for one that is broken."""
    av = pyav()
    try:
        # Other files and addresses that the bytes may name (playlists do) are not opened.
        with av.open(file, mode="r", metadata_errors="ignore", options={"protocol_whitelist": ""}) as container:
            yield container
    except (av.FFmpegError, EOFError) as broken:
        raise ReadError(
            "the recording can't be decoded: its bytes are broken or of a type that isn't known"
        ) from broken


def sound_of(file: BinaryIO, *, max_seconds: float) -> Sound:
    """The first `max_seconds` of the first sound track; raises NoText where there is none."""
    import numpy as np

    av = pyav()
    most = int(max_seconds * RATE)
    blocks: list[Any] = []
    length = 0
    with media(file) as container:
        if not container.streams.audio:
            raise NoText("it has no sound")
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        for frame in _frames(container):
            frame.pts = None  # broken times would make the resampler fill gaps
            for block in resampler.resample(frame):
                blocks.append(block.to_ndarray().reshape(-1))
                length += len(blocks[-1])
            if length > most:
                break
        else:
            blocks.extend(block.to_ndarray().reshape(-1) for block in resampler.resample(None))
    if not blocks:
        raise NoText("it has no sound")
    samples = np.concatenate(blocks)
    return Sound(samples[:most].astype(np.float32) / 32768.0, len(samples) > most)


def _frames(container: Any) -> Iterator[Any]:
    """Decoded frames of the first sound track; packets that can't be decoded are left out."""
    av = pyav()
    for packet in container.demux(container.streams.audio[0]):
        try:
            yield from packet.decode()
        except av.error.InvalidDataError:
            continue
