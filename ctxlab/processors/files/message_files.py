"""The files of messages as the model gets them: words in their place, files with their routes, and what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ctxlab.assets.descriptions import Language
from ctxlab.context import AssetRef, Cause, Draft, Edit, Origin, Text
from ctxlab.documents import Note
from ctxlab.documents.session.inline_bytes import shown
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.pipeline import Services
from ctxlab.processors.files.outcome import FileOutcome
from ctxlab.processors.files.planner import FilePlanner
from ctxlab.processors.files.policy import FilePolicy
from ctxlab.processors.files.worded import label, tokens_of, worded

PLACEHOLDER = lazy_pattern(r"【file::([^\s】]+)】")
HAN = lazy_pattern(r"[\u3400-\u9fff]")
LATIN = lazy_pattern(r"[A-Za-z]")


class MessageFiles:
    """Decides on the files of messages, one message after another, in the name of one step."""

    def __init__(self, policy: FilePolicy, services: Services, *, processor: str) -> None:
        self.policy, self.services, self.processor = policy, services, processor
        self.planner = FilePlanner(policy, services)
        self.rows: list[Mapping[str, Any]] = []
        self.outcomes: list[FileOutcome] = []
        self.language: Language = "en"

    def see(self, draft: Draft) -> None:
        """Takes note of the language of a message; descriptions in it and after it are in that language."""
        words = str(draft.text)
        if self.policy.language != "auto":
            self.language = self.policy.language
        elif HAN.search(words):
            self.language = "zh"
        elif LATIN.search(words):
            self.language = "en"

    def applied(self, draft: Draft, *, depth: int | None = None) -> Draft:
        """The message with its files as the model gets them; the same object when all of them are decided on."""
        self.see(draft)
        undecided = [asset for asset in draft.assets if asset.route is None]
        if not undecided:
            return draft
        outcomes = [self.planner.outcome(asset, depth=depth, language=self.language) for asset in undecided]
        claimed = _claimed(draft, outcomes)
        body = _joined(self._body(draft, outcomes, claimed))
        cause = Cause(self.processor, "files", "; ".join(dict.fromkeys(each.reason for each in outcomes)))
        after = draft.with_body(body, cause)
        self.rows += [
            each.row(draft.key, tokens_of(each, self.services.tokenizer, self.policy.frames)) for each in outcomes
        ]
        self.outcomes += outcomes
        return after

    def notes(self) -> Iterator[Note]:
        """A note for each thing that is wrong with files, with how many it concerns."""
        found: dict[str, list[str]] = {}
        for outcome in self.outcomes:
            said = outcome.problem
            if outcome.sent_as in ("description", "unknown"):
                said = "; ".join(filter(None, (outcome.reason, said)))
            if said:
                found.setdefault(said, []).append(shown(outcome.asset.name or outcome.asset.id))
        for said, names in found.items():
            named = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            harmless = said.startswith("no model is named")
            yield Note("info" if harmless else "warning", f"{named}: {said}", self.processor, {"files": tuple(names)})

    # --- one message

    def _body(
        self, draft: Draft, outcomes: Sequence[FileOutcome], claimed: Mapping[str, int]
    ) -> Iterator[Text | AssetRef]:
        index = 0
        after_words = False
        for part in draft.body:
            if isinstance(part, Text):
                yield self._placed(part, outcomes, claimed)
                after_words = True
                continue
            if part.route is not None:
                yield part
                after_words = False
                continue
            outcome, index = outcomes[index], index + 1
            if outcome.files:
                yield from outcome.files
                after_words = False
            elif outcome.asset.id not in claimed:
                words = worded(outcome, self.policy.frames, processor=self.processor)
                line = Text.of("\n", Origin("separator", draft.key), words.spans[0].cause)
                yield line + words if after_words else words
                after_words = True

    def _placed(self, text: Text, outcomes: Sequence[FileOutcome], claimed: Mapping[str, int]) -> Text:
        """A text with what its placeholders stand for; those of no file of the message stay."""
        edits: list[Edit] = []
        for found in PLACEHOLDER.finditer(str(text)):
            index = claimed.get(found[1])
            if index is None:
                continue
            outcome = outcomes[index]
            frames, step = self.policy.frames, self.processor
            words = (
                worded(outcome, frames, processor=step)
                if outcome.has_words
                else label(outcome, index + 1, frames, processor=step)
            )
            edits.append(Edit(found.start(), found.end(), words, Cause(step, "placeholder", "a file stands here")))
        return text.splice(edits)


def _claimed(draft: Draft, outcomes: Sequence[FileOutcome]) -> dict[str, int]:
    """By id that a placeholder in the message's own words names, the file's place among those of the message."""
    ids = {found[1] for part in draft.body if isinstance(part, Text) for found in PLACEHOLDER.finditer(str(part))}
    claimed: dict[str, int] = {}
    for index, outcome in enumerate(outcomes):
        if outcome.asset.id in ids:
            claimed.setdefault(outcome.asset.id, index)
    return claimed


def _joined(body: Iterator[Text | AssetRef]) -> list[Text | AssetRef]:
    """The parts in order; texts with no file between them as one."""
    out: list[Text | AssetRef] = []
    for is_text, run in groupby(body, key=lambda part: isinstance(part, Text)):
        parts = list(run)
        if not is_text or len(parts) == 1:
            out += parts
        else:
            out.append(Text([span for part in parts if isinstance(part, Text) for span in part.spans]))
    return out
