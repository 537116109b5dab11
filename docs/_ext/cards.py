"""What a page says of itself for its card; nothing here needs Sphinx."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

_HEAD = re.compile(r"\A---\n(.*?)^---\n+# ([^\n]+)\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Card:
    """A page as its card shows it."""

    name: str
    title: str
    about: str
    picture: str


def card_of(path: Path) -> Card:
    """What a page says of itself; ValueError where its head is missing."""
    found = _HEAD.match(path.read_text(encoding="utf-8"))
    fields = yaml.safe_load(found[1]) if found else None
    if not found or not isinstance(fields, dict) or not {"picture", "about"} <= fields.keys():
        raise ValueError(f"{path.name} begins without `picture` and `about` between two lines ---, and its title")
    return Card(path.stem, found[2].strip(), str(fields["about"]), str(fields["picture"]))
