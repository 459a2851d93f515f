"""A bare integration, with which the cost of many entries is compared: what it takes is Home Assistant's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
import logging
from typing import Any

from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockModule,
    MockPlatform,
    mock_config_flow,
    mock_integration,
    mock_platform,
)

from homeassistant.components.binary_sensor import BinarySensorEntity
from homeassistant.components.button import ButtonEntity
from homeassistant.components.event import EventEntity
from homeassistant.components.image import ImageEntity
from homeassistant.components.media_player import MediaPlayerEntity
from homeassistant.components.number import NumberEntity
from homeassistant.components.remote import RemoteEntity
from homeassistant.components.select import SelectEntity
from homeassistant.components.sensor import SensorEntity
from homeassistant.components.switch import SwitchEntity
from homeassistant.components.time import TimeEntity
from homeassistant.components.update import UpdateEntity
from homeassistant.config_entries import ConfigEntry, ConfigFlow
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.update_coordinator import (
    CoordinatorEntity,
    DataUpdateCoordinator,
)

BARE = "bare"
LOGGER = logging.getLogger(__name__)
Bytes = DataUpdateCoordinator[bytes]
KINDS: dict[str, type[Entity]] = {
    "binary_sensor": BinarySensorEntity,
    "button": ButtonEntity,
    "event": EventEntity,
    "image": ImageEntity,
    "media_player": MediaPlayerEntity,
    "number": NumberEntity,
    "remote": RemoteEntity,
    "select": SelectEntity,
    "sensor": SensorEntity,
    "switch": SwitchEntity,
    "time": TimeEntity,
    "update": UpdateEntity,
}

# How many entities of each domain are disabled, and how many are enabled.
type Shape = dict[str, list[int]]


def shape_of(hass: HomeAssistant, entry: ConfigEntry[Any]) -> Shape:
    """Return which entities an entry has registered."""
    shape: Shape = {}
    for each in er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id):
        shape.setdefault(each.domain, [0, 0])[each.disabled_by is None] += 1
    return shape


def _bare(kind: type[Entity]) -> Any:
    class Bare(CoordinatorEntity[Bytes], kind):  # type: ignore[misc, valid-type]
        """Entity that says nothing."""

        _attr_event_types = ("thing",)
        _attr_has_entity_name = True
        _attr_options = ("thing",)

        def __init__(self, coordinator: Bytes, name: str, enabled: int) -> None:
            super().__init__(coordinator)
            entry = coordinator.config_entry
            assert entry is not None
            if kind is ImageEntity:
                ImageEntity.__init__(self, coordinator.hass)
            self._attr_name = name
            self._attr_entity_registry_enabled_default = bool(enabled)
            self._attr_unique_id = f"{entry.entry_id}-{name}"
            self._attr_device_info = DeviceInfo(
                identifiers={(BARE, entry.entry_id)}, name=entry.title
            )

    return Bare


CLASSES = {domain: _bare(kind) for domain, kind in KINDS.items()}


class Flow(ConfigFlow):
    """Flow without steps."""


@contextmanager
def bare_integration(hass: HomeAssistant) -> Iterator[None]:
    """Have the integration; the data of its entries are a URL to read, and their shape."""

    async def set_up(hass: HomeAssistant, entry: ConfigEntry[Any]) -> bool:
        """Read something, and add the entities."""
        session = async_get_clientsession(hass)

        async def read() -> bytes:
            """Read what the server says."""
            async with session.get(entry.data["url"]) as answer:
                return await answer.read()

        coordinator = entry.runtime_data = Bytes(
            hass, LOGGER, config_entry=entry, name=entry.title, update_method=read
        )
        await coordinator.async_config_entry_first_refresh()
        domains = list(entry.data["shape"])
        await hass.config_entries.async_forward_entry_setups(entry, domains)
        return True

    async def unload(hass: HomeAssistant, entry: ConfigEntry[Any]) -> bool:
        """Remove the entities."""
        domains = list(entry.data["shape"])
        return await hass.config_entries.async_unload_platforms(entry, domains)

    async def add(
        domain: str, hass: HomeAssistant, entry: ConfigEntry[Any], add_entities: Any
    ) -> None:
        add_entities(
            CLASSES[domain](entry.runtime_data, f"{domain} {enabled} {number}", enabled)
            for enabled, count in enumerate(entry.data["shape"][domain])
            for number in range(count)
        )

    module = MockModule(BARE, async_setup_entry=set_up, async_unload_entry=unload)
    # Home Assistant 2026.11 refuses the answer of a set-up, which 2026.10 asks for, but not of custom integrations.
    mock_integration(hass, module, built_in=False)
    mock_platform(hass, f"{BARE}.config_flow")
    for domain in KINDS:
        platform = MockPlatform(async_setup_entry=partial(add, domain))
        mock_platform(hass, f"{BARE}.{domain}", platform)
    with mock_config_flow(BARE, Flow):
        yield


def bare_entry(name: str, url: str, shape: Shape) -> MockConfigEntry:
    return MockConfigEntry(domain=BARE, title=name, data={"url": url, "shape": shape})
