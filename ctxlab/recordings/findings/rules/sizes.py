"""Rules on what fills the context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import PromptPart
from ctxlab.recordings.findings.checked_context import CheckedContext, listed_names, quoted, quoted_name
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule
from ctxlab.recordings.findings.rules.next_request import nearly_full
from ctxlab.recordings.recorded_request import RecordedRequest

FEWEST_TOKENS: Final = 10_000
"""Tokens of a request that counts as large."""
MOST: Final = 0.5
FULL: Final = 0.9
BLOB: Final = 1_000
"""Characters without a blank that count as encoded bytes."""
_BLOB: Final = lazy_pattern(rf"[A-Za-z0-9+/_=-]{{{BLOB},}}")
FEWEST_TIMES: Final = 4
_PICTURE: Final = lazy_pattern(
    r"\b(?:image|picture|photo|screenshot|diagram|drawing|figure|logo|icon|chart)s?\b|图|照片|截屏|画", re.I
)


@finding_rule(
    "results-fill-context",
    "Mostly results of tools",
    "Speaks of an agent whose largest request, of 10,000 tokens or more, is more than half results of tools and files.",
    "note",
    example_real=True,
)
def results_fill_context(checked: CheckedContext) -> Iterator[Found]:
    """The largest request of each agent, and which tools' results are in it."""
    largest: dict[str, RecordedRequest] = {}
    for request in checked.requests:
        known = largest.get(request.agent)
        if known is None or checked.parts.tokens(request) > checked.parts.tokens(known):
            largest[request.agent] = request
    for request in largest.values():
        tokens, sources = checked.parts.tokens(request), checked.parts.tokens_by_source(request)
        results = sources.get("results", 0) + sources.get("files", 0)
        if tokens < FEWEST_TOKENS or results <= MOST * tokens:
            continue
        by_tool: Counter[str] = Counter()
        for part in checked.parts.of_request(request):
            if part.source in ("results", "files"):
                by_tool[part.name or "without a name"] += part.tokens
        most = ", ".join(f"{quoted_name(name)} {count:,}" for name, count in by_tool.most_common(3))
        yield Found(
            f"{round(100 * results / tokens)} % of the {counted(tokens, 'token')} of request {request.id} are results "
            f"of tools ({most}).",
            "Cut results when they come, or put a line in the place of those that are answered.",
            (FindingPlace(request.id),),
            results,
        )


@finding_rule(
    "window-nearly-full",
    "A window that is nearly full",
    "Speaks of requests that took at least 90 % of the model's window, as the vendor counted, which it still took, or "
    "that will.",
    "warning",
)
def window_nearly_full(checked: CheckedContext) -> Iterator[Found]:
    """The requests of an agent that came near the window of their model."""
    from ctxlab.providers.models import model_info

    if checked.trace is not None:
        yield from nearly_full(checked, checked.trace, FULL)
        return
    windows = {
        name: model_info(name).context_window
        for name in {request.model for request in checked.requests if request.model}
    }
    near: dict[tuple[str, str], list[RecordedRequest]] = {}
    larger: set[str] = set()
    for request in checked.requests:
        window, used = windows.get(request.model), request.usage.input
        if window and used and used > window:
            larger.add(request.model)
        elif window and used and used >= FULL * window:
            near.setdefault((request.agent, request.model), []).append(request)
    for (_, model), requests in near.items():
        if model in larger:
            continue
        most = max(requests, key=lambda request: request.usage.input or 0)
        yield Found(
            f"{counted(len(requests), 'request')} took 90 % or more of the {windows[model]:,} tokens of "
            f"{quoted_name(model)}, the largest {most.usage.input:,}.",
            "Compress earlier, or leave out what the other findings name.",
            tuple(FindingPlace(request.id) for request in requests),
            most.usage.input or 0,
        )


@finding_rule(
    "encoded-bytes",
    "Encoded bytes in the text",
    "Speaks of a thousand characters or more without a blank that are base64 or hexadecimal digits.",
    "warning",
    example_real=True,
)
def encoded_bytes(checked: CheckedContext) -> Iterator[Found]:
    """Bytes written as text, which a model can't read."""
    for part in checked.all_parts():
        if len(part.text) < BLOB or part.source in ("attachments", "parameters") or not checked.is_sent(part.key):
            continue
        blobs = [found for found in _BLOB.finditer(part.text) if _is_encoded(found[0])]
        if blobs:
            characters = sum(len(found[0]) for found in blobs)
            tokens = sum(checked.tokens(found[0]) for found in blobs)
            where = (
                [(part.start + found.start(), part.start + found.end()) for found in blobs]
                if part.start is not None
                else []
            )
            about = part.file or part.name
            yield Found(
                f"{characters:,} characters of encoded bytes that begin {quoted(blobs[0][0], 24)} are sent as text"
                f"{f' ({quoted_name(about)})' if about else ''}.",
                "Send a file as a file, or leave the bytes out of the result.",
                tuple(checked.place(part.key, start, end, quoted_name(about)) for start, end in where)
                or (checked.place_of(part),),
                *checked.cost_of([(part.key, tokens)]),
            )


def _is_encoded(text: str) -> bool:
    """Whether digits, capitals and small letters are mixed as in base64, or all are hexadecimal."""
    sample = text[:BLOB]
    digits = sum(character.isdigit() for character in sample)
    if not 0.03 * len(sample) < digits < 0.9 * len(sample):
        return False
    capitals = sum(character.isupper() for character in sample)
    small = sum(character.islower() for character in sample)
    is_hex = not re.search(r"[^0-9a-fA-F]", sample)
    return len(set(sample)) >= 12 and (is_hex or min(capitals, small) > 0.15 * len(sample))


@finding_rule(
    "reasoning-carried",
    "Old reasoning sent again",
    "Speaks of reasoning in words that whole requests send after a later message of the user.",
    "note",
    ("recording",),
    example_real=True,
)
def reasoning_carried(checked: CheckedContext) -> Iterator[Found]:
    """Thoughts of turns that are past."""
    counts: list[tuple[str, int]] = []
    parts: list[PromptPart] = []
    for id in checked.nodes:
        if checked.node(id).role != "user" or not checked.is_sent(id) or not checked.request_of(id).whole:
            continue
        at = checked.node(id).parent_id
        while at is not None and at in checked.number and checked.node(at).role != "user":
            own = [part for part in checked.parts_of(at) if part.source == "reasoning"]
            parts += own
            counts += [(id, part.tokens) for part in own]
            at = checked.node(at).parent_id
    if parts:
        unique = {part.key: part for part in parts}
        yield Found(
            f"The reasoning of {counted(len(unique), 'answer')} is still sent after a later message of the user.",
            "Leave out the reasoning of turns that are past, where the vendor doesn't ask for it.",
            tuple(checked.place_of(part) for part in unique.values()),
            *checked.cost_of(counts),
        )


@finding_rule(
    "picture-unasked",
    "A picture nobody asks about",
    "Speaks of a picture in four requests or more, where no message or answer behind its first answer names one.",
    "warning",
    example_real=True,
)
def picture_unasked(checked: CheckedContext) -> Iterator[Found]:
    """Pictures that are carried along after their answer."""
    pictures: list[tuple[int, str, PromptPart]] = []
    last_named: dict[str, int] = {}
    last, names = -1, set[str]()
    for number, id in enumerate(checked.nodes):
        node = checked.node(id)
        for part in checked.parts_of(id):
            if part.source == "attachments":
                asset = next((each for each in node.attachments or () if each.name == part.text), None)
                if asset is not None and (asset.type == "image" or asset.mime_type.startswith("image/")):
                    pictures.append((number, id, part))
                    names.add(part.text)
            elif part.source in ("history", "calls"):
                if _PICTURE.search(part.text):
                    last = number
                last_named |= {name: number for name in names if name and name in part.text}
    for number, id, part in pictures:
        answered = next(
            (later for later in range(number + 1, len(checked.nodes)) if _is_answer(checked, later)), number
        )
        if checked.times(id) < FEWEST_TIMES or max(last, last_named.get(part.text, -1)) > answered:
            continue
        yield Found(
            f"The picture {listed_names([part.text or 'without a name'])} is sent {checked.times(id)} times, and no "
            "message or answer behind the first answer to it names a picture.",
            "Put its description in its place once it is answered.",
            (checked.place_of(part),),
            *checked.cost_after_first(part),
        )


def _is_answer(checked: CheckedContext, number: int) -> bool:
    node = checked.node(checked.nodes[number])
    return node.role == "assistant" and bool(node.content.strip())
