"""The types of files: MIME type, kind, name for people, extensions, and other spellings of the MIME type."""

from __future__ import annotations

from ctxlab.context import FileKind
from ctxlab.lazy_dataclass import dataclass

OOXML = "application/vnd.openxmlformats-officedocument"
ODF = "application/vnd.oasis.opendocument"
BINARY = "application/octet-stream"
ZIP = "application/zip"
OLE = "application/x-ole-storage"
TEXT = "text/plain"


@dataclass(frozen=True, slots=True)
class FileType:
    """A type of file. `noun` is what a sentence calls it, with its article."""

    mime_type: str
    kind: FileKind
    noun: str
    extensions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def _row(mime_type: str, kind: FileKind, noun: str, extensions: str = "", aliases: str = "") -> FileType:
    return FileType(mime_type, kind, noun, tuple(extensions.split()), tuple(aliases.split()))


TYPES = (
    _row("image/png", "image", "a PNG picture", "png apng", "image/x-png image/apng image/vnd.mozilla.apng"),
    _row("image/jpeg", "image", "a JPEG picture", "jpg jpeg jpe jfif", "image/jpg image/pjpeg"),
    _row("image/gif", "image", "a GIF picture", "gif"),
    _row("image/webp", "image", "a WebP picture", "webp"),
    _row("image/bmp", "image", "a BMP picture", "bmp dib", "image/x-ms-bmp image/x-bmp"),
    _row("image/tiff", "image", "a TIFF picture", "tif tiff"),
    _row("image/heic", "image", "a HEIC picture", "heic heif", "image/heif"),
    _row("image/avif", "image", "an AVIF picture", "avif"),
    _row("image/svg+xml", "image", "an SVG picture", "svg"),
    _row("image/x-icon", "image", "an icon", "ico cur", "image/vnd.microsoft.icon image/ico"),
    _row("image/vnd.adobe.photoshop", "image", "a Photoshop picture", "psd", "image/x-photoshop"),
    _row("image/jp2", "image", "a JPEG 2000 picture", "jp2 jpx", "image/jpx"),
    _row("audio/mpeg", "audio", "an MP3 recording", "mp3", "audio/mp3 audio/x-mp3 audio/x-mpeg"),
    _row("audio/wav", "audio", "a WAV recording", "wav", "audio/x-wav audio/wave audio/vnd.wave"),
    _row("audio/flac", "audio", "a FLAC recording", "flac", "audio/x-flac"),
    _row("audio/ogg", "audio", "an OGG recording", "ogg oga opus", "audio/opus application/ogg audio/vorbis"),
    _row("audio/mp4", "audio", "an MP4 recording", "m4a m4b", "audio/m4a audio/x-m4a"),
    _row("audio/aac", "audio", "an AAC recording", "aac", "audio/x-aac audio/aacp"),
    _row("audio/aiff", "audio", "an AIFF recording", "aif aiff", "audio/x-aiff"),
    _row("audio/amr", "audio", "an AMR recording", "amr"),
    _row("audio/midi", "audio", "a MIDI file", "mid midi", "audio/x-midi"),
    _row("audio/webm", "audio", "a WebM recording", "weba"),
    _row("video/mp4", "video", "an MP4 film", "mp4 m4v", "video/x-m4v"),
    _row("video/webm", "video", "a WebM film", "webm"),
    _row("video/quicktime", "video", "a QuickTime film", "mov qt"),
    _row("video/x-matroska", "video", "a Matroska film", "mkv"),
    _row("video/x-msvideo", "video", "an AVI film", "avi", "video/avi video/msvideo"),
    _row("video/x-ms-wmv", "video", "a Windows Media file", "wmv wma asf", "video/x-ms-asf audio/x-ms-wma"),
    _row("video/x-flv", "video", "a Flash film", "flv"),
    _row("video/mpeg", "video", "an MPEG film", "mpg mpeg"),
    _row("video/3gpp", "video", "a 3GP film", "3gp 3g2", "video/3gpp2"),
    _row("video/ogg", "video", "an OGG film", "ogv"),
    _row("application/pdf", "document", "a PDF document", "pdf", "application/x-pdf"),
    _row("application/msword", "document", "a Word document of the old form", "doc dot"),
    _row(f"{OOXML}.wordprocessingml.document", "document", "a Word document", "docx"),
    _row("application/vnd.ms-word.document.macroenabled.12", "document", "a Word document with macros", "docm"),
    _row("application/vnd.ms-excel", "document", "an Excel workbook of the old form", "xls xlt"),
    _row(f"{OOXML}.spreadsheetml.sheet", "document", "an Excel workbook", "xlsx"),
    _row("application/vnd.ms-excel.sheet.macroenabled.12", "document", "an Excel workbook with macros", "xlsm"),
    _row("application/vnd.ms-excel.sheet.binary.macroenabled.12", "document", "a binary Excel workbook", "xlsb"),
    _row("application/vnd.ms-powerpoint", "document", "a PowerPoint presentation of the old form", "ppt pps"),
    _row(f"{OOXML}.presentationml.presentation", "document", "a PowerPoint presentation", "pptx"),
    _row("application/vnd.ms-powerpoint.presentation.macroenabled.12", "document", "slides with macros", "pptm"),
    _row(f"{ODF}.text", "document", "an OpenDocument text", "odt"),
    _row(f"{ODF}.spreadsheet", "document", "an OpenDocument spreadsheet", "ods"),
    _row(f"{ODF}.presentation", "document", "an OpenDocument presentation", "odp"),
    _row("application/epub+zip", "document", "an EPUB book", "epub"),
    _row("application/rtf", "document", "an RTF document", "rtf", "text/rtf application/x-rtf text/richtext"),
    _row("message/rfc822", "document", "an e-mail", "eml", "application/eml"),
    _row("application/vnd.ms-outlook", "document", "an Outlook message", "msg"),
    _row("application/postscript", "document", "a PostScript document", "ps eps"),
    _row(OLE, "document", "an OLE2 container"),
    _row(TEXT, "text", "plain text", "txt text log ini cfg conf env properties srt vtt lrc po rst tex bib"),
    _row("text/markdown", "text", "Markdown", "md markdown mdx", "text/x-markdown"),
    _row("text/html", "text", "HTML", "html htm xhtml", "application/xhtml+xml"),
    _row("text/csv", "text", "a CSV table", "csv", "application/csv text/x-csv"),
    _row("text/tab-separated-values", "text", "a table with tabs", "tsv tab"),
    _row("application/json", "text", "JSON", "json geojson ipynb webmanifest", "text/json application/ld+json"),
    _row("application/x-ndjson", "text", "JSON lines", "jsonl ndjson", "application/jsonl application/x-jsonlines"),
    _row("application/xml", "text", "XML", "xml xsd xsl rss atom plist", "text/xml"),
    _row("application/yaml", "text", "YAML", "yaml yml", "text/yaml application/x-yaml text/x-yaml"),
    _row("application/toml", "text", "TOML", "toml", "text/toml"),
    _row("text/css", "text", "a style sheet", "css scss less"),
    _row("text/javascript", "text", "JavaScript", "js mjs cjs jsx", "application/javascript application/x-javascript"),
    _row("text/typescript", "text", "TypeScript", "ts tsx", "application/typescript text/x-typescript"),
    _row("text/x-python", "text", "a Python program", "py pyi pyw", "application/x-python text/x-python3"),
    _row("text/x-shellscript", "text", "a shell script", "sh bash zsh fish", "application/x-sh"),
    _row("text/x-script", "text", "a script", "pl rb lua ps1 bat cmd r jl", "text/x-perl text/x-ruby text/x-lua"),
    _row("text/x-source", "text", "source text", "c h cc cpp hpp cs java kt go rs swift php sql vue scala dart zig"),
    _row("text/x-diff", "text", "a patch", "diff patch"),
    _row("text/calendar", "text", "a calendar", "ics"),
    _row("text/vcard", "text", "a contact card", "vcf", "text/x-vcard"),
    _row(ZIP, "other", "a ZIP archive", "zip jar apk whl charx xpi", "application/x-zip-compressed application/x-zip"),
    _row("application/x-rar-compressed", "other", "a RAR archive", "rar", "application/vnd.rar application/x-rar"),
    _row("application/x-7z-compressed", "other", "a 7-Zip archive", "7z"),
    _row("application/gzip", "other", "a gzip archive", "gz tgz", "application/x-gzip"),
    _row("application/x-bzip2", "other", "a bzip2 archive", "bz2"),
    _row("application/x-xz", "other", "an XZ archive", "xz"),
    _row("application/zstd", "other", "a Zstandard archive", "zst"),
    _row("application/x-tar", "other", "a TAR archive", "tar"),
    _row("application/x-sqlite3", "other", "an SQLite database", "sqlite sqlite3 db", "application/vnd.sqlite3"),
    _row("application/x-msdownload", "other", "a Windows program", "exe dll", "application/x-dosexec"),
    _row("application/x-executable", "other", "a program", "elf so", "application/x-elf"),
    _row("application/wasm", "other", "a WebAssembly program", "wasm"),
    _row("font/ttf", "other", "a font", "ttf otf woff woff2", "font/otf font/woff font/woff2 font/sfnt"),
    _row(BINARY, "other", "a binary file", "bin dat"),
)  # fmt: skip

_BY_MIME = {name: row for row in TYPES for name in (row.mime_type, *row.aliases)}
_BY_EXTENSION = {extension: row for row in TYPES for extension in row.extensions}
_BY_PREFIX: dict[str, FileKind] = {"image": "image", "audio": "audio", "video": "video", "text": "text"}

FAMILIES = (
    frozenset({"video/mp4", "audio/mp4", "video/quicktime", "video/3gpp"}),
    frozenset({"video/webm", "audio/webm", "video/x-matroska"}),
    frozenset({"audio/ogg", "video/ogg"}),
    frozenset({"application/x-msdownload", "application/x-executable"}),
)
"""Types of one container: the first bytes don't tell them apart, so that name and MIME type may."""


def canonical_mime(mime_type: str) -> str:
    """The MIME type in lower case, without parameters, in the spelling that the table has.

    >>> canonical_mime("Image/JPG; name=a.jpg")
    'image/jpeg'
    """
    plain = mime_type.partition(";")[0].strip().lower()
    row = _BY_MIME.get(plain)
    return row.mime_type if row else plain


def extension_of(name: str) -> str:
    """The part of a file name behind its last dot, in lower case; empty where there is none.

    >>> extension_of("images/照片.PNG")
    'png'
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = last.rpartition(".")
    return extension.strip().lower() if dot and stem else ""


def mime_of_name(name: str) -> str:
    """The MIME type that the extension of a name promises; empty where the table doesn't know it."""
    row = _BY_EXTENSION.get(extension_of(name))
    return row.mime_type if row else ""


def is_known(mime_type: str) -> bool:
    """Whether the table has this MIME type."""
    return mime_type in _BY_MIME


def kind_of_mime(mime_type: str) -> FileKind:
    """The kind of a MIME type; of one that the table doesn't have by its first half."""
    row = _BY_MIME.get(mime_type)
    return row.kind if row else _BY_PREFIX.get(mime_type.partition("/")[0], "other")


def noun_of(mime_type: str) -> str:
    """The name of a type in a sentence, with its article."""
    row = _BY_MIME.get(mime_type)
    return row.noun if row else mime_type[:80]
