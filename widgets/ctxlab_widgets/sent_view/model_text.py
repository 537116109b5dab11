"""The text that a model reads of a run, as the page gets it: rows, what the template does, its remedies, its tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

from ctxlab.api.token_cuts import cutter_or_none
from ctxlab.display.one_line import plain
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.instruct import InstructPreset
from ctxlab.engines.tokens.boundaries import TokenBoundaries
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models import LocalModel
from ctxlab.pipeline import Trace
from ctxlab.rendering import EFFECTS, RenderedPrompt, TemplateEffect, TemplateRemedy, rendered
from ctxlab.rendering.carried import Carried, carried_in
from ctxlab.rendering.text_rows import TextRow, row_at, row_before_which, spans_of_rows, text_rows
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets.sent_view.payload import SentTables

FIELDS = ("template", "special", "role", "content", "reasoning", "calls", "name", "tools")
"""Fields of messages, and what else a stretch may be of, in the order of their numbers."""
MOST_EFFECTS = 200
"""Effects that are listed one by one; all of them are counted."""
MOST_SOURCE = 400
"""Characters of the template's line that refuses."""
ALL = "template"
"""The key of the remedy that mends all that a template loses."""
LABELS = {"dropped": "Keep it", "moved": "Put it back"}
LOSSES = ("refused", "dropped", "moved")
NO_STEP = "None of the formatter steps that were tried mends it."


@dataclass(frozen=True)
class TextReader:
    """A reader of runs as one text: a model with its template, or a preset; `vocabulary` is the model that counts."""

    reader: LocalModel | InstructPreset
    vocabulary: LocalModel | None
    engine: Literal["transformers", "llama.cpp"]

    @property
    def name(self) -> str:
        """The name that people know it by."""
        return self.reader.name

    def read(self, trace: Trace) -> RenderedPrompt:
        """The text of a run; raises UnknownName where the model has no template."""
        found = rendered(trace, self.reader, engine=self.engine)
        if self.vocabulary is None or found.model.vocabulary is not None:
            return found
        return replace(found, model=replace(found.model, vocabulary=self.vocabulary.vocabulary))


class ModelText:
    """A run as its reader has it, in the tables of a view, which get the spans that are new."""

    def __init__(self, trace: Trace, reader: TextReader, tables: SentTables, since: Mapping[str, int]) -> None:
        self.trace, self.reader, self.tables = trace, reader, tables
        self.found = reader.read(trace)
        vocabulary = self.found.model.vocabulary
        self._cutter = cutter_or_none(vocabulary) if vocabulary is not None else None
        self._remedies: dict[str, dict[str, Any]] | None = None
        self.json = as_json(self._payload(since))

    def is_of(self, trace: Trace, reader: TextReader, tables: SentTables) -> bool:
        return self.trace is trace and self.reader is reader and self.tables is tables

    @cached_property
    def rows(self) -> list[TextRow]:
        return text_rows(self.found.rendered) if self.found.rendered is not None else []

    @cached_property
    def _carried(self) -> list[Carried]:
        """Messages with what the text has of them; none of a text that couldn't be followed."""
        text = self.found.rendered
        return carried_in(text, self.trace.result.drafts) if text is not None and text.traced else []

    def _payload(self, since: Mapping[str, int]) -> dict[str, Any]:
        """`rows`: [message or -1, [[field, spans]]]; `gone`: [message, key, the row that it would stand before].

        `effects`: [kind, key, sentence, line of the template or null, row or -1]. Of the tables only what is new.
        """
        found, tables = self.found, self.tables.spans
        fields = {name: number for number, name in enumerate(FIELDS)}
        spans = spans_of_rows(found.rendered, self.rows) if found.rendered is not None else ()
        rows = [
            [
                -1 if row.message is None else row.message,
                [[fields[name], [tables.span(span) for span in mine]] for name, mine in each],
            ]
            for row, each in zip(self.rows, spans, strict=True)
        ]
        dropped = [each for each in self._carried if each.is_dropped]
        gone = [[each.message, each.key, row_before_which(self.rows, self._carried, each)] for each in dropped]
        counts = Counter(effect.kind for effect in found.effects)
        new = {"texts": tables.texts, "causes": tables.causes, "spans": tables.spans}
        return {
            "name": self.reader.name,
            "template": found.template.name,
            "engine": found.engine,
            "characters": len(found.text),
            "cuts": self._cutter.name if self._cutter is not None else None,
            "refused": self._refusal(),
            "traced": found.rendered is None or found.rendered.traced,
            "since": {name: since[name] for name in new},
            **{name: table[since[name] :] for name, table in new.items()},
            "rows": rows,
            "gone": gone,
            "effects": [self._effect(each) for each in found.effects[:MOST_EFFECTS]],
            "counts": {kind: counts[kind] for kind in EFFECTS if counts[kind]},
        }

    def _effect(self, effect: TemplateEffect) -> list[Any]:
        row = -1 if effect.start is None or not self.rows else row_at(self.rows, effect.start)
        return [effect.kind, effect.key, effect.sentence, effect.line, row]

    def _refusal(self) -> dict[str, Any] | None:
        refusal, template = self.found.refusal, self.found.template
        if refusal is None:
            return None
        lines = template.source.splitlines() if isinstance(template, JinjaTemplate) else []
        at = refusal.line or 0
        return {
            "words": str(refusal),
            "line": refusal.line,
            "source": plain(lines[at - 1], MOST_SOURCE) if 0 < at <= len(lines) else "",
        }

    # --- remedies

    @property
    def has_losses(self) -> bool:
        return any(effect.kind in LOSSES for effect in self.found.effects)

    def remedies(self) -> Mapping[str, Mapping[str, Any]]:
        """By key what mends a loss, that of all of them under `template`; tried at first use."""
        if self._remedies is None:
            found = {key: _remedy_json(remedy, label, advice) for key, remedy, label, advice in self._tried()}
            if self.found.typed_parts_help:
                text = "With messages as lists of typed parts the template carries them all, in order."
                found["typed_parts"] = {"text": text, "label": "", "price": None, "able": False}
            self._remedies = found
        return self._remedies

    def remedy(self, key: str) -> tuple[TemplateRemedy, str] | None:
        """The change that mends the loss of a key, and what its button says; None where it isn't a loss.

        Raises CtxlabError where nothing that was tried mends it.
        """
        for each, remedy, label, advice in self._tried():
            if each == key and remedy is None:
                raise CtxlabError(advice)
            if each == key and remedy is not None:
                return remedy, label
        return None

    def _tried(self) -> Iterable[tuple[str, TemplateRemedy | None, str, str]]:
        """Of all losses, and of each effect that may be mended, what mends it and the label of its button.

        A message that is dropped or moved is named by its key, any other effect by its kind and its key.
        """
        if self.has_losses:
            yield ALL, self.found.remedy, "Keep all" if self.found.rendered is not None else "Mend it", NO_STEP
        dropped = {each.key for each in self._carried if each.is_dropped}
        met: set[str] = set()
        for effect in self.found.effects[:MOST_EFFECTS]:
            is_message = effect.kind == "moved" or (effect.kind == "dropped" and effect.key in dropped)
            name = effect.key if is_message else f"{effect.kind} {effect.key}"
            if effect.kind == "refused" or name in met or (not is_message and effect.remedy is None):
                continue
            met.add(name)
            yield name, effect.remedy, LABELS.get(effect.kind, "Mend it"), effect.advice or NO_STEP

    # --- tokens

    @cached_property
    def boundaries(self) -> TokenBoundaries:
        """Every token of the text; raises CtxlabError where the model's vocabulary isn't at hand."""
        if self._cutter is None:
            raise CtxlabError(f"the vocabulary of {self.reader.name} isn't at hand, so its tokens aren't known")
        return self._cutter.cut(self.found.text)

    @cached_property
    def _starts(self) -> list[int]:
        """UTF-16 offsets at which rows begin, and behind the last the length of the text."""
        text, starts = self.found.text, [0]
        for row in self.rows:
            starts.append(starts[-1] + len(text[row.start : row.end].encode("utf-16-le", "surrogatepass")) // 2)
        return starts

    def tokens_json(self, rows: Iterable[int]) -> str:
        """The number of all tokens, and by row where those end that end in it, and which of them inside a character.

        Places are UTF-16 units from the row's first.
        """
        bounds, starts = self.boundaries, self._starts
        found: dict[int, tuple[list[int], list[int]]] = {}
        for row in rows:
            if 0 <= row < len(self.rows):
                first, last = (bisect_right(bounds.ends, starts[at]) for at in (row, row + 1))
                places = bounds.inside[bisect_left(bounds.inside, first) : bisect_left(bounds.inside, last)]
                ends = [end - starts[row] for end in bounds.ends[first:last]]
                found[row] = (ends, [place - first for place in places])
        return as_json({"total": len(bounds), "rows": found})


def _remedy_json(remedy: TemplateRemedy | None, label: str, advice: str) -> dict[str, Any]:
    """As every remedy goes to the page: `{"text", "label", "price", "able"}`."""
    if remedy is None:
        return {"text": advice, "label": "", "price": None, "able": False}
    rest = f" {remedy.also} other losses stay." if remedy.also else ""
    return {"text": remedy.sentence + rest, "label": label, "price": None, "able": True}
