"""SillyTavern's quick replies of both versions, in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ctxlab
from ctxlab import QuickAction, QuickActionSet, apply_quick_action
from ctxlab.formats import quick_replies_json, read_data

SECOND: dict[str, Any] = {
    "version": 2,
    "name": "烟火",
    "disableSend": False,
    "placeBeforeInput": True,
    "injectInput": True,
    "qrList": [
        {"id": 3, "label": "Look", "title": "looks", "message": "*looks*", "preventAutoExecute": True},
        {"id": 4, "label": "Dice", "message": "/roll 2d6", "executeOnAi": True, "contextList": [{"set": "x"}]},
    ],
    "idIndex": 4,
}
FIRST: dict[str, Any] = {
    "name": "old",
    "quickActionEnabled": True,
    "AutoInputInject": True,
    "quickReplySlots": [{"mes": "go on", "label": "Go", "enabled": True}, {"mes": "", "label": "", "hidden": True}],
}


def test_whether_a_reply_is_sent_is_the_set_s_switch_and_not_that_against_running_by_itself() -> None:
    sent = read_data(SECOND).quick_action_set()
    kept = read_data(SECOND | {"disableSend": True}).quick_action_set()

    assert [action.auto_send for action in sent.actions] == [True, True]
    assert [action.auto_send for action in kept.actions] == [False, False]


def test_typed_text_goes_where_the_set_says() -> None:
    second, first = read_data(SECOND).quick_action_set(), read_data(FIRST).quick_action_set()

    assert apply_quick_action(second.action("Look"), "hi").text == "*looks* hi"
    assert apply_quick_action(first.action("Go"), "hi").text == "hi go on"
    alone = read_data(SECOND | {"injectInput": False}).quick_action_set()
    assert apply_quick_action(alone.action("Look"), "hi").text == "*looks*"


def test_slash_commands_are_switched_off_and_what_is_not_used_is_named() -> None:
    found = read_data(SECOND)

    assert [action.is_enabled for action in found.quick_action_set().actions] == [True, False]
    assert [loss.place for loss in found.losses] == ["reply 2, message", "reply 2, executeOnAi", "reply 2, contextList"]
    quiet = read_data(SECOND | {"disableSend": True}).quick_action_set()
    assert quiet.action("Dice").is_enabled  # the command is text for the input then


def test_a_file_goes_through_unchanged_and_into_ours_and_back(tmp_path: Path) -> None:
    for data in (FIRST, SECOND):
        source, ours, back = (tmp_path / name for name in ("in.json", "a.quickactions.json", "b.quickreplies.json"))
        source.write_text(json.dumps(data))

        ctxlab.formats.convert(source, tmp_path / "out.json")
        ctxlab.formats.convert(source, ours)
        ctxlab.formats.convert(ours, back)

        assert json.loads((tmp_path / "out.json").read_bytes()) == data
        assert json.loads(back.read_bytes()) == data


def test_a_set_of_ours_is_written_in_version_2_with_a_loss_for_what_it_can_t_hold() -> None:
    actions = (
        QuickAction(id="a", label="A", content="{{input}}?", auto_send=True, hotkey="F5"),
        QuickAction(id="b", label="B", content="b", is_enabled=False, line_processing={"prefix": "> "}),
    )

    export = quick_replies_json(QuickActionSet(id="s", name="S", description="d", actions=actions, is_enabled=False))

    data = json.loads(export.data)
    assert [(each["id"], each["message"], each["isHidden"]) for each in data["qrList"]] == [
        *((1, "{{input}}?", False), (2, "b", True)),
    ]
    assert (data["version"], data["disableSend"], data["idIndex"]) == (2, False, 2)
    assert [loss.place for loss in export.losses] == [
        *("", "description", "action 'A'", "action 'B'", "action 'B'"),
    ]
