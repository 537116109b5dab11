"""A chat: the active path as messages, the next request while one types, and what each answer got."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import traitlets

from ctxlab.api.aside import CompletionSource, TopicSource, TranslationSource
from ctxlab.api.chat import Begin
from ctxlab.api.sources import AgentSource, ModelSource, SessionSource
from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.message_actions import MessageAction
from ctxlab.chat.plugin_settings import PluginSettings
from ctxlab.chat.turn import Turn
from ctxlab.documents import Asset, History, Session
from ctxlab.errors import CtxlabError
from ctxlab.local_models import LocalModel
from ctxlab.storage.workspace import Workspace
from ctxlab.studies.draft_preview import Preview
from ctxlab_widgets._shared.heard_beside_cells import heard_beside_cells
from ctxlab_widgets._shared.shared_state import SharedState
from ctxlab_widgets._shared.widget import brief
from ctxlab_widgets.chat_panel.answers import Answers
from ctxlab_widgets.chat_panel.background_jobs import BackgroundJobs
from ctxlab_widgets.chat_panel.carry_out import carry_out
from ctxlab_widgets.chat_panel.chat_turns import ChatTurns
from ctxlab_widgets.chat_panel.completions import Completions
from ctxlab_widgets.chat_panel.conversations import Conversations
from ctxlab_widgets.chat_panel.draft_analysis import DraftAnalysis, DraftJob
from ctxlab_widgets.chat_panel.file_chips import WaitingFiles
from ctxlab_widgets.chat_panel.keeping import Keeping
from ctxlab_widgets.chat_panel.latest_worker import LatestWorker
from ctxlab_widgets.chat_panel.new_stream import new_stream, recorded
from ctxlab_widgets.chat_panel.page_run import setup_of_page
from ctxlab_widgets.chat_panel.panel_settings import first_settings, use_settings
from ctxlab_widgets.chat_panel.plugin_actions import PluginActions
from ctxlab_widgets.chat_panel.quick_actions import QuickActions
from ctxlab_widgets.chat_panel.sending import Sending, without_sending
from ctxlab_widgets.chat_panel.setup import ChatSetup, chat_setup
from ctxlab_widgets.chat_panel.shown import ShownChat, asides_json
from ctxlab_widgets.chat_panel.summary_told import SummaryTold, told_of
from ctxlab_widgets.chat_panel.topic_naming import TopicNaming
from ctxlab_widgets.chat_panel.traits import ChatTraits
from ctxlab_widgets.chat_panel.translations import Translations
from ctxlab_widgets.chat_panel.turn_thread import QueuedMessage, RunningStream

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel.chat_page import ChatPage

STORE_SECONDS = 0.5


class ChatPanel(ChatTraits):
    """A conversation to be gone on with; every turn, edit and branch is a step of `history`.

    `session` is set once for each turn that has ended, which runs in a thread of its own: `wait()` waits for it.
    Without a `model` an echo answers, which says so; a `LocalModel` is asked by its name at the server that `provider`
    or `base_url` names, and the meter counts by its vocabulary and its template. `options` are those of `ctxlab.send`,
    and `pick` says which session of a path or a library. `translation`, `topic_naming` and `input_completion` are
    settings as they are stored under these names; models that they don't name are the chat's. `translation` may be the
    translator itself, a function of messages or a model, also as `{"model": ...}` with settings beside it.
    `message_actions` are offered on messages besides those of packages. `plugin_settings` are values by section, of
    plugins and of the chat itself; what `translation` and the others give counts before them.

    Of a path the conversation is kept beside it in `<name>.chat.json`, after each reply, and so is the draft: a rerun
    goes on with both. With a `workspace` both are there. A session that is given as a value is written nowhere.

    Another conversation has a history and a draft of its own. Of several chats on one `History` each shows what the
    others did once it is given a command, or by `refresh()`.

    >>> ChatPanel(session, agent, model="gpt-4o")  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    _page: ChatPage | None = None
    _is_closed = True  # until it is made: one that was refused has nothing to close

    @checked_arguments
    def __init__(
        self,
        session: SessionSource | History | None = None,
        agent: AgentSource | None = None,
        *,
        model: ModelSource | LocalModel | None = None,
        translation: TranslationSource | ModelSource | None = None,
        topic_naming: TopicSource | None = None,
        input_completion: CompletionSource | None = None,
        message_actions: Sequence[MessageAction] = (),
        plugin_settings: PluginSettings | Mapping[str, Any] | None = None,
        workspace: Workspace | None = None,
        draft_wait_seconds: float = 0.2,
        **options: Any,
    ) -> None:
        self.lock = threading.RLock()
        given: Any = session.session if isinstance(session, History) else session if session is not None else Session()
        self.setup, first = chat_setup(given, agent, model, options)
        self.counter, self.sending = self.setup.counter(), Sending(self)
        self.keeping = Keeping(self, given, first, workspace)
        self.history = session if isinstance(session, History) else History(self.keeping.session)
        self.answers, self.waiting = Answers(), WaitingFiles()
        self.preview: Preview | None = None
        self.turns = ChatTurns(self)
        self.jobs = BackgroundJobs(self._tell_problem, self._show_jobs)
        self.translations = Translations(self, translation)
        self.topic = TopicNaming(self, topic_naming)
        self.completions = Completions(self, input_completion)
        self.quick_actions, self.plugin_actions = QuickActions(), PluginActions(message_actions)
        self.summaries: Mapping[str, SummaryTold] = {}
        self._shown = ShownChat()
        self._analysis = DraftAnalysis(self._on_preview, wait_seconds=draft_wait_seconds)
        self._conversations = Conversations(self, given, workspace)
        self._drafts = self._conversations.drafts
        self._storing = LatestWorker[tuple[str, str], str](
            lambda typed: self._drafts.keep(*typed), self._on_stored, wait_seconds=STORE_SECONDS
        )
        self._is_ready, self._handling = False, 0
        super().__init__()
        heard_beside_cells(self, "stop")
        self._is_closed = False
        self.plugin_settings = first_settings(self, plugin_settings, (translation, topic_naming, input_completion))
        self.session = self.history.session
        self.input = self._drafts.take(self.session.id).text
        self._is_ready = True
        self.show()
        self._tell_notes()
        self.look_at_draft()

    def __repr__(self) -> str:
        state = ", an answer is being written" if self.turns.running is not None else ""
        return f"ChatPanel({self.history.session!r}, {self.setup.now('model')}{state})"

    @property
    def page(self) -> ChatPage:
        """The chat, and below it what is opened in it: what a notebook shows of it."""
        if self._page is None:
            from ctxlab_widgets.chat_panel.chat_page import ChatPage

            self._page = ChatPage(self)
        return self._page

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.page._repr_mimebundle_(**options)

    @property
    def provider_name(self) -> str:
        """The vendor that is named for turns; empty where it is the model's own."""
        provider = self.setup.provider
        return provider if isinstance(provider, str) else str(getattr(provider, "name", "") or "")

    # --- turns

    def send_message(self, text: str, *, files: Sequence[Asset] = ()) -> None:
        """Send a text with files and let it be answered; while an answer is written it waits for its end.

        Without both the newest message of the user is answered.
        """
        attached = (*self.waiting.assets, *files)
        is_empty = not text.strip() and not attached
        if is_empty and self.turns.running is not None:
            raise CtxlabError("there is nothing to send: type a message first")
        if not is_empty and self.turns.queue(text, attached):
            self._show_running()
        else:
            self.begin(
                "send",
                lambda turns, of: turns.send(of, text if text.strip() or attached else None, attachments=attached),
            )
        self.waiting.taken()
        self.input = ""

    def begin(self, verb: str, begin: Begin, *, model: Any = None) -> None:
        """Begin a turn on the history's session; `model` is for this one time."""
        self.turns.begin(new_stream(self, verb, begin, model))
        self._show_running()

    def stop(self) -> None:
        """End the running turn; what came is kept. Messages that wait go back into the draft."""
        self.turns.stop()

    def wait(self, timeout: float | None = None) -> Session:
        """Wait until no turn runs, and get the session; raises CtxlabError where that takes longer."""
        if self._handling == threading.get_ident():
            raise CtxlabError("a chat can't wait for a turn while it carries out a command: wait in another cell")
        if not self.turns.wait(timeout):
            raise CtxlabError(f"the answer is not there after {timeout:g} seconds: wait longer, or call stop()")
        return self.history.session

    def rest(self, timeout: float | None = None) -> None:
        """Wait until the draft has been looked at and kept, and translations, names and completions are there."""
        for each in (self.jobs, self._analysis, self._storing, self.keeping):
            each.rest(timeout)

    def close(self) -> None:
        """Stop what runs, keep the draft, and take the chat away."""
        if not self._is_closed:
            self._is_closed = True
            if self._state is not None:
                self._state.unobserve(self._on_run_of_page, "trace")
            self.turns.close()
            self.completions.stop()
            self.jobs.close()
            self._analysis.close()
            self._storing.close()
            self.keeping.close()
            self._drafts.keep(self.history.session.id, self.input)
            self._drafts.close()
        super().close()

    def save_as(self, path: str | Path, *, format: str | None = None) -> None:
        """Write the conversation into a file, in the format that its ending asks for, as `ctxlab.write` does."""
        said = self.keeping.save_as(path, format=format)
        self.effect = {"label": "Save as", "text": said}

    def begin_anew(self) -> None:
        """Begin with the conversation as it was given; the file of what was kept gets another name."""
        if self.turns.running is not None:
            raise CtxlabError("an answer is being written: stop it first, or wait for its end")
        self.history.record(self.keeping.begin_anew(), "begin anew")
        self.refresh()

    # --- what turns tell, in their threads

    def send_pieces(self, message: Mapping[str, Any]) -> None:
        if not self._is_closed:
            self.send(dict(message))

    def running_changed(self) -> None:
        with self.lock:
            self.show()

    @property
    def conversation(self) -> str:
        return self.history.session.id

    def record_turn(self, running: RunningStream, turn: Turn | None, problem: BaseException | None) -> None:
        with self.lock:
            is_shown = running.history is self.history
            if turn is not None and running.history.session.id == running.before.id:
                turn, told = recorded(running, turn)
                self.answers.record(turn)
                self._say(told if is_shown else ())
            if problem is not None:
                self.error = brief(f"the turn broke off: {type(problem).__name__}: {problem}")
            session = self.history.session
        self._set_session(session)
        if turn is not None and is_shown and not self._is_closed:
            self.topic.after(turn, session)

    def begin_queued(self, text: str, files: tuple[Asset, ...]) -> RunningStream | None:
        try:
            return new_stream(self, "send", lambda turns, of: turns.send(of, text, attachments=files))
        except CtxlabError as problem:
            with self.lock:
                self._on_error(problem)
            return None

    def give_back(self, queued: list[QueuedMessage]) -> None:
        with self.lock:
            self._conversations.give_back(queued)

    # --- the history and who takes part

    def change(self, verb: Callable[..., Session], *args: Any, **kwargs: Any) -> None:
        """Apply a verb of Session as a step of the history."""
        self.history.do(verb, *args, **kwargs)
        self.refresh()

    def refresh(self) -> None:
        """Show the history as it is, also after it was moved elsewhere."""
        self._set_session(self.history.session)
        self.show()
        self.look_at_draft()

    def use(self, setup: ChatSetup) -> None:
        """Take other participants, or other options, for what comes."""
        self.setup, self.counter = setup, setup.counter()
        self.show()
        self.look_at_draft()

    def follow(self, state: SharedState) -> None:
        """Show the conversation of a page from now on, and give it what is said here; runs of answers stay here."""
        self._state = state
        self.plugin_settings = without_sending(self.plugin_settings)
        self.views = list(state.views)
        traitlets.link((state, "session"), (self, "session"))
        traitlets.link((state, "selected"), (self, "selected"))
        state.observe(self._on_run_of_page, "trace")
        self._on_run_of_page()

    def _on_run_of_page(self, _: object = None) -> None:  # turns are built as the page's run is
        if self._state is not None and not self._is_closed:
            with self.lock:
                self.use(setup_of_page(self._state, self.setup))

    @property
    def state(self) -> SharedState | None:
        """The state that the views of a page share; None where the chat stands alone."""
        return self._state

    def _set_session(self, session: Session) -> None:
        """Set the trait where the conversation is another one; never under the lock, since observers are called."""
        if self.session is not session:
            self.session = session

    @traitlets.observe("session")
    def _on_session(self, change: Mapping[str, Any]) -> None:
        if not self._is_ready:
            return
        session = cast("Session", change["new"])
        with self.lock:
            before = self.history.session
            if session is not before:
                if before.id == session.id:
                    self.history.record(session, "changed elsewhere")
                else:
                    self._say(self._conversations.show(session))
            self.keeping.changed()
            self.show()
            self.look_at_draft()
            session = self.history.session
        self._set_session(session)

    @traitlets.observe("plugin_settings", "live")
    def _on_settings(self, _: object) -> None:
        use_settings(self)
        self.show()

    @traitlets.observe("shows")
    def _on_shows(self, _: object) -> None:
        """Show the tree below the chat, or where the page has it."""
        if not self._is_ready:
            return
        if self.shows == "tree" and self._state is not None:
            self.shows = "list"
            self._state.open("tree", "")
        elif self.shows == "tree" and not self._has_tree:
            self.opened = ("tree", self.history)
        elif self.shows == "list" and self._has_tree:
            self.opened = ("", None)

    @traitlets.observe("opened")
    def _on_opened(self, _: object) -> None:
        self.shows = "tree" if self._has_tree else "list"

    @property
    def _has_tree(self) -> bool:
        return self.opened[0] == "tree" and self.opened[1] is not None

    # --- the draft

    def look_at_draft(self) -> None:
        """Look at what is typed again, once typing has stopped."""
        if self._is_ready and not self._is_closed:
            session = self.turns.shown_session(self.history)
            previous = self.answers.last_request(session) if not self.setup.asks_nobody else None
            self._analysis.ask(DraftJob(self.input, self.waiting.assets, session, self.setup, previous))

    def _on_preview(self, job: DraftJob, found: Preview | str) -> None:
        data = self._shown.draft(job.text, found)
        with self.lock:
            self.preview = found if isinstance(found, Preview) else None
            self.draft, self.unsent = data
            self.show()

    @traitlets.observe("input")
    def _on_input(self, _: object) -> None:
        if self._is_ready:
            self.look_at_draft()
            self._storing.ask((self.history.session.id, self.input))

    def _on_stored(self, _: object, problem: str) -> None:
        if problem:
            with self.lock:
                self.error = problem

    # --- what is shown

    def show(self) -> None:
        """Take over the history as it is."""
        if not self._is_ready:
            return
        with self.lock, self.hold_sync():
            self._shown.fill(self)
            self._say(self.plugin_actions.news())

    def tell_of_summary(self, key: str) -> None:
        """Say with a summary what it kept and lost, as far as its report says."""
        session = self.history.session
        self.summaries = {**self.summaries, key: told_of(session, session.node(key))}
        self.show()

    def _tell_notes(self) -> None:
        """Say once what is amiss with settings, quick actions and what packages bring."""
        told = (self.translations, self.topic, self.completions, self.quick_actions, self.plugin_settings)
        kept = [self.keeping.problem] if self.keeping.problem else []
        self._say([*kept, *(note.text for each in told for note in each.notes)])

    def _say(self, sentences: Sequence[str]) -> None:
        if sentences:
            self.error = brief("; ".join(dict.fromkeys([*([self.error] if self.error else []), *sentences])))

    def _tell_problem(self, problem: CtxlabError) -> None:
        with self.lock:
            self._on_error(problem)

    def _show_jobs(self) -> None:
        with self.lock:
            self.asides = asides_json(self.jobs.under_way)

    def _show_running(self) -> None:
        with self.lock:
            self.running = self._shown.running(self)

    # --- what the page asks for

    def set_state(self, sync_data: dict[str, Any]) -> None:
        with self.lock:
            super().set_state(sync_data)

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        if content == {"command": "stop"}:  # it waits for no other command, which may hold the lock for long
            self.turns.stop()
        with self.lock:
            self._buffers: Sequence[Any] = tuple(buffers or ())
            self._handling = threading.get_ident()
            try:
                super()._on_message(_, content, buffers)
            finally:
                self._handling = 0

    def _handle_shared(self, message: Mapping[str, Any]) -> bool:
        """Code for formulas and diagrams, which every view may ask for; all else is a command of the chat."""
        return message.get("command") == "late_code" and super()._handle_shared(message)

    def _handle(self, message: Mapping[str, Any]) -> None:
        told = self._conversations.follow()
        try:
            carry_out(self, message, self._buffers)
        except CtxlabError as problem:
            raise CtxlabError("; ".join([*told, str(problem)])) from problem
        self._say(told)
