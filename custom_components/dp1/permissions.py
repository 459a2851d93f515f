"""Rights of the user of a call; automations have no user and may do everything."""

from dataclasses import dataclass
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
    """A user may not perform an action, and reads who may."""

    def __init__(self, context: Context, key: str, **placeholders: str) -> None:
        """Initialize with the key of the text, which Unauthorized has no place for."""
        super().__init__(context=context)
        error = action_failed(key, **placeholders)
        self.translation_domain = error.translation_domain
        self.translation_key = error.translation_key
        self.translation_placeholders = error.translation_placeholders
        self._message = str(error)


@dataclass(frozen=True, slots=True)
class Caller:
    """The person or automation for whom something is done; without one it is for a stranger, who may do nothing.

    Attributes:
        context: of the call; None for a stranger.
        user: of the call; None for an automation, which may do everything.
        hosts: at home, as ``host:port``, which the call names; none unless its user is an administrator.
    """

    context: Context | None = None
    user: User | None = None
    hosts: frozenset[str] = frozenset()

    @property
    def is_owner(self) -> bool:
        """Return whether an administrator or an automation calls."""
        return self.context is not None and (self.user is None or self.user.is_admin)

    def may(self, policy: str, entity_id: str) -> bool:
        """Return whether an entity may be read or controlled."""
        if self.user is None:
            return self.is_owner
        return self.user.permissions.check_entity(entity_id, policy)

    def check(self, policy: str, *entity_ids: str) -> None:
        """Raise Unauthorized unless all entities may be read or controlled."""
        for entity_id in entity_ids:
            if not self.may(policy, entity_id):
                raise Unauthorized(
                    context=self.context, entity_id=entity_id, permission=policy
                )


STRANGER: Final = Caller()


async def async_caller(hass: HomeAssistant, context: Context | None) -> Caller:
    """Return for whom a call is made."""
    return Caller(context, await async_user(hass, context)) if context else STRANGER


async def async_user(hass: HomeAssistant, context: Context) -> User | None:
    """Return the user of a call, None for an automation; raise UnknownUser for one who was removed."""
    if context.user_id is None:
        return None
    if (user := await hass.auth.async_get_user(context.user_id)) is None:
        raise UnknownUser(context=context)
    return user


async def async_is_admin(hass: HomeAssistant, context: Context) -> bool:
    """Return whether a call is made by an administrator or an automation."""
    return (await async_caller(hass, context)).is_owner


async def async_check_library(
    hass: HomeAssistant, context: Context, entry_id: str
) -> None:
    """Raise Unauthorized unless a call may control all entities of a library."""
    entities = er.async_entries_for_config_entry(er.async_get(hass), entry_id)
    caller = await async_caller(hass, context)
    caller.check(POLICY_CONTROL, *(entity.entity_id for entity in entities))


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
