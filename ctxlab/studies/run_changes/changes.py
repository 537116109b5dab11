"""All differences in what two runs were built from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import plain
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.run_changes.change import RunChange
from ctxlab.studies.run_changes.document_changes import document_changes
from ctxlab.studies.run_changes.edit_changes import edit_changes
from ctxlab.studies.run_changes.session_changes import session_changes
from ctxlab.studies.run_changes.settings_changes import settings_change

NAME = 24
OTHERS = ("pending", "model", "variables", "activations", "tasks", "timestamp", "zone", "seed", "dice")


@dataclass(frozen=True, slots=True)
class RunChanges:
    """The differences in order: the conversation, documents, the rest of the input, settings, edits by hand."""

    changes: tuple[RunChange, ...]

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __iter__(self) -> Iterator[RunChange]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    @property
    def label(self) -> str:
        """The first difference in a few words, and how many more there are; empty where there is none."""
        labels = [change.label for change in self.changes]
        more = f" and {len(labels) - 1:,} more" if len(labels) > 1 else ""
        return f"{labels[0]}{more}" if labels else ""

    @property
    def python(self) -> str:
        """Statements that turn `run` into the other run; empty where some difference has no short code."""
        codes = [change.python for change in self.changes]
        return "\n".join(codes) if all(codes) else ""


@checked_arguments
def run_changes(before: Trace, after: Trace) -> RunChanges:
    """The differences in what two runs were built from, not in what came of them: `run_effect` has those."""
    a, b = before.start.input, after.start.input
    settings = settings_change(before, after)
    inputs = chain(session_changes(a, b), document_changes(a, b), _others(before, after), filter(None, (settings,)))
    return RunChanges((*inputs, *edit_changes(before, after)))


def _others(before: Trace, after: Trace) -> Iterator[RunChange]:
    counter = after.services.tokenizer
    if counter is not before.services.tokenizer:
        yield RunChange(f"counted by {plain(counter.name, NAME)}")
    a, b = before.start.input, after.start.input
    # A leaf has its own time: of another branch the time is another one by itself.
    names = OTHERS if a.leaf_id == b.leaf_id else tuple(name for name in OTHERS if name != "timestamp")
    for name in names:
        if getattr(a, name) != getattr(b, name):
            yield RunChange("other tasks" if name == "tasks" else f"another {name}")
