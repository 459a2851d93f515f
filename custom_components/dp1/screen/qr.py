"""QR codes, for a phone to read."""

from functools import lru_cache
from typing import Any

import segno

# In bytes: the code of a longer text is too fine to be read from a corner, and from 2,331 on there is none.
MAX_TEXT = 512


@lru_cache(maxsize=32)
def qr_code(text: str) -> str:
    """Return a QR code as an SVG element, dark on light."""
    return str(_code(text).svg_inline(scale=8, border=3, light="#fff", omitsize=True))


@lru_cache(maxsize=32)
def qr_picture(text: str) -> str | None:
    """Return a QR code as the address of a picture, dark on light; None of a text that is too long."""
    if len(text.encode()) > MAX_TEXT:
        return None
    return str(_code(text).svg_data_uri(border=3, light="#fff", omitsize=True))


def _code(text: str) -> Any:
    """Return a QR code."""
    return segno.make(text, error="m", micro=False)
