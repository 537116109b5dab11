"""The text that a model reads of a run: what its template makes of the messages, and what it does to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Draft, Origin
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.engines.chat_templates.instruct import InstructPreset
from ctxlab.engines.tokens import Tokenizer
from ctxlab.errors import CtxlabError, TemplateRefused, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models import LocalModel
from ctxlab.local_models.template_source import TemplateSource
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.ledger import ledger_rows
from ctxlab.rendering.mending import Mending
from ctxlab.rendering.read_template import read_template
from ctxlab.rendering.server import LocalServer, ServedPrompt
from ctxlab.rendering.server.served import serve
from ctxlab.rendering.template_effect import TemplateEffect
from ctxlab.rendering.template_remedies import TemplateRemedy
from ctxlab.rendering.template_report import effects_of, over_the_room
from ctxlab.rendering.text_ledger import COLUMNS as LEDGER_COLUMNS
from ctxlab.rendering.text_ledger import ledger_rows_of_text
from ctxlab.rendering.text_of_run import TextOfRun, text_of_run, with_drafts
from ctxlab.rendering.text_places import TextPlaces, place_at, places_of
from ctxlab.rendering.text_sources import SourcedStretch, budget_entries, sourced_stretches, tokens_of
from ctxlab.rendering.why_in_text import TextAnswer, why_in_text

if TYPE_CHECKING:
    import pandas as pd

EFFECT_COLUMNS = ("kind", "key", "sentence", "line", "remedy")
COLUMNS = ("start", "end", "number", "key", "field", "origin", "text")
OF_LLAMA_CPP = ("llama.cpp", "ollama")
"""Servers that render with llama.cpp's engine."""
NEEDS_VOCABULARY = "name the model's folder, or a file with its vocabulary"


@dataclass(frozen=True, eq=False)
class RenderedPrompt:
    """The text that a model reads of a run, and what its template does to the messages.

    `rendered` is None where the template refuses them; `refusal` then has its own error. Each character of `text` has
    its origin; `effects` say what the template refuses, drops, moves, shortens, joins, adds, or lets be forged. `cut`
    are positions of messages that text completion leaves out for want of room, `over` the tokens of what it always
    sends and the room for them, where that isn't enough.
    """

    trace: Trace
    model: LocalModel
    template: JinjaTemplate | InstructPreset
    rendered: RenderedText | None
    refusal: TemplateRefused | None
    options: Mapping[str, Any]
    cut: tuple[int, ...] = ()
    over: tuple[int, int] | None = None
    server: LocalServer | None = None

    def __repr__(self) -> str:
        if self.rendered is None:
            return f"RenderedPrompt({self.template.name!r}, refused: {self.refusal})"
        size = f"{len(self.text):,} characters"
        tokens = f", {counted(self.tokens, 'token')}" if self.tokens is not None else ""
        return f"RenderedPrompt({self.template.name!r}, {size}{tokens}, {counted(len(self.effects), 'effect')})"

    def _repr_html_(self) -> str:
        rows = ((each.kind, each.key, each.sentence, each.line, _said(each)) for each in self.effects)
        return heading(self) + html_table(EFFECT_COLUMNS, rows, of="effects", cells=200)

    @property
    def engine(self) -> str:
        """The program whose text it is."""
        return "sillytavern" if isinstance(self.template, InstructPreset) else self.options["engine"]

    @property
    def text(self) -> str:
        """The text; "" where the template refuses the messages."""
        return str(self.rendered.text) if self.rendered is not None else ""

    @cached_property
    def tokens(self) -> int | None:
        """Tokens of the text by the model's own vocabulary; None where it isn't at hand."""
        counter = self.model.vocabulary
        return counter.count(self.text) if isinstance(counter, Tokenizer) and self.rendered is not None else None

    @cached_property
    def effects(self) -> tuple[TemplateEffect, ...]:
        """Everything that the template does to the messages, losses first."""
        if self.rendered is None:
            assert self.refusal is not None
            sentence = f"The template refuses these messages: {str(self.refusal).rstrip('.')}."
            found = (TemplateEffect("refused", "", sentence, line=self.refusal.line),)
        else:
            found = effects_of(self.rendered, self.trace.result.drafts, self.model.special_tokens, self.cut)
            found = (*over_the_room(self.over), *found)
        return tuple(map(self._mending.with_remedy, found))

    @cached_property
    def remedy(self) -> TemplateRemedy | None:
        """The smallest set of settings with which no whole message is refused, dropped or moved, and nothing more lost.

        None where all are there in order, and where no set helps.
        """
        return self._mending.remedies.of_all() if self._mending.loses_messages else None

    @cached_property
    def typed_parts_help(self) -> bool:
        """Whether the template refuses, drops and moves nothing where messages are lists of typed parts; tried."""
        return self._mending.typed_parts_help

    @cached_property
    def _mending(self) -> Mending:
        found = TextOfRun(self.rendered, self.refusal, self.cut)
        return Mending(self.trace, self.model, self.template, self.options, found)

    @checked_arguments
    def where(self, what: str | tuple[int, int]) -> TextPlaces:
        """Every place of some words in the text, or that of a range of its characters: whose they are, who wrote them.

        Empty where the words stand nowhere in it; `why` says of those what became of them.
        """
        if self.rendered is None:
            return TextPlaces()
        drafts = self.trace.result.drafts
        if isinstance(what, str):
            return places_of(self.rendered, drafts, what)
        return TextPlaces((place_at(self.rendered, drafts, *what),))

    @checked_arguments
    def why(self, what: str) -> TextAnswer:
        """Why a message, by its key, or some words are in the text, or why they aren't, and what would change that.

        Of what the pipeline cut it is the run's own answer, of what the template left out the template's, with the
        remedy that was tried. Raises CtxlabError for "".
        """
        return why_in_text(self, what)

    def ledger(self) -> pd.DataFrame:
        """The run's ledger with rows for the last step, `template`: what it keeps, drops and writes itself.

        Tokens that go in are counted by the run, those that go out by the model's own vocabulary: together they are
        `tokens`, each token of what has its first character. Without a vocabulary only what goes in is known.
        `characters_in` and `characters_out` are of the last step alone; what goes out is the whole text.
        """
        tokens = self._tokens_of_stretches
        rows = ledger_rows_of_text(self.trace, self.rendered, self._stretches, tokens)
        return frame_of([*(row.as_data() for row in ledger_rows(self.trace)), *rows], LEDGER_COLUMNS)

    def budget(self) -> pd.Series[int]:
        """Tokens of the text by source, with `template` for what the template writes itself; their sum is `tokens`.

        `free` and `reserve` come after them: of the run's budget, else of the model's window. Raises CtxlabError where
        the model's vocabulary isn't at hand.
        """
        import pandas as pd

        tokens = self._tokens_of_stretches
        if tokens is None:
            raise CtxlabError(
                f"{self.model.name} has no vocabulary, so its tokens can't be counted: {NEEDS_VOCABULARY}"
            )
        limit = self.trace.prompt.budget
        room = limit if limit is not None else self.model.context_length
        reserve = self.trace.prompt.reserve
        return pd.Series(
            budget_entries(self._stretches, tokens, room=room, reserve=reserve), name="tokens", dtype="int64"
        )

    @cached_property
    def _stretches(self) -> list[SourcedStretch]:
        return sourced_stretches(self.rendered, self.trace) if self.rendered is not None else []

    @cached_property
    def _tokens_of_stretches(self) -> list[int] | None:
        counter = self.model.vocabulary
        return tokens_of(self._stretches, self.text, counter) if counter is not None else None

    @cached_property
    def served(self) -> ServedPrompt | None:
        """The text that the server reads; None without one, and where the template refuses the messages.

        Raises CtxlabError where the model's vocabulary isn't at hand.
        """
        if self.server is None or self.rendered is None:
            return None
        return self._served(self.trace, self.server)

    def _served(self, trace: Trace, server: LocalServer) -> ServedPrompt:
        def text_of(drafts: Sequence[Draft]) -> RenderedText:
            if trace is self.trace and drafts is trace.result.drafts and self.rendered is not None:
                return self.rendered
            found = text_of_run(with_drafts(trace, drafts), self.model, self.template, self.options)
            if found.rendered is None:
                raise found.refusal or TemplateRefused("the template refuses the messages")
            return found.rendered

        return serve(trace, self.model, server, text_of, self._served)

    def at_time(self, timestamp: str | None) -> RenderedText | None:
        """The text of these messages if the build had this time; None where the template refuses them then."""
        given = replace(self.trace.start.input, timestamp=timestamp)
        trace = replace(self.trace, start=replace(self.trace.start, input=given))
        return text_of_run(trace, self.model, self.template, self.options).rendered

    def frame(self) -> pd.DataFrame:
        """One row a stretch of the text, in order.

        `start` and `end` are its characters; `number` is that of its message, from 0, `key` its key, None of the
        template's own words; `field` says what of the message it is; `origin` is the origin of its first character.
        """
        return frame_of(self._rows(), COLUMNS).astype({"number": "Int64"})

    def _rows(self) -> list[dict[str, Any]]:
        if self.rendered is None:
            return []
        drafts, text = self.trace.result.drafts, self.text
        return [
            {
                "start": each.start,
                "end": each.end,
                "number": each.message,
                "key": None if each.message is None else drafts[each.message].key,
                "field": each.field,
                "origin": _written(self.rendered.text.at(each.start).origin),
                "text": text[each.start : each.end],
            }
            for each in self.rendered.stretches
        ]

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data: the text, its stretches and effects, with the remedies that were tried."""
        remedy = self.remedy
        return {
            "template": self.template.name,
            "engine": self.engine,
            "text": self.text if self.rendered is not None else None,
            "tokens": self.tokens,
            "traced": self.rendered is not None and self.rendered.traced,
            "effects": [each.as_data() for each in self.effects],
            "remedy": remedy and remedy.as_data(),
            "typed_parts_help": self.typed_parts_help,
            "served": self.served and self.served.as_data(),
            "stretches": [{name: row[name] for name in COLUMNS if name != "text"} for row in self._rows()],
        }


def _written(origin: Origin) -> str:
    return f"{origin.kind}:{origin.ref}" if origin.ref else origin.kind


def _said(effect: TemplateEffect) -> str:
    remedy = effect.remedy
    return remedy.sentence if remedy is not None else effect.advice


@checked_arguments
def rendered(
    trace: Trace,
    model: TemplateSource,
    *,
    template: str | None = None,
    engine: Literal["transformers", "llama.cpp"] | None = None,
    add_generation_prompt: bool = True,
    continue_final_message: bool = False,
    typed_parts: bool = False,
    variables: Mapping[str, Any] | None = None,
    server: LocalServer | None = None,
    context: int | None = None,
    answer: int = 0,
) -> RenderedPrompt:
    """The text that a model reads of a run, as `engine` renders it, with what the template does to the messages.

    `model` is a model of one's own, a template, an instruct preset of SillyTavern, by which its text completion is
    written, or the path of a file that has one of these. `template` names one of several;
    by default it is `tool_use` where there are tools and the model has one. With `typed_parts` each message is a list
    of parts, as some templates want it. `variables` are what a template gets besides, such as
    `{"enable_thinking": False}`. Times that a template writes are the run's. llama.cpp continues a last message of the
    assistant, whatever is asked for. `server` is what the model runs on (`ctxlab.local_server`): `found.served` then
    says what of the text it reads, and `engine` is that of the server, else transformers. With a `context` in tokens,
    of which `answer` are kept for the reply, a preset's text is cut as SillyTavern cuts it; the run's tokenizer counts.

    Raises WrongArgument for what would be passed over: a context for a chat template, and for a preset all but a
    context and a continued message; and for an answer that leaves no room.
    """
    own = read_template(model)
    if engine is None:
        engine = "llama.cpp" if server is not None and server.program in OF_LLAMA_CPP else "transformers"
    if isinstance(own, InstructPreset):
        _refuse(
            "an instruct preset",
            template=template,
            engine=engine == "llama.cpp",
            typed_parts=typed_parts,
            variables=variables,
        )
    else:
        _refuse("a chat template, which cuts nothing,", context=context, answer=answer)
    if (context is None and answer) or answer < 0 or (context is not None and answer >= context):
        raise WrongArgument(
            f"context={context} with answer={answer} leaves no room for messages; both are tokens", function="rendered"
        )
    agent = trace.start.input.agent
    tools: Sequence[Any] = (agent.sent_tools if agent is not None else None) or ()
    chosen = own if isinstance(own, InstructPreset) else own.template(template, has_tools=bool(tools))
    own = LocalModel(own.name) if isinstance(own, InstructPreset) else own
    options = {
        "add_generation_prompt": add_generation_prompt,
        "continue_final_message": continue_final_message,
        "typed_parts": typed_parts,
        "engine": engine,
        "variables": dict(variables or {}),
        "context": context,
        "answer": answer,
    }
    found = text_of_run(trace, own, chosen, options)
    return RenderedPrompt(trace, own, chosen, found.rendered, found.refusal, options, found.cut, found.over, server)


def _refuse(what: str, **given: object) -> None:
    """Refuse arguments that would be passed over."""
    named = next((name for name, value in given.items() if value), None)
    if named is not None:
        raise WrongArgument(f"{what} takes no {named}; leave it out", function="rendered")
