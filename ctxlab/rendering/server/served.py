"""A rendered prompt on a server: the text that it reads, its cuts, and changes that would keep all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ctxlab.context import Draft, Text
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.engines.chat_templates import RenderedText
from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.tokens.boundaries import TokenBoundaries
from ctxlab.errors import CtxlabError, TemplateRefused
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models import LocalModel
from ctxlab.local_models.token_starts import token_ends
from ctxlab.pipeline import Trace
from ctxlab.rendering.server.local_server import LocalServer
from ctxlab.rendering.server.over_context import Fate, fate_of

if TYPE_CHECKING:
    import pandas as pd

SHOWN: Final = 60
MOST_TRIES: Final = 8
"""Budgets that are tried for one with which the server cuts nothing."""
CUT_COLUMNS: Final = ("key", "role", "characters", "left", "sentence")

Render = Callable[[Sequence[Draft]], RenderedText]
"""Renders some of a run's messages; raises TemplateRefused."""


@dataclass(frozen=True, slots=True)
class ServerCut:
    """A message of which the server reads less than was sent: `left` of its `characters`, 0 where nothing is read."""

    key: str
    role: str
    characters: int
    left: int
    sentence: str

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {name: getattr(self, name) for name in CUT_COLUMNS}


@dataclass(frozen=True, slots=True)
class ServerRemedy:
    """A change with which the server reads all of the prompt, tried.

    `server` is the server with a context that takes it; `settings` those of a run that fits it as it is, for
    `trace.rerun(remedy.settings)`. One of the two is None.
    """

    sentence: str
    server: LocalServer | None = None
    settings: Mapping[str, Any] | None = None

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data."""
        context = self.server.context if self.server is not None else None
        return {"sentence": self.sentence, "context": context, "settings": self.settings and dict(self.settings)}


@dataclass(frozen=True, eq=False)
class ServedPrompt:
    """A prompt on a server: `outcome` is whole, cut or refused, `sentence` says it.

    `sent_tokens` are those of the whole text, `tokens` those that the model reads, `room` those left for the reply,
    `window` those of the context. `dropped` are the keys of messages that the server leaves out before it renders.
    """

    trace: Trace
    model: LocalModel
    server: LocalServer
    fate: Fate
    sent_tokens: int
    dropped: tuple[str, ...]
    rendered: RenderedText | None
    refusal: str = ""
    _served: Callable[[Trace, LocalServer], ServedPrompt] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        read = f"{self.tokens:,} of {counted(self.sent_tokens, 'token')}"
        return f"ServedPrompt({self.server.program!r}, {self.outcome!r}, {read})"

    def _repr_html_(self) -> str:
        return heading(self) + html_table(CUT_COLUMNS, (list(each.as_data().values()) for each in self.cuts), of="cuts")

    @property
    def outcome(self) -> str:
        """`whole`, `cut` or `refused`."""
        if self.fate.outcome == "refused" or self.refusal:
            return "refused"
        return "cut" if self.dropped else self.fate.outcome

    @property
    def tokens(self) -> int:
        """Tokens that the model reads."""
        return 0 if self.refusal else self.fate.tokens

    @property
    def window(self) -> int:
        """Tokens of the context of one request."""
        return self.fate.window

    @property
    def room(self) -> int:
        """Tokens left for the reply."""
        return 0 if self.refusal else self.fate.room

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if self.refusal:
            return f"The template refuses what {self.server.facts.title} leaves of the messages: {self.refusal}"
        if not self.dropped:
            return self.fate.sentence
        gone = counted(len(self.dropped), "message")
        head = f"Ollama leaves out the oldest {gone} without a word"
        has = f"with them the prompt has {counted(self.sent_tokens, 'token')}, more than a num_ctx of {self.window:,}"
        return f"{head}: {has}. {self.fate.sentence.replace('The prompt', 'What is left')}"

    @cached_property
    def text(self) -> Text:
        """The text that the model reads, with origins, without a token that a server adds at the beginning."""
        if self.rendered is None or self.outcome == "refused":
            return Text()
        whole = self.rendered.text
        parts = [whole.cut(start, end) for start, end in self._kept_characters]
        return Text([span for part in parts for span in part.spans])

    @cached_property
    def _kept_characters(self) -> list[tuple[int, int]]:
        if self.rendered is None:
            return []
        size = len(self.rendered.text)
        if self.fate.outcome == "whole":
            return [(0, size)]
        text = str(self.rendered.text)
        ends = token_ends(boundaries(self.model, text), text)
        added = self._rendered_tokens - len(ends)  # the token of the beginning, which isn't in the text
        places = [0] * added + [0, *ends]
        return [(places[start], places[min(end, len(places) - 1)]) for start, end in self.fate.kept]

    @property
    def _rendered_tokens(self) -> int:
        """Tokens of the text that the server renders, before it cuts any."""
        return self.fate.kept[-1][1] if self.fate.kept else 0

    @cached_property
    def cuts(self) -> tuple[ServerCut, ...]:
        """The messages of which the server reads less than was sent, in order."""
        if self.outcome != "cut":
            return ()
        return tuple(self._cuts())

    def _cuts(self) -> Iterator[ServerCut]:
        assert self.rendered is not None
        gone = frozenset(self.dropped)
        left, title = self._left(), self.server.facts.title
        kept = [draft for draft in self.trace.result.drafts if draft.key not in gone]
        numbers = {draft.key: number for number, draft in enumerate(kept)}
        for place, draft in enumerate(self.trace.result.drafts, start=1):
            named = f"Message {place} ({draft.role}, {draft.key}: “{plain(str(draft.text), SHOWN)}”)"
            if draft.key in gone:
                yield ServerCut(draft.key, draft.role, len(draft.text), 0, f"{named} is left out by {title}.")
                continue
            whole, there = left.get(numbers[draft.key], (0, 0))
            if there < whole:
                how = (
                    "isn't read" if not there else f"is read without {counted(whole - there, 'character')} of {whole:,}"
                )
                yield ServerCut(draft.key, draft.role, whole, there, f"{named} {how}: {title} cuts the prompt.")

    def _left(self) -> dict[int, tuple[int, int]]:
        """By message the characters that the text has of it, and those that are read."""
        assert self.rendered is not None
        found: dict[int, tuple[int, int]] = {}
        for each in self.rendered.stretches:
            if each.message is not None:
                there = sum(max(0, min(each.end, end) - max(each.start, start)) for start, end in self._kept_characters)
                whole, left = found.get(each.message, (0, 0))
                found[each.message] = (whole + each.end - each.start, left + there)
        return found

    @cached_property
    def remedies(self) -> tuple[ServerRemedy, ...]:
        """A context that takes the prompt whole, and a budget with which the run fits; each was tried."""
        if self.outcome == "whole" or self._served is None:
            return ()
        return tuple(filter(None, (self._larger_context(), self._smaller_budget())))

    def _larger_context(self) -> ServerRemedy | None:
        least = self.sent_tokens + max(self.server.answer or 1, 1)
        if self.server.program == "koboldcpp":
            least = self.sent_tokens + self.window - self.fate.tokens
        least *= 1 if self.server.shared_context else self.server.slots
        tried = replace(
            self.server, context=least, truncate=self.server.truncate if self.server.program != "vllm" else False
        )
        assert self._served is not None
        found = self._served(self.trace, tried)
        if found.outcome != "whole":
            return None
        setting = self.server.facts.setting
        return ServerRemedy(f"With {setting} {least:,} the prompt is read whole.", server=tried)

    def _smaller_budget(self) -> ServerRemedy | None:
        assert self._served is not None
        room = self.window - (self.server.answer or 1)
        if self.server.program == "koboldcpp":
            room = self.window - self.fate.room if self.outcome == "cut" else 0
        budget = min(room, self.trace.tokens)
        for _ in range(MOST_TRIES):
            if budget <= 0:
                return None
            settings = {"token-limiter.budgetTokens": budget}
            try:
                run = self.trace.rerun(settings)
                found = self._served(run, self.server)
            except CtxlabError:
                return None
            if found.outcome == "whole":
                tokens = counted(budget, "token")
                said = f"With a budget of {tokens} the prompt fits, and the limiter says what it leaves out."
                return ServerRemedy(said, settings=settings)
            budget = min(budget - 1, budget * room // found.sent_tokens)
        return None

    def frame(self) -> pd.DataFrame:
        """One row a message that lost something: `characters` that were sent, and how many of them are `left`."""
        return frame_of((each.as_data() for each in self.cuts), CUT_COLUMNS)

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data: what happens, with cuts and remedies."""
        facts = self.server.facts
        return {
            "program": self.server.program,
            "version": facts.version,
            "source": facts.source,
            "outcome": self.outcome,
            "sentence": self.sentence,
            "sent_tokens": self.sent_tokens,
            "tokens": self.tokens,
            "window": self.window,
            "room": self.room,
            "dropped": list(self.dropped),
            "cuts": [each.as_data() for each in self.cuts],
            "remedies": [each.as_data() for each in self.remedies],
        }


def serve(
    trace: Trace,
    model: LocalModel,
    server: LocalServer,
    render: Render,
    served: Callable[[Trace, LocalServer], ServedPrompt],
) -> ServedPrompt:
    """A run on a server, of which `render` gives the text. Raises CtxlabError without a vocabulary."""
    drafts = trace.result.drafts
    whole = render(drafts)
    adds = adds_begin(model, server)
    sent = prompt_tokens(model, whole, adds=adds)
    fate = fate_of(server, sent, own=model.context_length, adds_begin=adds)
    if server.program != "ollama" or not server.truncate or sent <= fate.window:
        return ServedPrompt(trace, model, server, fate, sent, (), whole, _served=served)
    try:
        kept, text = _newest_that_fit(drafts, fate.window, model, render, adds=adds, keeps_calls=server.own_template)
    except TemplateRefused as refusal:
        return ServedPrompt(trace, model, server, fate, sent, (), None, str(refusal), _served=served)
    gone = tuple(draft.key for number, draft in enumerate(drafts) if number not in kept)
    fate = fate_of(server, prompt_tokens(model, text, adds=adds), own=model.context_length, adds_begin=adds)
    return ServedPrompt(trace, model, server, fate, sent, gone, text, _served=served)


FIRST_TRIES: Final = 3
"""Messages that are left out one by one: a template that wants the user first refuses there."""


def _newest_that_fit(
    drafts: Sequence[Draft], window: int, model: LocalModel, render: Render, *, adds: bool, keeps_calls: bool
) -> tuple[frozenset[int], RenderedText]:
    """The messages that Ollama keeps: system ones, and the newest with which the prompt is within the context.

    Ollama tries each message as the oldest one. Here those are passed over that are too many by far, and the ones
    before the first that fits are tried at the end.
    """
    sizes = [_counted(model, str(draft.text)) for draft in drafts]
    last = len(drafts) - 1

    def tried(start: int) -> tuple[list[int], RenderedText, int]:
        first = _start_of_calls(drafts, start) if keeps_calls else start
        kept = [number for number, draft in enumerate(drafts) if number >= first or draft.role == "system"]
        text = render([drafts[number] for number in kept])
        return kept, text, prompt_tokens(model, text, adds=adds)

    start, before = 0, -1
    kept, text, tokens = tried(0)
    while tokens > window and start < last:
        over, before = tokens - window, start
        around = 4 * (tokens - sum(sizes[number] for number in kept)) // len(kept)
        start += 1
        while FIRST_TRIES < start < last:
            over -= 0 if drafts[start - 1].role == "system" else sizes[start - 1] + around
            if over <= 0:
                break
            start += 1
        kept, text, tokens = tried(start)
    while start - 1 > before and tokens <= window:
        earlier = tried(start - 1)
        if earlier[2] > window:
            break
        start -= 1
        kept, text, tokens = earlier
    return frozenset(kept), text


def _start_of_calls(drafts: Sequence[Draft], at: int) -> int:
    """The message of the calls whose result stands at a place: Ollama keeps both or none."""
    start = at
    while start > 0 and drafts[start].role == "tool" and drafts[start - 1].role == "tool":
        start -= 1
    before = start - 1
    is_result = (
        drafts[at].role == "tool" and before >= 0 and drafts[before].role == "assistant" and drafts[before].calls
    )
    return before if is_result else at


def adds_begin(model: LocalModel, server: LocalServer | None) -> bool:
    """Whether a server puts a token at the beginning that the text doesn't have: vLLM, as transformers, never does."""
    return model.adds_begin and server is not None and server.program != "vllm"


def prompt_tokens(model: LocalModel, rendered: RenderedText, *, adds: bool) -> int:
    """Tokens of a prompt as the server counts it: with one at the beginning where `adds`, and only one."""
    text = str(rendered.text)
    return _counted(model, text) + (adds and not _begins(model, text))


def _begins(model: LocalModel, text: str) -> bool:
    begin = model.special_tokens.get("bos_token", "")
    return bool(begin) and text.startswith(begin)


BEGIN: Final = -1
"""The id that stands for the token which a server puts at the beginning."""


def prompt_ids(model: LocalModel, rendered: RenderedText, *, adds: bool) -> tuple[int, ...]:
    """The tokens of a prompt as the server counts them. Raises CtxlabError where the vocabulary only counts."""
    text = str(rendered.text)
    ids = boundaries(model, text).ids
    return (BEGIN, *ids) if adds and not _begins(model, text) else ids


def _counted(model: LocalModel, text: str) -> int:
    if not isinstance(model.vocabulary, Tokenizer):
        raise CtxlabError(
            f"the vocabulary of {model.name} isn't at hand; a server's cuts need one: name the model's own file"
        )
    return model.vocabulary.count(text)


def boundaries(model: LocalModel, text: str) -> TokenBoundaries:
    """The tokens of a text with their ids and places. Raises CtxlabError where the vocabulary only counts."""
    own = getattr(model.vocabulary.counts.count, "boundaries", None) if model.vocabulary is not None else None
    if own is None:
        raise CtxlabError(f"{model.name} has no vocabulary that says where tokens stand; name the model's own file")
    return own(text)  # type: ignore[no-any-return]
