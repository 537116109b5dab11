"""The next request with what is being typed, as the page gets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, first_of
from ctxlab.documents import MessageNode
from ctxlab.pipeline.explain.cut_causes import cut_cause
from ctxlab.studies.draft_preview import DraftEntry, DraftMacro, Preview
from ctxlab.studies.draft_preview.preview import CHANCE
from ctxlab_widgets._shared.json_values import list_as_json
from ctxlab_widgets.chat_panel.utf16 import units_before

NAME = 60
MOST_CUT = 500
MOST_NAMED = 3


def draft_json(preview: Preview) -> dict[str, Any]:
    """The preview of a draft as `Draft` of the page."""
    keeps = preview.remedies if len(preview.cut) <= MOST_CUT else {}
    places = places_of(preview.trace.start.input.session.path())
    return {
        "text": preview.text,
        "totals": [[each.source, each.title, each.tokens] for each in preview.sources],
        "tokens": preview.tokens,
        "budget": preview.budget,
        "free": preview.free,
        "cut": [
            {
                "key": row_key(each.key),
                "cause": each.cause,
                **({"keep": {"label": label}} if (label := _label(preview, each.key, keeps)) else {}),
            }
            for each in sorted(preview.cut, key=lambda each: places.get(row_key(each.key), -1))
        ],
        "cutTokens": sum(each.tokens for each in preview.cut if each.was_sent),
        "fires": [
            {
                "name": plain(each.title, NAME),
                "tokens": each.tokens,
                "cause": each.reason,
                "chance": CHANCE if each.by_chance else "",
            }
            for each in preview.fires
        ],
        "marks": list(_marks(preview)),
        "cache": list(preview.cache.sentences) if preview.cache is not None else [],
        "notes": notes_of(preview),
        "error": "",
    }


def unsent_json(preview: Preview) -> str:
    """The messages that a budget leaves out of the next request, by cause, as JSON; empty where there are none."""
    groups: dict[str, list[str]] = {}
    for group in preview.trace.result.dropped:
        if group.needed is not None:
            keys = [part.key for draft in group.drafts for part in (draft, *draft.merged)]
            groups.setdefault(cut_cause(group), []).extend(row_key(key) for key in keys)
    return list_as_json([{"cause": cause, "keys": keys} for cause, keys in groups.items()]) if groups else ""


def failed_json(text: str, error: str) -> dict[str, Any]:
    """A draft whose request can't be built, with the sentence that says why."""
    figures = {"totals": [], "tokens": 0, "budget": None, "free": None, "cut": [], "cutTokens": 0}
    return {"text": text, **figures, "fires": [], "marks": [], "cache": [], "notes": [], "error": error}


def row_key(key: str) -> str:
    """The key of a message's row: its id, or `preset:` and its number."""
    return key.removeprefix("node:")


def places_of(path: Sequence[MessageNode]) -> dict[str, int]:
    """Place on a path by id of a message."""
    return {node.id: place for place, node in enumerate(path)}


def in_path_order(keys: Sequence[str], places: Mapping[str, int]) -> list[str]:
    """Keys of rows as they follow each other in the conversation; presets and lore come first."""
    return sorted(keys, key=lambda key: places.get(key, -1))


def _label(preview: Preview, key: str, keeps: Any) -> str:
    remedy = keeps.get(key)
    if remedy is None or not remedy.label:
        return ""
    return f"{remedy.label}, budget +{remedy.price:,}" if remedy.price else remedy.label


def notes_of(preview: Preview) -> list[str]:
    """Warnings of the run with the draft that the one without it doesn't have."""
    known = {note.text for note in preview.without.result.notes} if preview.without is not preview.trace else set[str]()
    return list(dict.fromkeys(note.text for note in preview.trace.result.notes if note.text not in known))[:20]


def sentence_of(preview: Preview | None, messages: int, summed: int, places: Mapping[str, int]) -> str:
    """The one sentence at the head of a chat: its messages, what the next request takes, and what it cuts."""
    found = counted(messages, "message")
    if summed:
        found += f", {summed:,} of them as a summary"
    if preview is None:
        return f"{found}."
    about = "about " if preview.trace.estimated else ""
    of = f" of {preview.budget:,}" if preview.budget is not None else ""
    found += f"; the next request takes {about}{preview.tokens:,}{of} tokens"
    cut = [row_key(each.key) for each in preview.cut if each.was_sent]
    went = [plain(key, 30) for key in in_path_order(cut, places)]
    gone = {draft.key for group in preview.trace.result.dropped if group.needed is not None for draft in group.drafts}
    others = len(gone.difference(each.key for each in preview.cut))
    if went:
        found += f" and cuts {first_of(went, MOST_NAMED)} for the draft"
    if others:
        found += (
            f"; {counted(others, 'message')} {'does' if others == 1 else 'do'} not fit{' without it' if went else ''}"
        )
    return f"{found}."


def persona_words(preview: Preview | None) -> str:
    """A sentence where the user's persona isn't sent; empty where it is, and where that can't be told."""
    user = preview.trace.start.input.user if preview is not None else None
    persona = user.content.strip() if user is not None else ""
    if preview is None or user is None or not persona or "{{" in persona:
        return ""
    if any(persona in str(draft.text) for draft in preview.trace.result.drafts):
        return ""
    whose = plain(user.shown_name or user.id, NAME)
    return f" The persona of {whose} is not sent: no preset or placeholder of the agent asks for it."


def _marks(preview: Preview) -> Iterator[dict[str, Any]]:
    for entry in preview.fires:
        if entry.start is not None and entry.end is not None:
            yield {**_span(preview.text, entry.start, entry.end), "kind": "lore", "note": _lore_note(entry)}
    for macro in preview.macros:
        kind = "macro" if macro.known else "unknown-macro"
        yield {**_span(preview.text, macro.start, macro.end), "kind": kind, "note": _macro_note(macro)}


def _lore_note(entry: DraftEntry) -> str:
    fires = f"may fire, {CHANCE}" if entry.by_chance else "fires"
    return f"lore: {plain(entry.title, NAME)} {fires}, {counted(entry.tokens, 'token')}"


def _macro_note(macro: DraftMacro) -> str:
    return macro.problem or f"the macro {macro.name} is replaced when it is sent"


def _span(text: str, start: int, end: int) -> dict[str, int]:
    return {"start": units_before(text, start), "end": units_before(text, end)}
