"""Marks of a chat template: what it writes before, between and after messages, learnt by rendering planted words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

from ctxlab.context import Draft, Origin, Text
from ctxlab.context.equal_stretch import common_beginning
from ctxlab.documents.session.message import Role, ToolCall
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.jinja import plain_text
from ctxlab.errors import TemplateRefused
from ctxlab.lazy_dataclass import dataclass

START, END = "start", "end"
Pair = tuple[str, str]
TOOLS: Final[Sequence[Mapping[str, Any]]] = (
    {"type": "function", "function": {"name": "zqlook", "description": "Looks.", "parameters": {"type": "object"}}},
)
SHAPES: Final[Sequence[tuple[Role, ...]]] = (
    ("user",),
    ("system", "user"),
    ("user", "assistant"),
    ("user", "assistant", "user"),
    ("system", "user", "assistant", "user"),
    ("system", "user", "assistant", "user", "assistant", "user", "assistant"),
    ("user", "assistant", "system", "user"),
    ("user", "assistant", "assistant", "user"),
    ("user", "user", "assistant", "user"),
    ("assistant", "user"),
    ("system", "assistant", "user"),
)
"""Roles of the chats that are rendered; those that a template refuses teach nothing."""
CALL_SHAPES: Final[Sequence[tuple[Role, ...]]] = (
    ("user", "assistant", "tool", "assistant", "user"),
    ("system", "user", "assistant", "tool", "tool", "assistant", "user"),
    ("user", "assistant", "tool"),
)
"""Roles of chats with calls: an assistant before a tool has calls and no words."""
PLANTED: Final = ("zqlook", "zqvalue")
"""Words of a call."""
CLOSERS: Final = "\"'}])> \n"
"""Characters that may close a call's arguments."""


@dataclass(frozen=True, slots=True)
class TemplateMarks:
    """The texts that a template writes between two messages, by their roles; `start` and `end` are those of a text.

    With `bare_results` it writes results of tools without a mark before them.
    """

    by_pair: Mapping[Pair, frozenset[str]]
    bare_results: bool = False

    @property
    def are_alike(self) -> bool:
        """Whether it may write a result of a tool as it writes an answer."""
        return any({"assistant", "tool"} <= {after for _, after in pairs} for pairs in self.between().values())

    def between(self) -> Mapping[str, frozenset[Pair]]:
        """The pairs of roles by each text that stands between two messages."""
        found: dict[str, set[Pair]] = defaultdict(set)
        for pair, literals in self.by_pair.items():
            if START not in pair and END not in pair:
                for literal in literals:
                    found[literal].add(pair)
        return {literal: frozenset(pairs) for literal, pairs in found.items()}

    def edge(self, which: str) -> Mapping[str, frozenset[str]]:
        """The roles that stand there by each text at the start, or at the end."""
        found: dict[str, set[str]] = defaultdict(set)
        for (before, after), literals in self.by_pair.items():
            if which in (before, after):
                for literal in literals:
                    found[literal].add(after if which == START else before)
        return {literal: frozenset(roles) for literal, roles in found.items()}


def marks_of(template: JinjaTemplate, special_tokens: Mapping[str, str], now: datetime) -> TemplateMarks:
    """The marks of a template; none where it refuses every chat."""
    found: dict[Pair, set[str]] = defaultdict(set)
    asked = [(roles, (), is_asked) for roles in SHAPES for is_asked in (True, False)]
    asked += [(roles, tools, True) for roles in CALL_SHAPES for tools in (TOOLS, ())]
    for roles, tools, is_asked in asked:
        drafts = _planted(roles)
        try:
            text = plain_text(
                template, drafts, tools=tools, special_tokens=special_tokens, now=now, add_generation_prompt=is_asked
            )
        except TemplateRefused:
            continue
        for pair, literal in _pairs(found, drafts, text, has_tools=bool(tools)):
            found[pair].add(literal)
    by_pair = {pair: frozenset(each for each in literals if _parts(pair, each)) for pair, literals in found.items()}
    bare = any(not literal.strip() for (_, after), literals in found.items() if after == "tool" for literal in literals)
    return TemplateMarks({pair: literals for pair, literals in by_pair.items() if literals}, bare)


def _parts(pair: Pair, literal: str) -> bool:
    """Whether a text can part messages: none that is blank, or that has what was planted in it."""
    return not any(each in literal for each in PLANTED) and (START in pair or END in pair or bool(literal.strip()))


def _planted(roles: Sequence[Role]) -> list[Draft]:
    drafts: list[Draft] = []
    for number, role in enumerate(roles):
        calls = role == "assistant" and number + 1 < len(roles) and roles[number + 1] == "tool"
        words = () if calls else (Text.of(f"zqw{number}w", Origin("plain")),)
        call = ToolCall("abcdefgh1", "zqlook", '{"zqarg": "zqvalue"}')
        drafts.append(
            Draft(
                f"m{number}",
                role,
                words,
                Origin("plain"),
                calls=(call,) if calls else (),
                result_of="abcdefgh1" if role == "tool" else None,
            )
        )
    return drafts


def _pairs(
    found: Mapping[Pair, set[str]], drafts: Sequence[Draft], text: str, *, has_tools: bool
) -> Iterator[tuple[Pair, str]]:
    """The texts between the planted words of a rendering, by the roles on both sides."""
    at, last, calls = 0, START, False
    for number, draft in enumerate(drafts):
        words = f"zqw{number}w"
        if draft.calls:
            calls = True
            continue
        place = text.find(words, at)
        if place < 0:  # left out, as results of tools may be
            continue
        if not (last == START and has_tools):  # their definitions stand there
            yield from _parted(found, (last, draft.role), text[at:place], calls=calls)
        at, last, calls = place + len(words), draft.role, False
    if last != START and not calls:
        yield (last, END), text[at:]


def _parted(found: Mapping[Pair, set[str]], pair: Pair, between: str, *, calls: bool) -> Iterator[tuple[Pair, str]]:
    """A text between two messages by its pairs: two of them where an answer with calls and no words is between."""
    before, after = pair
    if not calls:
        yield pair, between
        return
    opening = max(
        (each for each in found.get((before, "assistant"), ()) if between.startswith(each)), key=len, default=""
    )
    if not opening:
        if PLANTED[0] not in between:  # nothing of the call was written
            yield pair, between
        return
    rest = between[len(opening) :]
    if PLANTED[0] not in rest:
        yield ("assistant", after), rest
        return
    written = max(rest.rfind(word) + len(word) for word in PLANTED if word in rest)
    ending = rest[written:]
    close = common_beginning(found.get(("assistant", "user"), ()))
    if close.strip() and close in ending:
        yield ("assistant", after), ending[ending.index(close) :]
    else:
        yield ("assistant", after), ending.lstrip(CLOSERS)


def drafts_of(messages: Sequence[tuple[str, str]]) -> list[Draft]:
    """Messages as drafts, to be rendered."""
    return [
        Draft(
            f"m{number}",
            cast("Role", role),
            (Text.of(words, Origin("plain")),) if words else (),
            Origin("plain"),
            result_of="abcdefgh1" if role == "tool" else None,
        )
        for number, (role, words) in enumerate(messages)
    ]
