"""Words for a file of a message: its kind and measures, and how the model gets it."""

from __future__ import annotations

from typing import Any

from ctxlab.context.draft_message import AssetRef, Draft
from ctxlab.context.file_route import FileRoute
from ctxlab.context.text_with_origins import Origin
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents.session.asset_source import InlineFile
from ctxlab.lazy_pattern import lazy_pattern

NAME = 80
SLIDES = lazy_pattern("presentation|powerpoint")
"""In the MIME type of a file whose pages are slides."""
"""Cells of a file's name: longer ones are cut."""
KINDS = {
    "image": "picture",
    "audio": "recording",
    "video": "film",
    "document": "document",
    "text": "text file",
    "other": "file",
}
SENT_AS = {
    "picture": "goes as a picture",
    "audio": "goes as a recording",
    "video": "goes as a film",
    "file": "goes as a file",
    "upload": "goes under the vendor's id",
    "link": "goes as a link",
    "unknown": "goes as it is",
    "text": "goes as text",
    "description": "goes as a description only",
}
WENT_AS = {
    "picture": "as a picture",
    "audio": "as a recording",
    "video": "as a film",
    "file": "as a file",
    "upload": "under the vendor's id",
    "link": "as a link",
    "unknown": "as it is",
    "text": "as text",
    "description": "described",
    "pages": "as pictures of its pages",
    "": "not there",
}
FROM_FILES = ("transcript", "attachment")
"""Kinds of the origin of words that are a file's, and of those that stand around them or for the file."""
PAGE = "#page-"
"""Between the id of a file and the number of its page, in the id of the picture of that page."""


def kind_words(kind: str) -> str:
    """The kind of a file in a person's words: `picture`, `recording`, `film`.

    >>> kind_words("image")
    'picture'
    """
    return KINDS.get(kind, KINDS["other"])


def size_words(size_bytes: int) -> str:
    """A size in the unit that suits it, of a thousand bytes and more rounded.

    >>> size_words(312), size_words(186_400), size_words(1_240_000)
    ('312 bytes', '186 kB', '1.2 MB')
    """
    if size_bytes < 1000:
        return counted(size_bytes, "byte")
    for unit, factor in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if size_bytes < 999.5 * factor:
            n = size_bytes / factor
            return f"{n:.1f} {unit}" if n < 9.95 and unit != "kB" else f"{n:.0f} {unit}"
    return f"{size_bytes / 1e9:,.0f} GB"


def duration_words(seconds: float) -> str:
    """A duration as minutes and seconds, or hours.

    >>> duration_words(83.4), duration_words(3723)
    ('1:23', '1:02:03')
    """
    hours, rest = divmod(int(seconds), 3600)
    minutes, whole = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{whole:02}" if hours else f"{minutes}:{whole:02}"


def measure_words(
    *,
    width: Any = None,
    height: Any = None,
    seconds: Any = None,
    pages: Any = None,
    size_bytes: Any = None,
    mime_type: str = "",
) -> list[str]:
    """The measures of a file that are known, each as a clause: `3 pages`, of a presentation `3 slides`, `768 × 512`."""
    found: list[str] = []
    if _is_number(pages):
        found.append(counted(int(pages), "slide" if SLIDES.search(mime_type) else "page"))
    if _is_number(width) and _is_number(height):
        found.append(f"{int(width):,} × {int(height):,}")
    if _is_number(seconds):
        found.append(duration_words(seconds))
    if _is_number(size_bytes):
        found.append(size_words(int(size_bytes)))
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15


def sent_words(sent_as: str, *, width: int | None = None, height: int | None = None) -> str:
    """A clause on the form in which the model gets a file; of a scaled picture also its size.

    >>> sent_words("picture", width=768, height=512)
    'goes as a picture, 768 × 512'
    """
    size = f", {width:,} × {height:,}" if width and height else ""
    return f"{SENT_AS.get(sent_as, SENT_AS['unknown'])}{size}"


def route_words(route: FileRoute | None) -> str:
    """A clause on the route of a file that goes as a file; empty where nothing has been decided."""
    return sent_words(route.kind, width=route.width, height=route.height) if route is not None else ""


def file_id(asset: AssetRef) -> str:
    """The id of a file; of the picture of a page that of its document."""
    return asset.id.partition(PAGE)[0]


def is_from(origin: Origin, name: str) -> bool:
    """Whether words are those of a file of this name, or stand for it: `report.pdf` and `report.pdf, page 3`."""
    return origin.kind in FROM_FILES and bool(name) and (origin.ref == name or origin.ref.startswith(f"{name}, "))


def file_changes(before: Draft, after: Draft) -> str:
    """Changes of the files of a message, in a sentence; empty where there are none."""
    old, new = ({asset.id: asset for asset in draft.assets} for draft in (before, after))
    found: list[str] = []
    for id, asset in old.items():
        if id in new:
            found += _file_change(asset, new[id])
        elif any(each.startswith(id + PAGE) for each in new):
            found.append(f"{name_of(asset)} goes as pictures of its pages")
        elif any(is_from(span.origin, asset.name or asset.id) for span in after.text.spans):
            found.append(f"{name_of(asset)} stands as words in it")
        else:
            found.append(f"{name_of(asset)} went out of it")
    found += [f"{name_of(asset)} came into it" for asset in new.values() if file_id(asset) not in old]
    return "; ".join(found)


def files_otherwise(a: Draft, b: Draft) -> str:
    """Files that go otherwise in one message than in another: `hopper.jpg: as a picture, then described`."""
    old, new = _ways(a, b), _ways(b, a)
    return "; ".join(
        f"{plain(name, NAME)}: {_way_words(old.get(name), new.get(name))}"
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    )


Way = tuple[str, int | None, int | None]
"""A form in which a file goes, and of a picture its size."""


def _ways(draft: Draft, other: Draft) -> dict[str, Way]:
    """By name the files of a message, those that are words in it too; `other` may know more of their names."""
    found: dict[str, Way] = {}
    for asset in draft.assets:
        route = asset.route
        known: Way = (route.kind, route.width, route.height) if route is not None else ("unknown", None, None)
        found.setdefault(_full_name(asset), ("pages", None, None) if PAGE in asset.id else known)
    origins = dict.fromkeys(span.origin for span in draft.text.spans if span.origin.kind in FROM_FILES)
    names = [origin.ref for origin in origins if origin.kind == FROM_FILES[1]]
    for name in (*names, *map(_full_name, other.assets)):
        own = [origin for origin in origins if is_from(origin, name)]
        if own:
            is_read = any(origin.kind == FROM_FILES[0] for origin in own)
            found.setdefault(name, ("text" if is_read else "description", None, None))
    return found


def _full_name(asset: AssetRef) -> str:
    return " ".join(asset.name.split()) or " ".join(file_id(asset).split())


def _way_words(old: Way | None, new: Way | None) -> str:
    (a, *was), (b, *now) = old or ("", None, None), new or ("", None, None)
    if a == b:
        return f"{WENT_AS[a]}, {_size(was)}, then {_size(now)}"
    return f"{WENT_AS[a]}, then {WENT_AS[b]}"


def _size(side: list[int | None]) -> str:
    width, height = side
    return f"{width:,} × {height:,}" if width and height else "in its own size"


def _file_change(before: AssetRef, after: AssetRef) -> list[str]:
    words: list[str] = []
    if before.route != after.route:
        words.append(f"{name_of(after)} {route_words(after.route)}".rstrip())
    if before.source != after.source:
        read = "are in it now" if isinstance(after.source, InlineFile) else "are elsewhere now"
        words.append(f"the bytes of {name_of(after)} {read}")
    return words


def name_of(asset: AssetRef) -> str:
    """The name of a file, else its kind, else its id; on one line."""
    return plain(asset.name, NAME) or plain(kind_words(asset.kind) if asset.kind else asset.id, NAME)


def file_words(asset: AssetRef) -> str:
    """A file in a clause: its name, its kind, its measures, and how the model gets it, where that has been decided."""
    known = asset.metadata
    measures = measure_words(
        width=known.get("width"),
        height=known.get("height"),
        seconds=known.get("seconds", known.get("duration")),
        pages=known.get("pages"),
        size_bytes=asset.size_bytes,
        mime_type=asset.mime_type,
    )
    clauses = [f"{kind_words(asset.kind)} {name_of(asset)}" if asset.name else name_of(asset), *measures]
    route = asset.route
    if route is None:
        return ", ".join(clauses)
    is_scaled = (route.width, route.height) != (known.get("width"), known.get("height"))
    return ", ".join([*clauses, route_words(route) if is_scaled else sent_words(route.kind)])
