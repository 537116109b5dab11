"""Pictures with words and a film with sound, made for a test."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any


def picture_of(lines: Sequence[str], *, font: str | None = None, size: tuple[int, int] = (640, 360)) -> Any:
    """Lines of black words on white, as a picture of Pillow."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", size, "white")
    letters = ImageFont.truetype(font, 32) if font else ImageFont.load_default(32)
    for n, line in enumerate(lines):
        ImageDraw.Draw(picture).text((30, 30 + 60 * n), line, "black", font=letters)
    return picture


def png_of(picture: Any) -> bytes:
    out = BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def film_of(pictures: Sequence[Any], sound: Path | None, *, seconds_each: int = 3) -> bytes:
    """A film that shows each picture for some seconds, with the sound of a recording."""
    import av

    out = BytesIO()
    with av.open(out, "w", format="matroska") as film:
        video = film.add_stream("mpeg4", rate=5)
        video.width, video.height, video.pix_fmt = (*pictures[0].size, "yuv420p")
        video.bit_rate = 2_000_000
        audio = film.add_stream("pcm_s16le", rate=16_000, layout="mono") if sound else None
        for picture in pictures:
            for _ in range(5 * seconds_each):
                film.mux(video.encode(av.VideoFrame.from_image(picture)))
        film.mux(video.encode(None))
        if sound is not None and audio is not None:
            resampler = av.AudioResampler("s16", "mono", 16_000)
            with av.open(str(sound)) as recording:
                for frame in recording.decode(audio=0):
                    for block in resampler.resample(frame):
                        film.mux(audio.encode(block))
            film.mux(audio.encode(None))
    return out.getvalue()
