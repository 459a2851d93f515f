"""Test the media browser of a display."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
import re
from typing import Any

import aiohttp
from aiohttp import web
import pytest
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    WebSocketGenerator,
)
from yarl import URL

from custom_components.dp1 import async_setup_data
from custom_components.dp1.browse import pictures
from homeassistant.components.media_player import BrowseError
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from tests.client.scripted_server import Reply, ScriptedServer
from tests.displays import ENTITY_ID, name_hosts, playlist, until
from tests.galleries import EVENING, LARGE, READY_MADE, Gallery, titles
from tests.libraries import library_entry, set_up
from tests.pictures import PNG
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.timing import set_timing

pytestmark = pytest.mark.usefixtures("impatience")


def child(page: Any, title: str) -> Any:
    return next(it for it in page.children if it.title == title)


async def test_an_artist(gallery: Gallery) -> None:
    """The page of an artist says who that is, where they live and where to read more, and has the picture of a work and their series."""
    found = await gallery.call("search", query="Jun Joubert", kinds=["artist"])
    (result,) = [it for it in found["results"] if it["title"] == "Jun Joubert"]
    assert re.fullmatch(r"Oslo\. .+ https://jun-joubert\S*\.example", result["note"])
    page = await gallery.browse(result["media_content_id"])
    site = URL(result["note"].rpartition(" ")[2]).host
    assert page.title.startswith(f"Jun Joubert · {site} · Oslo. ")
    assert len(page.title) < 120
    assert page.thumbnail
    assert gallery.catalog.url in result["picture"]
    assert page.children and {it.media_class for it in page.children} == {"album"}


async def test_the_tree_from_top_to_bottom(gallery: Gallery) -> None:
    """The root has all branches, and each branch leads to works."""

    async def inside(page: Any, title: str) -> Any:
        return await gallery.browse(child(page, title).media_content_id)

    top = await gallery.browse()
    assert (top.title, top.can_play, top.can_search) == ("DP-1 Art", False, True)
    branches = ["All art", "Exhibitions", "Channels", "Playlists", "Favorites"]
    assert titles(top.children)[:5] == branches
    shows = await inside(top, "Exhibitions")
    assert len(shows.children) > 40
    assert shows.children[0].media_class == "playlist"
    show = await inside(shows, LARGE)
    assert (show.title, show.media_class) == (f"Exhibition: {LARGE}", "directory")
    assert len(show.children) == 20
    assert {it.media_class for it in show.children} == {"album"}
    assert all(re.fullmatch(r".+, .+ \(20\d\d\)", it.title) for it in show.children)
    many = next(it for it in show.children if it.can_expand)
    works = await gallery.browse(many.media_content_id)
    assert works.title == f"Series: {many.title}"
    # The page of a series names its artist and its year once.
    _, _, artist = many.title.partition(", ")
    assert not any(artist in it.title for it in works.children)
    assert {it.media_class for it in works.children} == {"image"}
    assert not any(it.can_expand for it in works.children)
    channels = await inside(top, "Channels")
    playlists = await inside(top, "Playlists")
    channel = await inside(channels, "Evenings")
    evening = await inside(channel, "Evening")
    for page, inside_it in (
        (channels, ["Evenings"]),
        (channel, ["Evening"]),
        (evening, ["Tide", "Dune"]),
        (playlists, [f"{READY_MADE} — Full Collection", "Evening"]),
    ):
        assert titles(page.children) == inside_it


async def test_everything_that_can_be_opened_opens_and_plays(gallery: Gallery) -> None:
    """Some nodes of every branch can be opened, and one of each kind can be played."""
    await gallery.call(
        "add_favorite", media_content_id=gallery.media_id(f"playlist/{EVENING}")
    )
    await gallery.cast(playlist=playlist("Reef"))
    ours = gallery.media_id() + "/"
    waiting = [await gallery.browse()]
    opened: set[str] = set()
    played: set[str] = set()
    while waiting:
        page = waiting.pop()
        folders = [
            it
            for it in page.children
            if not it.media_content_id.startswith("media-source://")
            or it.media_content_id.startswith(ours)
        ]
        for it in folders if len(folders) < 8 else folders[:1] + folders[-1:]:
            kind = it.media_content_id.removeprefix(ours).partition("/")[0]
            if it.can_play and kind not in played:
                before = gallery.wall.writes
                await gallery.play(it.media_content_id, it.media_content_type)
                assert gallery.wall.writes > before, it.media_content_id
                played.add(kind)
            if it.can_expand:
                found = await gallery.browse(it.media_content_id, it.media_content_type)
                assert found.media_content_id == it.media_content_id
                opened.add(kind)
                waiting.append(found)
    works = {"exhibition", "series", "artwork", "playlist", "item", "dp1:"}
    assert played >= works
    folders = {"exhibitions", "channels", "channel", "playlists", "favorites", "dp1:"}
    assert opened >= folders | {"exhibition", "series", "playlist"}


async def test_what_the_display_was_given_lately(gallery: Gallery) -> None:
    """The history has pictures, and can be played."""
    await gallery.cast(playlist=playlist("Reef", title="Reefs"))
    await gallery.play(gallery.media_id(gallery.exhibition(LARGE)))
    top = await gallery.browse()
    lately = await gallery.browse(child(top, "Recently shown").media_content_id)
    assert titles(lately.children) == [LARGE, "Reefs"]
    assert [bool(it.thumbnail) for it in lately.children] == [True, False]
    await gallery.play(lately.children[1].media_content_id)
    assert gallery.wall.state.current_title == "Reef"


async def test_media_of_home_assistant(gallery: Gallery, tmp_path: Path) -> None:
    """Only pictures and videos of Home Assistant are shown."""
    for name in ("sea.jpg", "sea.mp4", "sea.mp3"):
        (tmp_path / name).write_bytes(b"")
    gallery.hass.config.media_dirs["local"] = str(tmp_path)
    top = await gallery.browse()
    assert "DP-1 Art" not in titles(top.children)
    own = next(
        it
        for it in top.children
        if it.media_content_id.startswith("media-source://media_source")
    )
    page = await gallery.browse(own.media_content_id)
    assert set(titles(page.children)) == {"sea.jpg", "sea.mp4"}
    assert page.not_shown == 1
    async with PictureServer.run() as server:
        await gallery.hass.config.async_update(internal_url=server.url)
        await gallery.play(child(page, "sea.jpg").media_content_id, "image/jpeg")
    assert "/sea.jpg?token=" in (gallery.wall.state.current or {})["source"]


async def test_what_cannot_be_opened(gallery: Gallery) -> None:
    """An unknown id is an error."""
    for media_id, key in (
        ("ftp://nowhere", "nothing_to_open"),
        ("media-source://dp1/else/collection/x", "library_removed"),
        ("media-source://dp1/{entry}/exhibition/nothing", "catalog_not_found"),
        ("media-source://dp1/{entry}/playlist/nothing", "feed_not_found"),
        ("media-source://dp1/{entry}/nonsense", "catalog_not_found"),
        ("media-source://nobody/1", "browse_media_failed"),
    ):
        with pytest.raises(BrowseError) as caught:
            await gallery.browse(media_id.format(entry=gallery.entry.entry_id))
        assert caught.value.translation_key == key


async def test_several_libraries(gallery: Gallery) -> None:
    """Each of several libraries has a branch."""
    async with CatalogSimulator() as catalog:
        annex = library_entry(None, catalog.url, title="Annex")
        await set_up(gallery.hass, annex)
        await annex.runtime_data.async_children("exhibitions")
        top = await gallery.browse()
        assert titles(top.children)[:3] == ["All art", "Gallery", "Annex"]
        everything = await gallery.browse(top.children[0].media_content_id)
        assert titles(everything.children) == ["Gallery", "Annex"]
        page = await gallery.browse(top.children[2].media_content_id)
        assert (page.title, titles(page.children)) == (
            "Annex",
            ["Exhibitions", "Favorites", "Surprise"],
        )


async def test_a_catalog_that_goes_down(gallery: Gallery) -> None:
    """Cached pages are shown, at last with their age and the reason; other pages are an error, and the display still works."""
    set_timing(catalog_age=0.0, read_retry=0.0)
    series = gallery.media_id(gallery.exhibition(LARGE))
    assert (await gallery.browse(series)).title == f"Exhibition: {LARGE}"
    await gallery.catalog.stop()
    await gallery.feed.stop()
    page = await gallery.browse(gallery.media_id("exhibitions"))
    assert len(page.children) > 40
    assert page.title == "Exhibitions"
    assert len((await gallery.browse(series)).children) == 20
    await until(lambda: gallery.library.problem)
    old = await gallery.browse(series)
    assert len(old.children) == 20
    reason = r"as of [-0-9]{10} [:0-9]{5}\. The catalog of Gallery refused .*"
    assert re.fullmatch(rf"Exhibition: {LARGE} \({reason}\)", old.title)
    with pytest.raises(BrowseError) as caught:
        await gallery.browse(gallery.media_id(gallery.exhibition("Ghost Protocols")))
    assert caught.value.translation_key == "catalog_refused"
    await gallery.cast(playlist=playlist("Reef"))
    assert gallery.attribute("media_title") == "Reef"


async def test_nothing_was_ever_read(hass: HomeAssistant, socket_enabled: None) -> None:
    """A library that was never read is an error, and the rest of the browser works."""
    async with Gallery.of(hass, load=False) as gallery:
        await gallery.catalog.stop()
        await set_up(hass, gallery.entry)
        with pytest.raises(BrowseError) as caught:
            await gallery.browse(gallery.media_id("exhibitions"))
        assert caught.value.translation_key == "catalog_refused"
        assert "Exhibitions" in titles((await gallery.browse()).children)
        assert (await gallery.browse(gallery.media_id("playlists"))).children


async def test_no_library(hass: HomeAssistant, socket_enabled: None) -> None:
    """Without a library there is the media of Home Assistant."""
    async with Gallery.of(hass, load=False) as gallery:
        top = await gallery.browse()
        assert all("dp1" not in it.media_content_id for it in top.children)
        assert await gallery.search("anything") == []


# Pictures


class PictureServer:
    """Serves the same picture at every URL, and counts the requests."""

    def __init__(self) -> None:
        """Initialize the counter."""
        self.requests = 0
        self.most_in_flight = 0
        self._in_flight = 0
        self.url = ""

    @classmethod
    @asynccontextmanager
    async def run(cls) -> AsyncIterator[PictureServer]:
        self = cls()
        app = web.Application()
        app.router.add_get("/{tail:.*}", self._give)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        yield self
        await runner.cleanup()

    async def _give(self, request: web.Request) -> web.Response:
        """Serve the picture."""
        self.requests += 1
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        await asyncio.sleep(0.02)
        self._in_flight -= 1
        return web.Response(body=PNG, content_type="image/png")


async def picture(client: Any, path: str) -> tuple[int, str, bytes]:
    """Request a picture like a browser."""
    answer: aiohttp.ClientResponse = await client.get(path)
    return answer.status, answer.content_type, await answer.read()


async def test_pictures_come_through_home_assistant(
    gallery: Gallery,
    hass_client: ClientSessionGenerator,
    hass_client_no_auth: ClientSessionGenerator,
    hass_ws_client: WebSocketGenerator,
) -> None:
    """Every picture of a page is served, also to a new session."""
    socket = await hass_ws_client()
    await socket.send_json_auto_id(
        {
            "type": "media_player/browse_media",
            "entity_id": ENTITY_ID,
            "media_content_type": "playlist",
            "media_content_id": gallery.media_id(gallery.exhibition(LARGE)),
        }
    )
    page = (await socket.receive_json())["result"]
    anybody = await hass_client_no_auth()
    found = await asyncio.gather(
        *(picture(anybody, it["thumbnail"]) for it in page["children"][:5])
    )
    assert all(
        (status, kind) == (HTTPStatus.OK, "image/webp") and body[8:12] == b"WEBP"
        for status, kind, body in found
    )
    assert len({body for _, _, body in found}) > 1
    client = await hass_client()
    path = pictures.tile_path(page["children"][0]["media_content_id"])
    assert await picture(client, path) == found[0]
    assert (await picture(anybody, path))[0] == HTTPStatus.UNAUTHORIZED


async def test_pictures_that_cannot_be_had(
    gallery: Gallery, hass_client: ClientSessionGenerator
) -> None:
    """Without a picture nothing is served."""
    client = await hass_client()
    nodes = ("exhibition/nothing", "channels", f"item/{EVENING}/nothing")
    for media_id in (
        *map(gallery.media_id, nodes),
        "media-source://dp1/else/exhibition/1",
    ):
        path = pictures.picture_path(media_id)
        assert (await picture(client, path))[0] == HTTPStatus.NOT_FOUND
    page = await gallery.browse(gallery.media_id(f"playlist/{EVENING}"))
    assert page.thumbnail is None


async def test_pictures_are_fetched_once_and_a_few_at_a_time(
    hass: HomeAssistant, socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests for the same picture share one fetch, and a failed one is not repeated for a while."""
    async_setup_data(hass)
    async with PictureServer.run() as server:
        await name_hosts(hass, server.url)
        shelf = pictures.Pictures(hass)
        addresses = [f"{server.url}/{number}" for number in range(20)]
        found = await asyncio.gather(*map(shelf.async_at, addresses * 3))
        assert {it.content for it in found if it} == {PNG}
        assert server.requests == 20
        assert 1 < server.most_in_flight <= pictures.MAX_PARALLEL
        assert await shelf.async_at(addresses[0]) == found[0]
        assert server.requests == 20
        monkeypatch.setattr(pictures, "MAX_CACHE_BYTES", len(PNG) * 3)
        await shelf.async_at(f"{server.url}/more")
        await shelf.async_at(addresses[0])
        assert server.requests == 21
        await shelf.async_at(addresses[1])
        assert server.requests == 22
    page = Reply(200, b"<html>", {"Content-Type": "text/html"})
    for reply, retry, requests in (
        (page, 600.0, 1),
        (Reply(403, b"no"), 600.0, 1),
        (page, 0.0, 2),
    ):
        set_timing(picture_retry=retry)
        async with ScriptedServer.run(reply) as server:
            await name_hosts(hass, server.url)
            for _ in range(2):
                assert await shelf.async_at(server.url) is None
            assert len(server.requests) == requests


async def test_the_picture_of_what_was_given_lately(
    gallery: Gallery, hass_client_no_auth: ClientSessionGenerator
) -> None:
    """An entry of the history shows its cover, if it has one; an unknown one is no error."""
    await gallery.play(gallery.media_id(gallery.exhibition(LARGE)))
    lately = await gallery.browse("dp1://recent")
    client = await hass_client_no_auth()
    first = lately.children[0].thumbnail
    status, kind, _ = await picture(client, first)
    assert (status, kind) == (HTTPStatus.OK, "image/webp")
    await gallery.cast(playlist=playlist("Reef"))
    lately = await gallery.browse("dp1://recent")
    assert lately.children[0].thumbnail is None
    path = f"/api/media_player_proxy/{ENTITY_ID}/browse_media/picture/"
    token = first.partition("token=")[2]
    for name in (lately.children[0].media_content_id, "dp1://recent/forgotten"):
        status, _, _ = await picture(client, f"{path}{name}?token={token}")
        assert status == HTTPStatus.NOT_FOUND


# Casting by what a library calls it


async def test_cast_with_options(gallery: Gallery) -> None:
    """Options apply to nodes of a library, and no more is read than is shown."""
    record = gallery.catalog.data.find_exhibition(LARGE)
    gallery.catalog.reset_counters()
    told = await gallery.cast(
        exhibition=record["id"],
        limit=3,
        item_duration=7,
        scaling="fill",
        start_at=2,
        repeat="one",
    )
    assert told["items"] == 3
    state = gallery.wall.state
    assert {it["duration"] for it in state.items} == {7}
    assert {it["display"]["scaling"] for it in state.items} == {"fill"}
    assert (state.position, state.loop_mode) == (1, "one")
    assert gallery.catalog.count("artworks") <= 3
    series = gallery.catalog.data.series(record["id"])[0]["id"]
    assert (await gallery.cast(series=series))["items"] >= 1
    with pytest.raises(HomeAssistantError) as caught:
        await gallery.cast(exhibition=record["id"], start_at=99)
    assert caught.value.translation_key == "no_such_work"


async def test_cast_what_is_not_there(gallery: Gallery) -> None:
    """The error names what was not found."""
    for what, key in (
        ({"exhibition": "Xyzzy"}, "exhibition_not_found"),
        ({"series": "nothing"}, "series_not_found"),
        ({"media_content_id": gallery.media_id("exhibitions")}, "catalog_not_found"),
        (
            {"media_content_id": gallery.media_id("favorites")},
            "favorites_without_works",
        ),
        ({"media_content_id": gallery.media_id("playlist/x")}, "feed_not_found"),
        ({"media_content_id": "media-source://dp1"}, "not_of_a_library"),
    ):
        with pytest.raises(HomeAssistantError) as caught:
            await gallery.cast(**what)
        assert caught.value.translation_key == key
    assert not gallery.wall.casts


async def test_cast_over_several_libraries(gallery: Gallery) -> None:
    """A library that is down does not hide another, and an exact title comes first."""
    async with CatalogSimulator() as away:
        url = away.url
    await set_up(gallery.hass, library_entry(None, url, title="Annex"))
    assert (await gallery.cast(exhibition=LARGE.lower()))["title"] == LARGE
    with pytest.raises(HomeAssistantError) as caught:
        await gallery.cast(exhibition="No Such Show")
    assert caught.value.translation_key == "catalog_refused"
    await until(lambda: gallery.wall.casts == 1)
