"""Load the path to a leaf as drafts; disabled, blank, summarised and other models' messages are dropped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, NamedTuple, cast

from pydantic import Field

from ctxlab.context import (
    NOTHING,
    AssetRef,
    Cause,
    Context,
    Draft,
    Dropped,
    Edit,
    MacroVariables,
    Origin,
    Pending,
    Span,
    Text,
)
from ctxlab.display.one_line import plain
from ctxlab.documents import Agent, Asset, MessageNode, ModelProfile, ProcessorEntry, Session
from ctxlab.documents.kept_facts import KeptFacts
from ctxlab.documents.rules import think_rules_in_force
from ctxlab.engines.html import as_markdown, looks_like_html
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.engines.macros.expand import may_have_macros
from ctxlab.engines.macros.registry import SILLYTAVERN
from ctxlab.engines.model_match import model_fits
from ctxlab.pipeline import Processor, ProcessorSettings, Services
from ctxlab.processors.macro_engine import MACRO_ENGINE, MacroEngine

ID = "session-loader"
REASONING = Cause(ID, "reasoning", "the reasoning of a message without tool calls is not sent again")
AS_USER = Cause(ID, "tool-role", "tool results go as the user's text, so nothing is sent as a call")
CALLS_OFF = "calls-off", "stored tool calls and their results are not sent"
BLANKS = Cause(ID, "blank", "there is nothing but blanks in it")


class SessionLoader(Processor):
    """Load the messages from the root to the leaf."""

    id = ID
    name = "Session loader"
    description = (
        "Takes the path from the root to the leaf; leaves out what is disabled, summarised or not meant for it."
    )
    priority = 100
    is_core = True
    provides = ("history",)

    class Settings(ProcessorSettings):
        tool_role: Literal["tool", "user"] = Field(
            "tool",
            title="Tool role",
            description="Role under which tool results are sent; user sends them as plain text.",
        )
        stored_calls: bool = Field(
            True,
            title="Stored tool calls",
            description="Send the tool calls that the conversation holds, and their results.",
        )
        blank_messages: bool = Field(
            False,
            title="Blank messages",
            description="Send messages that are nothing but blanks, with their blanks.",
        )
        empty_messages: bool = Field(
            False,
            title="Empty messages",
            description="Load messages without a character too: they count where keys are looked for and for depths, "
            "until the step that sends prompts of blanks leaves them out.",
        )
        reasoning_newest: int = Field(
            0,
            ge=0,
            title="Reasoning kept",
            description="Keep the reasoning of this many newest messages without tool calls; others lose theirs.",
        )
        macro_engine: MacroEngine = Field(
            "seed",
            title="Macros of the first message",
            description="Whose engine expands the macros of the conversation's first message before all else, and "
            "keeps what they set: SillyTavern's do, ctxlab's leaves the message as it is stored.",
            json_schema_extra=MACRO_ENGINE.json_schema_extra,
        )
        html_to_markdown: bool = Field(
            False, title="HTML to Markdown", description="Convert HTML in older messages to Markdown, which is shorter."
        )
        html_keep_newest: int = Field(
            5, ge=0, title="Keep newest as HTML", description="Messages at the end of the path that stay as they are."
        )
        html_note: str = Field(
            "\n[this message was HTML]",
            title="Note after conversion",
            description="Text put after a converted message; empty for none.",
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        if not isinstance(stored, Agent) or not stored.tool_call_config:
            return None
        wanted = stored.tool_call_config.get("convertToolRoleToUser")
        return ProcessorEntry(id=cls.id, settings={"tool_role": "user"}) if wanted is True else None

    def __call__(self, ctx: Context, services: Services) -> Context:
        build_input = ctx.input
        leaf = build_input.leaf_id
        if leaf is None:
            ctx = ctx.note(
                "warning", f"session {build_input.session.id!r} has no active leaf; no history", processor=ID
            )
            return self._with_pending(ctx, [])
        walk = build_input.session.walk(leaf)
        if walk.broken:
            ctx = ctx.note("warning", f"the path to {leaf!r} is broken: {walk.broken}", processor=ID, leaf=leaf)
        path, stored, hidden = _stored_path(build_input.session, walk.nodes, leaf)
        drafts: list[Draft] = []
        sent: list[MessageNode] = []
        out = _LeftOut()
        problems: list[str] = []
        older = self._older(path, hidden)
        with_reasoning = self._with_reasoning(path, hidden)
        expanded = path[0] if path and self.settings.macro_engine != "seed" else None
        changes_tools = self.settings.tool_role == "user" or not self.settings.stored_calls
        for node, message in zip(path, stored, strict=True):
            special = not message.is_plain or node is expanded or (changes_tools and message.is_of_tools)
            if not (special or node.id in hidden or node.id in older):
                drafts.append(message.draft)
                sent.append(node)
                continue
            draft = self._draft(
                node,
                message.draft,
                convert=node.id in older,
                keeps_reasoning=node.id in with_reasoning,
                agent=build_input.agent,
                problems=problems,
            )
            if node is expanded and may_have_macros(node.content):
                ctx, draft = self._first_message(ctx, draft)
            stays = self._stays_without_words(node)
            blank = not stays and not node.content.strip()
            ordinary = node.is_enabled is not False and node.model_match is None and not (blank or hidden or older)
            outcome = None if ordinary else _outcome(node, draft, hidden, ctx, problems, stays=stays)
            if outcome is None and not self.settings.stored_calls and (draft.calls or node.role == "tool"):
                outcome = CALLS_OFF
            if outcome is None:
                drafts.append(_without_blanks(draft) if blank and node.content else draft)
                sent.append(node)
            else:
                out.add(*outcome, draft)
        ctx = ctx.arrange((*ctx.drafts, *drafts), dropped=out.groups())
        for problem in problems:
            ctx = ctx.note("warning", problem, processor=ID)
        return self._with_pending(self._noted(ctx, sent, hidden, out), list(ctx.drafts))

    def _stays_without_words(self, node: MessageNode) -> bool:
        """Whether a message of blanks, or of nothing, is loaded all the same."""
        if node.content.strip():
            return False
        return self.settings.blank_messages if node.content else self.settings.empty_messages

    def _first_message(self, ctx: Context, draft: Draft) -> tuple[Context, Draft]:
        """The first message with its macros expanded; they are read before all others."""
        env = MacroEnv.of(ctx.input, dice=ctx.dice, engine=self.settings.macro_engine)
        expansion = expand(draft.text, env.at(draft.key).speaking(SILLYTAVERN), processor=ID)
        if expansion.variables is not env.variables:
            ctx = ctx.put(MacroVariables(expansion.variables, env.variables))
        return ctx.noted([replace(note, processor=ID) for note in expansion.notes]), draft.edit_text(
            lambda _: expansion.text
        )

    def _older(self, path: Sequence[MessageNode], hidden: Mapping[str, str]) -> Collection[str]:
        """Ids of the messages whose HTML is converted: all but the newest; those that a summary hides don't count."""
        if not self.settings.html_to_markdown:
            return ()
        ids = [node.id for node in path if node.id not in hidden]
        return set(ids[: max(0, len(ids) - self.settings.html_keep_newest)])

    def _with_reasoning(self, path: Sequence[MessageNode], hidden: Mapping[str, str]) -> Collection[str]:
        """Ids of the newest messages that keep their reasoning."""
        if not self.settings.reasoning_newest:
            return ()
        sent = (node for node in reversed(path) if node.enabled and node.id not in hidden)
        return set(islice((node.id for node in sent if node.reasoning), self.settings.reasoning_newest))

    def _draft(
        self,
        node: MessageNode,
        draft: Draft,
        *,
        convert: bool,
        keeps_reasoning: bool,
        agent: Agent | None,
        problems: list[str],
    ) -> Draft:
        role = node.role
        if convert and looks_like_html(node.content):
            text = self._converted(draft.text, agent, node, problems)
            draft = replace(draft, body=_body(text, node.attachments) if node.attachments else (text,))
        if draft.reasoning and role == "assistant" and not (draft.calls or keeps_reasoning):
            draft = draft.changed(REASONING, reasoning=None)
        if self.settings.tool_role == "user" and (draft.calls or role == "tool"):
            draft = draft.changed(AS_USER, calls=(), role="user" if role == "tool" else role)
        return draft

    def _converted(self, text: Text, agent: Agent | None, node: MessageNode, problems: list[str]) -> Text:
        tags = [rule.tag_name for rule in think_rules_in_force(agent.llm_think_rules if agent else ())]
        cause = Cause(ID, "html-to-markdown", "an older message")
        text, problem = as_markdown(text, keep_tags=tags, note=self.settings.html_note, cause=cause)
        if problem:
            problems.append(f"message {node.id!r} stays as it is: {problem}")
        return text

    def _with_pending(self, ctx: Context, drafts: list[Draft]) -> Context:
        pending = ctx.input.pending
        if pending is None:
            return ctx
        assets = tuple(AssetRef.of(Asset.model_validate(a)) for a in pending.attachments)
        draft = Draft("pending", "user", (_typed(pending), *assets), Origin("pending"))
        return ctx.arrange((*(drafts or ctx.drafts), draft))

    def _noted(self, ctx: Context, sent: list[MessageNode], hidden: Mapping[str, str], out: _LeftOut) -> Context:
        off = out.keys("disabled")
        if off:
            ctx = ctx.note(
                "info",
                f"{_messages(len(off))} switched off: {_named(off, ctx.input.session.nodes)}",
                processor=ID,
                keys=off,
            )
        present = ({node.id for node in sent} | set(hidden)) if hidden else set[str]()
        for summary in dict.fromkeys(hidden.values()):
            if summary not in present:
                ctx = ctx.note(
                    "warning", f"summary {summary!r} is not sent, and what it stands for neither", processor=ID
                )
        ctx = _noted_edits(ctx, [summary for summary in dict.fromkeys(hidden.values()) if summary not in hidden])
        for node in sent:
            if node.status != "complete" and node.content.strip():
                ctx = ctx.note("warning", f"message {node.id!r} is marked {node.status} and is sent", processor=ID)
        if self.settings.tool_role == "user":
            calls = sum(len(node.tool_calls) for node in sent if node.role == "assistant")
            if calls:
                ctx = ctx.note(
                    "info", f"tool calls are not sent as calls ({calls}): results go as user text", processor=ID
                )
        return ctx


class _Stored(NamedTuple):
    """A stored message as a draft.

    A plain one is loaded as it is unless something hides it; one with calls or a result, only where these are sent.
    """

    draft: Draft
    is_summary: bool
    is_of_tools: bool
    is_plain: bool


def _stored(node: MessageNode) -> _Stored:
    content, metadata, summary = node.content, node.metadata, node.is_summary
    origin = Origin("summary" if summary else "node", node.id)
    text = Text.of(content, origin)
    body = _body(text, node.attachments) if node.attachments else (text,)
    calls, result_of, reasoning, priority = node.sent_fields
    draft = Draft(
        f"node:{node.id}",
        node.role,
        body,
        origin,
        calls,
        result_of,
        reasoning,
        node.speaker,
        pinned=summary and not calls and result_of is None,  # a shorter copy of one message is cut like that message
        priority=priority,
        meta=metadata or NOTHING,
    )
    is_of_tools = bool(calls) or node.role == "tool"
    has_words = bool(content.strip()) or (is_of_tools and not content)
    special = summary or node.is_enabled is False or node.model_match is not None or (reasoning and not calls)
    return _Stored(draft, summary, is_of_tools, is_plain=has_words and not special)


STORED: KeptFacts[MessageNode, _Stored] = KeptFacts(_stored)
"""A message is made once for all runs that load it."""


class _StoredPath(NamedTuple):
    """The messages on the way to a leaf, and which of them a summary hides."""

    nodes: Sequence[MessageNode]
    messages: Sequence[_Stored]
    hidden: Mapping[str, str]


class _LastPath:
    """The way through a session that was loaded last."""

    def __init__(self, session: Session) -> None:
        self.found: tuple[str, _StoredPath] | None = None


LAST_PATH: KeptFacts[Session, _LastPath] = KeptFacts(_LastPath)


def _stored_path(session: Session, nodes: Sequence[MessageNode], leaf: str) -> _StoredPath:
    last = LAST_PATH.of(session)
    if last.found is not None and last.found[0] == leaf:
        return last.found[1]
    path = [n for n in _under_their_keys(nodes, leaf) if n.parent_id is not None or not n.is_empty_root]
    messages = STORED.of_all(path)
    hidden = _hidden_by(node for node, message in zip(path, messages, strict=True) if message.is_summary)
    last.found = leaf, _StoredPath(path, messages, hidden)
    return last.found[1]


class _LeftOut:
    """Messages that are not loaded, one group per reason."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], list[Draft]] = {}

    def add(self, rule: str, reason: str, draft: Draft) -> None:
        self._groups.setdefault((rule, reason), []).append(draft)

    def groups(self) -> list[Dropped]:
        return [Dropped(tuple(drafts), Cause(ID, rule, why)) for (rule, why), drafts in self._groups.items()]

    def keys(self, rule: str) -> list[str]:
        return [draft.key for (name, _), drafts in self._groups.items() if name == rule for draft in drafts]


def _typed(pending: Pending) -> Text:
    """The pending text with provenance; a plain string gets one span of origin `pending`."""
    pending_text = str(pending.text)
    remembers = isinstance(pending.text, Text) and any(span.was for span in pending.text.spans)
    if isinstance(pending.text, Text) and (remembers or pending.original in (None, pending_text)):
        return pending.text
    origin = Origin("pending")
    if pending.original in (None, pending_text):
        return Text.of(pending_text, origin)
    was = (Span(str(pending.original), origin),)
    return Text((Span(pending_text, origin, Cause(ID, "expanded-input", "macros in what was typed"), was),))


def _body(text: Text, attachments: tuple[Asset, ...]) -> tuple[Text | AssetRef, ...]:
    assets = tuple(AssetRef.of(asset) for asset in attachments)
    return (text, *assets) if text else assets


def _without_blanks(draft: Draft) -> Draft:
    """A message whose text is nothing but blanks, as it is sent: without them."""
    return draft.edit_text(lambda text: text.splice([Edit(0, len(text), "", BLANKS)]))


def _under_their_keys(nodes: Sequence[MessageNode], leaf: str) -> list[MessageNode]:
    """The nodes of a path, each called as the tree calls it, whatever it says of itself."""
    keys = [*(node.parent_id for node in nodes[1:]), leaf]
    if [node.id for node in nodes] == keys:
        return list(nodes)
    return [
        node if node.id == key else node.model_copy(update={"id": key}) for node, key in zip(nodes, keys, strict=False)
    ]


def _hidden_by(summaries: Iterable[MessageNode]) -> Mapping[str, str]:
    """Ids that an enabled summary stands for, with the summary's id; a hidden summary still hides."""
    return {hidden: node.id for node in summaries if node.enabled for hidden in node.hides}


def _outcome(
    node: MessageNode, draft: Draft, hidden: Mapping[str, str], ctx: Context, problems: list[str], *, stays: bool
) -> tuple[str, str] | None:
    """The rule that keeps a message out, and why; None when it is loaded."""
    if node.is_enabled is False:
        return "disabled", node.disabled_reason or "the message is switched off"
    if node.id in hidden:
        return "summarised", f"summary {_name(hidden[node.id], ctx.input.session.nodes)} stands for it"
    words = stays or str(draft.text).strip()
    if not (draft.assets or draft.calls or draft.role == "tool" or draft.replayed or words):
        return "blank", "there are no words and no files in it"
    if node.model_match is not None and not _fits(node, ctx, problems):
        return "model-match", "it is not meant for this model"
    return None


def _fits(node: MessageNode, ctx: Context, problems: list[str]) -> bool:
    verdict = model_fits(node.model_match, ctx.input.model)
    problems.extend(f"message {node.id!r}: {problem}" for problem in verdict.problems)
    return verdict.fits


def _noted_edits(ctx: Context, summaries: Iterable[str]) -> Context:
    """Notes on summaries that stand for messages which were edited since they were made."""
    nodes = ctx.input.session.nodes
    for summary in summaries:
        if summary in nodes and (edited := nodes[summary].edited_of(nodes)):
            after = "was edited after it was" if len(edited) == 1 else "were edited after they were"
            text = f"summary {summary!r} stands for {_named(list(edited), nodes)}, which {after} summarised"
            ctx = ctx.note("warning", text, processor=ID, keys=list(edited))
    return ctx


def _messages(n: int) -> str:
    return "1 message is" if n == 1 else f"{n} messages are"


LONGEST_ID = 12
"""Longer ids say nothing to a person."""


def _name(id: str, nodes: Mapping[str, MessageNode]) -> str:
    """An id, or the first words of its message where the id says nothing."""
    if len(id) <= LONGEST_ID or id not in nodes:
        return id
    words = plain(nodes[id].content, 24)
    return f"“{words}”" if words else f"a {nodes[id].role} message without words"


def _named(keys: list[str], nodes: Mapping[str, MessageNode]) -> str:
    shown = ", ".join(_name(key.removeprefix("node:"), nodes) for key in keys[:5])
    return shown if len(keys) <= 5 else f"{shown} and {len(keys) - 5} more"


def stored_setting(holder: dict[str, Any] | None, name: str) -> Mapping[str, Any]:
    """A group of settings inside a stored `parameters`; empty when it isn't an object."""
    found = (holder or {}).get(name)
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}
