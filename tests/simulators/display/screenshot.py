"""Screenshots of the page: a color for each work."""

import hashlib
import io
import re
from typing import Any

from multidict import MultiMapping
from PIL import Image

type Json = dict[str, Any]

MOST_SIDE = 4096
MOST_PIXELS = 3840 * 2160
_DIGITS = re.compile("[0-9]{1,9}", re.ASCII)


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
    """Return a picture in a color of the work; black if nothing is visible."""
    color = b"\0\0\0"
    if work is not None:
        name = "\n".join(str(work.get(key)) for key in ("id", "title", "source"))
        color = hashlib.sha256(name.encode()).digest()[:3]
    picture = io.BytesIO()
    Image.new("RGB", (width, height), tuple(color)).save(picture, "PNG")
    return picture.getvalue()
