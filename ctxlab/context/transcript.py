"""The text of a file: read from it, recognised in a picture, heard in a recording."""

from __future__ import annotations

from typing import Any

from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the text, and its place in the file: `page 3`, `sheet Plan`, `slide 2`, `0:12`; empty for all."""

    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The text of a file in passages, in order; what stands between two of them belongs to the first.

    `engine` names what read it, such as `pdf`, `ocr` or a model. `problems` are sentences on what is missing: pages
    beyond the limit, letters that could not be decoded.
    """

    passages: tuple[Passage, ...]
    engine: str = ""
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, *, engine: str = "", problems: tuple[str, ...] = ()) -> Transcript:
        """A text of one passage."""
        return cls((Passage(text),), engine, problems)

    @property
    def text(self) -> str:
        return "".join([passage.text for passage in self.passages])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Transcript({len(self.text):,} characters in {len(self.passages)} passages, {self.engine!r})"

    def as_data(self) -> dict[str, Any]:
        return {
            "engine": self.engine,
            "problems": list(self.problems),
            "passages": [{"text": passage.text, "place": passage.place} for passage in self.passages],
        }
