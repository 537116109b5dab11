"""Programs that write to a workspace until they are done or killed; each is run in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOREVER = """
import sys, ctxlab
from ctxlab import Session
workspace = ctxlab.open_workspace(sys.argv[1])
print("ready", flush=True)
for number in range(int(sys.argv[2]), 10**9):
    session = Session(id=f"s{number % 5}", name=f"write {number}").append("雾" * 3000, id="q")
    saved = workspace.save(session, on_conflict="overwrite")
    print(saved.id, saved.model_extra["workspaceRevision"].partition("-")[0], flush=True)
"""
ADDING = """
import sys, ctxlab
workspace = ctxlab.open_workspace(sys.argv[1], who=sys.argv[2])
for number in range(int(sys.argv[3])):
    session = workspace.session(f"s{number % 4}")
    added = session.append(f"{number}", id=f"{sys.argv[2]}-{number}", parent=session.root_node_id)
    workspace.save(added, on_conflict="merge")
workspace.close()
"""


def started(code: str, *args: object) -> subprocess.Popen[bytes]:
    """A process that runs this code, with what it prints in a pipe."""
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
