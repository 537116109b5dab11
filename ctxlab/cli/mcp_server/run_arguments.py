"""A run as a client names it: a file of the served folder, and the options of a build."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ctxlab.cli.inputs.files import Inputs, load
from ctxlab.cli.inputs.options import CommandOptions
from ctxlab.cli.mcp_server.served_folder import ServedFolder


class RunArguments(BaseModel):
    """A conversation of the served folder and how it is built."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str = Field(description="Path of a conversation, a card or a folder, within the served folder.")
    pick: str | None = Field(None, description="Which of several conversations: its id, or its number from 0.")
    leaf: str | None = Field(None, description="Id of the message to build for; else the active one.")
    budget_tokens: int | None = Field(None, ge=1, description="Tokens for the whole prompt.")
    model: str | None = Field(None, description="A model's name, such as gpt-4o.")
    agent: str | None = Field(None, description="Path of an agent's or card's file; else the one beside the file.")
    user: str | None = Field(None, description="Path of a user profile's file.")
    books: tuple[str, ...] = Field((), description="Paths of lorebooks; else those of the file and beside it.")
    rules: tuple[str, ...] = Field((), description="Paths of find and replace rules; else those of the file.")
    pending: str | None = Field(None, description="What the user is about to send.")
    settings: dict[str, Any] = Field(
        default_factory=dict, description='Settings of steps, such as {"token-limiter.retain": "each"}.'
    )

    def inputs(self, folder: ServedFolder) -> Inputs:
        """The files, read as the command line reads them; raises CtxlabError for what is not in the folder."""
        return load(self.options(folder))

    def options(self, folder: ServedFolder) -> CommandOptions:
        """The options as they would be typed, every path checked."""
        return CommandOptions(
            folder.path(self.file),
            pick=self.pick,
            agent=None if self.agent is None else [str(folder.path(self.agent))],
            user=_checked(folder, self.user),
            books=[str(folder.path(each)) for each in self.books],
            rules=[str(folder.path(each)) for each in self.rules],
            pending=self.pending,
            budget=self.budget_tokens,
            model=self.model,
            leaf=self.leaf,
            settings=[f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in self.settings.items()],
        )


def _checked(folder: ServedFolder, name: str | None) -> str | None:
    return None if name is None else str(folder.path(name))
