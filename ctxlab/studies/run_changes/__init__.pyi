from ctxlab.studies.run_changes.changes import RunChange as RunChange
from ctxlab.studies.run_changes.changes import RunChanges as RunChanges
from ctxlab.studies.run_changes.changes import run_changes as run_changes
