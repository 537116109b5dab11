"""A table of a study's file, whose values are checked as they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ctxlab.errors import ReadError, did_you_mean


@dataclass(frozen=True, slots=True)
class StudyFileTable:
    """A table of a file, whose values are checked as they are read."""

    data: Mapping[str, Any]
    place: str
    folder: Path
    prefix: str = ""

    def refuse_unknown(self, known: Sequence[str], prefix: str = "") -> None:
        wrong = next((key for key in self.data if key not in known), None)
        if wrong is not None:
            raise ReadError(f"{self.place} has a key {prefix}{wrong} that means nothing{did_you_mean(wrong, known)}")

    def value(self, key: str, kind: type, default: Any) -> Any:
        value = self.data.get(key, default)
        if value is not default and (not isinstance(value, kind) or isinstance(value, bool)):
            raise ReadError(f"{self.place}: {self.prefix}{key} takes {_WORDS[kind]}, not {_shown(value)}")
        return value

    def row(self, key: str, kind: type, default: list[Any]) -> list[Any]:
        values = self.value(key, list, default)
        wrong = next((value for value in values if not isinstance(value, kind) or isinstance(value, bool)), None)
        if wrong is not None:
            raise ReadError(f"{self.place}: {self.prefix}{key} takes a list of {_MANY[kind]}, not of {_shown(wrong)}")
        return values

    def switch(self, key: str) -> bool:
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            raise ReadError(f"{self.place}: {self.prefix}{key} takes true or false, not {_shown(value)}")
        return value

    def choice(self, key: str, choices: Sequence[str]) -> str:
        value = self.value(key, str, choices[0])
        if value not in choices:
            raise ReadError(f"{self.place}: {self.prefix}{key} can't be {value!r}{did_you_mean(value, choices)}")
        return value

    def table(self, key: str) -> StudyFileTable:
        if key not in self.data:
            raise ReadError(f"{self.place} has no {self.prefix}{key}; a study needs cases and variants")
        return StudyFileTable(self.value(key, dict, None), self.place, self.folder, f"{self.prefix}{key}.")

    def path(self, key: str) -> Path:
        return self._joined(self.value(key, str, ""))

    def paths(self, key: str) -> list[Path]:
        """Paths of a list, or of one text; raises ReadError without any."""
        one = self.data.get(key)
        names = [one] if isinstance(one, str) else self.row(key, str, [])
        if not names:
            raise ReadError(f"{self.place} has no {self.prefix}{key}: name the files of the cases")
        return [self._joined(name) for name in names]

    def options(self) -> dict[str, Any]:
        """Participants, model, books and rules as options of a build."""
        many = {key: [str(path) for path in self.paths(key)] for key in ("books", "rules") if key in self.data}
        one = {key: str(self.path(key)) for key in ("agent", "user") if key in self.data}
        model = {"model": self.value("model", str, "")} if "model" in self.data else {}
        return {**one, **model, **many}

    def _joined(self, name: str) -> Path:
        return self.folder / Path(name).expanduser()


_WORDS: Mapping[type, str] = {str: "a text", list: "a list", dict: "a table", int: "a whole number"}
_MANY: Mapping[type, str] = {str: "texts", int: "whole numbers"}


def _shown(value: object) -> str:
    return repr(value)[:60]


def settings_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by `<step>.<setting>`, also where a table of the step holds them."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": each for inner, each in cast("dict[str, Any]", value).items()}
        else:
            found[name] = value
    return found
