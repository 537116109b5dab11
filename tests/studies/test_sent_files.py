"""The files of a run as values: as they are stored, how the model gets them, and their tokens."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

import ctxlab
from ctxlab import Session, Trace
from ctxlab.context import AssetRef, Cause, Context, Draft, FileRoute, Origin, Text
from ctxlab.errors import CtxlabError
from ctxlab.pipeline.processor import FunctionProcessor
from ctxlab.studies import SentFile, attachment_figure, sent_files
from ctxlab.testing.fakes import WordTokenizer
from tests.gallery.attachments import files_compared, files_run
from tests.studies.test_figures import sound

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def by_name(trace: Trace) -> dict[str, SentFile]:
    return {file.name: file for file in sent_files(trace)}


def with_file(name: str = "map.png", data: bytes = b"no picture", **more: Any) -> Session:
    inline = {"base64": base64.b64encode(data).decode(), "mimeType": "image/png"}
    asset = {"id": "f", "type": "image", "name": name, "mimeType": "image/png", "inlineData": inline, **more}
    return Session(id="s").append("", role="system", id="root").append("see", id="u1", attachments=[asset])


def bare(step: Any, session: Session) -> Trace:
    """A run of the loader and one step of ours, which leaves no report."""
    pipeline = ctxlab.default_pipeline()
    for id in ("transcription-processor", "asset-resolver"):
        pipeline = pipeline.with_setting(f"{id}.enabled", False)
    own = FunctionProcessor(step, id="own-step", priority=260)
    return ctxlab.build(session, pipeline=pipeline.with_processor(own), services=ctxlab.Services(WordTokenizer()))


def test_each_file_says_how_the_model_gets_it_and_why() -> None:
    files = by_name(files_run(budget_tokens=None))

    assert files["evening_light.jpg"].sent_as == "picture"
    assert files["pilot_notes.pdf"].way == "goes as a file"
    assert files["repair_letter.docx"].way == "goes as text, read by docx"
    assert files["duty_roster.xlsx"].places == ("sheet Watch", "sheet 雾笛记录")
    assert files["fog_horn.wav"].way == "goes as a description only"
    assert "shell script" in files["lamp.png"].problem
    assert all(file.reason for file in files.values())


def test_what_the_model_does_not_read_goes_otherwise() -> None:
    files = by_name(files_run("deepseek-chat", None))

    assert (files["pilot_notes.pdf"].sent_as, files["pilot_notes.pdf"].places) == (
        "text",
        ("page 1", "page 2", "page 3"),
    )
    assert files["evening_light.jpg"].sent_as == "description"


def test_a_file_whose_message_was_cut_says_so() -> None:
    run = files_run()
    cut = {draft.key for group in run.result.dropped for draft in group.drafts}

    files = sent_files(run)

    assert {file.key for file in files if file.cut} == {file.key for file in files} & cut != set()
    assert all(file.sent == "is not sent" for file in files if file.cut)


@pytest.mark.parametrize("model", ["gpt-4o", "deepseek-chat"])
def test_tokens_of_files_are_those_of_the_budget_whether_they_go_as_files_or_as_text(model: str) -> None:
    run = files_run(model, None)

    spent = run.budget()

    assert spent["attachments"] == sum(file.tokens for file in sent_files(run))
    assert spent.drop(["free", "reserve"], errors="ignore").sum() == run.tokens


def test_words_of_a_file_are_counted_apart_from_those_of_its_message() -> None:
    session = with_file("tides.txt", b"high tide at six, low tide at noon", type="text", mimeType="text/plain")
    run = ctxlab.build(session, model="gpt-4o", services=ctxlab.Services(WordTokenizer()))

    spent = run.budget()
    characters = ctxlab.studies.Analysis(run, None).shares().set_index("source")["characters"]

    assert spent["history"] == 1
    assert spent["attachments"] >= 8
    assert spent.sum() == run.tokens
    assert characters["history"] == len("see\n")
    assert characters.sum() == sum(len(draft.text) for draft in run.result.drafts)


def test_a_run_without_files_has_none() -> None:
    assert sent_files(ctxlab.build(ctxlab.example("harbour"))) == ()


def test_without_a_report_the_messages_tell() -> None:
    cause = Cause("own-step", "as-words", "its words are enough")

    def read(ctx: Context) -> Context:
        words = Text.of("two words", Origin("transcript", "map.png, page 2"), cause)
        return ctx.edit(lambda draft: draft.with_body((draft.text, words), cause) if draft.assets else draft)

    (file,) = sent_files(bare(read, with_file()))

    assert (file.sent_as, file.places, file.tokens, file.reason) == ("text", ("page 2",), 2, "its words are enough")


def test_without_a_report_a_route_tells() -> None:
    def route(draft: Draft) -> Draft:
        body = [
            replace(part, route=FileRoute("picture", "it reads them", 768, 512)) if isinstance(part, AssetRef) else part
            for part in draft.body
        ]
        return draft.with_body(body, Cause("own-step", "routed", "why"))

    (file,) = sent_files(bare(lambda ctx: ctx.edit(route), with_file()))

    assert (file.way, file.tokens) == ("goes as a picture, 768 × 512", 10)


def test_nothing_decided_is_said_as_it_is() -> None:
    (file,) = sent_files(bare(lambda ctx: ctx, with_file()))

    assert (file.sent_as, file.way) == ("unknown", "goes as it is")


def test_values_show_themselves_in_one_line_and_as_a_table() -> None:
    file = sent_files(files_run())[0]

    assert "\n" not in repr(file)
    assert "<table>" in file._repr_html_()
    assert "base64" not in repr(file) + file._repr_html_() + str(file.as_data())


# --- figures


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_flow_of_all_files_counts_each_once(theme: Any) -> None:
    run = files_run()

    figure = attachment_figure(run, theme=theme)

    sound(figure)
    assert sum(figure.data[0].link.value) == len(sent_files(run))


@pytest.mark.parametrize("name", ["repair_letter.docx", "file-map", "潮汐表.txt", "lamp.png"])
def test_the_way_of_one_file_names_its_stations(name: str) -> None:
    text = sound(attachment_figure(files_run(), name))

    assert all(f"<b>{station}</b>" in text for station in ("stored", "detected", "decided"))
    assert "<b>sent</b>" in text or "<b>not sent</b>" in text


def test_a_hostile_name_is_no_markup_in_a_figure() -> None:
    run = ctxlab.build(with_file("<b>x</b>\u202egnp"), model="gpt-4o")

    text = sound(attachment_figure(run, "f"))

    assert "<b>x</b>" not in text
    assert "\u202e" not in text


def test_nothing_and_unknown_files() -> None:
    sound(attachment_figure(ctxlab.build(ctxlab.example("harbour"))))
    with pytest.raises(CtxlabError, match=r"no file is called 'lamb.png'; did you mean 'lamp.png'"):
        attachment_figure(files_run(), "lamb.png")
    with pytest.raises(CtxlabError, match=r"2 files are called 'harbour_map.png'"):
        attachment_figure(files_run(), "harbour_map.png")
    file = sent_files(files_run())[0]
    sound(attachment_figure(files_run(), file))


# --- elsewhere


def test_a_file_that_goes_differently_is_a_difference() -> None:
    lines = {line.key: line for line in files_compared()}

    assert lines["node:u5"].differs
    assert "evening_light.jpg goes as a picture" in lines["node:u5"].cells[0].cause


def test_why_tells_what_became_of_the_files() -> None:
    assert "evening_light.jpg goes as a picture" in str(files_run().why("node:u5"))
    assert "repair_letter.docx stands as words in it" in str(files_run().why("node:u4"))


def test_a_run_and_its_messages_name_their_files_in_a_notebook() -> None:
    run = files_run()

    assert "evening_light.jpg" in run._repr_html_()
    assert "[picture]" in run.messages._repr_html_()


def test_a_file_of_a_preset_that_became_words_is_counted_like_one_of_a_message() -> None:
    files = {file.key: file for file in sent_files(files_run("deepseek-chat", None)) if file.name == "harbour_map.png"}

    assert files["preset:1"].estimated
    assert files["preset:1"].estimated == files["node:u1"].estimated
    assert files["preset:1"].source is not None


def test_pages_of_a_presentation_are_slides() -> None:
    kept = SentFile("k", "f", type="PowerPoint presentation", mime_type=PPTX, pages=6)

    assert kept.about == "PowerPoint presentation, 6 slides"
    assert SentFile("k", "f", type="PDF document", mime_type="application/pdf", pages=6).about.endswith("6 pages")
