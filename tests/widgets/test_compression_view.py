"""The Python half of a compression: ranges at legal cuts, the summary by hand, facts put back, a step of a history."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ctxlab
from ctxlab import History, Session
from ctxlab.chat.compression import Compression
from ctxlab.errors import CtxlabError, Refused
from ctxlab_widgets import CompressionView
from tests.gallery.samples import agent, compression, harbour, session

RULE = "Never name the 沈砚 family before 5 pm."


def made() -> Compression:
    """Messages with a rule and a number that a summary can lose."""
    said = [RULE, "I won't.", "The box holds 41 letters.", "I see.", "And now?", "We wait."]
    data = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(said)]
    chat = ctxlab.read_data(data).pick()
    return ctxlab.compress(chat, compression={"protectRecentCount": 2}, must_keep=RULE).with_summary("They talked.")


def shown(view: CompressionView) -> dict[str, Any]:
    return json.loads(view.view)


def asked(view: CompressionView, **message: Any) -> CompressionView:
    view._handle_custom_msg(message, [])
    return view


def ids(chat: Session) -> list[str]:
    return [node.id for node in chat.path(chat.active_leaf_id) if not node.is_empty_root]


def test_what_goes_is_between_the_handles_and_both_stand_at_legal_cuts() -> None:
    view = CompressionView(compression())
    data = shown(view)
    start, end = data["range"]

    assert [row[0] for row in data["rows"] if row[4]] == [row[0] for row in data["rows"][start:end]]
    assert {*compression().gone, *compression().folded} == {row[0] for row in data["rows"][start:end]}
    assert data["cuts"][start] is None
    assert data["cuts"][end] is None
    assert len(data["cuts"]) == len(data["rows"]) + 1
    assert data["costs"]["before"] == data["costs"]["same"] + data["costs"]["lost"]
    assert data["costs"]["after"] == data["costs"]["same"] + data["costs"]["new"]


def test_another_range_is_the_compression_that_python_makes_of_it() -> None:
    held = made()
    first, last = ids(held.original)[:2]
    view = asked(CompressionView(held), command="range", first=first, last=last)

    assert view.error == ""
    assert view.compression is not None
    assert view.compression.gone == (first, last)
    assert [item.text for item in view.compression.items] == [RULE]
    assert shown(view)["range"] == [0, 2]


def test_the_text_is_the_summary_and_undo_gives_the_one_before() -> None:
    held = made()
    view = asked(CompressionView(held), command="summary", text="Three 沈砚 letters.")

    assert view.compression is not None
    assert view.compression.summary == "Three 沈砚 letters."
    assert view.session == view.compression.session
    assert asked(view, command="back").compression is held
    assert view.can_go_back is False


def test_a_blank_text_is_refused_in_a_sentence_and_nothing_changes() -> None:
    held = made()
    view = asked(CompressionView(held), command="summary", text=" \n")

    assert "blank text" in view.error
    assert view.compression is held
    assert view.can_go_back is False


def test_what_was_lost_is_put_back_with_its_sentence_and_is_kept_then() -> None:
    view = CompressionView(made())
    facts = shown(view)["report"]["facts"]
    rule = next(i for i, fact in enumerate(facts) if fact["kind"] == "must-keep")
    number = next(i for i, fact in enumerate(facts) if fact["was"][1].startswith("41"))
    assert (facts[rule]["state"], facts[number]["state"]) == ("lost", "lost")
    assert facts[number]["now"] is None

    asked(view, command="put_back", number=number)
    assert view.compression is not None
    assert view.compression.summary == "They talked.\nThe box holds 41 letters."

    facts = shown(view)["report"]["facts"]
    asked(view, command="put_back", number=next(i for i, fact in enumerate(facts) if fact["kind"] == "must-keep"))
    assert view.compression.lost == ()
    assert shown(view)["sentence"].endswith("in every request.")


def test_a_fact_is_shown_with_the_words_around_it_on_both_sides() -> None:
    held = made().with_summary("The box holds 41 letters, they say.")
    number = next(fact for fact in shown(CompressionView(held))["report"]["facts"] if fact["was"][1].startswith("41"))

    assert "".join(number["was"]) == "The box holds 41 letters."
    assert "".join(number["now"]) == held.summary


def test_undo_takes_back_what_counts_and_it_can_count_again() -> None:
    held = made()
    history = History(held.original)
    view = asked(CompressionView(held, history=history), command="apply")
    assert view.can_go_back

    asked(view, command="back")

    assert (view.error, history.session) == ("", held.original)
    assert (view.applied, view.can_apply, view.can_go_back) == ("", True, False)
    assert asked(view, command="apply").error == ""
    assert history.session == held.session


def test_a_history_that_is_undone_elsewhere_lets_it_count_again() -> None:
    held = made()
    history = History(held.original)
    view = asked(CompressionView(held, history=history), command="apply")

    history.undo()
    view.show()

    assert (view.applied, view.can_apply, view.can_go_back) == ("", True, False)


def test_fewer_protected_messages_make_a_compression_possible() -> None:
    chat = ctxlab.compress(made().original, compression={"protectRecentCount": 50})
    view = CompressionView(chat)
    assert "lower the number of protected messages below" in shown(view)["error"]

    asked(view, command="protect", number=2)

    assert (view.error, shown(view)["error"], shown(view)["protect"]) == ("", "", 2)
    assert view.compression is not None
    assert view.compression.gone == made().gone
    assert "0 or more" in asked(view, command="protect", number=-1).error


def test_it_is_applied_to_the_history_that_it_was_given() -> None:
    held = made()
    history = History(held.original)
    view = asked(CompressionView(held, history=history), command="apply")

    assert history.session == held.session
    assert view.can_apply is False
    assert "Undo" in view.applied
    history.undo()
    assert history.session == held.original


def test_whole_ranges_are_those_that_compress_makes() -> None:
    held = made()
    names = ids(held.original)
    settings = {"protectRecentCount": 0}
    free = ctxlab.compress(held.original, compression=settings)

    all_ = asked(CompressionView(free), command="choose_all")
    above = asked(CompressionView(free), command="choose_above", id=names[2])
    below = asked(CompressionView(free), command="choose_below", id=names[3])

    assert [view.compression.gone for view in (all_, above, below) if view.compression is not None] == [
        ctxlab.compress(held.original, compression=settings, **wish).gone
        for wish in ({"everything": True}, {"above": names[2]}, {"below": names[3]})
    ]
    assert [shown(view)["chosen"] for view in (all_, above, below)] == [
        ["all", ""],
        ["above", names[2]],
        ["below", names[3]],
    ]


def test_an_item_to_keep_is_added_checked_and_taken_out_again() -> None:
    view = asked(CompressionView(made()), command="keep", text=" re:\\d+ letters ")

    assert view.compression is not None
    assert [item.text for item in view.compression.items] == [RULE, "41 letters"]
    assert shown(view)["wishes"]["items"] == [RULE, "re:\\d+ letters"]
    asked(view, command="no_longer_keep", number=0)
    assert [item.text for item in view.compression.items] == ["41 letters"]
    assert "no item 4" in asked(view, command="no_longer_keep", number=4).error
    assert "blank" in asked(view, command="keep", text=" ").error
    asked(asked(view, command="back"), command="back")
    assert view.compression.summary == "They talked."


def test_guidance_reaches_the_summariser_in_a_new_preview() -> None:
    tasks: list[str] = []

    def summariser(messages: Any) -> str:
        tasks.append(str(messages))
        return "They talked."

    view = CompressionView(
        ctxlab.compress(made().original, compression={"protectRecentCount": 0}, summariser=summariser)
    )
    asked(view, command="guide", text="Keep times. 引文照抄。")

    assert len(tasks) == 2
    assert "引文照抄" in tasks[1]
    assert shown(view)["wishes"]["guidance"] == "Keep times. 引文照抄。"
    assert shown(view)["instant"] is False
    view.write("By hand.")
    assert (shown(view)["by_hand"], shown(view)["instant"]) == (True, False)
    asked(view, command="write_again")
    assert view.compression is not None
    assert view.compression.summary == "They talked."


def test_a_shorter_copy_of_a_message_is_no_summary() -> None:
    chat = Session().append("Look.").append("", role="assistant", tool_calls=[{"id": "c", "name": "look"}])
    chat = chat.append("The box. " * 200, role="tool", tool_call_id="c").append("I see a box.", role="assistant")
    chat = chat.append("And now?").append("We wait.", role="assistant")
    settings = {"keepToolResults": 0, "protectRecentCount": 0}
    copied = ctxlab.compress(chat, tiers=["tool-results"], compression=settings)
    assert copied.stand_ins
    view = CompressionView(ctxlab.compress(copied.session, everything=True, compression=settings))

    assert [row["is_shown"] for row in shown(view)["compressions"]] == [True]
    assert "summary" not in {row[1] for row in shown(view)["rows"]}


def test_what_is_put_back_has_its_price_in_tokens() -> None:
    view = CompressionView(made())
    number, fact = next((i, each) for i, each in enumerate(shown(view)["report"]["facts"]) if each["kind"] == "number")
    before = shown(view)["costs"]["summary"]

    asked(view, command="put_back", number=number)

    assert shown(view)["costs"]["summary"] == before + fact["price"]


def test_prompts_are_shown_by_source_with_all_their_tokens() -> None:
    costs = shown(CompressionView(compression()))["costs"]

    assert [sum(tokens for _, _, tokens in parts) for parts in costs["parts"]] == [costs["before"], costs["after"]]
    assert "summary" in {look for _, look, _ in costs["parts"][1]}


def test_without_a_history_it_says_how_to_give_one() -> None:
    view = asked(CompressionView(made()), command="apply")

    assert view.can_apply is False
    assert "history=" in view.error


def test_every_compression_of_the_conversation_has_a_row() -> None:
    once = made().session
    again = ctxlab.compress(once, everything=True, compression={"protectRecentCount": 0}, summariser=lambda _: "All.")
    rows = shown(CompressionView(again))["compressions"]

    assert [row["is_shown"] for row in rows] == [False, True]
    assert [row["trigger"] for row in rows] == ["manual", "manual"]
    assert rows[1]["lineage"] == [rows[0]["id"]]
    assert rows[1]["messages"] == 6
    assert rows[0]["after"] is not None


def test_a_compression_that_failed_says_so_and_its_summary_can_be_written_by_hand() -> None:
    chat = made().original
    failed = ctxlab.compress(chat, compression={"protectRecentCount": 2}, summariser=lambda _: "")
    view = CompressionView(failed)
    data = shown(view)

    assert failed.error is not None
    assert failed.error in data["sentence"]
    assert (data["error"], data["editable"], data["instant"], data["report"]) == (failed.error, True, False, None)
    assert shown(asked(view, command="summary", text="They talked."))["error"] == ""


def test_wrong_commands_and_calls_are_refused() -> None:
    view = CompressionView(made())

    assert "no command" in asked(view, command="range", first=1, last="a").error
    assert "no row" in asked(view, command="put_back", number=10**6).error
    assert "nothing was changed" in asked(view, command="back").error
    assert asked(view, command="range", first="nobody", last="nobody").error
    with pytest.raises(CtxlabError, match="no compression"):
        CompressionView().write("words")
    assert repr(CompressionView()) == "CompressionView()"


def test_a_compression_that_was_not_made_by_compress_has_no_other_range() -> None:
    held = made()
    bare = Compression(held.before, held.rebuild, held.settings, summary="words", summary_id="s9", gone=held.gone)

    with pytest.raises(Refused, match="first= and last="):
        bare.with_range(held.gone[0], held.gone[0])
    assert shown(CompressionView(bare))["can_choose"] is False


def test_a_long_path_lists_the_messages_around_the_range() -> None:
    roles = ("user", "assistant")
    data = [{"role": roles[i % 2], "content": f"words {i}"} for i in range(1400)]
    chat = ctxlab.read_data(data).pick()
    names = ids(chat)
    held = ctxlab.compress(chat, first=names[1000], last=names[1003])
    listed = shown(CompressionView(held))

    assert sum(listed["unlisted"]) + len(listed["rows"]) == 1400
    assert [row[0] for row in listed["rows"] if row[4]] == names[1000:1004]
    assert listed["rows"][listed["range"][0]][0] == names[1000]


def test_of_a_run_it_is_what_compress_gives_with_the_settings_of_the_run() -> None:
    view, made = CompressionView(harbour()), ctxlab.compress(session(), agent())

    assert view.compression is not None
    assert (view.compression.gone, view.compression.error) == (made.gone, made.error)


def test_half_a_character_beside_chinese_names_is_no_error() -> None:
    view = asked(CompressionView(made()), command="summary", text="沈砚 \ud83d waits.")

    assert view.error == ""
    assert json.loads(view.view)["summary"] == "沈砚 \ud83d waits."


def test_the_bundled_roleplay_folds_its_earlier_summary() -> None:
    assert session().nodes["s1"].is_summary
    assert shown(CompressionView(compression()))["goes"][0].endswith("and 1 earlier summary")


def test_a_refusal_names_nothing_of_python() -> None:
    for settings in ({"protect_recent_count": 50}, {"protect_recent_count": 3}, {"compress_count": 0}):
        said = [{"role": role, "content": "Yes."} for role in ("user", *["assistant"] * 5)]
        refused = ctxlab.compress(ctxlab.read_data(said).pick(), compression=settings)
        assert refused.error is not None

        sentence = shown(CompressionView(refused))["sentence"]

        assert sentence.startswith("Nothing changes: ")
        assert "_" not in sentence
