"""Keys of a widget, read from the list that its page shows at `?`."""

from __future__ import annotations

import json
import re
from inspect import getfile
from pathlib import Path

import ctxlab_widgets
from ctxlab_widgets._shared.widget import Widget

_LIST = re.compile(r"^const (?:KEYS|\w+: KeyList) = \[\n(.*?)^\](?: as const)?;", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r'\[\s*("(?:[^"\\]|\\.)*"),\s*("(?:[^"\\]|\\.)*"),?\s*\],?')


def keys_of(widget: type[Widget]) -> list[tuple[str, str]]:
    """Keys and what they do, in the order of the page; ValueError where the code can't be read."""
    rows: list[tuple[str, str]] = []
    for path in sorted(folder_of(widget).glob("*.ts")):
        for found in _LIST.finditer(path.read_text(encoding="utf-8")):
            rest = _ROW.sub("", found[1])
            if rest.strip():
                raise ValueError(f"{path}: no key and its words: {rest.strip()}")
            rows += [(json.loads(keys), json.loads(does)) for keys, does in _ROW.findall(found[1])]
    if not rows:
        raise ValueError(f"{folder_of(widget)}: there is no list of keys")
    return rows


def folder_of(widget: type[Widget]) -> Path:
    """The folder of a widget's code."""
    root = Path(getfile(ctxlab_widgets)).parent
    return root / Path(getfile(widget)).relative_to(root).parts[0]
