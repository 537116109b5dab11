"""Promises of quick actions: typed text goes in letter for letter, and what was read is written as it was."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab import LineProcessing, QuickAction, QuickActionSet, apply_quick_action
from ctxlab.engines.regexes.process_lines import process_lines
from ctxlab.formats import quick_actions_json, quick_actions_zip, quick_replies_json, read_bytes, read_data
from ctxlab.formats.sillytavern.quick_replies import set_of, set_to_data
from tests.promises.test_formats import texts, unknown, values

hostile = texts | st.sampled_from(["{{user}}", "{{trim}}", "$&", "__TRIM__", "{{input}}", "}}", "{{", "你好 {{", "\\n"])
typed = st.lists(hostile, max_size=4).map("".join)
actions = st.builds(
    lambda fields, more: QuickAction.model_validate({**fields, **more}),
    st.fixed_dictionaries(
        {"label": texts, "content": texts},
        optional={
            "id": texts,
            "autoSend": st.booleans(),
            "isEnabled": st.booleans(),
            "description": texts,
            "hotkey": texts,
            "lineProcessing": st.fixed_dictionaries({}, optional={"prefix": texts, "enabled": st.booleans()}),
            "inputPlace": st.sampled_from(["before", "after"]),
        },
    ),
    unknown,
)
sets = st.lists(
    st.builds(
        lambda name, held, more: QuickActionSet.model_validate({"name": name, "actions": held, **more}),
        texts,
        st.lists(actions.map(lambda action: action.to_data()), max_size=3),
        unknown,
    ),
    min_size=1,
    max_size=3,
).map(lambda found: tuple(each.with_(id=f"{index} {each.name}") for index, each in enumerate(found)))

FLAGS = st.booleans() | st.sampled_from([0, 1, "true", "no", "", None])
REPLY = {
    "label": texts,
    "title": texts,
    "preventAutoExecute": FLAGS,
    "automationId": texts,
    "executeOnUser": FLAGS,
    "contextList": st.lists(values, max_size=2),
}
messages = texts | st.sampled_from(["/echo", "{{input}}", None])
SECOND = REPLY | {"id": st.integers(0, 3) | texts, "message": messages, "isHidden": FLAGS}
FIRST = REPLY | {"mes": messages, "hidden": FLAGS, "enabled": FLAGS, "autoExecute_chatLoad": FLAGS}
AROUND: dict[str, Any] = {"name": texts | st.none(), "color": values, "version": values}
SECOND_AROUND = AROUND | {"disableSend": FLAGS, "placeBeforeInput": FLAGS, "injectInput": FLAGS}
FIRST_AROUND = AROUND | {"quickActionEnabled": FLAGS, "placeBeforeInputEnabled": FLAGS, "AutoInputInject": FLAGS}


def replies(key: str, reply: dict[str, Any], around: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    one = st.fixed_dictionaries({}, optional=reply) | values
    listed = st.fixed_dictionaries({key: st.lists(one, max_size=4)}, optional=around)
    return st.builds(lambda known, more: {**more, **known}, listed, unknown)


files = replies("qrList", SECOND, SECOND_AROUND) | replies("quickReplySlots", FIRST, FIRST_AROUND)


@given(typed, st.data())
def test_typed_text_goes_in_letter_for_letter(text: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))

    applied = apply_quick_action(QuickAction(content="<q>{{input}}</q>"), text, (start, end))

    inside = text[start:end] or text
    assert applied.text[applied.start : applied.caret] == f"<q>{inside}</q>"
    assert applied.text == (f"{text[:start]}<q>{inside}</q>{text[end:]}" if end > start else f"<q>{inside}</q>")


@given(st.text(st.sampled_from("ab \n\r"), max_size=12), texts, texts)
def test_every_line_gets_its_prefix_and_suffix_once_and_no_line_break_changes(text: str, one: str, two: str) -> None:
    made, problem = process_lines(text, LineProcessing(prefix=f"<{one}", suffix=f"{two}>"))

    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert problem == ""
    assert len(made) == len(text) + len(lines) * (len(one) + len(two) + 2)
    assert process_lines(text, LineProcessing()) == (text, "")


@given(sets)
def test_sets_are_read_as_they_were_written(found: tuple[QuickActionSet, ...]) -> None:
    assert read_bytes(quick_actions_json(found).data, "sets.json").quick_actions == found
    assert read_bytes(quick_actions_zip(found).data, "sets.zip").quick_actions == found


@given(files)
@settings(max_examples=60)
def test_quick_replies_are_written_as_they_were_read(data: dict[str, Any]) -> None:
    (found,) = read_data(data).quick_actions

    assert set_to_data(found) == data


@given(files, texts)
@settings(max_examples=60)
def test_another_label_changes_only_the_label(data: dict[str, Any], label: str) -> None:
    found = set_of(data)
    if not found.actions:
        return
    key = "qrList" if "qrList" in data else "quickReplySlots"
    changed = found.model_copy(update={"actions": (found.actions[0].with_(label=label), *found.actions[1:])})

    written = set_to_data(changed)

    place = next(index for index, reply in enumerate(data[key]) if isinstance(reply, dict))
    reply = {name: value for name, value in written[key][place].items() if name != "label"}
    assert {**written, key: 0} == {**data, key: 0}
    assert reply == {name: value for name, value in data[key][place].items() if name != "label"}
    assert [*written[key][:place], *written[key][place + 1 :]] == [*data[key][:place], *data[key][place + 1 :]]
    assert set_of(written).actions[0].label == label


@given(sets, values, values)
def test_whatever_a_file_says_that_is_carried_a_set_is_written(
    found: tuple[QuickActionSet, ...], around: Any, inside: Any
) -> None:
    kept = {"sillytavern": around, "version": 2, "others": inside, "name": inside}
    for each in found:
        actions = [{**action.to_data(), "carried": {"sillytavern": inside, "version": 2}} for action in each.actions]
        strange = QuickActionSet.model_validate({**each.to_data(), "actions": actions, "carried": kept})

        assert len(set_to_data(strange)["qrList"]) >= len(each.actions)


@given(sets)
def test_what_quick_replies_have_no_place_for_is_a_loss(found: tuple[QuickActionSet, ...]) -> None:
    for each in found:
        export = quick_replies_json(each)
        (again,) = read_bytes(export.data, "replies.json").quick_actions

        keeps = [("label", "content"), ("label", "content", "auto_send", "input_place", "is_enabled")]
        for name in keeps[not export.losses]:
            assert [getattr(one, name) for one in again.actions] == [getattr(one, name) for one in each.actions]
