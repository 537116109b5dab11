"""A user profile as sections of settings: who it is, the lorebooks it brings, its sets of rules; and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, create_model

from ctxlab.chat.plugin_settings import PluginSettings, SettingsSection
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import UserProfile, Worldbook
from ctxlab.documents.plugin_settings import StoredPluginSettings
from ctxlab.pipeline import form_hints

PROFILE, LORE, RULES = "profile", "lore", "rules"
NAME = 60


class ProfileFields(BaseModel):
    """The fields of a profile that are typed."""

    name: str = Field("", title="Name", description="What {{user}} becomes.")
    display_name: str | None = Field(
        None, title="Shown name", description="Shown in place of the name; blank: the name."
    )
    content: str = Field(
        "",
        title="Persona",
        description="Who the user is; presets of the agent send it.",
        json_schema_extra=form_hints(kind="lines"),
    )


def user_settings(user: UserProfile, ids: Sequence[str], books: Sequence[Worldbook] = ()) -> PluginSettings:
    """The fields of a profile, a switch for each book of these ids, and one for each set of its rules."""
    values: dict[str, Any] = {
        PROFILE: {name: getattr(user, name) for name in ProfileFields.model_fields},
        LORE: {switch_name(n): id in user.worldbook_ids for n, id in enumerate(ids)},
        RULES: {_set(n): each.enabled for n, each in enumerate(_sets(user))},
    }
    sections = [SettingsSection(PROFILE, "Profile", ProfileFields)]
    if ids:
        sections.append(
            SettingsSection(LORE, "Lorebooks", _book_switches(ids, books), "In force where this user writes.")
        )
    if values[RULES]:
        sections.append(SettingsSection(RULES, "Rules", _set_switches(user), "The profile's own sets of rules."))
    stored = StoredPluginSettings.model_validate({"plugins": {id: held for id, held in values.items() if held}})
    return PluginSettings(tuple(sections), stored)


def user_with(user: UserProfile, values: PluginSettings, ids: Sequence[str]) -> UserProfile:
    """The profile with the values of its form; what isn't in the form stays, and so does what wasn't changed."""
    changes = {name: value for name, value in values.values(PROFILE).items() if value != getattr(user, name)}
    if ids:
        is_on = values.values(LORE)
        bound = tuple(id for n, id in enumerate(ids) if is_on[switch_name(n)])
        changes |= {"worldbook_ids": bound} if set(bound) != set(user.worldbook_ids) else {}
    if user.regex_config is not None and _sets(user):
        is_on = values.values(RULES)
        sets = tuple(_switched(each, on=is_on[_set(n)]) for n, each in enumerate(_sets(user)))
        changes |= {"regex_config": user.regex_config.with_(presets=sets)} if sets != _sets(user) else {}
    return user.with_(**changes) if changes else user


def book_ids(user: UserProfile, books: Sequence[Worldbook]) -> list[str]:
    """Ids of the books that the profile has, then of the others at hand."""
    return list(dict.fromkeys([*user.worldbook_ids, *(book.book_id for book in books if book.book_id)]))


def _book_switches(ids: Sequence[str], books: Sequence[Worldbook]) -> type[BaseModel]:
    known = {book.book_id: book for book in books}

    def fields() -> Iterator[tuple[str, Any]]:
        for n, id in enumerate(ids):
            book = known.get(id)
            about = f"{counted(len(book.entries), 'entry', 'entries')}." if book is not None else "It is not at hand."
            title = plain(book.shown_name if book is not None else id, NAME)
            yield switch_name(n), (bool, Field(False, title=title, description=about))

    return _model("Lorebooks", dict(fields()))


def _set_switches(user: UserProfile) -> type[BaseModel]:
    def fields() -> Iterator[tuple[str, Any]]:
        for n, each in enumerate(_sets(user)):
            title = plain(each.name or each.id or f"set {n + 1}", NAME)
            yield _set(n), (bool, Field(True, title=title, description=f"{counted(len(each.rules), 'rule')}."))

    return _model("Rules", dict(fields()))


def _model(name: str, fields: Mapping[str, Any]) -> type[BaseModel]:
    return create_model(name, **fields)


def _sets(user: UserProfile) -> tuple[Any, ...]:
    return user.regex_config.presets if user.regex_config is not None else ()


def _switched(each: Any, *, on: bool) -> Any:
    return each if each.enabled is on else each.with_(enabled=on)


def switch_name(n: int) -> str:
    """The name of the switch of the book in this place, counted from 0."""
    return f"book_{n}"


def _set(n: int) -> str:
    return f"set_{n}"
