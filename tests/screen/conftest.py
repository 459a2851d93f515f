"""Fixtures of the tests of screens."""

from collections.abc import AsyncIterator
from typing import Any

from aiohttp import ClientSession
from aiohttp.test_utils import TestClient
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.screen.pairing import PATH, Screens, async_screens
from custom_components.dp1.screen.server import Server
from homeassistant.config_entries import SOURCE_USER, ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.setup import async_setup_component


class Page:
    """A browser that shows a screen."""

    def __init__(self, client: TestClient[Any, Any]) -> None:
        """Initialize with a connection to Home Assistant."""
        self._client = client
        self.secret: str | None = None
        self.socket: Any = None

    async def open(self, origin: str | None = None) -> dict[str, Any]:
        """Open the page, and return the first message."""
        await self.close()
        own = str(self._client.make_url("")).rstrip("/")
        headers = {"Origin": own if origin is None else origin}
        self.socket = await self._client.ws_connect(f"{PATH}/socket", headers=headers)
        await self.socket.send_json({"secret": self.secret})
        return await self.socket.receive_json(timeout=5)

    async def close(self) -> None:
        if self.socket is not None:
            await self.socket.close()

    async def pair(self, screens: Screens, name: str = "Tablet") -> Server:
        """Become a screen."""
        code = (await self.open())["code"]
        server = await screens.async_pair(code, name)
        assert server is not None
        self.secret = (await self.socket.receive_json(timeout=5))["secret"]
        await self.socket.close()
        return server


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
    for server in screens.servers:
        await server.async_close()


@pytest.fixture
async def server(screens: Screens, page: Page) -> Server:
    server = await page.pair(screens)
    await page.open()
    return server


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


async def answer_of(port: int, command: str, request: dict[str, Any]) -> Any:
    """Send a command to a display and return the answer."""
    async with ClientSession() as session:
        url = f"http://127.0.0.1:{port}/api/cast"
        body = {"command": command, "request": request}
        async with session.post(url, json=body) as response:
            if response.status != 200:
                return {"status": response.status}
            answer = await response.json()
            return answer.get("message", answer)
