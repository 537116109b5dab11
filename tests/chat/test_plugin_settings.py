"""Settings of plugins: sections, forms, values, and what is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

import ctxlab
from ctxlab import PluginSettings, SettingsSection, plugin_settings
from ctxlab.chat.plugin_settings import forget_sections
from ctxlab.errors import WrongArgument, WrongSetting
from ctxlab.pipeline import FormGroup, StepForm, form_hints
from tests.promises.test_formats import texts, values

Installed = Callable[..., None]

MODULE = """
from pydantic import BaseModel, Field
from ctxlab import SettingsSection

class Search(BaseModel):
    deep: bool = Field(False, title="Look deeper")

class More(BaseModel):
    wide: int = Field(3, ge=1, title="Width")

class Wrong(BaseModel):
    needed: int

class Odd(BaseModel):
    many: int = Field(9, le=5)

GOOD = [SettingsSection("acme.search", "Search", Search), SettingsSection("acme.search", "Again", More)]
TWICE = SettingsSection("acme.search", "Search", Search)
WITHOUT_DEFAULT = SettingsSection("acme.wrong", "Wrong", Wrong)
ODD_DEFAULT = SettingsSection("acme.odd", "Odd", Odd)
NOT_ONE = 3
"""


class Tidy(BaseModel):
    active: bool = Field(True, title="Tidy up", description="Whether anything is done.")
    share: float = Field(0.5, ge=0, le=1, title="Share")
    way: Literal["soft", "hard"] = Field("soft", title="Way", json_schema_extra=form_hints(labels={"soft": "gently"}))
    words: tuple[str, ...] = Field((), title="Words")
    model: str = Field("", title="Model", json_schema_extra=form_hints(kind="model", placeholder="the chat's"))
    prompt: str = Field("", title="Prompt", json_schema_extra=form_hints(kind="lines"))
    most_lines: int = Field(10, ge=1, alias="mostLines")


SECTION = SettingsSection("tidy", "Tidy", Tidy, form=StepForm(groups=(FormGroup("Main", ("active", "share")),)))


def settings(stored: object = None) -> PluginSettings:
    return plugin_settings(stored, sections=[SECTION])  # type: ignore[arg-type]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    def install(*points: str) -> None:
        (tmp_path / "acme_settings.py").write_text(MODULE, encoding="utf-8")
        about = tmp_path / "acme_settings-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-settings\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join(["[ctxlab.plugin_settings]", *points, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))
        forget_sections()

    yield install
    monkeypatch.undo()
    forget_sections()


def test_a_form_says_each_field_with_its_type_and_value_by_groups() -> None:
    (form,) = settings({"plugins": {"tidy": {"share": 0.25}}}).forms()

    assert [(group["title"], len(group["fields"])) for group in form["groups"]] == [("Main", 2), ("", 5)]
    fields = {each["name"]: each for group in form["groups"] for each in group["fields"]}
    assert {name: each["type"] for name, each in fields.items()} == {
        "active": "boolean",
        "share": "number",
        "way": "choice",
        "words": "texts",
        "model": "model",
        "prompt": "lines",
        "mostLines": "integer",
    }
    share, way = fields["share"], fields["way"]
    assert (share["minimum"], share["maximum"], share["value"], share["default"], share["is_set"]) == (
        0,
        1,
        0.25,
        0.5,
        True,
    )
    assert (way["choices"], way["labels"], way["is_set"]) == (["soft", "hard"], ["gently", ""], False)
    assert fields["active"]["description"] == "Whether anything is done."


def test_a_value_is_set_taken_back_and_what_is_not_known_stays() -> None:
    stored = {"plugins": {"tidy": {"odd": 1}, "gone": {"x": [1]}}, "more": 2}

    made = settings(stored).with_value("tidy", "most_lines", 3).with_value("tidy", "words", ["灯塔"])

    assert made.to_data() == {
        "plugins": {"tidy": {"odd": 1, "mostLines": 3, "words": ["灯塔"]}, "gone": {"x": [1]}},
        "more": 2,
    }
    assert made.values("tidy")["most_lines"] == 3
    assert made.without_value("tidy", "mostLines").without_value("tidy", "words").to_data() == stored


@pytest.mark.parametrize(
    ("section", "name", "value", "sentence"),
    [
        ("tidy", "share", 9, "Tidy, Share must be at most 1, not 9."),
        ("tidy", "way", "rough", "Tidy, Way must be one of 'soft' or 'hard', not 'rough'."),
        ("tidy", "words", ["a", 3], "Tidy, Words, at 1, must be a text, not 3."),
        ("tidy", "share", float("inf"), "Tidy, Share must be a finite number, not inf."),
        ("tidy", "shore", 1, "section 'tidy' has no setting 'shore'; did you mean 'share'?"),
        ("tydi", "share", 1, "there is no section 'tydi' of settings; there are: tidy"),
    ],
)
def test_a_wrong_value_is_refused_in_a_sentence(section: str, name: str, value: object, sentence: str) -> None:
    with pytest.raises(WrongSetting) as refusal:
        settings().with_value(section, name, value)

    assert str(refusal.value) == sentence


def test_a_wrong_stored_value_is_kept_named_and_not_used() -> None:
    found = settings({"plugins": {"tidy": {"share": "much"}}})

    assert found.values("tidy")["share"] == 0.5
    assert [note.text for note in found.notes] == ["Tidy, Share must be a number, not 'much'. The default is used."]
    (share,) = (each for each in found.forms()[0]["groups"][0]["fields"] if each["name"] == "share")
    assert (share["value"], share["error"]) == ("much", "Tidy, Share must be a number, not 'much'.")
    assert found.with_value("tidy", "share", 1).notes == ()


@given(values)
def test_whatever_is_stored_is_read_and_written_as_it_was(stored: object) -> None:
    for data in ({"plugins": {"tidy": stored, "gone": stored}}, {"plugins": {"tidy": {"share": stored}}, "x-": stored}):
        found = settings(data)

        assert found.to_data() == data
        assert set(found.values("tidy")) == set(Tidy.model_fields)
        assert found.with_value("tidy", "active", False).values("tidy")["active"] is False


@given(st.sampled_from(sorted(Tidy.model_fields)), values | texts)
def test_a_value_that_is_taken_can_be_read_again(name: str, value: object) -> None:
    try:
        made = settings().with_value("tidy", name, value)
    except WrongSetting:
        return
    again = settings(made.to_data())
    assert again.notes == ()
    assert again.values("tidy") == made.values("tidy")


def test_packages_bring_sections_and_items_of_one_section(installed: Installed) -> None:
    installed("search = acme_settings:GOOD")

    found = plugin_settings()

    (form,) = (each for each in found.forms() if each["id"] == "acme.search")
    assert (form["title"], [group["fields"][0]["title"] for group in form["groups"]]) == (
        "Search",
        ["Look deeper", "Width"],
    )
    assert found.with_value("acme.search", "wide", 5).values("acme.search") == {"deep": False, "wide": 5}
    assert found.notes == ()


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("missing", "AttributeError"),
        ("NOT_ONE", "it is int, not a SettingsSection"),
        ("WITHOUT_DEFAULT", "setting 'needed' of section 'acme.wrong' has no default"),
        ("ODD_DEFAULT", "the default of setting 'many' of section 'acme.odd' isn't taken"),
        ("TWICE", "section 'acme.search' has a setting 'deep' already"),
    ],
)
def test_a_broken_plugin_is_named_and_left_out(installed: Installed, point: str, why: str) -> None:
    installed("a = acme_settings:GOOD", f"broken = acme_settings:{point}")

    found = plugin_settings()

    (note,) = found.notes
    assert note.text.startswith("plugin 'broken' of package 'acme-settings' is left out: ")
    assert why in note.text
    assert [section.id for section in found.sections] == ["acme.search", "acme.search"]


def test_a_section_of_one_s_own_that_can_t_be_used_is_refused() -> None:
    with pytest.raises(WrongArgument, match="section 'tidy' has a setting 'active' already"):
        plugin_settings(sections=[SECTION, SECTION])
    with pytest.raises(WrongArgument, match="the step has no setting 'nothing'"):
        plugin_settings(sections=[SettingsSection("t", "T", Tidy, form=StepForm(hints={"nothing": {}}))])


def test_stored_settings_pickle_and_are_a_document() -> None:
    stored = ctxlab.plugin_settings({"plugins": {"a": {"b": 1}}}).stored

    assert plugin_settings(stored).to_data() == {"plugins": {"a": {"b": 1}}}
