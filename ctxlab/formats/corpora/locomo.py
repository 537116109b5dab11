"""LoCoMo: long conversations of two people over many days, with questions about them; one session a conversation.

`speaker_a` is the user, `speaker_b` the assistant; their names are the messages' names. A message's id is its `dia_id`,
its timestamp the time that its day's talk began, for no other is known (taken as UTC). The questions are in the
session's `locomo`, their `evidence` as ids of messages (`evidenceNotFound` are those that are none), with everything
else that the file says of the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, cast

from ctxlab.documents import Session
from ctxlab.formats.format import Format, always
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.lazy_pattern import lazy_pattern

Data = dict[str, Any]

TALK = lazy_pattern(r"session_(\d+)")
TURN_ID = lazy_pattern(r"D(\d+):(\d+)")
BOOKKEEPING: Final = frozenset({"qa", "session_summary", "event_summary", "observation", "query", "blip_caption"})
"""Fields about a talk and its pictures, which are no part of it."""
OWN = frozenset({"speaker", "dia_id", "text", "img_url"})


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_sample)


def _is_sample(value: Any) -> bool:
    conversation = cast("Data", value).get("conversation") if isinstance(value, dict) else None
    return isinstance(conversation, dict) and {"speaker_a", "speaker_b"} <= cast("Data", conversation).keys()


def read(source: Source) -> Import:
    losses = list(source.losses)
    names = Names()
    sessions: list[Session] = []
    for number, (place, item) in enumerate(source.items(), start=1):
        if not _is_sample(item):
            losses.append(Loss(place, "no conversation of two speakers; it is left out"))
            continue
        wanted = str(item.get("sample_id") or f"{source.stem}-{number}")
        session_id = names.take(wanted)
        found: list[Loss] = []
        if session_id != wanted:
            found.append(Loss("sample_id", f"{wanted!r} is there twice; this one is {session_id!r} now"))
        sessions.append(_session(item, session_id, found))
        losses += [loss.inside(session_id) for loss in found]
    talks = range(1, 1 + max((len(session.nodes) for session in sessions), default=0))
    dates = {f"session_{number}_date_time" for number in talks}
    return with_unsent_texts(Import(tuple(sessions), losses=tuple(losses)), source, BOOKKEEPING | dates)


def _session(item: Data, session_id: str, losses: list[Loss]) -> Session:
    conversation = cast("Data", item["conversation"])
    speakers = {str(conversation["speaker_a"]): "user", str(conversation["speaker_b"]): "assistant"}
    tree = Tree()
    leaf = ROOT
    ids: set[str] = set()
    for number, turns in _talks(conversation, losses):
        time = _time(conversation.get(f"session_{number}_date_time"), f"session_{number}", losses)
        for index, turn in enumerate(turns):
            if not isinstance(turn, dict):
                losses.append(Loss(f"session_{number}[{index}]", "no turn of a speaker; it is left out"))
                continue
            wanted = str(turn.get("dia_id") or f"D{number}:{index + 1}")
            leaf = tree.add(wanted, leaf, _fields(cast("Data", turn), wanted, number, time, speakers, losses))
            if leaf != wanted:
                losses.append(Loss(f"turn {wanted!r}", f"its id is there twice; this one is {leaf!r} now"))
            ids.add(leaf)
    about: Data = {"questions": list(_questions(item.get("qa"), ids, losses)), "speakers": speakers}
    about |= {key: value for key, value in item.items() if key not in ("qa", "conversation", "sample_id")}
    if more := _unread(conversation):
        about["conversation"] = more
    return tree.session(session_id, leaf=leaf, name=" and ".join(speakers), locomo=about)


def _talks(conversation: Data, losses: list[Loss]) -> Iterator[tuple[int, list[Any]]]:
    """The talks in the order of their numbers."""
    numbered = sorted((int(found[1]), key) for key in conversation if (found := TALK.fullmatch(key)))
    for number, key in numbered:
        turns = conversation[key]
        if isinstance(turns, list):
            yield number, cast("list[Any]", turns)
        else:
            losses.append(Loss(key, f"is {type(turns).__name__}, no list of turns; it is left out"))


def _unread(conversation: Data) -> Data:
    """Fields of talks that are not there, such as a date."""
    read_keys = {f"{key}{end}" for key in conversation if TALK.fullmatch(key) for end in ("", "_date_time")}
    return {key: v for key, v in conversation.items() if key not in read_keys | {"speaker_a", "speaker_b"}}


def _fields(
    turn: Data, wanted: str, number: int, time: str | None, speakers: dict[str, str], losses: list[Loss]
) -> Data:
    speaker, text = str(turn.get("speaker") or ""), turn.get("text")
    if speaker not in speakers:
        losses.append(Loss(f"turn {wanted!r}", f"speaker {speaker!r} is neither of the two; it is a user message now"))
    if not isinstance(text, str):
        losses.append(Loss(f"turn {wanted!r}", "it has no text; it is empty now"))
    fields: Data = {"role": speakers.get(speaker, "user"), "content": text if isinstance(text, str) else ""}
    if speaker:
        fields["name"] = speaker
    if pictures := list(_pictures(turn.get("img_url"), wanted)):
        fields["attachments"] = pictures
    if time is not None:
        fields["timestamp"] = time
    urls: Any = turn.get("img_url")
    listed = cast("list[Any]", urls) if isinstance(urls, list) else [urls]
    strange = [url for url in listed if url is not None and not isinstance(url, str)]
    unread = {"text": None if isinstance(text, str) else text, "img_url": strange or None}
    about = {key: value for key, value in turn.items() if key not in OWN}
    about |= {key: value for key, value in unread.items() if value is not None}
    return {**fields, "metadata": {"locomo": {"session": number, **about}}}


def _pictures(urls: Any, wanted: str) -> Iterator[Data]:
    for n, url in enumerate(cast("list[Any]", urls) if isinstance(urls, list) else [urls], start=1):
        if isinstance(url, str) and url:
            yield {"id": f"{wanted}-picture-{n}", "type": "image", "url": url}


def _time(stored: Any, talk: str, losses: list[Loss]) -> str | None:
    """`1:56 pm on 8 May, 2023` in ISO's form."""
    try:
        return f"{datetime.strptime(str(stored).strip(), '%I:%M %p on %d %B, %Y'):%Y-%m-%dT%H:%M:%SZ}"
    except ValueError:
        losses.append(Loss(talk, f"its time {stored!r:.40} is none that is known; its messages have no timestamps"))
        return None


# --- questions


def _questions(stored: Any, ids: set[str], losses: list[Loss]) -> Iterator[Data]:
    for number, question in enumerate(cast("list[Any]", stored) if isinstance(stored, list) else []):
        if not isinstance(question, dict):
            losses.append(Loss(f"qa[{number}]", "no question; it is left out"))
            continue
        evidence = question.get("evidence")
        parts = cast("list[Any]", evidence) if isinstance(evidence, list) else [evidence] if evidence else []
        missing: list[str] = []
        found = [found for part in parts for found in _evidence(part, f"qa[{number}]", ids, losses, missing)]
        not_found = {"evidenceNotFound": missing} if missing else {}
        yield {**cast("Data", question), "evidence": list(dict.fromkeys(found)), **not_found}


def _evidence(part: Any, place: str, ids: set[str], losses: list[Loss], missing: list[str]) -> Iterator[str]:
    """Ids of messages in a piece of evidence, which may name several: `D8:6; D9:17`; what is none goes to `missing`."""
    named = [f"D{int(talk)}:{int(turn)}" for talk, turn in TURN_ID.findall(str(part))]
    if not named:
        missing.append(str(part))
        losses.append(Loss(place, f"evidence {part!r:.40} names no message; left out"))
    for turn_id in named:
        if turn_id in ids:
            yield turn_id
        else:
            missing.append(turn_id)
            losses.append(Loss(place, f"evidence {turn_id!r} is no message of the conversation; left out"))


LOCOMO = Format("locomo", "conversation", sniff=sniff, read=read, only_conversations=always)
