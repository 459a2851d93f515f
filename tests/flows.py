"""Helpers for tests of dialogs: begin one, fill it in, and read how it goes on."""

from ipaddress import ip_address
from typing import Any

from homeassistant.config_entries import SOURCE_USER, SOURCE_ZEROCONF
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from .displays import DEVICE_ID

# What `outcome` says of a dialog that made something.
CREATED = "created"


async def fill(hass: HomeAssistant, step: Any, **values: Any) -> Any:
    """Answer a menu or a form, of whatever kind of dialog, and wait until all is done."""
    entries = hass.config_entries
    match step["handler"]:
        case "dp1":
            manager: Any = entries.flow
        case str():
            manager = entries.options
        case _:
            manager = entries.subentries
    result = await manager.async_configure(step["flow_id"], values)
    await hass.async_block_till_done()
    return result


async def begin(hass: HomeAssistant, kind: str) -> Any:
    """Open the form for a display or a library."""
    context = {"source": SOURCE_USER}
    menu = await hass.config_entries.flow.async_init("dp1", context=context)
    assert menu["menu_options"] == ["display", "screen", "library"]
    form = await fill(hass, menu, next_step_id=kind)
    assert outcome(form) == kind
    return form


async def begin_options(hass: HomeAssistant, entry_id: str, step: str) -> Any:
    """Open a page of the options of a library."""
    menu = await hass.config_entries.options.async_init(entry_id)
    return await fill(hass, menu, next_step_id=step)


async def begin_part(hass: HomeAssistant, entry_id: str, kind: str) -> Any:
    """Open the form for a part of a library."""
    context = {"source": SOURCE_USER}
    flow = hass.config_entries.subentries
    return await flow.async_init((entry_id, kind), context=context)


def outcome(step: Any) -> Any:
    """Return the errors of a form or its name, why a dialog has ended, or that it made something."""
    match step["type"]:
        case FlowResultType.CREATE_ENTRY:
            return CREATED
        case FlowResultType.ABORT:
            return step["reason"]
    return step.get("errors") or step["step_id"]


def announcement(
    host: str, port: int, device_id: str | None = DEVICE_ID, **texts: str
) -> ZeroconfServiceInfo:
    """Return what a display says of itself in the network."""
    properties = {"name": "Wall", **texts} | ({"id": device_id} if device_id else {})
    return ZeroconfServiceInfo(
        ip_address=ip_address(host),
        ip_addresses=[ip_address(host)],
        port=port,
        hostname="ff1.local.",
        type="_ff1._tcp.local.",
        name="Wall._ff1._tcp.local.",
        properties=properties,
    )


async def announce(hass: HomeAssistant, info: ZeroconfServiceInfo) -> Any:
    """Let Home Assistant hear an announcement."""
    context = {"source": SOURCE_ZEROCONF}
    flow = hass.config_entries.flow
    result = await flow.async_init("dp1", context=context, data=info)
    await hass.async_block_till_done()
    return result
