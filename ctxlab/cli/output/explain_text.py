"""Explanations as text: the life of a message, the occurrences of some words, the provenance of a span."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from rich.text import Text

from ctxlab.cli.output.messages import outcome, preview
from ctxlab.cli.output.run_text import short_key
from ctxlab.cli.output.terminal import Screen, harmless, quoted, shown_body
from ctxlab.context import Context, Draft, Origin, Span
from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook.explain import LORE, decisions, key_place, requested_place
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.pipeline import Event, Life, Occurrence, Trace
from ctxlab.pipeline.explain.diff import shown_change
from ctxlab.pipeline.explain.provenance_text import span_provenance
from ctxlab.secrets import masked_stretch

MOST_PLACES = 12
MOST_ALIKE = 3  # messages that went for one reason and have a line each
MOST_SPANS = 6
SHORTEST_BEGINNING = 4  # characters of an id that may stand for it
MOST_BEGUN = 5
AROUND = 30  # characters shown before and after words that were looked for
TextRow = tuple[int, Text]  # how deep it stands in the tree, and its words


def keys_for(trace: Trace, name: str) -> list[str]:
    """Keys of the messages that a name means: a key, or the id of a node or preset, which may stand in several places.

    The beginning of an id, from four characters on, is as good where it begins only one. Raises CtxlabError when no
    step had one, and where it begins several.
    """
    known = {draft.key: draft for draft in _every_draft(trace)}
    for key in (name, f"node:{name}"):
        if key in known:
            return [key]
    found = [key for key, draft in known.items() if name in (draft.origin.ref, key.partition("@")[0])]
    if not found:
        begun = _begun_with(name.removeprefix("node:"), known)
        if len(begun) > 1:
            more = f" and {len(begun) - MOST_BEGUN:,} more" if len(begun) > MOST_BEGUN else ""
            shown = ", ".join(begun[:MOST_BEGUN])
            raise CtxlabError(f"{name!r} begins {len(begun):,} ids, {shown}{more}; give more of the one that is meant")
        if begun and begun[0] != name:
            return keys_for(trace, begun[0])
        raise CtxlabError(f"no step had a message {name!r}{_where_else(trace, name, known)}")
    return found


def _begun_with(name: str, known: Mapping[str, Draft]) -> list[str]:
    """Ids of the messages that begin with a name of at least four characters."""
    ids = dict.fromkeys(short_key(key.partition("@")[0]) for key in known)
    return [id for id in ids if id.startswith(name)] if len(name) >= SHORTEST_BEGINNING else []


def _where_else(trace: Trace, name: str, known: Mapping[str, Draft]) -> str:
    id = name.removeprefix("node:")
    if id in trace.start.input.session.nodes:
        return f"; it is a node of the tree, but not on the path to {trace.start.input.leaf_id!r}"
    names = list(dict.fromkeys([*(short_key(key) for key in known), *(draft.origin.ref for draft in known.values())]))
    near = did_you_mean(name, names)
    return near if "did you mean" in near else f"; {len(known)} others are there"


def _every_draft(trace: Trace) -> Iterator[Draft]:
    """Every message that any step had, the dropped ones where they were dropped."""
    seen: set[int] = set()
    for ctx in (trace.start, *(step.after for step in trace.steps)):
        groups = (draft for group in ctx.dropped for draft in group.drafts)
        for draft in (*ctx.drafts, *groups):
            if id(draft) not in seen:
                seen.add(id(draft))
                yield draft


def life(screen: Screen, trace: Trace, found: Life) -> None:
    """One message through all steps, and what became of it."""
    first = next((draft for draft in _every_draft(trace) if draft.key == found.key), None)
    role = f"  {first.role}" if first else ""
    screen.line((harmless(found.name), "strong"), (role, "dim"))
    if first is not None and first.text:
        for row in preview(screen, first.text.spans, screen.width - 2):
            screen.line(("│ ", "dim"), row)
    names = max((len(event.step) for event in found.events), default=0)
    for event in found.events:
        style = "cause" if event.kind == "dropped" else ""
        words = harmless(event.text)
        screen.line(("├─ ", "dim"), (f"{harmless(event.step):<{names}}  ", "step"), (words, style), hang=names + 5)
        for depth, row in _change(event):
            screen.line((f"│  {'  ' * depth}", "dim"), row, hang=5 + 2 * depth)
    number = _number(trace.result, found.draft)
    if found.draft is None or number is None:
        remedy = f"; {harmless(str(found.remedy))}" if found.remedy else ""
        screen.line(("└─ ", "dim"), ("it is not sent", "gone"), (remedy, "dim"), hang=3)
        return
    screen.line(("└─ ", "dim"), (outcome(found.draft, number), "came"))
    origin = first.origin if first is not None else found.draft.origin
    _spans(screen, found.draft, origin)


def _change(event: Event) -> Iterator[TextRow]:
    """The smallest part of the text that a rewrite changed."""
    if event.kind != "rewritten" or event.before is None or event.after is None:
        return
    change = shown_change(str(event.before.text), str(event.after.text))
    if change is not None:
        start, old, new = change
        words = f"from character {start:,} on: {quoted(old, 32)} became {quoted(new, 32)}"
        yield 0, Text(words, "dim")


def _spans(screen: Screen, draft: Draft, origin: Origin) -> None:
    """The spans of a message that a step put in or rewrote, and the text that they replaced."""
    own = [
        s for s in draft.text.spans if s.cause is not None and s.origin.kind != "separator" and origin in s.origins()
    ]
    for span in own[:MOST_SPANS]:
        for depth, row in provenance_rows(span):
            screen.line(f"   {'   ' * depth}", row, hang=5 + 3 * depth)
    if len(own) > MOST_SPANS:
        screen.line((f"   and {len(own) - MOST_SPANS:,} more stretches", "dim"))


def provenance_rows(span: Span) -> Iterator[TextRow]:
    """The writer of a span, the rule that put it there, and the text that it replaced, the oldest innermost."""
    for told in span_provenance(span):
        words = quoted(told.text, 48) if told.text else "nothing, it was taken out"
        style = "added" if not told.depth and told.was_put else ""
        lead = f"{told.lead} " if told.lead else ""
        yield told.depth, Text.assemble((lead, "dim"), (words, style), (harmless(f" {told.words}"), "dim"))


def places(screen: Screen, trace: Trace, words: str, found: tuple[Occurrence, ...]) -> None:
    """Every occurrence of some words: sent, dropped or replaced, with the writer of each span."""
    many = counted(len(found), "place")
    screen.line((f"“{harmless(words)}”", "strong"), (f"  {many}", "dim"))
    shown = found[:MOST_PLACES]
    for place in shown:
        last = place is found[-1]
        screen.line(("└─ " if last else "├─ ", "dim"), *_headline(trace, place), hang=3)
        rail = "   " if last else "│  "
        screen.line((rail, "dim"), _around(place), hang=5)
        told = [row for span in place.spans for row in provenance_rows(span)]
        for depth, row in (*told, *_lore(trace, place)):
            screen.line((f"{rail}  {'   ' * depth}", "dim"), row, hang=7 + 3 * depth)
    if len(found) > len(shown):
        screen.line((f"└─ and {counted(len(found) - len(shown), 'more place')}; longer words find fewer", "dim"))


def _lore(trace: Trace, place: Occurrence) -> Iterator[TextRow]:
    """The keys that made the entries fire which are in an occurrence, and the placement of each."""
    keys = {f"{LORE}:{origin.ref}" for span in place.spans for origin in span.origins() if origin.kind == LORE}
    for decision in decisions(trace.result) if keys else ():
        if decision.key not in keys:
            continue
        found, matched = key_place(trace.result, decision), decision.matched
        if found is not None and matched is not None:
            words = f"“{matched.key}” in {found.in_words(short_key)}"
            yield 1, Text.assemble(("called up by ", "dim"), harmless(words))
        yield 1, Text.assemble(("placed ", "dim"), harmless(requested_place(decision)))


def _headline(trace: Trace, place: Occurrence) -> tuple[tuple[str, str], ...]:
    where = f"characters {place.start:,} to {place.end:,}"
    if place.state == "sent":
        number = _number(trace.result, trace.result.draft(place.key))
        return (f"sent in message {number}", "came"), (f", {where}", "dim")
    if place.state == "dropped":
        by = harmless(place.by.removeprefix(" by "))
        return (f"dropped with {short_key(place.key)}", "gone"), (f", {where}: ", "dim"), (by, "cause")
    text = harmless(f", {where} of {place.version}:")
    return (f"replaced in {_message(trace, place)}", "gone"), (text, "dim"), (harmless(place.by), "cause")


def _message(trace: Trace, place: Occurrence) -> str:
    """The number of the message that holds the rest of a text, and the part that it belongs to."""
    number = _number(trace.result, trace.result.draft(place.key))
    part = f" ({short_key(place.part)})" if place.part != place.key else ""
    return f"message {number}{part}" if number is not None else f"{short_key(place.part)}, which is not sent"


def _around(place: Occurrence) -> Text:
    """The words with the text around them."""
    whole = str(place.version.text)
    before = shown_body(masked_stretch(whole, max(0, place.start - AROUND), place.start))
    after = shown_body(masked_stretch(whole, place.end, place.end + AROUND))
    start = "…" if place.start > AROUND else ""
    end = "…" if place.end + AROUND < len(whole) else ""
    return Text.assemble(
        (start + before, "dim"),
        (shown_body(masked_stretch(whole, place.start, place.end)), "strong"),
        (after + end, "dim"),
    )


def outcome_rows(trace: Trace) -> list[tuple[str, str, str, str]]:
    """Key, role, outcome and style of every message: sent ones in order, then dropped ones by cause."""
    rows: list[tuple[str, str, str, str]] = []
    roles = {draft.key: draft.role for draft in _every_draft(trace)}
    for number, draft in enumerate(trace.result.drafts, start=1):
        for part in draft.parts:
            words = f"sent in message {number}" + (f", one of {len(draft.parts)} parts" if draft.merged else "")
            rows.append((part.key, roles.get(part.key, draft.role), words, "came"))
    for group in trace.result.dropped:
        rows += [(draft.key, draft.role, f"dropped: {group.cause}", "cause") for draft in group.drafts]
    return rows


def outcomes(screen: Screen, trace: Trace) -> None:
    """Every message on one line; a row of many that went for one reason is one line too."""
    rows = outcome_rows(trace)
    width = min(32, max((len(key) for key, *_ in rows), default=0))
    for (words, style), run in groupby(rows, key=lambda row: row[2:]):
        alike = list(run)
        if style == "cause" and len(alike) > MOST_ALIKE:
            many = f"{counted(len(alike), 'message')}, {short_key(alike[0][0])} to {short_key(alike[-1][0])}"
            screen.line((f"{many}  ", "strong"), (harmless(words), style), hang=4)
            continue
        for key, role, *_ in alike:
            screen.line(
                f"{harmless(key):<{width}}  ",
                (f"{role:<9}  ", f"role.{role}"),
                (harmless(words), style),
                hang=width + 13,
            )


def _number(ctx: Context, draft: Draft | None) -> int | None:
    return next((i for i, other in enumerate(ctx.drafts, start=1) if other is draft), None)
