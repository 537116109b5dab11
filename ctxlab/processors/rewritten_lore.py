"""Lore that rules rewrite, as SillyTavern's scripts for world info do: after it was scanned, its macros expanded."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.context import Cause, Context, Origin, Text
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.engines.regexes.apply_plans import apply
from ctxlab.engines.regexes.rule_selection import Ruleset
from ctxlab.engines.worldbook import Decision, LoreScan
from ctxlab.processors.macro_engine import MacroEngine

STEP = "worldbook-processor"
AT_DEPTH = "at_depth"


def rewritten_lore(scan: LoreScan, ctx: Context, engine: MacroEngine = "seed") -> Mapping[str, Text]:
    """By key, the texts of those entries that fired and that rules for the system's role change.

    A rule for some depths asks where the entry is to stand; one that stands at no depth is for all of them.
    """
    ruleset = Ruleset(ctx.input, stage="request", skips_arrivals=True)
    plans = [ruleset.plan(role="system", depth=_depth(decision)) for decision in scan.fired]
    due = [(decision, plan) for decision, plan in zip(scan.fired, plans, strict=True) if plan]
    if not due:
        return {}
    env = MacroEnv.of(ctx.input, dice=ctx.dice, engine=engine).with_variables(ctx.variables)
    texts = [_worded(decision, env) for decision, _ in due]
    plans = [plan for _, plan in due]
    applied = apply(texts, plans, ruleset.bound, env, stage="request", processor=STEP, compat="sillytavern-1.19")
    changed = {hit.text for hit in applied.hits}
    return {due[index][0].key: applied.texts[index] for index in sorted(changed)}


def _depth(decision: Decision) -> int | None:
    entry = decision.lore.entry
    return int(entry.depth) if entry.position_name == AT_DEPTH else None


def _worded(decision: Decision, env: MacroEnv) -> Text:
    lore = decision.lore
    cause = Cause(STEP, decision.title, decision.reason, quotes=True)
    text = Text.of(lore.content, Origin("lore", decision.key.partition(":")[2]), cause)
    if not any(sign in lore.content for sign in ("{{", "<", "\\")):
        return text
    return expand(text, env.at(decision.key).speaking(lore.book.macro_dialect)).text
