"""The files of a prompt, one row each: what each is, how the model gets it, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.context.portable_pickles import by_fields
from ctxlab.context.step_report import Row, report_html
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors.files.policy import FilePolicy

WORDS = {
    "text": "as text",
    "picture": "as pictures",
    "audio": "as sound",
    "video": "as films",
    "file": "as files",
    "upload": "by upload",
    "link": "as links",
    "description": "described only",
    "unknown": "as they are",
}
"""The ways in which files are sent, in the words of a summary."""


@dataclass(frozen=True, slots=True, eq=False)
class AttachmentReport:
    """The files of a prompt and how each is sent. `policy` is what decided, for steps that bring files of their own."""

    name = "attachments"
    files: tuple[Mapping[str, Any], ...]
    policy: FilePolicy | None = None

    def __repr__(self) -> str:
        return f"AttachmentReport({counted(len(self.files), 'file')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        return self.files

    def summary(self) -> str:
        """`4 files: 2 as text, 1 as pictures, 1 described only`; empty where there is none."""
        if not self.files:
            return ""
        counts = Counter(str(row["sent_as"]) for row in self.files if row["state"] == "sent")
        cut = sum(row["state"] == "cut" for row in self.files)
        said = [f"{n} {WORDS[way]}" for way in WORDS if (n := counts[way])] + ([f"{cut} cut"] if cut else [])
        return f"{counted(len(self.files), 'file')}: {', '.join(said)}"
