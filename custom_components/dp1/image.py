"""Images of the current work and of the screen of a display."""

from dataclasses import dataclass
from datetime import datetime
from typing import override

from aiohttp import web

from homeassistant.components.image import ImageEntity, ImageEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.http import current_request
from homeassistant.util import dt as dt_util

from .browse.pictures import PICTURES, async_fetch_picture, is_drawing, picture_type
from .client.catalog.artwork import largest_url
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.state import Screenshot, takes_screenshots
from .entity import DescribedEntity, DisplayDescription, async_add_display_entities
from .errors import action_failed

PARALLEL_UPDATES = 0
# Path of Home Assistant's view of images.
IMAGE_PROXY = "/api/image_proxy/"


@dataclass(frozen=True, kw_only=True)
class DisplayImageDescription[_T](DisplayDescription[_T], ImageEntityDescription):
    """Describes an image of a display."""


WORK = DisplayImageDescription(
    key="work",
    is_common=True,
    entity_category=EntityCategory.DIAGNOSTIC,
    record="work",
    value_fn=lambda work: work.picture,
)
SCREENSHOT = DisplayImageDescription(
    key="screenshot",
    entity_category=EntityCategory.DIAGNOSTIC,
    entity_registry_enabled_default=False,
    exists_fn=lambda data: data.device and takes_screenshots(data.device),
    value_fn=lambda data: data.screenshot,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the images of a display."""
    async_add_display_entities(entry, async_add_entities, [WORK], WorkImage)
    async_add_display_entities(entry, async_add_entities, [SCREENSHOT], ScreenshotImage)


class DisplayImage[_T](DescribedEntity[_T], ImageEntity):
    """Image of a display."""

    entity_description: DisplayImageDescription[_T]

    def __init__(
        self, coordinator: DisplayCoordinator, description: DisplayImageDescription[_T]
    ) -> None:
        """Initialize the image."""
        super().__init__(coordinator, description)
        ImageEntity.__init__(self, coordinator.hass)

    def _missing(self) -> Exception:
        """Return the error that there is no picture; the view of images takes one of Home Assistant for one of the server."""
        request = current_request.get()
        if request is not None and request.path.startswith(IMAGE_PROXY):
            return web.HTTPNotFound()
        return action_failed("no_picture_there", entity_id=self.entity_id)


class WorkImage(DisplayImage[str]):
    """Image of the current work, as large as there is one, fetched on demand."""

    @callback
    @override
    def _update(self) -> bool:
        """Drop the cached picture when the work changes."""
        is_news = super()._update()
        if is_news:
            self._attr_image_last_updated = dt_util.utcnow() if self._value else None
            self._cached_image = None
        return is_news

    @property
    @override
    def entity_picture(self) -> str | None:
        """Return the path of the picture, None if the work has none."""
        if self._value and is_drawing(self._value):
            return self.hass.data[PICTURES].drawing_path(self._value)
        return super().entity_picture if self._value else None

    @override
    async def async_image(self) -> bytes:
        """Return the picture, fetched once per work.

        Raises:
            HomeAssistantError, HTTPNotFound: there is none.
        """
        url = self._value
        if self._cached_image is None and url is not None:
            for address in dict.fromkeys((largest_url(url), url)):
                if picture := await async_fetch_picture(self.hass, address):
                    # Meanwhile, another work may be shown.
                    if url == self._value:
                        self._cached_image = picture
                        self._attr_content_type = picture.content_type
                    break
        if self._cached_image is None:
            raise self._missing()
        return self._cached_image.content


class ScreenshotImage(DisplayImage[Screenshot]):
    """Last screenshot of a display, taken whenever the button is pressed."""

    _attr_content_type = "image/png"

    @property
    @override
    def image_last_updated(self) -> datetime | None:
        """Return when the screenshot was taken."""
        return self._value.taken_at if self._value else None

    @override
    async def async_image(self) -> bytes:
        """Return the screenshot, or raise as for a work unless it is one that a browser can take."""
        picture = self._value.picture if self._value else b""
        if not await self.hass.async_add_executor_job(picture_type, picture):
            raise self._missing()
        return picture
