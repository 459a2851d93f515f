"""Screenshots of the page: real PNG, drawn from the title of the work."""

import hashlib
import re
import struct
from typing import Any
import zlib

from multidict import MultiMapping

type Json = dict[str, Any]

MOST_SIDE = 4096
MOST_PIXELS = 3840 * 2160
_DIGITS = re.compile("[0-9]{1,9}", re.ASCII)
_BARS = 12


class BadSizeError(Exception):
    """The requested size is invalid."""


def requested_size(
    query: MultiMapping[str], screen: tuple[int, int]
) -> tuple[int, int]:
    """Return the size of the picture: within the requested one, in the shape of the screen; raises BadSizeError."""
    if not set(query) <= {"width", "height"}:
        raise BadSizeError("only width and height")
    sides: dict[str, int] = {}
    for name in ("width", "height"):
        values = query.getall(name, [])
        if len(values) > 1 or any(_DIGITS.fullmatch(value) is None for value in values):
            raise BadSizeError(f"{name} is not a number")
        if values:
            sides[name] = int(values[0])
    if not all(1 <= side <= MOST_SIDE for side in sides.values()):
        raise BadSizeError("a side has 1 to 4096 pixels")
    if len(sides) == 2 and sides["width"] * sides["height"] > MOST_PIXELS:
        raise BadSizeError("too many pixels")
    width, height = screen
    if not sides:
        return screen
    scale = min(
        sides.get("width", MOST_SIDE) / width, sides.get("height", MOST_SIDE) / height
    )
    return max(1, round(width * scale)), max(1, round(height * scale))


def draw(width: int, height: int, work: Json | None) -> bytes:
    """Return the picture of a work; black if nothing is visible."""
    palette = b"\0\0\0"
    row = b"\0" * width
    rows = [row] * height
    if work is not None:
        name = (
            f"{work.get('id', '')}\n{work.get('title', '')}\n{work.get('source', '')}"
        )
        digest = hashlib.sha512(name.encode()).digest()
        palette += digest[: 3 * _BARS]
        bars = bytes(1 + column * _BARS // width for column in range(width))
        rows = [_shift(bars, digest[40 + y * 8 // height]) for y in range(height)]
    return _png(width, height, palette, rows)


def _shift(bars: bytes, by: int) -> bytes:
    """Return a row moved to the side."""
    place = by * len(bars) // 256
    return bars[place:] + bars[:place]


def _png(width: int, height: int, palette: bytes, rows: list[bytes]) -> bytes:
    """Return a PNG of palette colors."""
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    pixels = b"".join(b"\0" + row for row in rows)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"PLTE", palette)
        + _chunk(b"IDAT", zlib.compress(pixels, 1))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    """Return a chunk of a PNG."""
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
