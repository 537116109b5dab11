"""Find and replace rules as text: their changes in this run, or everything about one rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ctxlab.cli.output.run_text import short_key
from ctxlab.cli.output.terminal import Screen, harmless, quoted
from ctxlab.context import BuildInput, Context
from ctxlab.display.short_texts import counted, nearest_name
from ctxlab.documents import RegexRule
from ctxlab.engines.regexes.report import RuleHit, RuleHits
from ctxlab.engines.regexes.rule_selection import BoundRule, RuleSource, sources_of, why_idle, why_skipped
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.diff import shown_change
from ctxlab.processors import RegexProcessor
from ctxlab.secrets import masked, masked_stretch

MOST_MESSAGES = 12
LAYERS = {"global": "everywhere", "agent": "the agent's", "user": "the user's"}


def all_hits(screen: Screen, trace: Trace) -> bool:
    """Every rule that changed something, with the messages it changed; False when none did."""
    found = _all_of(trace)
    by_rule: dict[tuple[str, ...], list[RuleHit]] = {}
    for hit in found:
        by_rule.setdefault(_identity(hit.bound), []).append(hit)
    for hits in by_rule.values():
        first = hits[0]
        name = first.rule.shown_name
        screen.line(
            (harmless(name), "strong"),
            (f"  {_whose(first.preset, first.bound.layer, name)}", "dim"),
            f"  {_count(hits)}",
        )
        _hits(screen, hits)
    return bool(found)


def _all_of(trace: Trace) -> tuple[RuleHit, ...]:
    report = trace.result.report(RuleHits)
    return report.hits if report is not None else ()


def rule(screen: Screen, trace: Trace, name: str) -> None:
    """The rules of a name: pattern, replacement, changes by message, and why the others were passed by."""
    for number, bound in enumerate(rules_named(trace.start.input, name)):
        if number:
            screen.blank()
        _head(screen, bound)
        rows = hits_of(trace, bound)
        if rows:
            _hits(screen, rows, most=None)
        lines = list(outcome(trace, bound))
        for line, last in zip(lines, [False] * (len(lines) - 1) + [True], strict=True):
            screen.line(("└─ " if last else "├─ ", "dim"), harmless(line), hang=3)


def rules_named(build_input: BuildInput, name: str) -> list[BoundRule]:
    """The rules that a name or an id means, in force or not; raises CtxlabError, naming what is near."""
    known = list(_known(build_input))
    if not known:
        raise CtxlabError("there are no find and replace rules; --rules takes a file with some")
    wanted = name.strip().casefold()
    found = [bound for bound in known if wanted in (bound.rule.shown_name.casefold(), bound.rule.id.casefold())]
    found = found or [bound for bound in known if wanted == (bound.preset.name or bound.preset.id).casefold()]
    if not found:
        parts = [bound for bound in known if wanted and wanted in bound.rule.shown_name.casefold()]
        found = parts if len(parts) <= MOST_MESSAGES else []
    if not found:
        names = {bound.rule.shown_name: (bound.rule.id, bound.preset.name) for bound in known}
        raise CtxlabError(f"there is no rule {name!r}{nearest_name(name, names)}")
    return found


def _known(build_input: BuildInput) -> Iterator[BoundRule]:
    """Every rule of every layer in file order, with those of other agents and users."""
    sources: list[RuleSource] = [*sources_of(build_input.rules, build_input.agent, build_input.user)]
    others = [*(agent for agent in build_input.agents if agent is not build_input.agent)]
    sources += [RuleSource("agent", agent.regex_config) for agent in others if agent.regex_config is not None]
    sources += [
        RuleSource("user", user.regex_config)
        for user in build_input.users
        if user.regex_config is not None and user is not build_input.user
    ]
    for source in sources:
        for preset in source.config.presets:
            for each in preset.rules:
                yield BoundRule(each, preset, source.layer)


def _head(screen: Screen, bound: BoundRule) -> None:
    rule = bound.rule
    name = rule.shown_name or rule.regex
    whose = _whose(bound.preset.name or bound.preset.id, bound.layer, name)
    screen.line((harmless(name), "strong"), (f"  {whose}", "dim"))
    flags = f" with flags {rule.flags}" if rule.flags else ""
    into = quoted(rule.replacement, 60) if rule.replacement else "nothing"
    screen.line(("│ ", "dim"), f"{harmless(rule.regex)}{harmless(flags)} becomes {into}", hang=2)
    screen.line(("│ ", "dim"), (_meant_for(rule), "dim"), hang=2)


def _meant_for(rule: RegexRule) -> str:
    stages = [name for name, on in (("sent", rule.apply_to.request), ("shown", rule.apply_to.render)) if on]
    span = rule.depth_range
    least, most = (span.min, span.max) if span is not None else (None, None)
    depth = {
        (False, False): "",
        (True, False): f", at depth {least} or deeper",
        (False, True): f", down to depth {most}",
        (True, True): f", at depths {least} to {most}",
    }[least is not None, most is not None]
    where = " and ".join(stages) or "neither sent nor shown"
    return f"for {', '.join(rule.target_roles) or 'no role'}{depth}, in what is {where}"


def hits_of(trace: Trace, bound: BoundRule) -> list[RuleHit]:
    """The hits of one rule: a message each."""
    return [hit for hit in _all_of(trace) if _is_of(hit, bound)]


def outcome(trace: Trace, bound: BoundRule) -> Iterator[str]:
    """The result of a rule: the reason why it didn't run, or the number of messages changed and passed by."""
    idle = "its set is switched off" if not bound.preset.enabled else why_idle(bound.rule, stage="request")
    if idle is not None:
        yield f"it changes nothing that is sent: {idle}"
        return
    left_out = [
        note.text for note in trace.result.notes if note.processor == RegexProcessor.id and _names(note.details, bound)
    ]
    yield from left_out
    step = next((step for step in trace.steps if step.id == RegexProcessor.id), None)
    if step is None:
        yield "it didn't run yet"
    elif not any("is left out" in text for text in left_out):
        rows = hits_of(trace, bound)
        count = f"{counted(sum(hit.hits for hit in rows), 'hit')} in {len(rows):,} of"
        yield f"{count} {counted(len(step.before.drafts), 'message')}" if rows else "it changes no message"
        yield from _passed_by(bound.rule, step.before, {hit.key for hit in rows})


def _passed_by(rule: RegexRule, before: Context, changed: set[str]) -> Iterator[str]:
    reasons: dict[str, int] = {}
    newest = len(before.drafts) - 1
    for i, draft in enumerate(before.drafts):
        if draft.key in changed:
            continue
        why = why_skipped(rule, role=draft.role, depth=None)
        if why is None and why_skipped(rule, role=None, depth=newest - i) is not None:
            why = "it is not for that depth"
        why = why or "it finds nothing there"
        reasons[why] = reasons.get(why, 0) + 1
    for why, n in reasons.items():
        yield f"passes by {counted(n, 'message')}: {why}"


def _names(details: Mapping[str, Any], bound: BoundRule) -> bool:
    return details.get("rule") == bound.rule.id and details.get("preset") == bound.preset.id


def _hits(screen: Screen, rows: Sequence[RuleHit], *, most: int | None = MOST_MESSAGES) -> None:
    shown = rows[:most]
    width = max(len(short_key(row.key)) for row in shown)
    for row in shown:
        times = f"{row.hits}×" if row.hits > 1 else ""
        screen.line(
            ("├─ ", "dim"),
            (f"{short_key(row.key):<{width}}  ", "step"),
            (f"{times:<4} ", "dim"),
            *_change(row, max(14, (screen.width - width - 14) // 2)),
            hang=width + 10,
        )
    if len(rows) > len(shown):
        screen.line((f"├─ {counted(len(rows) - len(shown), 'more message')}", "dim"))


def _change(row: RuleHit, each: int) -> list[str | tuple[str, str]]:
    """The part of the text that the first hit changed, before and after."""
    found = shown_change(row.before, row.after)
    start, old, new = found if found is not None else (0, masked(row.before), masked(row.after))
    lines: list[str | tuple[str, str]] = [
        (quoted(old, each), "gone") if old.strip() else ("nothing", "dim"),
        " → ",
        (quoted(new, each), "came") if new.strip() else ("nothing", "dim"),
    ]
    if not old.strip() and start:
        lines.append((f" after {quoted(masked_stretch(row.before, max(0, start - 12), start), 20)}", "dim"))
    return lines


def _count(found: Sequence[RuleHit]) -> str:
    hits = sum(hit.hits for hit in found)
    return f"{counted(hits, 'hit')} in {counted(len({hit.key for hit in found}), 'message')}"


def _whose(preset: str, layer: str, rule: str) -> str:
    of = f"of {harmless(preset)}, " if preset and preset != rule else ""
    return f"{of}{LAYERS.get(layer, layer)}"


def _is_of(hit: RuleHit, bound: BoundRule) -> bool:
    return _identity(hit.bound) == _identity(bound)


def _identity(bound: BoundRule) -> tuple[str, ...]:
    return bound.layer, bound.preset.name or bound.preset.id, bound.rule.id, bound.rule.shown_name
