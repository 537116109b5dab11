"""A run's messages, and the text that a model reads of them: sources, what was cut, the life of any words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.engines.chat_templates.instruct import InstructPreset
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.local_models import LocalModel
from ctxlab.local_models.template_source import TemplateSource
from ctxlab.pipeline import Trace
from ctxlab.rendering import RenderedPrompt
from ctxlab.rendering.model_of_run import model_of_run, reader_of
from ctxlab.studies import SentPrompt
from ctxlab_widgets._shared.attachments import FilesPayload
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.remedies import RemedyCache
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.sent_view.model_text import ALL, ModelText, TextReader
from ctxlab_widgets.sent_view.payload import SentDelta

PRICED = 40
"""Cut messages whose price is known before anybody asks: those nearest to what is sent."""
MOST_PRICED = 400
"""Cut messages whose price is looked up at once."""
MOST_BACK = 50
MOST_ROWS = 400
"""Rows of the text whose tokens are sent at once."""
NO_TEMPLATE = (
    "the text that a model reads isn't known: give the view a model or a template, "
    "SentView(trace, template=...), or build with model=ctxlab.local_model(path)"
)


class SentView(Widget):
    """A run's messages as a chat: each message with its parts, where they are from and how they came there.

    With a model of one's own or a template also as the text that a model reads, and what the template does to them.
    `model` and `template` are what `ctxlab.rendered` takes; of both the template is read with the model's vocabulary, a
    string may name one of the model's. A run that was built for such a model needs neither.
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance[Trace | None](Trace, allow_none=True)
    """The run that is shown; a click on *Keep it* sets another one."""
    view = traitlets.Unicode("").tag(sync=True)
    """As JSON what is sent and what was cut, as it was first sent to the page."""
    delta = traitlets.Unicode("").tag(sync=True)
    """As JSON what has become of it since: the same keys, of the tables only the rows that came; empty when nothing."""
    files = traitlets.Unicode("").tag(sync=True)
    """As JSON the files of the run, what the model gets of each, and small pictures; empty when there are none."""
    remedies = traitlets.Unicode("").tag(sync=True)
    """As JSON, by key: what keeps a cut message, and its price; of the nearest ones and of those asked for."""
    reading = traitlets.Enum(["chat", "raw", "text"], default_value="chat").tag(sync=True)
    """The way it is read: as a chat, raw, or as the one text that a model reads."""
    reader = traitlets.Unicode("").tag(sync=True)
    """The name of the model, template or preset whose text it is; empty where none is given."""
    model_text = traitlets.Unicode("").tag(sync=True)
    """As JSON the text that a model reads, and what its template does; empty until it is looked at."""
    tokens = traitlets.Unicode("").tag(sync=True)
    """As JSON the tokens of that text: how many, and where they end in the rows that were asked for."""
    can_go_back = traitlets.Bool(False).tag(sync=True)
    """Whether a change was made here that can be taken back."""

    @checked_arguments
    def __init__(
        self,
        trace: Trace | None = None,
        *,
        model: TemplateSource | None = None,
        template: TemplateSource | None = None,
        engine: Literal["transformers", "llama.cpp"] = "transformers",
        reading: Literal["chat", "raw", "text"] = "chat",
    ) -> None:
        self._sent: SentDelta | None = None
        self._files = FilesPayload()
        self._remedy_cache = RemedyCache()
        self._asked: set[str] = set()
        self._before: list[Trace] = []
        self._own: Trace | None = None
        self._reader = text_reader(model, template, engine)
        self._engine: Literal["transformers", "llama.cpp"] = engine
        self._of_run: tuple[LocalModel | None, TextReader | None] = (None, None)
        self._text: ModelText | None = None
        self._mends = False
        self._rows: dict[int, None] = {}
        super().__init__()
        if trace is not None:
            self.trace = trace
        self.show()
        self.reading = reading

    @property
    def prompt(self) -> SentPrompt:
        """The messages with their parts, and what was cut, as values; raises CtxlabError when there is no run."""
        if self._sent is None:
            raise CtxlabError("the SentView shows no run: set its trace")
        return self._sent.prompt

    @property
    def rendered(self) -> RenderedPrompt:
        """The text that the model reads, and what its template does; raises CtxlabError where none is given."""
        return self._read().found

    def read_as(
        self,
        model: TemplateSource | None = None,
        *,
        template: TemplateSource | None = None,
        engine: Literal["transformers", "llama.cpp"] = "transformers",
    ) -> None:
        """Show the text that another model reads; without any again that of the run's own, where it has one."""
        self._reader, self._engine = text_reader(model, template, engine), engine
        self._of_run = (None, None)
        self.show()

    def show(self) -> None:
        with self.hold_sync():
            run: Trace | None = self.trace
            if run is None:
                self._sent, self.view, self.delta, self.files, self.remedies = None, "", "", "", ""
                self._text, self.reader, self.model_text, self.tokens = None, "", "", ""
            else:
                if self._sent is None or self._sent.trace is not run:
                    self._sent = SentDelta(run) if self._sent is None else self._sent.updated(run)
                    self.files = self._files.json(run)
                self.view, self.delta = self._sent.view, self._sent.delta
                self._show_text(run)
                found = self._remedy_cache.found(run, self._priced(self._sent.prompt))
                if self._mends and self._text is not None:
                    found = {**found, **self._text.remedies()}
                self.remedies = as_json(found) if found else ""
            self.can_go_back = bool(self._before)

    # --- the text that a model reads

    def _reader_of(self, run: Trace) -> TextReader | None:
        """The reader that was given, else the run's own model; a preset is counted by the run's model."""
        own = model_of_run(run)
        if self._reader is not None and (self._reader.vocabulary is not None or own is None):
            return self._reader
        if own is not self._of_run[0]:
            given = self._reader
            made = TextReader(own, own, self._engine) if given is None and own is not None else given
            self._of_run = (own, replace(made, vocabulary=own) if made is not None else None)
        return self._of_run[1]

    def _show_text(self, run: Trace) -> None:
        reader = self._reader_of(run)
        self.reader = reader.name if reader is not None else ""
        if reader is None and self.reading == "text":
            self.reading = "chat"
        assert self._sent is not None
        if self._text is not None and (reader is None or not self._text.is_of(run, reader, self._sent.tables)):
            self._text, self._mends, self._rows = None, False, {}
            self.model_text = self.tokens = ""
        if self.reading == "text":
            self._read()

    def _read(self) -> ModelText:
        run = self._shown_run()
        reader = self._reader_of(run)
        if reader is None or self._sent is None:
            raise CtxlabError(NO_TEMPLATE)
        if self._text is None:
            self._text = ModelText(run, reader, self._sent.tables, self._sent.known)
            self.model_text = self._text.json
        return self._text

    def look_up_tokens(self, rows: Sequence[int]) -> None:
        """Fill `tokens` for more rows of the text; the first time the text is cut into tokens."""
        found = self._read()
        self._rows = dict.fromkeys([*rows, *self._rows][:MOST_ROWS])
        self.tokens = found.tokens_json(self._rows)

    def look_up_template_remedies(self) -> None:
        """Fill `remedies` for what the template loses: sets of formatter steps are tried on the run."""
        self._read()
        self._mends = True

    def keep_for_page(self) -> None:
        """Bring the text along that a model reads, where there is one."""
        if self.reader:
            self.look_up_template_remedies()
            self.show()

    def apply_remedy(self, key: str) -> None:
        """Make the smallest change that keeps a dropped message; with `template` the one that mends all it loses."""
        found = self._text.remedy(key) if self._text is not None else None
        if found is None:
            super().apply_remedy(key)
            return
        remedy, label = found
        named = "" if key == ALL else f": {key.partition(':')[2] or key}"
        self._take_run(self._shown_run().rerun(remedy.settings), label=f"{label}{named}")

    def back(self) -> None:
        """Take the last change back that was made here."""
        if not self._before:
            raise CtxlabError("nothing was changed here")
        self._own = self._before.pop()
        self.trace = self._own
        self.effect = {}

    def look_up_prices(self, keys: Sequence[str]) -> None:
        """Fill `remedies` for more of the cut messages."""
        self._asked = set([*keys, *self._asked][:MOST_PRICED])

    def _priced(self, prompt: SentPrompt) -> set[str]:
        nearest = [each.key for each in reversed(prompt.cut) if each.fits_not][:PRICED]
        wanted = {*nearest, *self._asked, self.selected}
        return wanted & {each.key for each in prompt.cut}

    def _take_run(self, run: Trace, *, label: str = "", continues: bool = False) -> None:
        self._before, self._own = [*self._before, self._shown_run()][-MOST_BACK:], run
        super()._take_run(run, label=label, continues=continues)

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "back"}:
                self.back()
            case {"command": "prices", "keys": [*keys]} if all(isinstance(key, str) for key in keys):
                self.look_up_prices(keys)
            case {"command": "tokens", "rows": [*rows]} if all(type(row) is int for row in rows):
                self.look_up_tokens(rows)
            case {"command": "template_remedies"}:
                self.look_up_template_remedies()
            case _:
                raise self._wrong_command(message)

    @traitlets.validate("reading")
    def _has_text(self, proposal: Any) -> str:
        if proposal["value"] == "text" and not self.reader:
            raise CtxlabError(NO_TEMPLATE)
        return proposal["value"]

    @traitlets.observe("reading")
    def _on_reading(self, change: Any) -> None:
        if change["new"] == "text":
            self._read()

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        self._asked = set()
        if change["new"] is not self._own:
            self._before, self.effect = [], {}
        self.show()


def text_reader(
    model: TemplateSource | None, template: TemplateSource | None, engine: Literal["transformers", "llama.cpp"]
) -> TextReader | None:
    """The reader of what is given; None where nothing is. Raises WrongArgument for a preset with llama.cpp's engine."""
    found = reader_of(model, template)
    if found is None:
        return None
    if isinstance(found, InstructPreset) and engine == "llama.cpp":
        raise WrongArgument("an instruct preset takes no engine; leave it out")
    counts = next((each for each in (found, model) if isinstance(each, LocalModel) and each.vocabulary), None)
    return TextReader(found, counts, engine)
