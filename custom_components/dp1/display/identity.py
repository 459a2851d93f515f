"""The identity of a display, and its stored data."""

from collections.abc import Iterable, Mapping
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.device_registry import format_mac

from ..client.display.casts import Dialect
from ..client.display.client import Display
from ..client.display.device_status import DeviceStatus, Identity
from ..client.errors import RejectedError, UnexpectedAnswerError
from ..const import CONF_DIALECT, CONF_FEATURES, CONF_MACS, DOMAIN


def macs_of(device: DeviceStatus) -> frozenset[str]:
    """Return the MAC addresses in a device status."""
    return frozenset(map(format_mac, device.mac_info.values()))


class IdentityCheck:
    """Checks the identity: by the device id, or by the MAC addresses if there is none.

    Attributes:
        identity: the identity that was given, None with firmware that has none.
        done: whether it was checked since the connection was opened.
        is_other: whether another display answers.
        is_proven: whether the device id is that of the entry.
    """

    def __init__(self, entry: ConfigEntry[Any], display: Display) -> None:
        """Initialize the check."""
        self.identity: Identity | None = None
        self.done = False
        self.is_other = False
        self.is_proven = False
        self._entry = entry
        self._display = display

    @property
    def macs(self) -> frozenset[str]:
        """Return the MAC addresses of the display, as last verified."""
        return frozenset(self._entry.data.get(CONF_MACS, ()))

    async def async_ask(self) -> None:
        """Ask for the device id."""
        try:
            self.identity = await self._display.identify()
        except RejectedError, UnexpectedAnswerError:
            self.identity = None
        given = self.identity.device_id if self.identity else ""
        expected = self._entry.unique_id
        self.is_proven = bool(given) and given == expected
        self.is_other = bool(given and expected) and given != expected

    def raise_if_other(self, kind: type[HomeAssistantError]) -> None:
        """Raise if another display answers than that of the entry."""
        if self.is_other:
            raise kind(
                translation_domain=DOMAIN,
                translation_key="another_display",
                translation_placeholders={
                    "name": self._entry.title,
                    "where": self._display.url,
                },
            )

    def check(self, device: DeviceStatus) -> bool:
        """Return whether a device status can be that of the display."""
        if not self.is_proven and (macs := macs_of(device)) and self.macs:
            self.is_other = macs.isdisjoint(self.macs)
        return not self.is_other

    def learned(self, device: DeviceStatus) -> Mapping[str, Any]:
        """Return what to store of the device status of a checked display."""
        macs = sorted(macs_of(device))
        return {CONF_MACS: macs} if macs and self.done and not self.is_other else {}


class EntryMemory:
    """Stores what is useful after a restart in the entry and the device registry."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        display: Display,
        *,
        learns_dialect: bool,
    ) -> None:
        """Initialize the memory."""
        self._hass = hass
        self._entry = entry
        self._display = display
        self._learns_dialect = learns_dialect

    @property
    def features(self) -> frozenset[str]:
        """Return the features that were ever detected, by the keys of their entities."""
        return frozenset(self._entry.data.get(CONF_FEATURES, ()))

    @callback
    def add_features(self, features: Iterable[str]) -> None:
        """Store detected features."""
        self._store({CONF_FEATURES: sorted(self.features.union(features))})

    @callback
    def remember(self, learned: Mapping[str, Any] | None = None) -> None:
        """Store the dialect and other data."""
        data = dict(learned or {})
        if self._learns_dialect and self._display.dialect is not Dialect.UNKNOWN:
            data[CONF_DIALECT] = self._display.dialect.value
        self._store(data)

    @callback
    def update_device(self, device_id: str, status: DeviceStatus) -> None:
        """Update the firmware version in the device registry."""
        registry = dr.async_get(self._hass)
        device = registry.async_get_device_by_identifier(
            (DOMAIN, device_id), self._entry.entry_id
        )
        version = status.installed_version
        if device is not None and version and version != device.sw_version:
            registry.async_update_device(device.id, sw_version=version)

    def _store(self, data: Mapping[str, Any]) -> None:
        """Store data in the entry."""
        if not data.items() <= self._entry.data.items():
            self._hass.config_entries.async_update_entry(
                self._entry, data={**self._entry.data, **data}
            )
