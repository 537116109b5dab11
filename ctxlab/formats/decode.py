"""From the bytes of a file to JSON values."""

from __future__ import annotations

import codecs
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, cast

import orjson

from ctxlab.errors import BrokenFile, ReadError, did_you_mean
from ctxlab.formats.not_json import binary_kind, refusal, text_kind
from ctxlab.formats.results import Loss
from ctxlab.formats.sanitize_json import sanitized
from ctxlab.formats.sillytavern.cards.png import BUNDLE, SIGNATURE, decoded, repeated_texts, texts_in_png
from ctxlab.formats.source import Archive, Source
from ctxlab.formats.yaml import from_yaml, named_yaml

Pairs = list[tuple[str, Any]]
Hook = Callable[[Pairs], Any]

# UTF-32's little-endian mark begins with UTF-16's, so it comes first.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
JPEG = b"\xff\xd8\xff"
ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
"""First bytes of a zip archive, and of an empty one."""


def source_of_file(raw: bytes, name: str) -> Source:
    """The content of a file: of a zip archive as it is, of anything else parsed."""
    is_archive = raw.startswith(ARCHIVES) or _is_behind_picture(raw[:4], io.BytesIO(raw))
    return Source(Archive(raw), name) if is_archive else source_of(raw, name)


def source_at(path: Path, name: str) -> Source:
    """The content of the file at a path that `name` names; raises ReadError when there is none."""
    _refuse_no_file(path, name)
    try:
        with path.open("rb") as file:
            head = file.read(4)
            is_archive = head in ARCHIVES or _is_behind_picture(head, file)
        return Source(Archive(path), name) if is_archive else source_of(path.read_bytes(), name)
    except OSError as error:
        raise ReadError(f"{name} can't be read: {error.strerror or error}") from error


def _is_behind_picture(head: bytes, file: IO[bytes]) -> bool:
    """Whether a file that begins as a JPEG picture is an archive at its end, as RisuAI makes cards that show a face."""
    return head.startswith(JPEG) and zipfile.is_zipfile(file)


def source_of(raw: bytes, name: str) -> Source:
    """The parsed content of a file, or of the text inside a picture."""
    if raw.startswith(SIGNATURE):
        return _of_picture(raw, name)
    return parsed_text(_as_utf8(raw, name), name, yaml=named_yaml(name))


def _of_picture(raw: bytes, name: str) -> Source:
    """The first form of what is in a picture that can be read; those before it are losses."""
    broken: list[BrokenFile] = []
    for keyword, text in texts_in_png(raw, name):
        place = f"{name}: text {keyword!r}"
        try:
            found = parsed_text(_as_utf8(decoded(text, place), place), place, yaml=keyword == BUNDLE)
        except BrokenFile as error:
            broken.append(error)
            continue
        losses = [Loss("", f"{error}; text {keyword!r} is read in its place") for error in broken]
        losses += [
            Loss("", f"the picture has {count} texts {repeated!r}; the first is read, as SillyTavern does")
            for repeated, count in repeated_texts(raw, name)
        ]
        return replace(found, name=name, losses=(*losses, *found.losses), picture=raw)
    raise broken[0]


def parsed_text(raw: bytes, name: str, *, yaml: bool = False) -> Source:
    """JSON or JSON lines; with `yaml` YAML where it isn't JSON."""
    if not yaml:
        return parsed(raw, name)
    try:
        return Source(orjson.loads(raw), name, raw)
    except orjson.JSONDecodeError:
        data, twice = from_yaml(_decoded(raw, name), name)
        plain, losses = sanitized(data)
        return Source(plain, name, losses=(*twice, *losses))


def _refuse_no_file(path: Path, name: str) -> None:
    if not path.exists():
        siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        near = did_you_mean(path.name, siblings)
        raise ReadError(f"{name} does not exist{near if 'did you mean' in near else ''}")
    if not path.is_file():
        raise ReadError(f"{name} is not a regular file")


def _as_utf8(raw: bytes, name: str) -> bytes:
    """The text as UTF-8 bytes without a byte order mark."""
    if raw.startswith(codecs.BOM_UTF8):
        raw = raw[len(codecs.BOM_UTF8) :]
    for mark, encoding in MARKS:
        if raw.startswith(mark):
            try:
                return raw.decode(encoding).encode()
            except UnicodeDecodeError as error:
                raise BrokenFile(f"{name}: not {encoding.upper()} at byte {error.start}, as its mark says") from error
    if not raw.strip():
        raise BrokenFile(f"{name} is empty")
    kind = binary_kind(raw)
    if name.lower().endswith(".png"):
        reason = f"it is {kind}" if kind else "it doesn't begin as they do"
        raise BrokenFile(f"{name} is called a PNG picture and is none: {reason}")
    if kind is not None:
        raise BrokenFile(refusal(name, kind))
    return raw


def parsed(raw: bytes, name: str, *, hook: Hook | None = None) -> Source:
    """One JSON value, or the values of JSON lines. `hook` sees the pairs of every object, also doubled ones."""
    if hook is None:
        try:
            return Source(orjson.loads(raw), name, raw)
        except orjson.JSONDecodeError:
            pass  # NaN, lone surrogates and lines are for the slower ways below, and their errors name the place
    text = _decoded(raw, name)
    try:
        data, losses = _slowly(text, "", hook)
        return Source(data, name, raw, losses=tuple(losses))
    except RecursionError:
        raise BrokenFile(f"{name} is nested too deeply to be read") from None
    except json.JSONDecodeError as error:
        found = _lines(text, name, hook)
        if found is not None:
            return found
        kind = text_kind(text, name, no_json=_begins_at(error))
        reason = f"{name}:{error.lineno}:{error.colno}: {_reason(error)}"
        raise BrokenFile(reason if kind is None else refusal(name, kind)) from None
    except ValueError as error:  # a number of more than 4,300 digits
        raise BrokenFile(f"{name}: {error}") from None


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise BrokenFile(
            f"{name} is not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}; save it as UTF-8"
        ) from None


def _slowly(text: str, place: str, hook: Hook | None) -> tuple[Any, list[Loss]]:
    return sanitized(json.loads(text, object_pairs_hook=hook), place=place)


def _lines(text: str, name: str, hook: Hook | None) -> Source | None:
    """JSON lines; None when it doesn't look like them. Not cut at U+2028 and its like, which strings may hold."""
    values: list[Any] = []
    numbers: list[int] = []
    losses: list[Loss] = []
    objects = broken = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value, found = _line(line, f"line {number}", hook)
        except ValueError as error:
            broken += 1
            reason = (
                f"column {error.colno}: {_reason(error)}" if isinstance(error, json.JSONDecodeError) else str(error)
            )
            losses.append(Loss(f"{name} line {number}", f"not JSON ({reason}); the line is left out"))
            continue
        objects += isinstance(value, dict) and bool(cast("dict[str, Any]", value))
        values.append(value)
        numbers.append(number)
        losses.extend(found)
    if not objects or objects < broken:
        return None
    return Source(values, name, text.encode(), tuple(numbers), tuple(losses))


def _line(line: str, place: str, hook: Hook | None) -> tuple[Any, list[Loss]]:
    if hook is None:
        try:
            return orjson.loads(line), []
        except orjson.JSONDecodeError:
            pass
    try:
        return _slowly(line, place, hook)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _reason(error: json.JSONDecodeError) -> str:
    if _begins_at(error):
        return f"no JSON begins here ({error.msg})"
    ended = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    return f"{error.msg}; the text ends too early" if ended else error.msg


def _begins_at(error: json.JSONDecodeError) -> bool:
    """Whether it is the first character of the text that is wrong."""
    return error.pos == len(error.doc) - len(error.doc.lstrip())
