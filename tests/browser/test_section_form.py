"""Settings by section and a user profile in a browser: fields of every kind, errors at their fields, keys."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

import ctxlab
from ctxlab import UserProfile
from ctxlab_widgets import SettingsForm, UserForm
from tests.browser.conftest import Opened
from tests.gallery.samples import TIDY


def test_settings_are_typed_chosen_and_told_where_they_are_wrong(opened: Opened, tmp_path: Path) -> None:
    form = SettingsForm(
        ctxlab.plugin_settings({"plugins": {"acme.gone": {"x": 1}}}, sections=[TIDY]), models=["gpt-4o"]
    )
    page = opened.show(form, tmp_path)
    expect(page.get_by_text("Kept for plugins that are not installed: acme.gone.")).to_be_visible()

    share = page.get_by_label("Share", exact=True)
    share.fill("9")
    share.press("Enter")
    opened.pump(form)
    expect(page.get_by_role("alert").get_by_text("Share must be at most 1, not 9.")).to_be_visible()
    assert (share.get_attribute("aria-invalid"), share.input_value()) == ("true", "9")
    share.press("Escape")
    assert share.input_value() == "0.5"

    words = page.get_by_label("Words", exact=True)
    words.focus()
    page.keyboard.insert_text("灯塔")
    page.keyboard.press("Enter")
    page.keyboard.insert_text("<b>pier</b>")
    page.keyboard.press("Control+Enter")
    page.get_by_label("Way", exact=True).select_option(label="hard")
    page.get_by_label("Model", exact=True).fill("gpt-4o")
    page.get_by_label("Model", exact=True).press("Enter")
    opened.pump(form)
    stored = {"words": ["灯塔", "<b>pier</b>"], "way": "hard", "model": "gpt-4o"}
    assert form.settings.to_data()["plugins"] == {"acme.gone": {"x": 1}, "acme.tidy": stored}

    page.get_by_role("button", name="Undo Way").click()
    opened.pump(form)
    assert form.settings.values("acme.tidy")["way"] == "soft"
    page.get_by_role("heading", name="Tidy").get_by_role("button").click()
    expect(page.get_by_text("5 fields, 2 set")).to_be_visible()


def test_a_profile_is_typed_in_lines_and_saved_by_a_key(opened: Opened, tmp_path: Path) -> None:
    form = UserForm(UserProfile(id="ada", name="Ada", content="Keeps books."), bound_to="沈砚")
    page = opened.show(form, tmp_path)
    expect(page.get_by_text("bound to the agent 沈砚")).to_be_visible()
    save = page.get_by_role("button", name="Save")
    expect(save).to_have_attribute("aria-disabled", "true")

    persona = page.get_by_label("Persona", exact=True)
    persona.focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Enter")
    page.keyboard.insert_text("她不信故事。")
    page.get_by_label("Name", exact=True).focus()
    opened.pump(form)
    expect(save).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Control+s")
    opened.pump(form)

    assert form.user is not None
    assert form.user.content == "Keeps books.\n她不信故事。"
    expect(page.get_by_text("Saved: form.user is the edited profile.")).to_be_visible()
