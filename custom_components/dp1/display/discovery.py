"""The display at an address: its identity, and its announcement on the network."""

import asyncio
from collections.abc import Mapping, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
import re
from typing import Any, NamedTuple, Self

from zeroconf import DNSPointer
from zeroconf.asyncio import AsyncServiceInfo

from homeassistant.components import zeroconf
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_HOST, CONF_PORT
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.device_registry import format_mac

from ..addresses import async_session
from ..client.display.client import Dialect, Display
from ..client.display.device_status import DeviceStatus
from ..client.display.transport import RateLimit
from ..client.errors import (
    Dp1Error,
    NotReadyError,
    RejectedError,
    UnexpectedAnswerError,
    WantsPairingError,
)
from ..client.text import clean, plain_host, web_url
from ..client.values import text
from ..const import CONF_DIALECT, CONF_MACS, DEFAULT_PORT, DOMAIN, NAME_LENGTH
from ..screen.pairing import is_screen
from ..screen.views import async_screens

SERVICE_TYPE = "_ff1._tcp.local."
ADDRESS_LENGTH = 300
DEVICE_STATUS_TIMEOUT = 2.0
STORED_ADDRESS_TIMEOUT = 2.0
# How many times as many commands are sent as a real display admits; only a simulator takes more.
PACE = 1.0
# Addresses of Tailscale and of shared networks, which lead to a display, but not back.
TAILNET = ip_network("100.64.0.0/10")
MAC = re.compile("(?:[0-9a-f]{2}:){5}[0-9a-f]{2}")
DEVICE_ID = re.compile(r"FF1-[A-Z0-9][A-Z0-9-]{0,58}", re.IGNORECASE)


class Address(NamedTuple):
    """Host and port of a display."""

    host: str
    port: int

    @property
    def text(self) -> str:
        """Return the address as a user writes it."""
        if self.port == DEFAULT_PORT:
            return self.host
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def device_id(self) -> str | None:
        """Return the device id in a name like ``ff1-ab12cd34.local``."""
        label = self.host.removesuffix(".local")
        return label.upper() if DEVICE_ID.fullmatch(label) else None


def parse_address(text: str) -> Address:
    """Parse an IP address, a name, a device id or a URL, or raise ValueError."""
    text = text.strip()
    if len(text) > ADDRESS_LENGTH:
        raise ValueError("too long")
    try:
        return Address(str(_ip(text)), DEFAULT_PORT)
    except ValueError:
        url = web_url(text if "://" in text else f"http://{text}")
    host = plain_host(url)
    if DEVICE_ID.fullmatch(host):
        host = f"{host}.local"
    return Address(host, url.explicit_port or DEFAULT_PORT)


def _ip(text: str) -> object:
    """Parse an IP address; IPv6 may have a zone and brackets."""
    if text.startswith("[") and text.endswith("]"):
        return IPv6Address(text[1:-1])
    return ip_address(text)


async def async_display_of(hass: HomeAssistant, entry: ConfigEntry[Any]) -> Display:
    """Return the display of an entry: one on the network, or a screen, or raise ConfigEntryNotReady."""
    if not is_screen(entry):
        return network_display(hass, entry)
    screens = await async_screens(hass)
    await screens.async_load()
    return screens.display(entry.unique_id or "")


def network_display(hass: HomeAssistant, entry: ConfigEntry[Any]) -> Display:
    """Return the display of an entry, which is on the network."""
    chosen = Dialect(entry.options.get(CONF_DIALECT, Dialect.UNKNOWN))
    stored = Dialect(entry.data.get(CONF_DIALECT, Dialect.UNKNOWN))
    fixed = chosen is not Dialect.UNKNOWN
    return Display(
        async_session(hass),
        entry.data[CONF_HOST],
        entry.data[CONF_PORT],
        dialect=chosen if fixed else stored,
        dialect_is_fixed=fixed,
        rate_limit=RateLimit(pace=PACE),
    )


@dataclass(frozen=True, slots=True)
class FoundDisplay:
    """A display that answered, with device id, name and MAC addresses as far as it reports them."""

    device_id: str | None
    name: str | None
    dialect: Dialect
    macs: frozenset[str]

    def matches(self, device_id: str | None, macs: AbstractSet[str]) -> bool:
        """Return whether this is the display with a device id, or else with MAC addresses.

        MAC addresses change with the network hardware, so they count only where the display gives no id.
        """
        if self.device_id and device_id:
            return self.device_id == device_id
        return not (self.macs and macs) or not self.macs.isdisjoint(macs)


def macs_of(device: DeviceStatus) -> frozenset[str]:
    """Return the MAC addresses in a device status."""
    return frozenset(map(format_mac, device.mac_info.values()))


def is_ff1(dialect: Dialect, device_id: str | None) -> bool:
    """Return whether a display is an FF1, whose interface others may speak, too."""
    return dialect is Dialect.FF and (device_id or "FF1-").startswith("FF1-")


def is_one_way(host: str) -> bool:
    """Return whether a display at an address has no way to the home of Home Assistant."""
    try:
        return ip_address(host) in TAILNET
    except ValueError:
        return False


def model_of(dialect: Dialect, device_id: str | None = None) -> str:
    """Return the model of a display."""
    return "FF1" if is_ff1(dialect, device_id) else "DP-1 display"


async def async_identify(hass: HomeAssistant, address: Address) -> FoundDisplay:
    """Identify the display at an address, or raise UnexpectedAnswerError for anything else."""
    display = Display(async_session(hass), address.host, address.port)
    return await _async_describe(display, await _async_device_id(display))


async def async_still_answers(
    hass: HomeAssistant, entry: ConfigEntry[Any], other: FoundDisplay
) -> bool:
    """Return whether the display of an entry still answers at its stored address, rather than at another one."""
    host, port = entry.data[CONF_HOST], entry.data[CONF_PORT]
    display = Display(async_session(hass), host, port)
    try:
        async with asyncio.timeout(STORED_ADDRESS_TIMEOUT):
            device_id = await _async_device_id(display)
    except Dp1Error, TimeoutError:
        return False
    answering = await _async_describe(display, device_id)
    macs = set(entry.data.get(CONF_MACS, ()))
    if other.device_id and not answering.device_id:
        return False
    if (
        answering.macs
        and answering.macs.isdisjoint(macs)
        and not other.macs.isdisjoint(macs)
    ):
        return False
    return answering.matches(entry.unique_id, macs)


async def _async_device_id(display: Display) -> str | None:
    """Return the device id that a display gives, or raise if it is not a display."""
    try:
        if identity := await display.identify():
            return identity.device_id or None
    except WantsPairingError:
        raise
    except RejectedError, UnexpectedAnswerError:
        pass
    try:
        await display.player_status()
    except NotReadyError, RejectedError:
        # It accepts commands but has no player at the moment, or it follows the 2025 description.
        return None
    except UnexpectedAnswerError:
        if not await display.takes_commands():
            raise
    return None


async def _async_describe(display: Display, device_id: str | None) -> FoundDisplay:
    """Add data of the device status, which a display without internet answers late or not at all."""
    device: DeviceStatus | None = None
    with suppress(Dp1Error, TimeoutError):
        async with asyncio.timeout(DEVICE_STATUS_TIMEOUT):
            device = await display.device_status()
    return FoundDisplay(
        device_id=device_id,
        name=device.device_name if device else None,
        dialect=display.dialect,
        macs=macs_of(device) if device else frozenset(),
    )


class Announced(NamedTuple):
    """The announcement of a display on the network: its device id, its name, and its address."""

    device_id: str | None = None
    name: str | None = None
    address: Address | None = None

    @classmethod
    def parse(cls, texts: Mapping[str, Any], address: Address | None = None) -> Self:
        """Return the announcement in a record of mDNS."""
        device_id = text(texts.get("id"), NAME_LENGTH)
        name = clean(texts.get("name"), NAME_LENGTH)
        return cls(device_id and device_id.upper(), name or None, address)


async def async_announced(hass: HomeAssistant, address: Address) -> Announced:
    """Return the announcement of the display at an address."""
    mdns = (await zeroconf.async_get_async_instance(hass)).zeroconf
    for record in mdns.cache.async_entries_with_name(SERVICE_TYPE):
        if not isinstance(record, DNSPointer):
            continue
        info = AsyncServiceInfo(SERVICE_TYPE, record.alias)
        if info.load_from_cache(mdns) and address.port == info.port:
            hosts = info.parsed_addresses()
            names = (*hosts, (info.server or "").rstrip("."))
            if hosts and address.host.lower() in map(str.lower, names):
                there = Address(hosts[0], address.port)
                return Announced.parse(info.decoded_properties, there)
    return Announced()


@callback
def async_entry_without_id(
    hass: HomeAssistant, address: Mapping[str, Any], macs: AbstractSet[str]
) -> ConfigEntry[Any] | None:
    """Return the entry of the display with these MAC addresses, or else at this address, if it has no id."""
    for entry in hass.config_entries.async_entries(DOMAIN):
        if entry.unique_id is not None:
            continue
        if macs and (stored := entry.data.get(CONF_MACS)):
            if not macs.isdisjoint(stored):
                return entry
        elif address.items() <= entry.data.items():
            return entry
    return None


@callback
def async_set_device_id(
    hass: HomeAssistant, entry: ConfigEntry[Any], device_id: str
) -> None:
    """Give an entry that was created without a device id the id, and keep its entities."""
    devices, entities = dr.async_get(hass), er.async_get(hass)
    for entity in er.async_entries_for_config_entry(entities, entry.entry_id):
        unique_id = entity.unique_id.replace(entry.entry_id, device_id, 1)
        entities.async_update_entity(entity.entity_id, new_unique_id=unique_id)
    device = devices.async_get_device_by_identifier(
        (DOMAIN, entry.entry_id), entry.entry_id
    )
    if device is not None:
        devices.async_update_device(device.id, new_identifiers={(DOMAIN, device_id)})
    hass.config_entries.async_update_entry(entry, unique_id=device_id)


@callback
def async_update_name(
    hass: HomeAssistant, entry: ConfigEntry[Any], name: str | None
) -> None:
    """Name an entry as its display announces itself, unless its owner has named it."""
    unnamed = {entry.data[CONF_HOST], entry.unique_id, *map(model_of, Dialect)}
    if not name or entry.title not in unnamed:
        return
    hass.config_entries.async_update_entry(entry, title=name)
    devices = dr.async_get(hass)
    for device in dr.async_entries_for_config_entry(devices, entry.entry_id):
        devices.async_update_device(device.id, name=name)
