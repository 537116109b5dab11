"""The request as one JSON value: tables that only grow, and the rows of one run as numbers into them."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping
from typing import Any, cast

from ctxlab.context import Draft
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import cut_off
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.trace_json import Tables
from ctxlab.pipeline.explain.trace_json import plain as plain_data
from ctxlab.pipeline.sent_messages import as_message
from ctxlab.prompt import BuiltMessage, JoinedMessage
from ctxlab.studies.sent_prompt import CutMessage, SentPrompt, sent_prompt
from ctxlab_widgets._shared.json_values import as_json

SHARE = 2
"""A delta larger than one in so many parts of the view is sent as a view."""
EXCERPT = 120
LONGEST_VALUE = 2000
"""Characters of one value among the fields of a message."""
SHOWN_BYTES = 48
"""Characters of base64 that are shown: they say nothing to a person."""
TABLES = ("texts", "causes", "spans", "messages", "gone")


class SentTables:
    """Numbers texts, causes, spans and messages once; runs viewed one after another share their numbers."""

    def __init__(self, trace: Trace) -> None:
        self.spans = Tables(trace.services.tokenizer)
        self.messages: list[dict[str, Any]] = []
        self.gone: list[list[Any]] = []
        self._message: dict[Hashable, int] = {}
        self._gone: dict[Hashable, int] = {}

    def sizes(self) -> dict[str, int]:
        spans = self.spans
        rows = {"texts": spans.texts, "causes": spans.causes, "spans": spans.spans}
        return {name: len(rows[name]) if name in rows else len(getattr(self, name)) for name in TABLES}

    def view(self, prompt: SentPrompt) -> dict[str, Any]:
        """The run as one JSON value. Its tables are these here, and grow with the next view.

        `gone`: [key, role, source, name, why, rule, fits not, tokens, first words], where why and rule are texts and
        2 says of what does not fit that the cut began at it.
        `cut`: [number in gone, message, part] of each, which stood right before that part.
        """
        rows = (self._message_json(each, prompt) for each in prompt.messages)
        order = [self._number(self.messages, self._message, row) for row in rows]
        cut = [[self._number(self.gone, self._gone, self._gone_row(each)), *each.place] for each in prompt.cut]
        tables = {"texts": self.spans.texts, "causes": self.spans.causes, "spans": self.spans.spans}
        return {
            **tables,
            "messages": self.messages,
            "gone": self.gone,
            "order": order,
            "cut": cut,
            "tokens": prompt.tokens,
            "request_tokens": prompt.request_tokens,
            "estimated": prompt.estimated,
            "stopped_at": prompt.stopped_at,
        }

    def _number(self, table: list[Any], known: dict[Hashable, int], row: Any) -> int:
        number = known.setdefault(
            tuple(cast("list[Any]", row)) if isinstance(row, list) else json.dumps(row), len(table)
        )
        if number == len(table):
            table.append(row)
        return number

    def _message_json(self, message: BuiltMessage, prompt: SentPrompt) -> dict[str, Any]:
        draft = message.draft
        return {
            "role": draft.role,
            "tokens": message.tokens,
            "joins": message.joins,
            "overhead": message.overhead,
            "parts": [self._part(part, prompt) for part in message.joined],
            **_fields(draft),
        }

    def _part(self, part: JoinedMessage, prompt: SentPrompt) -> dict[str, Any]:
        alone = part.alone
        return {
            "key": part.key,
            "source": part.look,
            "name": prompt.names[part.key],
            "how": prompt.hows[part.key],
            "tokens": part.tokens,
            "seam": part.seam,
            "spans": [self.spans.span(span) for span in part.text.spans],
            **(_beside(alone) if alone is not None else {}),
            **({"ref": alone.origin.ref} if alone is not None and alone.origin.kind == "preset" else {}),
        }

    def _gone_row(self, each: CutMessage) -> list[Any]:
        why, rule, excerpt = self.spans.text(each.why), self.spans.text(each.rule), plain(each.excerpt, EXCERPT)
        fits_not = 2 if each.is_border else int(each.fits_not)
        return [each.key, each.draft.role, each.source, each.name, why, rule, fits_not, each.tokens, excerpt]


class SentDelta:
    """`view` is what was sent to the page first, `delta` turns it into the newest; both are JSON.

    A delta has the keys of a view; of its tables only the rows behind the first `since` of each. `known` are the sizes
    of the tables that the page then has.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.tables = SentTables(trace)
        self.prompt = sent_prompt(trace)
        self.view, self.delta = as_json(self.tables.view(self.prompt)), ""
        self._since = self.known = self.tables.sizes()

    def updated(self, trace: Trace) -> SentDelta:
        """Itself with the delta to another run, or a new one where too much is new."""
        if trace.services.tokenizer is not self.trace.services.tokenizer:
            return SentDelta(trace)
        prompt = sent_prompt(trace)
        whole = self.tables.view(prompt)
        added = {name: whole[name][size:] for name, size in self._since.items()}
        delta = as_json({**whole, **added, "since": self._since})
        if len(delta) * SHARE > len(self.view):
            return SentDelta(trace)
        self.trace, self.prompt, self.delta, self.known = trace, prompt, delta, self.tables.sizes()
        return self


def _beside(draft: Draft) -> dict[str, Any]:
    """The calls and thoughts that go along with the words of a message, where there are some."""
    found = {
        "speaker": draft.speaker,
        "thought": draft.reasoning,
        "result_of": draft.result_of,
        "calls": [[call.name, _indented(plain_data(call.as_data()))] for call in draft.calls],
    }
    return {name: value for name, value in found.items() if value}


def _fields(draft: Draft) -> dict[str, str]:
    """The fields of a message beside its role and its words, as they are sent; none where there are none."""
    message = as_message(draft, 0)
    content = {"content": message["content"]} if isinstance(message["content"], list) else {}
    fields = {name: message[name] for name in message if name not in ("role", "content", "source", "tokens")}
    return {"fields": _indented({**content, **fields})} if content or fields else {}


def _indented(value: Any) -> str:
    return json.dumps(_shortened(plain_data(value)), ensure_ascii=False, indent=2)


def _is_bytes(value: str) -> bool:
    """Whether it is base64, alone or in a `data:` URL."""
    body = value.partition(";base64,")[2] if value.startswith("data:") else value
    return len(body) > 4 * SHOWN_BYTES and re.fullmatch(r"[A-Za-z0-9+/=_-]+", body[: 4 * SHOWN_BYTES]) is not None


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return (
            f"{value[:SHOWN_BYTES]}… ({len(value):,} characters)" if _is_bytes(value) else cut_off(value, LONGEST_VALUE)
        )
    if isinstance(value, Mapping):
        return {name: _shortened(each) for name, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return [_shortened(each) for each in value] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]
