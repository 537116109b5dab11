"""SillyTavern's regex scripts: one script a file, or a list of them; also inside cards and presets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, cast

from ctxlab.documents import Agent, AppliesTo, DepthRange, RegexPreset, RegexRule
from ctxlab.documents.rules import Flavor, Substitution
from ctxlab.documents.session.message import Role
from ctxlab.documents.stored import as_json
from ctxlab.engines.regexes.compile_rule import pattern_of, unescaped
from ctxlab.engines.regexes.parse_replacement import MATCH
from ctxlab.engines.regexes.pattern import parse_pattern, unknown_flags
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.roundtrip import patched
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.formats.values_to_export import left_out, pick_rules
from ctxlab.lazy_pattern import lazy_pattern

Data = dict[str, Any]
Compat = Literal["ctxlab", "reference"]

KEY = "sillytavern"
COMPAT = "compat"
"""Key of the way a rule's script was read, if other than SillyTavern's."""
EVERYONE: tuple[Role, ...] = ("system", "user", "assistant")
ROLES: dict[int, tuple[Role, ...]] = {0: EVERYONE, 1: ("user",), 2: ("assistant",), 5: ("system",), 6: ("assistant",)}
"""Places where a script runs, as roles: everywhere, input, output, world info, reasoning. 3 are slash commands."""
REASONING = 6
ESCAPE = lazy_pattern(r"\\[nt]")  # taken as written there
PLACEMENT: dict[str, int] = {"user": 1, "assistant": 2, "system": 5}
SUBSTITUTION: dict[int, Substitution] = {0: "NONE", 1: "RAW", 2: "ESCAPED"}
UNNAMED = "未命名规则"
SCRIPTS = "regex_scripts"
"""The extension of a card or preset that holds scripts."""
OF_CARD, OF_PRESET = 101, 102
"""Priorities: SillyTavern runs everyone's scripts first, then the card's, then the preset's."""
RULES_OF_PRESET = "presetRules"
"""Key of the names of the preset's rules in an agent joined of a card and a preset."""
SPECIAL = lazy_pattern(r"\$(?=[$&`'])|\$0(?![0-9])")
OURS = lazy_pattern(r"\$([$&])")


def script_to_rule(
    script: Data, *, index: int = 0, id: str | None = None, losses: list[Loss] | None = None, compat: Compat = "ctxlab"
) -> RegexRule | None:
    """The rule of a script, None when it looks for nothing; what it doesn't use is kept in `carried`.

    `compat="reference"` reads as the reference does: shown only where markdownOnly and promptOnly are both set, where
    SillyTavern does both; no macros in replacements; names for the nameless.
    """
    find = coerce.field(script, "findRegex", coerce.text, "", losses)
    if not find:
        return None
    flavor: Flavor = "python" if script.get("flavor") == "python" else "javascript"  # a key of ours
    pattern = parse_pattern(find, default_flags="gm" if compat == "reference" else "", flavor=flavor)
    if unknown_flags(find, flavor=flavor) is not None and losses is not None:
        losses.append(
            Loss(
                "findRegex", f"{unknown_flags(find, flavor=flavor)!r} are not known flags: {find!r} is text to look for"
            )
        )
    # A body that looks like /body/flags itself would be read twice.
    body = find if parse_pattern(pattern.body, default_flags="", flavor=flavor).body != pattern.body else pattern.body
    written = coerce.field(script, "replaceString", coerce.text, "", losses)
    name = coerce.field(script, "scriptName", coerce.text, "", losses)
    fields: Data = {
        "id": id or _id_of(script) or f"script-{index + 1}",
        "enabled": not coerce.field(script, "disabled", coerce.flag, False, losses),
        "name": name or (UNNAMED if compat == "reference" else None),
        "regex": body,
        "replacement": written if compat == "reference" or flavor == "python" else from_tavern(written),
        "flags": pattern.flags,
        "apply_to": _stages(script, losses, compat),
        "target_roles": _roles(script, losses, compat),
        "substitution_mode": SUBSTITUTION.get(
            int(coerce.field(script, "substituteRegex", coerce.whole_or_flag, 0, losses)), "NONE"
        ),
        "order": index,
        "carried": {KEY: script, **({COMPAT: compat} if compat != "ctxlab" else {})},
    }
    trim = tuple(filter(None, coerce.field(script, "trimStrings", coerce.texts, (), losses)))
    fields |= {"trim_strings": trim} if trim else {}
    depths = _depths(script, losses, compat)
    fields |= {"depth_range": depths} if depths is not None else {}
    if compat == "ctxlab" and has_macros(written):
        fields["macros_in_replacement"] = True
    if compat == "ctxlab" and not pattern.flags:
        fields["default_flags"] = ""  # the first match only
    if compat == "ctxlab" and ESCAPE.search(written):
        fields["escapes_in_replacement"] = False
    if compat == "ctxlab" and _is_for_reasoning(script):
        fields["in_reasoning"] = True
    if flavor == "python":
        fields["flavor"] = flavor
    return RegexRule(**{key: value for key, value in fields.items() if value is not None})


def rule_to_script(rule: RegexRule) -> Data:
    """The script of a rule: the one it was read from, with what changed since.

    A rule that SillyTavern would misread, of Python's flavour or with code to run, comes out switched off.
    """
    original: Any = (rule.carried or {}).get(KEY)
    made = _written(rule)
    if not isinstance(original, dict):
        return made
    compat: Compat = "reference" if (rule.carried or {}).get(COMPAT) == "reference" else "ctxlab"
    before = script_to_rule(cast("Data", original), index=int(rule.order or 0), id=rule.id, compat=compat)
    return cast("Data", patched(original, _written(before), made)) if before is not None else made


def preset_of(
    scripts: Sequence[Any], *, name: str, id: str, compat: Compat = "ctxlab"
) -> tuple[RegexPreset, list[Loss]]:
    """A preset of these scripts, and what could not be read; scripts that look for nothing are kept in `carried`."""
    ids, losses = Names(), list[Loss]()
    rules: list[RegexRule] = []
    idle: list[Data] = []
    for index, script in enumerate(scripts):
        found: list[Loss] = []
        rule = None
        if isinstance(script, dict):
            data = cast("Data", script)
            rule = script_to_rule(
                data, index=index, id=ids.take(_id_of(data) or f"script-{index + 1}"), losses=found, compat=compat
            )
        if rule is None:
            found.append(Loss("", "a script that looks for nothing" if isinstance(script, dict) else "no script"))
            idle.append({"after": rules[-1].id if rules else None, "script": script})
        else:
            rules.append(rule)
        losses += [loss.inside(f"script {index + 1}") for loss in found]
    carried: Data = {"scripts_without_rule": idle} if idle else {}
    return RegexPreset(id=id, name=name, rules=tuple(rules), carried={KEY: carried}), losses


def scripts_of(preset: RegexPreset) -> list[Any]:
    """The scripts of a preset: those it was read from, with what changed since."""
    carried = coerce.as_object((preset.carried or {}).get(KEY))
    idle: dict[Any, list[Any]] = {}
    for kept in carried.get("scripts_without_rule") or ():
        idle.setdefault(kept["after"], []).append(kept["script"])
    scripts: list[Any] = idle.pop(None, [])
    for rule in preset.rules:
        scripts.append(rule_to_script(rule))
        scripts += idle.pop(rule.id, [])
    return scripts + [script for rest in idle.values() for script in rest]


def misread(preset: RegexPreset) -> Iterator[Loss]:
    """A loss for what scripts can't say of a preset."""
    if not preset.enabled:
        yield Loss("", "the set is switched off, which scripts can't say")
    if preset.model_match is not None and preset.model_match.enabled:
        yield Loss("modelMatch", "scripts have no place for it; left out")
    for rule in preset.rules:
        place = f"rule {rule.shown_name!r}"
        if rule.enabled and rule_to_script(rule).get("disabled"):
            yield Loss(place, "SillyTavern can't run it as it is meant; it is written switched off")
        if rule.replacement_type == "script" and not rule.has_script:
            yield Loss(place, "it is for code and has none; it is written as the find and replace that it also is")
        if rule.apply_in_streaming is False:
            yield Loss(place, "that it waits for the end of a message has no place in a script; left out")
        if "tool" in rule.target_roles:
            yield Loss(place, "a script is for no tool's messages; that role is left out")


def scripts_json(preset: RegexPreset) -> Export[bytes]:
    """A file of scripts in UTF-8, indented: the one script, as SillyTavern exports it, or a list of several."""
    scripts = scripts_of(preset)
    return Export(as_json(scripts[0] if len(scripts) == 1 else scripts, indent=2), tuple(misread(preset)))


# --- reading


def _id_of(script: Data) -> str:
    found = script.get("id")
    return found if isinstance(found, str) else ""


def _stages(script: Data, losses: list[Loss] | None, compat: Compat) -> AppliesTo:
    shown = coerce.field(script, "markdownOnly", coerce.flag, False, losses)
    sent = coerce.field(script, "promptOnly", coerce.flag, False, losses)
    if shown and sent and compat == "reference":
        sent = False
    stages = AppliesTo(render=shown or not sent, request=sent or not shown)
    return stages if shown or sent or compat == "reference" else stages.with_(arrival=True)


def _roles(script: Data, losses: list[Loss] | None, compat: Compat) -> tuple[Role, ...]:
    """Roles whose messages it is for; slash commands, of which there are none here, and reasoning are for no role.

    The reference takes reasoning for the assistant's words, and no role for all roles.
    """
    placement = script.get("placement")
    if placement is not None and not isinstance(placement, list):
        if losses is not None:
            losses.append(Loss("placement", f"{coerce.shown(placement)} is no list; the script is for everyone"))
        return EVERYONE
    roles: list[Role] = []
    for place in cast("list[Any]", placement or []):
        if place == 0 and type(place) is int:
            return EVERYONE
        if isinstance(place, int) and not isinstance(place, bool) and (place != REASONING or compat == "reference"):
            roles += ROLES.get(place, ())
    default = EVERYONE if compat == "reference" or placement is None else ()
    return tuple(dict.fromkeys(roles)) or default


def _is_for_reasoning(script: Data) -> bool:
    placement = script.get("placement")
    return isinstance(placement, list) and REASONING in placement


def _depths(script: Data, losses: list[Loss] | None, compat: Compat) -> DepthRange | None:
    """SillyTavern takes depths below 0 for none; the reference makes a range of what isn't there."""
    bounds: dict[str, int] = {}
    for key, name in (("minDepth", "min"), ("maxDepth", "max")):
        found = coerce.field(script, key, coerce.whole, -1, losses)
        if script.get(key) is not None and (found >= 0 or compat == "reference"):
            bounds[name] = found
    absent = compat == "reference" and not ({"minDepth", "maxDepth"} <= script.keys())
    return DepthRange(**bounds) if bounds or absent else None


# --- writing


def _written(rule: RegexRule) -> Data:
    pattern = pattern_of(rule)
    depths = rule.depth_range or DepthRange()
    script: Data = {
        "id": rule.id,
        "scriptName": rule.name or "",
        "findRegex": f"/{pattern.body}/{pattern.flags}",
        "replaceString": rule.replacement if rule.flavor == "python" else to_tavern(unescaped(rule)),
        "trimStrings": list(rule.trim_strings or ()),
        "placement": [
            *(PLACEMENT[role] for role in rule.target_roles if role in PLACEMENT),
            *([REASONING] if rule.in_reasoning else []),
        ],
        "disabled": not rule.enabled or not _runs_there(rule),
        # Neither means there that the stored chat is altered for good.
        "markdownOnly": rule.apply_to.render and not rule.apply_to.arrival,
        "promptOnly": rule.apply_to.request and not rule.apply_to.arrival,
        "runOnEdit": True,
        "substituteRegex": next(number for number, mode in SUBSTITUTION.items() if mode == rule.substitution_mode),
        "minDepth": depths.min,
        "maxDepth": depths.max,
    }
    return script | ({"flavor": "python"} if rule.flavor == "python" else {})


def _runs_there(rule: RegexRule) -> bool:
    runs_somewhere = rule.apply_to.render or rule.apply_to.request
    return runs_somewhere and rule.flavor == "javascript" and not rule.has_script


# --- scripts inside cards and presets


def rules_inside(
    *places: Mapping[str, Any], name: str, id: str, priority: int, compat: Compat = "ctxlab"
) -> tuple[RegexPreset | None, list[Loss]]:
    """The scripts of the first place that has some, as one set of rules; None where there are none."""
    scripts = next((found for place in places if isinstance(found := place.get(SCRIPTS), list) and found), None)
    if scripts is None:
        return None, []
    rules, losses = preset_of(
        cast("list[Any]", scripts), name=f"{name}: regex scripts", id=f"{id}-regex", compat=compat
    )
    return rules.with_(priority=priority), [loss.inside(SCRIPTS) for loss in losses]


def scripts_of_agent(agent: Agent) -> list[Any]:
    """The agent's rules as scripts, without those that a preset brought to its card."""
    return [script for preset in _own(agent) for script in scripts_of(preset)]


def misread_of_agent(agent: Agent) -> list[Loss]:
    """Losses: fields of rules that those scripts don't have."""
    return [
        loss.inside(f"set of rules {preset.id or preset.name!r}") for preset in _own(agent) for loss in misread(preset)
    ]


def _own(agent: Agent) -> list[RegexPreset]:
    others = (agent.carried or {}).get(RULES_OF_PRESET) or ()
    return [preset for preset in (agent.regex_config.presets if agent.regex_config else ()) if preset.id not in others]


# --- replacements

# SillyTavern knows `$1`, `$<name>`, `$0` and `{{match}}`; any other `$` is just a `$`. JavaScript's own, which rules
# have, gives a meaning to `$$`, `$&`, `` $` `` and `$'` too: a script that puts code in its place (`'$' + price`) would
# come out garbled.


def from_tavern(template: str) -> str:
    """As rules have it.

    >>> from_tavern("$1: $0 costs $$5")
    '$1: {{match}} costs $$$5'
    """
    return SPECIAL.sub(lambda found: "$$" if found[0] == "$" else "{{match}}", template)


def to_tavern(template: str) -> str:
    """As scripts have it; the texts before and after a match have no name there."""
    return OURS.sub(lambda found: "$" if found[1] == "$" else "{{match}}", template)


def has_macros(template: str) -> bool:
    """Whether there is one besides `{{match}}`."""
    return "{{" in MATCH.sub("", template)


# --- files


BOOKKEEPING: Final = frozenset({"findRegex"})
"""Fields that regular expressions are made of."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_script)


def _is_script(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    keys = cast("Data", data).keys()
    return "findRegex" in keys and not {"scriptName", "replaceString"}.isdisjoint(keys)


def read(source: Source) -> Import:
    scripts = cast("list[Any]", source.data if isinstance(source.data, list) else [source.data])
    only: Any = scripts[0] if len(scripts) == 1 else None
    name = only.get("scriptName") if isinstance(only, dict) else None
    preset, losses = preset_of(scripts, name=name if isinstance(name, str) and name else source.stem, id=source.stem)
    found = Import(rules=(preset,), losses=(*source.losses, *losses))
    return with_unsent_texts(found, source, BOOKKEEPING)


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The only set of rules, or the picked one."""
    export = scripts_json(pick_rules(found, pick))
    return export.after(
        left_out(
            found, ("sessions", "agents", "users", "books", "quick_actions", "knowledge_bases"), "no rules; left out"
        )
    )


REGEX_SCRIPTS = Format(
    "sillytavern-regex", "script", (".regex.json",), sniff=sniff, read=read, write=write, holds=("rules",)
)
