"""The file that an agent was read from, and is written to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import ctxlab
from ctxlab.documents import Agent
from ctxlab.formats import FORMATS, Import
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class AgentFile:
    """A file with one agent, and all that was read from it."""

    path: Path
    found: Import
    agent: Agent

    @classmethod
    def read(cls, path: Path) -> AgentFile:
        """The file; raises CtxlabError where it has no agent or several."""
        found = ctxlab.read(path)
        return cls(path, found, found.agent())

    def write(self, agent: Agent) -> str:
        """Write the agent in the format that the file has, and say what could not be kept."""
        format = self.found.format if any(each.name == self.found.format and each.write for each in FORMATS) else None
        export = ctxlab.write(replace(self.found, agents=(agent,)), self.path, format=format)
        losses = "; ".join(str(loss) for loss in export.losses)
        return f"Saved to {self.path.name}." + (f" Not in the file: {losses}." if losses else "")
