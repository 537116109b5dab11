"""Ways in which a reply goes on from a text that is there: a marked prefix, the beginning of the reply, or asking."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from ctxlab.context import Cause, Context, Draft, Edit, Pending, Text
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Processor, Services
from ctxlab.providers.payload import Payload

ID = "prefill"
Way = Literal["native_prefix", "trailing_assistant", "instruct"]
AT_THE_END: Final = Cause(ID, "at-the-end", "the model goes on from the last message, so the begun reply is the last")
NO_BLANKS: Final = Cause(ID, "blanks", "the beginning of a reply can't end with white space")
GO_ON: Final = (
    "[Go on with your last message from the very place where it ends. Write only what comes next, without repeating "
    "any of it and without a word about it.]"
)
GO_ON_CHINESE: Final = "[请从你上一条消息结束的地方继续写下去。只写后续内容，不要重复已有的文字，也不要作任何说明。]"


@dataclass(frozen=True, slots=True, eq=False)
class PrefillPlan:
    """The way in which a reply goes on from `prefix`, and why; `sent` is the prefix as the model gets it.

    `native_prefix` marks the begun reply, `trailing_assistant` ends the request with it, `instruct` asks in a message
    of the user that isn't kept.
    """

    way: Way
    prefix: str
    sent: str
    reason: str
    steps: tuple[Processor, ...] = ()
    pending: Pending | None = None

    def __repr__(self) -> str:
        return f"PrefillPlan({self.way!r}, {self.reason!r})"


def prefill_plan(node_id: str, prefix: str, request: Payload | None) -> PrefillPlan:
    """The way in which the reply of a node goes on from its text.

    `request` shows the provider, the model and its parameters; without one the model is a function of one's own.
    """
    way, reason = ("instruct", "a function may be any model") if request is None else _way(request)
    if way == "instruct":
        return PrefillPlan(way, prefix, prefix, reason, pending=Pending(asking_to_go_on(prefix)))
    blanks_go = request is not None and request.provider.wire == "anthropic"
    sent = prefix.rstrip() if blanks_go else prefix
    return PrefillPlan(way, prefix, sent, reason, steps=(BegunReplyLast(node_id, without_blanks=blanks_go),))


def asking_to_go_on(prefix: str) -> str:
    """The words that ask a model to go on, in Chinese where the text so far is."""
    return GO_ON_CHINESE if is_chinese(prefix) else GO_ON


def is_chinese(text: str) -> bool:
    """Whether a good part of the letters of a text are Chinese characters and none are kana."""
    letters = [c for c in text[-2000:] if c.isalpha()]
    chinese = sum("\u4e00" <= c <= "\u9fff" for c in letters)
    kana = any("\u3040" <= c <= "\u30ff" for c in letters)
    return not kana and 3 * chinese >= len(letters) > 0


def _way(request: Payload) -> tuple[Way, str]:
    title, name, wire = request.provider.title, request.model.name, request.provider.wire
    if request.provider.name == "deepseek":
        return "native_prefix", f"{title} takes a marked prefix"
    if wire == "gemini":
        return "trailing_assistant", f"{title} goes on from a last message of the model"
    if wire == "anthropic":
        reason = _why_not_claude(request)
        if reason is None:
            return "trailing_assistant", f"{name} takes the beginning of its reply"
        return "instruct", reason
    return "instruct", f"{title} answers after the last message and doesn't go on from it"


def _why_not_claude(request: Payload) -> str | None:
    from ctxlab.providers.openai_chat.parameters import is_thinking

    if request.model.prefill is not True:
        known = "takes no beginning of its reply" if request.model.prefill is False else "isn't known to take one"
        return f"{request.model.name} {known}"
    if is_thinking(request.parameters, request.model):
        return "a model that thinks takes no beginning of its reply"
    return "a reply by a schema has no beginning" if request.parameters.response_format is not None else None


class BegunReplyLast(Processor):
    """Put the begun reply last, whatever was injected behind it."""

    id = ID
    name = "Begun reply last"
    description = "Puts the reply that is to go on at the end of the messages."
    priority = 940
    needs = ("history",)

    def __init__(self, node_id: str, *, without_blanks: bool = False) -> None:
        super().__init__()
        self._key = f"node:{node_id}"
        self._without_blanks = without_blanks

    def __call__(self, ctx: Context, services: Services) -> Context:
        at = next((n for n, draft in enumerate(ctx.drafts) if self._is_it(draft)), None)
        if at is None:
            return ctx
        draft = ctx.drafts[at]
        changed = self._trimmed(draft) if self._without_blanks else draft
        if at == len(ctx.drafts) - 1:
            return ctx if changed is draft else ctx.arrange((*ctx.drafts[:-1], changed))
        return ctx.arrange((*ctx.drafts[:at], *ctx.drafts[at + 1 :], changed.moved(at, AT_THE_END)))

    def _is_it(self, draft: Draft) -> bool:
        return draft.role == "assistant" and any(part.key == self._key for part in draft.parts)

    def _trimmed(self, draft: Draft) -> Draft:
        last = draft.body[-1] if draft.body else None
        if not isinstance(last, Text):
            return draft
        words = str(last)
        kept = len(words.rstrip())
        if kept == len(words):
            return draft
        cut = last.splice([Edit(kept, len(words), "", NO_BLANKS)])
        return replace(draft, body=(*draft.body[:-1], cut))
