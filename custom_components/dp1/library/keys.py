"""The keys of a library on the disk: a playlist signed with a lost key can never be changed."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from homeassistant.config_entries import (
    STORAGE_KEY,
    STORAGE_VERSION,
    STORAGE_VERSION_MINOR,
    ConfigEntry,
)
from homeassistant.const import CONF_API_KEY
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store

from ..client.values import mapping, objects
from ..const import CONF_HAS_SIGNED, CONF_SIGNING_KEY
from ..errors import action_failed

KEYS: Final = (CONF_SIGNING_KEY, CONF_API_KEY, CONF_HAS_SIGNED)
# Home Assistant saves an entry about a second after it has changed.
PATIENCE: Final = 10.0
POLL: Final = 0.1


async def async_confirm_keys(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Wait until the keys of an entry are on the disk as they are used now, or raise that they are not."""
    keys = {key: entry.data.get(key) for key in KEYS}
    for _ in range(round(PATIENCE / POLL)):
        # A store reads its file once.
        store = Store[dict[str, Any]](
            hass,
            STORAGE_VERSION,
            STORAGE_KEY,
            minor_version=STORAGE_VERSION_MINOR,
            read_only=True,
        )
        stored: Mapping[str, Any] = {}
        with suppress(HomeAssistantError):
            stored = mapping(await store.async_load())
        if any(
            each.get("entry_id") == entry.entry_id
            and keys.items()
            <= {key: mapping(each.get("data")).get(key) for key in KEYS}.items()
            for each in objects(stored.get("entries"))
        ):
            return
        await asyncio.sleep(POLL)
    raise action_failed("keys_not_saved", name=entry.title)
