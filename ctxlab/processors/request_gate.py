"""The last look before a vendor's request is made: empty replies go, tool pairs are mended, no prompt is empty."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from pydantic import Field

from ctxlab.context import Cause, Context, Draft, Dropped
from ctxlab.context.step_report import Row, report_html
from ctxlab.context.tool_pairs import ORPHAN_RESULT, SILENT_CALL, with_sendable_pairs
from ctxlab.display.short_texts import counted, first_of
from ctxlab.documents.session.replay_artifacts import ReplayArtifact
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import NothingToSend, Processor, ProcessorSettings, Services, StartsWithToolResult

ID = "request-gate"
EMPTY_REPLY = Cause(ID, "empty-reply", "the assistant's message has no words, calls or files")
WORDLESS = Cause(ID, "empty", "there is not a single character in it")
ONLY_THOUGHTS = Cause(ID, "only-thoughts", "the assistant's message has thoughts and nothing that follows them")
SYSTEM_FIRST = Cause(ID, "system-first", "system messages before the history go in front")
HISTORY = frozenset({"node", "summary", "pending"})
"""Kinds of origin of the messages of a conversation."""


@dataclass(frozen=True, slots=True, eq=False)
class MessagesAfter:
    """The number of messages as they came and after each part of the gate, in order; `changed` of them are other."""

    name = ID
    counts: tuple[tuple[str, int], ...]
    changed: int

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        """One row for each part of the gate: `after` what, and the `messages` there are then."""
        return [{"after": part, "messages": messages} for part, messages in self.counts]

    def summary(self) -> str:
        """`2 messages dropped, 1 changed`; empty where the gate did nothing."""
        dropped = self.counts[0][1] - self.counts[-1][1]
        words = [f"{counted(dropped, 'message')} dropped"] if dropped else []
        changed = f"{self.changed:,} changed" if dropped else f"{counted(self.changed, 'message')} changed"
        return ", ".join([*words, *([changed] if self.changed else [])])


class RequestGate(Processor):
    """Make a prompt that vendors take: no empty replies, whole tool pairs, system messages in front."""

    id = ID
    name = "Request gate"
    description = (
        "Drops empty replies, mends tool calls and their results, puts system messages before the history in front, "
        "and refuses a prompt without a message."
    )
    priority = 950
    is_core = True
    needs = ("history",)

    class Settings(ProcessorSettings):
        drop_empty: bool = Field(
            True, title="Drop empty replies", description="Leave out assistant messages without words, calls and files."
        )
        drop_wordless: bool = Field(
            False,
            title="Drop empty messages",
            description="Leave out messages of any role without a single character, calls and files; blanks are sent.",
        )
        repair_pairs: bool = Field(
            True,
            title="Repair tool pairs",
            description="Mend calls and results that stand alone or out of order, or have repeated or missing ids.",
        )
        system_first: bool = Field(
            True,
            title="System first",
            description="Put system messages that stand before the history and its examples in front of the others.",
        )

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        start = ctx
        counts = [("received", len(ctx.drafts))]
        if self.settings.drop_empty:
            ctx = without_empty_replies(ctx)
        if self.settings.drop_wordless:
            ctx = ctx.drop([draft.key for draft in ctx.drafts if draft.is_wordless], WORDLESS)
        counts.append(("empty replies dropped", len(ctx.drafts)))
        if self.settings.repair_pairs:
            ctx = with_sendable_pairs(ctx, ID, services.tokenizer.count, start=start)
        counts.append(("tool pairs repaired", len(ctx.drafts)))
        if self.settings.system_first:
            ctx = with_system_first(ctx, start=start)
        counts.append(("system messages in front", len(ctx.drafts)))
        check_messages(ctx)
        counts.append(("validated", len(ctx.drafts)))
        known = set(map(id, start.drafts))
        changed = sum(id(draft) not in known for draft in ctx.drafts)
        return _noted(ctx).put(MessagesAfter(tuple(counts), changed))


# --- empty replies


def without_empty_replies(ctx: Context) -> Context:
    """Without assistant messages that have no words, calls and files.

    Blocks that a vendor wants back, such as its own searches, are content. Thoughts are none where no reply of the
    assistant follows them: a vendor refuses a turn that ends in them.
    """
    gone: dict[Cause, list[Draft]] = {}
    reply_follows = False
    for draft in reversed(ctx.drafts):
        cause = _why_empty(draft, reply_follows=reply_follows)
        if cause is None:
            reply_follows = draft.role == "assistant"
        else:
            gone.setdefault(cause, []).append(draft)
    if not gone:
        return ctx
    out = {id(draft) for drafts in gone.values() for draft in drafts}
    groups = [Dropped(tuple(reversed(drafts)), cause) for cause, drafts in gone.items()]
    return ctx.arrange([draft for draft in ctx.drafts if id(draft) not in out], dropped=groups)


def _why_empty(draft: Draft, *, reply_follows: bool) -> Cause | None:
    if draft.role != "assistant" or draft.calls or str(draft.text).strip() or draft.assets:
        return None
    artifacts = draft.replayed
    if not artifacts:
        return EMPTY_REPLY
    if reply_follows or not all(artifact.is_reasoning for artifact in artifacts):
        return None
    return ONLY_THOUGHTS


# --- system messages


def with_system_first(ctx: Context, *, start: Context | None = None) -> Context:
    """System messages that stand before the history, in front of the others there.

    Those that were put at a depth or beside an anchor stay, and so do those behind the first reply of the assistant,
    which are parts of examples. `start` is the context before the step.
    """
    end = next((i for i, draft in enumerate(ctx.drafts) if _ends_the_head(draft)), len(ctx.drafts))
    head = ctx.drafts[:end]
    first_other = next((i for i, draft in enumerate(head) if draft.role != "system"), end)
    late = [draft for draft in head[first_other:] if _may_move(draft)]
    if not late:
        return ctx
    place = {draft.key: i for i, draft in enumerate((start or ctx).drafts)}
    moved = [draft.moved(place[draft.key], SYSTEM_FIRST) for draft in late]
    out = set(map(id, late))
    rest = [draft for draft in ctx.drafts[first_other:] if id(draft) not in out]
    return ctx.arrange([*ctx.drafts[:first_other], *moved, *rest])


def _ends_the_head(draft: Draft) -> bool:
    return draft.role in ("assistant", "tool") or any(part.origin.kind in HISTORY for part in draft.parts)


def _may_move(draft: Draft) -> bool:
    where = draft.placement
    return draft.role == "system" and (where is None or where.kind == "skeleton")


# --- validation


def check_messages(ctx: Context) -> None:
    """Raises NothingToSend where a conversation's messages were all left out, and StartsWithToolResult.

    A conversation that has no message yet can be looked at: a note says that there is nothing to send.
    """
    left_out = [group for group in ctx.dropped if any(draft.origin.kind in HISTORY for draft in group.drafts)]
    if not ctx.drafts and left_out:
        raise NothingToSend(_nothing(ctx, left_out), processor=ID)
    at = next((i for i, draft in enumerate(ctx.drafts) if draft.role != "system"), None)
    if at is None or ctx.drafts[at].role != "tool":
        return
    first = ctx.drafts[at]
    if not any(call.id == first.result_of for draft in ctx.drafts[:at] for call in draft.calls):  # of a summary's, too
        raise StartsWithToolResult(
            f"{first.key} comes first and is the result of a tool call ({first.result_of!r}) that no message before "
            f"it asks for; set {ID}.repair_pairs to true",
            processor=ID,
        )


def _nothing(ctx: Context, left_out: Sequence[Dropped]) -> str:
    """Why nothing is left, by the steps that left messages out, and what to do."""
    groups = sorted(left_out, key=lambda group: -len(group.drafts))
    causes = [f"{len(group.drafts):,} by {group.cause.processor} ({group.cause.reason})" for group in groups]
    all_of_them = counted(sum(len(group.drafts) for group in groups), "message")
    return (
        f"no message is left to send: {all_of_them} on the path to {ctx.input.leaf_id!r} left out, "
        f"{first_of(causes, most=3)}; give the user's words as pending=, or add a message with words"
    )


# --- notes


def _noted(ctx: Context) -> Context:
    """With a note for what was left out of tool pairs, by whichever step, and for what a vendor takes otherwise."""
    if not ctx.drafts:
        ctx = _told(ctx, "the conversation has no message yet, so there is nothing to send")
    unsigned = [draft.key for draft in ctx.drafts if (own := draft.replayed) and any(map(_is_unsigned, own))]
    calling = [draft for draft in ctx.drafts if draft.calls]
    strange = [draft.key for draft in calling if not all(_is_object(call.arguments) for call in draft.calls)]
    for keys, words in (
        (_dropped_by(ctx, ORPHAN_RESULT[0]), "not sent, for no call asks for the result"),
        (_dropped_by(ctx, SILENT_CALL[0]), "not sent, for no result answers the call"),
        (strange, "with arguments of a call that are no JSON object, sent as they are where the vendor takes text"),
        (unsigned, "with thoughts that have no signature, which the vendor doesn't take back"),
    ):
        if keys:
            text = f"{counted(len(keys), 'message')} {words}: {first_of(keys)}"
            ctx = _told(ctx, text, keys=keys)
    return ctx


def _told(ctx: Context, text: str, **details: list[str]) -> Context:
    """With a warning, unless a gate before this one gave the same."""
    known = any(note.processor == ID and note.text == text for note in ctx.notes)
    return ctx if known else ctx.note("warning", text, processor=ID, **details)


def _dropped_by(ctx: Context, rule: str) -> list[str]:
    return [draft.key for group in ctx.dropped if group.cause.rule == rule for draft in group.drafts]


def _is_object(arguments: str) -> bool:
    """Whether a call's arguments are an object in JSON, or nothing at all, which means none."""
    if not arguments.strip():
        return True
    try:
        return isinstance(orjson.loads(arguments), dict)
    except orjson.JSONDecodeError:
        return False


def _is_unsigned(artifact: ReplayArtifact) -> bool:
    """Whether these are thoughts of Anthropic's without a signature; the thoughts may be empty, the signature not."""
    signature = artifact.item.get("signature")
    has_one = isinstance(signature, str) and bool(signature.strip())
    return artifact.wire == "anthropic" and artifact.item.get("type") == "thinking" and not has_one
