"""Message lists in OpenAI's chat form: a bare list, `{"messages": [...]}`, JSON lines of either.

Messages as chat programs store them are read too: entities with a `body`, `toolCalls`, `toolCallId`, `segments`,
summaries amongst them or beside them, system prompts beside them. Of requests the system prompt (`system` of Anthropic,
`instructions` of OpenAI), the tools and the model are taken, and all other fields become parameters of the agent.

A message becomes the node of its own `id` (a number is its digits), or without one `m<index>`, by its place in the
list. Leading system messages become presets of an agent. Text parts are joined by a newline; pictures, sounds and files
become attachments. Facts of a message that a node has no field for are kept in its `metadata.openai`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from ctxlab.documents import Session
from ctxlab.formats.files.inline import with_bytes_inside
from ctxlab.formats.format import Format, Pick, always
from ctxlab.formats.openai.chat_app_messages import summaries_around
from ctxlab.formats.openai.conversation import Conversation, Shelf, is_message
from ctxlab.formats.openai.writer import openai_messages
from ctxlab.formats.requests.chat import chat_parameters, is_request
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.formats.values_to_export import agent_of, other_branches_left_out

Data = dict[str, Any]

BOOKKEEPING: Final = frozenset({"chatId", "messageIds", "startMessageId", "segments", "parentMessageId", "user"})
"""Fields of chat programs that no model reads, and those of parts and links, which are told of one by one."""
MESSAGES = ("messages", "messageEntities")
PROMPTS = ("systemPrompts", "system", "instructions")
"""Fields beside the messages that hold system prompts: of chat programs, and of Anthropic's and OpenAI's requests."""


def sniff(data: Any) -> bool:
    if isinstance(data, dict):
        return _holds_messages(data)
    return mostly(data, is_message) or mostly(data, _holds_messages)


def _holds_messages(value: Any) -> bool:
    return _key_of_messages(value) is not None


def _key_of_messages(value: Any) -> str | None:
    fields = cast("Data", value) if isinstance(value, dict) else {}
    return next((key for key in MESSAGES if mostly(fields.get(key), is_message)), None)


def read(source: Source) -> Import:
    losses = list(source.losses)
    shelf = Shelf(f"agent-{source.stem}", keep_prompts=source.keep_prompts)
    names = Names()
    sessions: list[Session] = []
    for place, wanted, messages, around in _conversations(source, losses):
        session_id = names.take(wanted)
        if session_id != wanted:
            losses.append(Loss(place, f"session id {wanted!r} is there twice; this one is {session_id!r} now"))
        tools, prompts = _tools_of(around), _prompts_of(around)
        summaries, used = summaries_around(around)
        model = around.get("model")
        parameters = chat_parameters(around) if is_request(around) else None
        talk = Conversation(
            messages,
            shelf=shelf,
            tools=tools,
            prompts=prompts,
            summaries=summaries,
            model=model if isinstance(model, str) and model else None,
            parameters=parameters.data() if parameters else {},
        )
        used += parameters.names if parameters else []
        used += ["id", *(["tools"] if tools else []), *(key for key in PROMPTS if _is_text_alone(around.get(key)))]
        losses += [
            Loss(f"{place}.{key}".lstrip("."), "more than text in its blocks is kept beside the conversation, not sent")
            for key in PROMPTS
            if _prompt(around.get(key)) is not None and not _is_text_alone(around[key])
        ]
        about = {key: value for key, value in around.items() if key not in used and value is not messages}
        sessions.append(talk.session(session_id, openai=about or None))
        losses += [loss.inside(place) for loss in talk.losses]
    return with_unsent_texts(Import(tuple(sessions), shelf.agents, losses=tuple(losses)), source, BOOKKEEPING)


def _conversations(source: Source, losses: list[Loss]) -> Iterator[tuple[str, str, list[Any], Data]]:
    """Place, wanted id, messages and the object around them, for each conversation."""
    if mostly(source.data, is_message):
        yield "", source.stem, source.data, {}
        return
    for number, (place, item) in enumerate(source.items(), start=1):
        key = _key_of_messages(item)
        if key is not None:
            own = item.get("id")
            fallback = f"{source.stem}-{number}" if place else source.stem
            yield place, str(own) if isinstance(own, str | int) and own != "" else fallback, item[key], item
        else:
            losses.append(Loss(place, "no list of messages; it is left out"))


def _tools_of(around: Data) -> list[Data]:
    """The tool definitions, if that is what is there; else they stay with what is around the messages."""
    stored = around.get("tools")
    tools = cast("list[Any]", stored) if isinstance(stored, list) else []
    return tools if all(isinstance(tool, dict) for tool in tools) else []


def _prompts_of(around: Data) -> list[str]:
    """The system prompts beside the messages, which are sent as one."""
    prompts = [prompt for key in PROMPTS if (prompt := _prompt(around.get(key)))]
    return ["\n".join(prompts)] if prompts else []


def _prompt(stored: Any) -> str | None:
    """A text, texts, or blocks of text as one text; None for anything else, which stays beside the messages."""
    if isinstance(stored, str):
        return stored
    blocks = cast("list[Any]", stored) if isinstance(stored, list) else []
    texts = [cast("Data", block).get("text") if isinstance(block, dict) else block for block in blocks]
    return "\n".join(cast("list[str]", texts)) if texts and all(isinstance(text, str) for text in texts) else None


def _is_text_alone(stored: Any) -> bool:
    """Whether a system prompt has nothing but text, such as no cache mark."""
    blocks = cast("list[Any]", stored) if isinstance(stored, list) else []
    fields = {key for block in blocks if isinstance(block, dict) for key in cast("Data", block)}
    return _prompt(stored) is not None and fields <= {"type", "text"}


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The active path of the only session, or of the picked one, with its agent's presets and the files at hand."""
    session = with_bytes_inside(found.pick(pick), found.files)
    export = openai_messages(session, agent=agent_of(session, found.agents))
    return export.as_bytes().after(other_branches_left_out(session))


OPENAI = Format(
    "openai",
    "list of messages",
    (".openai.json",),
    sniff=sniff,
    read=read,
    write=write,
    holds=("sessions",),
    only_conversations=always,
)
