"""Settings of plugins: sections under the entry point group `ctxlab.plugin_settings`, their values, their forms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted
from ctxlab.documents import Note
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.plugin_settings import StoredPluginSettings
from ctxlab.documents.refusal_sentence import refusal_sentence
from ctxlab.documents.stored import read_stored
from ctxlab.errors import WrongArgument, WrongSetting, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.settings.setting_form_fields import field_of, takes_texts
from ctxlab.pipeline.settings.step_forms import PLAIN, StepForm
from ctxlab.plugins import Plugin, announced, raised

GROUP = "ctxlab.plugin_settings"


@dataclass(frozen=True, slots=True)
class SettingsSection:
    """A section of settings: a pydantic model whose fields have a title, a description and a default.

    A switch is a `bool`, a number an `int` or a `float` with its bounds, a choice a `Literal`, a list a
    `tuple[str, ...]`; a `str` is a text, and with `form_hints(kind="lines")` or `kind="model"` several lines or a
    model's name. `id` is the key of its values in files, such as `my-package.tidy`. Sections of one id are one: the
    first gives its title.
    """

    id: str
    title: str
    settings: type[BaseModel]
    description: str = ""
    icon: str = ""
    form: StepForm = PLAIN

    def items(self) -> Iterator[SettingItem]:
        for name, info in self.settings.model_fields.items():
            yield SettingItem(info.alias or name, name, info, self)

    def problem(self) -> str:
        """The reason why it can't be used, as a sentence; empty where it can."""
        if not (isinstance(self.id, str) and self.id and isinstance(self.title, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
            return "a section has an id and a title, which are texts"
        if not (isinstance(self.settings, type) and issubclass(self.settings, BaseModel)):  # pyright: ignore[reportUnnecessaryIsInstance]
            return f"settings of section {self.id!r} are a pydantic model, got {self.settings!r:.60}"
        without = next((name for name, info in self.settings.model_fields.items() if info.is_required()), None)
        if without is not None:
            return f"setting {without!r} of section {self.id!r} has no default"
        for item in self.items():
            if wrong := item.error(item.default):
                return f"the default of setting {item.own_name!r} of section {self.id!r} isn't taken: {wrong}"
        return self.form.problem(self.settings)


@dataclass(frozen=True, slots=True)
class SettingItem:
    """A setting of a section: its name in files, its name in Python, and what it takes."""

    name: str
    own_name: str
    info: FieldInfo
    section: SettingsSection

    @property
    def default(self) -> Any:
        """The default as it would be stored."""
        return _plain(self.section.settings.model_validate({}), self.own_name)

    def error(self, value: object) -> str:
        """The reason why it doesn't take a value, as a sentence; empty where it does."""
        try:
            self.stored(value)
        except WrongSetting as refusal:
            return str(refusal)
        return ""

    def stored(self, value: object, beside: Mapping[str, Any] | None = None) -> Any:
        """The value as it is stored; raises WrongSetting for one that it doesn't take.

        `beside` are values of other settings of the section, by their names in files.
        """
        title = self.info.title or self.own_name.replace("_", " ").capitalize()
        if isinstance(value, float) and not math.isfinite(value):
            raise WrongSetting(f"{self.section.title}, {title} must be a finite number, not {value}.")
        try:
            made = self.section.settings.model_validate({**(beside or {}), self.name: value})
        except ValidationError as refusal:
            error = refusal.errors(include_url=False)[0]
            inside = ".".join(str(step) for step in error["loc"][1:])
            subject = f"{self.section.title}, {title}{f', at {inside},' if inside else ''}"
            raise WrongSetting(refusal_sentence(subject, error, error["input"])) from None
        except Exception as error:  # somebody else's model may raise anything
            raise WrongSetting(f"{self.section.title}, {title} isn't taken: {raised(error)}") from None
        return _plain(made, self.own_name)

    def as_data(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The data from which a form draws it; a stored value that it doesn't take has an error, and isn't used."""
        described = self.section.form.hinted(self.own_name, field_of(self.info))
        error = self.error(values[self.name]) if self.name in values else ""
        return {
            **described,
            "name": self.name,
            "type": "texts" if takes_texts(self.info) else described["type"],
            "description": described.get("description") or self.info.description or "",
            "default": self.default,
            "value": values.get(self.name, self.default),
            "is_set": self.name in values,
            "error": error,
        }


@dataclass(frozen=True, slots=True, repr=False)
class PluginSettings:
    """Sections of settings with the values that are stored; `notes` name plugins and values that can't be used."""

    sections: tuple[SettingsSection, ...] = ()
    stored: StoredPluginSettings = field(default_factory=StoredPluginSettings)
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        ids = len({each.id for each in self.sections})
        return f"PluginSettings({counted(ids, 'section')}, {counted(len(self.notes), 'note')})"

    def _repr_html_(self) -> str:
        rows = (
            (
                section["title"],
                each["title"] or each["name"],
                str(each["value"]),
                "set" if each["is_set"] else "default",
            )
            for section in self.forms()
            for group in section["groups"]
            for each in group["fields"]
        )
        head = ("section", "setting", "value", "from")
        return heading(self) + html_table(head, rows, of="settings") + lines(note.text for note in self.notes)

    @checked_arguments
    def values(self, section: str) -> Mapping[str, Any]:
        """The values of a section by their names in Python; the default where none is stored, or a wrong one."""
        stored = self._stored_in(section)
        return FrozenDict(
            {
                item.own_name: stored[item.name]
                if item.name in stored and not item.error(stored[item.name])
                else item.default
                for item in self._items(section).values()
            }
        )

    @checked_arguments
    def with_value(self, section: str, name: str, value: Any) -> PluginSettings:
        """The settings with another value; raises WrongSetting for one that isn't taken, in a sentence."""
        item = self.item(section, name)
        before = self._stored_in(section)
        beside = {
            each.name: before[each.name]
            for each in item.section.items()
            if each.name in before and not each.error(before[each.name])
        }
        return self._with_section(section, {**before, item.name: item.stored(value, beside)})

    @checked_arguments
    def without_value(self, section: str, name: str) -> PluginSettings:
        """The settings in which a setting has its default again."""
        item = self.item(section, name)
        before = self._stored_in(section)
        return self._with_section(section, {key: value for key, value in before.items() if key != item.name})

    def forms(self) -> list[dict[str, Any]]:
        """The form of each section as data: title, description, icon, and groups of fields in their order.

        A field says name, title, description, type (boolean, integer, number, text, lines, model, choice, texts, json),
        choices with labels, minimum, maximum, default, value, whether it is set, and the error of a wrong stored value.
        """
        return [self._form(id, parts) for id, parts in self._by_id().items()]

    def to_data(self) -> dict[str, Any]:
        """The stored values as plain JSON data."""
        return self.stored.to_data()

    def _form(self, id: str, parts: Sequence[SettingsSection]) -> dict[str, Any]:
        stored = self._stored_in(id)
        groups: list[dict[str, Any]] = []
        for part in parts:
            items = {item.own_name: item for item in part.items()}
            for group in part.form.groups_of(part.settings):
                fields = [items[name].as_data(stored) for name in group["settings"]]
                groups.append({"title": group["title"], "description": group["description"], "fields": fields})
        first = parts[0]
        return {
            "id": id,
            "title": first.title,
            "description": first.description,
            "icon": first.icon,
            "groups": groups,
        }

    def _by_id(self) -> dict[str, list[SettingsSection]]:
        found: dict[str, list[SettingsSection]] = {}
        for section in self.sections:
            found.setdefault(section.id, []).append(section)
        return found

    def _items(self, section: str) -> dict[str, SettingItem]:
        """The settings of a section by their names in files."""
        parts = self._by_id()
        if section not in parts:
            raise WrongSetting(f"there is no section {section!r} of settings{did_you_mean(section, list(parts))}")
        return {item.name: item for part in parts[section] for item in part.items()}

    @checked_arguments
    def item(self, section: str, name: str) -> SettingItem:
        """The setting of a section by its name in files or in Python; raises WrongSetting where there is none."""
        items = self._items(section)
        own = {item.own_name: item for item in items.values()}
        found = items.get(name) or own.get(name)
        if found is None:
            raise WrongSetting(f"section {section!r} has no setting {name!r}{did_you_mean(name, list(own))}")
        return found

    def _stored_in(self, section: str) -> Mapping[str, Any]:
        held = self.stored.plugins.get(section)
        return cast("Mapping[str, Any]", held) if isinstance(held, Mapping) else {}

    def _with_section(self, section: str, values: Mapping[str, Any]) -> PluginSettings:
        plugins = {**self.stored.plugins, section: dict(values)}
        if not values:
            del plugins[section]
        stored = self.stored.with_(plugins=plugins)
        wrong = _wrong_values(self.sections, stored)
        kept = [note for note in self.notes if "setting" not in note.details]
        return replace(self, stored=stored, notes=(*kept, *wrong))


@checked_arguments
def plugin_settings(
    stored: StoredPluginSettings | Mapping[str, Any] | None = None, *, sections: Sequence[SettingsSection] = ()
) -> PluginSettings:
    """The settings of plugins: of the packages that are installed, then of `sections`, with the values stored.

    A section of a package that can't be used is left out with a note; one in `sections` is refused. Stored values of
    sections and settings that aren't there are kept.
    """
    problems: list[str] = []
    found: list[SettingsSection] = []
    for plugin in _announced(problems):
        for section in _sections_of(plugin.value):
            problem = _problem(section, found)
            if problem:
                problems.append(plugin.left_out(problem))
            else:
                found.append(cast("SettingsSection", section))
    for section in sections:
        if problem := _problem(section, found):
            raise WrongArgument(f"sections: {problem}")
        found.append(section)
    if isinstance(stored, StoredPluginSettings):
        values, notes = stored, ()
    else:
        values, notes = read_stored(StoredPluginSettings, stored or {}, place="settings of plugins")
    left_out = [Note("warning", problem, details={"group": GROUP}) for problem in problems]
    return PluginSettings(tuple(found), values, (*left_out, *notes, *_wrong_values(found, values)))


def with_sections_first(settings: PluginSettings, sections: Sequence[SettingsSection]) -> PluginSettings:
    """The settings with these sections before its own; one of its own that doesn't go with them is left out.

    What is left out is a note, and its stored values are kept.
    """
    first = tuple(section for section in sections if section not in settings.sections)
    known, problems = list(first), list[str]()
    for section in settings.sections:
        if problem := _problem(section, known):
            problems.append(f"settings {section.title!r} are left out: {problem}")
        else:
            known.append(section)
    left_out = tuple(Note("warning", problem, details={"group": GROUP}) for problem in problems)
    kept = tuple(note for note in settings.notes if "setting" not in note.details)
    return replace(settings, sections=tuple(known), notes=(*kept, *left_out, *_wrong_values(known, settings.stored)))


def _problem(section: object, known: Sequence[SettingsSection]) -> str:
    if not isinstance(section, SettingsSection):
        return f"it is {type(section).__name__}, not a SettingsSection"
    try:
        if problem := section.problem():
            return problem
        taken = {item.name for each in known if each.id == section.id for item in each.items()}
        twice = next((item.name for item in section.items() if item.name in taken), None)
    except Exception as error:  # somebody else's model may raise anything when a value of it is made
        return raised(error)
    return "" if twice is None else f"section {section.id!r} has a setting {twice!r} already"


def _sections_of(value: object) -> Iterable[object]:
    return cast("Iterable[object]", value) if isinstance(value, list | tuple) else (value,)


def _wrong_values(sections: Iterable[SettingsSection], stored: StoredPluginSettings) -> Iterator[Note]:
    """A note for each stored value that its setting doesn't take."""
    for section in sections:
        values: Any = stored.plugins.get(section.id)
        if values is None:
            continue
        if not isinstance(values, Mapping):
            words = f"{section.title}: the stored values are no object; the defaults are used"
            yield Note("warning", words, details={"section": section.id, "setting": ""})
            continue
        held = cast("Mapping[str, Any]", values)
        for item in section.items():
            if item.name in held and (wrong := item.error(held[item.name])):
                details = {"section": section.id, "setting": item.name}
                yield Note("warning", f"{wrong} The default is used.", details=details)


def _plain(made: BaseModel, name: str) -> Any:
    return made.model_dump(mode="json", include={name})[name]


def _announced(problems: list[str]) -> tuple[Plugin, ...]:
    plugins, failed = _looked_up()
    problems += failed
    return plugins


@cache
def _looked_up() -> tuple[tuple[Plugin, ...], tuple[str, ...]]:
    """All under the group, and what could not be loaded; looked up once per process."""
    problems: list[str] = []
    plugins = tuple(announced(GROUP, problems))
    return plugins, tuple(problems)


def forget_sections() -> None:
    """Look for sections anew: a package was installed."""
    _looked_up.cache_clear()
