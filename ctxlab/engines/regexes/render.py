"""A message as a program renders it: rules of the render stage applied, reasoning set apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from ctxlab.context import BuildInput, Context, Origin, Text
from ctxlab.display.one_line import visible
from ctxlab.documents import Agent, MessageNode, Note, ThinkRule
from ctxlab.documents.rules import think_rules_in_force
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.macros.environment import MacroEngine
from ctxlab.engines.regexes.apply_plans import apply
from ctxlab.engines.regexes.compile_rule import Compat
from ctxlab.engines.regexes.rule_selection import Ruleset
from ctxlab.engines.regexes.work_limits import DEFAULT, Limits
from ctxlab.errors import UnknownNode
from ctxlab.lazy_dataclass import dataclass

PROCESSOR = "render"
LONGEST = 6_000
"""Characters that are shown in a notebook."""


@dataclass(frozen=True, slots=True)
class ReasoningBlock:
    """Reasoning inside a text: the block from character `start` to `end`, its tags included.

    A block whose closing tag never comes goes to the end of the text.
    """

    start: int
    end: int
    tag: str
    name: str
    text: str
    closed: bool = True
    collapsed: bool = True


@dataclass(frozen=True, slots=True)
class RenderHit:
    """A rule that changed the text, and the number of changes."""

    rule: str
    preset: str
    layer: str
    count: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rendered:
    """A rendered message.

    `text` has everything, `thinking` says which parts of it are folded away, and `reasoning` is what the model sent
    beside its words.
    """

    node: MessageNode
    text: Text
    thinking: tuple[ReasoningBlock, ...] = ()
    reasoning: str | None = None
    hits: tuple[RenderHit, ...] = ()
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        return str(self.text)

    def __repr__(self) -> str:
        counts = f"{len(self.text)} characters, {len(self.hits)} rules, {len(self.thinking)} folded"
        return f"Rendered({self.node.id!r}, {counts})"

    @property
    def words(self) -> Text:
        """The text without the folded parts."""
        parts: list[Text] = []
        at = 0
        for block in self.thinking:
            parts.append(self.text.cut(at, block.start))
            at = block.end
        return Text.join(Text(), [*parts, self.text.cut(at, len(self.text))]) if parts else self.text

    def _repr_html_(self) -> str:
        return "".join(_html(self))


def rendered(
    build_input: BuildInput,
    node_id: str | None = None,
    *,
    streaming: bool = False,
    engine: MacroEngine = "seed",
    compat: Compat = "ctxlab",
    limits: Limits = DEFAULT,
) -> Rendered:
    """A rendered message of the request's session; by default the leaf. Raises UnknownNode.

    `engine` expands the macros of rules. In compat sillytavern-1.19 rules that change a message when it comes have
    changed it already.
    """
    node, depth = _found(build_input, node_id if node_id is not None else build_input.leaf_id)
    arrived = compat == "sillytavern-1.19"
    ruleset = Ruleset(build_input, stage="render", streaming=streaming, skips_arrivals=arrived)
    agent_id = node.meta("agentId")
    plan = ruleset.plan(role=node.role, depth=depth, agent_id=agent_id, user_id=node.meta("userProfileId"))
    env = MacroEnv.of(build_input, dice=Context(build_input).dice, engine=engine)
    start = Text.of(node.content, Origin("node", node.id))
    applied = apply(
        [start], [plan], ruleset.bound, env, stage="render", processor=PROCESSOR, compat=compat, limits=limits
    )
    hits = [(ruleset.bound[hit.rule], len(hit.changes)) for hit in applied.hits]
    problems = [Note("warning", problem, PROCESSOR) for problem in dict.fromkeys(ruleset.problems)]
    return Rendered(
        node,
        applied.texts[0],
        tuple(reasoning_blocks(str(applied.texts[0]), _think_rules(build_input, agent_id))),
        node.reasoning,
        tuple(RenderHit(b.rule.shown_name, b.preset.name or b.preset.id, b.layer, n) for b, n in hits),
        (*problems, *applied.notes(ruleset.bound, PROCESSOR)),
    )


def reasoning_blocks(text: str, rules: Sequence[ThinkRule]) -> Iterator[ReasoningBlock]:
    """The reasoning in a text, by an agent's rules, from front to back; tags are upper and lower case alike."""
    by_tag = {rule.tag_name.lower(): rule for rule in rules}
    if not by_tag or "<" not in text:
        return
    names = "|".join(re.escape(tag) for tag in sorted(by_tag, key=len, reverse=True))
    opening = re.compile(rf"<({names})(?=[\s>/])[^>]*>", re.IGNORECASE)
    at, last = 0, text.rfind(">") + 1  # no tag behind it is closed
    while found := opening.search(text, at, last):
        tag = found[1]
        end = re.compile(rf"</{re.escape(tag)}\s*>", re.IGNORECASE).search(text, found.end())
        stop, at = (end.start(), end.end()) if end else (len(text), len(text))
        rule = by_tag[tag.lower()]
        inside = text[found.end() : stop]
        name = rule.display_name or rule.tag_name
        yield ReasoningBlock(found.start(), at, tag, name, inside, end is not None, rule.collapsed_by_default)


def _think_rules(build_input: BuildInput, agent_id: object) -> Sequence[ThinkRule]:
    """The rules of the agent that wrote the message if it is known, else of the request's agent."""
    agent: Agent | None = next((a for a in build_input.agents if agent_id and a.id == agent_id), build_input.agent)
    return think_rules_in_force(agent.llm_think_rules if agent else ())


def _found(build_input: BuildInput, node_id: str | None) -> tuple[MessageNode, int]:
    """The message, and the number of messages after it on the path to the leaf; 0 if it isn't on that path."""
    session = build_input.session
    if node_id is None:
        raise UnknownNode(f"session {session.id!r} has no active leaf; say which message")
    node = session.node(node_id)
    leaf = build_input.leaf_id
    path = [str(node.id) for node in session.path(leaf)] if leaf is not None else []
    depth = len(path) - 1 - path.index(node_id) if node_id in path else 0
    return node, depth


def _html(shown: Rendered) -> Iterator[str]:
    yield "<div style='white-space:pre-wrap'>"
    page = _Page(LONGEST)
    if shown.reasoning:
        yield f"<details><summary>reasoning</summary>{page.take(shown.reasoning)}</details>"
    whole, at = str(shown.text), 0
    for block in shown.thinking[:50]:
        opened = "" if block.collapsed else " open"
        yield page.take(whole[at : block.start])
        yield f"<details{opened}><summary>{page.take(block.name)}</summary>{page.take(block.text)}</details>"
        at = block.end
    yield page.take(whole[at:])
    yield "</div>"
    remarks = [f"{hit.rule}: {hit.count} changed" for hit in shown.hits] + [note.text for note in shown.notes]
    if remarks:
        yield f"<small>{'<br>'.join(page.take(text) for text in remarks[:40])}</small>"


class _Page:
    """Hands out text as HTML until it is full."""

    def __init__(self, characters: int) -> None:
        self._left = characters

    def take(self, text: str) -> str:
        cut, self._left = self._left, max(0, self._left - len(text))
        return escape(visible(text if len(text) <= cut else f"{text[:cut]}…"))
