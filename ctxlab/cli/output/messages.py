"""Messages as text: source, tokens, first words with rewritten parts marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from ctxlab.cli.output.terminal import NEWLINE, Screen, harmless, shown_body, wrapped
from ctxlab.context import Draft, Span
from ctxlab.context.file_words import file_words
from ctxlab.display.short_texts import counted
from ctxlab.pipeline import Trace
from ctxlab.secrets import secrets_in
from ctxlab.secrets.masked_texts import AHEAD
from ctxlab.studies.sent_files import SentFile, sent_files

ALL_SHOWN = 60  # more messages than this, and the middle is left out
HEAD, TAIL = 8, 32
RAIL = "   │ "
LINES = 2


def messages(screen: Screen, trace: Trace) -> None:
    """Every message of the result; of very many the first and the newest."""
    drafts, files = trace.result.drafts, sent_files(trace)
    left_out = len(drafts) - HEAD - TAIL if len(drafts) > ALL_SHOWN else 0
    for number, draft in enumerate(drafts, start=1):
        if left_out and number == HEAD + 1:
            screen.line((f"   ⋮ {left_out:,} messages between; --format json has them all", "dim"))
        if not left_out or not HEAD < number <= HEAD + left_out:
            message(screen, trace, number, draft, files=files)


def message(
    screen: Screen,
    trace: Trace,
    number: int,
    draft: Draft,
    *,
    whole: bool = False,
    files: Sequence[SentFile] | None = None,
) -> None:
    """One message: a line of facts, then its first two lines of text, or all of it."""
    tokens = trace.services.tokenizer.count_draft(draft)
    style = f"role.{draft.role}"
    width = max(2, len(str(len(trace.result.drafts))))
    facts = f"{number:>{width}} ", (f"{draft.role:<9} ", f"who.{draft.role}"), f"{tokens:>7,}  "
    source = _sources(draft)
    room = screen.width - width - 20
    screen.line(*facts, (_some_of(source, room) if screen.wraps else " + ".join(source), "dim"))
    for line in _body(screen, draft, sent_files(trace) if files is None else files, whole=whole):
        screen.line((RAIL, style), line)


def marked(screen: Screen, spans: Iterator[Span] | tuple[Span, ...], *, whole: bool = False) -> Text:
    """The text, with parts that a step put in or rewrote underlined, or in ‹ › without colour."""
    out = Text(end="")
    for span in spans:
        body = harmless(span.text) if whole else shown_body(span.text)
        if not body:
            continue
        if not _was_put(span):
            out.append(body, "dim" if span.origin.kind == "separator" else "")
        elif screen.coloured:
            out.append(body, "added")
        else:
            out.append(f"‹{body}›")
    return out


def _body(screen: Screen, draft: Draft, files: Sequence[SentFile], *, whole: bool) -> Iterator[Text]:
    room = screen.width - len(RAIL)
    if whole:
        for paragraph in _paragraphs(screen, draft):
            yield from wrapped(paragraph, room) if screen.wraps else [paragraph]
    else:
        rows = preview(screen, draft.text.spans, room)
        yield from rows
        shown = sum(len(row.plain) for row in rows)
        beyond = _rules_beyond(draft, shown)
        if beyond:
            yield _cut(f"· further down: {', '.join(beyond)}", room, whole=not screen.wraps)
    for call in draft.calls:
        yield _cut(f"→ calls {call.name}({' '.join(call.arguments.split())})", room, whole=whole)
    for words in _files(draft, files):
        yield _cut(f"+ {words}", room, whole=whole)
    if not draft.text and not draft.calls and not draft.assets:
        yield Text("(no words)", "dim")


def preview(screen: Screen, spans: tuple[Span, ...], room: int, *, lines: int = LINES) -> list[Text]:
    """The first lines of a text, as wide as there is room, with an ellipsis where it goes on."""
    characters = 2 * lines * screen.width
    words = marked(screen, tuple(_first(without_secrets(tuple(_first(spans, characters + AHEAD))), characters)))
    rows = wrapped(_without_edge(words), room)
    if len(rows) <= lines:
        return [row for row in rows if row]
    last = rows[lines - 1]
    last.truncate(room - 1, overflow="crop")
    last.rstrip()
    return [*rows[: lines - 1], Text.assemble(last, "…", end="")]


def _without_edge(text: Text) -> Text:
    """Without arrows and blanks at both ends."""
    plain = text.plain
    start = len(plain) - len(plain.lstrip(f" {NEWLINE}"))
    return text[start : max(start, len(plain.rstrip(f" {NEWLINE}")))]


def _paragraphs(screen: Screen, draft: Draft) -> Iterator[Text]:
    """The whole text line by line, marks kept."""
    rows: list[list[Span]] = [[]]
    for span in without_secrets(draft.text.spans):
        first, *rest = span.text.split("\n")
        rows[-1].append(Span(first, span.origin, span.cause))
        rows.extend([Span(line, span.origin, span.cause)] for line in rest)
    for row in rows:
        yield marked(screen, tuple(row), whole=True)


def without_secrets(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The spans with secrets masked, also those that several spans hold between them, which the first one then has."""
    found = secrets_in("".join(span.text for span in spans))
    if not found:
        return spans
    kept: list[Span] = []
    start = 0
    for span in spans:
        end = start + len(span.text)
        text, at = "", start
        for first, last, shown in found:
            if last > at and first < end:
                text += span.text[at - start : max(first, at) - start] + (shown if first >= start else "")
                at = min(last, end)
        kept.append(Span(text + span.text[at - start :], span.origin, span.cause))
        start = end
    return tuple(kept)


def _first(spans: tuple[Span, ...], characters: int) -> Iterator[Span]:
    """The spans that hold the first so many characters, so that a huge text costs no more than a small one."""
    for span in spans:
        if characters <= 0:
            return
        yield Span(span.text[:characters], span.origin, span.cause)
        characters -= len(span.text)


def _cut(text: str, room: int, *, whole: bool) -> Text:
    line = Text(harmless(text), "dim", end="")
    if not whole:
        line.truncate(room, overflow="ellipsis")
    return line


def _files(draft: Draft, files: Sequence[SentFile]) -> Iterator[str]:
    """Each file of a message: what it is, how the model gets it, its tokens, and what is amiss with it."""
    keys = {part.key for part in draft.parts}
    here = [file for file in files if file.key in keys]
    for file in here:
        about = "about " if file.estimated else ""
        count = [f"{about}{counted(file.tokens, 'token')}"] if file.tokens else []
        words = "; ".join([", ".join([f"{file.shown_name} {file.way}", *count]), file.about])
        yield f"{words}. {file.problem}" if file.problem else words
    known = {file.id for file in here}
    yield from (file_words(asset) for asset in draft.assets if asset.id not in known)


def _sources(draft: Draft) -> list[str]:
    """`preset frame` for each part, in order."""
    return [harmless(f"{part.origin.kind} {part.origin.ref}".strip()) for part in draft.parts]


def _some_of(names: list[str], room: int) -> str:
    """As many of the names as fit in one line, and how many more there are."""
    shown = " + ".join(names)
    kept = len(names)
    while kept > 1 and len(shown) > room:
        kept -= 1
        shown = " + ".join([*names[:kept], f"{len(names) - kept} more"])
    return shown


def _was_put(span: Span) -> bool:
    """Whether a step put it into a message or rewrote it; lore is all of its message, joints are none of it."""
    return span.cause is not None and not span.cause.quotes and span.origin.kind != "separator"


def _rules_beyond(draft: Draft, shown: int) -> list[str]:
    """Rules of spans that the preview doesn't reach, separators aside."""
    spans = zip(draft.text.starts(), draft.text.spans, strict=True)
    beyond = [span for start, span in spans if start >= shown and _was_put(span)]
    return list(
        dict.fromkeys(f"{span.cause.processor} / {span.cause.rule}" for span in beyond if span.cause is not None)
    )


def outcome(draft: Draft, number: int) -> str:
    """The message that a draft is sent in."""
    merged = f", with {counted(len(draft.merged) - 1, 'other')} in one" if draft.merged else ""
    return f"sent in message {number}{merged}"
