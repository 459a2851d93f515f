"""Screenshots of the page: a color for each work."""

from collections.abc import Mapping
import hashlib
import io
from typing import Any

from PIL import Image

type Json = dict[str, Any]


def requested_size(
    query: Mapping[str, str], screen: tuple[int, int]
) -> tuple[int, int]:
    """Return the size of the picture: within the requested one, in the shape of the screen."""
    width, height = screen
    scale = min(
        int(query.get("width", width)) / width,
        int(query.get("height", height)) / height,
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
