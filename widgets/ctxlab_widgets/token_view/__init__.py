"""A text coloured by token, by two tokenizers at once: where each of them cuts, and where both do."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import traitlets

from ctxlab import Draft, MessageNode, Trace
from ctxlab.api.token_cuts import TokenCutter, cutter_or_none, token_cutter
from ctxlab.argument_checks import checked_arguments
from ctxlab.engines.tokens.boundaries import TokenBoundaries
from ctxlab.engines.tokens.encodings import FACTS
from ctxlab.errors import CtxlabError, WrongArgument, WrongSetting, did_you_mean
from ctxlab.studies.estimate_words import estimate_words
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget

NAMES = ("o200k_base", "cl100k_base")

TokenViewSource = str | Trace | Draft | MessageNode | Mapping[str, Any]


class TokenView(Widget):
    """Shows a text, a message, or the messages of a run, cut into tokens by two tokenizers, one above the other.

    Of a run, `selected` says which message; while it is empty, the words of all messages are shown together.
    `tokenizers` takes two, each an encoding's name, the path of a vocabulary, a `LocalModel`, a `tokenizers.Tokenizer`
    or another library's; by default o200k and cl100k, of a run that counts by a vocabulary of one's own that and o200k.
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    text = traitlets.Unicode("").tag(sync=True)
    """The text as tokenizers see it: half a surrogate pair is U+FFFD."""
    tokenizers = traitlets.List(traitlets.Unicode(), default_value=list(NAMES), minlen=2, maxlen=2).tag(sync=True)
    """Names of the two, each an encoding or a vocabulary that was given."""
    first = traitlets.Bytes(b"").tag(sync=True)
    """The tokens of the first, as Int32: all ends, all ids, then the places of those that end inside a character."""
    second = traitlets.Bytes(b"").tag(sync=True)
    """The tokens of the second, in the same form."""
    view = traitlets.Unicode("").tag(sync=True)
    """Counts, and the messages and tokenizers to choose from, as JSON; empty while there is nothing to show."""
    token = traitlets.Int(0).tag(sync=True)
    """Place of the token in focus, counted by the first tokenizer."""
    colour = traitlets.Enum(["token", "plain"], default_value="token").tag(sync=True)
    """Whether tokens have colours in turn, or the text is plain."""
    find = traitlets.Unicode("").tag(sync=True)
    """The words of the search; capitals don't matter."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run whose messages are shown; None for a text of one's own."""

    @checked_arguments
    def __init__(self, shown: TokenViewSource | None = None, *, tokenizers: Sequence[Any] | None = None) -> None:
        given = _usual(shown) if tokenizers is None else tokenizers
        if len(given) != 2 or isinstance(given, str):
            raise WrongArgument(f"tokenizers takes two, got {1 if isinstance(given, str) else len(given)}")
        self._cutters: dict[str, tuple[Any, TokenCutter]] = {name: (name, token_cutter(name)) for name in FACTS}
        self._own: str | None = None
        self._bounds: dict[str, TokenBoundaries] = {}
        self._sent: tuple[str | None, str, str, Trace | None, str] | None = None
        super().__init__(tokenizers=[self._known(source) for source in given])
        if isinstance(shown, Trace):
            self.trace = shown
        elif shown is not None:
            self._own = text_of(shown)
        self.show()

    @property
    def bounds(self) -> tuple[TokenBoundaries, TokenBoundaries]:
        """The tokens by the first and by the second tokenizer."""
        first, second = self.tokenizers
        return self._bounds_by(first), self._bounds_by(second)

    @property
    def boundaries(self) -> dict[str, int]:
        """The number of places between characters where the first tokenizer cuts, the second, and both."""
        first, second = map(_cut_places, self.bounds)
        return {"first": len(first), "second": len(second), "both": len(first & second)}

    def set_text(self, text: str) -> None:
        """Show another text, and no longer a run."""
        with self.hold_trait_notifications():
            self._own = text
            self.trace = None
            self.selected = ""
        self.show()

    def set_tokenizers(self, first: Any, second: Any) -> None:
        """Show the same text by two others; raises WrongSetting for an unknown name, WrongArgument for a mere count."""
        self.tokenizers = [self._known(first), self._known(second)]

    def _known(self, source: Any) -> str:
        """The name of a tokenizer, which is known by it from now on; of two of one name the second gets a number."""
        for name, (known, _) in self._cutters.items():
            if known is source or (isinstance(source, str) and known == source):
                return name
        cutter = token_cutter(source)
        name, number = cutter.name, 2
        while name in self._cutters:
            name, number = f"{cutter.name} ({number})", number + 1
        self._cutters[name] = (source, cutter)
        return name

    def show(self) -> None:
        """Take over the text and its tokens; nothing is done while they are the same."""
        first, second = self.tokenizers
        run = self._run
        now = (self._own, first, second, run, self.selected if run else "")
        if self._sent is not None and _same(self._sent, now):
            return
        self._sent = now
        text = self._chosen_text()
        with self.hold_sync():
            if text is None:
                self.text, self.first, self.second, self.view = "", b"", b"", ""
                return
            whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            if whole != self.text:
                self._bounds = {}
                self.text, self.token = whole, 0
            one, other = self.bounds
            self.token = min(self.token, max(len(one) - 1, 0))
            self.first, self.second = _packed(one), _packed(other)
            counts = {"characters": len(whole), "tokens": [len(one), len(other)], "boundaries": self.boundaries}
            names, messages = list(self._cutters), list(self._messages())
            told = estimate_words(run) if run is not None else ""
            self.view = as_json(
                {**counts, "names": names, "run": run is not None, "estimate": told, "messages": messages}
            )

    @traitlets.validate("tokenizers")
    def _known_names(self, proposal: Any) -> list[str]:
        for name in proposal["value"]:
            if name not in self._cutters:
                raise WrongSetting(f"there is no tokenizer {name!r} here{did_you_mean(name, sorted(self._cutters))}")
        return proposal["value"]

    @traitlets.validate("token")
    def _clamped(self, proposal: Any) -> int:
        if self._sent is None:
            return proposal["value"]
        return min(max(proposal["value"], 0), max(len(self.bounds[0]) - 1, 0))

    @traitlets.observe("trace", "selected", "tokenizers")
    def _changed(self, _: object) -> None:
        if self._sent is not None:
            self.show()

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "tokenizers", "first": str(first), "second": str(second)}:
                self.tokenizers = [first, second]  # a page names only what is here: it opens no file
            case _:
                raise self._wrong_command(message)

    def _bounds_by(self, name: str) -> TokenBoundaries:
        if name not in self._bounds:
            self._bounds[name] = self._cutters[name][1].cut(self.text)
        return self._bounds[name]

    # --- the messages of a run

    @property
    def _run(self) -> Trace | None:
        return cast("Trace | None", self.trace)

    def _chosen_text(self) -> str | None:
        run = self._run
        if run is None:
            return self._own
        draft = self._draft(run)
        if draft is not None:
            return str(draft.text)
        return "\n\n".join(str(draft.text) for draft in run.result.drafts)

    def _draft(self, run: Trace) -> Draft | None:
        """The selected message as it is sent, else as it last was; a part of a merged one selects that one."""
        if not self.selected:
            return None
        for ctx in (*(step.after for step in reversed(run.steps)), run.start):
            for draft in ctx.drafts:
                if any(self.selected == part.key for part in (draft, *draft.merged)):
                    return draft
        return None

    def _messages(self) -> Iterator[dict[str, Any]]:
        run = self._run
        if run is None:
            return
        drafts = run.result.drafts
        chosen = self._draft(run)
        unsent = [] if chosen is None or any(chosen is draft for draft in drafts) else [chosen]
        for draft in (*drafts, *unsent):
            yield {
                "key": draft.key,
                "role": draft.role,
                "kind": draft.origin.kind,
                "tokens": run.services.tokenizer.count_draft(draft),
                "parts": [part.key for part in draft.merged],
                "sent": draft not in unsent,
            }


def _usual(shown: object) -> Sequence[Any]:
    """The tokenizers of what is shown: of a run that counts by a vocabulary of one's own, that one first."""
    counter = shown.services.tokenizer if isinstance(shown, Trace) else None
    own = cutter_or_none(counter) if counter is not None else None
    return NAMES if own is None or own.name in FACTS else (counter, NAMES[0])


def text_of(shown: object) -> str:
    """The words of a message, in whichever form it is; a string is its own."""
    match shown:
        case str():
            return shown
        case Draft():
            return str(shown.text)
        case MessageNode():
            return shown.content
        case {"content": str(text)}:
            return text
        case {"content": [*parts]}:
            return "\n".join(part["text"] for part in cast("list[Any]", parts) if _is_text(part))
        case {"content": None}:
            return ""
        case _:
            raise CtxlabError(f"a TokenView shows a text, a message or a trace, not a {type(shown).__name__}")


def _is_text(part: object) -> bool:
    match part:
        case {"type": "text", "text": str()}:
            return True
        case _:
            return False


def _same(before: tuple[object, ...], now: tuple[object, ...]) -> bool:
    return all(a is b or (isinstance(a, str) and a == b) for a, b in zip(before, now, strict=True))


def _cut_places(bounds: TokenBoundaries) -> set[int]:
    inside = frozenset(bounds.inside)
    return {end for place, end in enumerate(bounds.ends) if place not in inside} - set(bounds.ends[-1:])


def _packed(bounds: TokenBoundaries) -> bytes:
    numbers = array("i", (*bounds.ends, *bounds.ids, *bounds.inside))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
