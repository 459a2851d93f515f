"""Who answers at an address, and what the network says of it."""

from dataclasses import dataclass

from zeroconf import DNSPointer
from zeroconf.asyncio import AsyncServiceInfo

from homeassistant.components import zeroconf
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.device_registry import format_mac

from .address import Address
from .protocol.display import Dialect, Display
from .protocol.errors import NotReadyError, RejectedError, UnexpectedAnswerError
from .protocol.text import clean

SERVICE_TYPE = "_ff1._tcp.local."
NAME_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Found:
    """What answered at an address.

    Attributes:
        device_id: the id it gave, None from firmware before 2.0 and from other makers' displays.
        name: what its owner calls it, if it tells.
        dialect: the wire format that it has shown.
        macs: its hardware addresses.
    """

    device_id: str | None
    name: str | None
    dialect: Dialect
    macs: frozenset[str]

    def may_be(self, device_id: str | None, macs: set[str]) -> bool:
        """Whether nothing speaks against this being the display with that id, or else those addresses."""
        if self.device_id and device_id:
            return self.device_id == device_id
        return not (self.macs and macs) or not self.macs.isdisjoint(macs)


async def async_identify(hass: HomeAssistant, address: Address) -> Found:
    """Ask who is there.

    Raises:
        UnexpectedAnswerError: something that is no display.
        Dp1Error: no contact, by its cause.
    """
    display = Display(async_get_clientsession(hass), address.host, address.port)
    try:
        identity = await display.identify()
    except RejectedError, UnexpectedAnswerError:
        identity = None
    try:
        device = await display.device_status()
    except NotReadyError, RejectedError:
        # It takes commands, just not this one: a display by the description of 2025.
        device = None
    except UnexpectedAnswerError:
        if not await display.takes_commands():
            raise
        device = None
    return Found(
        device_id=identity.device_id if identity else None,
        name=clean(device.device_name, NAME_LENGTH) or None if device else None,
        dialect=display.dialect,
        macs=frozenset(map(format_mac, device.mac_info.values()) if device else ()),
    )


async def async_advertised(
    hass: HomeAssistant, address: Address
) -> tuple[str | None, str | None]:
    """Look up the id and the name that the display at an address advertises."""
    network = (await zeroconf.async_get_async_instance(hass)).zeroconf
    for record in network.cache.async_entries_with_name(SERVICE_TYPE):
        if not isinstance(record, DNSPointer):
            continue
        info = AsyncServiceInfo(SERVICE_TYPE, record.alias)
        if info.load_from_cache(network) and address.port == info.port:
            names = (*info.parsed_addresses(), (info.server or "").rstrip("."))
            if address.host.lower() in map(str.lower, names):
                texts = info.decoded_properties
                name = clean(texts.get("name"), NAME_LENGTH)
                return (texts.get("id") or "").upper() or None, name or None
    return None, None
