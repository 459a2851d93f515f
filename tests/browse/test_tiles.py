"""Test the pictures of the media browser, which are of the size that is shown."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

from PIL import Image as pil
import pytest

from custom_components.dp1.browse import pictures
from custom_components.dp1.browse.pictures import ICON, TILE_WIDTH, scaled
from homeassistant.components.image import Image

from tests.galleries import LARGE, Gallery

pytestmark = pytest.mark.usefixtures("socket_enabled", "impatience")

# What a camera noted: how it was held, and a resolution or a width that is no number.
NOTED = b"Exif\0\0MM\0*\0\0\0\x08\0\x02\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"
NO_RESOLUTION = NOTED + b"\x01\x1a\0\x02\0\0\0\x01x\0\0\0" + bytes(4)
NO_WIDTH = NOTED + b"\x01\0\0\x07\0\0\0\x04wide" + bytes(4)


def drawn(kind: str, mode: str = "RGB", width: int = 1200, **more: Any) -> Image:
    """Return a picture of many colors."""
    noise = pil.effect_noise((width, width), 60).convert(mode)
    if mode in ("RGBA", "LA"):
        noise.putalpha(128)
    file = BytesIO()
    noise.save(file, kind, **{"compress_level": 1, **more})
    return Image(f"image/{kind.lower()}", file.getvalue())


def flat(kind: str, mode: str, width: int, height: int) -> Image:
    """Return a picture of one color, which is large only once it is decoded."""
    file = BytesIO()
    pil.new(mode, (width, height), "red").save(file, kind)
    return Image(f"image/{kind.lower()}", file.getvalue())


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("PNG", "RGB"),
        ("PNG", "RGBA"),
        ("PNG", "LA"),
        ("PNG", "P"),
        ("PNG", "L"),
        ("JPEG", "CMYK"),
        ("WEBP", "RGB"),
    ],
)
def test_a_large_picture_becomes_a_tile(kind: str, mode: str) -> None:
    """It is of the width of a tile and has a tenth of the bytes at most; what is clear stays clear."""
    picture = drawn(kind, mode)
    tile = scaled(picture)
    with pil.open(BytesIO(tile.content)) as opened:
        assert (opened.format, opened.width) == ("WEBP", TILE_WIDTH)
        assert (opened.mode == "RGBA") is (mode in ("RGBA", "LA"))
    assert len(tile.content) * 10 <= len(picture.content)


@pytest.mark.parametrize(
    "picture",
    [
        lambda: drawn("GIF", "P", 300),
        lambda: drawn(
            "WEBP", width=100, save_all=True, append_images=[pil.new("RGB", (100, 100))]
        ),
        lambda: drawn("WEBP", width=8, quality=1),
        lambda: drawn("PNG", "1", 4000),
        # Of 53 KB, but 139 MB while it was made small.
        lambda: flat("PNG", "RGBA", 4000, 2990),
        lambda: flat("WEBP", "RGB", 4000, 2990),
        # Of 46 KB, but 227 MB, and the loop stood still for 185 ms.
        lambda: flat("PNG", "RGB", 5_950_000, 2),
        lambda: Image("image/png", b"\x89PNG\r\n\x1a\n" + bytes(100)),
        # Nearly all of it would be white.
        lambda: flat("PNG", "I;16", 1000, 1000),
        lambda: drawn("JPEG", exif=NO_RESOLUTION),
        lambda: drawn("JPEG", exif=NO_WIDTH),
    ],
    ids=[
        *("gif", "moving", "small", "too large", "large and clear", "large and WebP"),
        *("too long", "broken", "of 16 bits", "no resolution", "no width"),
    ],
)
def test_what_stays_as_it_is(picture: Callable[[], Image]) -> None:
    """What moves, is small, would fill the memory or cannot be read is passed on."""
    image = picture()
    assert scaled(image) is image


def test_a_picture_lies_as_its_camera_was_held() -> None:
    """The tile has no note of that any more."""
    exif = pil.Exif()
    exif[0x0112] = 6
    file = BytesIO()
    pil.effect_noise((1600, 800), 60).save(file, "JPEG", exif=exif)
    with pil.open(
        BytesIO(scaled(Image("image/jpeg", file.getvalue())).content)
    ) as tile:
        assert tile.size == (TILE_WIDTH, 2 * TILE_WIDTH)


async def test_a_tile_is_scaled_once_and_one_that_is_gone_is_no_blank(
    gallery: Gallery, hass_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has small pictures; those that cannot be fetched are the icon of the integration."""
    count = []
    monkeypatch.setattr(pictures, "scaled", lambda it: count.append(it) or scaled(it))
    client = await hass_client()
    page = await gallery.browse(gallery.media_id("exhibitions"))
    shown = page.children[:4]
    for _ in range(2):
        for child in shown:
            answer = await client.get(child.thumbnail)
            assert answer.content_type == "image/webp"
            assert len(await answer.read()) < 40_000
    assert len(count) == len(shown)
    await gallery.catalog.stop()
    gallery.hass.data[pictures.PICTURES]._cache.clear()
    answer = await client.get(page.children[0].thumbnail)
    assert await answer.read() == ICON.read_bytes()


async def test_a_picture_that_does_not_get_smaller_is_encoded_once(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is kept as it is, and not encoded again at each browse."""
    count = []
    monkeypatch.setattr(pictures, "scaled", lambda it: count.append(it) or it)
    kept = gallery.hass.data[pictures.PICTURES]
    show = gallery.media_id(gallery.exhibition(LARGE))
    for _ in range(3):
        assert await kept.async_of(show, tile=True)
    assert len(count) == 1
