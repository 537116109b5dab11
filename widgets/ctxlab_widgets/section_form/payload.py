"""Sections of settings as the page gets them: fields as those of a step, under the headings of their section."""

from __future__ import annotations

from typing import Any

from ctxlab.chat.plugin_settings import PluginSettings
from ctxlab.display.one_line import plain

TITLE, WORDS = 80, 400


def sections_json(values: PluginSettings, models: list[str], layer: str) -> list[dict[str, Any]]:
    """The form of each section; a field for a model offers those that are named.

    `layer` is that of values which are set, empty where nobody needs to know.
    """
    return [_section(form, models, layer) for form in values.forms()]


def _section(form: dict[str, Any], models: list[str], layer: str) -> dict[str, Any]:
    fields = {each["name"]: _field(each, models, layer) for group in form["groups"] for each in group["fields"]}
    groups = [
        {
            "title": plain(group["title"], TITLE),
            "description": plain(group["description"], WORDS),
            "settings": [each["name"] for each in group["fields"]],
        }
        for group in form["groups"]
    ]
    return {
        "id": form["id"],
        "title": plain(form["title"], TITLE),
        "description": plain(form["description"], WORDS),
        "settings": fields,
        "groups": groups,
    }


def _field(described: dict[str, Any], models: list[str], layer: str) -> dict[str, Any]:
    left_out = ("name", "default", "is_set", "group")
    kept = {name: value for name, value in described.items() if name not in left_out}
    own = {"layer": layer if layer and described["is_set"] else "default", "read_with": None}
    own |= {"title": described["title"] or described["name"].replace("_", " ")}
    return kept | own | ({"choices": models} if described["type"] == "model" else {})


def initial_json(values: PluginSettings) -> dict[str, Any]:
    """The values to which fields go back, as the form of a step compares with."""
    return {
        form["id"]: {
            "enabled": True,
            "settings": {
                each["name"]: [each["value"], "default"] for group in form["groups"] for each in group["fields"]
            },
        }
        for form in values.forms()
    }
