"""Test search in the browser, by voice, and by the action."""

from pathlib import Path
from typing import Any

import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.dp1.llm import FindArtTool
from custom_components.dp1.voice.choice import Wish
from homeassistant.components.media_player import MediaClass, SearchError
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import intent
from homeassistant.helpers.llm import LLMContext
from homeassistant.setup import async_setup_component

from tests.displays import ENTITY_ID, playlist, until
from tests.galleries import CHANNEL, EVENING, LARGE, READY_MADE, Gallery, titles
from tests.libraries import library_entry, set_up
from tests.simulators.catalog.simulator import CatalogSimulator

DID = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"

pytestmark = pytest.mark.usefixtures("impatience")


async def test_the_best_comes_first_and_all_of_it_plays(gallery: Gallery) -> None:
    """An exhibition with the title comes first; every result can be played."""
    found = await gallery.search(LARGE.upper())
    assert found[0].title == LARGE
    assert found[0].media_content_id == gallery.media_id(gallery.exhibition(LARGE))
    assert all(it.can_play for it in found)
    for it in (found[0], (await gallery.search("tide"))[0]):
        await gallery.play(it.media_content_id, it.media_content_type)
    assert gallery.wall.state.current_title == "Tide"


async def test_classes(gallery: Gallery) -> None:
    """A known media class filters the results, unless nothing is left; unknown ones are ignored."""
    for classes, query, expected in (
        (["playlist"], "evening", {"playlist"}),
        ([MediaClass.IMAGE], "dune", {"image"}),
        (["image", "playlist"], "tide", {"image", "playlist"}),
        (["music"], "dune", {"image"}),
        (["channel"], "evening", {"channel"}),
        (["track", "podcast"], "evening", {"playlist", "channel"}),
        (["album"], "evening", {"playlist", "channel"}),
        ([], "evening", {"playlist", "channel"}),
    ):
        found = await gallery.search(query, media_filter_classes=classes)
        assert found
        assert {it.media_class for it in found} <= expected


async def test_a_class_comes_as_a_list_or_as_a_set(
    gallery: Gallery, hass_ws_client: WebSocketGenerator
) -> None:
    """The classes may be a list or a set."""
    socket = await hass_ws_client()
    await socket.send_json_auto_id(
        {
            "type": "media_player/search_media",
            "entity_id": ENTITY_ID,
            "search_query": LARGE,
            "media_filter_classes": ["playlist"],
        }
    )
    answer = await socket.receive_json()
    assert answer["success"]
    assert answer["result"]["result"][0]["title"] == LARGE
    assert answer["result"]["result"][0]["thumbnail"]


async def test_within_a_node(gallery: Gallery) -> None:
    """A search within a page finds what is in it."""
    inside = {
        "media_content_id": gallery.media_id(f"playlist/{EVENING}"),
        "media_content_type": "playlist",
    }
    assert titles(await gallery.search("dune", **inside)) == ["Dune"]
    assert await gallery.search(LARGE, **inside) == []


async def test_what_was_given_lately_is_found(gallery: Gallery) -> None:
    """The history is searched too, without duplicates; an exact title comes first."""
    await gallery.cast(playlist=playlist("Reef", title="Window Box"))
    found = await gallery.search("window box")
    assert (found[0].title, found[0].media_class) == ("Window Box", "playlist")
    found = await gallery.search("window")
    assert found[0].title != "Window Box"
    assert titles(found).count("Window Box") == 1
    await gallery.play((await gallery.search("window box"))[0].media_content_id)
    assert gallery.wall.state.current_title == "Reef"
    await gallery.cast(playlist=playlist("Reef", "Dune", title=LARGE))
    assert titles(await gallery.search(LARGE)).count(LARGE) == 1
    lately = {"media_content_id": "dp1://recent", "media_content_type": "directory"}
    assert titles(await gallery.search("window", **lately)) == ["Window Box"]
    narrowed = await gallery.search(
        "window box", media_filter_classes=["image"], **lately
    )
    assert narrowed == []


async def test_media_of_home_assistant_is_found(
    gallery: Gallery, tmp_path: Path
) -> None:
    """Media of Home Assistant that the display supports is found."""
    for name in ("sea.jpg", "sea.mp4", "sea.mp3"):
        (tmp_path / name).write_bytes(b"")
    gallery.hass.config.media_dirs["local"] = str(tmp_path)
    own = {
        "media_content_id": "media-source://media_source",
        "media_content_type": "app",
    }
    assert set(titles(await gallery.search("sea", **own))) == {"sea.jpg", "sea.mp4"}


async def test_what_cannot_be_searched(gallery: Gallery) -> None:
    """An unknown node, or one that cannot be searched, is an error."""
    for media_id, key in (
        ("{media}/exhibition/nothing", "catalog_not_found"),
        ("{media}/nonsense", "catalog_not_found"),
        ("media-source://dp1/else/collection/x", "library_removed"),
        ("media-source://nobody/1", "search_media_failed"),
        ("ftp://nowhere", "not_of_a_library"),
    ):
        with pytest.raises(SearchError) as caught:
            await gallery.search(
                "tide",
                media_content_id=media_id.format(media=gallery.media_id()),
                media_content_type="directory",
            )
        assert caught.value.translation_key == key


async def test_a_catalog_that_is_down(
    hass: HomeAssistant, socket_enabled: None
) -> None:
    """Cached results are found; without any, the browser and the action give the reason; without a library there is none to search."""

    async def refused(**data: Any) -> str | None:
        with pytest.raises(HomeAssistantError) as caught:
            await gallery.call("search", query=LARGE, **data)
        return caught.value.translation_key

    async with Gallery.of(hass, load=False) as gallery:
        assert await refused() == "no_library"
        assert await refused(config_entry_id="nothing") == "not_a_library"
        await gallery.catalog.stop()
        await set_up(hass, gallery.entry)
        await gallery.library.async_children("exhibitions")
        assert titles(await gallery.search("tide"))[0] == "Tide"
        with pytest.raises(SearchError) as caught:
            await gallery.search(LARGE)
        assert caught.value.translation_key == "found_nothing_yet"
        assert await refused() == "found_nothing_yet"
        await gallery.cast(playlist=playlist("Reef", title=LARGE))
        assert titles(await gallery.search(LARGE)) == [LARGE]


# By voice


async def listen(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(hass, "intent", {})
    await hass.async_block_till_done()


async def say(hass: HomeAssistant, **slots: str) -> intent.IntentResponse:
    """Send a sentence to Assist."""
    return await intent.async_handle(
        hass,
        "test",
        "HassMediaSearchAndPlay",
        {name: {"value": value} for name, value in slots.items()},
    )


@pytest.mark.parametrize("slots", [{}, {"media_class": "music"}])
async def test_play_an_exhibition_by_voice(
    gallery: Gallery, slots: dict[str, str]
) -> None:
    """An exhibition can be played by voice, with any media class."""
    await listen(gallery.hass)
    answer = await say(gallery.hass, search_query=LARGE.lower(), name="Wall", **slots)
    assert answer.speech_slots["media"]["title"] == LARGE
    assert gallery.wall.state.playlist_title == LARGE
    await until(lambda: gallery.attribute("source") == LARGE)


async def test_voice_finds_nothing(gallery: Gallery) -> None:
    """Without results, Assist says so and nothing is cast."""
    await listen(gallery.hass)
    with pytest.raises(intent.IntentHandleError, match="No results"):
        await say(gallery.hass, search_query="quxquux", name="Wall")
    assert not gallery.wall.casts


# By an automation


async def find(gallery: Gallery, query: str, **data: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await gallery.call("search", query=query, **data))[
        "results"
    ]
    return found


async def test_the_action(gallery: Gallery) -> None:
    """A result has a title, a kind, an artist and an id that can be played."""
    first = (await find(gallery, LARGE))[0]
    changing: dict[str, Any] = {
        "artist": "",
        "artists": [],
        "year": 0,
        "picture": "",
        "note": "",
    }
    changing["opens_at"] = ""
    assert all(first[name] for name in changing)
    assert first | changing == {
        **changing,
        "title": LARGE,
        "medium": None,
        "kind": "exhibition",
        "media_content_id": gallery.media_id(gallery.exhibition(LARGE)),
    }
    show = (await gallery.library.async_children(gallery.exhibition(LARGE))).nodes[0]
    series = await find(gallery, show.title, kinds=["series"])
    assert show.medium
    assert (series[0]["medium"], series[0]["note"]) == (
        show.medium,
        show.note,
    )
    await gallery.cast(media_content_id=first["media_content_id"], limit=2)
    assert gallery.wall.state.playlist_title == LARGE
    for query, kinds, kind in (
        ("tide", ["item"], "item"),
        ("evening", "playlist", "playlist"),
    ):
        found = await find(gallery, query, kinds=kinds)
        assert {it["kind"] for it in found} == {kind}
    assert await find(gallery, "evening", kinds=["artwork"]) == []
    inside = (await gallery.library.async_children("channels")).nodes
    channel = next(node for node in inside if node.kind == "channel")
    found = await find(gallery, channel.title, kinds=["channel", "album", "picture"])
    assert found[0]["media_content_id"] == gallery.media_id(channel.id)
    assert len(await find(gallery, "weather", limit=2)) == 2
    assert await find(gallery, "quxquux") == []


async def test_the_action_over_several_libraries(gallery: Gallery) -> None:
    async with CatalogSimulator() as other:
        annex = await set_up(
            gallery.hass, library_entry(None, other.url, title="Annex")
        )
        await annex.runtime_data.async_children("exhibitions")
        found = await find(gallery, LARGE)
        assert [it["title"] for it in found[:2]] == [LARGE, LARGE]
        assert len({it["media_content_id"] for it in found[:2]}) == 2
        named = await find(gallery, LARGE, config_entry_id=annex.entry_id)
        assert all(annex.entry_id in it["media_content_id"] for it in named)
        assert await find(gallery, READY_MADE, config_entry_id=annex.entry_id)


async def test_a_channel_is_by_its_publisher_only(gallery: Gallery) -> None:
    """Whoever groups playlists is no artist, and whoever curates one no exhibition, in a result, a wish and a page."""
    gallery.feed.channels[CHANNEL]["publisher"] = {"name": "Otto", "key": DID}
    document = gallery.feed.documents[EVENING]
    document |= {"title": "Nightfall", "summary": "Slow light."}
    document["curators"] = [{"name": "Ines", "key": DID}]
    await gallery.library.feed_server.async_refresh()
    (channel,) = await find(gallery, "Evenings")
    assert channel["artist"] is None
    node = await gallery.library.async_node(f"channel/{CHANNEL}")
    assert Wish.of(gallery.library, node).artists == ()
    tool = FindArtTool(gallery.hass, LLMContext("test", None, None, None, None))
    for query, name, person in (
        ("Evenings", "publisher", "Otto"),
        ("Nightfall", "curator", "Ines"),
    ):
        (first, *_) = (await tool.call({"query": query}))["results"]
        assert first[name] == person
        assert not {"artist", "exhibition"} & first.keys()
    page = await gallery.browse(gallery.media_id(f"playlist/{EVENING}"))
    assert page.title == "Nightfall · Ines · Slow light."
