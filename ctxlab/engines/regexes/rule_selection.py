"""Selection of the rules that apply to a message, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ctxlab.context import BuildInput
from ctxlab.documents import Agent, ModelProfile, RegexConfig, RegexPreset, RegexRule, UserProfile
from ctxlab.engines.model_match import model_fits
from ctxlab.lazy_dataclass import dataclass

Stage = Literal["request", "render", "arrival"]
RuleLayer = Literal["global", "agent", "user"]


@dataclass(frozen=True, slots=True, eq=False)
class BoundRule:
    """A rule with its preset and layer; `dialect` is the macro dialect of its texts."""

    rule: RegexRule
    preset: RegexPreset
    layer: RuleLayer
    dialect: str | None = None

    @property
    def label(self) -> str:
        rule, preset = self.rule.shown_name or self.rule.regex, self.preset.name or self.preset.id
        return f"rule {rule!r}" + (f" of preset {preset!r}" if preset not in ("", rule) else "")


@dataclass(frozen=True, slots=True, eq=False)
class RuleSource:
    """The presets of one layer."""

    layer: RuleLayer
    config: RegexConfig
    dialect: str | None = None


def active_rules(
    sources: Iterable[RuleSource],
    *,
    stage: Stage | None,
    streaming: bool = False,
    model: ModelProfile | None = None,
    problems: list[str] | None = None,
) -> list[BoundRule]:
    """The enabled rules for this stage (None: for any) and this model, in running order.

    What is wrong with patterns for models goes to `problems`.
    """
    rules = listed(sources, stage=stage, streaming=streaming, model=model, problems=problems)
    return [bound for bound, why in rules if why is None]


def listed(
    sources: Iterable[RuleSource],
    *,
    stage: Stage | None,
    streaming: bool = False,
    model: ModelProfile | None = None,
    problems: list[str] | None = None,
) -> list[tuple[BoundRule, str | None]]:
    """All rules in running order, each with the reason why it is inactive for every message, or None.

    The order is by the priority of their presets, then by their own order; what is equal stays as it is listed: global,
    agent, user, and in each its presets by their order.
    """
    found: list[tuple[BoundRule, str | None]] = []
    for source in sources:
        for preset in sorted(source.config.presets, key=lambda preset: preset.order or 0):
            why_all = "its preset is switched off"
            if preset.enabled:
                verdict = model_fits(preset.model_match, model)
                why_all = None if verdict.fits else "its preset is not for this model"
                if problems is not None:
                    name = preset.name or preset.id
                    problems += (f"regex preset {name!r}: {problem}" for problem in verdict.problems)
            for rule in preset.rules:
                why = why_all or why_idle(rule, stage=stage, streaming=streaming)
                found.append((_bound(rule, preset, source), why))
    return sorted(found, key=lambda row: (row[0].preset.priority, row[0].rule.order or 0))


def _bound(rule: RegexRule, preset: RegexPreset, source: RuleSource) -> BoundRule:
    from_tavern = "sillytavern" in (rule.carried or preset.carried or {})
    return BoundRule(rule, preset, source.layer, "sillytavern" if from_tavern else source.dialect)


def why_idle(rule: RegexRule, *, stage: Stage | None, streaming: bool = False) -> str | None:
    """The reason why a rule is inactive at this stage for every message; None when it is active."""
    if not rule.enabled:
        return "it is switched off"
    if stage is not None and not getattr(rule.apply_to, stage):
        return why_not_at(stage)
    if streaming and rule.apply_in_streaming is False:
        return "it is not for a message that is still coming in"
    return None


SHOWN_BY_DEFAULT = (
    "changes what is shown, not what is sent: that is the default of a rule that doesn't say; "
    "apply_to={'request': True} has it change what is sent"
)


def is_shown_by_default(rule: RegexRule) -> bool:
    """Whether a rule is for what is shown only because it doesn't say what it is for."""
    return not rule.apply_to.request and "apply_to" not in rule.model_fields_set


def why_not_at(stage: Stage | None) -> str:
    """The reason why a rule of another stage is passed by at this one."""
    return f"it is not for the {stage} stage"


def why_skipped(rule: RegexRule, *, role: str | None, depth: int | None) -> str | None:
    """The reason why a rule doesn't apply to a message; None when it does. A role or depth of None is any."""
    if role is not None and role not in rule.target_roles:
        return f"it is for {', '.join(rule.target_roles) or 'no role'}, not for {role}"
    span = rule.depth_range
    if depth is None or span is None:
        return None
    if span.min is not None and depth < span.min:
        return f"it is for messages at depth {span.min} or deeper, not {depth}"
    if span.max is not None and depth > span.max:
        return f"it is for messages down to depth {span.max}, not {depth}"
    return None


class Ruleset:
    """The rules of a request, by message.

    `bound` are all rules that a plan has named so far; a plan is a tuple of their numbers, in running order.
    """

    def __init__(
        self, build_input: BuildInput, *, stage: Stage, streaming: bool = False, skips_arrivals: bool = False
    ) -> None:
        """With `skips_arrivals` rules that change a message when it comes are passed over."""
        self.skips_arrivals = skips_arrivals
        self.bound: list[BoundRule] = []
        self.problems: list[str] = []
        self._build_input = build_input
        self._stage: Stage = stage
        self._streaming = streaming
        self._agents = {agent.id: agent for agent in build_input.agents}
        self._users = {user.id: user for user in build_input.users}
        self._by_agent = _binds_message(build_input.agent, build_input.rules)
        self._by_user = _binds_message(build_input.user, build_input.rules)
        self._numbers: dict[tuple[int, int], tuple[int, ...]] = {}
        self._arrivals: dict[tuple[int, int], tuple[int, ...]] = {}
        self._of_role: dict[tuple[int, int, str], tuple[tuple[int, ...], bool]] = {}

    @property
    def may_change(self) -> bool:
        """Whether there is a rule anywhere, be it for few messages or switched off."""
        build_input = self._build_input
        holders = (build_input.agent, build_input.user, *build_input.agents, *build_input.users)
        configs = (holder.regex_config for holder in holders if holder is not None)
        return any(config is not None and config.presets for config in (build_input.rules, *configs))

    def plan(self, *, role: str, depth: int | None, agent_id: object = None, user_id: object = None) -> tuple[int, ...]:
        """The rules for one message; `agent_id` and `user_id` are those that it was written with."""
        agent, user = self._holders(agent_id, user_id)
        key = (id(agent), id(user), role)
        if key not in self._of_role:
            numbers = self._numbers_for(agent, user)
            fitting = tuple(n for n in numbers if why_skipped(self.bound[n].rule, role=role, depth=None) is None)
            self._of_role[key] = fitting, any(self.bound[n].rule.depth_range is not None for n in fitting)
        fitting, has_depths = self._of_role[key]
        if not has_depths:
            return fitting
        return tuple(n for n in fitting if why_skipped(self.bound[n].rule, role=role, depth=depth) is None)

    def of_reasoning(self, *, depth: int, agent_id: object = None, user_id: object = None) -> tuple[int, ...]:
        """The rules for the reasoning of a message."""
        numbers = self._numbers_for(*self._holders(agent_id, user_id))
        rules = [(number, self.bound[number].rule) for number in numbers]
        return tuple(n for n, rule in rules if rule.in_reasoning and why_skipped(rule, role=None, depth=depth) is None)

    def arrivals(self, *, role: str, agent_id: object = None, user_id: object = None) -> tuple[int, ...]:
        """The rules that change a message when it comes, at whatever depth; they run before those of the request."""
        agent, user = self._holders(agent_id, user_id)
        self._numbers_for(agent, user)
        numbers = self._arrivals.get((id(agent), id(user)), ())
        return tuple(n for n in numbers if why_skipped(self.bound[n].rule, role=role, depth=None) is None)

    def sources(self, *, agent_id: object = None, user_id: object = None) -> Sequence[RuleSource]:
        """The layers of rules for a message written with this agent and user: global, the agent's, the user's."""
        return sources_of(self._build_input.rules, *self._holders(agent_id, user_id))

    def _holders(self, agent_id: object, user_id: object) -> tuple[Agent | None, UserProfile | None]:
        agent = self._agents.get(str(agent_id)) if self._by_agent and agent_id else None
        user = self._users.get(str(user_id)) if self._by_user and user_id else None
        return agent or self._build_input.agent, user or self._build_input.user

    def _numbers_for(self, agent: Agent | None, user: UserProfile | None) -> tuple[int, ...]:
        key = (id(agent), id(user))
        if key not in self._numbers:
            sources = sources_of(self._build_input.rules, agent, user)
            rules = active_rules(
                sources,
                stage=self._stage,
                streaming=self._streaming,
                model=self._build_input.model,
                problems=self.problems,
            )
            if self.skips_arrivals:
                of_arrival = active_rules(sources, stage="arrival", model=self._build_input.model)
                self._arrivals[key] = tuple(range(len(self.bound), len(self.bound) + len(of_arrival)))
                self.bound += of_arrival
                rules = [bound for bound in rules if not bound.rule.apply_to.arrival]
            self._numbers[key] = tuple(range(len(self.bound), len(self.bound) + len(rules)))
            self.bound += rules
        return self._numbers[key]


def sources_of(everywhere: RegexConfig, agent: Agent | None, user: UserProfile | None) -> Sequence[RuleSource]:
    sources = [RuleSource("global", everywhere)]
    if agent is not None and agent.regex_config is not None:
        sources.append(RuleSource("agent", agent.regex_config, agent.macro_dialect))
    if user is not None and user.regex_config is not None:
        sources.append(RuleSource("user", user.regex_config))
    return sources


def _binds_message(holder: Agent | UserProfile | None, everywhere: RegexConfig) -> bool:
    """Whether messages keep the rules of the agent or user that they were written with.

    The current agent says so for agents and the current user for users; where they don't, what holds everywhere says.
    """
    config = holder.regex_config if holder is not None else None
    is_given = config is not None and "binding_mode" in config.model_fields_set
    return (config if config is not None and is_given else everywhere).binding_mode == "message"
