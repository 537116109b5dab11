"""Decisions on lore as text: all of them as a table, one of them in sentences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from ctxlab.cli.output.run_text import short_key
from ctxlab.cli.output.terminal import Screen, harmless, one_line, shortened, shown_body
from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook import Decision, LoreScan
from ctxlab.engines.worldbook.explain import Sentence, decisions, key_place, outcome, scan_of, sentences
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.processors import WorldbookProcessor
from ctxlab.secrets import masked_stretch

SIGNS = {"fired": "✓", "blocked": "⊘", "not hit": "○"}
STYLES = {"fired": "came", "blocked": "warn", "not hit": "dim"}
LABEL_STYLES: Mapping[str, str] = {**STYLES, "nearest": "strong", "or": "strong", "price": "strong"}
TITLES = {"entry": 12, "book": 8, "key": 6, "where": 12, "decision": 8, "tokens": 6, "nearest change": 14}
"""Titles of the columns, with the cells that each has, however narrow the screen; `book` where there are several."""
STACKED_BELOW = 84
AROUND = 36
MOST_ROWS = 200


def summary(found: Sequence[Decision]) -> str:
    """`16 entries: 5 fired, 3 blocked, 8 not hit`."""
    counts = {kind: sum(outcome(one) == kind for one in found) for kind in SIGNS}
    counts_text = ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n)
    return f"{len(found):,} {'entry' if len(found) == 1 else 'entries'}: {counts_text}"


def table(
    screen: Screen,
    found: Sequence[Decision],
    *,
    unsent: Collection[str] = (),
    most: int = MOST_ROWS,
    scan: LoreScan | None = None,
    around: int = 0,
) -> None:
    """One entry a line, those first that fired, then the blocked ones; on a narrow screen two lines each.

    `unsent` are the keys of those that fired and were left out by a later step. With their `scan` the tokens of all
    entries, its budget, and the tokens of each entry that didn't fire are told too; `around` are those that a message
    takes besides its words.
    """
    books = list(dict.fromkeys(one.lore.book.shown_name for one in found))
    tokens = sum(one.tokens or 0 for one in found if one.fired)
    words = summary(found) if scan is not None else f"{summary(found)}; {counted(tokens, 'token')}"
    screen.line((words, "strong"), (f"  {_some(books)}", "dim"), hang=2)
    if scan is not None:
        more = f"; a message of its own takes {around:,} more around it" if around else ""
        screen.line(f"{_spent(scan)}; all entries would take {scan.tokens_of_all_entries:,}", (more, "dim"), hang=2)
    titles = {one.key: one.title for one in found}
    order = list(SIGNS)
    shown = sorted(found, key=lambda one: (order.index(outcome(one)), one.rank or 0))[:most]
    several = len(books) > 1
    if screen.wraps and screen.width < STACKED_BELOW:
        for one in shown:
            _stacked(screen, one, unsent, titles, scan, with_book=several)
    else:
        rows = [_cells(one, unsent, titles, scan) for one in shown]
        named = [name for name in TITLES if several or name != "book"]
        _columns(screen, named, [[row[name] for name in named] for row in rows], shown)
    if len(found) > len(shown):
        screen.line((f"  … {len(found) - len(shown):,} more; name one to see it", "dim"))


def _spent(scan: LoreScan) -> str:
    """`lore takes 797 tokens; its budget is 949, 25 % of 3,795`."""
    budget = scan.scan_input.rules.budget_words
    limit = f"its budget is {budget}" if budget else "no budget limits it"
    return f"lore takes {counted(scan.spent_tokens, 'token')}; {limit}"


def _own_tokens(one: Decision, scan: LoreScan | None) -> str:
    """The tokens of an entry, whether it fired or not; empty where nothing counts one that didn't."""
    tokens = one.tokens
    if tokens is None and scan is not None:
        tokens = scan.scan_input.tokens_of(one.lore)
    return f"{tokens:,}" if tokens is not None else ""


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(one_line(name, cells=40) for name in names[:3])
    return f"{shown} and {len(names) - 3} more books" if len(names) > 3 else shown


def _columns(screen: Screen, titles: Sequence[str], cells: Sequence[Sequence[str]], shown: Sequence[Decision]) -> None:
    widths = [max(map(cell_len, column)) for column in zip(titles, *cells, strict=True)]
    least = [TITLES[title] for title in titles]
    room = screen.width - 2 - 2 * (len(titles) - 1)
    while screen.wraps and sum(widths) > room:
        widest = max(range(len(widths)), key=lambda i: widths[i] - least[i])
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    screen.line("  ", _line(titles, titles, widths, ["label"] * len(titles)))
    for one, texts in zip(shown, cells, strict=True):
        style = STYLES[outcome(one)]
        styled = {
            "entry": "" if one.fired else style,
            "decision": style,
            "key": "",
            "tokens": "" if one.fired else "dim",
        }
        styles = [styled.get(title, "dim") for title in titles]
        screen.line((f"{SIGNS[outcome(one)]} ", style), _line(titles, texts, widths, styles))


def _line(titles: Sequence[str], texts: Sequence[str], widths: Sequence[int], styles: Sequence[str]) -> Text:
    line = Text(end="")
    for title, text, width, style in zip(titles, texts, widths, styles, strict=True):
        shown = shortened(text, width)
        pad = " " * (width - cell_len(shown))
        line.append("  " if line.plain else "")
        line.append(pad + shown if title == "tokens" else shown + pad, style)
    line.rstrip()
    return line


def _cells(one: Decision, unsent: Collection[str], titles: Mapping[str, str], scan: LoreScan | None) -> dict[str, str]:
    return {
        "entry": one_line(one.title, cells=48),
        "book": one_line(one.lore.book.shown_name, cells=24),
        "key": one_line(one.matched.key, cells=32) if one.matched is not None else "",
        "where": _where(one, titles) or _without_keys(one),
        "decision": _decision(one, unsent),
        "tokens": _own_tokens(one, scan),
        "nearest change": "" if one.fired else one_line(one.remedy, cells=60),
    }


def _decision(one: Decision, unsent: Collection[str]) -> str:
    if not one.fired:
        return harmless(str(one.gate))
    words = f"fired, pass {one.made_in}" if one.made_in > 1 else "fired"
    return f"{words}, not sent" if one.key in unsent else words


def _without_keys(one: Decision) -> str:
    """Why it fires although none of its keys was found."""
    return one_line(one.reason, cells=32) if one.fired and one.matched is None else ""


def _where(one: Decision, titles: Mapping[str, str]) -> str:
    """Which characters of which message; for other lore its title."""
    matched = one.matched
    if matched is None:
        return ""
    if matched.where in titles:
        return f"lore {one_line(titles[matched.where], cells=40)}"
    if matched.in_name:
        return f"the name of {short_key(matched.where)}"
    return f"{short_key(matched.where)}, {matched.start:,} to {matched.end:,}{' and on' if matched.through else ''}"


def _stacked(
    screen: Screen,
    one: Decision,
    unsent: Collection[str],
    titles: Mapping[str, str],
    scan: LoreScan | None,
    *,
    with_book: bool,
) -> None:
    style = STYLES[outcome(one)]
    tokens = _own_tokens(one, scan)
    right = _decision(one, unsent) + (f"  {tokens}" if tokens else "")
    room = max(8, screen.width - cell_len(right) - 5)
    title = one_line(one.title, cells=room)
    pad = " " * (room - cell_len(title))
    screen.line((f"{SIGNS[outcome(one)]} ", style), title, pad, "  ", (right, style))
    matched = one.matched
    key = f"“{one_line(matched.key, cells=24)}” in {_where(one, titles)}" if matched else _without_keys(one)
    nearest = "" if one.fired or not one.remedy else f"nearest: {one_line(one.remedy)}"
    book = one_line(one.lore.book.shown_name, cells=24) if with_book else ""
    counts_text = "; ".join(part for part in (book, key, nearest) if part)
    if counts_text:
        screen.line(("  " + counts_text, "dim"), hang=2)


def entry(screen: Screen, trace: Trace, decision: Decision) -> None:
    """The whole decision on one entry, with the price of its nearest change, and settings with which it fires."""
    from ctxlab.processors.lore_trial import settings_that_fire

    kind, book = outcome(decision), decision.lore.book.shown_name
    screen.line(
        (f"{SIGNS[kind]} ", STYLES[kind]),
        (harmless(decision.title), "strong"),
        (f"  {harmless(decision.key)}", "dim"),
        (f"  {harmless(book)}", "dim") if book not in decision.key else "",
        hang=2,
    )
    counts_text = [_with_message(trace, sentence) for sentence in sentences(trace.result, decision)]
    if counts_text[-1].label == "nearest" and not decision.fired:
        counts_text[-1] = Sentence("nearest", f"{counts_text[-1].text}{_way_to_change(decision)}")
    if price := price_words(trace, decision):
        counts_text.append(Sentence("price", price))
    for setting in settings_that_fire(trace, scan_of(trace.result), decision):
        counts_text += [Sentence("or", f"it fires with {setting}"), Sentence("price", str(setting.effect))]
    where = _seen(trace, decision)
    if where is not None:
        counts_text.insert(2 if counts_text[1].label == "keys" else 1, Sentence("seen", ""))
    width = max(len(sentence.label) for sentence in counts_text)
    for sentence in counts_text:
        last = sentence is counts_text[-1]
        style = LABEL_STYLES.get(sentence.label, "label")
        parts = where if sentence.label == "seen" and where is not None else [harmless(sentence.text)]
        screen.line(("└─ " if last else "├─ ", "dim"), (f"{sentence.label:<{width}}  ", style), *parts, hang=width + 5)


def price_words(trace: Trace, decision: Decision) -> str:
    """The tokens that the nearest change takes or saves, and what else fires with it; empty without a change."""
    from ctxlab.processors.lore_trial import effect_of

    if not decision.nearest:
        return ""
    try:
        return str(effect_of(trace, scan_of(trace.result), decision))
    except CtxlabError as problem:
        return f"with it the prompt can't be built: {problem}"


def _with_message(trace: Trace, sentence: Sentence) -> Sentence:
    """The sentence; that on its tokens with what a message of its own takes besides."""
    around = trace.services.tokenizer.message_tokens
    if sentence.label != "tokens" or not around:
        return sentence
    own, semicolon, rest = sentence.text.partition(";")
    return Sentence("tokens", f"{own}, and {around:,} more around it as a message of its own{semicolon}{rest}")


def _way_to_change(decision: Decision) -> str:
    """The place of the nearest change: in the entry, in its book, or in a setting of the scan."""
    change, step = decision.nearest, WorldbookProcessor.id
    ways = [f"--set {step}.{name}={value}" for name, value in change.settings.items()]
    ways += ["edit the entry"] if change.entry else []
    ways += ["edit the book"] if change.book else []
    return f" ({' and '.join(ways)})" if ways else ""


def _seen(trace: Trace, decision: Decision) -> list[str | tuple[str, str]] | None:
    """The place of its key, with the words around it."""
    found, matched = key_place(trace.result, decision), decision.matched
    if found is None or matched is None:
        return None
    also = [key for key in matched.keys if key != matched.key]
    counts_text: list[str | tuple[str, str]] = [f"“{harmless(matched.key)}” in {found.in_words(short_key)}"]
    if also:
        counts_text.append((f"; also in sight: {harmless(', '.join(also))}", "dim"))
    if found.text is not None:
        before = shown_body(masked_stretch(found.text, max(0, found.start - AROUND), found.start))
        after = shown_body(masked_stretch(found.text, found.end, found.end + AROUND))
        counts_text += [
            (": " + ("…" if found.start > AROUND else "") + before, "dim"),
            (shown_body(masked_stretch(found.text, found.start, found.end)), "strong"),
            (after + ("…" if found.end + AROUND < len(found.text) else ""), "dim"),
        ]
    return counts_text


def all_decisions(screen: Screen, trace: Trace) -> bool:
    """The table of the trace, or False where there is none."""
    found = decisions(trace.result)
    if found:
        unsent = {part.key for group in trace.result.dropped for draft in group.drafts for part in draft.parts}
        table(screen, found, unsent=unsent)
    return bool(found)
