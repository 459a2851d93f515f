"""Test the images of a display."""

from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.browse import pictures as fetch_picture
from custom_components.dp1.client.catalog import artwork
from custom_components.dp1.grants import SVG
from homeassistant.exceptions import HomeAssistantError

from .client.scripted_server import Reply, Request, ScriptedServer
from .displays import name_hosts, playlist, state_of, until
from .pictures import PICTURES, PNG
from .simulators.display import FaultKind
from .walls import Wall

type Picture = Callable[[str], Awaitable[tuple[int, str, bytes]]]


class Gallery:
    """A server of pictures that records requests."""

    def __init__(self) -> None:
        """Initialize with one picture."""
        self.kind = "image/png"
        self.content = PNG
        self.status = 200
        self.missing: tuple[str, ...] = ()
        self.asked: list[str] = []
        self.url = ""

    def __call__(self, request: Request) -> Reply:
        """Serve a picture; requests of the display do not count."""
        if request.headers["User-Agent"].startswith("HomeAssistant/"):
            self.asked.append(request.path)
        status = 404 if request.path in self.missing else self.status
        return Reply(status, self.content, {"Content-Type": self.kind})

    def show(self, wall: Wall, *names: str) -> None:
        """Show works with pictures of this server."""
        document = playlist(*names)
        for item, name in zip(document["items"], names, strict=True):
            item["source"] = f"{self.url}/{name}"
        wall.display.player.load(document)


@pytest.fixture
async def gallery(socket_enabled: None) -> AsyncIterator[Gallery]:
    """Serve pictures."""
    gallery = Gallery()
    async with ScriptedServer.run(gallery) as server:
        gallery.url = server.url
        yield gallery


@pytest.fixture
def picture(bare: Wall, hass_client: ClientSessionGenerator) -> Picture:
    """Return what requests a picture like a dashboard."""

    async def request(key: str) -> tuple[int, str, bytes]:
        client = await hass_client()
        state = bare.shown("image", key)
        token: Any = state.attributes["access_token"]
        response = await client.get(
            f"/api/image_proxy/{state.entity_id}", params={"token": token}
        )
        return response.status, response.content_type, await response.read()

    return request


async def test_work(bare: Wall, picture: Picture, gallery: Gallery) -> None:
    """The picture is served by Home Assistant, fetched once, and changes with the work."""
    gallery.show(bare, "dawn.png", "noon.png")
    await bare.set_up()
    await name_hosts(bare.hass, gallery.url)
    first = bare.shown("image", "work").state
    assert not gallery.asked
    for _ in range(2):
        assert await picture("work") == (200, "image/png", PNG)
    assert gallery.asked == ["/dawn.png"]
    gallery.content, gallery.kind = PICTURES["image/jpeg"], "image/jpeg"
    bare.move(1)
    await until(lambda: bare.shown("image", "work").state > first)
    assert await picture("work") == (200, "image/jpeg", gallery.content)
    assert gallery.asked == ["/dawn.png", "/noon.png"]


@pytest.mark.parametrize("is_there", [True, False])
async def test_the_largest_picture(
    bare: Wall,
    picture: Picture,
    gallery: Gallery,
    monkeypatch: pytest.MonkeyPatch,
    is_there: bool,
) -> None:
    """Of a picture on the image service the largest variant is asked for; if there is none, that of the catalog."""
    monkeypatch.setattr(artwork, "IMAGE_HOST", "127.0.0.1")
    gallery.missing = () if is_there else ("/account/dawn/xxl",)
    cover = f"{gallery.url}/account/dawn/l"
    bare.display.player.load({**playlist("Dawn"), "coverImage": cover})
    await bare.set_up()
    await name_hosts(bare.hass, gallery.url)
    assert await picture("work") == (200, "image/png", PNG)
    sizes = ["/account/dawn/xxl", "/account/dawn/l"]
    assert gallery.asked == sizes[: 1 if is_there else 2]


DRAWING = b"<?xml version='1.0'?><!-- A --><svg xmlns='http://www.w3.org/2000/svg'><script>x</script></svg>"


@pytest.mark.parametrize(
    ("content", "kind"),
    [(DRAWING, "image/svg+xml"), (PNG, "image/png")],
    ids=["drawing", "picture"],
)
async def test_a_drawing_as_picture(
    bare: Wall,
    picture: Picture,
    gallery: Gallery,
    hass_client_no_auth: ClientSessionGenerator,
    content: bytes,
    kind: str,
) -> None:
    """The picture of a drawing is at its path, where it runs no scripts; nowhere else, and nobody guesses the path."""
    gallery.content, gallery.kind = content, "image/svg+xml"
    gallery.show(bare, "dawn.svg")
    await bare.set_up()
    await name_hosts(bare.hass, gallery.url)
    states = (bare.shown("image", "work"), state_of(bare.hass))
    paths = {state.attributes["entity_picture"] for state in states}
    assert len(paths) == 1
    client = await hass_client_no_auth()
    response = await client.get(path := paths.pop())
    assert (response.status, response.content_type) == (200, kind)
    assert await response.read() == content
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("sandbox; default-src 'none'; style-src 'unsafe-inline'")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert (await client.get(path[:-1] + "x")).status == HTTPStatus.NOT_FOUND
    status, own_kind, _ = await picture("work")
    assert status == HTTPStatus.NOT_FOUND if content == DRAWING else own_kind != SVG
    # Home Assistant's own view of media players would serve it as it is.
    address = f"{gallery.url}/dawn.svg"
    shelf = bare.hass.data[fetch_picture.PICTURES]
    assert await shelf.async_at(address) is None


async def test_a_snapshot_of_nothing(
    bare: Wall, gallery: Gallery, tmp_path: Path
) -> None:
    """An action that wants a picture which is not there gets an error of Home Assistant, with what is missing."""
    gallery.status = 404
    gallery.show(bare, "dawn.png")
    await bare.set_up()
    await name_hosts(bare.hass, gallery.url)
    entity_id = bare.shown("image", "work").entity_id
    bare.hass.config.allowlist_external_dirs = {str(tmp_path)}
    file = tmp_path / "work.png"
    with pytest.raises(HomeAssistantError) as raised:
        await bare.hass.services.async_call(
            "image", "snapshot", {"entity_id": entity_id, "filename": str(file)}, True
        )
    assert raised.value.translation_key == "no_picture_there"
    assert not file.exists()


async def test_a_picture_at_home_that_nobody_named(
    bare: Wall, picture: Picture, gallery: Gallery
) -> None:
    """A display cannot make Home Assistant contact a host at home."""
    gallery.show(bare, "dawn.png")
    await bare.set_up()
    assert (await picture("work"))[0] == HTTPStatus.NOT_FOUND
    assert not gallery.asked


async def test_work_without_a_picture(
    bare: Wall, picture: Picture, gallery: Gallery
) -> None:
    """A work without a picture does not show that of the previous one, and an idle display shows none."""
    await bare.set_up()
    assert bare.value("image", "work") == "unknown"
    assert "entity_picture" not in bare.shown("image", "work").attributes
    assert (await picture("work"))[0] == HTTPStatus.NOT_FOUND
    gallery.show(bare, "dawn.png", "noon")
    await until(lambda: bare.value("image", "work") != "unknown")
    bare.move(1)
    await until(lambda: bare.attribute("media_track") == 2)
    assert (await picture("work"))[0] == HTTPStatus.NOT_FOUND
    assert not gallery.asked


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", ["B", "C"])
async def test_screenshot(bare: Wall, picture: Picture) -> None:
    """It is taken by each press and not before, limited in size, in the shape of the screen; a failure leaves the last one."""
    display = bare.display
    display.device.orientation = "portrait"
    taken = display.inject(FaultKind.LATE, route="/api/screenshot", seconds=0)
    await bare.set_up()
    await until(lambda: bare.value("image", "screenshot") == "unknown")
    await bare.hass.async_block_till_done()
    assert (await picture("screenshot"))[0] >= 400
    assert not taken.hits
    display.heal()

    async def press() -> str:
        await bare.act("button", "take_screenshot", "press")
        return await bare.known("image", "screenshot")

    first = await press()
    last = await press()
    assert last > first
    status, kind, content = await picture("screenshot")
    assert (status, kind) == (200, "image/png")
    size = int.from_bytes(content[16:20]), int.from_bytes(content[20:24])
    assert size == (1080, 1920)
    display.server.screen.broken = True
    for key in ("display_temporary", "display_rejected"):
        with pytest.raises(HomeAssistantError) as error:
            await press()
        assert error.value.translation_key == key
        display.server.screen.broken = False
        display.inject(FaultKind.STATUS, route="/api/screenshot", status=404)
    assert bare.shown("image", "screenshot").state == last
