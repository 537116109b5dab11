"""Summaries: by a function of messages, such as a model's, or offline by choosing sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, cast

from ctxlab.chat.compression.language import is_chinese
from ctxlab.chat.compression.must_keep import WantedItem, has_words
from ctxlab.chat.compression.settings import CompressionSettings
from ctxlab.chat.compression.source_message import SourceMessage
from ctxlab.chat.compression.summary_prompt import summary_prompt
from ctxlab.display.short_texts import short
from ctxlab.engines.compression import SummarySentence, extractive_summary
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

EXTRACTIVE = "extractive"
SHARE = 4
"""A summary of chosen sentences has at most one token for so many of the originals'."""

Message = Mapping[str, Any]
Summarise: TypeAlias = Callable[[Sequence[Message]], object]
"""A function of messages that gives a text, pieces of one, or a reply in OpenAI's form."""


class TakesSettings(Protocol):
    """A summariser that goes by the settings, such as the length of an answer."""

    def with_settings(self, settings: CompressionSettings) -> Summarise: ...


Summariser: TypeAlias = Summarise | Literal["extractive"]


class LineStyle(NamedTuple):
    """The way in which a line of chosen sentences is written."""

    names: Mapping[str, str]
    colon: str
    between: str


CHINESE = LineStyle({"user": "用户", "assistant": "助手", "tool": "工具"}, "：", "")
OTHER = LineStyle({}, ": ", " ")


@dataclass(frozen=True, slots=True)
class SummaryTask:
    """Everything a summary is made of: the messages, earlier summaries, and what has to be kept."""

    messages: tuple[SourceMessage, ...]
    earlier: tuple[str, ...]
    must_keep: tuple[WantedItem, ...]
    guidance: str
    settings: CompressionSettings

    @property
    def prompt(self) -> str:
        items = [item.text for item in self.must_keep if item.places]
        return summary_prompt(
            self.messages, self.settings, earlier=self.earlier, must_keep=items, guidance=self.guidance
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a summary and the number of requests it took, or one sentence on why there is none."""

    text: str = ""
    error: str | None = None
    parts: int = 1


BROKEN_OFF = Answer(error="the summary broke off at its longest length: raise summary_max_tokens or compress less")
_THOUGHTS = lazy_pattern(r"\A(?:\s*<(think(?:ing)?)>(?:(?!</\1>).)*(?:</\1>|\Z))+", re.DOTALL | re.IGNORECASE)
"""Thoughts in front of an answer."""


def summarised(task: SummaryTask, summariser: Summariser, count: Callable[[str], int]) -> Answer:
    """The summary that a summariser gives. Its failure, and an empty answer, are errors in words, never raised."""
    if not callable(summariser):
        return _not_empty(_extract(task, count))
    if hasattr(summariser, "with_settings"):
        summariser = cast("TakesSettings", summariser).with_settings(task.settings)
    try:
        given = summariser([{"role": "user", "content": task.prompt}])
        return BROKEN_OFF if _breaks_off(given) else _not_empty(text_of_answer(given))
    except Exception as error:  # whatever a user's function raises: the conversation must not suffer from it
        return Answer(
            error=f"the summariser failed: {type(error).__name__}: {short(' '.join(str(error).split()), 200)}"
        )


def name_of(summariser: Summariser) -> str:
    """The name of a summariser, for its node."""
    return str(getattr(summariser, "__name__", type(summariser).__name__)) if callable(summariser) else EXTRACTIVE


def text_of_answer(answer: object) -> str:
    """The words of a model's answer: a text, pieces of a text, or a reply in OpenAI's form."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Mapping):
        return _text_of_reply(cast("Mapping[str, Any]", answer))
    if isinstance(answer, Iterable):
        return "".join(map(str, cast("Iterable[object]", answer)))
    raise TypeError(f"a summariser gives a text, pieces of a text or a reply, not {type(answer).__name__}")


def _text_of_reply(reply: Mapping[str, Any]) -> str:
    choices = reply.get("choices")
    message = (
        choices[0].get("message", {}) if isinstance(choices, Sequence) and choices else reply.get("message", reply)
    )
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, list):
        parts = [cast("Mapping[str, Any]", part) for part in content if isinstance(part, Mapping)]
        return "".join(str(part.get("text") or "") for part in parts)
    return content if isinstance(content, str) else ""


def _breaks_off(answer: object) -> bool:
    """Whether a reply says of itself that it has reached its longest length."""
    if not isinstance(answer, Mapping):
        return False
    reply = cast("Mapping[str, Any]", answer)
    choices = cast("object", reply.get("choices"))
    first: object = cast("Sequence[Any]", choices)[0] if isinstance(choices, Sequence) and choices else reply
    return isinstance(first, Mapping) and is_cut_short(cast("Mapping[str, Any]", first).get("finish_reason"))


def is_cut_short(finish_reason: object) -> bool:
    """Whether a reply ended for this reason because it had reached its longest length."""
    return isinstance(finish_reason, str) and finish_reason.lower() in ("length", "max_tokens", "max_output_tokens")


def _not_empty(text: str) -> Answer:
    words = _THOUGHTS.sub("", text).strip()
    if words:
        return Answer(words)
    return Answer(
        error="the summariser gave its thoughts alone" if text.strip() else "the summariser gave an empty text"
    )


def _extract(task: SummaryTask, count: Callable[[str], int]) -> str:
    """Chosen sentences under the names of who said them, with those that have what must be kept."""
    sources = [*(SourceMessage("", "", "", text) for text in task.earlier), *task.messages]
    texts = [source.words for source in sources]
    if not any(map(str.strip, texts)):  # nothing but names of files
        texts = [source.text for source in sources]
    budget = min(task.settings.summary_max_tokens, sum(count(source.text) for source in sources) // SHARE)
    lost = [item for item in task.must_keep if item.places]
    query = " ".join([task.guidance, *(item.text for item in lost)]).strip()
    style = CHINESE if is_chinese("\n".join(texts)) else OTHER

    def layout(chosen: Sequence[SummarySentence]) -> str:
        return _laid_out(chosen, sources, style)

    summary = extractive_summary(texts, budget, count, query, layout=layout).text
    if not summary:  # too little room for a sentence
        summary = "\n".join(task.earlier) or _best_sentence(texts, sum(map(count, texts)) * 2, count, query, layout)
    missing = [item.text for item in lost if not has_words(summary, item.text)]
    return "\n".join(each for each in (summary, *missing) if each)


def _best_sentence(texts: Sequence[str], budget: int, count: Callable[[str], int], query: str, layout: Any) -> str:
    """The one sentence that says most, however long; empty where there are no words."""
    found = extractive_summary(texts, budget, count, query).sentences
    return layout((max(found, key=lambda each: each.score),)) if found else ""


def _laid_out(chosen: Sequence[SummarySentence], sources: Sequence[SourceMessage], style: LineStyle) -> str:
    """The sentences, those of one message on a line of its own."""
    lines: dict[int, list[str]] = {}
    for each in chosen:
        lines.setdefault(each.message, []).append(each.text)
    return "\n".join(_line(sources[i], said, style) for i, said in lines.items())


def _line(source: SourceMessage, said: Sequence[str], style: LineStyle) -> str:
    name = source.speaker or style.names.get(source.role, source.role)
    text = style.between.join(said)
    return f"{name}{style.colon}{text}" if name else text
