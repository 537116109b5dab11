"""ZIP containers of documents, read part by part, with limits for each and for all of them together."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO

from ctxlab.assets.readers.limits import ReadLimits, shown_size
from ctxlab.assets.readers.xml_events import XmlEvent, xml_events
from ctxlab.assets.zip_members import BROKEN_ZIP
from ctxlab.display.short_texts import counted
from ctxlab.errors import ReadError
from ctxlab.lazy_pattern import lazy_pattern

CHUNK = 1 << 16
PICTURE = lazy_pattern(r"((word|ppt|xl)/media|pictures)/[^/]+\.(png|jpe?g|gif|bmp|tiff?|webp|[ew]mf|wdp)")
"""A picture's name in small letters; an SVG has one of these besides, for programs that can't draw it."""
CHART = lazy_pattern(r"(word|ppt|xl)/charts/chart(ex)?\d*\.xml")
LONGEST_NAME = 100
MOST_PARTS = 10_000
RATIO_FROM = 1_000_000
"""Bytes from which the ratio of unpacked to packed counts: small parts of blanks are packed tighter."""
ENCRYPTED = 1
OLE = b"\xd0\xcf\x11\xe0"
"""The first bytes of an old Office file, and of a new one with a password."""


class Package:
    """The parts of a document by name. What is unpacked of all of them together is counted against the limits."""

    def __init__(self, data: bytes, limits: ReadLimits) -> None:
        self.limits = limits
        self.unpacked = 0
        if data.startswith(OLE):
            raise ReadError("the document needs a password or is of an old format; attach a copy without either")
        try:
            self.zip = zipfile.ZipFile(BytesIO(data))
        except BROKEN_ZIP:
            raise ReadError("the document is broken: it is not the ZIP container that its type is") from None
        members = self.zip.infolist()
        if len(members) > MOST_PARTS:
            raise ReadError(f"the document has {len(members):,} parts; more than {MOST_PARTS:,} aren't read")
        self.members = {member.filename.lstrip("/").lower(): member for member in members}

    @property
    def names(self) -> list[str]:
        return [member.filename.lstrip("/") for member in self.members.values()]

    def has(self, name: str) -> bool:
        return name.lower() in self.members

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a part, piece by piece; ReadError where it is missing, broken, or beyond the limits.

        `zipfile` unpacks no more than a part declares and compares its checksum, so that a lie is a broken part.
        """
        member = self.members.get(name.lower())
        name = name[:LONGEST_NAME]
        if member is None:
            raise ReadError(f"the document is broken: {name} is missing")
        if member.flag_bits & ENCRYPTED:
            raise ReadError("the document needs a password; attach a copy without one")
        self._check(name, member.file_size, member.compress_size)
        try:
            with self.zip.open(member) as part:
                while chunk := part.read(CHUNK):
                    self.unpacked += len(chunk)
                    yield chunk
        except BROKEN_ZIP:
            raise ReadError(f"the document is broken: {name} can't be unpacked") from None

    def not_read(self) -> list[str]:
        """A sentence that counts the pictures and charts of the document by their names; none where it has none."""
        pictures = sum(1 for name in self.members if PICTURE.fullmatch(name))
        charts = sum(1 for name in self.members if CHART.fullmatch(name))
        counts = [counted(number, noun) for number, noun in ((pictures, "picture"), (charts, "chart")) if number]
        verb = "is" if pictures + charts == 1 else "are"
        return [f"{' and '.join(counts)} in it {verb} not read"] if counts else []

    def part(self, name: str) -> bytes:
        return b"".join(self.chunks(name))

    def events(self, name: str) -> Iterator[XmlEvent]:
        """The XML of a part."""
        return xml_events(self.chunks(name), part=name[:LONGEST_NAME], max_elements=self.limits.max_elements)

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """Type (its last word) and name of the parts that a part refers to, by id; links elsewhere aren't parts."""
        folder, base = posixpath.split(name)
        rels = posixpath.join(folder, "_rels", base + ".rels")
        if not self.has(rels):
            return {}
        found = (event.attributes for event in self.events(rels) if event.kind == "begin")
        return {
            one["Id"]: (one.get("Type", "").rpartition("/")[2], _part_name(folder, one))
            for one in found
            if "Id" in one and one.get("TargetMode") != "External"
        }

    def _check(self, name: str, unpacked: int, packed: int) -> None:
        most = self.limits.max_unpacked_bytes
        if self.unpacked + unpacked > most:
            raise ReadError(f"the document unpacks to more than {shown_size(most)} ({name}); it is not read")
        if unpacked > RATIO_FROM and unpacked > self.limits.max_ratio * max(packed, 1):
            times = unpacked // max(packed, 1)
            raise ReadError(f"{name} unpacks to {times:,} times its size; such files are not read")


def main_part(package: Package, default: str) -> str:
    """The part that the container names as its document."""
    related = package.related("")
    return next((name for kind, name in related.values() if kind == "officeDocument" and package.has(name)), default)


def _part_name(folder: str, relation: Mapping[str, str]) -> str:
    target = relation.get("Target", "")
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path).lstrip("/")
