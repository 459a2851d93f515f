"""What the user of a call may do; automations have no user and may do everything."""

from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import Unauthorized, UnknownUser
from homeassistant.helpers import entity_registry as er
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN
from .errors import action_failed

REFRESH_SECONDS = 60.0
# When somebody looked for news in a library, by its entry id, on the clock of the event loop.
REFRESHED: Final[HassKey[dict[str, float]]] = HassKey(f"{DOMAIN}_refreshed")


class NotAllowedError(Unauthorized):
    """A user may not do what was asked for, and reads who may."""

    def __init__(self, context: Context, key: str, **placeholders: str) -> None:
        """Initialize with the key of the text, which Unauthorized has no place for."""
        super().__init__(context=context)
        error = action_failed(key, **placeholders)
        self.translation_domain = error.translation_domain
        self.translation_key = error.translation_key
        self.translation_placeholders = error.translation_placeholders
        self._message = str(error)


async def async_user(hass: HomeAssistant, context: Context) -> User | None:
    """Return the user of a call, None for an automation; raise UnknownUser for one who was removed."""
    if context.user_id is None:
        return None
    if (user := await hass.auth.async_get_user(context.user_id)) is None:
        raise UnknownUser(context=context)
    return user


async def async_is_admin(hass: HomeAssistant, context: Context) -> bool:
    """Return whether a call is made by an administrator or an automation."""
    user = await async_user(hass, context)
    return user is None or user.is_admin


async def async_check_library(
    hass: HomeAssistant, context: Context, entry_id: str
) -> None:
    """Raise Unauthorized unless a call may control all entities of a library."""
    user, registry = await async_user(hass, context), er.async_get(hass)
    for entity in er.async_entries_for_config_entry(registry, entry_id):
        if user and not user.permissions.check_entity(entity.entity_id, POLICY_CONTROL):
            raise Unauthorized(
                context=context, entity_id=entity.entity_id, permission=POLICY_CONTROL
            )


async def async_check_refresh(
    hass: HomeAssistant, context: Context, entry: ConfigEntry[Any]
) -> None:
    """Raise unless a call may look for news in a library: who is no administrator, once a minute."""
    entry_id = entry.entry_id
    await async_check_library(hass, context, entry_id)
    refreshed, now = hass.data.setdefault(REFRESHED, {}), hass.loop.time()
    is_early = now < refreshed.get(entry_id, -REFRESH_SECONDS) + REFRESH_SECONDS
    if is_early and not await async_is_admin(hass, context):
        raise action_failed("refreshed_just_now", name=entry.title)
    refreshed[entry_id] = now
