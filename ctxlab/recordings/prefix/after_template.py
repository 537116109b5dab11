"""The prefix of builds in a row as the tokens that an open model reads: behind its template, and its server's cuts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from ctxlab.context.equal_stretch import common_beginning, equal_after
from ctxlab.display.one_line import plain
from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models.token_starts import token_ends
from ctxlab.pipeline import Trace
from ctxlab.pipeline.shared_beginning import is_sent_alike
from ctxlab.recordings.prefix.request_prefix import AROUND, PrefixCause, PrefixState
from ctxlab.rendering import RenderedPrompt, rendered
from ctxlab.rendering.server import LocalServer
from ctxlab.rendering.server.read_again import Prompt, read_again
from ctxlab.rendering.server.served import ServedPrompt, adds_begin, boundaries, prompt_ids
from ctxlab.secrets import masked_stretch

OWN_WORDS: Final = {"reasoning": "thoughts", "calls": "calls of tools", "name": "speaker's name", "content": "words"}


@dataclass(frozen=True, slots=True)
class TokenPrefix:
    """A build's prompt in the model's own tokens, and what of it is read again."""

    common_tokens: int
    total_tokens: int
    state: PrefixState
    cause: PrefixCause | None
    lost_tokens: int
    read_again_tokens: int | None


@dataclass(frozen=True, slots=True)
class _Turn:
    found: RenderedPrompt
    text: RenderedText
    served: ServedPrompt | None
    ids: tuple[int, ...]
    ends: tuple[int, ...]
    """The ends of tokens in characters of the text, one of the beginning included."""

    @property
    def is_refused(self) -> bool:
        return self.served is not None and self.served.outcome == "refused"

    @property
    def is_cut(self) -> bool:
        return self.served is not None and self.served.outcome == "cut"


def token_prefixes(
    traces: Sequence[Trace],
    model: Any,
    *,
    server: LocalServer | None,
    engine: Any = None,
    variables: Mapping[str, Any] | None = None,
) -> list[TokenPrefix]:
    """Of each build the tokens with which it begins as the one before, and those that the server reads again.

    Raises TemplateRefused where the template refuses a build, and CtxlabError where the vocabulary isn't at hand.
    """
    turns = [
        _turn(rendered(trace, model, server=server, engine=engine), place) for place, trace in enumerate(traces, 1)
    ]
    starts = _user_starts(turns) if server is not None and server.sliding_window else [()] * len(turns)
    replies = [*(_reply(old, new) for old, new in pairwise(turns)), ()]
    read = [n for n, turn in enumerate(turns) if not turn.is_refused]
    prompts = [Prompt(turns[n].ids, starts[n], replies[n]) for n in read]
    own = turns[0].found.model.context_length if turns else None
    again = dict(zip(read, read_again(server, prompts, context=own), strict=True))
    return [
        _prefix(turns[number - 1] if number else None, turn, again.get(number)) for number, turn in enumerate(turns)
    ]


def _turn(found: RenderedPrompt, place: int) -> _Turn:
    if found.rendered is None:
        raise found.refusal or CtxlabError(f"the template refuses the messages of build {place}")
    served = found.served
    text = served.rendered if served is not None and served.rendered is not None else found.rendered
    words = str(text.text)
    tokens = boundaries(found.model, words)
    adds = adds_begin(found.model, found.server) if found.server is not None else found.engine == "llama.cpp"
    ids = prompt_ids(found.model, text, adds=adds and found.model.adds_begin)
    ends = (*[0] * (len(ids) - len(tokens)), *token_ends(tokens, words))
    if served is not None and served.outcome == "cut":
        kept = served.fate.kept
        ids = tuple(each for start, end in kept for each in ids[start:end])
        ends = tuple(each for start, end in kept for each in ends[start:end])
    return _Turn(found, text, served, ids, ends)


def _prefix(old: _Turn | None, new: _Turn, again: int | None) -> TokenPrefix:
    total = len(new.ids)
    if new.is_refused:
        assert new.served is not None
        return TokenPrefix(0, total, "unknown", PrefixCause("server", new.served.sentence), 0, None)
    if old is None or old.is_refused:
        return TokenPrefix(0, total, "first", None, 0, again)
    shared = equal_after(old.ids, new.ids)
    if shared == min(len(old.ids), total):
        return TokenPrefix(shared, total, "whole", None, 0, again)
    cause = _cause(old, new)
    return TokenPrefix(shared, total, "cut", cause, min(len(old.ids), total) - shared, again)


def _cause(old: _Turn, new: _Turn) -> PrefixCause | None:
    """The template or the server as what broke the prefix; None where messages differ there."""
    for turn in (new, old):
        if turn.is_cut:
            assert turn.served is not None
            return PrefixCause("server", turn.served.sentence)
    a, b = str(old.text.text), str(new.text.text)
    at = equal_after(a, b)
    was, now = old.found.trace.result.drafts, new.found.trace.result.drafts
    alike = next(
        (n for n, pair in enumerate(zip(was, now, strict=False)) if not is_sent_alike(*pair)), min(len(was), len(now))
    )
    ended = max(
        (each.end for each in old.text.stretches if each.message is not None and each.message < alike), default=0
    )
    if alike < len(was) and at >= ended:
        return None
    line = _line(new, at)
    of = f"Template {new.found.template.name!r}{f', line {line},' if line else ''}"
    around = [masked_stretch(text, max(0, at - AROUND), at + AROUND) for text in (a, b)]
    shown = [plain(masked_stretch(text, max(0, at - AROUND // 4), at + AROUND), AROUND) for text in (a, b)]
    what = "writes the time of the build" if _is_time(old, new, at) else _what(old, new, at, ended)
    sentence = f"{of} {what}: “{shown[0]}” became “{shown[1]}”."
    return PrefixCause("template", sentence, None, None, at, *around)


def _what(old: _Turn, new: _Turn, at: int, ended: int) -> str:
    if at >= ended:
        return "begins a reply otherwise than it writes one that is there"
    for mine, other, words in ((old, new, "no longer writes"), (new, old, "now writes")):
        own = next((each for each in mine.text.stretches if each.end > at and each.field in OWN_WORDS), None)
        if own is None or own.message is None:
            continue
        if not any(each.message == own.message and each.field == own.field for each in other.text.stretches):
            return f"{words} the {OWN_WORDS[own.field]} of message {own.message + 1}"
    return "writes otherwise, though all messages up to there are as they were"


def _is_time(old: _Turn, new: _Turn, at: int) -> bool:
    """Whether the texts go on alike there when both builds have one time; tried."""
    times = [each.found.trace.start.input.timestamp for each in (old, new)]
    if times[0] == times[1]:
        return False
    found = new.found.at_time(times[0])
    return found is not None and equal_after(str(old.text.text), str(found.text)) > at


def _line(turn: _Turn, at: int) -> int | None:
    """The line of the template that wrote the place, or last wrote words of its own before it."""
    if not isinstance(turn.found.template, JinjaTemplate):
        return None
    own = [each for each in turn.text.stretches if each.message is None and each.start <= at]
    ref = turn.text.text.at(min(at, own[-1].end - 1)).origin.ref if own else ""
    line = ref.rpartition(":")[2]
    return int(line) if line.isdecimal() else None


def _reply(old: _Turn, new: _Turn) -> tuple[int, ...]:
    """The tokens of the reply to a prompt, where the next one goes on with it."""
    size = len(old.ids)
    if old.is_cut or new.is_cut or old.is_refused or new.is_refused or new.ids[:size] != old.ids:
        return ()
    number = len(old.found.trace.result.drafts)
    drafts = new.found.trace.result.drafts
    if number >= len(drafts) or drafts[number].role != "assistant":
        return ()
    places = [each for each in new.text.stretches if each.message == number and each.field == "content"]
    if not places or places[0].start > old.ends[-1]:
        return ()
    end = max(each.end for each in places)
    return tuple(token for token, last in zip(new.ids[size:], new.ends[size:], strict=True) if last <= end)


def _user_starts(turns: Sequence[_Turn]) -> list[tuple[int, ...]]:
    """The tokens at which users' messages begin: everywhere where the text has what the template opens one with.

    llama.cpp looks for these characters too, so that a system text which is opened alike counts as well.
    """
    found: list[tuple[int, ...]] = []
    for turn in turns:
        header, words = _header(_heads(turn)).rstrip(), str(turn.text.text)
        places = {each.start() for each in re.finditer(re.escape(header), words)} if header else set()
        found.append(tuple(number for number, end in enumerate(turn.ends, start=1) if end in places))
    return found


def _heads(turn: _Turn) -> list[str]:
    """The text before each user's words since the words before them."""
    drafts, words, found = turn.found.trace.result.drafts, str(turn.text.text), list[str]()
    last, ended = -1, 0
    for each in turn.text.stretches:
        if each.message is None or each.field not in OWN_WORDS:
            continue
        if each.message != last and drafts[each.message].role == "user":
            found.append(words[ended : each.start])
        last, ended = each.message, each.end
    return found


def _header(heads: Sequence[str]) -> str:
    """The end that all heads have in common, from the mark on that opens a user's turn; "" where there is none.

    That is the mark before the role, or around it; of a template that writes no role the last one.
    """
    shared = common_beginning([head[::-1] for head in heads])[::-1]
    role = shared.rfind("user")
    upto = role if role >= 0 else len(shared)
    return shared[max(0, shared.rfind("<", 0, upto), shared.rfind("[", 0, upto)) :]
