"""Links and resources of a built site: each leads to a page, a picture or a heading that is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"src", "srcset", "poster", "data"}
"""Attributes whose address a browser fetches by itself."""
ELSEWHERE = {"http", "https", "mailto"}


@dataclass
class Marks(HTMLParser):
    """Places that a page can be entered at, and addresses that it names: as a link, or fetched with the page."""

    anchors: set[str] = field(default_factory=set)
    named: list[tuple[str, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write down what one tag names."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if "href" in given and given.get("rel") != "canonical":
            self.named.append((given["href"], tag == "link"))
        for name in LOADED & given.keys():
            pieces = given[name].split(",") if name == "srcset" else [given[name]]
            self.named += [(piece.split()[0], True) for piece in pieces if piece.strip()]


def pages_of(root: Path) -> list[Path]:
    """Pages that a reader opens; a live view is opened inside of them."""
    return [page for page in _html_of(root) if page.relative_to(root).parts[0] != "live"]


def broken_links(root: Path) -> Iterator[str]:
    """A sentence for each address that leads nowhere, leaves the folder, or is fetched from elsewhere."""
    root = root.resolve()
    read = {page: _marks(page) for page in _html_of(root)}
    for page, marks in read.items():
        for address, fetched in dict.fromkeys(marks.named):
            if said := _wrong(address, fetched, page, root, read):
                yield f"{page.relative_to(root)}: {said}"


def _html_of(root: Path) -> list[Path]:
    """Without what the theme makes pages of, which nobody opens."""
    return sorted(page for page in root.rglob("*.html") if page.relative_to(root).parts[0] != "_static")


def _marks(page: Path) -> Marks:
    marks = Marks()
    marks.feed(page.read_text(encoding="utf-8"))
    return marks


def _wrong(address: str, fetched: bool, page: Path, root: Path, read: dict[Path, Marks]) -> str | None:
    parts = urlsplit(address)
    if parts.scheme in {"data", "blob"}:
        return None
    if parts.scheme in ELSEWHERE or parts.netloc:
        return f"{address} is fetched from elsewhere" if fetched else None
    if parts.scheme:
        return f"{address} is no address of a page"
    there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not there.is_relative_to(root):
        return f"{address} leaves the folder of the site"
    if not there.is_file():
        return f"{address} isn't there"
    anchor = unquote(parts.fragment)
    if anchor and there in read and not fetched and anchor not in read[there].anchors:
        return f"{address} names a place that {there.relative_to(root)} doesn't have"
    return None
