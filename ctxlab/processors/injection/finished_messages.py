"""Finish messages whose macros are expanded: places that are one message, forms of lore, words after a reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ctxlab.context import Cause, Draft
from ctxlab.processors.files.report import AttachmentReport
from ctxlab.processors.injection.injection_run import ID, InjectionRun
from ctxlab.processors.injection.macros import Wording
from ctxlab.processors.injection.made_texts import (
    LORE_ALONE,
    end_of_history,
    formed,
    lore_form,
    words_after_reply,
)
from ctxlab.processors.injection.message_words import BLANK
from ctxlab.processors.injection.one_message import Joiner

EMPTY: Final = Cause(ID, "empty", "there is not a single character in it")


class FinishedMessages:
    """Finishes the messages of a run, whose macros `wording` has expanded."""

    def __init__(self, run: InjectionRun, wording: Wording) -> None:
        self.run, self.wording = run, wording

    def finished(self, drafts: list[Draft]) -> list[Draft]:
        """The messages as the step leaves them."""
        return self._with_files(self._joined(drafts))

    def _joined(self, drafts: list[Draft]) -> list[Draft]:
        """With what goes to one place as one message, lore in its form, and the user's words after a reply."""
        settings = self.run.settings
        seats = self.run.places.seats
        if settings.one_message:
            drafts = Joiner(ID, seats).joined(drafts)
            drafts = self._without(drafts, BLANK, lambda each: each.key in seats and not (each.text or each.assets))
        if settings.blank_prompts:
            drafts = self._without(drafts, EMPTY, lambda each: each.placement is None and each.is_wordless)
        if settings.lore_format.strip() and settings.lore_format != LORE_ALONE:
            drafts = [self._in_form(draft) for draft in drafts]
        if settings.after_reply.strip() and not self.run.places.history_is_off and self.run.ctx.input.turn == "normal":
            drafts = self._with_words_after_reply(drafts)
        return drafts

    def _without(self, drafts: list[Draft], cause: Cause, is_empty: Callable[[Draft], bool]) -> list[Draft]:
        """The messages without those that are empty, which are left out with this cause."""
        empty = [draft for draft in drafts if is_empty(draft)]
        if not empty:
            return drafts
        self.run.leave_out(cause, empty)
        return [draft for draft in drafts if not is_empty(draft)]

    def _with_words_after_reply(self, drafts: list[Draft]) -> list[Draft]:
        end = end_of_history(drafts)
        if end == 0 or drafts[end - 1].role != "assistant":
            return drafts
        made = self.wording.expanded(words_after_reply(self.run.settings.after_reply, ID))
        return [*drafts[:end], made, *drafts[end:]]

    def _in_form(self, draft: Draft) -> Draft:
        if draft.placement is None or draft.placement.kind != "lore" or draft.placement.anchor != "char":
            return draft
        return formed(draft, self.wording.of_text(lore_form(self.run.settings.lore_format, ID), draft.key), ID)

    def _with_files(self, drafts: list[Draft]) -> list[Draft]:
        """The presets with their files as the model gets them, as it was decided for those of the history.

        Words of files are data: they come after the macros.
        """
        report = self.run.ctx.report(AttachmentReport)
        if report is None or report.policy is None:
            return drafts
        from ctxlab.processors.files.message_files import MessageFiles

        files = MessageFiles(report.policy, self.run.services, processor=ID)
        out = [files.applied(draft) if draft.placement is not None else draft for draft in drafts]
        if files.rows:
            self.run.ctx = self.run.ctx.put(AttachmentReport((*files.rows, *report.files), report.policy))
            self.run.ctx = self.run.ctx.noted([*files.notes()])
        return out
