"""Fixtures of the tests of screens."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from aiohttp.test_utils import TestClient
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.screen.page import PATH
from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.screen import Screen
from custom_components.dp1.screen.views import async_screens
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from tests.flows import CREATED, begin, fill, outcome


class Page:
    """A browser that shows a screen.

    Attributes:
        state: what it was told.
    """

    def __init__(self, client: TestClient[Any, Any]) -> None:
        """Initialize with a connection to Home Assistant."""
        self._client = client
        self.secret: str | None = None
        self.socket: Any = None
        self.state: dict[str, Any] = {}

    @property
    def origin(self) -> str:
        """Return the origin of Home Assistant."""
        return str(self._client.make_url("")).rstrip("/")

    async def open(self, origin: str | None = None) -> dict[str, Any]:
        """Open the page, and return the first message."""
        await self.close()
        headers = {"Origin": self.origin if origin is None else origin}
        self.socket = await self._client.ws_connect(f"{PATH}/socket", headers=headers)
        await self.socket.send_json({"secret": self.secret})
        return await self.receive()

    async def receive(self) -> dict[str, Any]:
        """Receive a message, and return what the page was told by now."""
        news = await self.socket.receive_json(timeout=30)
        self.state = {**self.state, **news} if "asleep" in self.state else news
        return self.state

    async def until(self, **wanted: Any) -> dict[str, Any]:
        """Receive messages until the page was told something."""
        while not wanted.items() <= self.state.items():
            await self.receive()
        return self.state

    async def tell(self, **message: Any) -> None:
        """Tell something of the work that is shown."""
        await self.socket.send_json({"work": self.state.get("work"), **message})

    async def close(self) -> None:
        self.state = {}
        if self.socket is not None:
            await self.socket.close()

    async def pair(self, screens: Screens, name: str = "Tablet") -> Screen:
        """Become a screen."""
        device_id = screens.new_id()
        data = {"kind": "display", "host": "127.0.0.1", "port": 0, "dialect": "ff"}
        MockConfigEntry(
            domain="dp1", unique_id=device_id, title=name, data={**data, "macs": []}
        ).add_to_hass(screens.hass)
        code = (await self.open())["code"]
        assert await screens.async_pair(code, device_id, name)
        self.secret = (await self.socket.receive_json(timeout=30))["secret"]
        await self.socket.close()
        return next(s for s in screens.screens if s.device_id == device_id)


@pytest.fixture
def expected_lingering_timers() -> bool:
    """Allow timers: aiohttp starts one for a socket that is closing."""
    return True


@pytest.fixture
async def screens(hass: HomeAssistant) -> Screens:
    """Serve the page."""
    for component in ("image", "media_player", "dp1"):
        assert await async_setup_component(hass, component, {})
    return await async_screens(hass)


@pytest.fixture
async def page(
    screens: Screens, hass_client_no_auth: ClientSessionGenerator
) -> AsyncIterator[Page]:
    """Open a browser."""
    page = Page(await hass_client_no_auth())
    yield page
    await page.close()
    for screen in screens.screens:
        await screens.async_forget(screen.device_id)
    await asyncio.sleep(0)


@pytest.fixture
async def screen(screens: Screens, page: Page) -> Screen:
    """Return a screen that a page shows."""
    screen = await page.pair(screens)
    await page.open()
    return screen


async def add(hass: HomeAssistant, page: Page) -> ConfigEntry:
    """Add a screen as a person does, and return its entry."""
    code = (await page.open())["code"]
    flow = await begin(hass, "screen")
    assert flow["description_placeholders"]["url"].endswith("/dp1/screen")
    wrong = {"code": "12", "name": "Tablet"}
    flow = await fill(hass, flow, **wrong)
    assert outcome(flow) == {"code": "wrong_code"}
    result = await fill(hass, flow, **wrong | {"code": code})
    assert outcome(result) == CREATED
    page.secret = (await page.socket.receive_json())["secret"]
    await page.open()
    await hass.async_block_till_done()
    return result["result"]


@pytest.fixture
async def home(
    screens: Screens, hass_client_no_auth: ClientSessionGenerator
) -> AsyncIterator[str]:
    """Return the address of Home Assistant, which stops before its browsers do."""
    client = await hass_client_no_auth()
    yield str(client.make_url("")).rstrip("/")
    screens.hass.bus.async_fire(EVENT_HOMEASSISTANT_STOP)
    await screens.hass.async_block_till_done()
