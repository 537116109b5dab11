"""`ctxlab explain`: what became of a message, or of some words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.cli.commands.build import print_json
from ctxlab.cli.inputs.files import Inputs
from ctxlab.cli.output import explain_json
from ctxlab.cli.output.explain_text import keys_for, life, outcomes, places
from ctxlab.cli.output.knowledge import pieces, pieces_named
from ctxlab.cli.output.lore import entry
from ctxlab.cli.output.rules import rule
from ctxlab.cli.output.run_text import estimate, sent_before, short_key
from ctxlab.cli.output.terminal import Screen, harmless
from ctxlab.context import Draft
from ctxlab.engines.worldbook.explain import entries_named
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace

NOT_FOUND = 1


@dataclass(frozen=True, slots=True)
class ExplainTarget:
    """The message, words, entry, rule or piece of knowledge to explain; empty means every message."""

    key: str | None = None
    words: str | None = None
    entry: str | None = None
    rule: str | None = None
    piece: str | None = None

    @property
    def asks_several(self) -> bool:
        given = (self.key, self.words, self.entry, self.rule, self.piece)
        return sum(each is not None for each in given) > 1


def print_explanation(inputs: Inputs, target: ExplainTarget, *, as_json: bool = False) -> int:
    """The answer, or with no question every message with its outcome; 1 when words are nowhere."""
    trace = inputs.trace()
    if as_json:
        found = _data(trace, target)
        print_json(found)
        return 0 if found or target.words is None else NOT_FOUND
    screen = Screen()
    if target.words is not None:
        return find_words(screen, trace, target.words)
    if target.key is not None:
        lives(screen, trace, target.key)
    elif target.entry is not None:
        show_entries(screen, trace, target.entry)
        sent_before(screen, trace.start.input)
    elif target.rule is not None:
        rule(screen, trace, target.rule)
    elif target.piece is not None:
        pieces(screen, pieces_named(trace, target.piece))
    else:
        screen.line(("every message and what became of it; --key says more of one", "dim"))
        outcomes(screen, trace)
        estimate(screen, trace)
    return 0


def _data(trace: Trace, target: ExplainTarget) -> list[dict[str, Any]]:
    if target.words is not None:
        return explain_json.of_words(trace.where(target.words))
    if target.key is not None:
        return explain_json.of_key(trace, target.key)
    if target.entry is not None:
        return explain_json.of_entry(trace, target.entry)
    if target.piece is not None:
        return explain_json.of_pieces(trace, target.piece)
    return explain_json.of_everything(trace) if target.rule is None else explain_json.of_rule(trace, target.rule)


def lives(screen: Screen, trace: Trace, name: str) -> None:
    """The life of every message that the name means; raises CtxlabError when no step had one."""
    for number, key in enumerate(keys_for(trace, name)):
        found = trace.why(key)
        if number:
            screen.blank()
        life(screen, trace, found)


def show_entries(screen: Screen, trace: Trace, name: str) -> None:
    """The decision on every lore entry that the name means; raises CtxlabError when there is none."""
    for number, decision in enumerate(entries_named(trace.result, name)):
        if number:
            screen.blank()
        entry(screen, trace, decision)


def find_words(screen: Screen, trace: Trace, words: str) -> int:
    """Every place of the words, or that there is none and where to look instead."""
    found = trace.where(words)
    if found:
        places(screen, trace, words, found)
        return 0
    screen.line(f"“{harmless(words)}” is in the text of no message: not sent, not dropped, not replaced")
    screen.line((f"  {_where_else(trace, words)}", "dim"), hang=2)
    return NOT_FOUND


def _where_else(trace: Trace, words: str) -> str:
    """A hint where words that weren't found are: beside a text, in other case, or on another branch of the tree."""
    if not words:
        return "give the words to look for"
    drafts = (*trace.result.drafts, *(draft for group in trace.result.dropped for draft in group.drafts))
    for draft in drafts:
        for what, beside in _beside(draft):
            if words in beside:
                return f"it is in {what} of {short_key(draft.key)}"
    for draft in drafts:
        text = str(draft.text)
        at = text.casefold().find(words.casefold())
        if at >= 0 and len(text) == len(text.casefold()):
            return f"with other capitals: “{harmless(text[at : at + len(words)])}” in {short_key(draft.key)}"
    build_input = trace.start.input
    on_path = {node.id for node in build_input.session.path(build_input.leaf_id)}
    for node in build_input.session.nodes.values():
        if words in node.content and node.id in on_path:
            return f"it is stored in {harmless(node.id)} on this path, but in no text that a step made of it"
        if words in node.content:
            return f"it is on another branch, in {harmless(node.id)}: --leaf {harmless(node.id)} builds for it"
    return "shorter words may find it; text is compared exactly, line breaks included"


def _beside(draft: Draft) -> Iterator[tuple[str, str]]:
    """Texts of a message outside its body: reasoning, calls, names of files."""
    yield "the reasoning", draft.reasoning or ""
    for call in draft.calls:
        yield f"the call {harmless(call.name)}", f"{call.name} {call.arguments}"
    for file in draft.assets:
        yield "a file's name", file.name
