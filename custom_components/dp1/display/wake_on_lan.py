"""Wake on LAN for displays that are shut down and wired."""

import socket
from typing import Final

from awesomeversion import AwesomeVersion
from awesomeversion.exceptions import AwesomeVersionException

from homeassistant.components import network
from homeassistant.core import HomeAssistant

from ..client.display.device_status import DeviceStatus
from ..const import LOGGER
from ..errors import action_failed

PORT: Final = 9
# The first firmware that enables it, for Ethernet only.
FIRST_FIRMWARE: Final = "2.0.3"
CABLES: Final = ("en", "eth")


def wired_macs(device: DeviceStatus | None) -> list[bytes]:
    """Return the MAC addresses by which a wired display can be woken; none if it cannot."""
    if device is None or device.connected_wifi or not _is_armed(device):
        return []
    if device.network is not None and device.network.link not in ("ethernet", None):
        return []
    found = []
    for interface, mac in device.mac_info.items():
        digits = mac.replace(":", "").replace("-", "")
        try:
            address = bytes.fromhex(digits)
        except ValueError:
            continue
        if interface.startswith(CABLES) and len(address) == 6:
            found.append(address)
    return found


def _is_armed(device: DeviceStatus) -> bool:
    """Return whether the firmware supports Wake on LAN."""
    try:
        return AwesomeVersion(device.installed_version or "0") >= FIRST_FIRMWARE
    except AwesomeVersionException:
        return False


async def async_wake_on_lan(hass: HomeAssistant, macs: list[bytes]) -> None:
    """Send magic packets to MAC addresses.

    Raises:
        HomeAssistantError: there is no network to send them to.
    """
    sent = False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        for address in await network.async_get_ipv4_broadcast_addresses(hass):
            for mac in macs:
                try:
                    sender.sendto(b"\xff" * 6 + mac * 16, (str(address), PORT))
                except OSError as err:
                    LOGGER.debug("Sending to %s: %s", address, err)
                else:
                    sent = True
    if not sent:
        raise action_failed("no_broadcast")
