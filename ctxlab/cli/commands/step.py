"""`ctxlab step`: the debugger in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

from ctxlab.cli.commands.explain import find_words, lives, show_entries
from ctxlab.cli.inputs.files import Inputs
from ctxlab.cli.inputs.options import CommandOptions, running_step, setting_from, settings_text
from ctxlab.cli.inputs.read_file import is_pipe
from ctxlab.cli.output.diff import differences
from ctxlab.cli.output.explain_text import keys_for
from ctxlab.cli.output.lore import all_decisions
from ctxlab.cli.output.messages import message, messages
from ctxlab.cli.output.rules import all_hits, rule
from ctxlab.cli.output.run_text import Steps, head, losses, notes
from ctxlab.cli.output.terminal import Screen, harmless, with_line_editing
from ctxlab.cli.output.token_bar import bar
from ctxlab.cli.output.variables import variables
from ctxlab.context import Cause
from ctxlab.display.short_texts import counted
from ctxlab.engines.variables.variables_of_step import variable_values
from ctxlab.engines.worldbook.explain import why_undecided
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Debugger, Step, diff
from ctxlab.processors import RegexProcessor
from ctxlab.secrets import masked

AT_END = "the run is at its end; b goes back"


def walk(inputs: Inputs) -> None:
    """Read commands until q or the end of the input."""
    debugger = inputs.debugger()
    until = inputs.options.until
    target = running_step(debugger.pipeline, until) if until is not None else None
    inputs.announce()
    screen = Screen()
    head(screen, debugger.trace)
    losses(screen, inputs.losses)
    notes(screen, debugger.trace.start.notes)
    session = Prompt(screen, debugger)
    session.table.head()
    if target is not None:
        session.until_after(target)
    session.loop()


def refuse_pipes(options: CommandOptions) -> None:
    """Raise CtxlabError for a file from standard input, which is where the commands come from."""
    if any(map(is_pipe, options.files)):
        raise CtxlabError(
            f"{options.command} reads its commands from standard input, so - can't be a file; save it and give its name"
        )


class Command(NamedTuple):
    """A command of the prompt: its names, its argument, its help."""

    names: tuple[str, ...]
    argument: str
    help: str
    run: Callable[[str], object]


class Prompt:
    """Reads commands and does them; one that can't be done is one line, and the next is read."""

    def __init__(self, screen: Screen, debugger: Debugger) -> None:
        self.screen = screen
        self.debugger = debugger
        self.table = Steps(screen, debugger.trace)
        self.again = ""
        self.over = False
        self.commands = (
            Command(("n", "next"), "", "do the next step", self.next),
            Command(("b", "back"), "", "undo the last step", self.back),
            Command(("r", "run"), "", "go on to the next breakpoint, or to the end", self.run),
            Command(("u", "until"), "STEP", "go on until STEP comes next", self.until),
            Command(("break",), "[STEP]", "stop before STEP, or no longer; alone: list them", self.break_at),
            Command(("show",), "[KEY]", "the messages as they are now, or one in full", self.show),
            Command(("why",), "KEY", "the life of a message so far", self.why),
            Command(("where",), "WORDS", "where words are, and who wrote them", self.where),
            Command(("lore",), "[ENTRY]", "which lore fired, which not; or why one did", self.lore),
            Command(("rules",), "[RULE]", "what find and replace rules changed, or all about one", self.rules),
            Command(("vars",), "", "the variables before and after the last step", self.vars),
            Command(("diff",), "", "what the last step changed, message by message", self.diff),
            Command(("set",), "STEP.SETTING=VALUE", "change a setting; steps that read it are undone", self.set),
            Command(("drop",), "KEY", "take a message out by hand", self.drop),
            Command(("skip",), "", "pass over the next step without doing it", self.skip),
            Command(("?", "h", "help"), "", "this list", self.help),
            Command(("q", "quit"), "", "leave", self.quit),
        )

    def loop(self) -> None:
        interactive = sys.stdin.isatty()
        if interactive:
            with_line_editing()
            self.screen.line(("n does the next step, ? lists the commands", "dim"))
        while not self.over:
            try:
                line = input(self.prompt())
            except EOFError:
                print()  # noqa: T201
                return
            if not interactive:
                print(harmless(masked(line)))  # noqa: T201
            self.do(line)

    def prompt(self) -> str:
        return f"{self.debugger.position} {self.debugger.next_id or 'end'}> "

    def do(self, line: str) -> None:
        """Do one command; an empty line does n or b again."""
        name, _, rest = (line.strip() or self.again).partition(" ")
        if not name:
            return
        command = next((command for command in self.commands if name in command.names), None)
        self.again = name if command is not None and command.names[0] in ("n", "b") else ""
        try:
            if command is None:
                raise CtxlabError(f"there is no command {name!r}; ? lists them")
            if command.argument and not command.argument.startswith("[") and not rest.strip():
                raise CtxlabError(f"{command.names[-1]} needs {command.argument}")
            command.run(rest.strip())
        except CtxlabError as error:
            self.screen.line(("× ", "bad"), harmless(" ".join(str(error).split())), hang=2)

    # --- moving

    def next(self, _: str = "") -> None:
        if self.debugger.done:
            raise CtxlabError(AT_END)
        self._going(self.debugger.step)

    def back(self, _: str = "") -> None:
        if not self.debugger.position:
            raise CtxlabError("the run is at its start; n goes on")
        undone = self.debugger.trace.steps[-1].id
        self.debugger.back()
        trace = self.debugger.trace
        many = counted(len(trace.result.drafts), "message")
        self.screen.line(f"before {harmless(undone)} again: {many}, {counted(trace.tokens, 'token')}")

    def run(self, _: str = "") -> None:
        if self.debugger.done:
            raise CtxlabError(AT_END)
        self._going(self.debugger.run_until)

    def until(self, name: str) -> None:
        target = running_step(self.debugger.pipeline, name)
        if self.debugger.next_id == target:
            self.screen.line((f"{target} comes next", "dim"))
        elif target not in [stage.id for stage in self.debugger.pipeline.running()][self._done() :]:
            raise CtxlabError(f"{target} is behind; back goes back")
        else:
            self._going(lambda: self.debugger.run_until(target))

    def until_after(self, target: str) -> None:
        """Up to and with a step."""
        try:
            self._going(lambda: self.debugger.run_until(target))
            self.next()
        except CtxlabError as error:
            self.screen.line(("× ", "bad"), harmless(str(error)), hang=2)

    def skip(self, _: str = "") -> None:
        if self.debugger.done:
            raise CtxlabError(AT_END)
        skipped = self.debugger.next_id
        self.debugger.skip()
        self.screen.line((f"{skipped} is passed over", "dim"))

    def break_at(self, name: str) -> None:
        points = self.debugger.breakpoints
        if name:
            target = self.debugger.pipeline.stage(name).id
            (points.remove if target in points else points.add)(target)
        ids = [id for id in self.debugger.pipeline.ids if id in points]
        self.screen.line(f"stops before {', '.join(ids)}" if ids else "no breakpoints")

    def _going(self, move: Callable[[], object]) -> None:
        """Move forward and print each step that was done, also when a later one fails."""
        start = self.debugger.position
        try:
            move()
        finally:
            trace = self.debugger.trace
            for index in range(start, self.debugger.position):
                self.table.row(trace, index)
            if self.debugger.done and self.debugger.position > start:
                bar(self.screen, trace)

    def _done(self) -> int:
        return sum(not step.edited for step in self.debugger.trace.steps)

    # --- looking

    def show(self, name: str) -> None:
        trace = self.debugger.trace
        if not name:
            messages(self.screen, trace)
            if not trace.result.drafts:
                self.screen.line(("no messages yet; n does the next step", "dim"))
            return
        for key in keys_for(trace, name):
            draft = trace.result.draft(key)
            if draft is None:
                raise CtxlabError(f"{key} is not among the messages now; why {name} says what became of it")
            message(self.screen, trace, trace.result.drafts.index(draft) + 1, draft, whole=True)

    def why(self, name: str) -> None:
        lives(self.screen, self.debugger.trace, name)

    def where(self, words: str) -> None:
        find_words(self.screen, self.debugger.trace, words)

    def lore(self, name: str = "") -> None:
        trace = self.debugger.trace
        if name:
            show_entries(self.screen, trace, name)
        elif not all_decisions(self.screen, trace):
            raise CtxlabError(why_undecided(trace.result))

    def rules(self, name: str = "") -> None:
        trace = self.debugger.trace
        if name:
            rule(self.screen, trace, name)
        elif not all_hits(self.screen, trace):
            done = any(step.id == RegexProcessor.id for step in trace.steps)
            raise CtxlabError("no rule changed anything" if done else f"{RegexProcessor.id} wasn't done yet")

    def vars(self, _: str = "") -> None:
        last = self._last()
        found = variable_values(last.before, last.after)
        if not found:
            raise CtxlabError("no variable has a value yet")
        variables(self.screen, found, step=last.id)

    def _last(self) -> Step:
        if not self.debugger.position:
            raise CtxlabError("no step is done yet")
        return self.debugger.trace.steps[-1]

    def diff(self, _: str = "") -> None:
        last = self._last()
        differences(self.screen, diff(last.before, last.after))

    # --- changing

    def set(self, text: str) -> None:
        settings = setting_from(self.debugger.pipeline, text)
        before = self.debugger.position
        self.debugger.set(settings)
        undone = before - self.debugger.position
        words = f"; {counted(undone, 'step')} undone" if undone else ""
        self.screen.line(f"{harmless(settings_text(settings))}{words}, {self.debugger.next_id or 'nothing'} comes next")

    def drop(self, name: str) -> None:
        keys = [key for key in keys_for(self.debugger.trace, name) if self._is_in_context(key)]
        if not keys:
            raise CtxlabError(f"{name} is not among the messages now, or only as a part of one")
        self.debugger.edit(lambda ctx: ctx.drop(keys, Cause("edit", "by hand", "taken out in the debugger")))
        self.table.row(self.debugger.trace, self.debugger.position - 1)

    def _is_in_context(self, key: str) -> bool:
        return any(draft.key == key for draft in self.debugger.context.drafts)

    # --- the rest

    def help(self, _: str = "") -> None:
        for command in self.commands:
            typed = f"{', '.join(command.names)} {command.argument}".strip()
            self.screen.line((f"  {typed:<24}", "command"), command.help, hang=26)
        self.screen.line(("  an empty line does n or b again", "dim"))

    def quit(self, _: str = "") -> None:
        self.over = True
