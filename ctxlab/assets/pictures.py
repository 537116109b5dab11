"""Pictures as vendors take them: scaled, turned as they are shown, in a format that is read; thumbnails.

The same bytes in give the same bytes out. What is made anew carries no metadata of the original, such as a place.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from ctxlab.errors import CtxlabError, ReadError

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 80_000_000
"""Of a picture that is decoded: four bytes each while it is scaled."""
JPEG_QUALITY = 85
LESSER_QUALITIES = (80, 65, 50, 35, 20)
"""Of a JPEG that would else be too large."""
THUMBNAIL_QUALITY = 60
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "DIB", "TIFF", "ICO", "AVIF")
"""Formats that are decoded. Pillow knows more, some through other programs, such as PostScript."""
VENDOR_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "MPO": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
"""Formats that every vendor reads. MPO is what Pillow calls a JPEG with further pictures behind the first."""
UPRIGHT = (None, 1)
ORIENTATION = 0x0112


def fitted_size(width: int, height: int, max_side: int) -> tuple[int, int]:
    """The size at which no side is longer than `max_side`, in the same proportion; never larger than it was.

    >>> fitted_size(4000, 1000, 1568)
    (1568, 392)
    """
    longest = max(width, height)
    if longest <= max_side or max_side < 1:
        return width, height
    return tuple(max(1, (side * max_side * 2 + longest) // (2 * longest)) for side in (width, height))  # pyright: ignore[reportReturnType]


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Pixels of a picture as it is shown, from its header; None of what is no picture that can be decoded."""
    try:
        with _decoded(data) as picture:
            width, height = picture.size
            return (width, height) if _is_upright(picture) or _is_upside_down(picture) else (height, width)
    except CtxlabError:
        return None


def scaled_picture(
    data: bytes,
    *,
    width: int,
    height: int,
    mime_type: str = "",
    form: str = "",
    quality: int = JPEG_QUALITY,
    max_bytes: int | None = None,
) -> tuple[bytes, str]:
    """The picture at this size, and its MIME type; as it is where it has that size, is upright and vendors read it.

    What is see-through stays so (PNG, or WebP of a WebP); all else becomes a JPEG. `form` (jpeg or webp) is the format
    that is wanted instead. What has more than `max_bytes` becomes a JPEG of less and less quality, as far as that
    helps. Of an animated picture that is made anew only the first frame is kept. Raises CtxlabError when it can't be
    decoded.
    """
    if width < 1 or height < 1:
        raise ReadError(f"a picture can't be scaled to {width} x {height} pixels")
    with _decoded(data, mime_type) as picture:
        is_as_wanted = form in ("", (picture.format or "").lower())
        if (
            (max_bytes is None or len(data) <= max_bytes)
            and is_as_wanted
            and picture.size == (width, height)
            and _is_upright(picture)
            and picture.format in VENDOR_TYPES
        ):
            picture.load()
            return data, VENDOR_TYPES[picture.format]
        source = picture.format
        if source in {"JPEG", "MPO"}:
            side = max(width, height)
            picture.draft("RGB", (side, side))  # a JPEG is decoded at half, a quarter or an eighth where that will do
        made = _in_plain_colours(_turned(picture)).resize((width, height), _lanczos())
        found = _encoded(made, like="WEBP" if form == "webp" else source, form=form, quality=quality)
        return found if max_bytes is None or len(found[0]) <= max_bytes else _squeezed(made, max_bytes)


def vendor_ready(data: bytes, mime_type: str = "") -> tuple[bytes, str]:
    """The picture in a format that every vendor reads, and its MIME type; PNG, JPEG, GIF and WebP stay as they are.

    The bytes say what format it is. All others, such as BMP and TIFF, become PNG, of several frames or pages the first.
    Raises CtxlabError when it has to be converted and can't be decoded.
    """
    with _decoded(data, mime_type) as picture:
        if picture.format in VENDOR_TYPES:
            return data, VENDOR_TYPES[picture.format]
        return _saved(_in_plain_colours(_turned(picture)), "PNG"), "image/png"


def thumbnail(data: bytes, side: int = 64) -> bytes | None:
    """A small WebP no side of which is longer than `side` pixels; None of what can't be decoded."""
    try:
        with _decoded(data) as picture:
            if picture.format in {"JPEG", "MPO"}:
                picture.draft("RGB", (side * 2, side * 2))
            plain = _in_plain_colours(_turned(picture))
            small = plain.resize(fitted_size(*plain.size, side), _lanczos())
            return _saved(small, "WEBP", quality=THUMBNAIL_QUALITY)
    except CtxlabError:
        return None


def pdf_pages_as_pictures(data: bytes, *, max_pages: int, max_side: int) -> list[bytes]:
    """The first pages of a PDF as JPEGs whose longer side is `max_side` pixels.

    Raises CtxlabError when the PDF can't be opened.
    """
    from ctxlab.assets.parser_process import PARSERS

    return PARSERS.call(drawn_pages, data, max_pages, max_side)


def drawn_pages(data: bytes, max_pages: int, max_side: int) -> list[bytes]:
    """Like `pdf_pages_as_pictures`; only for the process of the parsers."""
    from ctxlab.assets.readers.pdf import opened_pdf

    with opened_pdf(data) as pdf:
        return [_page_picture(pdf, index, max_side) for index in range(min(len(pdf), max_pages))]


def _page_picture(pdf: object, index: int, max_side: int) -> bytes:
    from pypdfium2 import PdfDocument

    assert isinstance(pdf, PdfDocument)
    page = pdf[index]
    try:
        longest = max(*page.get_size(), 1.0)
        bitmap = page.render(scale=max_side / longest)
        try:
            return _saved(bitmap.to_pil().convert("RGB"), "JPEG")
        finally:
            bitmap.close()
    finally:
        page.close()


@contextmanager
def _decoded(data: bytes, mime_type: str = "") -> Generator[Image]:
    """The picture, its size checked before anything is decoded; whatever a decoder raises inside is a ReadError."""
    from PIL import Image

    named = f" ({mime_type})" if mime_type else ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd metadata; sizes are checked below
            picture = Image.open(BytesIO(data), formats=FORMATS)
        with picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                raise ReadError(_too_large(width, height))
            yield picture
    except CtxlabError:
        raise
    except Image.UnidentifiedImageError:
        raise ReadError(f"the picture{named} can't be decoded: its bytes are of no format that is known") from None
    except Image.DecompressionBombError:
        raise ReadError(f"the picture has more than {MOST_PIXELS:,} pixels; such pictures aren't decoded") from None
    except Exception as error:  # the bytes are anybody's, and what a decoder raises is not documented
        raise ReadError(f"the picture{named} can't be decoded: {_reason(error)}") from None


def _too_large(width: int, height: int) -> str:
    return f"the picture is {width:,} x {height:,} pixels; more than {MOST_PIXELS:,} in all aren't decoded"


def _reason(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words[:100] if words else type(error).__name__


def _is_upright(picture: Image) -> bool:
    return picture.getexif().get(ORIENTATION) in UPRIGHT


def picture_frames(data: bytes) -> int:
    """The number of pictures in a file: frames of an animation, pages of a TIFF; 1 of what can't be decoded."""
    try:
        with _decoded(data) as picture:
            return int(getattr(picture, "n_frames", 1))
    except CtxlabError:
        return 1


def _is_upside_down(picture: Image) -> bool:
    """Whether it is only mirrored or turned by half, so that its sides stay."""
    return picture.getexif().get(ORIENTATION) in (2, 3, 4)


def _turned(picture: Image) -> Image:
    from PIL import ImageOps

    picture.seek(0)
    picture.load()
    return ImageOps.exif_transpose(picture)


def _in_plain_colours(picture: Image) -> Image:
    """The picture as L, RGB or, where anything is see-through, RGBA, with eight bits a channel."""
    if picture.mode in {"I", "F"} or picture.mode.startswith("I;16"):
        picture = _eight_bits(picture)
    if picture.has_transparency_data:
        clear = picture.convert("RGBA")
        if clear.getchannel("A").getextrema() != (255, 255):
            return clear
        return clear.convert("RGB")
    return picture.convert("L" if picture.mode in {"1", "L"} else "RGB")


def _eight_bits(picture: Image) -> Image:
    """Grey of 16 bits by its upper eight; whole numbers and fractions of another range stretched to it."""
    grey = picture.convert("F")
    low, high = grey.getextrema()
    assert isinstance(low, (int, float))
    assert isinstance(high, (int, float))
    if picture.mode.startswith("I;16") or (picture.mode == "I" and low >= 0 and high < 65536):
        low, high = 0, 65535
    return grey.point(lambda value: value * (255 / ((high - low) or 1)) - low * (255 / ((high - low) or 1))).convert(
        "L"
    )


def _encoded(picture: Image, *, like: str | None, form: str, quality: int) -> tuple[bytes, str]:
    is_clear = picture.mode == "RGBA"
    if form == "webp" or (is_clear and like == "WEBP" and not form):
        return _saved(picture, "WEBP", quality=quality), "image/webp"
    if is_clear and form != "jpeg":
        return _saved(picture, "PNG"), "image/png"
    return _saved(_on_white(picture) if is_clear else picture, "JPEG", quality=quality), "image/jpeg"


def _squeezed(picture: Image, max_bytes: int) -> tuple[bytes, str]:
    """A JPEG of the best quality that fits; the smallest where none does."""
    plain = _on_white(picture) if picture.mode == "RGBA" else picture
    data = b""
    for quality in LESSER_QUALITIES:
        data = _saved(plain, "JPEG", quality=quality)
        if len(data) <= max_bytes:
            break
    return data, "image/jpeg"


def _on_white(picture: Image) -> Image:
    """A see-through picture on a white ground, for formats that have no transparency."""
    from PIL import Image

    ground = Image.new("RGBA", picture.size, (255, 255, 255, 255))
    ground.alpha_composite(picture)
    return ground.convert("RGB")


def _saved(picture: Image, kind: str, *, quality: int = JPEG_QUALITY) -> bytes:
    """The bytes without metadata: what a file had of it is not handed on."""
    picture.info = {}
    buffer = BytesIO()
    match kind:
        case "PNG":
            picture.save(buffer, "PNG")
        case "WEBP":
            picture.save(buffer, "WEBP", quality=quality, method=4, exif=b"", icc_profile=b"", xmp=b"")
        case _:
            picture.save(buffer, "JPEG", quality=quality, exif=b"", icc_profile=None)
    return buffer.getvalue()


def _lanczos() -> int:
    from PIL.Image import Resampling

    return Resampling.LANCZOS
