"""Whether the display that answers is the one of the entry."""

from collections.abc import Mapping
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.helpers.device_registry import format_mac

from ..client.display.client import Display
from ..client.display.device_status import DeviceStatus, Identity
from ..client.errors import RejectedError, UnexpectedAnswerError
from ..const import CONF_MACS


def macs_of(device: DeviceStatus) -> frozenset[str]:
    """Return the MAC addresses in a device status."""
    return frozenset(map(format_mac, device.mac_info.values()))


class IdentityCheck:
    """Checks who answers: by the device id, or by the MAC addresses where there is none.

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

    def check(self, device: DeviceStatus) -> bool:
        """Return whether a device status can be that of the display."""
        if not self.is_proven and (macs := macs_of(device)) and self.macs:
            self.is_other = macs.isdisjoint(self.macs)
        return not self.is_other

    def learned(self, device: DeviceStatus) -> Mapping[str, Any]:
        """Return what to remember of the reply of a display that was checked."""
        macs = sorted(macs_of(device))
        return {CONF_MACS: macs} if macs and self.done and not self.is_other else {}
