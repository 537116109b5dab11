"""Presets, entries of lore and rules that two runs don't have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxlab.context import BuildInput
from ctxlab.display.one_line import plain
from ctxlab.documents import Agent, MessageNode, RegexConfig, UserProfile, Worldbook
from ctxlab.documents.stored import Stored
from ctxlab.studies.run_changes.change import RunChange, Way, arguments, as_written, first_that_makes

NAME = 24
INPUT = "run.start.input"
PLACE = "injection_strategy"


def document_changes(before: BuildInput, after: BuildInput) -> Iterator[RunChange]:
    """A change for each holder of presets, each book and each set of rules that is another one."""
    yield from _of_holder(before.agent, after.agent, "agent")
    yield from _of_holder(before.user, after.user, "user")
    yield from _of_presets(before, after)
    yield from _of_books(before.books, after.books)
    if before.rules != after.rules:
        yield _of_rules(before.rules, after.rules, f"{INPUT}.rules", "run = ctxlab.rebuild(run, rules=rules)")


# --- presets


def _of_holder(old: Agent | UserProfile | None, new: Agent | UserProfile | None, name: str) -> Iterator[RunChange]:
    if old is new or old == new:
        return
    if old is None or new is None or old.id != new.id:
        yield RunChange(f"no {name}" if new is None else f"{name} {plain(new.name or new.id, NAME)}")
        return
    rest = {"preset_messages", "regex_config"}
    if any(getattr(old, field) != getattr(new, field) for field in type(new).model_fields if field not in rest):
        yield RunChange(f"{plain(new.name or new.id, NAME)} changed")
        return
    again = f"run = ctxlab.rebuild(run, {name}={name})"
    presets = old.preset_messages, new.preset_messages
    only_rules = presets[0] == presets[1]
    if not only_rules:
        code = "" if old.regex_config != new.regex_config else _preset_code(old, new, name, again)
        yield RunChange(_preset_label(*presets), code)
    if old.regex_config != new.regex_config:
        yield RunChange(_rule_label(old.regex_config, new.regex_config))


def _preset_code(old: Agent | UserProfile, new: Agent | UserProfile, name: str, again: str) -> str:
    held = f"{INPUT}.{name}"
    changed = _changed_at(old.preset_messages, new.preset_messages)
    if changed is None:
        return ""
    i, was, now = changed
    ways: list[Way] = []
    for place in _places(was, now):
        code = f"{name} = {held}.place_preset({i}, {arguments(place)})"
        ways.append(Way(code, lambda place=place: old.place_preset(i, **place)))
    fields = _other_fields(was, now)
    if fields is not None:
        lines = (
            f"{name} = {held}",
            f"presets = list({name}.preset_messages)",
            f"presets[{i}] = presets[{i}].changed({fields!r})",
            f"{name} = {name}.with_(preset_messages=presets)",
        )
        ways.append(Way("\n".join(lines), lambda: _with_preset(old, i, was.changed(fields))))
    found = first_that_makes(new, ways)
    return f"{found}\n{again}" if found else ""


def _with_preset(holder: Any, i: int, preset: MessageNode) -> Any:
    presets = list(holder.preset_messages)
    presets[i] = preset
    return holder.with_(preset_messages=presets)


def _places(was: MessageNode, now: MessageNode) -> Iterator[dict[str, Any]]:
    """Arguments of `place_preset` that might have led from one place to the other."""
    strategy = now.injection_strategy
    if strategy is None:
        yield {"anchor": ""}
        return
    old = was.injection_strategy
    depth = strategy.depth_config if strategy.depth_config is not None else strategy.depth
    place: dict[str, Any] = {"depth": depth} if depth is not None else {}
    if depth is None and strategy.anchor_target:
        place = {"anchor": strategy.anchor_target, "position": strategy.anchor_position or "after"}
    order = {"order": strategy.order} if strategy.order is not None else {}
    if old is None or old.order != strategy.order:
        yield {**place, **order}
        yield order or place
    if place:
        yield place


def _preset_label(old: Sequence[MessageNode], new: Sequence[MessageNode]) -> str:
    changed = _changed_at(old, new)
    if changed is None:
        return "presets changed"
    _, was, now = changed
    name = plain(now.name or now.content or now.id, NAME)
    if was.is_enabled is not now.is_enabled:
        return f"{name} {'off' if now.is_enabled is False else 'on'}"
    strategy = now.injection_strategy
    if was.injection_strategy == strategy:
        return f"{name} edited"
    if strategy is None:
        return f"{name} in its place"
    if strategy.depth_config is not None or strategy.depth is not None:
        depth = strategy.depth_config if strategy.depth_config is not None else strategy.depth
        return f"{name} at depth {plain(str(as_written(depth)), NAME)}"
    if strategy.anchor_target:
        return f"{name} {strategy.anchor_position or 'after'} {plain(strategy.anchor_target, NAME)}"
    return f"{name} moved"


def _of_presets(before: BuildInput, after: BuildInput) -> Iterator[RunChange]:
    if before.presets == after.presets:
        return
    changed = _changed_at(before.presets, after.presets)
    fields = _other_fields(changed[1], changed[2]) if changed is not None else None
    code = ""
    if changed is not None and fields is not None:
        i, was, now = changed
        lines = (
            f"presets = list({INPUT}.presets)",
            f"presets[{i}] = presets[{i}].changed({fields!r})",
            "run = ctxlab.rebuild(run, presets=presets)",
        )
        code = first_that_makes(now, [Way("\n".join(lines), lambda: was.changed(fields))])
    yield RunChange(_preset_label(before.presets, after.presets), code)


# --- lore


def _of_books(old: Sequence[Worldbook], new: Sequence[Worldbook]) -> Iterator[RunChange]:
    if old is new or old == new:
        return
    changed = _changed_at(old, new)
    if changed is None:
        yield RunChange("other books")
        return
    i, was, now = changed
    names = [name for name in now.entries if was.entries.get(name) != now.entries[name]]
    if len(names) != 1 or was.entries.keys() != now.entries.keys():
        yield RunChange(f"{plain(now.shown_name, NAME)} changed")
        return
    entry_was, entry = was.entries[names[0]], now.entries[names[0]]
    fields = _other_fields(entry_was, entry)
    code = ""
    if fields is not None:
        lines = (
            f"books = list({INPUT}.books)",
            f"books[{i}] = books[{i}].with_entry({names[0]!r}, **{fields!r})",
            "run = ctxlab.rebuild(run, books=books)",
        )
        code = first_that_makes(now, [Way("\n".join(lines), lambda: was.with_entry(names[0], **fields))])
    yield RunChange(f"{plain(entry.title, NAME)}: {_field_words(entry_was, entry)}", code)


# --- rules


def _of_rules(old: RegexConfig, new: RegexConfig, held: str, again: str) -> RunChange:
    found = _changed_rule(old, new)
    code = ""
    if found is not None:
        preset, rule, was, now = found
        fields = _other_fields(was, now)
        if fields is not None:
            lines = (
                f"rules = {held}",
                "presets = list(rules.presets)",
                f"changed = list(presets[{preset}].rules)",
                f"changed[{rule}] = changed[{rule}].changed({fields!r})",
                f"presets[{preset}] = presets[{preset}].with_(rules=changed)",
                "rules = rules.with_(presets=presets)",
                again,
            )
            code = first_that_makes(now, [Way("\n".join(lines), lambda: was.changed(fields))])
    return RunChange(_rule_label(old, new), code)


def _changed_rule(old: RegexConfig, new: RegexConfig) -> tuple[int, int, Any, Any] | None:
    preset = _changed_at(old.presets, new.presets)
    if preset is None:
        return None
    rule = _changed_at(preset[1].rules, preset[2].rules)
    return None if rule is None else (preset[0], *rule)


def _rule_label(old: RegexConfig | None, new: RegexConfig | None) -> str:
    found = _changed_rule(old, new) if old is not None and new is not None else None
    if found is None:
        return "other rules"
    _, _, was, now = found
    return f"{plain(now.shown_name, NAME)}: {_field_words(was, now)}"


# --- any of them


def _changed_at(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, Any, Any] | None:
    """The only place at which two rows differ, and what stands there; None where there are several or none."""
    if len(old) != len(new):
        return None
    found = [(i, a, b) for i, (a, b) in enumerate(zip(old, new, strict=True)) if a is not b and a != b]
    return found[0] if len(found) == 1 else None


def _other_fields(was: Stored, now: Stored) -> dict[str, Any] | None:
    """The fields of `now` that differ, as plain data; None where some can't be given by name."""
    names = [name for name in type(now).model_fields if getattr(was, name) != getattr(now, name)]
    if not names or was.model_extra != now.model_extra:
        return None
    data = now.model_dump(mode="json", by_alias=False, include=set(names))
    return {name: as_written(value) for name, value in data.items()}


def _field_words(was: Stored, now: Stored) -> str:
    names = [name for name in type(now).model_fields if getattr(was, name) != getattr(now, name)]
    if len(names) != 1:
        return "changed"
    (name,) = names
    value = getattr(now, name)
    if name in ("enabled", "is_enabled"):
        return "on" if value else "off"
    if name in ("disable", "disabled"):
        return "off" if value else "on"
    words = name.replace("_", " ")
    if isinstance(value, bool):
        return f"{words} {'on' if value else 'off'}"
    if isinstance(value, int | float | str):
        return f"{words} {plain(str(as_written(value)), NAME)}".strip()
    return f"{words} changed"
