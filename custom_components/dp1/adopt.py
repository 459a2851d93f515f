"""Giving a display its id when it becomes known only after it was added by its address."""

from collections.abc import Mapping, Set as AbstractSet
from typing import Any

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er

from .const import CONF_MACS, DOMAIN


@callback
def async_adopt(
    hass: HomeAssistant,
    address: Mapping[str, Any],
    macs: AbstractSet[str],
    device_id: str,
) -> bool:
    """Find the entry that was made for a display without an id, and give it the id; its history stays.

    Args:
        hass: Home Assistant.
        address: the part of the entry's data that holds the address where the display answers.
        macs: the hardware addresses that it gave.
        device_id: its id.
    """
    for entry in hass.config_entries.async_entries(DOMAIN):
        if entry.unique_id is None and _is_of(entry.data, address, macs):
            break
    else:
        return False
    devices, entities = dr.async_get(hass), er.async_get(hass)
    for entity in er.async_entries_for_config_entry(entities, entry.entry_id):
        unique_id = entity.unique_id.replace(entry.entry_id, device_id, 1)
        entities.async_update_entity(entity.entity_id, new_unique_id=unique_id)
    device = devices.async_get_device_by_identifier(
        (DOMAIN, entry.entry_id), entry.entry_id
    )
    if device is not None:
        devices.async_update_device(device.id, new_identifiers={(DOMAIN, device_id)})
    hass.config_entries.async_update_entry(
        entry, unique_id=device_id, data={**entry.data, **address}
    )
    hass.config_entries.async_schedule_reload(entry.entry_id)
    return True


def _is_of(
    data: Mapping[str, Any], address: Mapping[str, Any], macs: AbstractSet[str]
) -> bool:
    """Tell by the hardware addresses whose entry it is, or else by the address."""
    if macs and (known := data.get(CONF_MACS)):
        return not macs.isdisjoint(known)
    return address.items() <= data.items()
