"""Makes the files of `harbour_files/` anew: pictures, documents, tables and a sound, all of them invented.

python datasets/make_files.py            writes them
python datasets/make_files.py --check    says which of them are not what this script gives, and writes nothing

The same libraries give the same bytes: nothing in the files is a date, a random number or the name of a machine.
"""

import io
import math
import random
import struct
import sys
import wave
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import docx
import pptx
import xlsxwriter
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FOLDER = Path(__file__).parent / "harbour_files"
THUMBNAIL = ("docProps/thumbnail.jpeg",)
"""A picture of an empty page that the templates of Word and PowerPoint files bring."""
LONG_AGO = datetime(2026, 2, 1, tzinfo=UTC)
SEA, SHALLOW, LAND, INK, RED = (188, 214, 232), (216, 232, 240), (236, 224, 190), (40, 52, 70), (176, 46, 40)


def font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)


# --- pictures


def harbour_map() -> bytes:
    """A chart of the harbour with its lights, depths and the way in."""
    picture = Image.new("RGB", (720, 480), SEA)
    draw = ImageDraw.Draw(picture)
    coast = [(0, 0), (720, 0), (720, 120), (610, 150), (560, 210), (470, 190), (420, 130), (330, 120), (300, 190)]
    coast += [(230, 260), (150, 250), (90, 320), (0, 330)]
    draw.line([(x, y + 26) for x, y in coast[2:]], fill=SHALLOW, width=44, joint="curve")
    draw.polygon(coast, fill=LAND, outline=INK)
    draw.line([(300, 190), (396, 232)], fill=INK, width=6)
    draw.line([(560, 210), (462, 240)], fill=INK, width=6)
    draw.line([(430, 470), (430, 160)], fill=RED, width=2)
    for n, (x, y, name) in enumerate([(396, 232, "West Mole"), (462, 240, "East Mole"), (120, 330, "Grey Head")]):
        draw.polygon([(x - 7, y + 7), (x + 7, y + 7), (x, y - 9)], fill=RED, outline=INK)
        draw.text((x + 12 if n else x - 92, y + 4), name, font=font(15), fill=INK)
    depths = random.Random(7)
    for row in range(8):
        for column in range(12):
            x, y = 40 + column * 58 + depths.randint(-9, 9), 345 + row * 17 + depths.randint(-4, 4)
            if abs(x - 430) > 24 and y < 470:
                draw.text((x, y), f"{3 + row * 2 + depths.random() * 2:.1f}", font=font(10), fill=(96, 120, 150))
    for x, y, words, size in ((470, 60, "FOGHAVEN HARBOUR", 22), (470, 90, "soundings in metres", 13)):
        draw.text((x, y), words, font=font(size), fill=INK)
    draw.text((436, 300), "leading line 000", font=font(12), fill=RED)
    draw.text((344, 146), "Basin 2  4.6", font=font(13), fill=INK)
    draw.line([(60, 60), (60, 130)], fill=INK, width=2)
    draw.polygon([(54, 70), (66, 70), (60, 48)], fill=INK)
    draw.text((54, 28), "N", font=font(18), fill=INK)
    return saved(picture.quantize(32), "PNG", optimize=True)


def evening_photo() -> bytes:
    """A lighthouse at dusk, painted to look like a photo: soft light, grain, a bright lamp."""
    width, height, grain = 640, 426, random.Random(11)
    picture = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(picture)
    for y in range(height):
        t = y / height
        sky = (int(40 + 190 * t), int(52 + 96 * t), int(96 + 18 * t))
        sea = (int(70 - 40 * t), int(78 - 34 * t), int(104 - 40 * t))
        draw.line([(0, y), (width, y)], fill=sky if y < 250 else sea)
    for _ in range(700):
        x, y = grain.randint(0, width), grain.randint(252, height)
        draw.line([(x, y), (x + grain.randint(6, 34), y)], fill=(150, 120, 118))
    draw.polygon([(0, 300), (150, 240), (280, 262), (330, 330), (0, 426)], fill=(28, 28, 36))
    draw.polygon([(150, 244), (190, 244), (182, 96), (158, 96)], fill=(210, 200, 196))
    for top in (120, 170, 220):
        draw.rectangle([(154, top), (186, top + 22)], fill=(140, 44, 44))
    draw.rectangle([(156, 78), (184, 96)], fill=(255, 240, 190))
    draw.polygon([(152, 78), (188, 78), (170, 60)], fill=(40, 36, 44))
    beam = Image.new("L", picture.size)
    ImageDraw.Draw(beam).polygon([(180, 86), (640, 20), (640, 150)], fill=120)
    picture.paste((255, 236, 190), mask=beam.filter(ImageFilter.GaussianBlur(12)))
    noise = Image.frombytes("L", picture.size, bytes(grain.randrange(256) for _ in range(width * height)))
    speckled = Image.blend(picture, Image.merge("RGB", (noise, noise, noise)), 0.05)
    return saved(speckled.filter(ImageFilter.GaussianBlur(0.8)), "JPEG", quality=72)


def page_as_picture() -> Image.Image:
    """A typed page as a scanner sees it: grey, a little askew."""
    page = Image.new("L", (830, 1170), 246)
    draw = ImageDraw.Draw(page)
    lines = (
        (34, "FOGHAVEN HARBOUR OFFICE"),
        (26, "Berth permit No. 4471"),
        (24, ""),
        (24, "Vessel: Halcyon, 38 metres"),
        (24, "Berth: basin 2, north quay"),
        (24, "Draught: 4.2 metres"),
        (24, "Valid from 3 March to 17 March"),
        (24, ""),
        (24, "No fires on deck. The horn is sounded"),
        (24, "twice on leaving in fog."),
        (24, ""),
        (26, "Signed: M. Lindow, harbour master"),
    )
    y = 120
    for size, words in lines:
        draw.text((90, y), words, font=font(size), fill=42)
        y += 58
    draw.rectangle([(80, 100), (760, y + 24)], outline=90, width=3)
    return page.rotate(0.7, resample=Image.Resampling.BICUBIC, fillcolor=246)


def saved(picture: Image.Image, form: str, **how: object) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **how)
    return file.getvalue()


# --- PDF, by hand


def pdf(objects: list[bytes]) -> bytes:
    """A PDF file of these objects, numbered from 1; the first is the catalogue."""
    data, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), list[int]()
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(data)


def stream(content: bytes, head: bytes = b"") -> bytes:
    return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (head, len(content), content)


def text_page(lines: list[str], *, font_name: str = "F1", encode: Callable[[str], bytes]) -> bytes:
    """The drawing of a page: its first line large, the others below it."""
    drawn = [b"BT 72 770 Td"]
    for n, line in enumerate(lines):
        drawn.append(b"/%s %d Tf 0 -%d Td %s Tj" % (font_name.encode(), 20 if n == 0 else 12, 24, encode(line)))
    return b"\n".join([*drawn, b"ET"])


def latin(line: str) -> bytes:
    return b"(" + line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("latin-1") + b")"


def chinese(line: str) -> bytes:
    return b"<" + line.encode("utf-16-be").hex().encode() + b">"


def pilot_notes() -> bytes:
    """Three pages of text, the last in Chinese."""
    pages = [
        text_page(
            [
                "Pilot notes for Foghaven",
                "Enter on the leading line 000 with the two red marks in one.",
                "The West Mole light shows white, flashing every six seconds.",
                "Keep 40 metres off the East Mole: the old wall is still there, one metre down.",
                "Vessels of more than 30 metres take a pilot. Call on channel 12.",
            ],
            encode=latin,
        ),
        text_page(
            [
                "Depths and tides",
                "Basin 1: 3.1 metres. Basin 2: 4.6 metres. Fuel quay: 5.0 metres.",
                "The tide rises 1.8 metres at springs, 0.9 metres at neaps.",
                "With wind from the north-west the water stands 0.3 metres higher.",
                "A draught of 4.2 metres needs half tide to pass the sill of basin 2.",
            ],
            encode=latin,
        ),
        text_page(
            [
                "进港须知",
                "夜间进港以西堤白灯为准。",
                "雾中每两分钟鸣笛一长声。",
                "二号港池水深四点六米。",
            ],
            font_name="F2",
            encode=chinese,
        ),
    ]
    fonts = b"<< /Font << /F1 3 0 R /F2 4 0 R >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 3 /Kids [7 0 R 9 0 R 11 0 R] >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [5 0 R] >>",
        b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /FontDescriptor 6 0 R /DW 1000"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>",
        b"<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0"
        b" /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>",
    ]
    for number, page in enumerate(pages):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources %s /Contents %d 0 R >>"
            % (fonts, 8 + 2 * number)
        )
        objects.append(stream(zlib.compress(page, 9), b"/Filter /FlateDecode "))
    return pdf(objects)


def scanned_permit() -> bytes:
    """One page that is a picture and has no text."""
    page = page_as_picture()
    picture = saved(page, "JPEG", quality=40)
    head = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray " % page.size
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /P 4 0 R >> >>"
            b" /Contents 5 0 R >>",
            stream(picture, head + b"/BitsPerComponent 8 /Filter /DCTDecode "),
            stream(b"q 595 0 0 842 0 0 cm /P Do Q"),
        ]
    )


# --- Office


def repair_letter() -> bytes:
    """A letter with a table, in English and Chinese."""
    letter = docx.Document()
    letter.core_properties.author, letter.core_properties.created = "Harbour office", LONG_AGO
    letter.add_heading("Repair of the north quay", level=1)
    letter.add_paragraph("To the skippers of basin 2,")
    letter.add_paragraph(
        "from 9 March the north quay is closed for three days. Please move to the berths in the table. "
        "Shore power stays on; water doesn't."
    )
    table = letter.add_table(rows=1, cols=3)
    rows = [("Vessel", "New berth", "From"), ("Halcyon", "Fuel quay 1", "9 March, 08:00")]
    rows += [("海燕号", "一号港池 7", "9 March, 10:30"), ("Petrel", "Basin 1, berth 3", "10 March, 06:00")]
    for row in rows[1:]:
        table.add_row()
        for cell, text in zip(table.rows[-1].cells, row, strict=True):
            cell.text = text
    for cell, text in zip(table.rows[0].cells, rows[0], strict=True):
        cell.text = text
    letter.add_paragraph("施工期间请勿在北码头停泊。谢谢配合。")
    letter.add_paragraph("M. Lindow, harbour master")
    file = io.BytesIO()
    letter.save(file)
    return undated(file.getvalue(), leave_out=THUMBNAIL)


def duty_roster() -> bytes:
    """Two sheets: who has the watch, and the horns of the week with a formula; one name and its cells are Chinese."""
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    book.set_properties({"author": "Harbour office", "created": LONG_AGO.replace(tzinfo=None)})
    watch = book.add_worksheet("Watch")
    for row, cells in enumerate(
        [
            ("Day", "Night watch", "Pilot"),
            ("Monday", "Arne", "Ines"),
            ("Tuesday", "沈砚", "Ines"),
            ("Wednesday", "Arne", "Tove"),
        ]
    ):
        watch.write_row(row, 0, cells)
    horns = book.add_worksheet("雾笛记录")
    for row, cells in enumerate(
        [("日期", "次数", "备注"), ("三月二日", 14, "大雾"), ("三月三日", 3, "薄雾"), ("三月四日", 0, "晴")]
    ):
        horns.write_row(row, 0, cells)
    horns.write_string(4, 0, "合计")
    horns.write_formula(4, 1, "=SUM(B2:B4)", None, 17)
    book.close()
    return undated(file.getvalue())


def fog_briefing() -> bytes:
    """Two slides, the first with notes for the speaker."""
    slides = pptx.Presentation()
    slides.core_properties.author, slides.core_properties.created = "Harbour office", LONG_AGO
    slides.core_properties.modified = LONG_AGO
    first = slides.slides.add_slide(slides.slide_layouts[1])
    first.shapes.title.text = "Fog season"
    first.placeholders[1].text = "Eleven foggy days in March\nThe horn replaces the bell"
    first.notes_slide.notes_text_frame.text = "Ask who has heard the old bell."
    second = slides.slides.add_slide(slides.slide_layouts[1])
    second.shapes.title.text = "雾天守则"
    second.placeholders[1].text = "减速\n鸣笛\n守听十二频道"
    file = io.BytesIO()
    slides.save(file)
    return undated(file.getvalue(), leave_out=THUMBNAIL)


def undated(raw: bytes, leave_out: tuple[str, ...] = ()) -> bytes:
    """The archive with the time 1980 on every member; members left out are taken out of the relations too."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as before, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            data = before.read(name)
            if name in leave_out:
                continue
            if name == "_rels/.rels":
                for gone in leave_out:
                    data = without_relation(data, gone)
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            after.writestr(entry, data, compresslevel=9)
    return packed.getvalue()


def without_relation(data: bytes, target: str) -> bytes:
    end = data.index(b"/>", data.index(target.encode())) + 2
    return data[: data.rindex(b"<Relationship ", 0, end)] + data[end:]


# --- text and sound


def tide_table() -> bytes:
    """A Chinese text as old programs save it, in GB18030."""
    text = "雾港潮汐表　三月第一周\r\n\r\n"
    for day, (high, low) in enumerate([("03:12", "09:25"), ("03:58", "10:11"), ("04:41", "10:55")], start=2):
        text += f"三月{day}日　高潮 {high}　低潮 {low}\r\n"
    return (text + "\r\n注：西北风时水位高出三十厘米。“海燕号”吃水四点二米，半潮以上方可进二号港池。\r\n").encode(
        "gb18030"
    )


def berths() -> bytes:
    rows = ["berth,basin,length_m,depth_m,taken_by", "1,1,24,3.1,Petrel", "2,1,18,3.1,", "3,1,24,3.1,"]
    rows += ['7,1,30,3.1,"海燕号, from 9 March"', "11,2,42,4.6,Halcyon", "12,2,42,4.6,", "F1,fuel,40,5.0,"]
    return ("\n".join(rows) + "\n").encode()


def fog_horn() -> bytes:
    """A tone of one second, 110 Hz with overtones, 8,000 samples a second."""
    rate, file = 8000, io.BytesIO()
    samples = list[int]()
    for n in range(rate):
        t, swell = n / rate, min(1.0, n / 800, (rate - n) / 1600)
        tone = sum(math.sin(2 * math.pi * 110 * k * t) / k for k in (1, 2, 3))
        samples.append(128 + round(60 * swell * tone))
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(rate)
        sound.writeframes(struct.pack(f"{rate}B", *samples))
    return file.getvalue()


def no_picture() -> bytes:
    """A harmless script that calls itself a picture."""
    return b'#!/bin/sh\n# Not a picture, whatever its name says.\necho "the lamp is lit"\n'


FILES: dict[str, Callable[[], bytes]] = {
    "harbour_map.png": harbour_map,
    "evening_light.jpg": evening_photo,
    "pilot_notes.pdf": pilot_notes,
    "berth_permit_scan.pdf": scanned_permit,
    "repair_letter.docx": repair_letter,
    "duty_roster.xlsx": duty_roster,
    "fog_briefing.pptx": fog_briefing,
    "潮汐表.txt": tide_table,
    "berths.csv": berths,
    "fog_horn.wav": fog_horn,
    "lamp.png": no_picture,
}


def changed() -> Iterator[str]:
    """Names of the files that aren't what this script gives."""
    for name, make in FILES.items():
        path = FOLDER / name
        if not path.is_file() or path.read_bytes() != make():
            yield name


def main(arguments: list[str]) -> None:
    if "--check" in arguments:
        sys.stdout.writelines(f"{name}\n" for name in changed())
        return
    FOLDER.mkdir(exist_ok=True)
    for name, make in FILES.items():
        (FOLDER / name).write_bytes(make())


if __name__ == "__main__":
    main(sys.argv[1:])
