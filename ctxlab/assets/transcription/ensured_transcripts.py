"""Transcripts that a build needs, as they are after waiting for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxlab.assets.transcription.registry import TranscriptionTask
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("name", "kind", "state", "engine", "characters", "problem")


@dataclass(frozen=True, slots=True)
class EnsuredTranscripts:
    """The tasks of the files whose text a build asks for, in its order; iterating gives them."""

    tasks: tuple[TranscriptionTask, ...] = ()

    def __iter__(self) -> Iterator[TranscriptionTask]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    def __repr__(self) -> str:
        states = [task.state for task in self.tasks]
        parts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
        return f"EnsuredTranscripts({', '.join([counted(len(states), 'file'), *parts])})"

    def _repr_html_(self) -> str:
        return heading(self) + html_table(COLUMNS, [[row[name] for name in COLUMNS] for row in self.rows()], of="files")

    @property
    def complete(self) -> bool:
        """Whether the text of every file is there, so that a build waits for none."""
        return all(task.state == "done" for task in self.tasks)

    def rows(self) -> list[dict[str, Any]]:
        """One row a file; `problem` is why there is no text, or what is missing in it."""
        return [_row(task) for task in self.tasks]

    def frame(self) -> pd.DataFrame:
        """The rows as a frame."""
        return frame_of(self.rows(), COLUMNS)


def _row(task: TranscriptionTask) -> dict[str, Any]:
    text = task.transcript
    return {
        "name": task.asset,
        "kind": task.kind,
        "state": task.state,
        "engine": text.engine if text else "",
        "characters": len(text.text) if text else None,
        "problem": task.error or ("; ".join(text.problems) if text else ""),
    }
