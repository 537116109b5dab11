"""The parts of a run as rules look at them: those of its prompt, with its own sources and its own tokenizer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ctxlab.documents import MessageNode
from ctxlab.pipeline import Trace
from ctxlab.prompt import PromptPart
from ctxlab.recordings.parts import ContextParts
from ctxlab.recordings.parts.stretches import stretches_of
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.recording import Recording


class PartsOfRun(ContextParts):
    """The parts of a run's prompt by message; what a program put into the words of a user stands apart."""

    def __init__(self, recording: Recording, trace: Trace) -> None:
        super().__init__(recording.tree, trace.services.tokenizer)
        self._trace_tokens = trace.tokens
        self._messages = {message.key: message for message in trace.prompt.messages}

    def tokens(self, request: RecordedRequest) -> int:
        """All tokens of the run's request, with what the wire format adds."""
        return self._trace_tokens

    def _node_parts(self, node: MessageNode) -> Iterator[PromptPart]:
        for part in self._messages[node.id].parts if node.id in self._messages else ():
            own = part if part.key == node.id else replace(part, key=node.id)
            if own.source == "history" and own.role == "user" and own.start is not None:
                yield from self._of_user(own, own.start)
            else:
                yield own

    def _of_user(self, part: PromptPart, start: int) -> Iterator[PromptPart]:
        found = [*stretches_of(part.text)]
        if len(found) < 2:
            yield replace(part, source=found[0].source, name=found[0].tag) if found else part
            return
        for each in found:
            words = part.text[each.start : each.end]
            tokens = self.tokenizer.count(words)
            yield replace(part, source=each.source, text=words, tokens=tokens, start=start + each.start, name=each.tag)
