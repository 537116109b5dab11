"""Places in a recording where messages went behind a summary: as its log says, or as the messages show."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents.moments import moment_of
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.compressions.message_texts import MessageTexts, head_text, inserted_text, reply_text
from ctxlab.recordings.compressions.signs import (
    SHARED_WORDS,
    asks_for_a_summary,
    is_answer_in,
    is_known_form,
    says_it_is_a_summary,
    share_of_words,
)
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage

LEAST_GONE = 2
"""Messages that have to go before anything is inferred."""
OF_COMPRESSIONS = "acompact"
"""The beginning of the names of Claude Code's agents that write summaries."""
MOST_LOOKED_AT = 4
"""New messages, from the first one on, that may be the summary: others are put in by depth before it."""
_WORDS_SHOWN = 60


@dataclass(frozen=True, slots=True)
class CompressionPlace:
    """A compression: the request before it, the first one after it, and what became of the messages.

    `gone` are messages that were sent, or answered, and are no longer there; `kept` those that still are, as they stand
    before; `summary` are the messages in their place. `own_text` is the summary that a vendor made of a request.
    """

    after: RecordedRequest
    before: RecordedRequest | None
    gone: tuple[SentMessage, ...]
    kept: tuple[SentMessage, ...]
    summary: tuple[SentMessage, ...]
    said: Data | None
    because: str
    asked: RecordedRequest | None = None
    own_text: str | None = None


def compression_places(
    requests: Sequence[RecordedRequest], texts: MessageTexts, earlier: tuple[RecordedRequest, MessageTexts] | None
) -> Iterator[CompressionPlace]:
    """Every compression, by agents, in the order of the requests.

    `earlier` is the last request of a recording that this one goes on from.
    """
    chains: dict[str, list[RecordedRequest]] = defaultdict(list)
    for request in requests:
        chains[request.agent].append(request)
    writers = [each for each in requests if each.agent.startswith(OF_COMPRESSIONS)]
    unsent = _unsent_messages(texts)
    for agent, chain in chains.items():
        if agent.startswith(OF_COMPRESSIONS):
            continue
        finder = _Finder(texts, writers, unsent, earlier if not agent else None)
        for request in chain:
            yield from finder.take(request)


def _unsent_messages(texts: MessageTexts) -> dict[str, SentMessage]:
    """By the message before it, the newest that the log has and no request sent."""
    return {each.parent: each for each in texts.tree.sent.values() if not each.first}


class _Finder:
    """Goes through the requests of one agent, in order."""

    def __init__(
        self,
        texts: MessageTexts,
        writers: Sequence[RecordedRequest],
        unsent: dict[str, SentMessage],
        earlier: tuple[RecordedRequest, MessageTexts] | None,
    ) -> None:
        self._texts, self._writers, self._unsent, self._earlier = texts, writers, unsent, earlier
        self._newest: RecordedRequest | None = None
        self._by_head: dict[str, RecordedRequest] = {}
        self._asked: list[RecordedRequest] = []

    def take(self, request: RecordedRequest) -> Iterator[CompressionPlace]:
        """The compressions that show in this request."""
        if request.compaction is None:
            yield from self._of_vendor(request)
        if _asks(request, self._texts):
            self._asked.append(request)
            return
        found = self._said(request) if request.compaction is not None else self._inferred(request)
        if found is not None:
            yield found
        if found is not None or self._newest is None or request.head.id == self._newest.head.id:
            self._asked.clear()
        self._newest = self._by_head[request.head.id] = request

    def _before(self, request: RecordedRequest) -> RecordedRequest | None:
        """The newest request with the same head, unless the newest of all goes on from it; else that one."""
        same, newest = self._by_head.get(request.head.id), self._newest
        return newest if same is None or newest is None or not self._left_something(same, newest) else same

    # --- what the log says

    def _said(self, request: RecordedRequest) -> CompressionPlace:
        said = request.compaction or {}
        before = self._before(request)
        gone, kept, new = self._difference(before, request)
        told = said.get("summary")
        for each in new:
            if (own := _own_summary(each.items)) is not None:
                because = "the log says so"
                return CompressionPlace(request, before, gone, kept, (each,), said, because, own_text=own)
        named = [each for each in new if isinstance(told, str) and told and told in self._texts.text(each)]
        signed = [each for each in new if says_it_is_a_summary(self._texts.text(each))]
        summary = tuple(named or signed or new[:1])
        asked = self._who_wrote(summary, before, request)
        return CompressionPlace(request, before, gone, kept, summary, said, "the log says so", asked)

    # --- what the messages show

    def _inferred(self, request: RecordedRequest) -> CompressionPlace | None:
        fresh = self._fresh(request)
        if not fresh:
            return None
        before = self._before(request)
        if before is None and self._earlier is None:
            return self._at_the_beginning(request, fresh)
        if before is not None and not self._left_something(before, request):
            return None
        gone, kept, new = self._difference(before, request)
        if len(gone) < LEAST_GONE:
            return None
        summary, sign = self._stands_for(gone, new, request)
        if not summary:
            return self._in_system_text(before, request, gone, kept)
        asked = self._who_wrote(summary, before, request)
        because = f"inferred, because {counted(len(gone), 'message')} went and {sign}"
        return CompressionPlace(request, before, gone, kept, summary, None, because, asked)

    def _at_the_beginning(self, request: RecordedRequest, fresh: Sequence[SentMessage]) -> CompressionPlace | None:
        """A compression before the first request, which stands in no log."""
        if self._newest is not None:
            return None
        found = tuple(each for each in fresh[:2] if is_known_form(self._texts.text(each)))
        if not found:
            return None
        words = plain(says_it_is_a_summary(self._texts.text(found[0])), _WORDS_SHOWN)
        because = f"inferred, because the first request begins with a message that says “{words}”"
        return CompressionPlace(request, None, (), (), found, None, because)

    def _in_system_text(
        self,
        before: RecordedRequest | None,
        request: RecordedRequest,
        gone: tuple[SentMessage, ...],
        kept: tuple[SentMessage, ...],
    ) -> CompressionPlace | None:
        """A compression whose summary came into the system text."""
        if before is None or before.head is request.head:
            return None
        text = inserted_text(head_text(before), head_text(request))
        share = share_of_words(text, [self._texts.text(one) for one in gone])
        if share < SHARED_WORDS:
            return None
        sign = f"{share:.0%} of the words that came into the system text are theirs"
        because = f"inferred, because {counted(len(gone), 'message')} went and {sign}"
        return CompressionPlace(request, before, gone, kept, (), None, because, own_text=text)

    def _stands_for(
        self, gone: Sequence[SentMessage], new: Sequence[SentMessage], request: RecordedRequest
    ) -> tuple[tuple[SentMessage, ...], str]:
        """The messages that stand in the place of those that went, and the sign of it."""
        last = self._texts.tree.sent[request.leaf]
        early = [each for each in new if each is not last] or list(new)
        signed = [(each, words) for each in early if (words := says_it_is_a_summary(self._texts.text(each)))]
        if signed:
            return tuple(
                each for each, _ in signed
            ), f"a message in their place says “{plain(signed[0][1], _WORDS_SHOWN)}”"
        for each in early[:MOST_LOOKED_AT]:
            text = self._texts.text(each)
            if any(is_answer_in(reply_text(asked), text) for asked in self._asked):
                return (each,), "a message in their place is the answer to a request for a summary"
            share = share_of_words(text, [self._texts.text(one) for one in gone])
            if share >= SHARED_WORDS:
                return (each,), f"{share:.0%} of the words of the message in their place are theirs"
        return (), ""

    def _fresh(self, request: RecordedRequest) -> list[SentMessage]:
        """The messages that no request before has sent at this place, in order."""
        found: list[SentMessage] = []
        at = self._texts.tree.sent.get(request.leaf)
        while at is not None and at.first == request.number:
            found.append(at)
            at = self._texts.tree.sent.get(at.parent)
        return found[::-1]

    def _left_something(self, before: RecordedRequest, request: RecordedRequest) -> bool:
        """Whether the last message of a request is not on the way to that of the next."""
        sent = self._texts.tree.sent
        old, at = sent.get(before.leaf), sent.get(request.leaf)
        if old is None:
            return False
        while at is not None and at.depth > old.depth:
            at = sent.get(at.parent)
        return at is not old

    def _who_wrote(
        self, summary: Sequence[SentMessage], before: RecordedRequest | None, after: RecordedRequest
    ) -> RecordedRequest | None:
        """The request whose answer became the summary, where the recording has it."""
        text = "\n".join(self._texts.text(each) for each in summary)
        near = [each for each in self._writers if _is_between(each, before, after)]
        for each in [*self._asked[::-1], *near, *([before] if before is not None else [])]:
            if is_answer_in(reply_text(each), text):
                return each
        return None

    def _difference(
        self, before: RecordedRequest | None, after: RecordedRequest
    ) -> tuple[tuple[SentMessage, ...], tuple[SentMessage, ...], list[SentMessage]]:
        """The messages that went, those that stayed, and those that came."""
        texts = self._texts
        if before is not None:
            old = self._all_before(before, after)
        elif self._earlier is not None:
            request, texts = self._earlier
            old = [*request.sent]
        else:
            old = []
        left = Counter(texts.key(each) for each in old)
        new: list[SentMessage] = []
        stayed: Counter[Any] = Counter()
        for each in after.sent:
            key = self._texts.key(each)
            if left[key] > stayed[key]:
                stayed[key] += 1
            else:
                new.append(each)
        gone: list[SentMessage] = []
        kept: list[SentMessage] = []
        for each in reversed(old):  # of two that say the same the newer one stays
            key = texts.key(each)
            if stayed[key]:
                stayed[key] -= 1
                kept.append(each)
            else:
                gone.append(each)
        return tuple(gone[::-1]), tuple(kept[::-1]), new

    def _all_before(self, before: RecordedRequest, after: RecordedRequest) -> list[SentMessage]:
        """Messages that were sent, and those that the log has after it that no request sent before it went."""
        found = [*before.sent]
        asking = [*self._asked[::-1], *(each for each in self._writers if _is_between(each, before, after))]
        asked = next((each for each in asking if self._goes_on(before, each)), None)
        if asked is not None:
            return [*asked.sent][:-1]
        at = self._unsent.get(before.leaf)
        while at is not None:
            found.append(at)
            at = self._unsent.get(at.id)
        return found

    def _goes_on(self, before: RecordedRequest, asked: RecordedRequest) -> bool:
        """Whether a request has all that one before it sent."""
        return not self._left_something(before, asked)

    # --- what vendors do by themselves

    def _of_vendor(self, request: RecordedRequest) -> Iterator[CompressionPlace]:
        """Summaries in messages of their own kind, which stand for all before them though it is sent."""
        for each in self._fresh(request):
            text = _own_summary(each.items)
            if text is not None:
                way, before = self._texts.tree.way_to(each.id)[:-1], self._before(request)
                gone, kept, _ = (way, (), []) if way else self._difference(before, request)
                because = "a message of the vendor's own kind says so"
                yield CompressionPlace(request, before, gone, kept, (each,), {}, because, own_text=text)


def _asks(request: RecordedRequest, texts: MessageTexts) -> bool:
    """Whether the last message of a request asks for a summary."""
    return asks_for_a_summary(texts.last(request))


def _is_between(each: RecordedRequest, before: RecordedRequest | None, after: RecordedRequest) -> bool:
    """Whether times don't speak against a request between two others."""
    at = moment_of(each.time)
    begin, end = moment_of(before.time if before is not None else None), moment_of(after.time)
    return at is None or not ((begin is not None and at < begin) or (end is not None and at > end))


def _own_summary(items: Sequence[Any]) -> str | None:
    """The text of a vendor's own summary; empty where it is encrypted, None where there is none."""
    for item in items:
        fields = fields_of(item)
        for block in (fields, *map(fields_of, items_of(fields.get("content")))):
            if str(block.get("type", "")) in ("compaction", "compaction_summary"):
                content = block.get("content")
                return content if isinstance(content, str) else ""
    return None
