"""The bytes of pictures that somebody else serves."""

from typing import Final

import aiohttp

from homeassistant.components.image import Image
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from .const import LOGGER

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
