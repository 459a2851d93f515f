"""Storage which starts empty if its file is damaged or was written by a newer version."""

from collections.abc import Callable
from datetime import datetime
import os
from typing import Any

import voluptuous as vol

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store

from .const import DOMAIN, LOGGER

# Errors raised by code that expects another format.
DAMAGED = (
    ArithmeticError,
    AttributeError,
    HomeAssistantError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    vol.Invalid,
)

CAST_SCHEMA = vol.Schema(
    {
        vol.Required("playlist_url"): vol.Any(None, str),
        vol.Required("playlist"): vol.Any(
            None,
            vol.Schema({vol.Optional("items"): [dict]}, extra=vol.ALLOW_EXTRA),
        ),
    }
)


def parse_stored_time(text: str) -> datetime:
    """Return a stored time, or raise ValueError if it has no offset."""
    if (time := datetime.fromisoformat(text)).tzinfo is None:
        raise ValueError("time without offset")
    return time


class SafeStore[T](Store[Any]):
    """Store whose content is read by a function that may raise if it makes no sense."""

    def __init__(
        self,
        hass: HomeAssistant,
        key: str,
        parse: Callable[[Any], T],
        *,
        version: int = 1,
        **options: Any,
    ) -> None:
        """Initialize the store."""
        super().__init__(hass, version, f"{DOMAIN}.{key}", **options)
        self._parse = parse

    async def async_load_parsed(self) -> T | None:
        """Return what is stored; None if there is nothing, or the file is damaged, which is then kept beside."""
        try:
            if (stored := await self.async_load()) is None:
                return None
            return await self.hass.async_add_executor_job(self._parse, stored)
        except DAMAGED as err:
            kept = f"{self.path}.damaged"
            LOGGER.warning(
                "The file %s cannot be used (%s) and is kept as %s; starting without it",
                self.path,
                type(err).__name__,
                kept,
            )
        try:
            await self.hass.async_add_executor_job(os.replace, self.path, kept)
        except OSError as err:
            LOGGER.debug("Cannot keep %s: %s", kept, err)
        return None
