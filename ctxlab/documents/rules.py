"""Find and replace rules as they are stored: a rule, presets of rules, and the presets of an agent or a user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import called, counted, nearest, short
from ctxlab.documents.frozen_json import JsonObject
from ctxlab.documents.session.message import ModelMatch, Role
from ctxlab.documents.stored import Stored
from ctxlab.errors import CtxlabError

Flavor = Literal["javascript", "python"]
Substitution = Literal["NONE", "RAW", "ESCAPED"]


class AppliesTo(Stored):
    """The stages of a rule: what is shown, what is sent.

    With `arrival` it changes a message once, when it comes, and what is kept is the result; a program that does so
    doesn't apply it again.
    """

    render: bool = True
    request: bool = False
    arrival: bool = False


class DepthRange(Stored):
    """Messages between these depths, both included; 0 is the newest, None is no bound."""

    min: int | None = None
    max: int | None = None


class RegexRule(Stored):
    """One find and replace. Patterns are JavaScript's unless `flavor` says otherwise."""

    id: str = ""
    enabled: bool = True
    name: str | None = None
    regex: str = ""
    replacement: str = ""
    flags: str | None = Field(
        default=None, description="JavaScript flags; None or empty: those of /body/flags, else gm."
    )
    flavor: Flavor = "javascript"
    apply_to: AppliesTo = Field(default_factory=AppliesTo)
    target_roles: tuple[Role, ...] = ("system", "user", "assistant")
    in_reasoning: bool = Field(False, description="Whether it rewrites the reasoning of messages, where that is sent.")
    depth_range: DepthRange | None = None
    replacement_type: Literal["regex", "script"] = "regex"
    script_content: str | None = None
    apply_in_streaming: bool | None = Field(
        default=None, description="Whether it runs while a message comes in; None: yes."
    )
    substitution_mode: Substitution = Field(
        "NONE", description="Whether macros are filled in, and their values escaped."
    )
    macros_in_replacement: bool | None = Field(
        default=None, description="None: as the substitution mode says of the pattern."
    )
    escapes_in_replacement: bool | None = Field(
        default=None,
        description="Whether `\\n` and `\\t` in the replacement are a line break and a tab; None: they are.",
    )
    default_flags: str | None = Field(
        default=None, description="Flags where neither the pattern nor `flags` says any; None: gm."
    )
    trim_strings: tuple[str, ...] | None = None
    order: float | None = None
    test_input: str | None = None
    carried: JsonObject | None = Field(default=None, description="What another program's file said, to write it back.")

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.id, self.name or "")
        yield f"{short(self.regex)!r} -> {short(self.replacement)!r}"
        if not self.enabled:
            yield "switched off"

    @property
    def shown_name(self) -> str:
        return self.name or self.id

    @property
    def has_script(self) -> bool:
        """Whether code makes the replacement; a script rule without code is the find and replace that it also is."""
        return self.replacement_type == "script" and bool((self.script_content or "").strip())


class RegexPreset(Stored):
    """Rules that belong together; presets run by `priority`, smaller first."""

    id: str = ""
    name: str = ""
    description: str | None = None
    author: str | None = None
    version: str | None = None
    enabled: bool = True
    rules: tuple[RegexRule, ...] = ()
    order: float | None = None
    priority: float = 100
    model_match: ModelMatch | None = None
    carried: JsonObject | None = Field(default=None, description="What another program's file said, to write it back.")

    def _repr_parts(self) -> Iterator[str]:
        off = sum(not rule.enabled for rule in self.rules)
        yield from called(self.id, self.name)
        yield counted(len(self.rules), "rule") + (f", {off:,} of them off" if off else "")
        if not self.enabled:
            yield "switched off"

    def _repr_html_(self) -> str:
        rows = (
            (number, rule.shown_name, rule.regex, rule.replacement, _when(rule), "" if rule.enabled else "off")
            for number, rule in enumerate(self.rules, 1)
        )
        head = ("", "rule", "finds", "puts", "where", "")
        return heading(self) + html_table(head, rows, of="rules")

    @checked_arguments
    def rule(self, which: str) -> RegexRule:
        """The rule of this id or name; raises CtxlabError, naming those that are near."""
        return self.rules[self._place_of(which)]

    @checked_arguments
    def with_rule(self, which: str, **fields: Any) -> RegexPreset:
        """The preset with other fields in the rule of this id or name."""
        place = self._place_of(which)
        rules = list(self.rules)
        rules[place] = rules[place].changed(fields)
        return self.model_copy(update={"rules": tuple(rules)})

    def _place_of(self, which: str) -> int:
        for found in (
            [place for place, rule in enumerate(self.rules) if rule.id == which],
            [place for place, rule in enumerate(self.rules) if rule.name == which],
        ):
            if len(found) == 1:
                return found[0]
            if found:
                raise CtxlabError(f"{self._label()} has {len(found)} rules {which!r}; say which by its id or its name")
        known = [name for rule in self.rules for name in dict.fromkeys((rule.id, rule.name)) if name]
        raise CtxlabError(f"{self._label()} has no rule {which!r}{nearest(which, known)}")

    def _label(self) -> str:
        return f"set of rules {self.id or self.name!r}"


def _when(rule: RegexRule) -> str:
    """The scope of a rule in words: sent or shown messages, roles, depths."""
    stages = [word for word, is_on in (("sent", rule.apply_to.request), ("shown", rule.apply_to.render)) if is_on]
    deep = rule.depth_range or DepthRange()
    bounds = [f"from depth {deep.min}"] if deep.min is not None else []
    bounds += [f"to depth {deep.max}"] if deep.max is not None else []
    return ", ".join([" and ".join(stages) or "nowhere", "/".join(rule.target_roles), *bounds])


class RegexConfig(Stored):
    """The presets of an agent, a user, or everywhere.

    With `binding_mode` message, a message is treated by the rules of the agent and the user that wrote it, where they
    are at hand; with session, by those of the request.
    """

    presets: tuple[RegexPreset, ...] = ()
    binding_mode: Literal["message", "session"] = "message"

    def _repr_parts(self) -> Iterator[str]:
        yield counted(len(self.presets), "set of rules", "sets of rules")
        yield counted(sum(len(preset.rules) for preset in self.presets), "rule")

    def _repr_html_(self) -> str:
        rows = (
            (preset.name or preset.id, rule.shown_name, rule.regex, rule.replacement, _when(rule))
            for preset in self.presets
            for rule in preset.rules
        )
        return heading(self) + html_table(("set", "rule", "finds", "puts", "where"), rows, of="rules")


USUAL_THINK_TAGS = ("think", "guguthink")


class ThinkRule(Stored):
    """A tag with which an agent's model marks reasoning inside its text."""

    id: str = ""
    kind: str = "xml_tag"
    tag_name: str = ""
    display_name: str = ""
    collapsed_by_default: bool = True


def think_rules_in_force(own: Sequence[ThinkRule]) -> Sequence[ThinkRule]:
    """An agent's rules that name a tag; for an agent without any, the tags that models use most."""
    named = [rule for rule in own if rule.kind == "xml_tag" and rule.tag_name]
    return named or [ThinkRule(tag_name=tag) for tag in USUAL_THINK_TAGS]
