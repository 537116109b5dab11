"""Regular expressions that are compiled when they are first asked: a start needs few of the hundreds that there are."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

METHODS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
FACTS = ("pattern", "flags", "groups", "groupindex")


class _LazyPattern:
    """Stands for a pattern; from the first question on its attributes are the pattern's own."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._made = (source, flags)

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS and name not in FACTS:
            raise AttributeError(f"a pattern has no attribute {name!r}")
        if name == "pattern":  # of which others are made, at import
            return self._made[0]
        compiled: re.Pattern[Any] = re.compile(*cast("tuple[Any, int]", self._made))
        self.__dict__.update({each: getattr(compiled, each) for each in (*METHODS, *FACTS)})
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return lazy_pattern, self._made

    def __repr__(self) -> str:
        return f"lazy_pattern({self._made[0]!r})"


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern of the module `re` that is compiled at its first use; raises re.error only then.

    >>> lazy_pattern("l(a)mp").sub(r"<\\\\1>", "the lamp")
    'the <a>'
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(source, flags))
