"""Cases are collected by topic, and conversations written in a few signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}


@dataclass
class Topic:
    """The cases of one topic, in order; ids are `<topic>/<family>/<number>`."""

    name: str
    cases: list[Json] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def case(self, family: str, says: str, given: Json, **expect: Any) -> None:
        """Add a case that says one thing in one sentence; `expect` are the fields of the answer that it asserts."""
        number = self._numbers[family] = self._numbers.get(family, 0) + 1
        made = {"id": f"{self.name}/{family}/{number:02d}", "topic": self.name, "says": says}
        self.cases.append({**made, "input": given, "expect": expect})


def chat(*lines: str) -> list[Json]:
    """Messages m1, m2, ... of lines such as `u: Good morning`."""
    found = [line.partition(":") for line in lines]
    return [
        {"id": f"m{n}", "role": ROLES[sign], "content": words.strip()} for n, (sign, _, words) in enumerate(found, 1)
    ]


def sized(pattern: str) -> list[Json]:
    """Messages of so many words each: `u2 a3` is a user's of two words and an assistant's of three."""
    found = [re.fullmatch(r"([suat])(\d+)", each) for each in pattern.split()]
    return [
        {"id": f"m{n}", "role": ROLES[each[1]], "content": " ".join([f"w{n}"] * int(each[2]))}
        for n, each in enumerate(found, 1)
        if each
    ]


def ids(numbers: str | Iterable[int]) -> list[list[str]]:
    """`1 3` as the messages that were sent: `[["m1"], ["m3"]]`."""
    parts = numbers.split() if isinstance(numbers, str) else [str(n) for n in numbers]
    return [[part if part[0].isalpha() else f"m{part}"] for part in parts]


def gone(numbers: str, cause: str = "no-room") -> dict[str, str]:
    """`1 2` as messages that were dropped for one cause."""
    return {f"m{n}" if n.isdigit() else n: cause for n in numbers.split()}


def preset(name: str, words: str, role: str = "system", **more: Any) -> Json:
    return {"id": name, "role": role, "content": words, **more}


def placed(sent: Sequence[str]) -> list[list[str]]:
    """Ids as the messages that were sent, each made of one; `a+b` is one made of two."""
    return [each.split("+") for each in sent]


def one_of(*values: Any) -> Json:
    """A value that may be any of these, where a vendor takes them all and means the same by them."""
    return {"$oneOf": list(values)}
