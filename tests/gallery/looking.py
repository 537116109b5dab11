"""What strangers write, and whether anything is drawn."""

from __future__ import annotations

HOSTILE = [
    "<script>document.title = 'gone'</script><img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script><!--",
    "\x1b[31mred\x1b[0m \u202egnp.exe\u202c \u2066left",
    "👩‍🚀 e\u0301 灯塔 \u2028 \ud83d half",
    "javascript:alert(3) &lt;b&gt; {{user}}",
]


def colours_of(png: bytes) -> int:
    """How many different colours a picture has: a blank one has one or two."""
    import png as reader

    width, _, rows, _ = reader.Reader(bytes=png).asRGB8()
    assert width > 0
    found: set[tuple[int, ...]] = set()
    for row in rows:
        found.update(zip(row[0::3], row[1::3], row[2::3], strict=True))
    return len(found)
