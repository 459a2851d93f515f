"""Test the picture of the current work over Home Assistant's HTTP API."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
import tracemalloc
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.browse import pictures as module
from homeassistant.core import HomeAssistant

from tests.displays import name_hosts, playlist, state_of, until
from tests.pictures import KINDS, PICTURES, PNG, flat
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


@asynccontextmanager
async def served(
    body: bytes, content_type: str, endless: bool = False
) -> AsyncIterator[str]:
    """Serve a picture, endlessly repeated if requested."""

    async def get(request: web.Request) -> web.StreamResponse:
        """Serve the picture."""
        response = web.StreamResponse(headers={"Content-Type": content_type})
        await response.prepare(request)
        await response.write(body)
        while endless:
            await response.write(bytes(1024 * 1024))
        return response

    app = web.Application()
    app.router.add_get("/dawn.png", get)
    server = TestServer(app)
    await server.start_server()
    try:
        yield str(server.make_url("/dawn.png"))
    finally:
        await server.close()


async def show(hass: HomeAssistant, display: DisplaySimulator, url: str) -> str:
    """Show a work, and return the path of its picture."""
    document = playlist("Dawn", title="Reef")
    document["items"][0]["source"] = url
    await name_hosts(hass, url)
    display.player.load(document)
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Reef")
    path: Any = state_of(hass).attributes["entity_picture"]
    return str(path)


@pytest.mark.parametrize(
    ("content_type", "said"),
    zip(PICTURES, ["text/html", "image/svg+xml", "", "", ""], strict=True),
)
async def test_pictures_are_what_they_contain(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
    content_type: str,
    said: str,
) -> None:
    """The type of a picture is that of its content, whatever its server says."""
    client = await hass_client_no_auth()
    async with served(PICTURES[content_type], said or content_type) as url:
        response = await client.get(await show(hass, display, url))
    assert response.content_type == content_type
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert await response.read() == PICTURES[content_type]


@pytest.mark.parametrize(
    ("high", "status"), [(1001, HTTPStatus.NOT_FOUND), (1000, HTTPStatus.OK)]
)
@pytest.mark.parametrize("kind", KINDS)
async def test_few_bytes_of_many_pixels(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    high: int,
    status: HTTPStatus,
) -> None:
    """A browser is not given what takes a gigabyte once it is decoded."""
    monkeypatch.setattr(module, "MAX_PIXELS", 1_000_000)
    client = await hass_client_no_auth()
    async with served(flat(kind, 1000, high), "image/png") as url:
        response = await client.get(await show(hass, display, url))
    assert response.status == status


@pytest.mark.parametrize("segment", [b"\xff\xe0\0\0", b"\xff\xe0\xff\xff", b""])
def test_a_picture_without_size(segment: bytes) -> None:
    """A file that never comes to its size is none."""
    assert not module.picture_type(b"\xff\xd8" + segment * 2_000_000)


async def test_a_picture_that_does_not_say_its_size(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
) -> None:
    """It may be of any, and is not shown."""
    client = await hass_client_no_auth()
    unsized = flat("JPEG")[:20] + b"\xff\xfe\0\2" * 2000
    async with served(unsized, "image/jpeg") as url:
        response = await client.get(await show(hass, display, url))
    assert response.status == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html><script>alert(1)</script>", "text/html"),
        (b"<html><script>alert(1)</script>", "image/png"),
        (b"<svg><script>alert(1)</script></svg>", "image/svg+xml"),
        (b"<svg><script>alert(1)</script></svg>", "image/png"),
        (b"", "image/png"),
        (b"\x89PN", "image/png"),
    ],
)
async def test_what_carries_scripts(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
    body: bytes,
    said: str,
) -> None:
    """Other content never reaches a browser from Home Assistant's origin."""
    client = await hass_client_no_auth()
    async with served(body, said) as url:
        response = await client.get(await show(hass, display, url))
    assert (response.status, await response.read()) == (HTTPStatus.NOT_FOUND, b"")


@pytest.mark.parametrize("start", [PNG, b"<svg>"], ids=["picture", "drawing"])
async def test_an_endless_picture(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
    start: bytes,
) -> None:
    """An endless picture is canceled and uses no memory."""
    client = await hass_client_no_auth()
    async with served(start, "image/png", endless=True) as url:
        path = await show(hass, display, url)
        tracemalloc.start()
        response = await client.get(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert response.status == HTTPStatus.NOT_FOUND
    assert peak < 4 * module.MAX_PICTURE_BYTES
