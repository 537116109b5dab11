"""TOML that people write: tables whose values are checked as they are read, errors with the line of the key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, cast

from ctxlab.argument_checks import shown
from ctxlab.errors import BrokenFile, ReadError, did_you_mean
from ctxlab.lazy_dataclass import dataclass

LARGEST_BYTES = 1_000_000
"""Such a file is written by hand."""
MOST_LINES = 400
"""Lines of keys are looked for in files up to this length."""
WORDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}
MANY: Mapping[type, str] = {str: "texts", int: "whole numbers"}


@dataclass(frozen=True, slots=True, eq=False)
class TomlTable:
    """A table of a TOML file; `path` are the keys that lead to it, `paths` those of keys that stand elsewhere."""

    data: Mapping[str, Any]
    place: Path
    text: str
    path: tuple[str, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def wrong(self, key: str, words: str) -> BrokenFile:
        """An error about a key: the file, the key's line where it is known, the key and the words."""
        keys = self.path_of(key)
        line = line_of(self.text, keys) if key in self.data else None
        return BrokenFile(f"{self.place}{f', line {line}' if line else ''}: {'.'.join(keys)} {words}")

    def path_of(self, key: str) -> tuple[str, ...]:
        """The keys that lead to a value of this table."""
        return (*self.paths.get(key, self.path), key)

    def refuse_unknown(self, known: Sequence[str]) -> None:
        """Raise for a key that is none of these."""
        wrong = next((key for key in self.data if key not in known), None)
        if wrong is not None:
            raise self.wrong(wrong, f"is not known{did_you_mean(wrong, known)}")

    def value(self, key: str, kind: type | tuple[type, ...], default: Any) -> Any:
        """The value of a key, which is of this kind; `default`, as it is, where there is none."""
        return self.checked(key, self.data[key], kind) if key in self.data else default

    def checked(self, key: str, value: object, kind: type | tuple[type, ...]) -> Any:
        """A value that stands at a key, which is of this kind."""
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if (isinstance(value, bool) and bool not in kinds) or not isinstance(value, kinds):
            raise self.wrong(key, f"takes {' or '.join([WORDS[each] for each in kinds])}, got {shown(value)}")
        return value

    def row(self, key: str, kind: type, default: list[Any]) -> list[Any]:
        """A list of values of one kind."""
        values = self.value(key, list, default)
        wrong = next((value for value in values if not isinstance(value, kind) or isinstance(value, bool)), None)
        if wrong is not None:
            raise self.wrong(key, f"takes a list of {MANY[kind]}, not of {shown(wrong)}")
        return values

    def texts(self, key: str) -> list[str]:
        """A text, or a list of texts."""
        value = self.value(key, (str, list), [])
        return [value] if isinstance(value, str) else self.row(key, str, [])

    def switch(self, key: str) -> bool:
        """True or false; false where the key is missing."""
        return self.value(key, bool, False)

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """One of these texts, by default the first."""
        value = self.value(key, str, choices[0])
        if value not in choices:
            raise self.wrong(key, f"can't be {value!r}{did_you_mean(value, choices)}")
        return value

    def table(self, key: str) -> TomlTable:
        """The table at a key, an empty one where there is none."""
        return self.table_of(key, self.value(key, dict, {}))

    def table_of(self, key: str, data: object) -> TomlTable:
        """A table that stands in the value of a key."""
        found = cast("dict[str, Any]", self.checked(key, data, dict))
        return TomlTable(found, self.place, self.text, self.path_of(key))


def read_toml(file: Path, *, what: str) -> TomlTable:
    """The table of a file; `what` it is to be, such as a case.

    Raises BrokenFile for one that is no TOML or too large, ReadError for one that can't be read.
    """
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise BrokenFile(f"{file} has more than {LARGEST_BYTES:,} bytes, which is no {what}")
        text = file.read_bytes().decode("utf-8-sig")
        return TomlTable(tomllib.loads(text), file, text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise BrokenFile(f"{file} is no TOML: {str(problem) or type(problem).__name__}") from None
    except OSError as problem:
        raise ReadError(f"{file} can't be read: {problem.strerror or problem}") from None


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line, from 1, where a key first stands in TOML; None where it isn't there or the text is long.

    >>> line_of("a = 1\\n\\n[b]\\n# the depth\\nc = [\\n 2]", ("b", "c"))
    5
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > MOST_LINES:
        return None
    start = 0
    for end in range(1, len(lines) + 1):
        try:
            data = tomllib.loads("\n".join(lines[:end]))
        except (tomllib.TOMLDecodeError, RecursionError):
            continue  # a value that goes on in the next line
        if _has(data, path):
            return next(n + 1 for n in range(start, end) if lines[n].strip() and not lines[n].lstrip().startswith("#"))
        start = end
    return None


def _has(data: object, path: Sequence[str]) -> bool:
    for key in path:
        if not isinstance(data, dict) or key not in data:
            return False
        data = cast("dict[str, object]", data)[key]
    return True
