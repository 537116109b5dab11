"""Counts of messages for a model with a template: its vocabulary's, and what the template adds, measured."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any, Final

from ctxlab.context import Draft, Origin, Text
from ctxlab.context.tool_pairs import NO_ID
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.message import ToolCall
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.tokens.estimated_range import estimated_range
from ctxlab.errors import TemplateRefused
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models.local_model import LocalModel, ModelFact
from ctxlab.prompt.token_range import TokenRange

PROBES: Final = ("x", "Hello there.", " x ", "\nx\n", "1. x", "“x”")
"""Texts of messages with which a template is tried: vocabularies may join a text's ends with what stands around it."""
IDS: Final = ("different", "lamp34567")
"""Ids of calls with which a template is tried; Mistral's refuse others than of nine letters or digits."""
TURNS: Final = 6
"""Questions of the chat on which the measured figures are tried."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TemplateTokenizer:
    """Counts what messages add to the text that a model reads of them.

    `role_tokens` are those that the template writes around a message of a role, `call_tokens` around a call,
    `request_tokens` once; `writes_ids` is whether it writes the ids of calls. Each figure is the largest of several
    that were measured. `problem` says where a chat's sum was less than its text, "" where it wasn't. `model` is whose
    template it is. Thoughts and names count although many templates leave them out. What is added only where the last
    message is a reply isn't counted.
    """

    template: JinjaTemplate
    special_tokens: Mapping[str, str]
    words: Tokenizer
    role_tokens: Mapping[str, int] = field(default_factory=FrozenDict)
    call_tokens: int = 0
    request_tokens: int = 0
    writes_ids: bool = False
    problem: str = ""
    model: LocalModel | None = None

    def __repr__(self) -> str:
        return f"TemplateTokenizer({self.name!r}, {'estimated' if self.estimated else 'exact'})"

    @property
    def name(self) -> str:
        return self.words.name

    @property
    def estimated(self) -> bool:
        return self.words.estimated

    @property
    def message_tokens(self) -> int:
        """Tokens around a message of a user."""
        return self.role_tokens.get("user", 0)

    def count(self, text: str) -> int:
        return self.words.count(text)

    def count_draft(self, draft: Draft) -> int:
        around = self.role_tokens.get(draft.role, self.message_tokens)
        return self.content_tokens(draft) + around + self.call_tokens * len(draft.calls)

    def content_tokens(self, draft: Draft) -> int:
        """Tokens of a message's own words, without what the template adds."""
        tokens = self.words.content_tokens(draft)
        if self.writes_ids:
            tokens += sum(self.count(call.id) for call in draft.calls)
        elif draft.role == "tool":
            tokens -= self.count(draft.result_of if draft.result_of and draft.result_of.strip() else NO_ID)
        return tokens + sum(self._rewritten(call.arguments) for call in draft.calls)

    def draft_is_estimated(self, draft: Draft) -> bool:
        return self.words.draft_is_estimated(draft)

    @property
    def safe(self) -> TemplateTokenizer:
        """This counter by the safe side of an estimated vocabulary, and of the template's own text; else itself."""
        return self if self.words.safe is self.words else _safe(self)

    def token_range(self, drafts: Sequence[Draft], tools: Sequence[Mapping[str, Any]] = ()) -> TokenRange | None:
        """The range of a prompt's tokens by open vocabularies; None where it has a vocabulary of its own."""
        if not self.words.estimates_texts:
            return None
        return estimated_range(lambda counts: replace(self, words=self.words.counting_by(counts)), drafts, tools)

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        """Tokens that the template writes of tool definitions; those of their JSON where it refuses them."""
        if not tools:
            return 0
        without, having = (_size(self, [_draft("user", "x")], tools=each) for each in ((), tools))
        if without is None or having is None or having <= without:
            return self.words.count_tools(tools)
        return having - without

    def _rewritten(self, arguments: str) -> int:
        """Tokens by which a call's arguments grow where a template writes them as JSON of its own."""
        try:
            text = json.dumps(json.loads(arguments), ensure_ascii=False)
        except (ValueError, RecursionError):
            return 0
        return max(0, self.words.count(text) - self.words.count(arguments))


def template_tokenizer(model: LocalModel, words: Tokenizer, *, has_tools: bool = False) -> TemplateTokenizer:
    """The counts of a model by `words`, its own vocabulary or an estimate, with what its template adds.

    Raises UnknownName where it has no template.
    """
    template = model.template(has_tools=has_tools)
    # What a wire adds to calls is left out: the template's own is measured.
    bare = words if not words.call_tokens else replace(words, call_tokens=0)
    measured = _measured(template, tuple(model.special_tokens.items()), bare)
    return _of_model(measured, model.name, tuple(model.templates.items()), model.context_length, model.adds_begin)


@lru_cache(maxsize=32)
def _of_model(
    measured: TemplateTokenizer,
    name: str,
    templates: tuple[tuple[str, JinjaTemplate], ...],
    window: int | None,
    adds_begin: bool,  # noqa: FBT001 -- a part of the key
) -> TemplateTokenizer:
    """One value for equal models, so that what was made for one is known for the next."""
    vocabulary = None if measured.estimated else measured.words
    special = FrozenDict(measured.special_tokens)
    facts = (ModelFact("add_bos_token", adds_begin, name),)
    return replace(measured, model=LocalModel(name, FrozenDict(templates), vocabulary, special, window, facts))


@lru_cache(maxsize=32)
def _safe(counter: TemplateTokenizer) -> TemplateTokenizer:
    """A counter by the safe side of an estimate; no figure of the template is below that of the estimate."""
    found = _measured(counter.template, tuple(counter.special_tokens.items()), counter.words.safe)
    roles = {role: max(n, found.role_tokens.get(role, 0)) for role, n in counter.role_tokens.items()}
    return replace(
        found,
        role_tokens=FrozenDict(roles),
        call_tokens=max(counter.call_tokens, found.call_tokens),
        request_tokens=max(counter.request_tokens, found.request_tokens),
    )


@lru_cache(maxsize=32)
def _measured(template: JinjaTemplate, special: tuple[tuple[str, str], ...], words: Tokenizer) -> TemplateTokenizer:
    bare = TemplateTokenizer(template, FrozenDict(special), words)
    user, assistant, system = (_draft(role, "x") for role in ("user", "assistant", "system"))
    if _size(bare, [user]) is None:
        return replace(bare, problem=f"The template refuses a chat of one question: {_refusal(bare, [user])}")
    around = {
        "user": _most(_around_user(bare, text) for text in PROBES),
        "assistant": _most(_around_reply(bare, text) for text in PROBES),
        "system": _most(_around_system(bare, text) for text in PROBES),
    }
    around["developer"] = around["system"]
    bare = replace(bare, role_tokens=FrozenDict(around))
    short, long = (_size(bare, [user, _calling(id)]) for id in IDS)
    bare = replace(bare, writes_ids=short != long)
    calls, results = _around_calls(bare)
    bare = replace(bare, call_tokens=calls, role_tokens=FrozenDict({**around, "tool": results}))
    heads = ([user], [system, user], [user, assistant, user], [system, user, assistant, user])
    once = _most(_beyond(bare, head) for head in heads)
    found = replace(bare, request_tokens=once)
    return replace(found, problem=_problem(found, [system, *[user, assistant] * TURNS, user]))


def _around_user(counter: TemplateTokenizer, text: str) -> int | None:
    u, a, mine = _draft("user", "x"), _draft("assistant", "x"), _draft("user", text)
    after_another = _difference(counter, [u, a, mine, mine], [u, a, mine])
    found = after_another if after_another is not None else _difference(counter, [u, a, mine], [u, a])
    return None if found is None else found - counter.count(text)


def _around_reply(counter: TemplateTokenizer, text: str) -> int | None:
    u, a = _draft("user", "x"), _draft("assistant", text)
    both = _difference(counter, [u, a, u, a, u], [u, a, u])
    question = _around_user(counter, "x")
    return None if both is None or question is None else both - question - counter.count("x") - counter.count(text)


def _around_system(counter: TemplateTokenizer, text: str) -> int | None:
    u, a, s = _draft("user", "x"), _draft("assistant", "x"), _draft("system", text)
    found = [_difference(counter, [s, u], [u]), _difference(counter, [u, a, s, u], [u, a, u])]
    return max((each - counter.count(text) for each in found if each is not None), default=None)


def _around_calls(counter: TemplateTokenizer) -> tuple[int, int]:
    """Tokens around a call, and around a tool's result."""
    u, a = _draft("user", "x"), _draft("assistant", "x")
    calling = _calling(IDS[0])
    result = replace(_draft("tool", "x"), result_of=IDS[0])
    bare = counter.content_tokens(calling) + counter.role_tokens["assistant"]
    alone = _difference(counter, [u, calling], [u])
    calls = max(0, alone - bare) if alone is not None else 0
    both = _difference(counter, [u, calling, result, a, u], [u, a, u])
    if both is None:
        return calls, counter.message_tokens
    return calls, max(0, both - bare - calls - counter.content_tokens(result))


def _beyond(counter: TemplateTokenizer, drafts: Sequence[Draft]) -> int | None:
    size = _size(counter, drafts)
    return None if size is None else size - sum(map(counter.count_draft, drafts))


def _problem(counter: TemplateTokenizer, drafts: Sequence[Draft]) -> str:
    """A sentence where the sum of the messages isn't the whole text of a chat."""
    size = _size(counter, drafts)
    if size is None:
        return f"The template refuses a chat with a system message: {_refusal(counter, drafts)}"
    off = size - counter.request_tokens - sum(map(counter.count_draft, drafts))
    if off <= 0:
        return ""
    return f"The template adds more than each message's own: a chat of {len(drafts)} is counted {off} tokens short."


def _difference(counter: TemplateTokenizer, more: Sequence[Draft], fewer: Sequence[Draft]) -> int | None:
    one, other = _size(counter, more), _size(counter, fewer)
    return None if one is None or other is None else one - other


def _size(counter: TemplateTokenizer, drafts: Sequence[Draft], tools: Sequence[Mapping[str, Any]] = ()) -> int | None:
    """Tokens of the whole text; None where the template refuses the messages."""
    from ctxlab.engines.chat_templates.jinja import render

    try:
        text = render(counter.template, drafts, tools=tools, special_tokens=counter.special_tokens)
    except TemplateRefused:
        return None
    return counter.count(str(text.text))


def _refusal(counter: TemplateTokenizer, drafts: Sequence[Draft]) -> str:
    from ctxlab.engines.chat_templates.jinja import render

    try:
        render(counter.template, drafts, special_tokens=counter.special_tokens)
    except TemplateRefused as refusal:
        return str(refusal)
    return ""


def _most(found: Iterable[int | None]) -> int:
    return max(0, *(each for each in found if each is not None), 0)


def _calling(id: str) -> Draft:
    return replace(_draft("assistant", ""), calls=(ToolCall(id, "look", '{"a": 1}'),))


def _draft(role: Any, text: str) -> Draft:
    own = Origin("template", "probe")
    return Draft(f"probe:{role}", role, (Text.of(text, own),), own)
