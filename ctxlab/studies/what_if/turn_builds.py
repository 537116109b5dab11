"""Builds at each turn of a conversation; what the messages have in common is loaded once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace

from ctxlab.context import Context, Dropped
from ctxlab.documents import Session
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.trace import Step
from ctxlab.processors.session_loader import SessionLoader
from ctxlab.studies.what_if.configuration import Configuration, StartFunction

Activations = Mapping[str, str]


class TurnBuilds:
    """Builds of one conversation under one configuration, at one message after another.

    Each is what `ctxlab.build` gives with that `leaf` and those `activations`.
    """

    def __init__(self, session: Session, configuration: Configuration, start: StartFunction) -> None:
        self.session, self.configuration, self._start = session, configuration, start
        self._last: tuple[_Writers, Trace] | None = None
        self._loaded: _LoadedPath | None = None

    def start_at(self, leaf: str, activations: Activations) -> Trace:
        """The start of the run at a message: that of the turn before with another leaf, where nothing else differs."""
        writers = _Writers.of(self.session, leaf)
        last = self._last
        if last is None or last[0] != writers or last[1].start.notes:
            options = self.configuration.all_options()
            start = self._start(self.session, **{**options, "leaf": leaf, "activations": activations})
            self._last = (writers, start)
            return start
        trace = last[1]
        given = self.configuration.options.get("timestamp")
        time = given if given is not None else self.session.node(leaf).timestamp
        found = replace(trace.start.input, leaf=leaf, timestamp=time, activations=activations)
        return replace(trace, start=replace(trace.start, input=found))

    def at(self, leaf: str, activations: Activations) -> Trace:
        """The run at a message; raises what `ctxlab.build` raises."""
        return self._with_history(self.start_at(leaf, activations)).finished()

    def beside(self, other: Trace, leaf: str, activations: Activations) -> Trace:
        """The run at a message, with the first steps of a run of the same input under other settings."""
        start = self.start_at(leaf, activations)
        if start.start.notes or other.start.notes:
            return self._with_history(start).finished()
        shared = other.pipeline.first_difference(start.pipeline, other.services)
        failed = next((n for n, step in enumerate(other.steps) if step.failure is not None), len(other.steps))
        return Trace(other.start, other.steps[: min(shared, failed)], start.pipeline, other.services).finished()

    def _with_history(self, start: Trace) -> Trace:
        """The start with the step that loads the messages, where it loads each whatever comes after it."""
        stages = start.pipeline.running()
        loader = stages[0].processor if stages else None
        if (
            type(loader) is not SessionLoader
            or loader.settings.html_to_markdown
            or start.start.input.pending is not None
        ):
            return start
        leaf = start.start.input.leaf_id
        if leaf is None:
            return start
        loaded = self._loaded
        if loaded is None or loaded.settings != loader.settings or leaf not in loaded.place:
            self._loaded = loaded = _LoadedPath.of(start, loader, self.session.leaf_below(leaf))
        return loaded.up_to(leaf, start)


@dataclass(frozen=True, slots=True)
class _Writers:
    """The agent and the model that the message of a leaf, or the nearest above it, names."""

    agent_id: str | None
    model_id: str | None

    @classmethod
    def of(cls, session: Session, leaf: str) -> _Writers:
        agent = model = None
        node, seen = session.nodes.get(leaf), set[str]()
        while node is not None and (agent is None or model is None) and node.id not in seen:
            seen.add(node.id)
            named = node.meta("modelId")
            agent = agent if agent is not None else node.agent_id
            model = model if model is not None else named if isinstance(named, str) else None
            node = session.nodes.get(node.parent_id) if node.parent_id else None
        return cls(agent, model)


@dataclass(frozen=True, slots=True, eq=False)
class _LoadedPath:
    """The step that loads a path, and the place of each of its messages; of a path with notes none are known."""

    settings: object
    place: Mapping[str, int]
    step: Step | None
    places: tuple[int, ...] = ()

    @classmethod
    def of(cls, start: Trace, loader: SessionLoader, leaf: str) -> _LoadedPath:
        build_input = start.start.input
        walk = build_input.session.walk(leaf)
        ids = [*(node.parent_id or "" for node in walk.nodes[1:]), leaf]
        place = {node_id: n for n, node_id in enumerate(ids)}
        alone = any(node.is_summary or node.model_match is not None for node in walk.nodes)
        if walk.broken or alone or len(place) != len(walk.nodes):
            return cls(loader.settings, place, None)
        context = Context(replace(build_input, leaf=leaf))
        step = start.pipeline.step(start.pipeline.running()[0], context, start.services)
        if step.failure is not None or step.after.notes or step.after.reports:
            return cls(loader.settings, place, None)
        return cls(loader.settings, place, step, tuple([place[draft.origin.ref] for draft in step.after.drafts]))

    def up_to(self, leaf: str, start: Trace) -> Trace:
        """The start with what was loaded up to a message."""
        if self.step is None or leaf not in self.place:
            return start
        end = self.place[leaf] + 1
        groups = [
            Dropped(kept, group.cause)
            for group in self.step.after.dropped
            if (kept := tuple([draft for draft in group.drafts if self.place[draft.origin.ref] < end]))
        ]
        drafts = self.step.after.drafts[: bisect_left(self.places, end)]
        after = start.start.arrange(drafts, dropped=groups)
        return replace(start, steps=(Step(self.step.id, start.start, after),))
