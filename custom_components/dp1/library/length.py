"""How long a sound or a film lasts."""

from contextlib import suppress
from io import SEEK_CUR, BytesIO
from pathlib import Path
from struct import calcsize, error as StructError, unpack
from typing import Final

# Of a film, before that with its length.
MAX_BOXES: Final = 64
# The length of a film that does not tell it.
ENDLESS: Final = 0xFFFFFFFF
# In seconds: how long a picture, a film or a sound hangs at least and at most, whatever a file says.
SHORTEST: Final = 1
LONGEST: Final = 86_400


def length_of_sound(sound: Path | BytesIO) -> float | None:
    """Return how many seconds a sound lasts, None if that is unknown."""
    try:
        # A requirement of Home Assistant's text-to-speech, which not everybody has.
        from mutagen import File, MutagenError  # noqa: PLC0415
    except ImportError:
        return None
    with suppress(MutagenError):
        # Without tags a file counts as false.
        if (file := File(sound)) is not None:
            return _bounded(file.info.length) if file.info.length else None
    return None


def length_of_film(film: Path | BytesIO) -> float | None:
    """Return how many seconds a film lasts by its header (ISO 14496-12, as MP4 and MOV), None if that is unknown."""
    with (
        suppress(ArithmeticError, OSError, StructError, ValueError),
        film.open("rb") if isinstance(film, Path) else film as file,
    ):
        for _ in range(MAX_BOXES):
            size, kind = unpack(">I4s", file.read(8))
            if size == 1:
                size = unpack(">Q", file.read(8))[0] - 8
            if kind == b"mvhd":
                times = ">3xQQIQ" if file.read(1) == b"\1" else ">3xIIII"
                *_, scale, length = unpack(times, file.read(calcsize(times)))
                return _bounded(length / scale) if 0 < length < ENDLESS else None
            if kind != b"moov":
                file.seek(size - 8, SEEK_CUR)
    return None


def _bounded(seconds: float) -> float:
    """Return for how long something hangs that claims to last so many seconds."""
    return float(min(max(seconds, SHORTEST), LONGEST))
