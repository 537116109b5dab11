"""The prefix of ctxlab's own builds, turn by turn, in the words of the report on recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Draft
from ctxlab.context.equal_stretch import equal_after
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import fields_table, heading, html_table
from ctxlab.display.short_texts import counted, short
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models.template_source import TemplateSource
from ctxlab.pipeline import Trace
from ctxlab.pipeline.shared_beginning import common_prefix_tokens
from ctxlab.prompt import PromptPart
from ctxlab.providers.cost import price_of
from ctxlab.providers.models import name_of, vendor_of
from ctxlab.recordings.prefix.request_prefix import AROUND, CauseKind, PrefixCause, PrefixState
from ctxlab.rendering.server import LocalServer
from ctxlab.secrets import masked_stretch
from ctxlab.studies.prefix_blame import TOOLS, PrefixBlame, prefix_blame
from ctxlab.wires import PROVIDERS

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.recordings.prefix.after_template import TokenPrefix

COLUMNS = (
    "turn",
    "node",
    "state",
    "common_tokens",
    "total_tokens",
    "cause",
    "step",
    "reason",
    "sentence",
    "lost_tokens",
    "cost_usd",
    "read_again_tokens",
    "seconds",
)
OF_ORIGIN: dict[str, CauseKind] = {"preset": "preset", "lore": "lore", "summary": "summary", "notice": "reminder"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TurnPrefix:
    """A build and the beginning that its prompt has in common with the build before; fields as in RequestPrefix.

    `cause` has the step of the pipeline that is to blame, and why it wrote; of a template its line. Where a model was
    given, tokens are its own, behind its template; `read_again_tokens` are those that its server reads of the prompt,
    and `seconds` the time that takes, None where they aren't known.
    """

    trace: Trace
    before: Trace | None
    number: int
    common_tokens: int
    total_tokens: int
    state: PrefixState
    cause: PrefixCause | None = None
    lost_tokens: int = 0
    cost_usd: float | None = None
    read_again_tokens: int | None = None
    seconds: float | None = None

    def row(self) -> dict[str, Any]:
        """The build as a row of a table."""
        cause = self.cause
        return {
            "turn": self.number,
            "node": self.trace.start.input.leaf_id,
            "state": self.state,
            "common_tokens": self.common_tokens,
            "total_tokens": self.total_tokens,
            "cause": cause.kind if cause is not None else None,
            "step": cause.step if cause is not None else None,
            "reason": cause.reason if cause is not None else None,
            "sentence": cause.sentence if cause is not None else None,
            "lost_tokens": self.lost_tokens,
            "cost_usd": self.cost_usd,
            "read_again_tokens": self.read_again_tokens,
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        begins = f"{self.common_tokens:,} of {counted(self.total_tokens, 'token')}"
        step = f", {self.cause.kind} by {self.cause.step or 'no step'}" if self.cause is not None else ""
        return f"TurnPrefix({self.number}, {self.state!r}, {begins}{step})"

    def _repr_html_(self) -> str:
        return heading(self) + fields_table(self.row())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TurnPrefixes:
    """For each build in a row how much of its prompt begins as the one before, and which step broke the rest."""

    turns: tuple[TurnPrefix, ...]

    def __len__(self) -> int:
        return len(self.turns)

    def __iter__(self) -> Iterator[TurnPrefix]:
        return iter(self.turns)

    @property
    def breaks(self) -> tuple[TurnPrefix, ...]:
        """The builds whose prompt doesn't begin with the one before."""
        return tuple(each for each in self.turns if each.state == "cut")

    @property
    def lost_tokens(self) -> int:
        """Tokens that were sent again behind all breaks."""
        return sum(each.lost_tokens for each in self.turns)

    @property
    def read_again_tokens(self) -> int | None:
        """Tokens that a server reads of all prompts; None without a model, and where it refuses one."""
        found = [each.read_again_tokens for each in self.turns]
        return None if None in found else sum(each or 0 for each in found)

    @property
    def cost_usd(self) -> float | None:
        """The price of all breaks; None where that of one isn't known."""
        prices = [each.cost_usd for each in self.breaks]
        return None if any(price is None for price in prices) else sum(price or 0.0 for price in prices)

    def by_step(self) -> pd.DataFrame:
        """One row for each step and kind of cause: how often it broke the prefix, and the tokens lost by it."""
        times, lost = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for each in self.breaks:
            if each.cause is not None:
                times[each.cause.step, each.cause.kind] += 1
                lost[each.cause.step, each.cause.kind] += each.lost_tokens
        rows = (
            {"step": step, "cause": kind, "breaks": times[step, kind], "lost_tokens": tokens}
            for (step, kind), tokens in lost.most_common()
        )
        return frame_of(rows, ("step", "cause", "breaks", "lost_tokens"))

    def frame(self) -> pd.DataFrame:
        """One row a build, in order: its state, tokens in common, and the step and the rule that broke the rest."""
        return frame_of((each.row() for each in self.turns), COLUMNS)

    def __repr__(self) -> str:
        parts = [counted(len(self.turns), "turn"), counted(len(self.breaks), "break")]
        parts += [f"{self.lost_tokens:,} tokens sent again"] if self.lost_tokens else []
        return f"TurnPrefixes({', '.join(parts)})"

    def _repr_html_(self) -> str:
        rows = ([value for name, value in each.row().items() if name != "reason"] for each in self.turns)
        return heading(self) + html_table([name for name in COLUMNS if name != "reason"], rows, of="turns")


@checked_arguments
def prefix(
    traces: Sequence[Trace],
    *,
    model: TemplateSource | None = None,
    server: LocalServer | None = None,
    engine: Literal["transformers", "llama.cpp"] | None = None,
    variables: Mapping[str, Any] | None = None,
    tokens_per_second: float | None = None,
) -> TurnPrefixes:
    """For each of several builds in a row how much begins as the one before, and the step and rule that broke the rest.

    `traces` are finished runs in the order in which they are sent, such as `[ctxlab.build(session, leaf=leaf) for leaf
    in turns]`. Tokens are those of the runs' tokenizer; prices are of the run's model, None where none is known.

    With `model`, a model of one's own, tokens are those of the text that its template makes; what the template writes
    otherwise is a cause of its own, with its line; `variables` are what the template gets besides. `server`
    (`ctxlab.local_server`) says which tokens are read again, without one those behind the common beginning; with
    `tokens_per_second` each turn has its seconds.

    Raises WrongArgument for a server, an engine or a rate without a model; TemplateRefused where the template refuses a
    build.
    """
    if model is None:
        named = next(
            (n for n, v in (("server", server), ("engine", engine), ("variables", variables)) if v is not None), None
        )
        if named is not None or tokens_per_second is not None:
            raise WrongArgument(
                f"{named or 'tokens_per_second'} needs model=, whose tokens are read", function="prefix"
            )
    by_step = tuple(_turn(*each) for each in enumerate(zip((None, *traces), traces, strict=False), start=1))
    if model is None:
        return TurnPrefixes(by_step)
    from ctxlab.recordings.prefix.after_template import token_prefixes

    of_model = token_prefixes(traces, model, server=server, engine=engine, variables=variables)
    return TurnPrefixes(
        tuple(_in_tokens(*each, tokens_per_second) for each in zip(by_step, of_model, strict=True)),
    )


def _turn(number: int, pair: tuple[Trace | None, Trace]) -> TurnPrefix:
    old, new = pair
    if old is None:
        return TurnPrefix(new, None, number, 0, new.tokens, "first")
    found = prefix_blame(old, new)
    if found is None:
        return TurnPrefix(new, old, number, common_prefix_tokens(old, new), new.tokens, "whole", cost_usd=0.0)
    common, lost = found.common_tokens, found.lost_tokens
    return TurnPrefix(new, old, number, common, new.tokens, "cut", _cause(found, new), lost, _price(new, common, lost))


def _in_tokens(turn: TurnPrefix, own: TokenPrefix, rate: float | None) -> TurnPrefix:
    """A turn in the tokens of a model; the step is to blame where neither template nor server is."""
    again = own.read_again_tokens
    return replace(
        turn,
        common_tokens=own.common_tokens,
        total_tokens=own.total_tokens,
        state=own.state,
        cause=own.cause or (turn.cause if own.state == "cut" else None),
        lost_tokens=own.lost_tokens,
        cost_usd=None,
        read_again_tokens=again,
        seconds=again / rate if again is not None and rate else None,
    )


def _price(trace: Trace, common: int, lost: int) -> float | None:
    name = name_of(trace.start.input.model)
    vendor = PROVIDERS.get(vendor_of(name) or "")
    now, could = (price_of(name, vendor, trace.tokens, cached, 0) for cached in (common, common + lost))
    return max(0.0, now[0] - could[0]) if now is not None and could is not None else None


def _cause(blame: PrefixBlame, trace: Trace) -> PrefixCause:
    found = blame.found
    if found.key == TOOLS and blame.after is None:
        return PrefixCause("tools", "The tools are others than in the turn before.", reason=found.reason)
    before, after = (_part(draft, trace) for draft in (blame.before, blame.after))
    a, b = (part.text if part is not None else "" for part in (before, after))
    at = equal_after(a, b)
    by = f" (step {found.step!r})" if found.step else ""
    sentence = f"Message {blame.at + 1} isn't what it was; of {short(found.key, 60)!r}: {found.reason}{by}."
    around = [masked_stretch(text, max(0, at - AROUND), at + AROUND) for text in (a, b)]
    return PrefixCause(_kind(blame), sentence, before, after, at, *around, step=found.step, reason=found.reason)


def _kind(blame: PrefixBlame) -> CauseKind:
    """The kind of thing that is to blame, by where the message of the break comes from."""
    before, after = blame.before, blame.after
    own = next((d for d in (after, before) if d is not None and d.key == blame.found.key), after)
    if own is not None and own.origin.kind in OF_ORIGIN:
        return OF_ORIGIN[own.origin.kind]
    if before is not None and after is not None and before.key != after.key:
        return "left out" if own is before else "reordered" if blame.found.reason.startswith("it stands ") else "edited"
    return "edited"


def _part(draft: Draft | None, trace: Trace) -> PromptPart | None:
    """A message of a build as a stretch of a prompt."""
    if draft is None:
        return None
    source = "system" if draft.role == "system" else "history"
    return PromptPart(source, str(draft.text), trace.services.tokenizer.count_draft(draft), draft.key, 0, draft.role)
