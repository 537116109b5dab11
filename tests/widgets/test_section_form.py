"""Settings by section and user profiles as forms: what is typed is checked, kept, undone, and counts in the chat."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field, field_validator

import ctxlab
from ctxlab import Agent, Library, MessageAction, RegexConfig, RegexPreset, SettingsSection, UserProfile, Worldbook
from ctxlab.errors import CtxlabError
from ctxlab_widgets import SettingsForm, UserForm
from ctxlab_widgets._shared.widget import Widget
from tests.widgets.chat_models import Page, because, chat


class Tidy(BaseModel):
    share: float = Field(0.5, ge=0, le=1, title="Share")
    words: tuple[str, ...] = Field((), title="Words")


TIDY = SettingsSection("acme.tidy", "Tidy", Tidy)
ADA, LUO = UserProfile(id="ada", name="Ada", content="Keeps books."), UserProfile(id="luo", name="Luo")
WEI, SHEN = Agent(id="wei", name="Wei"), Agent(id="shen", name="Shen", user_profile_id="ada")


def settings(stored: dict[str, Any] | None = None) -> ctxlab.PluginSettings:
    return ctxlab.plugin_settings({"plugins": stored or {}}, sections=[TIDY])


def view(form: Widget) -> Any:
    return json.loads(form.view)  # type: ignore[attr-defined]


def asks(form: Widget, command: str, **fields: Any) -> str:
    """Send a command as the page does; what is refused comes back as the sentence."""
    form._handle_custom_msg({"command": command, **fields}, [])
    return form.error or form.refused.get("text", "")  # type: ignore[attr-defined]


def opened(page: Page, name: str) -> Any:
    assert page.asks("open", view=name, key="") == ""
    return page.panel.page.opened


# --- settings


def test_a_change_is_checked_kept_in_the_settings_and_undone() -> None:
    form = SettingsForm(settings())

    assert asks(form, "set", step="acme.tidy", name="share", value=0.25) == ""
    assert form.settings.to_data() == {"plugins": {"acme.tidy": {"share": 0.25}}}
    assert view(form)["undo"] == "Tidy: Share"
    assert asks(form, "undo") == ""
    assert form.settings.to_data() == {"plugins": {}}
    assert asks(form, "redo") == ""
    assert asks(form, "undo", step="acme.tidy", name="share") == ""
    assert form.settings.values("acme.tidy")["share"] == 0.5


def test_a_wrong_value_is_told_at_its_field_and_changes_nothing() -> None:
    form = SettingsForm(settings())
    before = form.settings

    told = asks(form, "set", step="acme.tidy", name="share", value=9)

    assert told == "Tidy, Share must be at most 1, not 9."
    assert form.refused == {"step": "acme.tidy", "name": "share", "text": told}
    assert form.settings is before
    assert asks(form, "set", step="acme.tidy", name="words", value=["灯塔"]) == ""
    assert form.refused == {}


@pytest.mark.parametrize(
    "command",
    [
        {"command": "set", "step": "acme.tidy", "name": "share"},
        {"command": "set", "step": 3, "name": "share", "value": 1},
        {"command": "set", "step": "gone", "name": "share", "value": 1},
        {"command": "undo", "step": "acme.tidy", "name": "shore"},
        {"command": "undo"},
        {"command": "save"},
        {"command": "remove"},
        {},
    ],
)
def test_what_can_not_be_done_is_refused_in_a_sentence(command: dict[str, Any]) -> None:
    form = SettingsForm(settings({"acme.tidy": {"share": 1}}))
    before = form.settings

    form._handle_custom_msg(command, [])

    assert form.error or form.refused
    assert form.settings is before


def test_values_of_a_plugin_that_is_gone_survive_and_are_named() -> None:
    form = SettingsForm(settings({"acme.gone": {"deep": [1]}}))

    form.set_value("acme.tidy", "share", 1)

    assert form.settings.to_data()["plugins"] == {"acme.gone": {"deep": [1]}, "acme.tidy": {"share": 1.0}}
    assert view(form)["notes"] == ["Kept for plugins that are not installed: acme.gone."]


def test_a_model_of_a_package_that_raises_refuses_the_value() -> None:
    class Odd(BaseModel):
        name: str = "x"

        @field_validator("name")
        @classmethod
        def _broken(cls, value: str) -> str:
            if value != "x":
                raise KeyError(value)
            return value

    form = SettingsForm(ctxlab.plugin_settings(sections=[SettingsSection("odd", "Odd", Odd)]))

    assert asks(form, "set", step="odd", name="name", value="y") == "Odd, Name isn't taken: KeyError: 'y'"


def test_the_chats_own_settings_stand_before_those_of_plugins_and_count_at_once() -> None:
    page = Page(model=because, plugin_settings=settings({"translation": {"targetLangList": ["Latin"]}}))
    form = opened(page, "settings")

    assert [each["title"] for each in view(form)["sections"]] == [
        "What is sent",
        "Translation",
        "Names of conversations",
        "Completion",
        "Tidy",
    ]
    assert [each["id"] for each in page.shown("head")["languages"]] == ["Chinese", "English", "Latin"]
    form.set_value("translation", "messageTargetLang", "Greek")
    form.set_value("topicNaming", "enabled", True)
    form.set_value("acme.tidy", "share", 1)
    assert page.shown("head")["languages"][0]["id"] == "Greek"
    assert page.panel.topic.settings.enabled
    assert page.panel.plugin_settings.to_data()["plugins"] == {
        "translation": {"targetLangList": ["Latin"], "messageTargetLang": "Greek"},
        "topicNaming": {"enabled": True},
        "acme.tidy": {"share": 1.0},
    }
    again = Page(model=because, plugin_settings=page.panel.plugin_settings.to_data())
    assert again.panel.translations.settings == page.panel.translations.settings
    page.panel.page.close()


def test_what_a_chat_is_given_for_a_section_counts_before_what_is_stored() -> None:
    stored = {"plugins": {"topicNaming": {"enabled": True}, "inputCompletion": {"maxTokens": 9}}}

    page = Page(model=because, plugin_settings=stored, topic_naming={"contextMessageCount": 2})

    assert (page.panel.topic.settings.enabled, page.panel.topic.settings.context_message_count) == (False, 2)
    assert page.panel.completions.settings.max_tokens == 9


def test_a_plugin_can_add_to_a_section_of_the_chat_but_not_take_its_settings() -> None:
    class More(BaseModel):
        glossary: str = "none"

    class Taken(BaseModel):
        prompt: str = "mine"

    found = ctxlab.plugin_settings(
        sections=[SettingsSection("translation", "More", More), SettingsSection("translation", "Taken", Taken)]
    )

    panel = Page(model=because, plugin_settings=found).panel

    form = next(each for each in panel.plugin_settings.forms() if each["id"] == "translation")
    names = [each["name"] for group in form["groups"] for each in group["fields"]]
    assert names.count("prompt") == names.count("glossary") == 1
    assert "section 'translation' has a setting 'prompt' already" in panel.error


def test_an_action_of_a_plugin_reads_its_settings_as_they_are_now() -> None:
    def tell(session: ctxlab.Session, key: str, values: Any) -> str:
        return f"{key}: {values['share']}"

    action = MessageAction("tell", "Tell", tell, section="acme.tidy")
    page = Page(model=because, message_actions=[action], plugin_settings=settings())
    page.panel.plugin_settings = page.panel.plugin_settings.with_value("acme.tidy", "share", 0.75)

    assert page.asks("message_action", key="a2", id="tell") == ""

    assert page.panel.effect == {"label": "Tell", "text": "a2: 0.75"}
    with pytest.raises(CtxlabError, match=r"action 'Tell' can't be run: there is no section 'acme.tidy'"):
        ctxlab.run_message_action(action, chat(), "a2")


# --- user profiles


def profile() -> UserProfile:
    rules = RegexConfig(presets=(RegexPreset(id="r", name="Tidy"), RegexPreset(id="q", enabled=False)))
    return UserProfile.model_validate(
        {"id": "ada", "name": "Ada", "worldbookIds": ["far", "pier"], "mood": "calm"}
    ).with_(regex_config=rules)


def test_a_profile_is_edited_with_its_books_and_rules_and_given_by_a_save() -> None:
    given = profile()
    form = UserForm(given, books=[Worldbook(id="pier", name="The pier"), Worldbook(id="light")])

    assert [each["title"] for each in view(form)["sections"]] == ["Profile", "Lorebooks", "Rules"]
    assert asks(form, "set", step="profile", name="content", value="灯塔\nkeeper") == ""
    assert asks(form, "set", step="lore", name="book_0", value=False) == ""
    assert asks(form, "set", step="lore", name="book_2", value=True) == ""
    assert asks(form, "set", step="rules", name="set_1", value=True) == ""
    assert form.user is given
    assert asks(form, "save") == ""

    saved = form.user
    assert saved is not None
    assert (saved.content, saved.worldbook_ids) == ("灯塔\nkeeper", ("pier", "light"))
    assert saved.regex_config is not None
    assert [each.enabled for each in saved.regex_config.presets] == [True, True]
    assert (saved.name, saved.model_extra) == ("Ada", {"mood": "calm"})
    assert view(form)["dirty"] is False
    form.undo()
    assert (form.edited.worldbook_ids, view(form)["dirty"]) == (("pier", "light"), True)


def test_a_form_that_was_not_changed_or_changed_back_gives_the_very_profile() -> None:
    given = profile()
    form = UserForm(given)

    form.set_value("profile", "name", "Ada Lin")
    assert view(form)["dirty"] is True
    form.reset("profile", "name")

    assert form.edited is given
    assert asks(form, "save") == "there is nothing to save"
    assert asks(form, "set", step="profile", name="name", value=3) == "Profile, Name must be a text, not 3."
    assert asks(UserForm(), "set", step="profile", name="name", value="x") == "the UserForm shows nothing to edit"


def test_the_user_is_edited_below_the_chat_which_goes_on_with_the_edited_one() -> None:
    page = Page(Library(sessions=(chat(),), agents=(WEI,), users=(ADA, LUO)), WEI, user=ADA, model=because)
    form = opened(page, "user")

    form.set_value("profile", "name", "Ada Lin")
    form.save()

    assert page.row("u1")["who"] == "Ada Lin"
    for user, name in (("luo", "Luo"), ("ada", "Ada Lin")):
        assert page.asks("choose", what="user", id=user) == ""
        assert page.row("u1")["who"] == name
    page.panel.page.close()


def test_a_user_that_an_agent_binds_counts_before_the_chosen_one() -> None:
    page = Page(Library(sessions=(chat(),), agents=(WEI, SHEN), users=(ADA, LUO)), WEI, user=LUO, model=because)

    def now() -> tuple[str, str]:
        head = page.shown("head")
        return head["user"]["now"], head["boundTo"]

    assert now() == ("luo", "")
    page.asks("choose", what="agent", id="shen")
    assert now() == ("ada", "Shen")
    assert "bound to the agent Shen" in view(opened(page, "user"))["sentence"]
    assert page.asks("choose", what="user", id="luo") == (
        "the agent Shen is bound to Ada: Luo counts where an agent binds nobody"
    )
    assert now() == ("ada", "Shen")
    page.asks("choose", what="agent", id="wei")
    assert now() == ("luo", "")
    page.panel.page.close()


def test_without_a_user_there_is_none_to_edit() -> None:
    assert Page(model=because).asks("open", view="user", key="") == "no user profile takes part: there is none to edit"


def test_a_binding_to_a_user_that_is_not_at_hand_binds_nobody() -> None:
    agent = SHEN.with_(user_profile_id="nobody")

    page = Page(Library(sessions=(chat(),), agents=(agent,), users=(ADA, LUO)), agent, user=LUO, model=because)

    assert (page.shown("head")["user"]["now"], page.shown("head")["boundTo"]) == ("luo", "")
    assert page.asks("choose", what="user", id="ada") == ""
