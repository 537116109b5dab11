"""The Python half of the text that a model reads: rows, what was dropped, remedies that change the run, tokens."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.engines.chat_templates.instruct import read_instruct_preset
from ctxlab.errors import CtxlabError, UnknownName, WrongArgument
from ctxlab.local_models import LocalModel
from ctxlab_widgets import SentView
from ctxlab_widgets.sent_view.model_text import FIELDS, MOST_EFFECTS
from tests.gallery.samples import harbour
from tests.local_models.small_models import hugging_face
from tests.rendering.test_rendered import CHAT, CHATML, FIRST_ALONE, PRESET, STRICT, run
from tests.widgets.test_sent_view import command, payload


def shown(view: SentView) -> dict[str, Any]:
    """The text's value with the tables that the page puts together."""
    held, text = payload(view), json.loads(view.model_text)
    tables = {name: [*held[name][: text["since"][name]], *text[name]] for name in ("texts", "causes", "spans")}
    return {**text, **tables}


def rows(view: SentView) -> list[str]:
    """The text of each row as the page puts it together."""
    text = shown(view)
    return [
        "".join(text["texts"][text["spans"][i][0]] for _, spans in stretches for i in spans)
        for _, stretches in text["rows"]
    ]


def test_the_text_comes_when_it_is_looked_at_and_not_before() -> None:
    view = SentView(harbour(), template=CHATML)
    assert (view.reader, view.model_text) == ("chatml", "")

    view.reading = "text"

    assert "".join(rows(view)) == view.rendered.text
    assert [row[0] for row in shown(view)["rows"]] == [*range(len(harbour().result.drafts)), -1]
    assert len(view.model_text) < len(view.view) / 3  # the words are in the tables of the run


def test_words_have_the_origins_that_they_have_in_the_run() -> None:
    view = SentView(harbour(), template=CHATML, reading="text")
    text = shown(view)

    kinds: dict[str, set[str]] = {}
    for _, stretches in text["rows"]:
        for field, spans in stretches:
            kinds.setdefault(FIELDS[field], set()).update(text["spans"][i][1] for i in spans)

    assert kinds["content"] >= {"node", "preset", "lore", "macro"}
    assert kinds["template"] == kinds["special"] == {"template"}


def test_other_runs_bring_their_own_text_and_only_what_is_new_of_the_tables() -> None:
    view = SentView(harbour(), template=CHATML, reading="text")

    for budget in (2000, 1700, 1800):
        view.trace = harbour().rerun({"token-limiter.budget_tokens": budget})

        assert "".join(rows(view)) == view.rendered.text == ctxlab.rendered(view.trace, CHATML).text


def test_a_run_that_was_built_for_a_model_needs_no_other(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="a vocabulary needs the extra `local`")
    model = ctxlab.local_model(hugging_face(tmp_path / "tiny"))
    view = SentView(ctxlab.build(CHAT, model=model), reading="text")

    assert view.reader == "tiny"
    assert view.rendered.text == ctxlab.rendered(view.trace, model).text
    assert shown(view)["cuts"] == "tiny"
    view.read_as(template=FIRST_ALONE)
    assert (view.reader, shown(view)["cuts"]) == ("first system alone", "tiny")
    view.read_as()
    assert view.reader == "tiny"
    view.trace = ctxlab.build(CHAT)
    assert (view.reader, view.reading, view.model_text) == ("", "chat", "")


def test_a_name_is_one_of_the_models_templates_and_a_file_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "first.jinja"
    path.write_text(FIRST_ALONE.source, "utf-8")
    model = LocalModel("m", {"default": CHATML, "rag": STRICT})

    assert SentView(run(CHAT), model=model, template="rag", reading="text").rendered.refusal is not None
    view = SentView(run(CHAT), model=model, template=path, reading="text")

    assert view.reader == "m"
    assert view.rendered.text == ctxlab.rendered(run(CHAT), FIRST_ALONE).text


def test_a_preset_reads_it_too_and_takes_no_engine() -> None:
    view = SentView(run(CHAT), template=read_instruct_preset(PRESET, name="mine"), reading="text")

    assert shown(view)["engine"] == "sillytavern"
    assert "".join(rows(view)) == view.rendered.text
    with pytest.raises(WrongArgument, match="takes no engine"):
        SentView(run(CHAT), template=read_instruct_preset(PRESET), engine="llama.cpp")


def test_the_engine_is_the_one_that_is_named() -> None:
    chat = [{"role": "developer", "content": "Be kind."}, *CHAT[1:3]]
    given = run(chat).rerun({"convert-system.enabled": False})
    view = SentView(given, template=CHATML, engine="llama.cpp", reading="text")

    assert view.rendered.text == ctxlab.rendered(given, CHATML, engine="llama.cpp").text
    assert shown(view)["engine"] == "llama.cpp"


def test_a_dropped_message_has_a_place_and_its_remedy_is_the_one_that_was_tried() -> None:
    view = SentView(run(CHAT), template=FIRST_ALONE, reading="text")
    late = view.trace.result.drafts[3].key

    (gone,) = shown(view)["gone"]
    assert gone == [3, late, 3]
    assert late not in view.remedies
    command(view, command="template_remedies")
    found = json.loads(view.remedies)

    assert found[late] == {
        "text": "System messages are joined at the top.",
        "label": "Keep it",
        "price": None,
        "able": True,
    }
    assert found["template"]["label"] == "Keep all"
    before = view.trace
    command(view, command="apply_remedy", key=late)
    assert view.error == ""
    assert "Be brief from here on." in "".join(rows(view))
    assert view.effect["label"] == f"Keep it: {late.partition(':')[2]}"
    view.back()
    assert view.trace is before


def test_a_refusal_has_its_words_its_line_and_a_remedy() -> None:
    view = SentView(run(CHAT), template=STRICT, reading="text")

    refused = shown(view)["refused"]
    assert refused["words"] == "System message must be at the beginning. (line 2)"
    assert refused["source"].startswith("{{ raise_exception(")
    assert rows(view) == []
    command(view, command="template_remedies")
    command(view, command="apply_remedy", key="template")

    assert view.effect["label"] == "Mend it"
    assert shown(view)["refused"] is None
    assert "Be brief from here on." in "".join(rows(view))


def test_what_no_step_mends_is_said() -> None:
    nothing = ctxlab.JinjaTemplate("{{ messages[0].content[:3] }}", "hardly anything")
    view = SentView(run(CHAT), template=nothing, reading="text")

    command(view, command="template_remedies")

    assert not json.loads(view.remedies)["template"]["able"]
    command(view, command="apply_remedy", key="template")
    assert view.error == "None of the formatter steps that were tried mends it."


def test_many_effects_are_counted_and_so_many_listed() -> None:
    said = [{"role": "user", "content": f"words {n}"} for n in range(MOST_EFFECTS + 50)]
    view = SentView(run(said), template=ctxlab.JinjaTemplate("{{ messages[-1].content }}", "last"), reading="text")

    text = shown(view)
    assert text["counts"]["dropped"] == len(text["gone"]) == MOST_EFFECTS + 49
    assert len(text["effects"]) == MOST_EFFECTS


def test_tokens_of_the_rows_that_are_asked_for_end_where_those_of_the_whole_text_do(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="a vocabulary needs the extra `local`")
    chat = [{"role": "user", "content": "灯塔 🫠 and\nthe lamp"}, {"role": "assistant", "content": "It is. 灯"}]
    view = SentView(ctxlab.build(chat, model=ctxlab.local_model(hugging_face(tmp_path / "tiny"))), reading="text")
    assert view.tokens == ""

    command(view, command="tokens", rows=[0])
    assert list(json.loads(view.tokens)["rows"]) == ["0"]
    command(view, command="tokens", rows=[1, 2, 99])

    held = json.loads(view.tokens)
    assert held["total"] == view.rendered.tokens
    starts = [0]
    for row in rows(view):
        starts.append(starts[-1] + len(row.encode("utf-16-le")) // 2)
    ends = [starts[int(row)] + end for row, (mine, _) in sorted(held["rows"].items()) for end in mine]
    assert len(ends) == held["total"]
    assert all(a <= b for a, b in pairwise(ends))
    assert ends[-1] == starts[-1]
    assert held["rows"]["0"][1]  # a token ends inside a character


def test_without_a_vocabulary_there_are_no_tokens_and_without_a_template_no_text() -> None:
    view = SentView(run(CHAT), template=CHATML, reading="text")

    command(view, command="tokens", rows=[0])

    assert view.error == "the vocabulary of chatml isn't at hand, so its tokens aren't known"
    assert shown(view)["cuts"] is None
    with pytest.raises(CtxlabError, match="give the view a model or a template"):
        SentView(run(CHAT), reading="text")
    with pytest.raises(WrongArgument, match="m has no template, so its text isn't known"):
        SentView(run(CHAT), model=LocalModel("m"))
    with pytest.raises(UnknownName):
        SentView(run(CHAT), template=LocalModel("m"), model=LocalModel("n"))


def test_a_page_without_python_has_the_text_with_it() -> None:
    view = SentView(run(CHAT), template=FIRST_ALONE)

    view.keep_for_page()

    assert "".join(rows(view)) == view.rendered.text
    assert "template" in json.loads(view.remedies)


@pytest.mark.parametrize("message", [{"command": "tokens", "rows": ["1"]}, {"command": "tokens"}])
def test_what_is_no_command_is_refused(message: dict[str, Any]) -> None:
    view = SentView(run(CHAT), template=CHATML)

    view._handle_custom_msg(message, [])

    assert "is no command of the SentView" in view.error
