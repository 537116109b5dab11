"""A few frames of a film, evenly spread, as pictures."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from ctxlab.assets.transcription.picture_pages import MOST_PIXELS
from ctxlab.assets.transcription.sound import media, pyav
from ctxlab.errors import ReadError

MOST_DECODED = 600
"""Frames that are decoded to come from a key frame to the wanted one; 20 s of film."""


class Frame(NamedTuple):
    """A frame as a PNG, and its moment in seconds."""

    data: bytes
    seconds: float


def frames_of(file: BinaryIO, *, count: int, max_side: int) -> Iterator[Frame]:
    """At most `count` frames from the middles of equal stretches of the film, none larger than `max_side` pixels."""
    av = pyav()
    with media(file) as container:
        if not container.streams.video:
            return
        stream = container.streams.video[0]
        if stream.width * stream.height > MOST_PIXELS:
            raise ReadError(f"a film of {stream.width:,} x {stream.height:,} pixels is too large to be decoded")
        length = (container.duration or 0) / av.time_base
        before = -1.0
        for n in range(count if length else 1):
            frame = _frame_at(container, stream, length * (n + 0.5) / count)
            if frame is None or (frame.time or 0.0) <= before:
                continue
            before = frame.time or 0.0
            yield Frame(_png(frame, max_side), before)


def _frame_at(container: Any, stream: Any, seconds: float) -> Any:
    """The first frame at or after a moment, else the last one that can be decoded; None without any."""
    av = pyav()
    found = None
    try:
        if seconds:
            container.seek(int(seconds * av.time_base), backward=True)
        for n, frame in enumerate(container.decode(stream)):
            found = frame
            if frame.time is None or frame.time >= seconds or n >= MOST_DECODED:
                break
    except (av.FFmpegError, EOFError):
        pass  # a film that is cut short has the frames before
    return found


def _png(frame: Any, max_side: int) -> bytes:
    picture = frame.to_image()
    picture.thumbnail((max_side, max_side))
    out = BytesIO()
    picture.save(out, "PNG", compress_level=1)
    return out.getvalue()
