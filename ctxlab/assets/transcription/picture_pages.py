"""Pictures of a file that an engine looks at: a picture itself, or the pages of a PDF."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from ctxlab.context import FileFacts
from ctxlab.errors import ReadError
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MOST_PIXELS = 50_000_000
"""Pixels of a picture that is decoded at all; 150 MB in memory."""
MOST_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture as bytes, and its place in the file."""

    data: bytes
    mime_type: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class PagePictures:
    """The pictures of a file in order, and sentences on what is missing."""

    pages: tuple[PagePicture, ...]
    problems: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[PagePicture]:
        return iter(self.pages)

    def __len__(self) -> int:
        return len(self.pages)


def pictures_of(file: BinaryIO, facts: FileFacts, *, max_pages: int, max_side: int) -> PagePictures:
    """The picture, or the first pages of a PDF drawn so that no side is longer than `max_side` pixels."""
    is_pdf = facts.mime_type == "application/pdf"
    if facts.kind == "document" and not is_pdf:
        raise ReadError(f"of documents only PDF is looked at, not {facts.mime_type or 'a file of unknown type'}")
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ReadError(f"a file of more than {MOST_BYTES:,} bytes is not looked at")
    if not is_pdf:
        return PagePictures((PagePicture(data, facts.mime_type),))
    from ctxlab.assets.pictures import pdf_pages_as_pictures

    drawn = pdf_pages_as_pictures(data, max_pages=max_pages, max_side=max_side)
    pages = tuple(PagePicture(page, "image/jpeg", f"page {n}") for n, page in enumerate(drawn, 1))
    return PagePictures(pages, _left_out(len(pages), facts.pages or 0))


def _left_out(read: int, pages: int) -> tuple[str, ...]:
    if pages <= read:
        return ()
    first = read + 1
    return (f"page {pages} is not read" if first == pages else f"pages {first:,} to {pages:,} are not read",)


def pixels_of(data: bytes) -> Picture:
    """The first frame of a picture as an upright RGB one of Pillow, on white where it is transparent."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data)) as opened:
            width, height = opened.size
            if width * height > MOST_PIXELS:
                raise ReadError(f"a picture of {width:,} x {height:,} pixels is too large to be decoded")
            upright = ImageOps.exif_transpose(opened)
            if "A" in upright.getbands() or "transparency" in upright.info:
                shown = upright.convert("RGBA")
                ground = Image.new("RGBA", shown.size, "white")
                return Image.alpha_composite(ground, shown).convert("RGB")
            return upright.convert("RGB")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as bomb:
        raise ReadError("a picture of so many pixels is too large to be decoded") from bomb
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as broken:
        raise ReadError("the picture can't be decoded: its bytes are broken or of a type that isn't known") from broken
