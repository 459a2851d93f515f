"""Pictures of one color."""

from functools import cache
from io import BytesIO

from PIL import Image


@cache
def flat(kind: str, wide: int = 4, high: int = 3) -> bytes:
    """Return a picture in a format of Pillow."""
    file = BytesIO()
    Image.new("RGB", (wide, high)).save(file, kind)
    return file.getvalue()


KINDS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF")
PICTURES = {f"image/{kind.lower()}": flat(kind) for kind in KINDS}
PNG = PICTURES["image/png"]
