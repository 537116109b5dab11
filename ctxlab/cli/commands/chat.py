"""`ctxlab chat`: a conversation in the terminal, with what each reply was made of."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ctxlab import api
from ctxlab.api import chat
from ctxlab.api.compression import compressed_run
from ctxlab.chat.compression import Compression, Wanted
from ctxlab.chat.event_log import EventLog
from ctxlab.chat.turn import Turn
from ctxlab.cli.commands.compress import show_compression, show_losses, show_notes
from ctxlab.cli.commands.explain import lives
from ctxlab.cli.commands.step import Prompt
from ctxlab.cli.commands.tree import draw_tree
from ctxlab.cli.inputs.chat_model import ECHO, Answerer, answerer_of
from ctxlab.cli.inputs.files import Inputs
from ctxlab.cli.inputs.out_file import free_place, refuse_place
from ctxlab.cli.output.explain_text import outcomes
from ctxlab.cli.output.option_names import in_option_names
from ctxlab.cli.output.run_text import budget_words, head, losses, notes
from ctxlab.cli.output.terminal import Screen, harmless, one_line, with_line_editing
from ctxlab.cli.output.token_bar import bar
from ctxlab.cli.output.turn_text import TurnText
from ctxlab.display.short_texts import counted
from ctxlab.documents import History, Session
from ctxlab.documents.atomic_file import refuse_overwriting
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Debugger, Trace
from ctxlab.secrets import masked

EXAMPLE = "out.session.json"
NOT_SAVED = 2


class Asked(NamedTuple):
    """The options of the command: the model, and where the conversation and the events go."""

    model: str | None = None
    provider: str | None = None
    base_url: str | None = None
    out: Path | None = None
    log: Path | None = None


def talk(inputs: Inputs, asked: Asked) -> int:
    """Read lines until /quit or the end of the input; the exit code is 2 where the conversation could not be saved."""
    _refuse_places(inputs, asked)
    chat = Chat(Screen(), inputs, asked)
    inputs.announce()
    chat.begin()
    chat.loop()
    return chat.end()


def _refuse_places(inputs: Inputs, asked: Asked) -> None:
    """Raise before anything is printed where the conversation or the log can't be written."""
    for path, example in ((asked.out, EXAMPLE), (asked.log, "turns.jsonl")):
        if path is not None:
            refuse_place(inputs.options, path, example=example)
    if asked.log is not None:
        if asked.out is not None and asked.log.absolute() == asked.out.absolute():
            raise CtxlabError("--out and --log are one file; give two")
        EventLog(asked.log).close()


class Command(NamedTuple):
    """A command of the conversation: its name, its argument, its help."""

    name: str
    argument: str
    help: str
    run: Callable[[str], object]


class Chat:
    """A conversation in the terminal: lines are sent, lines with a slash are commands."""

    def __init__(self, screen: Screen, inputs: Inputs, asked: Asked) -> None:
        leaf = inputs.options.leaf
        session = inputs.session.switched(leaf) if leaf is not None else inputs.session
        self.screen, self.asked = screen, asked
        named = asked.model if asked.model != ECHO else None
        self.inputs = replace(inputs, session=session, options=replace(inputs.options, leaf=None, model=named))
        self.history = History(session)
        self.trace = self._built()
        self.answerer: Answerer = answerer_of(self.trace, asked.model, provider=asked.provider, base_url=asked.base_url)
        self.replaced = asked.out is not None and asked.out.is_file()
        self.place = asked.out
        self.lost: Sequence[object] = ()
        if asked.out is not None:
            self.lost = api.write(session, asked.out).losses
        self.preview: Compression | None = None
        self.over = self.interrupted = False
        self.problem = ""
        self.commands = (
            Command("why", "[MESSAGE]", "what became of each message of the last request, or of one", self.why),
            Command("budget", "", "the tokens of the last request, by source", self.budget),
            Command("step", "", "walk through the steps of the last request; q comes back", self.step),
            Command("compress", "[take]", "what a summary would save and lose; take puts it in", self.compress),
            Command("model", "[NAME]", "who answers, or another model; echo asks nobody", self.model),
            Command("regenerate", "", "another reply, beside the last one", self.regenerate),
            Command("continue", "", "go on from the last reply, in a copy beside it", self.go_on),
            Command("undo", "", "take back the last turn or summary", self.undo),
            Command("redo", "", "bring back what /undo took", self.redo),
            Command("tree", "", "the conversation as a tree", self.tree),
            Command("save", "PATH", "write the conversation to a file", self.save),
            Command("help", "", "this list", self.help),
            Command("quit", "", "leave; so does Ctrl+C twice", self.quit),
        )

    @property
    def session(self) -> Session:
        return self.history.session

    # --- from the first line to the last

    def begin(self) -> None:
        head(self.screen, self.trace)
        losses(self.screen, self.inputs.losses)
        notes(self.screen, self.trace.start.notes)
        self._who()
        if sys.stdin.isatty():
            with_line_editing()
            self.screen.line(("a line is sent, /help lists the commands", "dim"))

    def loop(self) -> None:
        interactive = sys.stdin.isatty()
        while not self.over:
            try:
                line = input("> ")
                self.interrupted = False
                if not interactive:
                    print(harmless(masked(line)))  # noqa: T201
                self.do(line)
            except EOFError:
                print()  # noqa: T201
                return
            except KeyboardInterrupt:
                print()  # noqa: T201
                self._interrupt()

    def do(self, line: str) -> None:
        """Send a line, or do a command; one that can't be done is one line, and the next is read."""
        text = line.strip()
        try:
            if text.startswith("/") and not text.startswith("//"):
                self._command(text[1:])
            elif text:
                self.send(text.removeprefix("/"))
        except CtxlabError as error:
            self.screen.line(("× ", "bad"), harmless(in_option_names(" ".join(str(error).split()))), hang=2)

    def end(self) -> int:
        """Say where the conversation is."""
        if self.problem:
            self.screen.line(("× ", "bad"), harmless(self.problem), hang=2)
            return NOT_SAVED
        if self.place is not None:
            replaced = ("; replaced the file that was there", "label") if self.replaced else ""
            self.screen.line(("wrote ", "label"), harmless(str(self.place)), replaced)
            losses(self.screen, [str(loss) for loss in self.lost], during="writing")
        return 0

    def _command(self, typed: str) -> None:
        name, _, rest = typed.partition(" ")
        command = next((each for each in self.commands if each.name == name), None)
        if command is None:
            raise CtxlabError(f"there is no command /{name}; /help lists them, and // sends a line that begins with /")
        if command.argument and not command.argument.startswith("[") and not rest.strip():
            raise CtxlabError(f"/{name} needs {command.argument}")
        command.run(rest.strip())

    def _interrupt(self) -> None:
        if self.interrupted:
            self.over = True
        else:
            self.interrupted = True
            self.screen.line(("Ctrl+C again ends", "dim"))

    # --- turns

    def send(self, text: str) -> None:
        shown = TurnText(self.screen)
        self._ended(shown, chat.send(self.history, text, on_event=shown.show, log=self.asked.log, **self._options()))

    def regenerate(self, _: str = "") -> None:
        self._again(chat.regenerate)

    def go_on(self, _: str = "") -> None:
        self._again(chat.continue_reply)

    def _again(self, verb: Callable[..., Turn]) -> None:
        """Another reply beside the last one, or below the last message."""
        path = [node for node in self.session.path() if node.role in ("user", "assistant") and not node.is_summary]
        if not path or path[-1].is_empty_root:
            raise CtxlabError("there is no message to answer yet")
        shown, options = TurnText(self.screen), self._options()
        self._ended(shown, verb(self.history, path[-1].id, on_event=shown.show, log=self.asked.log, **options))

    def _options(self) -> dict[str, Any]:
        return {**self.inputs.turn_options(), **self.answerer.options}

    def _ended(self, shown: TurnText, turn: Turn) -> None:
        shown.end(turn)
        if self.answerer.is_echo and turn.error is None:
            self.screen.line(("an echo, saved like a reply; /model NAME asks a model", "dim"))
        self._changed(turn.requests[-1].trace if turn.requests else None)
        self.interrupted = turn.cancelled

    def _changed(self, trace: Trace | None = None) -> None:
        """Go on from the session as it is now, which is saved."""
        self.preview = None
        self.inputs = replace(self.inputs, session=self.session)
        self._save()
        self.trace = trace or self._built()

    def _save(self) -> None:
        """The conversation in its file, beside the one that was read unless another is named."""
        try:
            if self.place is None:
                self.place = free_place(self.inputs.options.file)
            self.lost = api.write(self.session, self.place).losses
            self.problem = ""
        except CtxlabError as error:
            self.problem = f"the conversation is not saved: {error}; /save PATH writes it elsewhere"
            self.screen.line(("× ", "bad"), harmless(self.problem), hang=2)

    def _built(self) -> Trace:
        return self.inputs.trace()

    # --- looking

    def why(self, name: str) -> None:
        if name:
            lives(self.screen, self.trace, name)
        else:
            outcomes(self.screen, self.trace)

    def budget(self, _: str = "") -> None:
        self.screen.line((f"{counted(self.trace.tokens, 'token')}; budget {budget_words(self.trace)}", "strong"))
        bar(self.screen, self.trace)

    def step(self, _: str = "") -> None:
        prompt = Prompt(self.screen, Debugger(self.trace))
        prompt.table.head()
        prompt.loop()

    def tree(self, _: str = "") -> None:
        draw_tree(self.screen, self.session)

    # --- changing

    def compress(self, word: str) -> None:
        if word not in ("", "take"):
            raise CtxlabError(f"/compress shows what it would do, /compress take does it; {word!r} is neither")
        if self.preview is None:
            self.preview = compressed_run(self._built(), Wanted())
        done = self.preview
        if not word:
            show_compression(self.screen, done)
            if done.error is None:
                self.screen.line(("/compress take puts the summary in their place, /undo takes it back", "dim"))
            return
        done.applied(self.history)
        gone = counted(len(done.gone) + len(done.folded), "message")
        self.screen.line(f"{gone} behind one summary, {done.before_tokens:,} to {counted(done.after_tokens, 'token')}")
        show_notes(self.screen, done)
        show_losses(self.screen, done)
        self._changed()

    def undo(self, _: str = "") -> None:
        before, label = self.session, self.history.labels[self.history.index]
        self.history.undo(past_breakpoint=True)
        self._changed()
        self.screen.line((f"took back {_step_words(label, before, self.session)}; /redo brings it back", "dim"))

    def redo(self, _: str = "") -> None:
        before = self.session
        self.history.redo()
        self._changed()
        label = self.history.labels[self.history.index]
        self.screen.line((f"brought back {_step_words(label, self.session, before)}", "dim"))

    def model(self, name: str) -> None:
        if name:
            serving = {"provider": self.asked.provider, "base_url": self.asked.base_url}
            only_there = serving if self.asked.base_url is not None and name != ECHO else {}
            self.answerer = answerer_of(self._built(), name, **only_there)
            named = self.answerer.model
            self.inputs = replace(self.inputs, options=replace(self.inputs.options, model=named))
        self._who()

    def _who(self) -> None:
        if self.answerer.why:
            self.screen.line(("! ", "warn"), (harmless(in_option_names(self.answerer.why)), "warn"), hang=2)
        self.screen.line(("answers: ", "label"), harmless(self.answerer.title))

    def save(self, path: str) -> None:
        target = Path(path).expanduser()
        refuse_place(self.inputs.options, target, example=EXAMPLE)
        if self.asked.log is not None:
            refuse_overwriting(self.asked.log, target)
        replaced = ("; replaced the file that was there", "label") if target.is_file() else ""
        lost = api.write(self.session, target).losses
        self.problem = ""
        self.screen.line(("wrote ", "label"), harmless(path), replaced)
        losses(self.screen, [str(loss) for loss in lost], during="writing")

    # --- the rest

    def help(self, _: str = "") -> None:
        for command in self.commands:
            typed = f"/{command.name} {command.argument}".strip()
            self.screen.line((f"  {typed:<18}", "command"), command.help, hang=20)
        self.screen.line(("  any other line is sent; // sends one that begins with /", "dim"))

    def quit(self, _: str = "") -> None:
        self.over = True


def _step_words(label: str, having: Session, without: Session) -> str:
    """A step of the conversation in words: its name, its messages and the first words of them."""
    nodes = [node for key, node in having.nodes.items() if key not in without.nodes]
    words = next((node.content for node in nodes if node.content.strip()), "")
    told = f", “{one_line(words, cells=40)}”" if words else ""
    return f"{harmless(label)}: {counted(len(nodes), 'message')}{told}"
