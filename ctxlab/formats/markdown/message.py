"""A message as Markdown: speaker, time, text, and remarks on it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal, TypedDict, cast, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ctxlab.documents import Agent, MessageNode, ToolCall, UserProfile
from ctxlab.errors import WriteError, did_you_mean
from ctxlab.formats.markdown.translations import ENGLISH, Labels, checked, filled
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Data = Mapping[str, Any]
Detail = Literal["agent", "attachments", "calls", "errors", "model", "reasoning", "tokens", "user"]

FILES = ("image", "audio", "video", "document", "other")
DETAILS: tuple[Detail, ...] = get_args(Detail)
DAY = lazy_pattern(r"\d{4}-\d\d-\d\d")
"""A date without a time of day, which no zone moves."""
FILE = lazy_pattern(r"【file::([^】]+)】")
BACKTICKS = lazy_pattern("`+")


class How(TypedDict, total=False):
    """Options of an export for people; everything may be left out.

    `labels` translate its words (ENGLISH, CHINESE, or some of them), `zone` is the time zone of its dates (UTC),
    `show` what is shown beside the texts (all of DETAILS). `people` are agents and users whose names are used where a
    message only has their ids. `files` are texts of attachments by id: they replace `【file::id】`, else go after
    the message.
    """

    labels: Labels
    zone: str | tzinfo
    show: Collection[Detail]
    people: Sequence[Agent | UserProfile]
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One message; `above` and `below` are lines of Markdown around its text."""

    who: str
    text: str
    label: str = ""
    when: str = ""
    disabled: str = ""
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.who} [{self.label}]" if self.label else self.who

    @property
    def remarks(self) -> str:
        """The words after the title, with the blank before them: the time, and a mark of a disabled message."""
        time = f" ({self.when})" if self.when else ""
        return f"{time} [{self.disabled}]" if self.disabled else time

    @property
    def blocks(self) -> Iterator[str]:
        """Blocks under the heading, in order, without empty ones."""
        return filter(None, (*self.above, self.text, *self.below))


class Style:
    """The way from messages to entries: one for a whole export."""

    def __init__(
        self,
        *,
        labels: Labels = ENGLISH,
        zone: str | tzinfo = UTC,
        show: Collection[Detail] = DETAILS,
        people: Sequence[Agent | UserProfile] = (),
        files: Mapping[str, str] | None = None,
    ) -> None:
        self._labels = checked(labels)
        self.zone = _zone(zone)
        for detail in show:
            if detail not in DETAILS:
                raise WriteError(f"show= has no {detail!r}{did_you_mean(detail, DETAILS)}")
        self._show = frozenset(show)
        self._names = {person.id: person.shown_name for person in people if person.id and person.shown_name}
        self._files = files or {}

    def say(self, label: str, **values: object) -> str:
        return filled(self._labels[label], **values)

    def time(self, timestamp: str | None) -> str:
        """A stored time in this export's zone; without one of its own it is in UTC. What is no time stays as it is."""
        if not timestamp:
            return ""
        if DAY.fullmatch(timestamp):
            return timestamp
        try:
            time = datetime.fromisoformat(timestamp)
        except ValueError:
            return one_line(timestamp)
        if time.tzinfo is None:
            time = time.replace(tzinfo=UTC)
        return f"{time.astimezone(self.zone):%Y-%m-%d %H:%M:%S}"

    # --- nodes

    def entry(self, node: MessageNode, *, hidden: int = 0, preset: bool = False) -> Entry:
        """A node of the tree, or a preset; `hidden` is the number of messages that it hides in this export."""
        name = "" if preset else self.speaker(node)
        who = name or self.say("summary" if node.is_summary else node.role)
        label = one_line(_first_text(node.name, self._tool_of(node)))
        return Entry(
            who,
            self._with_files(node) if "attachments" in self._show else node.content,
            "" if label in (who, self.say(node.role)) else label,
            self.time(node.timestamp),
            "" if node.enabled else self.say("disabled"),
            tuple(self._above(node, hidden)),
            tuple(self._below(node)),
        )

    def speaker(self, node: MessageNode) -> str:
        """The speaker's name, where it is known and wanted."""
        if node.role == "user" and "user" in self._show:
            kept = ("userProfileDisplayName", "userProfileName")
            name = _first_text(*map(node.meta, kept), self._names.get(str(node.meta("userProfileId"))))
        elif node.role == "assistant" and "agent" in self._show:
            kept = ("agentDisplayName", "agentName")
            name = _first_text(*map(node.meta, kept), self._names.get(str(node.meta("agentId"))))
        else:
            return ""
        return one_line(name or (node.name or "" if not node.meta("isGreeting") else ""))

    def _tool_of(self, node: MessageNode) -> Any:
        call = node.meta("toolCall")
        return cast("Data", call).get("toolName") if isinstance(call, Mapping) else None

    def _above(self, node: MessageNode, hidden: int) -> Iterator[str]:
        if hidden:
            yield italic(self.say("stands_for", n=hidden))
        model = _first_text(*map(node.meta, ("modelDisplayName", "modelName", "modelId")))
        if model and node.role == "assistant" and "model" in self._show:
            profile = _first_text(*map(node.meta, ("profileDisplayName", "profileName")))
            yield italic(self.say("model", name=f"{model} ({profile})" if profile else model))
        if node.reasoning and "reasoning" in self._show:
            yield quoted(f"{self.say('reasoning')}\n{node.reasoning}")

    def _below(self, node: MessageNode) -> Iterator[str]:
        if "calls" in self._show:
            yield from map(self.call, node.tool_calls)
        if node.attachments and "attachments" in self._show:
            shown = (self.file(asset.name, asset.type) for asset in node.attachments)
            yield italic(self.say("attachments", names=", ".join(shown)))
        if "tokens" in self._show and (tokens := self._tokens(node.meta("usage"))):
            yield italic(tokens)
        if "errors" in self._show and isinstance(error := node.meta("error"), str):
            yield italic(self.say("error", text=error))

    def _tokens(self, usage: Any) -> str:
        counts = cast("Data", usage) if isinstance(usage, Mapping) else {}
        total, prompt, completion = (counts.get(f"{name}Tokens") for name in ("total", "prompt", "completion"))
        if prompt is None or completion is None:
            return "" if total is None else self.say("tokens", total=total)
        return self.say("tokens_split", total=total, prompt=prompt, completion=completion)

    def _with_files(self, node: MessageNode) -> str:
        """The text with the texts of attachments in it, and after it those that have no place in it."""
        known = {asset.id: asset.name for asset in node.attachments or () if asset.id in self._files}
        if not known:
            return node.content
        placed = {file_id for file_id in FILE.findall(node.content) if file_id in known}
        text = FILE.sub(lambda found: self._files[found[1]] if found[1] in placed else found[0], node.content)
        more = [
            f"{italic(self.say('text_of', name=name or file_id))}\n\n{self._files[file_id]}"
            for file_id, name in known.items()
            if file_id not in placed
        ]
        return "\n\n".join(filter(None, [text, *more]))

    def file(self, name: str, kind: str) -> str:
        """A file in a few words."""
        what = self.say(kind) if kind in FILES else one_line(kind)
        return f"{one_line(name)} ({what})" if name.strip() else what

    def call(self, call: ToolCall) -> str:
        return f"{self.say('call', name=f'`{one_line(call.name)}`')}\n\n{fenced(_pretty(call.arguments), 'json')}"

    # --- finished messages

    def entry_of_message(self, message: Data) -> Entry:
        """A message as it is sent, in OpenAI's form; what is no text in it is named in its place."""
        role = str(message.get("role") or "")
        content = message.get("content")
        parts = cast("list[Any]", content) if isinstance(content, list) else [content or ""]
        calling = MessageNode(role="assistant", metadata={"toolCallsRequested": message.get("tool_calls")})
        below = [self.call(call) for call in calling.tool_calls] if "calls" in self._show else []
        if isinstance(tokens := message.get("tokens"), int) and "tokens" in self._show:
            below.append(italic(self.say("tokens", total=tokens)))
        reasoning = message.get("reasoning_content")
        thought = isinstance(reasoning, str) and reasoning and "reasoning" in self._show
        return Entry(
            self.say(role) if role in ("system", "user", "assistant", "tool") else one_line(role),
            "\n\n".join(filter(None, (self._part(part) for part in parts))),
            one_line(_first_text(message.get("name"))),
            above=(quoted(f"{self.say('reasoning')}\n{reasoning}"),) if thought else (),
            below=tuple(below),
        )

    def _part(self, part: Any) -> str:
        if isinstance(part, str):
            return part
        fields = cast("Data", part) if isinstance(part, Mapping) else {}
        if isinstance(fields.get("text"), str):
            return fields["text"]
        kind = str(fields.get("kind") or fields.get("type") or "other")
        if kind == "asset":
            kind = "other"
        named = fields.get(kind)
        inner = cast("Data", named) if isinstance(named, Mapping) else fields
        name = _first_text(*(inner.get(key) for key in ("filename", "file_name", "name")))
        known = next((word for word in FILES if word in kind), "document")
        return quoted(self.file(name, known))


# --- pieces of Markdown


def one_line(text: str) -> str:
    return " ".join(text.split())


def italic(text: str) -> str:
    return f"*{one_line(text)}*"


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any run of backticks in it."""
    fence = "`" * max(3, *(len(run) + 1 for run in BACKTICKS.findall(text)), 0)
    return f"{fence}{language}\n{text}\n{fence}"


def _pretty(arguments: str) -> str:
    """JSON with indentation; anything else as it is."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments


def _first_text(*values: Any) -> str:
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def _zone(zone: str | tzinfo) -> tzinfo:
    if isinstance(zone, tzinfo):
        return zone
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # a region alone is a folder
        raise WriteError(f"there is no time zone {zone!r}; use a name such as 'UTC' or 'Asia/Shanghai'") from error
