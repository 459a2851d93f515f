"""Fields that several actions share."""

from typing import Any

import voluptuous as vol

from homeassistant.components.media_player import ATTR_MEDIA_CONTENT_ID
from homeassistant.helpers import config_validation as cv


def media(value: Any) -> str:
    """Validate a media content id, or what the media picker makes of one."""
    if isinstance(value, dict):
        value = value.get(ATTR_MEDIA_CONTENT_ID)
    return cv.string(value)


def color(value: Any) -> str:
    """Validate a color like #rrggbb, or what the color picker makes of one."""
    if isinstance(value, list | tuple):
        red, green, blue = vol.Schema(vol.ExactSequence([cv.byte] * 3))(list(value))
        return f"#{red:02x}{green:02x}{blue:02x}"
    return str(cv.matches_regex(r"^#[0-9a-fA-F]{6}$")(value))
