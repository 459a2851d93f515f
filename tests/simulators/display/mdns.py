"""The mDNS announcement of the display."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
import socket

from zeroconf import InterfaceChoice, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from .device import Device
from .firmware import Firmware

SERVICE = "_ff1._tcp.local."
_LABEL_BYTES = 63
_NAME_TTL = 3200
_ADDRESS_TTL = 120


def instance_label(firmware: Firmware, device: Device) -> str:
    """Return the service name: the serial, or in newer firmware the name given by the owner where that is valid."""
    if not firmware.second or not device.name:
        return device.device_id or "FF1"
    unusable = len(device.name.encode()) > _LABEL_BYTES or {".", "\\"} & set(
        device.name
    )
    return (device.device_id or "FF1") if unusable else device.name


def properties(firmware: Firmware, device: Device) -> dict[str, str]:
    """Return the TXT record, in order."""
    if not firmware.second:
        return {"id": device.device_id, "name": device.device_id}
    return {
        "id": device.device_id,
        "name": device.name or device.device_id,
        "claimed": "true",
        "api": "2",
    }


async def close(zeroconf: AsyncZeroconf) -> None:
    """Close a responder after its last answers, whose timers would outlive it."""
    queues = zeroconf.zeroconf.out_queue, zeroconf.zeroconf.out_delay_queue
    while any(queue.queue for queue in queues):
        await asyncio.sleep(0.02)
    # Home Assistant's kind does not close when it is only asked to.
    await AsyncZeroconf.async_close(zeroconf)


@dataclass(eq=False)
class Announcer:
    """Announces a display and withdraws the announcement."""

    _firmware: Firmware
    _device: Device
    _given: AsyncZeroconf | None

    def __post_init__(self) -> None:
        self._own: AsyncZeroconf | None = None
        self._info: ServiceInfo | None = None
        self._announcing: Awaitable[None] | None = None

    @property
    def announced(self) -> bool:
        """Return whether the display is announced."""
        return self._info is not None

    async def announce(self, port: int) -> None:
        """Announce the display under its current name."""
        await self.withdraw()
        if self._given is None and self._own is None:
            self._own = AsyncZeroconf(
                interfaces=InterfaceChoice.All, ip_version=IPVersion.V4Only
            )
        self._info = ServiceInfo(
            SERVICE,
            f"{instance_label(self._firmware, self._device)}.{SERVICE}",
            port=port,
            properties=properties(self._firmware, self._device),
            server=f"{self._device.device_id}.local.",
            addresses=[socket.inet_aton("127.0.0.1")],
            host_ttl=_ADDRESS_TTL,
            other_ttl=_NAME_TTL,
        )
        zeroconf = self._given or self._own
        assert zeroconf is not None
        # The real one does not check whether its name is taken.
        self._announcing = await zeroconf.async_register_service(
            self._info, allow_name_change=False, cooperating_responders=True
        )

    async def withdraw(self) -> None:
        zeroconf = self._given or self._own
        if self._announcing is not None:
            await self._announcing
            self._announcing = None
        if self._info is not None and zeroconf is not None:
            await (await zeroconf.async_unregister_service(self._info))
        self._info = None

    async def close(self) -> None:
        await self.withdraw()
        if self._own is not None:
            await close(self._own)
            self._own = None
