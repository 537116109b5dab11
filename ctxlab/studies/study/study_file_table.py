"""Values that tables of a study's file have in common: paths, options of a build, settings of steps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ctxlab.errors import BrokenFile
from ctxlab.studies.toml_table import TomlTable


def needed_table(file: TomlTable, key: str) -> TomlTable:
    """A table that every study has; raises BrokenFile without it."""
    if key not in file.data:
        raise BrokenFile(f"{file.place} has no {key}; a study needs cases and variants")
    return file.table(key)


def file_at(table: TomlTable, key: str) -> Path:
    """The path at a key, from the folder of the file."""
    return _joined(table, table.value(key, str, ""))


def files_at(table: TomlTable, key: str) -> list[Path]:
    """Paths of a list, or of one text, from the folder of the file; raises BrokenFile without any."""
    names = table.texts(key)
    if not names:
        raise BrokenFile(f"{table.place} has no {'.'.join(table.path_of(key))}: name the files of the cases")
    return [_joined(table, name) for name in names]


def options_of(table: TomlTable) -> dict[str, Any]:
    """Participants, model, books and rules as options of a build."""
    many = {key: [str(path) for path in files_at(table, key)] for key in ("books", "rules") if key in table.data}
    one = {key: str(file_at(table, key)) for key in ("agent", "user") if key in table.data}
    model = {"model": table.value("model", str, "")} if "model" in table.data else {}
    return {**one, **model, **many}


def settings_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by `<step>.<setting>`, also where a table of the step holds them."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": each for inner, each in cast("dict[str, Any]", value).items()}
        else:
            found[name] = value
    return found


def _joined(table: TomlTable, name: str) -> Path:
    return table.place.parent / Path(name).expanduser()
