"""Firmware update of a display."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, override

from homeassistant.components.update import (
    UpdateDeviceClass,
    UpdateEntity,
    UpdateEntityDescription,
    UpdateEntityFeature,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.event import async_call_later

from .client.display.device_status import DeviceStatus
from .coordinator import DisplayConfigEntry, Refresh
from .entity import DescribedEntity, DisplayDescription, async_add_display_entities
from .screen.pairing import is_screen

# Seconds of a firmware update, of which a display reports neither progress nor failure.
INSTALL_TIMEOUT: Final = 1800.0

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class FirmwareDescription(DisplayDescription[tuple[str, str]], UpdateEntityDescription):
    """Describes the firmware, with the installed and the latest version as the value."""


def _versions(device: DeviceStatus) -> tuple[str, str] | None:
    """Return the installed and the latest version; there is no latest one without internet."""
    if not device.installed_version or not device.latest_version:
        return None
    return device.installed_version, device.latest_version


FIRMWARE = FirmwareDescription(
    key="firmware",
    record="device",
    is_common=True,
    device_class=UpdateDeviceClass.FIRMWARE,
    value_fn=_versions,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the firmware update of a display; a screen has no firmware."""
    if not is_screen(entry):
        async_add_display_entities(
            entry, async_add_entities, [FIRMWARE], FirmwareUpdate
        )


class FirmwareUpdate(DescribedEntity[tuple[str, str]], UpdateEntity):
    """Firmware update of a display."""

    entity_description: FirmwareDescription
    _attr_supported_features = (
        UpdateEntityFeature.INSTALL | UpdateEntityFeature.PROGRESS
    )
    _attr_title = "FF OS"
    # The display also updates itself at night.
    _attr_auto_update = True
    _replaced: str | None = None

    @property
    @override
    def installed_version(self) -> str | None:
        """Return the installed version."""
        return self._value[0] if self._value else None

    @property
    @override
    def latest_version(self) -> str | None:
        """Return the latest version."""
        return self._value[1] if self._value else None

    @property
    @override
    def in_progress(self) -> bool:
        """Return whether an update is in progress, until another version is installed."""
        return self._replaced is not None and self._replaced == self.installed_version

    @override
    async def async_install(
        self, version: str | None, backup: bool, **kwargs: Any
    ) -> None:
        """Install the latest version; the display restarts some minutes later."""
        async with self.coordinator.async_command(Refresh.NONE) as display:
            await display.install_update()
        self._replaced = replaced = self.installed_version

        @callback
        def handle_timeout(_: datetime) -> None:
            """Report that the installation ended without a new version."""
            if self._replaced == replaced:
                self._replaced = None
                self.async_write_ha_state()

        self.async_on_remove(
            async_call_later(self.hass, INSTALL_TIMEOUT, handle_timeout)
        )
        self.async_write_ha_state()
