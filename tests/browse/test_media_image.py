"""Test the picture of the current work over Home Assistant's HTTP API."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
import tracemalloc
from typing import Any

from aiohttp import ClientResponse, web
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


type Fetch = Callable[..., Awaitable[tuple[ClientResponse, bytes]]]


@pytest.fixture
async def fetch(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
) -> Fetch:
    """Return how a browser gets the picture of a work, as its server has it."""
    client = await hass_client_no_auth()

    async def get(body: bytes, said: str, **more: Any) -> tuple[ClientResponse, bytes]:
        async with served(body, said, **more) as url:
            response = await client.get(await show(hass, display, url))
            return response, await response.read()

    return get


@pytest.mark.parametrize(
    ("content_type", "said"),
    zip(PICTURES, ["text/html", "image/svg+xml", "", "", ""], strict=True),
)
async def test_pictures_are_what_they_contain(
    fetch: Fetch,
    content_type: str,
    said: str,
) -> None:
    """The type of a picture is that of its content, whatever its server says."""
    response, body = await fetch(PICTURES[content_type], said or content_type)
    assert response.content_type == content_type
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert body == PICTURES[content_type]


@pytest.mark.parametrize(
    ("high", "status"), [(1001, HTTPStatus.NOT_FOUND), (1000, HTTPStatus.OK)]
)
@pytest.mark.parametrize("kind", KINDS)
async def test_few_bytes_of_many_pixels(
    fetch: Fetch,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    high: int,
    status: HTTPStatus,
) -> None:
    """A browser is not given what takes a gigabyte once it is decoded."""
    monkeypatch.setattr(module, "MAX_PIXELS", 1_000_000)
    response, _ = await fetch(flat(kind, 1000, high), "image/png")
    assert response.status == status


@pytest.mark.parametrize("segment", [b"\xff\xe0\0\0", b"\xff\xe0\xff\xff", b""])
def test_a_picture_without_size(segment: bytes) -> None:
    """A file that never comes to its size is none."""
    assert not module.picture_type(b"\xff\xd8" + segment * 2_000_000)


async def test_a_picture_that_does_not_say_its_size(
    fetch: Fetch,
) -> None:
    """It may be of any, and is not shown."""
    unsized = flat("JPEG")[:20] + b"\xff\xfe\0\2" * 2000
    response, _ = await fetch(unsized, "image/jpeg")
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
    fetch: Fetch,
    body: bytes,
    said: str,
) -> None:
    """Other content never reaches a browser from Home Assistant's origin."""
    response, given = await fetch(body, said)
    assert (response.status, given) == (HTTPStatus.NOT_FOUND, b"")


@pytest.mark.parametrize("start", [PNG, b"<svg>"], ids=["picture", "drawing"])
async def test_an_endless_picture(
    fetch: Fetch,
    start: bytes,
) -> None:
    """An endless picture is canceled and uses no memory."""
    tracemalloc.start()
    response, _ = await fetch(start, "image/png", endless=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert response.status == HTTPStatus.NOT_FOUND
    assert peak < 4 * module.MAX_PICTURE_BYTES
