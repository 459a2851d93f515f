"""The firmware of a display."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, override

from homeassistant.components.update import (
    UpdateDeviceClass,
    UpdateEntity,
    UpdateEntityDescription,
    UpdateEntityFeature,
)
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.event import async_call_later

from .coordinator import DisplayConfigEntry, DisplayData, Outcome
from .entity import ValueDescription, ValueEntity, async_add_as_shown

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0
# The display does not tell how far it is, nor that it failed.
PATIENCE: Final = 30 * 60.0


@dataclass(frozen=True, kw_only=True)
class FirmwareDescription(ValueDescription[tuple[str, str]], UpdateEntityDescription):
    """The firmware: which is installed, and which is the latest."""


def _versions(data: DisplayData) -> tuple[str, str] | None:
    """Tell which version is installed, and which one there is, for which the display needs the internet."""
    device = data.device
    if device is None or not device.installed_version or not device.latest_version:
        return None
    return device.installed_version, device.latest_version


FIRMWARE = FirmwareDescription(
    key="firmware", device_class=UpdateDeviceClass.FIRMWARE, value_fn=_versions
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the firmware of a display."""
    async_add_as_shown(entry, async_add_entities, [FIRMWARE], FirmwareUpdate)


class FirmwareUpdate(ValueEntity[tuple[str, str]], UpdateEntity):
    """The firmware of a display."""

    entity_description: FirmwareDescription
    _attr_supported_features = (
        UpdateEntityFeature.INSTALL | UpdateEntityFeature.PROGRESS
    )
    _attr_title = "FF OS"
    # It also updates itself, at night.
    _attr_auto_update = True
    _replaced: str | None = None
    _cancel_patience: CALLBACK_TYPE | None = None

    @property
    @override
    def installed_version(self) -> str | None:
        """Show what is installed."""
        return self._value[0] if self._value else None

    @property
    @override
    def latest_version(self) -> str | None:
        """Show what could be installed."""
        return self._value[1] if self._value else None

    @property
    @override
    def in_progress(self) -> bool:
        """Tell whether another version is on its way, until it shows."""
        return self._replaced is not None and self._replaced == self.installed_version

    @override
    async def async_install(
        self, version: str | None, backup: bool, **kwargs: Any
    ) -> None:
        """Install the latest version; the display restarts some minutes later."""
        async with self.coordinator.async_command(Outcome.NOWHERE) as display:
            await display.install_update()
        self._stop_waiting()
        self._replaced = self.installed_version
        self._cancel_patience = async_call_later(self.hass, PATIENCE, self._give_up)
        self.async_write_ha_state()

    @callback
    def _give_up(self, _: datetime) -> None:
        """Stop believing that the installation goes on."""
        self._cancel_patience = None
        self._replaced = None
        self.async_write_ha_state()

    @callback
    def _stop_waiting(self) -> None:
        """Stop the clock."""
        if self._cancel_patience:
            self._cancel_patience()

    @override
    async def async_will_remove_from_hass(self) -> None:
        """Stop the clock."""
        self._stop_waiting()
        await super().async_will_remove_from_hass()
