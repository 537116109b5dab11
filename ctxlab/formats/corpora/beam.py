"""BEAM's conversations (`chat.json`): batches of turns of messages; one session a conversation.

A message's id is the file's number of it, its timestamp the day on which its batch begins, for no other is known. A
user's text ends with `->-> 1,2`, which is bookkeeping: it is kept in `beam` of the message, with what else is said.
The questions lie in a file of their own, which `ctxlab.retention_cases` reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import PurePath
from typing import Any, Final, cast

from ctxlab.documents import Session
from ctxlab.formats.format import Format, always
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import ROOT, Tree
from ctxlab.formats.source import Source, mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.lazy_pattern import lazy_pattern

Data = dict[str, Any]

MARK = lazy_pattern(r"\s*->->[\s\d,/NA)]*\Z")
"""Also `->-> 2,N/A` and `->-> 5,14)`; answers that repeat such a mark said it, so it stays there."""
ROLES: Final = ("user", "assistant", "system")
OWN: Final = frozenset({"role", "id", "content"})
BOOKKEEPING: Final = frozenset({"time_anchor", "index", "question_type", "batch_number"})


def sniff(data: Any) -> bool:
    return mostly(data, _is_batch)


def _is_batch(value: Any) -> bool:
    return isinstance(value, dict) and {"batch_number", "turns"} <= cast("Data", value).keys()


def read(source: Source) -> Import:
    losses = list(source.losses)
    session = _session(source, losses)
    return with_unsent_texts(
        Import((session,), losses=tuple(losses)), source, BOOKKEEPING, lambda text: MARK.sub("", text)
    )


def conversation_name(path: str) -> str:
    """The name of a conversation by the folders that its file is in: `100K-3` of `100K/3/chat.json`."""
    file = PurePath(path)
    above = [part for part in file.parts[:-1] if part.strip("./\\")]
    if not file.stem.startswith("chat") or not above:
        return file.stem or "beam"
    return "-".join(above[-2:]) if above[-1].isdigit() else above[-1]


def _session(source: Source, losses: list[Loss]) -> Session:
    tree, leaf = Tree(), ROOT
    batches: list[Data] = []
    for number, (place, batch) in enumerate(source.items(), start=1):
        if not _is_batch(batch):
            losses.append(Loss(place, "no batch of turns; it is left out"))
            continue
        batches.append({key: value for key, value in batch.items() if key != "turns"})
        messages = list(_messages(batch["turns"], place))
        day = _day(batch.get("time_anchor"), [message for _, message in messages], place, losses)
        for where, message in messages:
            if not isinstance(message, dict):
                losses.append(Loss(where, "no message; it is left out"))
                continue
            wanted = str(cast("Data", message).get("id", where))
            fields = _fields(cast("Data", message), number, where, losses)
            leaf = tree.add(wanted, leaf, {**fields, **({"timestamp": day} if day else {})})
            if leaf != wanted:
                losses.append(Loss(where, f"the id {wanted!r} is there twice; this one is {leaf!r} now"))
    return tree.session(conversation_name(source.name), leaf=leaf, beam={"batches": batches})


def _fields(message: Data, batch: int, where: str, losses: list[Loss]) -> Data:
    role, text = message.get("role"), message.get("content")
    if role not in ROLES:
        losses.append(Loss(where, f"role {role!r:.40} is none that is known; it is a user message now"))
    if not isinstance(text, str):
        losses.append(Loss(where, "it has no text; it is empty now"))
    words = text if isinstance(text, str) else ""
    mark = MARK.search(words) if role == "user" else None
    about: Data = {"batch": batch, **{key: value for key, value in message.items() if key not in OWN}}
    if mark is not None:
        about["mark"] = mark[0].strip()
    if text is not None and not isinstance(text, str):
        about["content"] = text
    content = words[: mark.start()] if mark is not None else words
    return {"role": role if role in ROLES else "user", "content": content, "metadata": {"beam": about}}


def _messages(turns: Any, place: str) -> Iterator[tuple[str, Any]]:
    """The messages of all turns of a batch, each with its place."""
    for at, turn in enumerate(cast("list[Any]", turns) if isinstance(turns, list) else [turns]):
        for index, message in enumerate(cast("list[Any]", turn) if isinstance(turn, list) else [turn]):
            yield f"{place}.turns[{at}][{index}]", message


def _day(of_batch: Any, messages: Iterable[Any], place: str, losses: list[Loss]) -> str | None:
    """The day of a batch, or that of its first message with one, in ISO's form; the file writes `March-15-2024`."""
    days = (cast("Data", message).get("time_anchor") for message in messages if isinstance(message, dict))
    stored = of_batch or next((day for day in days if day), None)
    try:
        return f"{datetime.strptime(str(stored).strip(), '%B-%d-%Y'):%Y-%m-%d}"
    except ValueError:
        losses.append(Loss(place, f"its day {stored!r:.40} is none that is known; its messages have no timestamps"))
        return None


BEAM = Format("beam", "conversation in batches", sniff=sniff, read=read, only_conversations=always)
