"""Test that media of the home show on a display, which loads them from another origin and frames pages."""

from base64 import b64decode
from io import BytesIO
from itertools import product
import json
from pathlib import Path
from struct import pack
import time
from typing import Any
from urllib.parse import quote, unquote
import wave

import aiohttp
from aiohttp import web
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.browse.pictures import PICTURES
from custom_components.dp1.client.text import MAX_TITLE
from custom_components.dp1.grants import GRANTS
from custom_components.dp1.playback.address import MAX_SOUND
from custom_components.dp1.playback.media_proxy import LIVE
from homeassistant.components import persistent_notification
from homeassistant.components.camera import Camera
from homeassistant.components.camera.const import DATA_COMPONENT
from homeassistant.components.http import HomeAssistantView
from homeassistant.components.media_source import (
    MediaSource,
    MediaSourceItem,
    PlayMedia,
    async_resolve_media,
)
from homeassistant.components.media_source.const import DATA_MEDIA_SOURCE_PLATFORMS
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from tests.client.scripted_server import Reply, Request, ScriptedServer
from tests.displays import ENTITY_ID, name_hosts, set_up, state_of, until
from tests.libraries import library_entry, set_up as set_up_library
from tests.simulators.display import DisplaySimulator
from tests.simulators.display.player import RenderStatus
from tests.test_fuzz import unsafe

pytestmark = pytest.mark.usefixtures("socket_enabled")

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
SOURCE = "media-source://media_source/local"


class Door(Camera):
    """A camera that gives one picture."""

    _attr_name = "Door"
    _attr_frame_interval = 0.01

    async def async_camera_image(
        self, width: int | None = None, height: int | None = None
    ) -> bytes:
        """Return a picture."""
        return b"\xff\xd8\xff\xe0 a picture"


@pytest.fixture
async def home(
    hass: HomeAssistant,
    tmp_path: Path,
    hass_client_no_auth: ClientSessionGenerator,
    display_entry: MockConfigEntry,
) -> str:
    """Set up a home."""
    return await set_up_home(hass, tmp_path, hass_client_no_auth, display_entry)


async def set_up_home(
    hass: HomeAssistant,
    tmp_path: Path,
    hass_client_no_auth: ClientSessionGenerator,
    display_entry: MockConfigEntry,
) -> str:
    """Set up a display, media and a camera in a home that can be reached, and return its URL."""
    (tmp_path / "tide.mp4").write_bytes(b"a film")
    (tmp_path / "ebb").write_bytes(b"a film")
    (tmp_path / "page.html").write_text("<p>Page</p>")
    (tmp_path / "star.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (tmp_path / "list.pdf").write_bytes(b"%PDF-1.4")
    hass.config.media_dirs = {"local": str(tmp_path)}
    hass.config.config_dir = str(tmp_path)
    for component in ("media_source", "camera", "frontend", "image_upload"):
        assert await async_setup_component(hass, component, {})
    await hass.data[DATA_COMPONENT].async_add_entities([Door()])
    await set_up(hass, display_entry)
    client = await hass_client_no_auth()
    url = str(client.make_url("")).rstrip("/")
    await async_process_ha_core_config(hass, {"internal_url": url})
    return url


async def play(
    hass: HomeAssistant, media_id: str, kind: str = "", **more: object
) -> None:
    """Play media on the display."""
    await hass.services.async_call(
        "media_player",
        "play_media",
        {
            "entity_id": ENTITY_ID,
            "media_content_type": kind,
            "media_content_id": media_id,
            **more,
        },
        blocking=True,
    )


async def do(hass: HomeAssistant, action: str, **data: Any) -> Any:
    """Run an action of the integration."""
    has_response = action in ("search", "cast_playlist", "hide_work")
    return await hass.services.async_call(
        "dp1", action, data, blocking=True, return_response=has_response
    )


async def upload(hass_client: ClientSessionGenerator, name: str) -> str:
    """Upload a picture as the card does, and return its id."""
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("file", PNG, filename=name, content_type="image/png")
    answer = await (await hass_client()).post("/api/image/upload", data=form)
    return f"media-source://image_upload/{(await answer.json())['id']}"


async def loaded(display: DisplaySimulator) -> str:
    """Return as what a work is seen, once it has loaded."""
    pending = (None, RenderStatus.PENDING, RenderStatus.LOADING)
    await until(lambda: display.player.render_status not in pending)
    return display.sees


async def test_a_film_plays(
    hass: HomeAssistant, home: str, display: DisplaySimulator
) -> None:
    """A film of the home may be loaded by a page of another origin, which may ask for its type."""
    await play(hass, f"{SOURCE}/tide.mp4")
    assert await loaded(display) == "video"
    source = display.player.items[0]["source"]
    headers = {"Origin": "http://127.0.0.1:8080"}
    async with aiohttp.ClientSession(headers=headers) as session:
        for method in ("GET", "HEAD"):
            async with session.request(method, source) as answer:
                assert answer.status == 200
                allowed = answer.headers["Access-Control-Allow-Origin"]
                assert allowed == headers["Origin"]


@pytest.mark.parametrize(
    ("media_id", "kind", "key"),
    [
        (f"{SOURCE}/a.pdf", "", "own_page_not_framed"),
        *((f"{SOURCE}/{it}", "", "type_not_shown") for it in ("a.json", "a.heic")),
        ("/lovelace/0", "web", "own_page_not_framed"),
        ("{home}/config/dashboard", "web", "own_page_not_framed"),
        ("/api/camera_proxy/camera.door?authSig=a", "web", "signed_page"),
        ("{home}/api/camera_proxy/camera.door?authSig=a", "web", "signed_page"),
        ("https://objkt.com/tokens/hicetnunc", "", "link_not_here"),
        ("media-source://camera/camera.gone", "", "no_such_media"),
        ("media-source://image/image.gone", "", "no_such_media"),
        ("camera.gone", "", "no_such_media"),
        ("image.gone", "image", "no_such_media"),
        ("/config/www/door.jpg", "", "path_of_a_file"),
        ("/www/a/door.jpg", "image", "path_of_a_file"),
        ("{home}/config/www/door.jpg", "image", "path_of_a_file"),
    ],
)
async def test_what_cannot_hang(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    tmp_path: Path,
    media_id: str,
    kind: str,
    key: str,
) -> None:
    """What a display would load for ever, or as text, is refused with the reason: pages that forbid frames, files, links."""
    (tmp_path / media_id.rpartition("/")[2]).write_text("[]")
    with pytest.raises(HomeAssistantError) as raised:
        await play(hass, media_id.format(home=home), kind)
    assert raised.value.translation_key == key
    # Nobody is told to take a protection away.
    assert "use_x_frame_options" not in str(raised.value)
    assert not display.casts


@pytest.mark.parametrize(
    ("media_id", "kind", "item"),
    [
        ("data:image/svg+xml,%3Csvg/%3E", "", {"title": "SVG"}),
        ("data:text/html;base64,PHA+", "", {"title": "HTML"}),
        (
            "https://objkt.com/tokens/hicetnunc",
            "web",
            {"source": "https://objkt.com/tokens/hicetnunc"},
        ),
        (
            " ipfs://bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34/Name #525.png ",
            "image",
            {
                "source": "https://ipfs.filebase.io/ipfs/bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34/Name%20%23525.png"
            },
        ),
    ],
)
async def test_addresses(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    media_id: str,
    kind: str,
    item: dict[str, str],
) -> None:
    """Works in their address are called after their type; a page is shown if it is wanted, and content by its gateway."""
    await play(hass, media_id, kind)
    assert item.items() <= display.player.items[0].items()


def of_a_store(request: Request) -> Reply:
    """Return what a store has, unless there is more in the address than was signed, or less."""
    path, _, query = request.path.partition("?")
    if query not in ("X-Amz-Signature=a", "x-goog-signature=a", "Key-Pair-Id=a"):
        return Reply(403)
    kinds = {"png": "image/png", "svg": "image/svg+xml", "mp4": "video/mp4"}
    kind = kinds.get(path.rpartition(".")[2], "text/html")
    headers = {"Content-Type": kind, "Access-Control-Allow-Origin": "*"}
    return Reply(200, b"<p>", headers)


@pytest.mark.parametrize(
    ("path", "kind", "reply", "key"),
    [
        ("files", "", Reply(200, [{"name": "tide.mp4"}]), "playlist_invalid"),
        ("files", "", Reply(200, {"files": ["tide.mp4"]}), "playlist_invalid"),
        ("list.json", "", Reply(200, {"playlist": []}), "playlist_invalid"),
        ("films.m3u", "", Reply(200, b"#EXTM3U"), "type_not_shown"),
        ("photo.heic", "", Reply(200, b"ftypheic"), "type_not_shown"),
        ("page", "", Reply(404), "page_gone"),
        ("page.html", "web", Reply(410), "page_gone"),
        ("photo.png", "", Reply(404), "page_gone"),
        ("film.mp4", "video/mp4", Reply(410), "page_gone"),
        ("moon.svg", "image", Reply(404), "page_gone"),
        # Displays add their mode to the address of a page.
        ("page?X-Amz-Signature=a", "", of_a_store, "signed_page"),
        ("page.html?x-goog-signature=a", "", of_a_store, "signed_page"),
        ("page?Key-Pair-Id=a", "web", of_a_store, "signed_page"),
        ("film?Key-Pair-Id=a", "video/mp4", of_a_store, "signed_page"),
    ],
)
async def test_what_a_server_has_that_cannot_hang(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    path: str,
    kind: str,
    reply: Any,
    key: str,
) -> None:
    """What is no playlist is no page either, and a page at an address that a store signed in whole would not be found."""
    async with ScriptedServer.run(reply) as server:
        await name_hosts(hass, url := f"{server.url}/{path}")
        with pytest.raises(HomeAssistantError) as caught:
            await play(hass, url, kind)
    assert caught.value.translation_key == key
    assert "=a" not in str(caught.value)
    assert not display.casts


async def test_types_that_no_display_shows(
    hass: HomeAssistant, home: str, display: DisplaySimulator
) -> None:
    """They are refused by what a server says, else by the end of their name, also as a picture."""
    names = [
        "zip",
        "rar",
        "7z",
        "gz",
        "tar",
        "psd",
        "jxl",
        "heics",
        "cr2",
        "nef",
        "avi",
        "wmv",
        "flv",
        "mpg",
        "docx",
        "exe",
    ]
    types = ("application/vnd.rar", "video/x-msvideo", "image/heic; a=b")
    replies = {f"work.{it}?v=1": Reply(200, b"PK") for it in names}
    replies |= {
        f"{n}": Reply(200, b"PK", {"Content-Type": it}) for n, it in enumerate(types)
    }
    async with ScriptedServer.run(lambda asked: replies[asked.path[1:]]) as server:
        await name_hosts(hass, server.url)
        for path, kind in product(replies, ("", "image")):
            if "." in path or not kind:
                with pytest.raises(HomeAssistantError) as caught:
                    await play(hass, f"{server.url}/{path}", kind)
                assert caught.value.translation_key == "type_not_shown", path
    assert not display.casts


@pytest.mark.parametrize(
    ("path", "kind", "sees"),
    [
        ("photo.png?X-Amz-Signature=a", "", "image"),
        ("film.mp4?X-Amz-Signature=a", "", "video"),
        # They are asked for with more than their address, so that a page has them.
        ("moon.svg?X-Amz-Signature=a", "", "web"),
        ("photo?X-Amz-Signature=a", "image/png", "web"),
    ],
)
async def test_a_signed_address(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    path: str,
    kind: str,
    sees: str,
) -> None:
    """Pictures and films at an address that a store signed hang."""
    async with ScriptedServer.run(of_a_store) as store:
        await name_hosts(hass, url := f"{store.url}/{path}")
        await play(hass, url, kind)
        assert await loaded(display) == sees


async def test_a_drawing_hangs(
    hass: HomeAssistant, home: str, display: DisplaySimulator
) -> None:
    """An SVG of the home, or of a server that lets nobody embed it, is a picture on a page; others are embedded."""
    await play(hass, f"{SOURCE}/star.svg")
    assert await loaded(display) == "web"
    assert state_of(hass, ENTITY_ID).attributes["media_title"] == "star"
    kind = {"Content-Type": "image/svg+xml"}
    for headers, sees in (
        (kind, "web"),
        ({**kind, "Access-Control-Allow-Origin": "*"}, "svg"),
    ):
        async with ScriptedServer.run(Reply(200, b"<svg/>", headers)) as server:
            await name_hosts(hass, server.url)
            await play(hass, f"{server.url}/moon.svg")
            assert await loaded(display) == sees
    assert state_of(hass, ENTITY_ID).attributes["media_title"] == "moon"


async def test_an_uploaded_picture_hangs(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    hass_client: ClientSessionGenerator,
) -> None:
    """A picture uploaded like on the card is shown as one, under the name of its file."""
    await play(hass, await upload(hass_client, "beach.png"), "image")
    assert await loaded(display) == "image"
    assert display.player.items[0]["title"] == "beach"
    async with (
        aiohttp.ClientSession() as session,
        session.get(display.player.items[0]["source"]) as picture,
    ):
        assert (picture.status, picture.content_type) == (200, "image/png")
        assert await picture.read() == PNG


async def test_the_name_of_an_upload(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    hass_client: ClientSessionGenerator,
) -> None:
    """Whatever somebody calls a file, its name is a line of text where it hangs, in the lists and in the source list."""
    await set_up_library(hass, library_entry(None, "http://127.0.0.1:9"))
    name = f"Sea\u202e<img src=x>{'x' * 3000}.png"
    await play(hass, await upload(hass_client, name), "image")
    (hung,) = display.player.items
    await until(lambda: state_of(hass).attributes["dp1"]["favorite"] is False)
    await do(hass, "add_favorite", entity_id=ENTITY_ID)
    await until(lambda: "source_list" in state_of(hass).attributes)
    sources = state_of(hass).attributes["source_list"]
    for told in (hung["title"], next(it for it in sources if it.startswith("Sea"))):
        assert told.startswith("Sea ") and len(told) <= MAX_TITLE
    assert unsafe(sources) is None


async def test_my_pictures(
    hass: HomeAssistant,
    home: str,
    tmp_path: Path,
    display: DisplaySimulator,
    hass_client: ClientSessionGenerator,
) -> None:
    """A picture that hangs is kept with the heart of its label, hangs again from the list, and is taken out of it."""
    library = await set_up_library(hass, library_entry(None, "http://127.0.0.1:9"))
    prefix = f"media-source://dp1/{library.entry_id}"
    (tmp_path / "Sea at noon.png").write_bytes(PNG)
    player: Any = hass.data["media_player"].get_entity(ENTITY_ID)
    # A catalog that answers nobody hides no picture.
    await until(lambda: library.runtime_data.catalog_server.list.problem)

    def favorite() -> Any:
        """Return whether what hangs is kept."""
        return state_of(hass).attributes["dp1"]["favorite"]

    async def titles(node: str) -> list[str]:
        """Return the titles of a page of the media browser of the display."""
        media_id = f"{prefix}/{node}".removesuffix("/")
        page = await player.async_browse_media(media_content_id=media_id)
        return [str(child.title) for child in page.children or ()]

    await play(hass, f"{SOURCE}/tide.mp4")
    await until(lambda: state_of(hass).attributes.get("media_title") == "tide")
    assert favorite() is None
    assert "My pictures" not in await titles("")
    beach = await upload(hass_client, "beach.png")
    for media_id, title in (
        (beach, "beach"),
        (f"{SOURCE}/Sea at noon.png", "Sea at noon"),
    ):
        await play(hass, media_id, "image")
        await until(
            lambda title=title: state_of(hass).attributes["media_title"] == title
        )
        await until(lambda: favorite() is False)
        await until(lambda: state_of(hass).attributes.get("entity_picture"))
        assert (await player.async_get_media_image())[1] == "image/png"
        await do(hass, "add_favorite", entity_id=ENTITY_ID)
        await until(lambda: favorite() is True)
    assert "My pictures" in await titles("")
    assert await titles("pictures") == ["Sea at noon", "beach"]
    assert {"My pictures", "beach"} <= set(state_of(hass).attributes["source_list"])

    # The picture in small, for the browser and for others who take no address.
    node = f"{prefix}/picture/{quote(beach, safe='')}"
    thumbnail = await hass.data[PICTURES].async_of(node)
    assert thumbnail and thumbnail.content_type == "image/png"
    media = await async_resolve_media(hass, node, None)
    assert (media.mime_type, media.url) == (
        "image/png",
        f"/api/image/serve/{beach.rpartition('/')[2]}/original",
    )

    await do(hass, "cast_playlist", entity_id=ENTITY_ID, media_content_id=node)
    await until(lambda: state_of(hass).attributes.get("media_title") == "beach")
    assert await loaded(display) == "image"
    assert favorite() is True
    data = {"entity_id": ENTITY_ID, "source": "My pictures"}
    await hass.services.async_call("media_player", "select_source", data, blocking=True)
    await until(lambda: len(display.player.items) == 2)
    (found,) = (await do(hass, "search", query="beach"))["results"]
    assert (found["media_content_id"], found["kind"]) == (node, "picture")

    # One that Home Assistant has no longer is left out, and can still be taken out of the list.
    await hass.data["image_upload"].async_delete_item(beach.rpartition("/")[2])
    await play(hass, f"{prefix}/pictures")
    await until(lambda: len(display.player.items) == 1)
    with pytest.raises(HomeAssistantError):
        await do(hass, "cast_playlist", entity_id=ENTITY_ID, media_content_id=node)
    await do(hass, "remove_favorite", media_content_id=node)
    assert await titles("pictures") == ["Sea at noon"]
    await do(hass, "remove_favorite", entity_id=ENTITY_ID)
    assert "My pictures" not in await titles("")
    for wrong in (f"{prefix}/pictures", f"{prefix}/picture/{quote(LIVE, safe='')}x"):
        with pytest.raises(HomeAssistantError):
            await do(hass, "cast_playlist", entity_id=ENTITY_ID, media_content_id=wrong)


@pytest.mark.parametrize("name", ["St. Ives", "Sunset #1", "100%25 pure", "Who?"])
async def test_the_name_of_a_file(
    hass: HomeAssistant, home: str, tmp_path: Path, display: DisplaySimulator, name: str
) -> None:
    """A file is named as it is called, whatever its name would mean in an address, also as a favorite."""
    library = await set_up_library(hass, library_entry(None, "http://127.0.0.1:9"))
    (tmp_path / f"{name}.png").write_bytes(PNG)
    await play(hass, f"{SOURCE}/{name}.png", "image")
    assert await loaded(display) == "image"
    assert display.player.items[0]["title"] == name
    await until(lambda: state_of(hass).attributes["dp1"]["favorite"] is False)
    await do(hass, "add_favorite", entity_id=ENTITY_ID)
    (kept,) = library.runtime_data.favorites.nodes()
    assert kept.title == name


async def test_a_live_camera(
    hass: HomeAssistant, home: str, display: DisplaySimulator
) -> None:
    """A camera of the media browser is a page with its stream, which loads again at any time."""
    await play(hass, "media-source://camera/camera.door", "image/jpeg")
    assert await loaded(display) == "web"
    page = unquote(display.player.items[0]["source"])
    source = page.partition('<img src="')[2].partition('"')[0]
    assert source.startswith(f"{home}/api/dp1/media/")
    assert "/camera.door.mjpeg?token=" in source
    # Past the time in which anything may be loaded.
    hass.data[GRANTS]._made.clear()
    async with aiohttp.ClientSession() as session, session.get(source) as answer:
        assert answer.content_type == "multipart/x-mixed-replace"
        assert b"a picture" in await answer.content.readuntil(b"a picture")
    async with aiohttp.ClientSession() as session, session.head(source) as answer:
        assert answer.content_type == "multipart/x-mixed-replace"
        assert await answer.read() == b""
    token = source.partition("token=")[2]
    assert token not in str(hass.states.async_all())
    assert state_of(hass).attributes["media_title"] == "Door"
    # Nothing lies over it.
    assert "title" not in display.player.items[0]


async def test_a_still_of_a_camera(
    hass: HomeAssistant, home: str, display: DisplaySimulator
) -> None:
    """A camera named by its entity is its current picture; one that is gone is not served any more, nor is its stream."""
    await play(hass, "media-source://camera/camera.door", "image/jpeg")
    page = unquote(display.player.items[0]["source"])
    stream = page.partition('<img src="')[2].partition('"')[0]
    await play(hass, "camera.door", "image/jpeg")
    assert await loaded(display) == "image"
    still = display.player.items[0]["source"]
    async with aiohttp.ClientSession() as session:
        async with session.get(still) as answer:
            assert (answer.status, answer.content_type) == (200, "image/jpeg")
            assert b"a picture" in await answer.read()
        hass.states.async_remove("camera.door")
        for source in (still, stream):
            async with session.get(source) as answer:
                assert answer.status == 404


@pytest.mark.parametrize(
    ("headers", "is_framed"),
    [
        ({}, True),
        ({"X-Frame-Options": "DENY"}, False),
        ({"Content-Security-Policy": "frame-ancestors 'none'"}, False),
        ({"Content-Security-Policy": "frame-ancestors *"}, True),
        ({"Content-Type": "image/png", "X-Frame-Options": "DENY"}, True),
    ],
)
async def test_a_page_elsewhere(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    headers: dict[str, str],
    is_framed: bool,
) -> None:
    """A page elsewhere that forbids frames is cast with a warning, as somebody may know better."""
    async with ScriptedServer.run(Reply(200, b"<p>", headers)) as server:
        url = f"{server.url}/page"
        await name_hosts(hass, url)
        data = {"entity_id": ENTITY_ID, "media_content_id": url}
        answer = await do(hass, "cast_playlist", **data)
        assert ("warning" not in answer[ENTITY_ID]) is is_framed
        assert display.player.items[0]["source"] == url
        warnings: list[str] = []
        persistent_notification.async_register_callback(
            hass, lambda _, notes: warnings.extend(n["message"] for n in notes.values())
        )
        await play(hass, url)
        await hass.async_block_till_done()
        # The one action has a response, the other has not.
        assert bool(warnings) is not is_framed
        assert all("forbids" in warning for warning in warnings)
        if "Content-Type" not in headers:
            assert await loaded(display) == ("web" if is_framed else "")


@pytest.mark.parametrize(
    ("path", "mime_type", "sees"),
    [
        ("page.html?X-Amz-Signature=a", "text/html", "web"),
        ("photo?X-Amz-Signature=a", "image/png", "web"),
        ("photo.png?X-Amz-Signature=a", "image/png", "image"),
    ],
)
async def test_a_signed_address_of_a_media_source(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    path: str,
    mime_type: str,
    sees: str,
) -> None:
    """What a media source has in a store hangs, a page at our own address, which takes the mode and leads there."""

    class Store(MediaSource):
        """A media source with what is in a store."""

        async def async_resolve_media(self, item: MediaSourceItem) -> PlayMedia:
            """Return the signed address."""
            return PlayMedia(f"{store.url}/{path}", mime_type)

    class Sources:
        """Media sources in the place of those of the integrations."""

        async def async_get_platform(self, domain: str) -> MediaSource:
            """Return the store."""
            return Store(domain)

    hass.data[DATA_MEDIA_SOURCE_PLATFORMS] = Sources()  # type: ignore[assignment]
    async with ScriptedServer.run(of_a_store) as store:
        await name_hosts(hass, store.url)
        await play(hass, "media-source://store/a", "")
        assert await loaded(display) == sees


PADDED = b"<html>" + b" " * 64 * 1024 + b"<title>Late</title>"


async def test_a_page_without_a_title(
    hass: HomeAssistant, home: str, display: DisplaySimulator
) -> None:
    """The warning of a page whose title cannot be read is kept."""
    headers = {"X-Frame-Options": "DENY"}
    torn = Reply(200, b"<title>Torn</title>", headers, fault="half")
    async with ScriptedServer.run(Reply(200, b"<p>"), torn, Reply(200)) as server:
        await name_hosts(hass, url := f"{server.url}/page")
        data = {"entity_id": ENTITY_ID, "media_content_id": url}
        answer = await do(hass, "cast_playlist", **data)
    assert "warning" in answer[ENTITY_ID]
    assert display.player.items[0]["title"] == "page"


async def test_the_title_of_a_page(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    subtests: pytest.Subtests,
) -> None:
    """A page is called by its title, as far as it is at its beginning, and has no heart."""
    for body, kind, title in [
        (b"<title>Tidal &amp;\n  Ledger</title>", "text/html", "Tidal & Ledger"),
        (b"<TITLE lang=de>\xc3\x9cber</TITLE>", "text/html", "\xdcber"),
        (b"<title>\xdcber</title>", "text/html; charset=latin-1", "\xdcber"),
        (b'<meta charset="latin-1"><title>\xdcber', "text/html", "\xdcber"),
        (b"<title>Sea</title>", "text/html; charset=none-such", "Sea"),
        (b"<title>\xe2\x80\xae \n</title>", "text/html", "page"),
        (b"<title>" + b"x" * 9000, "text/html", "x" * 199 + "\u2026"),
        (b"<title" * 10000, "text/html", "page"),
        (PADDED, "text/html", "page"),
        (b"<title>No page</title>", "text/plain", "page"),
    ]:
        with subtests.test(body=body, kind=kind, title=title):
            async with ScriptedServer.run(
                Reply(200, body, {"Content-Type": kind})
            ) as server:
                url = f"{server.url}/page"
                await name_hosts(hass, url)
                await play(hass, url, "web")
                assert display.player.items[0]["title"] == title
                assert server.calls()[0] == "GET /page"
                await until(
                    lambda: state_of(hass).attributes.get("media_title") == title  # noqa: B023
                )
                assert state_of(hass).attributes["dp1"]["favorite"] is None


WORK = {"source": "https://art.example/1.html"}
# As the vendor's guide and lists of artists have them, and as servers wrap them.
LOOSE = {
    "dpVersion": "1.0.0",
    "id": "evening",
    "created": "2026-12-01T08:00:00",
    "items": [
        WORK
        | {
            "id": "1",
            "display": {"scaling": "contain", "background": "#000"},
            "provenance": {"type": "onChain", "contract": {"chain": "ethereum"}},
        }
    ],
}


@pytest.mark.parametrize("document", [LOOSE, {"items": [WORK]}, {"playlist": LOOSE}])
@pytest.mark.parametrize("kind", ["", "playlist"])
async def test_a_playlist_is_judged_alike_however_it_comes(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    document: dict[str, Any],
    kind: str,
) -> None:
    """What displays take is cast, by its address as well as in full, and out of an object that has nothing else."""
    async with ScriptedServer.run(Reply(200, document)) as server:
        url = f"{server.url}/evening"
        await name_hosts(hass, url)
        for media_id in (url, json.dumps(document)):
            if "playlist" in document and kind and media_id == url:
                continue
            display.player.load({"items": []})
            await play(hass, media_id, kind)
            assert [item["source"] for item in display.player.items] == [WORK["source"]]


SECONDS = 7
WAV = BytesIO()
with wave.open(WAV, "wb") as _file:
    _file.setnchannels(1)
    _file.setsampwidth(1)
    _file.setframerate(8000)
    _file.writeframes(b"\x80" * 8000 * SECONDS)
# By its header, a sample a second for more than a century.
FOR_EVER = WAV.getvalue()[:24] + pack("<II", 1, 1) + WAV.getvalue()[32:40]
FOR_EVER += pack("<I", 0xFFFFFF00) + WAV.getvalue()[44:]
# Each frame of 128 kbit/s at 48 kHz is 24 ms.
MP3 = (b"\xff\xfb\x94\xc0" + bytes(380)) * int(SECONDS / 0.024)


class Speech(MediaSource):
    """Speech that is made when it is asked for."""

    name = "Text-to-speech"

    async def async_resolve_media(self, item: MediaSourceItem) -> PlayMedia:
        """Return where it is."""
        return PlayMedia("/api/tts_proxy/8f3a.mp3", "audio/mpeg")


class SpeechOnly:
    """Media sources of which there is only speech."""

    async def async_get_platform(self, domain: str) -> MediaSource:
        """Return it."""
        return Speech(domain)


class SpeechView(HomeAssistantView):
    """What was said."""

    url = "/api/tts_proxy/8f3a.mp3"
    name = "test:speech"
    requires_auth = False

    def __init__(self, sound: bytes) -> None:
        """Initialize with a sound."""
        self.sound = sound

    async def get(self, _request: web.Request) -> web.Response:
        """Return the sound."""
        return web.Response(body=self.sound, content_type="audio/mpeg")


@pytest.mark.parametrize(
    ("sound", "is_file", "seconds"),
    [
        (MP3, False, SECONDS),
        (WAV.getvalue(), False, SECONDS),
        (WAV.getvalue(), True, SECONDS),
        (FOR_EVER, True, 86_400),
        (b"no sound", False, 30),
        (bytes(MAX_SOUND + 1), False, 30),
    ],
    ids=["mp3", "wav", "file", "for ever", "nothing", "endless"],
)
async def test_speech_takes_the_picture_away_while_it_lasts(
    hass: HomeAssistant,
    tmp_path: Path,
    hass_client_no_auth: ClientSessionGenerator,
    display_entry: MockConfigEntry,
    display: DisplaySimulator,
    sound: bytes,
    is_file: bool,
    seconds: float,
) -> None:
    """Speech is shown for as long as it lasts, half a minute if nobody knows, and is called by its words."""
    assert await async_setup_component(hass, "http", {})
    hass.http.register_view(SpeechView(sound))
    (tmp_path / "Dinner.wav").write_bytes(sound)
    await set_up_home(hass, tmp_path, hass_client_no_auth, display_entry)
    await play(hass, f"{SOURCE}/tide.mp4")
    if not is_file:
        sources: Any = SpeechOnly()
        hass.data[DATA_MEDIA_SOURCE_PLATFORMS] = sources
    media_id = "media-source://tts/cloud?message=Dinner"
    media_id = f"{SOURCE}/Dinner.wav" if is_file else media_id
    began = time.time()
    await play(hass, media_id, "music", announce=True)
    attributes = state_of(hass, ENTITY_ID).attributes
    assert attributes["media_title"] == "Dinner"
    until_end = dt_util.parse_datetime(attributes["dp1"]["until"], raise_on_error=True)
    assert began - 1.5 < until_end.timestamp() - seconds < time.time() + 1.5


def box(kind: bytes, *parts: bytes, large: bool = False) -> bytes:
    """Return a box of a film (ISO 14496-12)."""
    body = b"".join(parts)
    if large:
        return pack(">I4sQ", 1, kind, len(body) + 16) + body
    return pack(">I4s", len(body) + 8, kind) + body


def film(length: bytes, *, large: bool = False) -> bytes:
    """Return a film without sound, whose pictures come before its length."""
    pictures = box(b"mdat", bytes(5000), large=large)
    header = box(b"moov", box(b"mvhd", length), box(b"trak"))
    return box(b"ftyp", b"isom", bytes(4)) + pictures + header


FILMS = {
    "a film of 2001": (film(pack(">B3xIIII", 0, 0, 0, 600, 54_300)), 90.5),
    "a film of 64 bits": (
        film(pack(">B3xQQIQ", 1, 0, 0, 1000, 90_500), large=True),
        90.5,
    ),
    "a stream": (film(pack(">B3xIIII", 0, 0, 0, 600, 0xFFFFFFFF)), 300),
    "no scale": (film(pack(">B3xIIII", 0, 0, 0, 0, 5)), 300),
    "a blink": (film(pack(">B3xIIII", 0, 0, 0, 0xFFFFFFFF, 1)), 1),
    "for ever": (film(pack(">B3xIIII", 0, 0, 0, 1, 0xFFFFFFFE)), 86_400),
    "cut": (film(b"")[:-30], 300),
    "boxes without end": (pack(">I4s", 0, b"free") * 3, 300),
    "beyond the end": (pack(">I4sQ", 1, b"free", 2**64 - 1), 300),
    "no film": (b"a film", 300),
}


@pytest.mark.parametrize(("content", "seconds"), FILMS.values(), ids=FILMS)
async def test_a_film_of_a_list_lasts_its_length(
    hass: HomeAssistant,
    tmp_path: Path,
    hass_client_no_auth: ClientSessionGenerator,
    display_entry: MockConfigEntry,
    display: DisplaySimulator,
    content: bytes,
    seconds: float,
) -> None:
    """Beside others a film goes on when it ends, or after the usual time where its file does not tell."""
    await set_up_home(hass, tmp_path, hass_client_no_auth, display_entry)
    (tmp_path / "tide.mp4").write_bytes(content)
    media = f"{SOURCE}/tide.mp4"
    together = [media, f"{SOURCE}/star.svg"]
    await do(hass, "cast_playlist", entity_id=ENTITY_ID, media=together)
    assert [it["duration"] for it in display.state.items] == [seconds, 300]
    star = f"{SOURCE}/star.svg"
    for first, second, lengths in (
        (star, media, [300, seconds]),
        (media, star, [seconds, 300]),
    ):
        await play(hass, first)
        await play(hass, second, enqueue="add")
        assert [it["duration"] for it in display.state.items] == lengths


async def test_an_address_that_fails(
    hass: HomeAssistant, home: str, display: DisplaySimulator
) -> None:
    """A picture, a film or a page whose server fails or is away is cast with a word, as a display may reach it later."""
    for path in ("photo.png", "film.mp4", "page.html", "moon.svg"):
        async with ScriptedServer.run(Reply(503)) as server:
            await name_hosts(hass, url := f"{server.url}/{path}")
            data = {"entity_id": ENTITY_ID, "media_content_id": url}
            answer = await do(hass, "cast_playlist", **data)
            assert "answers with an error" in answer[ENTITY_ID]["warning"]
            assert display.player.items[0]["title"] == path.partition(".")[0]
        answer = await do(hass, "cast_playlist", **data)
        assert "does not answer" in answer[ENTITY_ID]["warning"]
    assert display.casts == 8
