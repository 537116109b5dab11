"""How files of messages reach the model: as text, as files, as pictures of pages, or as a description."""

from __future__ import annotations

from base64 import b64decode, b64encode
from io import BytesIO
from typing import Any

import pytest

import ctxlab
from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.file_types import facts_of
from ctxlab.context import AssetRef, BuildInput, Cause, Context, Draft, Origin, Passage, Text, Transcript
from ctxlab.documents import InlineFile, LibraryFile, LinkedFile, ModelProfile, Session, UploadedFile
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import AssetResolver, TranscriptionProcessor
from ctxlab.testing.fakes import FixedTranscriber, WordTokenizer

STEPS = (TranscriptionProcessor, AssetResolver)


def picture_bytes(width: int = 40, height: int = 20, form: str = "PNG") -> bytes:
    from PIL import Image

    out = BytesIO()
    Image.new("RGB", (width, height), (200, 60, 20)).save(out, form)
    return out.getvalue()


def noise_bytes() -> bytes:
    from PIL import Image

    out = BytesIO()
    Image.effect_noise((300, 300), 90).convert("RGB").save(out, "PNG")
    return out.getvalue()


def animation_bytes() -> bytes:
    from PIL import Image

    out, frames = BytesIO(), [Image.new("L", (60, 60), shade) for shade in (0, 90, 180)]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    return out.getvalue()


def pdf_bytes() -> bytes:
    from pypdfium2 import PdfDocument

    out, pdf = BytesIO(), PdfDocument.new()
    pdf.new_page(200, 100)
    pdf.save(out)
    return out.getvalue()


FILES = {
    "a.txt": b"hello",
    "fence.md": b"```js\n1\n```",
    "p.png": picture_bytes(),
    "wide.bmp": picture_bytes(4000, 1000, "BMP"),
    "broken.png": picture_bytes(64, 64).replace(b"IDAT", b"IDAT\x00\x00"),
    "noise.png": noise_bytes(),
    "moves.gif": animation_bytes(),
    "short.jpg": picture_bytes(64, 64, "JPEG")[:300],
    "empty.png": b"",
    "script.png": b"#!/bin/sh\necho hello\n",
    "r.pdf": pdf_bytes(),
    "z.zip": b"PK\x05\x06" + bytes(18),
}
KINDS = {
    "txt": "document",
    "md": "document",
    "png": "image",
    "bmp": "image",
    "jpg": "image",
    "gif": "image",
    "pdf": "document",
}


def file(name: str, **more: Any) -> AssetRef:
    return AssetRef(f"id-{name}", KINDS.get(name.rpartition(".")[2], "other"), name, source=LibraryFile(name), **more)


def attached(name: str) -> dict[str, Any]:
    inline = {"base64": b64encode(FILES[name]).decode(), "mimeType": ""}
    return {"id": name, "type": "other", "name": name, "inlineData": inline}


def message(key: str, words: str, *files: AssetRef, role: Any = "user") -> Draft:
    origin = Origin("made", key)
    return Draft(key, role, (*((Text.of(words, origin),) if words else ()), *files), origin)


def model(*inputs: str, **limits: Any) -> ModelProfile:
    return ModelProfile(id="m", capabilities={"input": ["text", *inputs], **limits})


READS_TEXT = model()


def run(
    *drafts: Draft,
    model: ModelProfile | None = READS_TEXT,
    texts: dict[str, str | Transcript] | None = None,
    **settings: Any,
) -> Trace:
    known = {LibraryFile(name): text for name, text in (texts or {}).items()}
    services = Services(WordTokenizer(), assets=BuildFiles(FILES), transcriber=FixedTranscriber(known))
    named = {f"transcription-processor.{name}": value for name, value in settings.items()}
    pipeline = Pipeline.of(STEPS).with_settings(named)
    return pipeline.run(Context(BuildInput(Session(), model=model), drafts), services)


def row(trace: Trace, at: int = 0) -> dict[str, Any]:
    return dict(trace.result.report_named("attachments").rows()[at])  # type: ignore[union-attr]


def words(trace: Trace, at: int = 0) -> str:
    return str(trace.result.drafts[at].text)


# --- text


def test_a_text_file_is_read_into_the_message() -> None:
    trace = run(message("u", "see", file("a.txt")), texts={"a.txt": "hello"})

    assert words(trace) == "see\n\n[file: a.txt]\n```\nhello\n```\n"
    assert trace.result.drafts[0].assets == ()
    assert (row(trace)["sent_as"], row(trace)["kind"]) == ("text", "text")


def test_a_fence_is_longer_than_those_inside() -> None:
    trace = run(message("u", "see", file("fence.md")), texts={"fence.md": "```js\n1\n```"})

    assert "\n````\n```js\n1\n```\n````\n" in words(trace)


def test_a_placeholder_gets_the_text_and_each_place_its_own() -> None:
    trace = run(
        message("u", "A【file::id-a.txt】B【file::id-a.txt】C【file::nope】", file("a.txt")), texts={"a.txt": "hello"}
    )

    frame = "\n[file: a.txt]\n```\nhello\n```\n"
    assert words(trace) == f"A{frame}B{frame}C【file::nope】"


def test_a_placeholder_of_a_file_that_goes_along_becomes_a_label() -> None:
    trace = run(
        message("u", "look 【file::id-p.png】", file("a.txt"), file("p.png")),
        model=model("vision"),
        texts={"a.txt": "x"},
    )

    assert "look [attachment 2: p.png]" in words(trace)


def test_text_of_a_file_is_not_looked_through_for_placeholders() -> None:
    files = (file("a.txt"), file("fence.md"))
    trace = run(message("u", "", *files), texts={"a.txt": "【file::id-fence.md】", "fence.md": "words"})

    assert "【file::id-fence.md】" in words(trace)


def test_where_names_the_file_and_the_page() -> None:
    text = Transcript((Passage("first leaf. ", "page 1"), Passage("the second", "page 2")), "pdf")
    trace = run(message("u", "see", file("r.pdf")), texts={"r.pdf": text})

    (found,) = trace.where("second")

    assert found.spans[0].origin == Origin("transcript", "r.pdf, page 2")
    assert "r.pdf, page 2" in str(found)


def test_a_text_that_is_too_long_is_shortened_and_says_so() -> None:
    trace = run(message("u", "see", file("a.txt")), texts={"a.txt": "abc" * 100}, most_characters=10)

    assert "\nabcabcabca\n" in words(trace)
    assert row(trace)["problem"] == "only its first 10 characters are sent"


# --- what a model reads


def test_a_model_that_sees_gets_the_picture_and_one_that_does_not_gets_a_description() -> None:
    sees, blind = (run(message("u", "look", file("p.png")), model=each) for each in (model("vision"), model()))

    (picture,) = sees.result.drafts[0].assets
    assert isinstance(picture.source, InlineFile)
    assert b64decode(picture.source.base64) == FILES["p.png"]
    assert (row(sees)["sent_as"], row(sees)["reason"]) == ("picture", "m reads pictures")
    assert blind.result.drafts[0].assets == ()
    assert words(blind).split("\n")[2:5] == [
        "[Cannot be read] p.png (artifact:id-p.png)",
        "Type: PNG picture",
        "The current model does not read files of this type. An agent whose model does could help with it.",
    ]
    assert row(blind)["reason"].startswith("m reads no pictures, and ")


def test_a_description_is_in_the_language_of_its_message() -> None:
    trace = run(message("u", "看这张图", file("p.png")), message("v", "", file("p.png")), model=model())

    assert "[无法读取] p.png (artifact:id-p.png)\n类型: PNG 图片\n" in words(trace)
    assert "[无法读取] p.png" in words(trace, 1)


def test_a_model_that_does_not_see_gets_the_transcript() -> None:
    trace = run(message("u", "look", file("p.png")), texts={"p.png": "a lamp"})

    assert words(trace) == "look\n\n[transcript of p.png]\na lamp\n"
    assert (row(trace)["sent_as"], row(trace)["engine"]) == ("text", "fixed")


def test_old_pictures_go_as_text_and_newer_ones_as_pictures() -> None:
    drafts = [
        message("u0", "old", file("p.png")),
        message("a", "ok", role="assistant"),
        message("u1", "new", file("p.png")),
    ]

    trace = run(*drafts, model=model("vision"), texts={"p.png": "a lamp"}, text_after=2)

    assert [row(trace, at)["sent_as"] for at in (0, 1)] == ["text", "picture"]
    assert row(trace)["reason"] == "it stands 2 messages back, and from 2 on pictures, sound and films go as text"


def test_without_a_transcript_an_old_picture_stays_a_picture() -> None:
    drafts = [message("u0", "old", file("p.png")), message("u1", "new")]

    trace = run(*drafts, model=model("vision"), text_after=1)

    assert row(trace)["sent_as"] == "picture"
    assert row(trace)["reason"].startswith("m reads pictures; its text isn't sent, although it stands 1 message back")


def test_without_a_model_files_go_as_they_are_and_a_note_says_so() -> None:
    trace = run(message("u", "look", file("p.png")), model=None)

    assert len(trace.result.drafts[0].assets) == 1
    assert any("no model is named" in note.text for note in trace.result.notes)


def test_a_document_that_goes_along_is_a_guess_where_nobody_says_what_it_costs() -> None:
    session = ctxlab.Session(id="s").append("see", attachments=[attached("r.pdf")])

    trace = ctxlab.build(session)

    assert trace.estimated


def test_a_model_of_which_nothing_is_known_reads_text_only() -> None:
    trace = run(message("u", "look", file("p.png")), model=ModelProfile(id="nobody-knows-it"))

    assert row(trace)["sent_as"] == "description"
    assert "nothing is known of nobody-knows-it" in row(trace)["reason"]


def test_files_that_cannot_be_read_can_be_sent_nevertheless() -> None:
    trace = run(message("u", "look", file("p.png")), unreadable="send")

    assert len(trace.result.drafts[0].assets) == 1


# --- what a file is


def test_a_script_that_is_named_a_picture_is_read_as_the_text_that_it_is() -> None:
    trace = run(message("u", "look", file("script.png")), model=model("vision"), texts={"script.png": "#!/bin/sh"})

    assert (row(trace)["kind"], row(trace)["sent_as"]) == ("text", "text")
    assert "its bytes are a shell script" in row(trace)["problem"]


def test_an_empty_picture_is_described_with_what_is_wrong() -> None:
    trace = run(message("u", "look", file("empty.png")), model=model("vision"))

    assert row(trace)["sent_as"] == "description"
    assert "[File could not be processed: empty.png]" in words(trace)


def test_a_file_whose_bytes_are_not_at_hand_is_described_as_missing_and_without_a_model_stays_a_reference() -> None:
    lost = AssetRef("x", "image", "lost.png", "image/png", source=LibraryFile("lost.png"))
    named, unnamed = (run(message("u", "look", lost), model=each) for each in (model("vision"), None))

    assert "[Missing] lost.png (artifact:x)\nType: PNG picture\n" in words(named)
    (part,) = [part for part in unnamed.messages[0]["content"] if part["type"] != "text"]
    assert part["type"] == "asset"
    assert {row(each)["reason"].partition(",")[0] for each in (named, unnamed)} == {"its bytes are not at hand"}


def test_a_link_goes_as_a_link_to_a_model_that_sees_and_is_never_opened() -> None:
    link = AssetRef("x", "image", "x.png", "image/png", source=LinkedFile("https://example.org/x.png"))
    trace = run(message("u", "look", link), model=model("vision"))

    (part,) = [part for part in trace.messages[0]["content"] if part["type"] != "text"]
    assert part["image_url"]["url"] == "https://example.org/x.png"
    assert row(trace)["sent_as"] == "link"


def test_a_file_that_the_vendor_has_keeps_its_id() -> None:
    uploaded = AssetRef("x", "document", "x.pdf", "application/pdf", source=UploadedFile("file-7"))
    trace = run(message("u", "look", uploaded), model=model("file"))

    (part,) = [part for part in trace.messages[0]["content"] if part["type"] != "text"]
    assert part["file"]["file_id"] == "file-7"


def test_an_archive_is_described_even_for_a_model_that_reads_documents() -> None:
    trace = run(message("u", "look", file("z.zip")), model=model("file"))

    assert row(trace)["sent_as"] == "description"


# --- bytes


def test_a_picture_is_scaled_to_what_the_model_takes_and_made_into_a_format_that_it_reads() -> None:
    trace = run(message("u", "look", file("wide.bmp")), model=model("vision", maxImageDimension=800))

    (picture,) = trace.result.drafts[0].assets
    assert isinstance(picture.source, InlineFile)
    sent = facts_of(b64decode(picture.source.base64))
    assert (sent.width, sent.height) == (800, 200)
    assert sent.mime_type in ("image/png", "image/jpeg")


def test_a_picture_that_has_to_be_scaled_and_cannot_be_decoded_is_described() -> None:
    trace = run(message("u", "look", file("broken.png")), model=model("vision", maxImageDimension=16))

    assert trace.result.drafts[0].assets == ()
    assert "[File could not be processed: broken.png]" in words(trace)
    assert row(trace)["sent_as"] == "description"
    assert row(trace)["reason"].startswith("the picture (image/png) can't be decoded")


def test_a_picture_above_the_limit_in_bytes_is_made_smaller_and_an_animation_says_what_is_left_out() -> None:
    strict = model("vision", maxImageBytes=20_000)
    drafts = (message("u", "look", file("noise.png")), message("v", "look", file("moves.gif")))
    trace = run(*drafts, model=strict, picture_side=30)

    sent = [draft.assets[0] for draft in trace.result.drafts]
    assert all(asset.size_bytes is not None and asset.size_bytes <= 20_000 for asset in sent)
    assert row(trace, 1)["problem"] == "only the first of its 3 pictures is sent"


def test_a_step_of_ones_own_that_takes_a_file_leaves_its_row_as_cut_and_one_that_adds_a_file_gets_a_row() -> None:
    def change(ctx: Context) -> Context:
        first, second = ctx.drafts
        cause = Cause("mine", "files", "another file")
        more = second.with_body((*second.body, file("p.png")), cause)
        return ctx.arrange((first.with_body((first.text,), cause), more))

    services = Services(WordTokenizer(), assets=BuildFiles(FILES), transcriber=FixedTranscriber({}))
    drafts = (message("u", "look", file("p.png")), message("v", "look", file("wide.bmp")))
    steps = [TranscriptionProcessor, ctxlab.processor("mine", priority=550)(change), AssetResolver]
    trace = Pipeline.of(steps).run(Context(BuildInput(Session(), model=model("vision")), drafts), services)

    rows = trace.result.report_named("attachments").rows()  # type: ignore[union-attr]
    assert [(each["key"], each["file"], each["state"]) for each in rows] == [
        ("u", "id-p.png", "cut"),
        ("v", "id-wide.bmp", "sent"),
        ("v", "id-p.png", "sent"),
    ]


@pytest.mark.parametrize("inputs", [(), ("vision",), ("vision", "file")])
def test_counts_are_equal_before_and_after_resolving(inputs: tuple[str, ...]) -> None:
    drafts = [message(name, "look", file(name)) for name in FILES]

    trace = run(*drafts, model=model(*inputs, maxImageDimension=300), texts={"a.txt": "hello", "r.pdf": "words"})

    resolver = trace.step("asset-resolver")
    count = trace.services.tokenizer.count_draft
    assert [count(draft) for draft in resolver.before.drafts] == [count(draft) for draft in resolver.after.drafts]


def test_base64_is_in_no_text_and_in_no_table() -> None:
    drafts = [message(name, "look", file(name)) for name in FILES]

    trace = run(*drafts, model=model("vision", "file"))

    base64 = b64encode(FILES["p.png"]).decode()[:24]
    assert all(base64 not in str(draft.text) for draft in trace.result.drafts)
    assert base64 not in str(trace.result.report_named("attachments").rows())  # type: ignore[union-attr]
    assert base64 not in str([note.text for note in trace.result.notes])


def test_a_file_whose_bytes_are_gone_since_it_was_decided_on_is_told_as_a_reference() -> None:
    services = Services(WordTokenizer(), assets=BuildFiles(FILES))
    context = Context(BuildInput(Session(), model=model("vision")), (message("u", "look", file("p.png")),))
    decided = TranscriptionProcessor()(context, services)

    resolved = AssetResolver()(decided, Services(WordTokenizer(), assets=BuildFiles({})))

    (found,) = resolved.report_named("attachments").rows()  # type: ignore[union-attr]
    assert found["problem"] == "its bytes can't be put into the request, so it stays a reference"


def test_with_the_step_switched_off_the_resolver_decides() -> None:
    services = Services(WordTokenizer(), assets=BuildFiles(FILES))
    context = Context(BuildInput(Session(), model=model()), (message("u", "look", file("p.png")),))

    trace = Pipeline.of([AssetResolver]).run(context, services)

    assert "[Cannot be read] p.png" in str(trace.result.drafts[0].text)


def test_a_file_of_a_message_that_was_cut_is_named_as_cut() -> None:
    first, second = message("u0", "old", file("p.png")), message("u1", "new")
    trace = run(first, second, model=model("vision"))
    cut = trace.steps[0].after.arrange((second,))

    resolved = AssetResolver()(cut, trace.services)

    assert resolved.report_named("attachments").rows()[0]["state"] == "cut"  # type: ignore[union-attr]
