"""A text rule by rule: what each one found and put in its place, or why it did nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import traitlets

from ctxlab import RegexConfig, RegexPreset, RegexRule, Trace
from ctxlab.api.sources import rules_of
from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput, Origin, Text
from ctxlab.documents import Session
from ctxlab.engines.regexes.rule_selection import BoundRule, Ruleset, RuleSource, listed
from ctxlab.engines.regexes.rule_steps import RegexSteps, regex_steps
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.processors import RegexProcessor
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.rule_view.editing import (
    RulePosition,
    WrongFlags,
    holder_of,
    positions_of,
    rebuilt,
    rule_key,
    with_flags,
    with_rule,
)
from ctxlab_widgets.rule_view.messages import (
    ROLES,
    STEP,
    RuleMessage,
    Stage,
    TestInput,
    default_message,
    message_key,
    message_options,
    messages_of,
)
from ctxlab_widgets.rule_view.payload import last_of, result_of, row_of

NO_MESSAGES = '{"count":0,"all":[]}'

Rules = RegexConfig | RegexPreset | RegexRule | Sequence[RegexPreset | RegexRule]


@dataclass(frozen=True, slots=True, eq=False)
class _UndoState:
    """The rules before a change; `typing` names the field that was typed in."""

    trace: Trace | None
    config: RegexConfig
    typing: tuple[str, str] | None


class RuleView(Widget):
    """Shows what each rule does to a text of one's own, or did to a message of a run; rules can be changed in place.

    >>> RuleView(rules, "some text")  # doctest: +SKIP
    >>> RuleView(trace)  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    view = traitlets.Unicode("").tag(sync=True)
    """The rules and what each did as JSON; empty while there is nothing to show."""
    messages = traitlets.Unicode(NO_MESSAGES).tag(sync=True)
    """The messages to choose from, as JSON; none where no run is shown."""
    message = traitlets.Unicode("").tag(sync=True)
    """Key of the message that is shown."""
    text = traitlets.Unicode("").tag(sync=True)
    """The text before all rules."""
    role = traitlets.Enum(["", *ROLES], default_value="").tag(sync=True)
    """Whose text it is; empty for anybody's."""
    depth = traitlets.Int(0, allow_none=True, min=0).tag(sync=True)
    """The number of messages after it; None for any."""
    stage = traitlets.Enum(["request", "render"], default_value="request").tag(sync=True)
    """Whether it is about to be sent or to be shown."""
    opened = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Keys of the rules that are open."""
    wrong = traitlets.Dict().tag(sync=True)
    """`{"rule", "field", "error"}` of an edit that was refused; empty when none was."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run that is shown; None where rules are tried on a text alone."""

    @checked_arguments
    def __init__(self, run_or_rules: Trace | Rules | None = None, text: str | None = None) -> None:
        self._config: RegexConfig | None = None
        self._undo: list[_UndoState] = []
        self._messages: dict[str, RuleMessage] = {}
        self._listed_rules: tuple[Sequence[RuleSource], dict[str, BoundRule]] = ((), {})
        self._is_updating = True
        super().__init__()
        self._is_updating = False
        if isinstance(run_or_rules, Trace):
            self.trace = run_or_rules
            if text is not None:
                self.set_text(text)
        elif run_or_rules is not None:
            self._config = rules_of(run_or_rules)
            self._set_input(TestInput(text or "", stage=_stage_of(self._config)))
        elif text is not None:
            self._set_input(TestInput(text))

    @property
    def rules(self) -> RegexConfig:
        """Everyone's rules as they are now, with what was changed."""
        if self._run is not None:
            return self._run.start.input.rules
        return self._config or RegexConfig()

    @property
    def steps(self) -> RegexSteps:
        """The steps of each rule on the text that is shown."""
        return self._steps()

    # --- commands

    def set_text(self, text: str) -> None:
        """Try the rules on another text."""
        self.set_test_input(text=text)

    def set_test_input(self, **where: Any) -> None:
        """Say otherwise what is tested: `text`, `role` (None is any), `depth` (None is any), `stage`."""
        known = {"text", "role", "depth", "stage"}
        if wrong := set(where) - known:
            raise CtxlabError(f"a text has no {sorted(wrong)[0]!r}; it has a text, a role, a depth and a stage")
        now = self._test_input
        fields = {name: where.get(name, getattr(now, name)) for name in known}
        if not isinstance(fields["text"], str):
            raise CtxlabError(f"a text is text, not {fields['text']!r}")
        if fields["role"] not in (None, *ROLES):
            raise CtxlabError(f"a role is one of {', '.join(ROLES)} or None, not {fields['role']!r}")
        if fields["stage"] not in ("request", "render"):
            raise CtxlabError(f"a stage is request or render, not {fields['stage']!r}")
        depth = fields["depth"]
        if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 0):
            raise CtxlabError(f"a depth is a number from 0, or None, not {depth!r}")
        self._set_input(TestInput(**fields))

    def choose(self, key: str) -> None:
        """Show a message of the run, as the rules found it."""
        if key not in self._messages:
            raise CtxlabError(f"the rules saw no message {key!r}{did_you_mean(key, list(self._messages)[:2000])}")
        self._choose(key)
        self.selected = message_key(key)

    def reset(self) -> None:
        """Back to the message as it is in the run."""
        if self.message not in self._messages:
            raise CtxlabError("there is no message to go back to")
        self._choose(self.message)

    def switch(self, rule: str, *, on: bool) -> None:
        """Switch a rule on or off, by its key, id or name. Of a run, the run is built again."""
        self._change(rule, {"enabled": on}, typing=None)

    def edit(
        self, rule: str, *, pattern: str | None = None, replacement: str | None = None, flags: str | None = None
    ) -> None:
        """Give a rule another pattern, replacement or flags. Of a run, the run is built again."""
        self._edit(rule, pattern, replacement, flags, typing=None)

    def undo(self) -> None:
        """Take the last change of a rule back."""
        if not self._undo:
            raise CtxlabError("nothing was changed")
        before = self._undo.pop()
        self.wrong = {}
        self._config = before.config
        self._replace_run(before.trace)

    def _edit(
        self,
        rule: str,
        pattern: str | None,
        replacement: str | None,
        flags: str | None,
        *,
        typing: tuple[str, str] | None,
    ) -> None:
        key = rule_key(rule, self._listed_rules[1])
        now = self._listed_rules[1][key].rule
        fields: dict[str, Any] = {"regex": pattern} if pattern is not None else {}
        fields |= {"replacement": replacement} if replacement is not None else {}
        try:
            fields |= with_flags(now.changed(fields), flags) if flags is not None else {}
        except WrongFlags as problem:
            self.wrong = {"rule": key, "field": "flags", "error": str(problem)}
            raise
        self._change(key, fields, typing=typing)

    def _change(self, rule: str, fields: Mapping[str, Any], *, typing: tuple[str, str] | None) -> None:
        sources, rules = self._listed_rules
        key = rule_key(rule, rules)
        self.wrong = {}
        if all(getattr(rules[key].rule, name) == value for name, value in fields.items()):
            return
        layer, preset, index = key.split("/")
        source = next(source for source in sources if source.layer == layer)
        config = with_rule(source.config, RulePosition(source.layer, int(preset), int(index)), fields)
        before = _UndoState(self._run, self.rules, typing)
        after = rebuilt(self._run, source, config) if self._run is not None else None
        if not (typing is not None and self._undo and self._undo[-1].typing == typing):
            self._undo.append(before)
        if after is None:
            self._config = config
        self._replace_run(after)

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "set_text", "text": str(text)}:
                self.set_text(text)
            case {"command": "test", "where": dict(where)}:
                self.set_test_input(**{str(name): value for name, value in cast("dict[Any, Any]", where).items()})
            case {"command": "choose", "message": str(key)}:
                self.choose(key)
            case {"command": "reset"}:
                self.reset()
            case {"command": "switch", "rule": str(rule), "on": bool(on)}:
                self.switch(rule, on=on)
            case {"command": "edit", "rule": str(rule), "field": str(field), "value": str(value), **more}:
                if field not in ("pattern", "replacement", "flags"):
                    raise self._wrong_command(message)
                words = {name: value if name == field else None for name in ("pattern", "replacement", "flags")}
                turn = (rule, f"{field} {more['turn']}") if "turn" in more else None
                self._edit(rule, **words, typing=turn)
            case {"command": "undo"}:
                self.undo()
            case _:
                raise self._wrong_command(message)

    # --- what is held

    @property
    def _run(self) -> Trace | None:
        return cast("Trace | None", self.trace)

    @property
    def _test_input(self) -> TestInput:
        return TestInput(self.text, self.role or None, self.depth, cast("Stage", self.stage))

    @property
    def _build_input(self) -> BuildInput:
        return self._run.start.input if self._run is not None else BuildInput(Session())

    def _set_input(self, what: TestInput) -> None:
        self._is_updating = True
        try:
            with self.hold_sync():
                self.text, self.role, self.depth, self.stage = what.text, what.role or "", what.depth, what.stage
        finally:
            self._is_updating = False
        self.show()

    def _choose(self, key: str) -> None:
        self._is_updating = True
        self.message = key
        self._show_options()
        self._set_input(self._messages[key].own)

    def _replace_run(self, trace: Trace | None) -> None:
        """Show a run that a change here has made; what is tested stays what it is."""
        self._is_updating = True
        try:
            if trace is not None:
                self.trace = trace
                self._read(trace)
        finally:
            self._is_updating = False
        self.show()

    def _read(self, trace: Trace) -> None:
        self._messages = {message.key: message for message in messages_of(trace)}
        self._show_options()

    def _show_options(self) -> None:
        self.messages = as_json({"count": len(self._messages), "all": message_options(self._messages, self.message)})

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        if self._is_updating:
            return
        self._undo.clear()
        self.wrong = {}
        if self._run is None:
            self._messages, self.messages = {}, NO_MESSAGES
            self.show()
            return
        self._config = None
        was_own = self.message in self._messages and self._test_input == self._messages[self.message].own
        self._read(self._run)
        keys = [key for key in self._messages if message_key(key) == self.selected]
        if was_own or self.message not in self._messages:
            kept = self.message if self.message in self._messages else ""
            first = next(iter(keys), "") or kept or default_message(self._messages)
            if first:
                self._choose(first)
                return
        self.show()

    @traitlets.observe("selected")
    def _on_selected(self, change: Any) -> None:
        if self._is_updating or message_key(self.message) == self.selected:
            return
        found = next((key for key in self._messages if message_key(key) == self.selected), None)
        if found is not None:
            self._choose(found)

    @traitlets.observe("text", "role", "depth", "stage")
    def _on_test_input(self, change: Any) -> None:
        if not self._is_updating:
            self.show()

    @traitlets.observe("message")
    def _on_message_key(self, change: Any) -> None:
        message = self._messages.get(self.message)
        if not self._is_updating and message is not None and self._test_input != message.own:
            self._set_input(message.own)

    # --- what is shown

    def _steps(self) -> RegexSteps:
        tested, run = self._test_input, self._run
        sources = self._sources()
        message = self._messages.get(self.message)
        own = message is not None and tested.text == message.own.text
        text = message.text if message is not None and own else Text.of(tested.text, Origin("text"))
        settings: dict[str, Any] = {}
        processor = _processor_of(run) if run is not None else None
        if processor is not None:
            settings = {"compat": processor.settings.compat, "limits": processor.settings.limits}
        return regex_steps(
            text, sources, self._build_input, role=tested.role, depth=tested.depth, stage=tested.stage, **settings
        )

    def _sources(self) -> Sequence[RuleSource]:
        """The layers of rules that hold for what is tested."""
        if self._run is None:
            return [RuleSource("global", self.rules)]
        meta = self._messages[self.message].draft.meta if self.message in self._messages else {}
        ruleset = Ruleset(self._build_input, stage=cast("Stage", self.stage))
        return ruleset.sources(agent_id=meta.get("agentId"), user_id=meta.get("userProfileId"))

    def show(self) -> None:
        """Take over into the traits what Python holds."""
        self._listed_rules = ((), {})
        if self._run is None and self._config is None:
            self.view = ""
            return
        if self._run is not None and not self._messages:
            self.view = as_json({"empty": _why_empty(self._run)})
            return
        sources = self._sources()
        rules = [bound for bound, _ in listed(sources, stage=cast("Stage", self.stage))]
        keys = [place.key for place in positions_of(sources, rules)]
        self._listed_rules = sources, dict(zip(keys, rules, strict=True))
        with self.hold_sync():
            self.view = as_json(self._view(keys, self._steps()))
            self.opened = [key for key in self.opened if key in self._listed_rules[1]]

    def _view(self, keys: Sequence[str], steps: RegexSteps) -> dict[str, Any]:
        sources, rules = self._listed_rules
        message = self._messages.get(self.message)
        return {
            "run": self._run is not None,
            "names": ", ".join(dict.fromkeys(bound.preset.name or bound.preset.id for bound in rules.values())),
            "summary": result_of(steps),
            "several": len({id(bound.preset) for bound in rules.values()}) > 1,
            "own": message is None or self._test_input == message.own,
            "undo": len(self._undo),
            "rules": [
                row_of(key, rules[key], step, self._holder(sources, rules[key]))
                for key, step in zip(keys, steps, strict=True)
            ],
            "last": last_of(steps, None if self._run is None else self._run.services.tokenizer.count),
        }

    def _holder(self, sources: Sequence[RuleSource], bound: BoundRule) -> str:
        source = next(source for source in sources if source.layer == bound.layer)
        holder = holder_of(source, self._build_input)
        return "" if holder is None else holder.shown_name


def _stage_of(config: RegexConfig) -> Stage:
    """The request stage, unless the rules are only for rendering."""
    rules = [rule for preset in config.presets for rule in preset.rules]
    is_shown_only = bool(rules) and not any(rule.apply_to.request for rule in rules)
    return "render" if is_shown_only else "request"


def _why_empty(trace: Trace) -> str:
    if any(step.id == STEP and not step.skipped for step in trace.steps):
        return "This run has no messages that rules could change."
    return f"This run's rules haven't run: the step {STEP} is off, failed or still to come."


def _processor_of(trace: Trace) -> RegexProcessor | None:
    stage = next((stage for stage in trace.pipeline.stages if stage.id == STEP), None)
    return stage.processor if stage is not None and isinstance(stage.processor, RegexProcessor) else None
