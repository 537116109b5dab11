"""Users' find and replace on the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pydantic import Field

from ctxlab.context import AssetRef, BuildInput, Context, Draft, Text
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.regexes.apply_plans import Applied, TextHit, apply, cause_of, excerpt
from ctxlab.engines.regexes.replace import Plan
from ctxlab.engines.regexes.report import RuleHit, RuleHits
from ctxlab.engines.regexes.rule_notes import rule_notes
from ctxlab.engines.regexes.rule_selection import BoundRule, Ruleset, sources_of
from ctxlab.engines.regexes.work_limits import Limits
from ctxlab.pipeline import Processor, ProcessorSettings, Services
from ctxlab.processors.macro_engine import MACRO_ENGINE, MacroEngine

ID = "regex-processor"

Place = tuple[int, int]
"""A draft, and a part of its body."""


class RegexProcessor(Processor):
    """Rewrite messages by the rules that are in force for each.

    Leaves RuleHits, one hit per rule and message that it changed: `trace.table("regex-processor")`.
    """

    id = ID
    name = "Regex rules"
    description = "Finds and replaces in the conversation, by the rules of everyone, the agent and the user."
    priority = 200
    aliases = ("primary:regex-processor",)
    needs = ("history",)

    class Settings(ProcessorSettings):
        max_backtracks: int = Field(
            50_000_000,
            ge=1_000,
            le=1_000_000_000,
            title="Most backtracks",
            description="Backtracks that a rule may need in one text; 50 more for each character of the text.",
        )
        timeout_seconds: float = Field(
            20.0,
            gt=0,
            le=600,
            title="Time limit of last resort",
            description="Seconds of CPU time that a rule may take for one text, for work that can't be counted.",
        )
        compat: Literal["ctxlab", "reference", "sillytavern-1.19"] = Field(
            "ctxlab",
            title="Compatibility",
            description="reference: no macros, no trim strings, a rule's flags before those in /body/flags, "
            "and only the first text of a message. sillytavern-1.19: narration is a reply, rules for the system are "
            "none for messages, what changes messages when they come doesn't run again, `$3` of two groups is a place.",
        )

        macro_engine: MacroEngine = MACRO_ENGINE

        @property
        def limits(self) -> Limits:
            return Limits(self.max_backtracks, self.timeout_seconds)

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        ruleset = self.ruleset(ctx.input)
        newest = len(ctx.drafts) - 1
        if self.settings.compat == "sillytavern-1.19":
            newest -= ctx.input.turn == "continue"  # the message that is continued isn't counted there
            ctx = self._with_reasoning(ctx, newest, ruleset)
        drafts = ctx.drafts if ruleset.may_change else ()
        plans = [self.plan_of(draft, newest - i, ruleset) for i, draft in enumerate(drafts)]
        for problem in dict.fromkeys(ruleset.problems):
            ctx = ctx.note("warning", problem, processor=ID)
        notes = tuple(rule_notes(sources_of(ctx.input.rules, ctx.input.agent, ctx.input.user), ID))
        ctx = ctx.noted(notes) if notes else ctx
        places, applied = self.apply_plans(ctx, drafts, plans, ruleset)
        if not places:
            return ctx
        ctx = ctx.noted(applied.notes(ruleset.bound, ID))
        if not applied.hits:
            return ctx
        hits = [_hit(hit, ctx.drafts[places[hit.text][0]].key, ruleset.bound[hit.rule]) for hit in applied.hits]
        return ctx.arrange(rewritten(ctx.drafts, places, applied)).put(RuleHits(tuple(hits)))

    def _with_reasoning(self, ctx: Context, newest: int, ruleset: Ruleset) -> Context:
        """With the reasoning that is kept rewritten by the rules for it."""
        drafts = [(i, draft) for i, draft in enumerate(ctx.drafts) if draft.reasoning]
        plans = [
            ruleset.of_reasoning(
                depth=newest - i, agent_id=draft.meta.get("agentId"), user_id=draft.meta.get("userProfileId")
            )
            for i, draft in drafts
        ]
        if not any(plans):
            return ctx
        texts = [Text.of(draft.reasoning or "", draft.origin) for _, draft in drafts]
        applied = self._applied(ctx, texts, plans, ruleset)
        out = list(ctx.drafts)
        for hit in applied.hits:
            place = drafts[hit.text][0]
            out[place] = out[place].changed(cause_of(ruleset.bound[hit.rule], ID), reasoning=str(hit.after) or None)
        return ctx.arrange(out) if applied.hits else ctx

    def ruleset(self, build_input: BuildInput) -> Ruleset:
        """The rules of a request."""
        return Ruleset(build_input, stage="request", skips_arrivals=self.settings.compat == "sillytavern-1.19")

    def plan_of(self, draft: Draft, depth: int, ruleset: Ruleset) -> Plan:
        """The rules for a draft; what a message doesn't say of its writers is the request's."""
        agent_id, user_id = draft.meta.get("agentId"), draft.meta.get("userProfileId")
        is_narration = self.settings.compat == "sillytavern-1.19" and draft.role == "system"
        role = "assistant" if is_narration else draft.role
        plan = ruleset.plan(role=role, depth=depth, agent_id=agent_id, user_id=user_id)
        if draft.origin.kind != "pending" or not ruleset.skips_arrivals:
            return plan
        return (*ruleset.arrivals(role=role, agent_id=agent_id, user_id=user_id), *plan)

    def apply_plans(
        self, ctx: Context, drafts: Sequence[Draft], plans: Sequence[Plan], ruleset: Ruleset
    ) -> tuple[list[Place], Applied]:
        """The texts that `plans[i]` is for in `drafts[i]`, and what the rules made of them."""
        places = [place for i, draft in enumerate(drafts) if plans[i] for place in self._texts(i, draft)]
        if not places:
            return places, Applied((), (), {}, {})
        texts = [_text_at(drafts, place) for place in places]
        return places, self._applied(ctx, texts, [plans[place[0]] for place in places], ruleset)

    def _applied(self, ctx: Context, texts: Sequence[Text], plans: Sequence[Plan], ruleset: Ruleset) -> Applied:
        return apply(
            texts,
            plans,
            ruleset.bound,
            MacroEnv.of(ctx.input, dice=ctx.dice, engine=self.settings.macro_engine).with_variables(ctx.variables),
            stage="request",
            processor=ID,
            compat=self.settings.compat,
            limits=self.settings.limits,
        )

    def _texts(self, index: int, draft: Draft) -> list[Place]:
        found = [(index, part) for part, content in enumerate(draft.body) if isinstance(content, Text)]
        return found[:1] if self.settings.compat == "reference" else found


def _text_at(drafts: Sequence[Draft], place: Place) -> Text:
    part = drafts[place[0]].body[place[1]]
    assert isinstance(part, Text)
    return part


def rewritten(drafts: Sequence[Draft], places: list[Place], applied: Applied) -> list[Draft]:
    """The drafts with the texts that the rules made."""
    changed = {hit.text for hit in applied.hits}
    bodies: dict[int, list[Text | AssetRef]] = {}
    for index in changed:
        draft, part = places[index]
        bodies.setdefault(draft, list(drafts[draft].body))[part] = applied.texts[index]
    return [replace(draft, body=tuple(bodies[i])) if i in bodies else draft for i, draft in enumerate(drafts)]


def _hit(hit: TextHit, key: str, bound: BoundRule) -> RuleHit:
    before, after = excerpt(hit)
    return RuleHit(key, bound, len(hit.changes), before, after)
