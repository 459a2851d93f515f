"""Pictures of the libraries, fetched and served by Home Assistant."""

import asyncio
from collections import OrderedDict
from contextlib import aclosing
from hashlib import blake2b
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
import re
from secrets import token_bytes
from typing import Final
from urllib.parse import quote

import aiohttp
from aiohttp import hdrs, web
from lru import LRU

from homeassistant.components.http import HomeAssistantView
from homeassistant.components.image import Image
from homeassistant.components.media_source import async_resolve_media
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.hass_dict import HassKey

from ..addresses import ADDRESSES
from ..client.http import chunks
from ..client.text import media_type
from ..const import DOMAIN, LOGGER
from ..errors import component_errors
from ..grants import SVG
from ..hosts import FAILURES, HOSTS
from ..library.libraries import async_node
from ..library.node import MEDIA_PREFIX

# Seconds that a thumbnail has; Home Assistant waits 10 s for it.
PICTURE_TIMEOUT: Final = 9.0
# Seconds until a thumbnail that failed is asked for again.
PICTURE_RETRY: Final = 4.0

PICTURES: Final[HassKey[Pictures]] = HassKey(f"{DOMAIN}_pictures")
# Within which a drawing says that it is one; browsers are given none.
SVG_HEAD: Final = 1024
# How many gateways are asked for one.
MAX_GATEWAYS: Final = 2
MAX_PICTURE_BYTES: Final = 8 * 1024 * 1024
# A browser takes four bytes for each, however few there are in the file.
MAX_PIXELS: Final = 64_000_000
FORMATS: Final = ("AVIF", "GIF", "JPEG", "PNG", "WEBP")
# Tiles are at most 200 pixels wide, on screens of two pixels each.
TILE_WIDTH: Final = 400
TILE_QUALITY: Final = 80
TILE_TYPE: Final = "image/webp"
MAX_SCALED_PIXELS: Final = 12_000_000
# Of a side: what scales it takes memory for each of its pixels.
MAX_SIDE: Final = 16_384
# What is transparent or WebP is there several times while it is made small.
COPIES: Final = 3
PLAIN: Final = {"1", "L", "P", "RGB", "CMYK", "YCbCr"}
SMOOTH: Final = {"L", "LA", "RGB", "RGBA"}
SCALED: Final = ("JPEG", "PNG", "WEBP")
# The root of a drawing.
DRAWING: Final = re.compile(rb"<(?:\w+:)?svg[\s>]")
# In a page of its own, a drawing runs no scripts and loads nothing.
DRAWING_HEADERS: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "X-Content-Type-Options": "nosniff",
}
MAX_DRAWINGS: Final = 512


async def async_fetch_picture(
    hass: HomeAssistant, url: str, *, may_be_drawing: bool = False
) -> Image | None:
    """Fetch a picture, from another gateway if the first has it not; None if there is none of a supported type and size.

    Only `DrawingView` may serve a drawing.
    """
    urls = hass.data[HOSTS].urls(url)[:MAX_GATEWAYS]
    seconds = PICTURE_TIMEOUT / len(urls)
    for at in urls:
        if picture := await _async_fetch_at(hass, at, seconds, may_be_drawing):
            return picture
    return None


async def _async_fetch_at(
    hass: HomeAssistant, url: str, seconds: float, may_be_drawing: bool
) -> Image | None:
    """Fetch a picture from one address, and note what its host answers; a list of a folder is no picture."""
    guard, hosts = hass.data[ADDRESSES].async_guard(url), hass.data[HOSTS]
    timeout = aiohttp.ClientTimeout(total=seconds)
    content = bytearray()
    try:
        async with (
            hosts.async_request(guard, url, timeout) as response,
            aclosing(chunks(response, MAX_PICTURE_BYTES)) as received,
        ):
            if response.status >= HTTPStatus.BAD_REQUEST:
                hosts.async_note(url, response)
                return None
            async for chunk in received:
                content += chunk
                if len(content) > MAX_PICTURE_BYTES:
                    LOGGER.debug("A picture is too large")
                    return None
    except FAILURES as err:
        hosts.async_failed(url, err)
        return None
    picture = bytes(content)
    content_type = await hass.async_add_executor_job(picture_type, picture)
    is_svg = not content_type and DRAWING.search(picture[:SVG_HEAD]) is not None
    is_expected = bool(content_type) or is_svg
    hosts.async_note(url, response, is_expected=is_expected)
    if is_svg and may_be_drawing:
        return Image(SVG, picture)
    return Image(content_type, picture) if content_type else None


def is_drawing(url: str) -> bool:
    """Return whether a picture is an SVG by its address, which may have scripts."""
    return media_type(url) == SVG


def picture_type(content: bytes) -> str | None:
    """Return the content type of a raster picture that a browser can take, however few its bytes; None if it is none.

    What a server calls it may make a browser run it; there is no SVG, whose scripts would run on Home Assistant's origin.
    For other threads: a picture may have millions of parts before it says its size.
    """
    # In the thread, as nothing else needs it.
    from PIL import Image as pil  # noqa: PLC0415

    try:
        with pil.open(BytesIO(content), formats=FORMATS) as opened:
            if 0 < opened.width * opened.height <= MAX_PIXELS:
                return opened.get_format_mimetype()
    # A decoder fails in its own way at each picture that is odd.
    except Exception as err:  # noqa: BLE001
        LOGGER.debug("A picture makes no sense: %s", type(err).__name__)
    return None


def scaled(picture: Image) -> Image:
    """Return a picture of the width of a tile, or the same where that is no less."""
    tile = tile_of(BytesIO(picture.content))
    is_less = tile is not None and len(tile) < len(picture.content)
    return Image(TILE_TYPE, tile) if tile and is_less else picture


def tile_of(picture: BytesIO | Path | None) -> bytes | None:
    """Return a picture in the width of a tile; decoding takes its time and 64 MB. None for what moves, is too large or none."""
    # In the thread, as nothing else needs it.
    from PIL import Image as pil, ImageOps  # noqa: PLC0415

    if picture is None:
        return None
    smaller = BytesIO()
    try:
        with pil.open(picture, formats=SCALED) as opened:
            opened.draft("RGB", (TILE_WIDTH, TILE_WIDTH))
            mode = "RGBA" if opened.has_transparency_data else "RGB"
            is_plain = opened.mode in PLAIN and mode == "RGB"
            copies = 1 if is_plain and opened.format != "WEBP" else COPIES
            is_large = copies * opened.width * opened.height > MAX_SCALED_PIXELS
            is_long = max(opened.size) > MAX_SIDE
            # Of 16 bits for each pixel, most would be white.
            is_deep = opened.mode.startswith("I")
            is_animated = getattr(opened, "is_animated", False)
            if is_large or is_long or is_deep or is_animated:
                return None
            whole = opened if opened.mode in SMOOTH else opened.convert(mode)
            # Made small before anything else, as each step copies it.
            whole.thumbnail((2 * TILE_WIDTH, 2 * TILE_WIDTH))
            tile = ImageOps.exif_transpose(whole).convert(mode)
            tile.thumbnail((TILE_WIDTH, 2 * TILE_WIDTH))
            tile.save(smaller, "WEBP", quality=TILE_QUALITY)
    except Exception as err:  # noqa: BLE001
        LOGGER.debug("A picture cannot be made smaller: %s", type(err).__name__)
        return None
    return smaller.getvalue()


PATH: Final = f"/api/{DOMAIN}/picture/"
DRAWINGS: Final = f"/api/{DOMAIN}/drawing/"
TILE: Final = "tile"
ICON: Final = Path(__file__).parents[1] / "brand" / "icon.png"
# A page of the media browser requests two hundred at once.
MAX_PARALLEL = 8
MAX_CACHE_BYTES = 16 * 1024 * 1024
MAX_AGE = "private, max-age=3600"


class Pictures:
    """Picture cache that fetches a few at a time."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize an empty cache."""
        self._hass = hass
        self._places = asyncio.Semaphore(MAX_PARALLEL)
        self._scaling = asyncio.Lock()
        self._cache: OrderedDict[str, Image] = OrderedDict()
        self._failed: dict[str, float] = {}
        self._fetching: dict[str, asyncio.Task[Image | None]] = {}
        self._secret = token_bytes(32)
        self._drawings: LRU[str, str] = LRU(MAX_DRAWINGS)

    def drawing_path(self, address: str) -> str:
        """Return a path at which browsers load a drawing without login; nobody can guess it."""
        key = blake2b(address.encode(), key=self._secret, digest_size=16).hexdigest()
        self._drawings[key] = address
        return f"{DRAWINGS}{key}"

    async def async_drawing(self, key: str) -> Image | None:
        """Return the drawing at a path that was given."""
        address = self._drawings.get(key)
        return await self._async_at(address) if address else None

    async def async_tile(self, address: str) -> Image:
        """Return the picture at a URL as a tile, or the icon of the integration where it is gone."""
        key = f"{TILE} {address}"
        if (kept := self._cache.get(key)) is not None:
            self._cache.move_to_end(key)
            return kept
        run = self._hass.async_add_executor_job
        if (picture := await self.async_at(address)) is None:
            return Image("image/png", await run(ICON.read_bytes))
        async with self._scaling:
            tile = await run(scaled, picture)
        self._cache.pop(address, None)
        self._keep(key, tile)
        return tile

    async def async_of(self, media_id: str, *, tile: bool = False) -> Image | None:
        """Return the picture of a library node, if there is one, or that as a tile."""
        try:
            _, node = await async_node(self._hass, media_id)
        except HomeAssistantError:
            return None
        if node.thumbnail:
            return await self._async_own(node.thumbnail)
        if not (address := node.any_picture):
            return None
        self._hass.data[ADDRESSES].async_allow_of_library([address])
        return await (self.async_tile(address) if tile else self.async_at(address))

    async def _async_own(self, media_id: str) -> Image | None:
        """Return a picture of the media folders as a tile, None if it is gone or none."""
        key = f"{TILE} {media_id}"
        if (kept := self._cache.get(key)) is not None:
            self._cache.move_to_end(key)
            return kept
        try:
            with component_errors(media_id):
                media = await async_resolve_media(self._hass, media_id, None)
        except HomeAssistantError:
            return None
        async with self._scaling:
            tile = await self._hass.async_add_executor_job(tile_of, media.path)
        if tile is None:
            return None
        self._keep(key, Image(TILE_TYPE, tile))
        return self._cache[key]

    async def async_at(self, address: str) -> Image | None:
        """Return the picture at a URL, if there is one that may be shown anywhere."""
        return None if is_drawing(address) else await self._async_at(address)

    async def _async_at(self, address: str) -> Image | None:
        """Return the picture or the drawing at a URL, if there is one. Equal requests at the same time share one fetch."""
        if (kept := self._cache.get(address)) is not None:
            self._cache.move_to_end(address)
            return kept
        if self._hass.loop.time() < self._failed.get(address, 0.0):
            return None
        if (task := self._fetching.get(address)) is None:
            task = self._fetching[address] = self._hass.async_create_background_task(
                self._async_fetch(address), f"{DOMAIN} picture", eager_start=False
            )
            task.add_done_callback(lambda _: self._fetching.pop(address))
        return await asyncio.shield(task)

    async def _async_fetch(self, address: str) -> Image | None:
        """Fetch a picture and store it, or do not fetch it again for a while."""
        async with self._places:
            picture = await async_fetch_picture(
                self._hass, address, may_be_drawing=is_drawing(address)
            )
        if picture is not None:
            self._keep(address, picture)
            return picture
        now = self._hass.loop.time()
        self._failed = {url: end for url, end in self._failed.items() if end > now}
        self._failed[address] = now + PICTURE_RETRY
        return None

    def _keep(self, key: str, picture: Image) -> None:
        """Store a picture, and drop the least recently used."""
        self._cache[key] = picture
        self._cache.move_to_end(key)
        while sum(len(kept.content) for kept in self._cache.values()) > MAX_CACHE_BYTES:
            self._cache.popitem(last=False)


class PictureView(HomeAssistantView):
    """View that serves the pictures of the media source."""

    url = f"{PATH}{{identifier:.+}}"
    name = f"api:{DOMAIN}:picture"

    def __init__(self, pictures: Pictures) -> None:
        """Initialize the view."""
        self._pictures = pictures

    async def get(self, request: web.Request, identifier: str) -> web.Response:
        """Serve the picture of a node."""
        name = f"{MEDIA_PREFIX}{identifier}"
        picture = await self._pictures.async_of(name, tile=TILE in request.query)
        if picture is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        return web.Response(
            body=picture.content,
            content_type=picture.content_type,
            headers={
                hdrs.CACHE_CONTROL: MAX_AGE,
                "Content-Security-Policy": "sandbox",
                "X-Content-Type-Options": "nosniff",
            },
        )


class DrawingView(HomeAssistantView):
    """View that serves drawings of works, as the pictures of entities are served: to who has the path."""

    url = f"{DRAWINGS}{{key}}"
    name = f"api:{DOMAIN}:drawing"
    requires_auth = False

    def __init__(self, pictures: Pictures) -> None:
        """Initialize the view."""
        self._pictures = pictures

    async def get(self, _request: web.Request, key: str) -> web.Response:
        """Serve a drawing."""
        if (drawing := await self._pictures.async_drawing(key)) is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        return web.Response(
            body=drawing.content,
            content_type=drawing.content_type,
            headers={hdrs.CACHE_CONTROL: MAX_AGE, **DRAWING_HEADERS},
        )


def picture_path(media_id: str) -> str:
    """Return the path of the picture of a node."""
    return f"{PATH}{quote(media_id.removeprefix(MEDIA_PREFIX))}"


def tile_path(media_id: str) -> str:
    """Return the path of the picture of a node as a tile."""
    return f"{picture_path(media_id)}?{TILE}"
