"""Images of the current work and of the screen of a display."""

from dataclasses import dataclass
from datetime import datetime
from typing import override

from homeassistant.components.image import Image, ImageEntity, ImageEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .browse.pictures import async_fetch_picture
from .const import LOGGER
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.metadata import picture_of
from .display.state import Detail, DisplayData, DisplayDetails, Screenshot
from .entity import ValueDescription, ValueEntity, async_add_display_entities

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class WorkDescription(ValueDescription[str], ImageEntityDescription):
    """Describes the image of the current work, with its URL as the value."""


@dataclass(frozen=True, kw_only=True)
class ScreenshotDescription(
    ValueDescription[Screenshot, DisplayDetails], ImageEntityDescription
):
    """Describes the screenshot of a display."""

    @override
    def has_value(self, data: DisplayDetails) -> bool:
        """Return whether the display takes screenshots."""
        return data.screenshots


def _picture_url(data: DisplayData) -> str | None:
    """Return the URL of the picture of the current work."""
    return (
        picture_of(data.player, data.player.current, data.work) if data.player else None
    )


WORK = WorkDescription(
    key="work", is_common=True, shows_work=True, value_fn=_picture_url
)
SCREENSHOT = ScreenshotDescription(
    key="screenshot",
    entity_category=EntityCategory.DIAGNOSTIC,
    entity_registry_enabled_default=False,
    value_fn=lambda details: details.screenshot,
    detail=Detail.SCREENSHOTS,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the images of a display."""
    async_add_display_entities(entry, async_add_entities, [WORK], WorkImage)
    async_add_display_entities(entry, async_add_entities, [SCREENSHOT], ScreenshotImage)


class WorkImage(ValueEntity[str], ImageEntity):
    """Image of the current work, fetched on demand."""

    entity_description: WorkDescription

    def __init__(
        self, coordinator: DisplayCoordinator, description: WorkDescription
    ) -> None:
        """Initialize the image."""
        super().__init__(coordinator, description)
        ImageEntity.__init__(self, coordinator.hass)
        self._attr_image_last_updated = dt_util.utcnow()

    @callback
    @override
    def _update(self) -> bool:
        """Drop the cached picture when the work changes."""
        is_news = super()._update()
        if is_news:
            self._attr_image_last_updated = dt_util.utcnow()
            self._cached_image = None
        return is_news

    @override
    async def async_image(self) -> bytes | None:
        """Return the picture, fetched once per work."""
        url = self._value
        if self._cached_image is None and url is not None:
            picture = await async_fetch_picture(self.hass, url)
            self._keep(url, picture)
        return self._cached_image.content if self._cached_image else None

    def _keep(self, url: str, picture: Image | None) -> None:
        """Keep a picture, unless another work is shown by now."""
        if picture is not None and url == self._value:
            self._cached_image = picture
            self._attr_content_type = picture.content_type


class ScreenshotImage(ValueEntity[Screenshot], ImageEntity):
    """Last screenshot of a display, taken at first and whenever the button is pressed."""

    entity_description: ScreenshotDescription
    _attr_content_type = "image/png"

    def __init__(
        self, coordinator: DisplayCoordinator, description: ScreenshotDescription
    ) -> None:
        """Initialize the image."""
        super().__init__(coordinator, description)
        ImageEntity.__init__(self, coordinator.hass)

    @override
    async def async_added_to_hass(self) -> None:
        """Take the first screenshot in the background."""
        await super().async_added_to_hass()
        if self._value is None:
            self.coordinator.config_entry.async_create_background_task(
                self.hass, self._async_take_first(), f"{self.entity_id} first"
            )

    async def _async_take_first(self) -> None:
        """Take a screenshot and ignore a failure."""
        try:
            await self.coordinator.async_take_screenshot()
        except HomeAssistantError as err:
            LOGGER.debug("%s: %s", self.entity_id, err)

    @property
    @override
    def image_last_updated(self) -> datetime | None:
        """Return when the screenshot was taken."""
        return self._value.taken_at if self._value else None

    @override
    async def async_image(self) -> bytes | None:
        """Return the screenshot."""
        return self._value.picture if self._value else None
