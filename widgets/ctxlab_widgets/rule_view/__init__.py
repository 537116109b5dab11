"""A text rule by rule: what each one found and put in its place, or why it did nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import traitlets

from ctxlab import RegexConfig, RegexPreset, RegexRule, Trace
from ctxlab.api.sources import rules_of
from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput, Origin, Text
from ctxlab.documents import Session
from ctxlab.engines.regexes.report import RuleHit
from ctxlab.engines.regexes.rule_selection import BoundRule, Ruleset, RuleSource, listed
from ctxlab.engines.regexes.rule_steps import RegexSteps, regex_steps
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.rule_view.editing import (
    EDITED,
    Edits,
    RulePosition,
    WrongField,
    change_label,
    fields_of,
    holder_of,
    positions_of,
    rebuilt,
    rule_key,
    with_rule,
)
from ctxlab_widgets.rule_view.messages import (
    ROLES,
    RuleMessage,
    Stage,
    TestInput,
    changed_input,
    first_changed,
    hits_of,
    message_key,
    message_options,
    messages_of,
    processor_of,
    stage_of,
    why_empty,
)
from ctxlab_widgets.rule_view.payload import (
    answer_of_run,
    answer_of_text,
    failures_of,
    hits_json,
    last_of,
    row_of,
)

NO_MESSAGES = '{"count":0,"all":[]}'
NO_HITS = '{"count":0,"tokens":null,"messages":[]}'

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
    """The one whose text it is; empty for anybody's."""
    depth = traitlets.Int(0, allow_none=True, min=0).tag(sync=True)
    """The number of messages after it; None for any."""
    stage = traitlets.Enum(["request", "render"], default_value="request").tag(sync=True)
    """Whether it is about to be sent or to be shown."""
    opened = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Keys of the rules that are open."""
    hits = traitlets.Unicode(NO_HITS).tag(sync=True)
    """The messages of the run that its rules changed, as JSON."""
    wrong = traitlets.Dict().tag(sync=True)
    """`{"rule", "field", "error"}` of an edit that was refused; empty when none was."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run that is shown; None where rules are tried on a text alone."""

    @checked_arguments
    def __init__(self, run_or_rules: Trace | Rules | None = None, text: str | None = None) -> None:
        self._config: RegexConfig | None = None
        self._undo: list[_UndoState] = []
        self._messages: dict[str, RuleMessage] = {}
        self._hits: Sequence[RuleHit] = ()
        self._changed: Mapping[str, Any] = {}
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
            self._set_input(TestInput(text or "", stage=stage_of(self._config)))
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
        self._set_input(changed_input(self._test_input, where))

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

    @checked_arguments
    def edit(
        self,
        rule: str,
        *,
        pattern: str | None = None,
        replacement: str | None = None,
        flags: str | None = None,
        name: str | None = None,
        min_depth: int | str | None = None,
        max_depth: int | str | None = None,
    ) -> None:
        """Give a rule other words, flags, another name or depths (an empty text is no bound). A run is built again."""
        words = (pattern, replacement, flags, name, min_depth, max_depth)
        edits = {field: str(value) for field, value in zip(EDITED, words, strict=True) if value is not None}
        self._edit(rule, edits, typing=None)

    @checked_arguments
    def show_key(self, key: str) -> None:
        """Open the view anew: at a rule (its key, id or name) where it changed a message, or at a message's key.

        An empty key opens it where the first rule changed something.
        """
        message = next((each for each in self._messages if key in (each, message_key(each))), "")
        if message or not key:
            self._open_at(message or self._first_message())
            return
        rule = rule_key(key, self._listed_rules[1])
        bound = self._listed_rules[1][rule]
        found = [hit.key for hit in self._hits if hit.bound.rule is bound.rule]
        if found and message_key(self.message) not in found and found[0] in self._messages:
            self._choose(found[0])
        self.opened = [rule]

    def undo(self) -> None:
        """Take the last change of a rule back."""
        if not self._undo:
            raise CtxlabError("nothing was changed")
        before = self._undo.pop()
        self.wrong = {}
        self._config = before.config
        if before.trace is None:
            self.show()
        else:
            self._show_run(before.trace)

    def _edit(self, rule: str, edits: Edits, *, typing: tuple[str, str] | None) -> None:
        key = rule_key(rule, self._listed_rules[1])
        try:
            fields = fields_of(self._listed_rules[1][key].rule, edits)
        except WrongField as problem:
            self.wrong = {"rule": key, "field": problem.field, "error": str(problem)}
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
        label = change_label(rules[key].rule, fields)
        before = _UndoState(self._run, self.rules, typing)
        after = rebuilt(self._run, source, config) if self._run is not None else None
        if not (typing is not None and self._undo and self._undo[-1].typing == typing):
            self._undo.append(before)
        if after is None:
            self._config = config
            self.show()
        else:
            self._show_run(after, label=label)

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
                if field not in EDITED:
                    raise self._wrong_command(message)
                turn = (rule, f"{field} {more['turn']}") if "turn" in more else None
                self._edit(rule, {field: value}, typing=turn)
            case {"command": "show_key", "key": str(key)}:
                self.show_key(key)
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

    def _show_run(self, trace: Trace, *, label: str = "") -> None:
        """Show a run that was made here, and with a label what it changed; what is tested stays what it is."""
        self._is_updating = True
        try:
            self._take_run(trace, label=label)
            self._read(trace)
        finally:
            self._is_updating = False
        self.show()

    def _read(self, trace: Trace) -> None:
        self._messages = {message.key: message for message in messages_of(trace)}
        self._hits = hits_of(trace) if self._messages else ()
        self._changed = hits_json(trace, self._messages) if self._hits else json.loads(NO_HITS)
        self.hits = as_json(self._changed)
        self._show_options()

    def _first_message(self) -> str:
        """The first message that the first rule with hits changed; else the newest."""
        if not self._hits:
            return next(reversed(self._messages), "")
        return first_changed(
            self._hits, [bound for bound, _ in listed(self._sources(self._hits[0].key), stage="request")]
        )

    def _open_at(self, message: str) -> None:
        """Show a message, with the first rule open that changed it."""
        if not message:
            self.show()
            return
        self._choose(message)
        matched = [key for key, step in zip(self._listed_rules[1], self._steps(), strict=True) if step.hits]
        self.opened = matched[:1]

    def _show_options(self) -> None:
        self.messages = as_json({"count": len(self._messages), "all": message_options(self._messages, self.message)})

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        if self._is_updating:
            return
        self._undo.clear()
        self.wrong, self.effect = {}, {}
        if self._run is None:
            self._messages, self._hits = {}, ()
            self.messages, self.hits = NO_MESSAGES, NO_HITS
            self.show()
            return
        self._config = None
        was_own = self.message in self._messages and self._test_input == self._messages[self.message].own
        self._read(self._run)
        keys = [key for key in self._messages if message_key(key) == self.selected and self._is_changed(key)]
        if was_own or self.message not in self._messages:
            kept = self.message if self.message in self._messages else ""
            if first := next(iter(keys), "") or kept:
                self._choose(first)
            else:
                self._open_at(self._first_message())
            return
        self.show()

    @traitlets.observe("selected")
    def _on_selected(self, change: Any) -> None:
        if self._is_updating or message_key(self.message) == self.selected:
            return
        found = next((key for key in self._messages if message_key(key) == self.selected), None)
        if found is not None and self._is_changed(found):
            self._choose(found)

    def _is_changed(self, key: str) -> bool:
        """Whether a rule changed this message; where none changed any, whether it is there.

        What no rule changed and is selected elsewhere is not shown in the place of what one did.
        """
        return not self._hits or any(message_key(hit.key) == message_key(key) for hit in self._hits)

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
        processor = processor_of(run) if run is not None else None
        if processor is not None:
            own_way = processor.settings
            settings = {"compat": own_way.compat, "engine": own_way.macro_engine, "limits": own_way.limits}
        return regex_steps(
            text, sources, self._build_input, role=tested.role, depth=tested.depth, stage=tested.stage, **settings
        )

    def _sources(self, message: str | None = None) -> Sequence[RuleSource]:
        """The layers of rules that hold for what is tested, or for a message of the run."""
        if self._run is None:
            return [RuleSource("global", self.rules)]
        key = self.message if message is None else message
        meta = self._messages[key].draft.meta if key in self._messages else {}
        ruleset = Ruleset(self._build_input, stage=cast("Stage", self.stage))
        return ruleset.sources(agent_id=meta.get("agentId"), user_id=meta.get("userProfileId"))

    def show(self) -> None:
        """Take over into the traits what Python holds."""
        self._listed_rules = ((), {})
        if self._run is None and self._config is None:
            self.view = ""
            return
        if self._run is not None and not self._messages:
            self.view = as_json({"empty": why_empty(self._run)})
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
        own = message is None or self._test_input == message.own
        if self._run is not None and own:
            answer = [*answer_of_run(self._hits, rules, self._changed), *failures_of(steps, keys)]
        else:
            answer = answer_of_text(steps, keys)
        return {
            "run": self._run is not None,
            "names": ", ".join(dict.fromkeys(bound.preset.name or bound.preset.id for bound in rules.values())),
            "answer": answer,
            "several": len({id(bound.preset) for bound in rules.values()}) > 1,
            "own": own,
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
