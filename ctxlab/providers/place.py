"""Places in the body of a request: paths, and the characters that a value came from."""

from __future__ import annotations

import json
from typing import Any, cast

from ctxlab.context import Origin, Text
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

JsonPath = tuple[str | int, ...]
"""Keys and indexes from the top of a JSON value: ("messages", 3, "content", 0, "text")."""

_PLAIN = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


def path_text(path: JsonPath) -> str:
    """A path as people write it.

    >>> path_text(("messages", 3, "content", 0, "text"))
    'messages[3].content[0].text'
    """
    words: list[str] = []
    for step in path:
        if isinstance(step, int):
            words.append(f"[{step}]")
        elif _PLAIN.fullmatch(step):
            words.append(f".{step}")
        else:
            words.append(f"[{json.dumps(step, ensure_ascii=False)}]")
    return "".join(words).removeprefix(".")


def value_at(body: object, path: JsonPath) -> Any:
    """The value at a path; raises KeyError where there is none."""
    found: Any = body
    for step in path:
        if isinstance(found, dict) and step in found:
            found = cast("dict[Any, Any]", found)[step]
        elif isinstance(found, list | tuple) and isinstance(step, int) and step < len(cast("list[Any]", found)):
            found = cast("list[Any]", found)[step]
        else:
            raise KeyError(path_text(path))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A value of the body that a message's draft became: the draft's key, and the text with who wrote each character.

    `text` is None for values that are no words of a message: a file, a call's id, a block that goes back as it was.
    Where it isn't, `str(text)` is the value at the path.
    """

    path: JsonPath
    key: str
    text: Text | None = None
    origin: Origin | None = None

    def __repr__(self) -> str:
        return f"Place({path_text(self.path)}, {self.key!r})"
