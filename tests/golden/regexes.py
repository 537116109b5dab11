"""Regex rules: the cases through ctxlab's public API."""

from __future__ import annotations

from typing import Any

from ctxlab.context import BuildInput, Context, Origin, Text
from ctxlab.documents import Agent, RegexConfig, RegexPreset, RegexRule, Session, UserProfile
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.regexes import parse_pattern
from ctxlab.engines.regexes.apply_plans import apply
from ctxlab.engines.regexes.compile_rule import rule_texts
from ctxlab.engines.regexes.rule_selection import BoundRule, RuleLayer, RuleSource, active_rules, why_idle, why_skipped
from ctxlab.formats.sillytavern.regex_scripts import script_to_rule
from ctxlab.pipeline import Pipeline, Services
from ctxlab.processors import RegexProcessor
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data, drafts_of, form_of_draft, form_of_message, forms_by_key
from tests.golden.materials import agent_of, model_of, rules_of, stored, tokenizer_of

LAYERS: tuple[RuleLayer, ...] = ("global", "agent", "user")
NOBODY = BuildInput(Session())


def _result(case: Case) -> Any:
    return case.expected


# --- regex_parse


def _parse(data: Data) -> Data:
    pattern = parse_pattern(data["regex"], default_flags="gm")
    return {"pattern": pattern.body, "flags": pattern.flags}


# --- regex_apply, and the second half of st_regex


def _apply(data: Data) -> str:
    streaming = bool(data.get("isStreaming") or data.get("streaming"))
    rules = [stored(RegexRule, rule) for rule in data["rules"]]
    bound = [BoundRule(rule, RegexPreset(), "global") for rule in rules if _runs(rule, streaming)]
    text, plan = Text.of(data["content"], Origin("node", "n")), tuple(range(len(bound)))
    applied = apply([text], [plan], bound, _env(), stage="render", processor="case", compat="reference")
    return str(applied.texts[0])


def _runs(rule: RegexRule, streaming: bool) -> bool:
    """The function of the reference that these cases call doesn't ask whether a rule is on."""
    return why_idle(rule.with_(enabled=True), stage=None, streaming=streaming) is None


def _env() -> MacroEnv:
    return MacroEnv.of(NOBODY, dice=Context(NOBODY).dice)


# --- regex_processor


def _process(data: Data) -> Any:
    user = data.get("userProfile")
    build_input = BuildInput(
        Session(),
        agent=agent_of(data),
        user=stored(UserProfile, user) if user else None,
        model=model_of(data),
        rules=rules_of(data),
    )
    step = RegexProcessor(RegexProcessor.Settings(compat="reference"))
    ctx = Context(build_input, drafts_of(data["messages"]))
    result = Pipeline.of([step]).start(ctx, Services(tokenizer_of(data))).finished().result
    inputs = forms_by_key(data["messages"])
    return [form_of_draft(draft, inputs) for draft in result.drafts]


def _processed(case: Case) -> Any:
    return [form_of_message(message) for message in case.expected["messages"]]


# --- regex_resolution_utils


def _resolve(data: Data) -> Data:
    sources = [
        RuleSource(layer, stored(RegexConfig, config))
        for layer, config in zip(LAYERS, data["configs"], strict=False)
        if config is not None
    ]
    rules = [bound.rule for bound in active_rules(sources, stage=data["stage"])]
    fitting = [rule for rule in rules if why_skipped(rule, role=data["role"], depth=data["depth"]) is None]
    return {"collected": [rule.id for rule in rules], "resolved": [rule.id for rule in fitting]}


# --- regex_macro_preprocess


def _fill(data: Data) -> Data:
    known = data.get("macroContext") or {}
    user, agent = UserProfile(name=known.get("userName") or ""), Agent(name=known.get("charName") or "")
    env = MacroEnv.of(BuildInput(Session(), user=user, agent=agent))
    rule = stored(RegexRule, data["rule"])
    texts = rule_texts(rule, env, stage="render", compat="reference")
    replacement = "".join(segment.text for segment in texts.replacement)
    trim = list(texts.trim) if rule.trim_strings is not None else None
    return {"regex": texts.regex, "replacement": replacement, "trimStrings": trim}


# --- regex_st_import, and the first half of st_regex


def _import(data: Data) -> Data | None:
    rule = script_to_rule(data, compat="reference")
    return None if rule is None else _without_id(rule.without("carried").to_data())


def _without_id(rule: Data | None) -> Data | None:
    """Ids are drawn anew by the reference."""
    return rule and {key: value for key, value in rule.items() if key != "id"}


def _script(data: Data) -> Any:
    return _import(data["script"]) if "script" in data else _apply(data)


ADAPTERS: dict[str, Adapter] = {
    "regex_parse": Adapter(_parse, _result),
    "regex_apply": Adapter(_apply, _result),
    "regex_processor": Adapter(_process, _processed),
    "regex_resolution_utils": Adapter(_resolve, _result),
    "regex_macro_preprocess": Adapter(_fill, _result),
    "regex_st_import": Adapter(_import, lambda case: _without_id(case.expected)),
    "st_regex": Adapter(_script, lambda case: _without_id(case.expected) if "script" in case.input else case.expected),
}
