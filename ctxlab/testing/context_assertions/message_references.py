"""The messages that a test means by a key, an id, the name of a preset or an entry, a source, or words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from ctxlab.context import Draft, Origin
from ctxlab.display.one_line import plain, visible
from ctxlab.display.short_texts import nearest
from ctxlab.display.source_styles import BY_NAME, OF_KIND, OF_PART, OVERHEAD
from ctxlab.engines.regexes import WordsOrPattern
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.prompt.merged_parts import pieces

LORE = "lore"
MOST_KNOWN = 2000
MOST_SHOWN = 8
WORDS = 40

Kind = Literal["messages", "source", "text", "unknown"]


@dataclass(frozen=True, slots=True, eq=False)
class MessageReference:
    """The meaning of a name in a test: keys of messages, or words that are looked for in all of them.

    `hint` names what is near where nothing of the run goes by it.
    """

    name: str
    kind: Kind
    keys: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True, order=True)
class SentPlace:
    """A place in the prompt: the message, counted from 0, and its first and last character there."""

    message: int
    start: int
    end: int


def reference(trace: Trace, name: str) -> MessageReference:
    """The messages of a run that go by a name; `unknown` where none ever did and no message ever had these words.

    In this order: a key (`node:u5`, `preset:3`), the id of a message, the id of a preset (`main`, `preset:main`), a
    book or the title of an entry behind `lore:`, a source (`history`, `lore`, `presets`), words of a message or a
    pattern of them (`re:...`).
    """
    known = _known(trace)
    for keys in (_by_key(known, name), _by_id(known, name), _by_lore(trace, known, name)):
        if keys:
            return MessageReference(name, "messages", keys)
    source = _source(name)
    if source is not None:
        return MessageReference(name, "source", tuple([k for k, origin in known.items() if _of(origin) == source]))
    if name and WordsOrPattern(name).is_in_any(str(draft.text) for draft in _all_drafts(trace)):
        return MessageReference(name, "text")
    return MessageReference(name, "unknown", hint=_hint(trace, name, known))


def places(trace: Trace, ref: MessageReference) -> list[SentPlace]:
    """The places in the prompt, in order; nothing where it is not sent."""
    if ref.kind == "text":
        return [
            SentPlace(at, start, end)
            for at, draft in enumerate(trace.result.drafts)
            for start, end in _spans_of(ref.name, str(draft.text))
        ]
    wanted = set(ref.keys)
    return [
        SentPlace(at, piece.start, piece.end)
        for at, draft in enumerate(trace.result.drafts)
        if not wanted.isdisjoint(part.key for part in draft.parts)
        for piece in pieces(draft)
        if piece.part.key in wanted
    ]


def sent_texts(trace: Trace, ref: MessageReference) -> list[tuple[str, str]]:
    """Key and text of each message that goes by the name and is sent; of a merged one its part."""
    wanted = set(ref.keys)
    return [
        (piece.part.key, str(piece.text))
        for draft in trace.result.drafts
        if not wanted.isdisjoint(part.key for part in draft.parts)
        for piece in pieces(draft)
        if piece.part.key in wanted
    ]


def shown_name(trace: Trace, key: str) -> str:
    """The one name of a message in failures: the id of its preset, where no other goes by it, else its key."""
    known = _known(trace)
    ref = _preset_id(known.get(key))
    return visible(ref) if ref and len(_by_id(known, ref)) == 1 else key


def has_words(trace: Trace, words: str) -> list[int]:
    """The messages of the prompt, counted from 0, that have these words, or match a pattern (`re:...`)."""
    sought = WordsOrPattern(words)
    return [at for at, draft in enumerate(trace.result.drafts) if sought.is_in(str(draft.text))]


def cut_with(trace: Trace, words: str) -> list[str]:
    """The keys of the messages that were taken out and have these words, or match a pattern (`re:...`)."""
    sought = WordsOrPattern(words)
    dropped = [draft for group in trace.result.dropped for draft in group.drafts]
    return list(dict.fromkeys([draft.key for draft in dropped if sought.is_in(str(draft.text))]))


def life_of(trace: Trace, key: str) -> str:
    """The life of a message in lines: which steps did what to it, and what would have kept it."""
    head, line_break, told = str(trace.why(key)).partition("\n")
    draft = next((draft for draft in _all_drafts(trace) if draft.key == key and draft.origin.kind == "preset"), None)
    if draft is not None:
        head = f"{shown_name(trace, key)}{_quoted(draft)}"
    return visible(f"{head}{line_break}{told}")


def _known(trace: Trace) -> dict[str, Origin]:
    """Every message that any step had, by key, parts of merged ones too."""
    return {part.key: part.origin for draft in _all_drafts(trace) for part in draft.parts}


def _all_drafts(trace: Trace) -> Iterator[Draft]:
    yield from trace.start.drafts
    for step in trace.steps:
        if not step.did_nothing:
            yield from step.after.drafts
    for group in trace.result.dropped:
        yield from group.drafts


def _by_key(known: Mapping[str, Origin], name: str) -> tuple[str, ...]:
    return (name,) if name in known else tuple([key for key in known if name and key.startswith(f"{name}@")])


def _by_id(known: Mapping[str, Origin], name: str) -> tuple[str, ...]:
    """Of several kinds of messages with one id the stored one is meant."""
    if f"node:{name}" in known:
        return (f"node:{name}",)
    return tuple([key for key, origin in known.items() if name and name in (origin.ref, _preset_name(origin))])


def _preset_id(origin: Origin | None) -> str:
    return origin.ref if origin is not None and origin.kind == "preset" else ""


def _preset_name(origin: Origin) -> str:
    """The key of a preset by the id that its file has for it: `preset:main`."""
    return f"preset:{origin.ref}" if origin.kind == "preset" else ""


def _hint(trace: Trace, name: str, known: Mapping[str, Origin]) -> str:
    """A clause that names what is near, or what there is: presets by their ids and what they say, then the others."""
    presets = {origin.ref: key for key, origin in known.items() if origin.kind == "preset" and origin.ref}
    others = [key for key in known if key not in presets.values()]
    names = [*presets, *others][:MOST_KNOWN]
    near = nearest(name, names)
    found = "did you mean" in near
    if not presets or (found and not any(repr(ref) in near for ref in presets)):
        return near
    drafts: dict[str, Draft] = {}
    for draft in _all_drafts(trace):
        drafts.setdefault(draft.key, draft)  # as it was before others were joined to it
    said = [f"{visible(ref)}{_quoted(drafts.get(key))}" for ref, key in presets.items()]
    shown = [*said[:MOST_SHOWN], *map(visible, others[: max(0, MOST_SHOWN - len(said))])]
    more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
    return f"{near if found else ';'} there are: {', '.join(shown)}{more}"


def _quoted(draft: Draft | None) -> str:
    words = plain(str(draft.text), WORDS) if draft is not None else ""
    return f" (“{words}”)" if words else ""


def _by_lore(trace: Trace, known: Mapping[str, Origin], name: str) -> tuple[str, ...]:
    kind, _, rest = name.partition(":")
    if kind != LORE or not rest:
        return ()
    titled = {row["key"] for row in [*entries(trace, rest), *(r for r in lore_rows(trace) if r["book"] == rest)]}
    return tuple([key for key in known if key in titled or key.startswith(f"{name}/")])


def entries(trace: Trace, name: str) -> list[Mapping[str, object]]:
    """The decisions on the entries of this key, title or uid; without any, on those whose title has the name in it."""
    rows, bare = lore_rows(trace), name.removeprefix(f"{LORE}:")
    exact = [row for row in rows if name == row["key"] or bare in (row["title"], str(row["uid"]))]
    return exact or [row for row in rows if bare and bare.casefold() in str(row["title"]).casefold()]


def lore_rows(trace: Trace) -> list[Mapping[str, object]]:
    """The decisions on lore entries; nothing where no step made any."""
    report = trace.result.report_named(LORE)
    return list(report.rows()) if report is not None else []


def _source(name: str) -> str | None:
    return name if name in BY_NAME else OF_PART.get(name)


def _of(origin: Origin) -> str:
    return OF_KIND.get(origin.kind, OVERHEAD)


def _spans_of(words: str, text: str) -> Iterator[tuple[int, int]]:
    sought = WordsOrPattern(words)
    if sought.is_pattern:
        if sought.is_in(text):  # patterns say whether, not where: the whole message counts
            yield 0, len(text)
        return
    at = text.find(words)
    while at >= 0:
        yield at, at + len(words)
        at = text.find(words, at + len(words))
