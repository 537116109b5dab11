"""A user profile as a form: name, persona, lorebooks, sets of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.plugin_settings import PluginSettings
from ctxlab.documents import UserProfile, Worldbook
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab_widgets.section_form import SectionForm
from ctxlab_widgets.section_form.user_sections import book_ids, switch_name, user_settings, user_with


class UserForm(SectionForm):
    """Edits a user profile; the one that was given stays as it is until a Save gives another as `user`.

    `books` are those that the profile could bring besides its own, `bound_to` is the name of the agent that binds it.

    >>> UserForm(user, books=library.books)  # doctest: +SKIP
    """

    user = traitlets.Instance(UserProfile, allow_none=True)
    """The profile as it was saved last, at first the one given. Set it, and that one is edited."""

    @checked_arguments
    def __init__(self, user: UserProfile | None = None, *, books: Sequence[Worldbook] = (), bound_to: str = "") -> None:
        self._books, self._bound_to = tuple(books), bound_to
        self._book_ids: list[str] = []
        self._is_own_change = False
        super().__init__()
        self.user = user
        self.show()

    def __repr__(self) -> str:
        return f"UserForm({self.user!r})"

    @property
    def edited(self) -> UserProfile:
        """The profile with all changes, also those that are not saved; raises CtxlabError when there is none."""
        return user_with(self._given(), self._now(), self._book_ids)

    def switch_of(self, book: str) -> str:
        """The name of a book's switch in the section `lore`; raises CtxlabError for an id that isn't offered."""
        if book not in self._book_ids:
            raise CtxlabError(f"there is no book {book!r} to choose{did_you_mean(book, self._book_ids)}")
        return switch_name(self._book_ids.index(book))

    def save(self) -> None:
        """Take over all changes into `user`; raises CtxlabError where there are none."""
        edited = self.edited
        if edited is self._given():
            raise CtxlabError("there is nothing to save")
        self._is_own_change = True
        try:
            self.user = edited
        finally:
            self._is_own_change = False
        self.show()
        self.report = "Saved: form.user is the edited profile."

    def _given(self) -> UserProfile:
        if self.user is None:
            raise CtxlabError("the UserForm shows no profile: set its user, or make one of a profile")
        return cast("UserProfile", self.user)

    def _heading(self, values: PluginSettings) -> dict[str, Any]:
        user = self._given()
        edited = self.edited
        bound = f", bound to the agent {self._bound_to}: that counts more than the choice in a chat"
        unsaved = "" if edited is user else " Not saved yet."
        return {
            "title": "User profile",
            "name": edited.shown_name or edited.id,
            "sentence": f"Profile {user.id or user.shown_name}{bound if self._bound_to else ''}.{unsaved}",
            "notes": [note.text for note in values.notes],
            "saves": True,
            "dirty": edited is not user,
        }

    def _initial(self, values: PluginSettings) -> PluginSettings:
        return user_settings(self._given(), self._book_ids, self._books)

    def _reset(self, values: PluginSettings, section: str, name: str) -> PluginSettings:
        item = values.item(section, name)
        return values.with_value(section, name, self._initial(values).values(section)[item.own_name])

    @traitlets.observe("user")
    def _on_user(self, change: Mapping[str, Any]) -> None:
        """Another profile from outside is edited from the start."""
        if not self._is_own_change:
            user = cast("UserProfile | None", change["new"])
            self._book_ids = book_ids(user, self._books) if user is not None else []
            self._begin(user_settings(user, self._book_ids, self._books) if user is not None else None)
