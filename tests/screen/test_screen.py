"""Test screens: pairing, the interface of a display, and the page's side of it."""

from typing import Any

from aiohttp import WSMsgType
import pytest

from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.server import Server
from homeassistant.config_entries import SOURCE_USER, ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType

from ..displays import playlist, state_of, until
from .conftest import Page, answer_of

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")

ITEMS = playlist("One", "Two", "Three")


async def send(server: Server, command: str, **request: Any) -> Any:
    """Send a command to a screen and return the answer."""
    return await answer_of(server.port, command, request)


async def test_pairing(screens: Screens, page: Page) -> None:
    """A code is good once, and only the browser that has shown it becomes a screen."""
    code = (await page.open())["code"]
    assert len(code) == 6
    assert (
        await screens.async_pair("000000" if code != "000000" else "1", "Tablet")
        is None
    )
    server = await screens.async_pair(f"{code[:3]} {code[3:]}", "Tablet")
    assert server is not None
    assert server.device_id in screens
    page.secret = (await page.socket.receive_json())["secret"]
    assert await screens.async_pair(code, "Tablet") is None
    assert (await page.open())["work"] is None


async def test_cast(server: Server, page: Page) -> None:
    """A cast is shown by the page, which tells how that goes."""
    assert await send(server, "displayPlaylist", dp1_call=ITEMS) == {"ok": True}
    shown = await page.socket.receive_json()
    assert (shown["source"], shown["next"]) == tuple(
        i["source"] for i in ITEMS["items"][:2]
    )
    await page.socket.send_json({"work": shown["work"], "render": 2})
    await page.socket.receive_json()
    status = await send(server, "checkStatus")
    assert (status["renderStatus"], status["index"], status["playlist"]["title"]) == (
        2,
        0,
        "Evening",
    )


async def add(hass: HomeAssistant, page: Page) -> ConfigEntry:
    """Add a screen as a person does, and return its entry."""
    code = (await page.open())["code"]
    flows = hass.config_entries.flow
    flow = await flows.async_init("dp1", context={"source": SOURCE_USER})
    flow = await flows.async_configure(flow["flow_id"], {"next_step_id": "screen"})
    assert flow["description_placeholders"]["url"].endswith("/dp1/screen")
    wrong = {"code": "12", "name": "Tablet"}
    flow = await flows.async_configure(flow["flow_id"], wrong)
    assert flow["errors"] == {"code": "wrong_code"}
    result = await flows.async_configure(flow["flow_id"], wrong | {"code": code})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    page.secret = (await page.socket.receive_json())["secret"]
    await page.open()
    await hass.async_block_till_done()
    return result["result"]


async def test_display(hass: HomeAssistant, screens: Screens, page: Page) -> None:
    """A screen is a display like any other, from its pairing to its end."""
    entry = await add(hass, page)
    assert entry.title == "Tablet"
    await until(lambda: hass.states.get("media_player.tablet") is not None)
    await until(lambda: state_of(hass, "media_player.tablet").state == "idle")
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": "media_player.tablet", "playlist": ITEMS},
        blocking=True,
    )
    message = await page.socket.receive_json()
    while not message["source"]:
        message = await page.socket.receive_json()
    await page.socket.send_json({"work": message["work"], "render": 2})
    await until(lambda: state_of(hass, "media_player.tablet").state == "playing")
    assert state_of(hass, "media_player.tablet").attributes["media_title"] == "One"
    await hass.config_entries.async_remove(entry.entry_id)
    while (await page.socket.receive()).type is WSMsgType.TEXT:
        pass
    assert entry.unique_id not in screens
    assert len((await page.open())["code"]) == 6
