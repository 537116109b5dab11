"""Decisions on lore as text: all of them as a table, one of them in sentences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from ctxlab.cli.output.run_text import short_key
from ctxlab.cli.output.terminal import Screen, harmless, one_line, shortened, shown_body
from ctxlab.display.text import counted
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.lore_decisions import Row, Said, decisions, seen, sentences, standing

SIGNS = {"fired": "✓", "blocked": "⊘", "not hit": "○"}
STYLES = {"fired": "came", "blocked": "warn", "not hit": "dim"}
LABEL_STYLES: Mapping[str, str] = {**STYLES, "nearest": "strong"}
TITLES = ("entry", "key", "where", "decision", "tokens", "nearest change")
LEAST = (12, 6, 12, 8, 6, 14)  # cells of each column, however narrow the screen
STACKED_BELOW = 84
AROUND = 36
MOST_ROWS = 200


def summary(rows: Sequence[Row]) -> str:
    """`16 entries: 5 fired, 3 blocked, 8 not hit`."""
    counts = {kind: sum(standing(row) == kind for row in rows) for kind in SIGNS}
    told = ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n)
    return f"{len(rows):,} {'entry' if len(rows) == 1 else 'entries'}: {told}"


def table(screen: Screen, rows: Sequence[Row], *, unsent: Collection[str] = (), most: int = MOST_ROWS) -> None:
    """One entry a line, those first that fired, then the blocked ones; on a narrow screen two lines each.

    `unsent` are the keys of those that fired and were left out by a later step.
    """
    books = list(dict.fromkeys(str(row["book"]) for row in rows))
    tokens = sum(row["tokens"] or 0 for row in rows if row["fired"])
    screen.line((f"{summary(rows)}; {counted(tokens, 'token')}", "strong"), (f"  {_some(books)}", "dim"), hang=2)
    titles = {row["key"]: str(row["title"]) for row in rows}
    order = list(SIGNS)
    shown = sorted(rows, key=lambda row: (order.index(standing(row)), row["rank"] or 0))[:most]
    if screen.wraps and screen.width < STACKED_BELOW:
        for row in shown:
            _stacked(screen, row, unsent, titles)
    else:
        _columns(screen, [_cells(row, unsent, titles) for row in shown], shown)
    if len(rows) > len(shown):
        screen.line((f"  … {len(rows) - len(shown):,} more; name one to see it", "dim"))


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(one_line(name, cells=40) for name in names[:3])
    return f"{shown} and {len(names) - 3} more books" if len(names) > 3 else shown


def _columns(screen: Screen, cells: Sequence[Sequence[str]], rows: Sequence[Row]) -> None:
    widths = [max(map(cell_len, column)) for column in zip(TITLES, *cells, strict=True)]
    room = screen.width - 2 - 2 * (len(TITLES) - 1)
    while screen.wraps and sum(widths) > room:
        widest = max(range(len(widths)), key=lambda i: widths[i] - LEAST[i])
        if widths[widest] <= LEAST[widest]:
            break
        widths[widest] -= 1
    screen.line("  ", _line(TITLES, widths, ["label"] * len(TITLES)))
    for row, texts in zip(rows, cells, strict=True):
        style = STYLES[standing(row)]
        entry = "" if row["fired"] else style
        screen.line((f"{SIGNS[standing(row)]} ", style), _line(texts, widths, [entry, "", "dim", style, "", "dim"]))


def _line(texts: Sequence[str], widths: Sequence[int], styles: Sequence[str]) -> Text:
    line = Text(end="")
    for title, text, width, style in zip(TITLES, texts, widths, styles, strict=True):
        shown = shortened(text, width)
        pad = " " * (width - cell_len(shown))
        line.append("  " if line.plain else "")
        line.append(pad + shown if title == "tokens" else shown + pad, style)
    line.rstrip()
    return line


def _cells(row: Row, unsent: Collection[str], titles: Mapping[str, str]) -> tuple[str, ...]:
    return (
        one_line(str(row["title"]), cells=48),
        one_line(str(row["matched"]), cells=32) if row["matched"] is not None else "",
        _where(row, titles) or _without_keys(row),
        _decision(row, unsent),
        f"{row['tokens']:,}" if row["tokens"] is not None else "",
        "" if row["fired"] else one_line(str(row["remedy"]), cells=60),
    )


def _decision(row: Row, unsent: Collection[str]) -> str:
    if not row["fired"]:
        return harmless(str(row["gate"]))
    words = f"fired, pass {row['pass']}" if row["pass"] > 1 else "fired"
    return f"{words}, not sent" if row["key"] in unsent else words


def _without_keys(row: Row) -> str:
    """The reason why an entry fires although none of its keys is found."""
    return one_line(str(row["reason"]), cells=32) if row["fired"] and row["matched"] is None else ""


def _where(row: Row, titles: Mapping[str, str]) -> str:
    """The message and characters of its key; for other lore its title."""
    if row["message"] is None or row["characters"] is None:
        return ""
    start, end = row["characters"]
    where = str(row["message"])
    if where in titles:
        return f"lore {one_line(titles[where], cells=40)}"
    return f"{short_key(where)}, {start:,} to {end:,}"


def _stacked(screen: Screen, row: Row, unsent: Collection[str], titles: Mapping[str, str]) -> None:
    style = STYLES[standing(row)]
    right = _decision(row, unsent) + (f"  {row['tokens']:,}" if row["tokens"] is not None else "")
    room = max(8, screen.width - cell_len(right) - 5)
    title = one_line(str(row["title"]), cells=room)
    pad = " " * (room - cell_len(title))
    screen.line((f"{SIGNS[standing(row)]} ", style), title, pad, "  ", (right, style))
    key = (
        f"“{one_line(str(row['matched']), cells=24)}” in {_where(row, titles)}"
        if row["message"] is not None
        else _without_keys(row)
    )
    nearest = "" if row["fired"] or not row["remedy"] else f"nearest: {one_line(str(row['remedy']))}"
    told = "; ".join(part for part in (key, nearest) if part)
    if told:
        screen.line(("  " + told, "dim"), hang=2)


def entry(screen: Screen, trace: Trace, row: Row) -> None:
    """The whole decision on one entry."""
    kind = standing(row)
    screen.line(
        (f"{SIGNS[kind]} ", STYLES[kind]),
        (harmless(str(row["title"])), "strong"),
        (f"  {harmless(row['key'])}", "dim"),
        (f"  {harmless(str(row['book']))}", "dim") if str(row["book"]) not in row["key"] else "",
        hang=2,
    )
    told = list(sentences(trace, row))
    where = _seen(trace, row)
    if where is not None:
        told.insert(2 if told[1].label == "keys" else 1, Said("seen", ""))
    width = max(len(said.label) for said in told)
    for said in told:
        last = said is told[-1]
        style = LABEL_STYLES.get(said.label, "label")
        parts = where if said.label == "seen" and where is not None else [harmless(said.text)]
        screen.line(("└─ " if last else "├─ ", "dim"), (f"{said.label:<{width}}  ", style), *parts, hang=width + 5)


def _seen(trace: Trace, row: Row) -> list[str | tuple[str, str]] | None:
    """The place of its key, with the words around it."""
    found = seen(trace, row)
    if found is None:
        return None
    also = [key for key in row["keys"] if key != row["matched"]]
    key = harmless(str(row["matched"]))
    told: list[str | tuple[str, str]] = [
        f"“{key}” in {short_key(found.where)}, characters {found.start:,} to {found.end:,}"
    ]
    if also:
        told.append((f"; also in sight: {harmless(', '.join(also))}", "dim"))
    if found.text is not None:
        before = shown_body(found.text[max(0, found.start - AROUND) : found.start])
        after = shown_body(found.text[found.end : found.end + AROUND])
        told += [
            (": " + ("…" if found.start > AROUND else "") + before, "dim"),
            (shown_body(found.text[found.start : found.end]), "strong"),
            (after + ("…" if found.end + AROUND < len(found.text) else ""), "dim"),
        ]
    return told


def all_decisions(screen: Screen, trace: Trace) -> bool:
    """The table of the trace, or False where there is none."""
    rows = decisions(trace)
    if rows:
        unsent = {part.key for group in trace.result.dropped for draft in group.drafts for part in draft.parts}
        table(screen, rows, unsent=unsent)
    return bool(rows)
