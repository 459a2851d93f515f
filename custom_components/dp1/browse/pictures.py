"""Pictures of the library, passed on by Home Assistant, so that they show wherever Home Assistant does."""

import asyncio
from collections import OrderedDict
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

import aiohttp
from aiohttp import hdrs, web

from homeassistant.components.http import HomeAssistantView
from homeassistant.components.image import Image
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.util.hass_dict import HassKey

from ..client.errors import Dp1Error
from ..const import DOMAIN, LOGGER
from ..library.entries import library_and_node
from ..library.tree import MEDIA_PREFIX

# Home Assistant waits 10 s for a picture.
TIMEOUT: Final = aiohttp.ClientTimeout(total=9)
LARGEST: Final = 20 * 1024 * 1024
CHUNK: Final = 64 * 1024
# Not SVG: it can carry scripts, which would run as if they were Home Assistant's own.
CONTENT_TYPES: Final = {
    "image/avif",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
}


async def async_fetch_picture(hass: HomeAssistant, url: str) -> Image | None:
    """Fetch a picture; None if there is none of a kind and size that can be passed on."""
    session = async_get_clientsession(hass)
    content = bytearray()
    try:
        async with session.get(url, timeout=TIMEOUT) as response:
            response.raise_for_status()
            content_type = response.content_type
            if content_type not in CONTENT_TYPES:
                LOGGER.debug("A picture is of the type %s", content_type)
                return None
            async for chunk in response.content.iter_chunked(CHUNK):
                content += chunk
                if len(content) > LARGEST:
                    LOGGER.debug("A picture is too large")
                    return None
    except (aiohttp.ClientError, TimeoutError, ValueError) as err:
        LOGGER.debug("Fetching a picture: %s", type(err).__name__)
        return None
    return Image(content_type, bytes(content))


PICTURES: Final[HassKey[Pictures]] = HassKey(f"{DOMAIN}_pictures")
PATH: Final = f"/api/{DOMAIN}/picture/"
# A page of a browser asks for two hundred at once.
AT_ONCE = 8
KEPT_BYTES = 16 * 1024 * 1024
# What could not be fetched is not asked for again by everyone who looks.
RETRY_SECONDS = 60.0
MAX_AGE = "private, max-age=3600"


class Pictures:
    """Fetches pictures, a few at a time, and keeps those that were looked at last."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Begin with none."""
        self._hass = hass
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._kept: OrderedDict[str, Image] = OrderedDict()
        self._size = 0
        self._failed: dict[str, float] = {}
        self._under_way: dict[str, asyncio.Task[Image | None]] = {}

    async def async_of(self, media_id: str) -> Image | None:
        """Get the picture of a node of a library; None if it has none, or none can be had."""
        try:
            library, node = library_and_node(self._hass, media_id)
            address = (await library.async_node(node)).picture
        except Dp1Error, HomeAssistantError:
            return None
        return await self.async_at(address) if address else None

    async def async_at(self, address: str) -> Image | None:
        """Get the picture at an address; None if there is none. Equal requests at the same time are one."""
        if (kept := self._kept.get(address)) is not None:
            self._kept.move_to_end(address)
            return kept
        if self._hass.loop.time() < self._failed.get(address, 0.0):
            return None
        if (task := self._under_way.get(address)) is None:
            task = self._under_way[address] = self._hass.async_create_background_task(
                self._async_fetch(address), f"{DOMAIN} picture", eager_start=False
            )
            task.add_done_callback(lambda _: self._under_way.pop(address))
        return await asyncio.shield(task)

    async def _async_fetch(self, address: str) -> Image | None:
        """Fetch a picture when its turn comes."""
        async with self._turns:
            picture = await async_fetch_picture(self._hass, address)
        if picture is None:
            self._note_failure(address)
        else:
            self._keep(address, picture)
        return picture

    def _note_failure(self, address: str) -> None:
        """Leave an address alone for a while."""
        now = self._hass.loop.time()
        self._failed = {it: end for it, end in self._failed.items() if end > now}
        self._failed[address] = now + RETRY_SECONDS

    def _keep(self, address: str, picture: Image) -> None:
        """Keep a picture, and let go of those that were not looked at for the longest time."""
        self._kept[address] = picture
        self._size += len(picture.content)
        while self._size > KEPT_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest.content)


class PictureView(HomeAssistantView):
    """Serves the pictures of the media source."""

    url = f"{PATH}{{identifier:.+}}"
    name = f"api:{DOMAIN}:picture"

    def __init__(self, pictures: Pictures) -> None:
        """Keep where pictures come from."""
        self._pictures = pictures

    async def get(self, request: web.Request, identifier: str) -> web.Response:
        """Give the picture of a node."""
        picture = await self._pictures.async_of(f"{MEDIA_PREFIX}{identifier}")
        if picture is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        return web.Response(
            body=picture.content,
            content_type=picture.content_type,
            headers={hdrs.CACHE_CONTROL: MAX_AGE},
        )


@callback
def async_setup_pictures(hass: HomeAssistant) -> None:
    """Begin to serve pictures."""
    pictures = hass.data[PICTURES] = Pictures(hass)
    hass.http.register_view(PictureView(pictures))


def picture_path(media_id: str) -> str:
    """Tell where Home Assistant serves the picture of a node."""
    return f"{PATH}{quote(media_id.removeprefix(MEDIA_PREFIX))}"
