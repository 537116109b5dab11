"""A step that hides long numbers, such as those of phones and accounts, before anything is sent."""

import re

from pydantic import Field

from ctxlab import Cause, Context, Processor, ProcessorSettings, Services, Text


class HideNumbers(Processor):
    """Replaces long numbers in the messages of the user by a word."""

    id = "hide-numbers"
    name = "Hide numbers"
    description = "Replaces long numbers in the user's messages."
    priority = 350  # before the token limiter, which counts what is sent

    class Settings(ProcessorSettings):
        digits: int = Field(6, ge=1, title="Digits", description="Numbers with as many digits or more are hidden.")
        word: str = Field("[number]", title="Word", description="Stands in place of a number.")

    def __call__(self, ctx: Context, services: Services) -> Context:
        pattern = re.compile(rf"\d{{{self.settings.digits},}}")
        cause = Cause(self.id, "long-number", f"has {self.settings.digits} digits or more")
        word = self.settings.word

        def hidden(text: Text) -> Text:
            return text.sub(pattern, lambda match: word, cause=cause)

        return ctx.edit(lambda draft: draft.edit_text(hidden) if draft.role == "user" else draft)
