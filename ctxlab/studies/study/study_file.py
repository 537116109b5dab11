"""A study as a TOML file: cases, variants, budgets, seeds, scorers, tokenizer, and where its cells go."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ctxlab.errors import BrokenFile, ReadError, did_you_mean
from ctxlab.studies.cases import retention_cases
from ctxlab.studies.study.batches import CaseSource
from ctxlab.studies.study.survey_cases import SurveyCases
from ctxlab.studies.study.variant import STRATEGY, Variant

KEYS = ("cases", "variants", "budgets", "seeds", "scorers", "tokenizer", "budget_of", "settings", "out")
CASE_KEYS = ("kind", "files", "labels", "agent", "user", "model", "books", "rules")
KINDS = ("conversations", "questions")
VARIANT_KEYS = ("strategy", "settings", "agent", "user", "model", "books", "rules")


@dataclass(frozen=True, slots=True, eq=False)
class StudyFile:
    """The parts of a study that a file names; `out` is the folder for its cells, or None."""

    cases: CaseSource
    variants: tuple[Variant, ...]
    options: Mapping[str, Any]
    budgets: tuple[int | None, ...] = (None,)
    seeds: tuple[int, ...] = (0,)
    scorers: tuple[str, ...] = ()
    tokenizer: str | None = None
    budget_of: str = "prompt"
    out: Path | None = None


def read_study_file(path: str | Path) -> StudyFile:
    """The study of a TOML file, whose paths are relative to it; raises ReadError where the file says something else.

    `cases.kind` is "conversations" (the default: conversations as they are) or "questions" (with labelled evidence).
    `variants` is a list of strategies or a table of settings by name; a budget of 0 is none.
    """
    place = Path(path).expanduser()
    data = _data(place)
    file = _Table(data, str(path), place.parent)
    file.refuse_unknown(KEYS)
    cases = file.table("cases")
    cases.refuse_unknown(CASE_KEYS, "cases.")
    options = cases.options()
    settings = _settings(file.value("settings", dict, {}))
    return StudyFile(
        _cases(cases),
        _variants(file),
        {**options, **({"settings": settings} if settings else {})},
        tuple([budget or None for budget in file.row("budgets", int, [0])]),
        tuple(file.row("seeds", int, [0])),
        tuple(file.row("scorers", str, [])),
        file.value("tokenizer", str, None),
        file.choice("budget_of", ("prompt", "history")),
        file.path("out") if "out" in data else None,
    )


def _data(place: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(place.read_bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise BrokenFile(f"{place} is no TOML: {str(problem) or type(problem).__name__}") from None
    except OSError as problem:
        raise ReadError(f"{place} can't be read: {problem.strerror or problem}") from None


def _cases(table: _Table) -> CaseSource:
    files = [str(each) for each in table.paths("files")]
    if table.choice("kind", KINDS) == "conversations":
        return SurveyCases(files)
    if len(files) != 1:
        raise ReadError(f'{table.place}: cases.files names {len(files)} files; kind = "questions" takes one')
    return retention_cases(files[0], labels=str(table.path("labels")) if "labels" in table.data else None)


def _variants(file: _Table) -> tuple[Variant, ...]:
    found = file.data.get("variants")
    if isinstance(found, list):
        return tuple([Variant(name, {STRATEGY: name}) for name in file.row("variants", str, [])])
    named = file.table("variants")
    return tuple([_variant(name, named.table(name)) for name in named.data])


def _variant(name: str, table: _Table) -> Variant:
    """A variant of a table: `strategy`, `settings` and participants, or settings of steps at once."""
    steps = {key: value for key, value in table.data.items() if key not in VARIANT_KEYS}
    wrong = next((key for key, value in steps.items() if not isinstance(value, dict) and "." not in key), None)
    if wrong is not None:
        known = did_you_mean(wrong, VARIANT_KEYS)
        raise ReadError(f"{table.place}: variants.{name} has no key {wrong!r}{known}")
    strategy = table.value("strategy", str, None)
    settings = {**_settings(table.value("settings", dict, {})), **_settings(steps)}
    return Variant(name, ({STRATEGY: strategy} if strategy is not None else {}) | settings, table.options())


def _settings(data: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by `<step>.<setting>`, also where a table of the step holds them."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": each for inner, each in cast("dict[str, Any]", value).items()}
        else:
            found[name] = value
    return found


@dataclass(frozen=True, slots=True)
class _Table:
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

    def choice(self, key: str, choices: Sequence[str]) -> str:
        value = self.value(key, str, choices[0])
        if value not in choices:
            raise ReadError(f"{self.place}: {self.prefix}{key} can't be {value!r}{did_you_mean(value, choices)}")
        return value

    def table(self, key: str) -> _Table:
        if key not in self.data:
            raise ReadError(f"{self.place} has no {self.prefix}{key}; a study needs cases and variants")
        return _Table(self.value(key, dict, None), self.place, self.folder, f"{self.prefix}{key}.")

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
