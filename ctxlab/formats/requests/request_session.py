"""A request that was read, and the session and the agent that it becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from ctxlab.documents import Session
from ctxlab.formats.openai.conversation import Shelf
from ctxlab.formats.requests.message_nodes import MessageNodes
from ctxlab.formats.requests.parameters import AgentParameters
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree
from ctxlab.formats.source import Source
from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]


@dataclass(slots=True)
class ReadRequest:
    """A vendor's request in ctxlab's words: prompts, messages, tools in OpenAI's form, parameters, model."""

    nodes: MessageNodes
    presets: list[Data] = field(default_factory=list[Data])
    tools: list[Data] = field(default_factory=list[Data])
    parameters: AgentParameters = field(init=False)
    model: str | None = None
    losses: list[Loss] = field(default_factory=list[Loss])

    def __post_init__(self) -> None:
        self.parameters = AgentParameters(self.nodes.wire)

    def take_model(self, body: Data) -> None:
        """Take the model that the body names."""
        named = body.get("model")
        self.model = named.removeprefix("models/") if isinstance(named, str) and named else None
        if named is not None and not isinstance(named, str):
            self.lose("model", "no name of a model; it is left out")

    def preset(self, text: str, **more: Any) -> None:
        """Add a system prompt that stands before the messages; an empty one says nothing."""
        if not text:
            return
        number = len(self.presets)
        self.presets.append({"id": f"prompt-{number}", "name": "System", "role": "system", "content": text, **more})

    def lose(self, place: str, text: str, field: str = "") -> None:
        self.losses.append(Loss(place, text, field))

    def session(self, session_id: str, shelf: Shelf) -> Session:
        """The messages in a row under an empty root; its agent is put on the shelf."""
        presets = [] if shelf.keep_prompts else self.presets
        agent = shelf.agent_for(presets, self.tools, parameters=self.parameters.data(), model=self.model)
        tree = Tree(agent_id=agent)
        leaf = ROOT
        for prompt in self.presets if shelf.keep_prompts else ():
            rest = {key: value for key, value in prompt.items() if key == "metadata"}
            leaf = tree.add(prompt["id"], leaf, {"role": "system", "content": prompt["content"], **rest})
        nodes = [*self.nodes]
        if self.model is not None and nodes:
            newest = nodes[-1][1]
            newest["metadata"] = {"modelId": self.model, **newest.get("metadata", {})}
        for name, node in nodes:
            leaf = tree.add(name, leaf, node)
        return tree.session(session_id, leaf=leaf)


ReadBody = Callable[[Data], ReadRequest]


def import_of_bodies(source: Source, is_body: Callable[[Any], bool], read: ReadBody) -> Import:
    """All bodies of a source, each a session; what is none is a loss."""
    shelf = Shelf(f"agent-{source.stem}", keep_prompts=source.keep_prompts)
    names = Names()
    sessions: list[Session] = []
    losses = list(source.losses)
    for number, (place, item) in enumerate(source.items(), start=1):
        if not is_body(item):
            losses.append(Loss(place, "no request with messages; it is left out"))
            continue
        request = read(item)
        wanted = f"{source.stem}-{number}" if place else source.stem
        sessions.append(request.session(names.take(wanted), shelf))
        losses += [loss.inside(place) for loss in request.losses]
    return Import(tuple(sessions), shelf.agents, losses=tuple(losses))
