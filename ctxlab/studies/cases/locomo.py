"""Cases of LoCoMo: questions about long conversations of two people, with the turns that answer them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.documents import MessageNode, Session
from ctxlab.studies.cases.labelled_cases import LeftOut
from ctxlab.studies.study.case import Case

KINDS: Mapping[int, str] = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""Categories by number, as the data set's own evaluation names them."""
ADVERSARIAL = 5
UNANSWERABLE = "category 5 (adversarial): the conversation doesn't hold the answer"
NO_EVIDENCE = "no evidence is named"
DANGLING = "evidence is named that is no message of the conversation"


def is_locomo(session: Session) -> bool:
    """Whether a session was read from LoCoMo with its questions."""
    return isinstance(_about(session).get("questions"), Sequence)


def locomo_cases(session: Session) -> Iterator[Case | LeftOut]:
    """The questions of a conversation, or why one is left out; pictures are words in the cases' session."""
    worded = with_captions(session)
    for number, question in enumerate(cast("Sequence[Mapping[str, Any]]", _about(session)["questions"])):
        text, kind = str(question.get("question") or ""), question.get("category")
        reason = _why_not(question)
        if reason is not None:
            yield LeftOut(session.id, text, reason)
            continue
        yield Case(
            id=f"{session.id}/{number}",
            conversation=session.id,
            session=worded,
            question=text,
            evidence=tuple(map(str, question["evidence"])),
            kind=KINDS.get(kind, str(kind)) if isinstance(kind, int) else str(kind or ""),
        )


def _why_not(question: Mapping[str, Any]) -> str | None:
    if question.get("category") == ADVERSARIAL:
        return UNANSWERABLE
    if question.get("evidenceNotFound"):
        return DANGLING
    return None if question.get("evidence") else NO_EVIDENCE


def with_captions(session: Session) -> Session:
    """The conversation with every picture as words: ` [shared an image: CAPTION]` behind its turn's text."""
    changed = {str(node.id): _with_caption(node) for node in session.nodes.values() if _is_picture(node)}
    return session.with_nodes(changed) if changed else session


def _is_picture(node: MessageNode) -> bool:
    return bool(node.attachments) or bool(_caption(node))


def _with_caption(node: MessageNode) -> MessageNode:
    caption = _caption(node)
    words = f" [shared an image: {caption}]" if caption else ""
    return node.model_copy(update={"content": f"{node.content}{words}", "attachments": ()})


def _caption(node: MessageNode) -> str:
    about = (node.metadata or {}).get("locomo")
    caption = cast("Mapping[str, Any]", about).get("blip_caption") if isinstance(about, Mapping) else None
    return caption if isinstance(caption, str) else ""


def _about(session: Session) -> Mapping[str, Any]:
    about = (session.model_extra or {}).get("locomo")
    return cast("Mapping[str, Any]", about) if isinstance(about, Mapping) else {}
