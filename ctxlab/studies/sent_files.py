"""The files of a run, one value each: as it is stored, how the model gets it and why, and its tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import AssetRef, Cause, Draft, Origin
from ctxlab.context.file_words import FROM_FILES, PAGE, file_id, is_from, kind_words, measure_words, sent_words
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import AssetSource
from ctxlab.documents.session.inline_bytes import without_data
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab.pipeline.services import TokenCounter

REPORT = "attachments"
MEASURES = ("width", "height", "seconds", "pages")
NAME = 80


@dataclass(frozen=True, slots=True, eq=False)
class SentFile:
    """A file of a message, and what becomes of it.

    `key` is the message's; name, kind and measures are those that the bytes show, where they could be read. `sent_as`
    is picture, audio, video, file, upload, link, text, description or unknown, and `reason` says why; of a picture that
    is scaled `sent_width` and `sent_height` are its pixels then; of a document whose pages go as pictures `sent_pages`
    is their number. `engine` read its text, `places` are those that its
    text is from, such as `page 3`. `cut` says why its message is not sent. `source` is the place of its bytes, `stored`
    the file as it was at first; None where a step made a text of it before it was in a message.
    """

    key: str
    id: str
    name: str = ""
    kind: str = "other"
    type: str = ""
    mime_type: str = ""
    size_bytes: int | None = None
    width: int | None = None
    height: int | None = None
    seconds: float | None = None
    pages: int | None = None
    sent_as: str = "unknown"
    reason: str = ""
    engine: str = ""
    tokens: int = 0
    estimated: bool = False
    problem: str = ""
    cut: str = ""
    sent_pages: int | None = None
    sent_width: int | None = None
    sent_height: int | None = None
    places: tuple[str, ...] = ()
    source: AssetSource | None = field(default=None, repr=False)
    stored: AssetRef | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"SentFile({self.shown_name!r} in {self.key!r}: {self.sent}, {counted(self.tokens, 'token')})"

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import fields_table, heading

        return heading(self) + fields_table(self.as_data())

    @property
    def shown_name(self) -> str:
        """Its name on one line; of a file without one its type."""
        return plain(self.name, NAME) or self.type or kind_words(self.kind)

    @property
    def about(self) -> str:
        """Type and measures in a clause: `PDF, 3 pages, 1.2 MB`."""
        measures = {name: getattr(self, name) for name in (*MEASURES, "size_bytes")}
        return ", ".join([self.type or kind_words(self.kind), *measure_words(**measures, mime_type=self.mime_type)])

    @property
    def way(self) -> str:
        """A clause on the form in which the model gets it, or would get it: `goes as text, read by pdf`."""
        read = f", read by {self.engine}" if self.engine not in ("", "text") and self.sent_as == "text" else ""
        if self.sent_pages:
            return f"goes as {counted(self.sent_pages, 'picture')} of its pages"
        is_scaled = (self.sent_width, self.sent_height) != (self.width, self.height)
        size = {"width": self.sent_width, "height": self.sent_height} if is_scaled else {}
        return f"{sent_words(self.sent_as, **size)}{read}"

    @property
    def sent(self) -> str:
        """That clause of a file that is sent; of one whose message was cut that it isn't."""
        return "is not sent" if self.cut else self.way

    def as_data(self) -> dict[str, Any]:
        """The fields that are known, as JSON data; without the place of its bytes."""
        hidden = ("source", "stored")
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in hidden}
        return {name: value for name, value in found.items() if value not in (None, "", (), False)}


@checked_arguments
def sent_files(trace: Trace) -> tuple[SentFile, ...]:
    """The files of a run in the order in which they came into messages, also of messages that were cut.

    What the steps have reported of a file counts; where none did, its tokens and its text are looked up in messages.
    """
    met = _files_met(trace)
    rows = _reported(trace)
    if not met and not rows:
        return ()
    finder = _Finder(trace)
    found = [finder.file(key, asset, _taken(rows, key, asset)) for (key, _), asset in met.items()]
    rest = [finder.without_file(row) for left in rows.values() for row in left]
    return (*found, *rest)


def _files_met(trace: Trace) -> dict[tuple[str, str], AssetRef]:
    """By message and id each file as it first stood in a message."""
    met: dict[tuple[str, str], AssetRef] = {}
    known: set[int] = set()
    contexts = (trace.start, *(step.after for step in trace.steps))
    seen: object = None
    for context in contexts:
        if context.drafts is seen:
            continue
        seen = context.drafts
        for draft in context.drafts:
            if id(draft) in known or not draft.assets:
                continue
            known.add(id(draft))
            here = {part.key for part in draft.parts}
            for asset in draft.assets:
                if not any((key, id) in met for key in here for id in (asset.id, file_id(asset))):
                    met[draft.key, asset.id] = asset
    return met


def _reported(trace: Trace) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """Rows of the newest report on files, by message and id."""
    report = trace.result.report_named(REPORT)
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in report.rows() if report is not None else ():
        found.setdefault((str(row.get("key") or ""), str(row.get("file") or "")), []).append(row)
    return found


def _taken(rows: dict[tuple[str, str], list[Mapping[str, Any]]], key: str, asset: AssetRef) -> Mapping[str, Any] | None:
    """The row of a file; it is taken out, so that each is used once. A merged message's row may have another key."""
    id = without_data(asset.id)
    at = (key, id) if rows.get((key, id)) else next((k for k in rows if k[1] == id and rows[k]), None)
    return rows[at].pop(0) if at is not None else None


class _Finder:
    """Finds what became of files in the result of a run."""

    def __init__(self, trace: Trace) -> None:
        self.counter = trace.services.tokenizer
        self.sent: dict[str, Draft] = {}
        for draft in trace.result.drafts:
            for part in draft.parts:
                self.sent.setdefault(part.key, draft)
        self.gone = {draft.key: draft for group in trace.result.dropped for draft in group.drafts}
        self.causes = cut_causes(trace) if self.gone else {}
        agent = trace.start.input.agent
        own = [AssetRef.of_agent(asset, agent.id) for asset in agent.assets or ()] if agent is not None else []
        self.of_agent = {asset.id: asset.source for asset in own}

    def file(self, key: str, stored: AssetRef, row: Mapping[str, Any] | None) -> SentFile:
        draft = self.sent.get(key) or self.gone.get(key)
        cut = "" if key in self.sent else self.causes.get(key, "its message was taken out")
        now = next((asset for asset in draft.assets if asset.id == stored.id), None) if draft is not None else None
        base = _of_asset(key, now or stored, stored)
        pages = [asset for asset in draft.assets if asset.id.startswith(stored.id + PAGE)] if draft is not None else []
        if draft is not None and pages:
            counts = [_tokens(page, draft, self.counter) for page in pages]
            base = replace(base, tokens=sum(n for n, _ in counts), estimated=any(guess for _, guess in counts))
            route = pages[0].route
            base = replace(base, sent_as="picture", reason=route.reason if route else "", sent_pages=len(pages))
        elif draft is not None and now is not None:
            tokens, estimated = _tokens(now, draft, self.counter)
            route = now.route
            base = replace(base, tokens=tokens, estimated=estimated)
            if route is not None:
                size = {"sent_width": route.width, "sent_height": route.height}
                base = replace(base, sent_as=route.kind, reason=route.reason, **size)
        elif draft is not None:
            base = self._as_words(base, draft)
        return replace(base, cut=cut, **(_of_row(row) if row is not None else {}))

    def without_file(self, row: Mapping[str, Any]) -> SentFile:
        """A file that is known from its row alone, such as one of a preset that came in as text."""
        key = str(row.get("key") or "")
        id = str(row.get("file") or "")
        made = SentFile(key, id, source=self.of_agent.get(id), **_of_row(row))
        draft = self.sent.get(key) or self.gone.get(key)
        if draft is None:
            return replace(made, cut=self.causes.get(key, "its message was taken out"))
        words = self._as_words(made, draft)
        cut = self.causes.get(key, "") if key not in self.sent else ""
        return replace(made, places=words.places, estimated=words.estimated, cut=cut)

    def _as_words(self, file: SentFile, draft: Draft) -> SentFile:
        """A file that is in its message as words, as far as the words and the changes of the message tell."""
        name = file.name or file.id
        spans = [span for span in draft.text.spans if is_from(span.origin, name)]
        change = next((c for c in draft.changes if c.field == "files" and _held(c.before, file.id)), None)
        cause: Cause | None = change.cause if change is not None else None
        text = "".join([span.text for span in spans])
        places = dict.fromkeys(_place_of(span.origin, name) for span in spans)
        is_read = any(span.origin.kind == FROM_FILES[0] for span in spans)
        return replace(
            file,
            sent_as="text" if is_read else "description",
            reason=cause.reason if cause is not None else "",
            tokens=self.counter.count(text) if text else 0,
            estimated=self.counter.estimated,
            places=tuple(place for place in places if place),
        )


def _held(before: object, id: str) -> bool:
    return isinstance(before, Sequence) and any(isinstance(each, AssetRef) and each.id == id for each in before)


def _place_of(origin: Origin, name: str) -> str:
    """The place in the file, such as `page 3`; empty for all of it."""
    return origin.ref[len(name) + 2 :]


def _of_asset(key: str, asset: AssetRef, stored: AssetRef) -> SentFile:
    known = {name: _number(asset.metadata.get(name)) for name in MEASURES}
    seconds = _number(asset.metadata.get("seconds", asset.metadata.get("duration")))
    return SentFile(
        key=key,
        id=without_data(asset.id),
        name=asset.name,
        kind=asset.kind,
        type=_type_of(asset.mime_type),
        mime_type=asset.mime_type,
        size_bytes=asset.size_bytes,
        **{**known, "seconds": seconds},
        source=asset.source,
        stored=stored,
    )


def _type_of(mime_type: str, name: str = "") -> str:
    """The type as people call it; `name` is what a step calls it."""
    from ctxlab.assets.descriptions import type_for_people

    return name or type_for_people(mime_type)


def _number(value: object) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def _of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a row of the report; empty cells leave what is known otherwise."""
    words = ("name", "kind", "type", "mime_type", "sent_as", "reason", "engine", "problem")
    numbers = ("size_bytes", *MEASURES, "tokens")
    found: dict[str, Any] = {name: str(row[name]) for name in words if row.get(name)}
    found |= {"type": kind} if (kind := _type_of(found.get("mime_type", ""), found.get("type", ""))) else {}
    return found | {name: n for name in numbers if (n := _number(row.get(name))) is not None}


def _tokens(asset: AssetRef, draft: Draft, counter: TokenCounter) -> tuple[int, bool]:
    """Tokens of a file alone, and whether that is a guess."""
    alone = Draft(draft.key, draft.role, (asset,), draft.origin)
    return max(0, counter.count_draft(alone) - counter.message_tokens), counter.draft_is_estimated(alone)


def counts_by_way(files: Sequence[SentFile]) -> Iterator[tuple[str, str, int, int]]:
    """Kind, what its files are sent as, their number and their tokens; `not sent` of files whose message was cut."""
    found: dict[tuple[str, str], list[int]] = {}
    for file in files:
        counts = found.setdefault((file.kind, "not sent" if file.cut else file.sent_as), [0, 0])
        counts[0] += 1
        counts[1] += 0 if file.cut else file.tokens
    for (kind, sent_as), (n, tokens) in found.items():
        yield kind, sent_as, n, tokens
