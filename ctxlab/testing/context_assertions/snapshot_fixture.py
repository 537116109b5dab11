"""The fixture `context_snapshot`: a built prompt compared with the text that was reviewed for this test."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.testing.context_assertions.snapshot_files import HOW_TO_UPDATE, SnapshotFile, difference
from ctxlab.testing.context_assertions.snapshot_text import FORMAT, snapshot_text


@dataclass(slots=True, eq=False)
class ContextSnapshot:
    """The snapshots of one test. With `update` they are written, else a difference fails."""

    test_file: Path
    test: str
    update: bool
    looked_at: list[str] = field(default_factory=list[str])
    written: list[str] = field(default_factory=list[str])

    def __repr__(self) -> str:
        return f"ContextSnapshot({self.test!r}, {len(self.looked_at)} looked at)"

    def check(self, trace: Trace, name: str = "") -> None:
        """Fail unless the prompt is as in the file of this test; `name` tells several snapshots of one test apart."""
        __tracebackhide__ = True
        file = SnapshotFile(self.test_file, self.test, name)
        path = str(file.path)
        if path in self.looked_at:
            raise CtxlabError(
                f"{self.test} has two snapshots {name!r}; check(trace, name) gives each a name of its own"
            )
        self.looked_at.append(path)
        now, stored = snapshot_text(trace), file.read()
        if stored == now:
            return
        if self.update:
            file.write(now)
            self.written.append(path)
            return
        if stored is None:
            raise AssertionError(
                f"there is no snapshot {file.shown_path} yet. Run pytest with --ctxlab-update, and review the file."
            )
        if stored.partition("\n")[0] != FORMAT:
            raise AssertionError(f"{file.shown_path} was written in another form than {FORMAT!r}. {HOW_TO_UPDATE}")
        raise AssertionError(
            f"the prompt differs from {file.shown_path}. {HOW_TO_UPDATE}\n{difference(stored, now, file.shown_path)}"
        )
