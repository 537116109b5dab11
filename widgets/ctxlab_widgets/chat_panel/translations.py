"""Translations of messages and of the draft, made in threads: a message's is a step of the history."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import ctxlab
from ctxlab.chat.aside.settings import read_settings
from ctxlab.chat.model import check_function
from ctxlab.chat.translation.cache import TranslationCache
from ctxlab.chat.translation.settings import DisplayMode, TranslationSettings
from ctxlab.chat.translation.translation import Translation, with_display_mode
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, cut_off, short
from ctxlab.documents import MessageNode, ModelProfile
from ctxlab.errors import CtxlabError, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab_widgets.chat_panel.model_beside import options_beside

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

MOST_REASON = 200
ID = 40
UNFINISHED = "being translated into"


@dataclass(frozen=True, slots=True, eq=False)
class ToldOfMessage:
    """A sentence on a message as it is: it is told as long as its words and its translation stay."""

    sentence: str
    node: MessageNode

    def of(self, node: MessageNode) -> str:
        """The sentence; empty where the message is another one now."""
        was = self.node
        same = node is was or (node.content == was.content and node.meta("translation") == was.meta("translation"))
        return self.sentence if same else ""


class Translations:
    """Translates for one chat. `told` has by id what is to be said of messages; it is replaced, never changed."""

    def __init__(self, panel: ChatPanel, given: Any) -> None:
        self._panel = panel
        self.model, settings = model_and_settings(given)
        self.settings, self.notes = read_settings(TranslationSettings, settings, "translation")
        self.cache = TranslationCache()
        self.told: Mapping[str, ToldOfMessage] = {}

    @property
    def languages(self) -> list[str]:
        """The languages to choose from, that of messages first."""
        if not self.settings.enabled:
            return []
        own = self.settings.message_target_lang, self.settings.input_target_lang
        return list(dict.fromkeys(each for each in (*own, *self.settings.target_lang_list) if each.strip()))

    def translate(self, key: str, to: str) -> None:
        """Begin to translate a message, or the draft where the key is empty; blank `to` is the settings' language."""
        if not self.settings.enabled:
            raise CtxlabError("translation is switched off in the settings")
        usual = self.settings.message_target_lang if key else self.settings.input_target_lang
        to = to or usual
        if to not in self.languages:
            raise CtxlabError(f"there is no language {short(to)!r} to choose{did_you_mean(to, self.languages)}")
        panel = self._panel
        of = panel.history.session.node(key) if key else panel.input
        words = of.content if isinstance(of, MessageNode) else of
        if not words.strip():
            raise CtxlabError("there are no words to translate")
        setup = panel.setup
        given: dict[str, Any] = {
            "settings": self.settings,
            "cache": self.cache,
            "think_rules": tuple(setup.agent.llm_think_rules) if setup.agent is not None else (),
            "timestamp": setup.timestamp,
            **options_beside(setup, self.settings.model_identifier, self.model),
        }

        def work(stop: threading.Event) -> Translation:
            return ctxlab.translate(of, to=to, stop=stop, **given)

        def came(made: Translation | CtxlabError) -> None:
            if isinstance(of, MessageNode):
                self._of_message(of.id, made)
            else:
                self._of_draft(of, made)

        what = plain(key, ID) if key else "what you typed"
        panel.jobs.begin(job_of(key), work, came, label=f"Translating {what} into {plain(to, ID)}")
        if isinstance(of, MessageNode):
            self._tell(of, f"{UNFINISHED} {to}")

    def show(self, key: str, shown: DisplayMode) -> None:
        """Show a message's original, its translation or both."""
        history = self._panel.history
        history.record(with_display_mode(history.session, key, shown), "show_translation", target=key)
        self._panel.refresh()

    def forget_unfinished(self) -> None:
        """Say of no message that it is being translated where nobody waits for that any more."""
        for key, told in self.told.items():
            if told.sentence.startswith(UNFINISHED) and not self._panel.jobs.is_waited_for(job_of(key)):
                self._tell(told.node, "")

    # --- in the thread of a translation

    def _of_message(self, key: str, made: Translation | CtxlabError) -> None:
        panel = self._panel
        with panel.lock:
            try:
                if isinstance(made, CtxlabError):
                    raise made
                session = made.applied(panel.history)
            except CtxlabError as problem:
                sentence = f"not translated: {cut_off(str(problem), MOST_REASON)}"
                session = panel.history.session
            else:
                sentence = fallen_back(made)
            node = session.nodes.get(key)
            if node is not None:
                self._tell(node, sentence)
        panel.refresh()

    def _of_draft(self, typed: str, made: Translation | CtxlabError) -> None:
        panel = self._panel
        with panel.lock:
            if isinstance(made, CtxlabError) or made.error is not None:
                reason = str(made) if isinstance(made, CtxlabError) else made.error or ""
                panel.error = f"the draft is not translated: {cut_off(reason, MOST_REASON)}"
            elif panel.input != typed:
                panel.error = "the draft was changed while it was translated, and stays as it is"
            else:
                panel.input = made.text
                panel.error = fallen_back(made)

    def _tell(self, node: MessageNode, sentence: str) -> None:
        others = {key: told for key, told in self.told.items() if key != node.id}
        self.told = {**others, **({node.id: ToldOfMessage(sentence, node)} if sentence else {})}


def job_of(key: str) -> str:
    """Name of the job that translates a message, or the draft where the key is empty."""
    return f"translate {key}"


def model_and_settings(given: Any) -> tuple[Any, Any]:
    """The model that translates and the settings of what a chat was given; a model of its own stands under `model`.

    Raises WrongArgument for what is neither a name, nor a profile, nor a function of messages.
    """
    if isinstance(given, Mapping):
        settings = dict(cast("Mapping[str, Any]", given))
        model = settings.pop("model", None)
    elif given is None or isinstance(given, TranslationSettings):
        return None, given
    else:
        model, settings = given, None
    if model is not None and not isinstance(model, str | ModelProfile):
        if not callable(model):
            wanted = "a model's name, a ModelProfile or a function of messages"
            raise WrongArgument(f"the model of translation is {wanted}, not {short(repr(model), 60)}")
        check_function(model)
    return model, settings


def fallen_back(made: Translation) -> str:
    """The segments that stay as they were, in a sentence; empty where all are translated."""
    fell = made.fallen_back
    if not fell:
        return ""
    of = f"{len(fell):,} of {counted(len(made.segments), 'segment')}"
    verb = "stays as it was" if len(fell) == 1 else "stay as they were"
    return f"{of} {verb} in the translation: {cut_off(fell[0].reason, MOST_REASON)}"
