"""The differences in what two runs were built from, each with a short label and the Python that makes it."""

from ctxlab.public_names import listed
from ctxlab.studies.run_changes.changes import RunChange, RunChanges, run_changes

__all__ = ["RunChange", "RunChanges", "run_changes"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
