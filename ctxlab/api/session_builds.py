"""The builds of a turn: contexts of a conversation that grows, with the options of the turn."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctxlab.api.options import BuildOptions
from ctxlab.api.resolve import engine_of, expanded, pipeline_of, resolve, start_of
from ctxlab.api.sources import SessionSource, session_or_library
from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.chat.tools import Runner, Tool, ToolCallConfig, agent_with_tools, tools_of
from ctxlab.context import BuildInput, Context, Pending, Variables
from ctxlab.documents import Asset, InlineFile, Library, ModelProfile, Note, Session
from ctxlab.engines.macros import Expansion
from ctxlab.errors import WrongArgument
from ctxlab.local_models import LocalModel
from ctxlab.pipeline import Processor, Trace

if TYPE_CHECKING:
    from ctxlab.api.chat import TurnOptions

OF_BUILDS: Final = frozenset(BuildOptions.__annotations__) - {"model"}
"""Options that builds take as they are; the model may be a function."""


class SessionBuilds:
    """Builds contexts of one conversation, with the options of a turn."""

    def __init__(self, source: SessionSource, options: TurnOptions) -> None:
        given: dict[str, Any] = {name: value for name, value in options.items() if name in OF_BUILDS}
        self._agent: Any = options.get("agent")
        model = options.get("model")
        found = session_or_library(source)
        self._library = found if isinstance(found, Library) else None
        self._options = given | ({"model": model} if isinstance(model, str | ModelProfile | LocalModel) else {})
        self.session = resolve(source, self._agent, cast("Any", self._options)).input.session
        self._options.pop("pick", None)
        self._tools = tools_of(options.get("tools", ()))

    def start(self, session: Session, leaf: str | None, **options: Any) -> Trace:
        """The start of a run for a leaf: no step done yet."""
        source = session if self._library is None else replace(self._library, sessions=(session,))
        given: dict[str, Any] = {**self._options, **options, "leaf": leaf}
        return start_with_tools(start_of(source, self._agent, **given), self._tools)

    def runner(self, approve: Any) -> Runner | None:
        """A runner for the calls of the tools that are given, as the agent wants; None where none are."""
        if not self._tools:
            if approve is not None:
                raise WrongArgument("approve is about calls of tools, and there are none: give tools=")
            return None
        agent = self.start(self.session, self.session.active_leaf_id).start.input.agent
        return Runner(self._tools, ToolCallConfig.of(agent.tool_call_config if agent is not None else None), approve)

    def expand(self, text: str, build_input: BuildInput) -> Expansion:
        return expanded(text, build_input, engine_of(pipeline_of(cast("BuildOptions", self._options)), build_input))

    def build(
        self,
        session: Session,
        leaf: str | None,
        *,
        pending: Pending | None = None,
        steps: Sequence[Processor] = (),
        variables: Variables | None = None,
        tasks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Trace:
        given = {"pending": pending, "variables": variables}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if tasks:
            known: Any = self._options.get("tasks") or {}
            options["tasks"] = {**known, **tasks}
        start = self.start(session, leaf, **options)
        pipeline = start.pipeline
        for step in steps:
            pipeline = pipeline.with_processor(step)
        return replace(start, pipeline=pipeline).finished()

    def kept_file(self, attachment: Mapping[str, Any]) -> Mapping[str, Any]:
        """A file of a reply in the folder of files, where `assets` names one; else as it is, inside the message."""
        given: Any = self._options.get("assets")
        source = Asset.model_validate(attachment).source
        if given is None or not isinstance(source, InlineFile):
            return attachment
        store = given if isinstance(given, AssetFolder) else AssetFolder(given) if _is_path(given) else None
        if store is None:
            return attachment
        made = store.add(
            base64.b64decode(source.base64), name=str(attachment.get("name") or ""), mime_type=source.mime_type
        )
        return made.to_data()

    def usage_notes(self, traces: Sequence[Trace], usage: Mapping[str, Any]) -> Sequence[Note]:
        from ctxlab.api.expected_tokens import usage_notes

        return usage_notes(traces, usage)

    def waits(self, session: Session, leaf: str | None) -> bool:
        return any(node.attachments for node in session.path(leaf)) if leaf is not None else False

    def prepare(self, session: Session, leaf: str | None) -> None:
        """Wait for the texts of files that the build will ask for."""
        from ctxlab.api.transcripts_of_build import ensure_transcripts

        source = session if self._library is None else replace(self._library, sessions=(session,))
        options: dict[str, Any] = {**self._options, "leaf": leaf}
        ensure_transcripts(source, self._agent, progress=False, **options)


def start_with_tools(start: Trace, tools: Sequence[Tool]) -> Trace:
    """The start of a run whose agent has these tools besides its own."""
    if not tools:
        return start
    notes = start.start.notes[: len(start.start.notes) - len(start.pipeline.warnings())]
    having = replace(start.start.input, agent=agent_with_tools(start.start.input.agent, tools))
    return start.pipeline.start(Context(having, notes=notes), start.services)


def _is_path(given: object) -> bool:
    return isinstance(given, str | os.PathLike)
