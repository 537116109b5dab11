"""The messages that the worldbook step scans, at each message of a path in turn, loaded and rewritten once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxlab.context import BuildInput, Context, Draft, Text
from ctxlab.documents import RegexRule
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.macros.expand import may_have_macros
from ctxlab.engines.regexes.compile_rule import Compat, compiled_rule
from ctxlab.engines.regexes.replace import Plan
from ctxlab.engines.regexes.rule_selection import BoundRule
from ctxlab.engines.worldbook import Chat, FirstItems, GrowingChat, LoreScan
from ctxlab.pipeline import Debugger, Services, Trace
from ctxlab.processors.async_task_processor import AsyncTaskProcessor
from ctxlab.processors.macro_engine import MacroEngine
from ctxlab.processors.regex_processor import RegexProcessor, rewritten
from ctxlab.processors.session_loader import SessionLoader
from ctxlab.processors.transcription_processor import TranscriptionProcessor
from ctxlab.processors.worldbook_processor import WorldbookProcessor


class GrowingHistory:
    """The scan at each message of a path, as a build that ends there has it.

    All of these builds have one agent, one model and the same summaries. `can_scan` says for which message the scan is
    exact; a build has to be made for the others.
    """

    def __init__(self, start: Trace, keys: Sequence[str], growing: GrowingChat) -> None:
        """`start` is the start of the run at the last of the messages; `keys` are those of its path."""
        growing.restart()
        self._growing, self._keys = growing, keys
        self._is_usual = _is_usual(start)
        if not self._is_usual:
            return
        debugger = Debugger(start)
        context = debugger.run_until(WorldbookProcessor.id)
        self._services: Services = start.services
        step = start.pipeline.stage(WorldbookProcessor.id).processor
        assert isinstance(step, WorldbookProcessor)
        self._step = step
        loaded = debugger.trace.step(SessionLoader.id).after
        self._rules = _rules_on(start, loaded)
        self._chat = step.chat_of(replace(context, drafts=()))
        self._input = start.start.input
        self._draft = {draft.origin.ref: draft for draft in loaded.drafts}
        self._sent: list[Draft] = []
        self._passed = 0
        self._path = list(keys)
        self._is_usual = self._rules is None or self._rules.are_independent

    def can_scan(self, build_input: BuildInput) -> bool:
        """Whether `scan` gives what a build of this input does."""
        return self._is_usual and (self._rules is None or self._rules.mean_the_same(build_input))

    def scan(self, build_input: BuildInput, number: int) -> LoreScan:
        """The decisions at message `number` of the path; the numbers of one call after another rise."""
        before = len(self._sent)
        for key in self._keys[self._passed : number + 1]:
            draft = self._draft.get(key)
            if draft is not None:
                self._sent.append(draft)
                self._growing.append(self._step.scanned_message(draft, self._input))
            self._growing.passed(key, is_sent=draft is not None)
        self._passed = number + 1
        if self._rules is not None:
            texts = self._rules.changed(self._sent, before)
            self._growing.replace({i: self._step.scanned_message(draft, self._input) for i, draft in texts.items()})
        known = build_input.activations
        path: Sequence[str] = FirstItems(self._path, number + 1) if known else ()
        chat: Chat = replace(self._chat, messages=self._growing.messages(), activations=known, path=path)
        return self._step.scanned(self._step.input_of(build_input, chat, self._services), growing=self._growing)


def _is_usual(start: Trace) -> bool:
    """Whether each message is loaded and rewritten whatever comes after it, but for rules by depth."""
    build_input = start.start.input
    walk = build_input.session.walk(build_input.leaf_id)
    running = start.pipeline.running()
    ids = [stage.id for stage in running]
    if build_input.pending is not None or build_input.tasks or walk.broken or WorldbookProcessor.id not in ids:
        return False
    steps: list[Any] = [stage.processor for stage in running[: ids.index(WorldbookProcessor.id) + 1]]
    has_files = any(node.attachments for node in walk.nodes)
    idle = (AsyncTaskProcessor,) if has_files else (AsyncTaskProcessor, TranscriptionProcessor)
    kinds = [type(step) for step in steps if not isinstance(step, idle)]  # without tasks and files they do nothing
    loads = kinds in ([SessionLoader, WorldbookProcessor], [SessionLoader, RegexProcessor, WorldbookProcessor])
    parents = [node.parent_id for node in walk.nodes[1:]]
    are_called_alike = [node.id for node in walk.nodes] == [*parents, build_input.leaf_id]
    if not (loads and are_called_alike) or steps[0].settings.html_to_markdown:
        return False
    first = next((node for node in walk.nodes if not node.is_empty_root), None)
    expands = steps[0].settings.macro_engine != "seed" and first is not None and may_have_macros(first.content)
    return not expands  # what its macros stand for depends on the message that the build ends with


def _rules_on(start: Trace, loaded: Context) -> _RewrittenByDepth | None:
    """The messages as the rules rewrite them; None where none of them is for any."""
    step = next((stage.processor for stage in start.pipeline.running() if stage.id == RegexProcessor.id), None)
    if not isinstance(step, RegexProcessor):
        return None
    rules = _RewrittenByDepth(step, loaded)
    return rules if rules.ruleset.bound else None


class _RewrittenByDepth:
    """Each message as the rules for each depth make it.

    `are_independent` is false where a rule is left out because of one of the messages: then what it makes of the others
    depends on whether that one is among them.
    """

    def __init__(self, step: RegexProcessor, loaded: Context) -> None:
        self._compat: Compat = step.settings.compat
        self._engine: MacroEngine = step.settings.macro_engine
        self._step = step
        self.ruleset = step.ruleset(loaded.input)
        for draft in loaded.drafts:
            step.plan_of(draft, 0, self.ruleset)
        self._borders = _borders(self.ruleset.bound)
        self._now: list[Plan] = []
        drafts: list[Draft] = []
        plans: list[Plan] = []
        for draft in loaded.drafts:
            for plan in dict.fromkeys(step.plan_of(draft, depth, self.ruleset) for depth in (0, *self._borders)):
                drafts.append(draft)
                plans.append(plan)
        places, applied = step.apply_plans(loaded, drafts, plans, self.ruleset)
        made = rewritten(drafts, places, applied)
        self._made = {(draft.key, plan): new for draft, plan, new in zip(drafts, plans, made, strict=True)}
        self._varying = [bound for bound in self.ruleset.bound if _may_hold_macros(bound.rule)]
        self._meant = self._replacements(loaded.input, Context(loaded.input))
        self.are_independent = not applied.problems or applied.problems.keys() <= self._never_run(step, loaded)

    def _never_run(self, step: RegexProcessor, loaded: Context) -> set[int]:
        """Numbers of the rules that run on no text: they don't compile, or hold a script."""
        everyone = tuple(range(len(self.ruleset.bound)))
        nothing = [replace(draft, body=(Text(()),)) for draft in loaded.drafts[:1]]
        return set(step.apply_plans(loaded, nothing, [everyone], self.ruleset)[1].problems)

    def mean_the_same(self, build_input: BuildInput) -> bool:
        """Whether the macros in the rules have the same values for another input."""
        return not self._varying or self._replacements(build_input, Context(build_input)) == self._meant

    def _replacements(self, build_input: BuildInput, ctx: Context) -> list[Any]:
        env = MacroEnv.of(build_input, dice=ctx.dice, engine=self._engine)
        return [
            compiled_rule(bound.rule, env.speaking(bound.dialect), stage="request", compat=self._compat).replacement
            for bound in self._varying
        ]

    def changed(self, sent: Sequence[Draft], before: int) -> Mapping[int, Draft]:
        """The messages that are not as they were when only `before` of them were there, by place."""
        newest = len(sent) - 1
        due = {i - border for i in range(before, len(sent)) for border in self._borders if i >= border}
        due.update(range(before, len(sent)))
        found: dict[int, Draft] = {}
        for i in sorted(due):
            plan = self._step.plan_of(sent[i], newest - i, self.ruleset)
            if i == len(self._now):
                self._now.append(plan)
                if self._made[sent[i].key, plan] is not sent[i]:
                    found[i] = self._made[sent[i].key, plan]
            elif plan != self._now[i]:
                self._now[i] = plan
                found[i] = self._made[sent[i].key, plan]
        return found


def _borders(rules: Iterable[BoundRule]) -> tuple[int, ...]:
    """Depths at which another choice of rules may begin to apply."""
    borders: set[int] = set()
    for bound in rules:
        span = bound.rule.depth_range
        if span is not None:
            borders.update([span.min] if span.min is not None else [])
            borders.update([span.max + 1] if span.max is not None else [])
    return tuple(sorted(border for border in borders if border > 0))


def _may_hold_macros(rule: RegexRule) -> bool:
    texts = (rule.regex, rule.replacement, *(rule.trim_strings or ()))
    return any("{{" in text or "<" in text for text in texts)
