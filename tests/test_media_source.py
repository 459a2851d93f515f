"""Test the media source of the libraries."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    WebSocketGenerator,
)

from custom_components.dp1.browse.pictures import PATH
from custom_components.dp1.media_source import _type_of
from homeassistant.components import media_source
from homeassistant.components.media_player import (
    BrowseError,
    MediaClass,
    SearchMediaQuery,
)
from homeassistant.components.media_source import PlayMedia, Unresolvable
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from .galleries import EVENING, LARGE, Gallery, titles
from .libraries import library_entry, set_up
from .simulators.catalog.simulator import CatalogSimulator

pytestmark = pytest.mark.usefixtures("impatience")


async def resolve(gallery: Gallery, media_id: str) -> PlayMedia:
    return await media_source.async_resolve_media(gallery.hass, media_id, None)


async def search(
    gallery: Gallery, words: str, media_id: str, *classes: MediaClass
) -> Any:
    query = SearchMediaQuery(search_query=words, media_filter_classes=[*classes])
    found = await media_source.async_search_media(gallery.hass, media_id, query)
    return found.result


async def test_it_is_one_of_the_sources(gallery: Gallery) -> None:
    """The overview has the media source, whose root has the same branches as a display."""
    overview = await media_source.async_browse_media(gallery.hass, None)
    (ours,) = (child for child in overview.children or () if child.title == "DP-1 Art")
    top = await media_source.async_browse_media(gallery.hass, ours.media_content_id)
    assert (top.title, top.media_content_id, top.can_search) == (
        "DP-1 Art",
        "media-source://dp1",
        True,
    )
    assert titles(top.children or ()) == [
        "Exhibitions",
        "Channels",
        "Playlists",
        "Favorites",
        "Surprise",
    ]
    assert titles(top.children or ()) == titles((await gallery.browse()).children)[1:6]


async def test_in_the_media_panel(
    gallery: Gallery,
    hass_ws_client: WebSocketGenerator,
    hass_client: ClientSessionGenerator,
) -> None:
    """The panel can browse, show pictures, search and play a work."""
    socket = await hass_ws_client()

    async def ask(command: str, **data: Any) -> Any:
        """Send a request like the panel."""
        await socket.send_json_auto_id({"type": f"media_source/{command}", **data})
        answer = await socket.receive_json()
        assert answer["success"], answer
        return answer["result"]

    show = gallery.media_id(gallery.exhibition(LARGE))
    page = await ask("browse_media", media_content_id=show)
    assert (page["title"], len(page["children"])) == (f"Exhibition: {LARGE}", 20)
    client = await hass_client()
    answer = await client.get(page["children"][0]["thumbnail"])
    assert (answer.status, answer.content_type) == (200, "image/webp")
    found = await ask(
        "search_media",
        media_content_id=show,
        search_query=page["children"][2]["title"].partition(", ")[0],
        media_filter_classes=["album", "image"],
    )
    assert found["result"][0]["title"] == page["children"][2]["title"]
    series = next(child for child in page["children"] if child["can_expand"])
    works = await ask("browse_media", media_content_id=series["media_content_id"])
    work = works["children"][0]["media_content_id"]
    media = await ask("resolve_media", media_content_id=work)
    answer = await client.get(media["url"])
    assert (answer.status, answer.content_type) == (200, media["mime_type"])


async def test_a_single_work_is_there_for_any_player(gallery: Gallery) -> None:
    """A work resolves to its source, a program to a still; anything with several works is for displays only."""
    page = await media_source.async_browse_media(
        gallery.hass, gallery.media_id(f"playlist/{EVENING}")
    )
    assert page.children
    media = await resolve(gallery, page.children[0].media_content_id)
    assert media.url == "https://art.example.org/1"
    for node in (f"playlist/{EVENING}", gallery.exhibition(LARGE), "exhibitions"):
        with pytest.raises(Unresolvable) as caught:
            await resolve(gallery, gallery.media_id(node))
        assert caught.value.translation_key == "only_on_displays"
    show = await gallery.browse(gallery.media_id(gallery.exhibition(LARGE)))
    kinds = set()
    for series in show.children:
        if not series.can_expand:
            media = await resolve(gallery, series.media_content_id)
            assert media.url.startswith((gallery.catalog.url, PATH))
            kinds.add(media.mime_type)
    assert "image/png" in kinds and "text/html" not in kinds


async def test_what_cannot_be_resolved(gallery: Gallery) -> None:
    """Unknown media are an error."""
    for media_id, key in (
        ("{media}/series/nothing", "catalog_not_found"),
        ("{media}/item/nothing/1", "feed_not_found"),
        # The only library takes the place of one that was removed.
        ("media-source://dp1/else/series/1", "catalog_not_found"),
        ("media-source://dp1", "not_of_a_library"),
    ):
        with pytest.raises(Unresolvable) as caught:
            await resolve(gallery, media_id.format(media=gallery.media_id()))
        assert caught.value.translation_key == key


@pytest.mark.parametrize(
    ("source", "medium", "expected"),
    [
        ("https://art.example/a.png?x=1", "software", "image/png"),
        ("https://art.example/a.mp4", None, "video/mp4"),
        (
            "https://art.example/a/manifest/video.m3u8",
            None,
            "application/vnd.apple.mpegurl",
        ),
        ("https://art.example/a/index.html", "image", "text/html"),
        ("https://art.example/a/", None, "text/html"),
        ("https://art.example/a", "image", "image/jpeg"),
        ("https://art.example/a.js", "video", "video/mp4"),
        ("data:image/svg+xml;base64,PHN2Zy8+", None, "image/svg+xml"),
        ("data:,x", None, "text/html"),
    ],
)
def test_types(source: str, medium: str | None, expected: str) -> None:
    """The type of a work follows from its URL and its medium."""
    assert _type_of(source, medium) == expected


async def test_search_everywhere_and_within(gallery: Gallery) -> None:
    """The root searches all libraries; a node searches itself."""
    found = await search(gallery, LARGE, "media-source://dp1")
    assert found[0].media_content_id == gallery.media_id(gallery.exhibition(LARGE))
    found = await search(
        gallery, "dune", gallery.media_id(f"playlist/{EVENING}"), MediaClass.IMAGE
    )
    assert titles(found) == ["Dune"]
    with pytest.raises(BrowseError) as caught:
        await search(gallery, "dune", gallery.media_id("playlist/nothing"))
    assert caught.value.translation_key == "feed_not_found"


async def test_several_libraries_or_none(
    hass: HomeAssistant, socket_enabled: None
) -> None:
    """Each of several libraries has a branch; without a library there is nothing to open."""
    async with Gallery.of(hass, load=False) as gallery, CatalogSimulator() as other:
        top = await media_source.async_browse_media(hass, "media-source://dp1")
        assert not top.children
        await gallery.load()
        annex = await set_up(hass, library_entry(None, other.url, title="Annex"))
        top = await media_source.async_browse_media(hass, "media-source://dp1")
        assert titles(top.children or ()) == ["Gallery", "Annex"]
        assert await hass.config_entries.async_unload(gallery.entry.entry_id)
        with pytest.raises(BrowseError) as caught:
            await media_source.async_browse_media(hass, gallery.media_id("exhibitions"))
        assert caught.value.translation_key == "library_not_loaded"
        # It reads in the background, and its server ends before Home Assistant does.
        assert await hass.config_entries.async_unload(annex.entry_id)


async def test_an_exhibition_in_a_photo_frame(
    gallery: Gallery, hass_client: ClientSessionGenerator
) -> None:
    """An image entity of Home Assistant goes through the stills of an exhibition, and through a playlist's works."""
    show = gallery.media_id(gallery.exhibition(LARGE))
    frame = MockConfigEntry(
        domain="collection_image",
        title="Frame",
        data={"media": [{"media_content_id": show, "media_content_type": "playlist"}]},
    )
    assert await async_setup_component(gallery.hass, "http", {})
    await set_up(gallery.hass, frame)
    before = ""
    for _ in range(2):
        await gallery.hass.services.async_call(
            "collection_image",
            "select_next",
            {"entity_id": "image.frame"},
            blocking=True,
        )
        state = gallery.hass.states.get("image.frame")
        assert state is not None
        assert state.state not in ("unavailable", "unknown", before)
        before = state.state
    client = await hass_client()
    page = await media_source.async_browse_media(gallery.hass, show)
    pictures = [each for each in page.children or () if each.media_class == "image"]
    assert len(pictures) > 1
    for picture in pictures:
        media = await resolve(gallery, picture.media_content_id)
        assert media.mime_type.startswith("image/")
        answer = await client.get(media.url)
        assert (answer.status, answer.content_type) == (200, media.mime_type)


@pytest.mark.skipif(
    not hasattr(media_source, "async_get_media_image"), reason="since 2026.11"
)
async def test_the_picture_of_anything_that_plays(gallery: Gallery) -> None:
    """Models and notifications get the picture of an exhibition, a series and a work as bytes."""
    show = gallery.media_id(gallery.exhibition(LARGE))
    page = await gallery.browse(show)
    series = next(child for child in page.children if child.can_expand)
    work = (await gallery.browse(series.media_content_id)).children[0]
    for node in (show, series.media_content_id, work.media_content_id):
        picture = await media_source.async_get_media_image(gallery.hass, node)
        assert picture is not None, node
        assert picture.mime_type == "image/png"
        assert picture.content.startswith(b"\x89PNG")
    nothing = gallery.media_id("exhibition/none")
    assert await media_source.async_get_media_image(gallery.hass, nothing) is None
