"""A turn in a terminal: the reply as it comes, and one line on what was sent and how it ended."""

from __future__ import annotations

from rich.text import Text

from ctxlab.chat.endings import GOES_ON
from ctxlab.chat.events import (
    AttemptFailed,
    CallAdded,
    Compressed,
    TextAdded,
    ThoughtAdded,
    ToolFinished,
    TurnEvent,
)
from ctxlab.chat.turn import Turn
from ctxlab.cli.output.terminal import Screen, harmless, one_line
from ctxlab.display.short_texts import counted
from ctxlab.secrets import MaskedPieces


class TurnText:
    """Prints the events of a turn; what the model says is printed as it comes, masked, control characters escaped."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self._style = ""
        self._begun = False
        self._pieces = MaskedPieces()

    def show(self, event: TurnEvent) -> None:
        match event:
            case TextAdded():
                self._piece(event.text, "")
            case ThoughtAdded():
                self._piece(event.text, "dim")
            case CallAdded() if event.name:
                self._line(("calls ", "label"), harmless(event.name))
            case ToolFinished():
                result = one_line(str(event.node.get("content") or ""), cells=60)
                self._line((f"{harmless(event.name)}: ", "label"), event.status, f", {result}" if result else "")
            case AttemptFailed() if event.retry_in_seconds is not None:
                again = f"; again in {event.retry_in_seconds:,.0f} s"
                self._line((f"! {harmless(event.text)}{again}", "warn"))
            case Compressed():
                tokens = f"{event.before_tokens:,} to {counted(event.after_tokens, 'token')}"
                self._line((f"old messages are behind a summary now, {tokens}", "dim"))
            case _:
                pass

    def end(self, turn: Turn) -> None:
        """The line below a reply: what was sent, or what went wrong and what is kept."""
        self._close()
        for note in turn.notes:
            self.screen.line(("! ", "warn"), harmless(note.text.replace(GOES_ON, "/continue goes on")), hang=2)
        if turn.error is not None:
            self.screen.line(("× ", "bad"), harmless(turn.error), hang=2)
            kept = "your message and what came of the reply are kept" if turn.text else "your message is kept"
            self.screen.line((f"  {kept}; /regenerate asks again", "dim"))
        elif turn.cancelled:
            self.screen.line(("cancelled; what came is kept, /regenerate asks again", "dim"))
        if turn.requests and turn.error is None:
            trace = turn.requests[-1].trace
            sent = f"{counted(len(trace.messages), 'message')}, {counted(trace.tokens, 'token')} sent"
            gone = sum(len(group.drafts) for group in trace.result.dropped)
            self.screen.line((sent + (f"; {gone:,} left out, /why says which" if gone else ""), "dim"))

    def _piece(self, text: str, style: str) -> None:
        if self._begun and style != self._style:
            self._close()
        self._begun, self._style = True, style
        self._print(self._pieces.add(text))

    def _print(self, text: str) -> None:
        lines = text.replace("\r", "").split("\n")
        self.screen.console.print(Text("\n".join(map(harmless, lines)), self._style, end=""), soft_wrap=True, end="")

    def _line(self, *parts: str | tuple[str, str]) -> None:
        self._close()
        self.screen.line(*parts, hang=2)

    def _close(self) -> None:
        if self._begun:
            self._print(self._pieces.end())
            self.screen.blank()
        self._begun = False
