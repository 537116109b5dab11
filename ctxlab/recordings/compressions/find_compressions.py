"""The compressions of a recording as values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode
from ctxlab.documents.moments import moment_of
from ctxlab.engines.compression import SourceText
from ctxlab.recordings.compressions.message_texts import MessageTexts
from ctxlab.recordings.compressions.places import CompressionPlace, compression_places
from ctxlab.recordings.compressions.recorded_compression import RecordedCompression, RecordedCompressions
from ctxlab.recordings.recorded_request import RecordedRequest

if TYPE_CHECKING:
    from ctxlab.recordings.recording import Recording


def find_compressions(recording: Recording, before: Recording | None = None) -> RecordedCompressions:
    """Every compression of a recording; `before` is the recording that this one goes on from."""
    if not recording.requests:
        return RecordedCompressions()
    texts = MessageTexts(recording.requests[0].tree)
    earlier = None
    if before is not None and before.requests:
        main = [each for each in before.requests if not each.agent] or [*before.requests]
        earlier = main[-1], MessageTexts(main[-1].tree)
    places = list(compression_places(recording.requests, texts, earlier))
    places.sort(key=lambda place: place.after.number)
    later = _later(recording, places)
    found: list[RecordedCompression] = []
    for number, place in enumerate(places):
        found.append(_compression(place, f"c{number + 1}", texts, earlier, places[:number], found, later[number]))
    return RecordedCompressions(found)


def _compression(
    place: CompressionPlace,
    id: str,
    texts: MessageTexts,
    earlier: tuple[RecordedRequest, MessageTexts] | None,
    places: Sequence[CompressionPlace],
    found: Sequence[RecordedCompression],
    later: tuple[MessageNode, ...],
) -> RecordedCompression:
    own = earlier[1] if place.before is None and earlier is not None and place.own_text is None else texts
    answer: tuple[SourceText, ...] = ()
    if place.before is not None:
        answer = _answer(place, texts)
    elif own is not texts and earlier is not None:
        answer = _last_answer(earlier[0], own, place.kept)
    originals = own.sources(place.gone) + answer
    went = len(place.gone) + bool(answer) if originals else 0
    sent = {each.id for each in place.before.sent} if place.before is not None else set[str]()
    stands_for = [texts.text(each) for each in place.summary]
    summary = place.own_text if place.own_text is not None else "\n\n".join(stands_for)
    gone = {each.id for each in place.gone}
    parents = [n for n, one in enumerate(places) if any(each.id in gone for each in one.summary)]
    said, asked = place.said or {}, place.asked
    counted_before = said.get("preTokens")
    last = place.before or (earlier[0] if own is not texts and earlier is not None else None)
    trigger = said.get("trigger") or said.get("reason")
    return RecordedCompression(
        id=id,
        request=place.after,
        before=place.before,
        is_said=place.said is not None,
        because=_because(place, went),
        trigger=trigger if isinstance(trigger, str) else None,
        before_tokens=counted_before if type(counted_before) is int else last.usage.input if last is not None else None,
        after_tokens=place.after.usage.input,
        seconds=_seconds(asked, texts),
        model=asked.model if asked is not None else "",
        summary_request=asked,
        originals=originals,
        kept_messages=tuple(node for each in place.kept for node in each.nodes),
        kept_texts=own.sources(place.kept),
        summary_messages=tuple(node for each in place.summary for node in each.nodes),
        summary=summary,
        generation=1 + max((found[n].generation for n in parents), default=0),
        lineage=tuple(found[n].id for n in parents),
        later=later,
        no_report=_no_report(place, originals, summary),
        messages=went,
        sent_before=sum(each.id in sent for each in place.gone),
    )


def _because(place: CompressionPlace, went: int) -> str:
    """The reason with the number of messages that the report speaks of: of the session, with the last answer."""
    if place.said is not None or not went:
        return place.because
    found, told = (f"{counted(count, 'message')} went" for count in (len(place.gone), went))
    return place.because.replace(found, told, 1)


def _no_report(place: CompressionPlace, originals: Sequence[SourceText], summary: str) -> str:
    if not summary.strip():
        return "the summary is encrypted" if place.own_text is not None else "no message stands in their place"
    return "" if originals else "the recording has none of the messages that went"


def _answer(place: CompressionPlace, texts: MessageTexts) -> tuple[SourceText, ...]:
    """The answer to the last request before, where no request sent it again."""
    before = place.before
    if before is None or before is place.asked:
        return ()
    return _last_answer(before, texts, place.kept, told=[texts.text(each) for each in place.after.sent])


def _last_answer(
    before: RecordedRequest, texts: MessageTexts, kept: Sequence[object], told: Sequence[str] = ()
) -> tuple[SourceText, ...]:
    session, found = texts.tree.session, list[SourceText]()
    at = session.nodes.get(f"{before.id}-reply")
    while at is not None and at.id not in texts.tree.sent:
        source = texts.source(at)
        if source.text.strip() and source.text not in told:
            found.append(source)
        at = session.nodes.get(at.children_ids[0]) if at.children_ids else None
    return tuple(found)


def _seconds(asked: RecordedRequest | None, texts: MessageTexts) -> float | None:
    """The time that the summary took: as the log counts it, or from the message that asked to the answer."""
    if asked is None or asked.duration is not None:
        return asked.duration if asked is not None else None
    node = texts.tree.session.nodes.get(asked.leaf)
    start, end = moment_of(node.timestamp if node else None), moment_of(asked.time)
    if start is None or end is None:
        return None
    seconds = (end - start).total_seconds()
    return seconds if seconds > 0 else None


def _later(recording: Recording, places: Sequence[CompressionPlace]) -> list[tuple[MessageNode, ...]]:
    """For each compression the messages after its summary in order, those that stayed and the summaries left out."""
    starts: dict[str, int] = {}
    for number, place in enumerate(places):
        first = (place.summary or place.after.sent)[:1]
        for message in first:
            starts.setdefault(message.nodes[0], number)
    stayed = _stayed(places)
    owner: dict[str, int] = {}
    found: dict[int, list[MessageNode]] = defaultdict(list)
    for id, node in recording.session.nodes.items():
        number = starts.get(id, owner.get(node.parent_id or ""))
        if number is not None:
            owner[id] = number
            if id not in stayed:
                found[number].append(node)
    return [tuple(found[number]) for number in range(len(places))]


def _stayed(places: Sequence[CompressionPlace]) -> frozenset[str]:
    """Nodes behind a summary that are no actions after it: the summaries, and messages that were there before."""
    found: set[str] = set()
    for place in places:
        hashes = {each.hash for each in place.kept}
        after = [each for each in place.after.sent if each.hash in hashes]
        found.update(node for each in (*after, *place.summary) for node in each.nodes)
    return frozenset(found)
